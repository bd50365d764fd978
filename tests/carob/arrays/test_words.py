"""Cutting texts into tokens does what its definition says, character by character."""

from __future__ import annotations

import random
import unicodedata

import pytest

from carob.arrays.words import cut

SIGNS = [
    *"abZ09_'’.,-$", " ", " ", "\t", "\n", "\r", "\xa0", "\u2003", "\u200b", "\u200d", "\xad",
    "\ufeff", "\u0301", "\u0308", "é", "ß", "東", "京", "ि", "ह", "्", "न", "\U0001d49c",
    "\U0001f600",
    "\U0001f469", "\U0001f3fd", "\U00020000", "\U000e0100", "٣", "½", "\ud800", "\0", "\x1c",
]  # fmt: skip


def slow_words(text: str) -> list[tuple[int, int]]:
    """One character after the other: does it begin a token, go on with one, or end one?"""
    found: list[list[int]] = []
    open_word = in_token = False
    for place, sign in enumerate(text):
        category = unicodedata.category(sign)
        if sign.isspace() or sign == "\u200b":
            open_word = in_token = False
        elif (category.startswith("M") or category == "Cf") and in_token:
            found[-1][1] = place + 1
        else:
            word = sign.isalnum() or sign == "_"
            if word and open_word:
                found[-1][1] = place + 1
            else:
                found.append([place, place + 1])
            open_word, in_token = word, True
    return [(a, b) for a, b in found]


def slow_whitespace(text: str) -> list[tuple[int, int]]:
    found, at = [], 0
    for word in text.split():
        at = text.index(word, at)
        found.append((at, at + len(word)))
        at += len(word)
    return found


def tokens(text: str, how: str = "words") -> list[str]:
    _, start, end = cut([text], how)
    return [text[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True)]


@pytest.mark.parametrize(("how", "slow"), [("words", slow_words), ("whitespace", slow_whitespace)])
def test_texts_are_cut_as_the_definition_says(how: str, slow: object) -> None:
    assert callable(slow)
    rng = random.Random(how)
    texts = ["".join(rng.choices(SIGNS, k=rng.randint(0, 12))) for _ in range(3000)]
    offsets, start, end = cut(texts, how)
    assert len(texts) + 1 == len(offsets)
    for row, text in enumerate(texts):
        part = slice(int(offsets[row]), int(offsets[row + 1]))
        assert slow(text) == list(zip(start[part].tolist(), end[part].tolist(), strict=True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann's e-mail: a_b@c", ["Ann", "'", "s", "e", "-", "mail", ":", "a_b", "@", "c"]),
        ("cafe\u0301 हिन्दी", ["cafe\u0301", "हिन्दी"]),
        ("\u0301a", ["\u0301", "a"]),
        ("x\u200by", ["x", "y"]),
        ("co\xadop", ["co\xadop"]),
        ("\U0001f469\u200d\U0001f52c!", ["\U0001f469\u200d", "\U0001f52c", "!"]),
        ("", []),
        (" \n", []),
    ],
)  # fmt: skip
def test_words_by_example(text: str, expected: list[str]) -> None:
    assert expected == tokens(text)


def test_no_texts_have_no_tokens() -> None:
    assert [[0], [], []] == [column.tolist() for column in cut([])]
