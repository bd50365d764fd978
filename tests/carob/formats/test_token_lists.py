"""Tokens that are counted and hashed as they are written are those that a decoder finds."""

from __future__ import annotations

import json
import random

import msgspec
import pytest
from hypothesis import assume, given

from carob.arrays.hashing import hash_lists
from carob.formats import _token_lists
from carob.formats._token_lists import token_lists
from tests.carob.formats import _spelling
from tests.worlds import examples

WORDS = (
    "Ann",
    "New York",
    "",
    " ",
    ":",
    ",",
    '"',
    "\\",
    '", "',
    "é",
    "東京",
    "😀",
    "[",
    "]",
    "x" * 9,
)


def is_json(text: bytes) -> bool:
    """Whether this is one value, of which strings are not looked at."""
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (ValueError, RecursionError):
        return False
    return bool(text.strip()) and text.strip() == text


@pytest.mark.parametrize("few", [1, _token_lists._FEW])
@examples(5)
@given(lists=_spelling.token_lists)
def test_lists_are_what_a_decoder_finds(few: float, lists: list[bytes]) -> None:
    assume(all(map(is_json, lists)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_token_lists, "_FEW", few)
        found = token_lists(lists)
    try:
        expected = [msgspec.json.decode(text, type=list[str]) for text in lists]
    except ValueError:
        assert found is None
        return
    assert found is not None
    assert list(map(len, expected)) == found.sizes.tolist()
    assert hash_lists(expected).tolist() == found.hashes.tolist()
    assert sum(text.count(b":") for text in lists) == found.colons


@pytest.mark.parametrize("separators", [(", ", ": "), (",", ":")])
def test_lists_that_are_written_as_usual_are_not_decoded(
    separators: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_token_lists, "_decoded", lambda lists: pytest.fail("decoded"))
    rng = random.Random(1)
    lists = [rng.choices((*WORDS, *["Ann"] * 30), k=rng.randrange(9)) for _ in range(300)]
    coded = [json.dumps(each, ensure_ascii=False, separators=separators).encode() for each in lists]
    found = token_lists(coded)
    assert found is not None
    assert hash_lists(lists).tolist() == found.hashes.tolist()


def test_lists_with_many_escapes_are_decoded() -> None:
    lists = [["Добрый", "день"], ["東京", "\0"]]
    found = token_lists([json.dumps(each).encode() for each in lists])
    assert found is not None
    assert hash_lists(lists).tolist() == found.hashes.tolist()


@pytest.mark.parametrize(
    "other",
    [
        b'["a", ["b"], "c"]', b'["a",{"b":"c"},"d"]', b'[["a"]]', b'{"a": "b"}', b'{"a":"b"}',
        b"{}", b'"a"', b"null", b'["a", 1, "b","c"]', b'["a",[],"b"]', b"[1]", b"[[]]", b'["\xff"]',
        b'["\xc3", "\xa9"]', b'["\\ud800", "a", "b", "c", "d"]',
    ],
)  # fmt: skip
def test_what_is_no_list_of_strings_is_refused(other: bytes) -> None:
    for lists in ([other], [b'["x"]', other], [other, b"[]"], [b'["x", "y"]', other, b'["z"]']):
        assert token_lists(lists) is None
