"""A string occurs where a search through all places finds it: as it is, folded, word by word, never
beginning or ending inside of a word; and no text or string makes the search slow.
"""

from __future__ import annotations

import random
import time

import pytest

from carob.pair.occurrences import LEVELS, InTokens, Occurrences, cut
from tests.answers import in_tokens, spans
from tests.worlds import times

PARTS = ["a", "A", "b", "ab", "aB", " ", " ", "  ", "\n", ".", "-", "_", "e\u0301", "é", "ﬁ", "FI",
         "\uff21", "ß", "ss", "東", "京", "1", "\0"]  # fmt: skip


def _random(rng: random.Random, most: int) -> str:
    return "".join(rng.choice(PARTS) for _ in range(rng.randint(1, most)))


def _needle(rng: random.Random, text: str) -> str:
    start = rng.randrange(len(text))
    part = text[start : start + rng.randint(1, 5)]
    kind = rng.randrange(5)
    if kind == 0 or not part.strip():
        part = _random(rng, 3)
    elif kind == 1:
        part = part.swapcase()
    elif kind == 2:
        part = part.replace(" ", "  ").replace(".", "-")
    part = part.lstrip("\u0301")
    return part if part.strip() else "a"


def test_a_string_occurs_where_looking_everywhere_finds_it() -> None:
    rng = random.Random(11)
    hits = [0, 0, 0]
    for _ in range(times(15)):
        text = _random(rng, 9)
        found = Occurrences(text)
        for _ in range(2):
            string = _needle(rng, text)
            clean, wanted = text.replace("\0", "\1"), string.replace("\0", "\1")
            expected = [spans(clean, wanted, level) for level in range(3)]
            assert expected == [found.of(string, level) for level in LEVELS], (text, string)
            hits = [n + len(level) for n, level in zip(hits, expected, strict=True)]
    assert min(hits) > times(3)


def test_in_tokens_an_occurrence_takes_every_token_it_touches() -> None:
    rng = random.Random(12)
    words = ["a", "A", "b-a", "a.", "é", "東京", "ab", ".", "b"]
    for _ in range(times(15)):
        tokens = [rng.choice(words) for _ in range(rng.randint(1, 5))]
        text = " ".join(tokens)
        string = _needle(rng, text)
        expected = [
            [in_tokens(tokens, span) for span in spans(text, string, level)] for level in range(3)
        ]
        assert expected == [InTokens(tokens).of(string, level) for level in LEVELS], (
            tokens,
            string,
        )


@pytest.mark.parametrize(("text", "string", "expected"), [
    ("Annual Ann", "Ann", [[(7, 10)], [(7, 10)], [(7, 10)]]),
    ("JOEL  S.\nBirnbaum", "Joel S. Birnbaum", [[], [(0, 17)], [(0, 17)]]),
    ("Joel S Birnbaum", "Joel S. Birnbaum,", [[], [], [(0, 15)]]),
    ("at 7:00 P.M.", "7:00 p.m.", [[], [(3, 12)], [(3, 11)]]),
    ("Cafe\u0301 Cafe", "Cafe", [[(6, 10)], [(6, 10)], [(6, 10)]]),
    ("私は東京に", "東京", [[(2, 4)], [(2, 4)], [(2, 4)]]),
    ("서울에서", "서울", [[(0, 2)], [(0, 2)], [(0, 2)]]),
    ("ann", "Bo", [[], [], []]),
    ("", "a", [[], [], []]),
    ("$5 (US$)", "$", [[(0, 1), (6, 7)], [(0, 1), (6, 7)], []]),
])  # fmt: skip
def test_examples(text: str, string: str, expected: list[list[tuple[int, int]]]) -> None:
    assert expected == [Occurrences(text).of(string, level) for level in LEVELS]


def test_pieces_end_to_end_are_the_text() -> None:
    rng = random.Random(13)
    for _ in range(500):
        text = _random(rng, 12)
        assert text == "".join(cut(text))


@pytest.mark.parametrize(("text", "string"), [
    ("a" * 1_000_000, "a" * 5_000),
    ("ab " * 300_000, "ab " * 20_000 + "a"),
    ("a a" * 300_000 + " b", "a aa " * 20_000 + "b a"),
    ("A " * 300_000 + "b b", "a " * 20_000 + "b a"),
])  # fmt: skip
@pytest.mark.slow
def test_texts_that_repeat_themselves_are_searched_in_linear_time(text: str, string: str) -> None:
    before = time.process_time()
    assert [[], [], []] == [Occurrences(text).of(string, level) for level in LEVELS]
    assert time.process_time() - before < 10
