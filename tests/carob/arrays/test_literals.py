"""What is found in the bytes of JSON is what a parser finds there, one sign after the other."""

from __future__ import annotations

import json
import random
import re

import numpy as np
import pytest

from carob.arrays.literals import (
    bytes_between,
    is_utf8,
    list_sizes,
    more_keys,
    padded,
    quoted,
    whole_numbers,
)
from tests.worlds import ODD_TEXTS

STRING = re.compile(rb'"((?:[^"\\]|\\.)*)"', re.S)


def test_strings_end_at_quotes_that_are_not_escaped() -> None:
    rng = random.Random(1)
    for _ in range(500):
        text = "".join(rng.choice(ODD_TEXTS) for _ in range(rng.randrange(4)))
        value = {
            text: [rng.choice(ODD_TEXTS), 5, rng.choice(ODD_TEXTS)],
            "a": rng.choice(ODD_TEXTS),
        }
        line = json.dumps(value, ensure_ascii=rng.random() < 0.5).encode()
        buffer = padded(line)
        start, end, escapes = quoted(buffer)
        assert [each[1] for each in STRING.finditer(line)] == bytes_between(buffer, start, end)
        expected = [each.start() for each in re.finditer(rb"\\.", line, re.S)]
        assert expected == escapes.tolist()


@pytest.mark.parametrize(
    ("text", "number", "size"),
    [(b"0]", 0, 1), (b"105,", 105, 3), (b"-1", 0, 0), (b"1.5", 1, 1), (b"1e5", 1, 1), (b"/", 0, 0),
     (b":", 0, 0), (b"123456789}", 123456789, 9), (b"1234567890", 123456789, 9)],
)  # fmt: skip
def test_a_number_ends_where_no_digit_comes(text: bytes, number: int, size: int) -> None:
    numbers, end = whole_numbers(padded(text), np.array([0]))
    assert ([number], [size]) == (numbers.tolist(), end.tolist())


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        (b'["a", "b"]', [2]), (b'["a","b"]', [2]), (b"[]", [0]), (b'["a"]', [1]),
        (b'["a" ,"b"]', None), (b'["a",  "b"]', None), (b'[ "a"]', None), (b'["a" ]', None),
        (b'["a", ["b"], "c"]', None), (b'["a",["b"],"c"]', None), (b'["a",["b"]]', None),
        (b'[["a"],"b"]', None), (b'["a",{"b":"c"},"d"]', None), (b'{"a":"b"}', None),
        (b'["a",1,"b","c"]', None), (b'["a",[],"b"]', None), (b'"a"', None), (b"{}", None),
        (b"[ ]", None), (b"[1]", None), (b"null", None),
    ],
)  # fmt: skip
def test_only_lists_of_nothing_else_are_counted(text: bytes, sizes: list[int] | None) -> None:
    for before, after in ((b"", b""), (b'["x"]', b""), (b"", b'["x", "y"]'), (b"[]", b"[]")):
        texts = [each for each in (before, text, after) if each]
        buffer = padded(*texts)
        start, end, _ = quoted(buffer)
        found = list_sizes(buffer, start - 1, end + 1, np.cumsum([0, *map(len, texts)]))
        assert (sizes is None) == (found is None)
        if sizes is not None and found is not None:
            assert sizes == found[bool(before) : len(found) - bool(after)].tolist()


def test_bytes_are_utf_8_if_they_can_be_decoded() -> None:
    rng = random.Random(4)
    parts = [b"a", "é".encode(), "東".encode(), "😀".encode(), b"\xc3", b"\xa9", b"\xe6", b"\xff",
             b"\xed\xa0\x80", b"\xc0\x80"]  # fmt: skip
    outcomes = []
    for _ in range(2000):
        text = b"".join(rng.choice(parts[: rng.choice((4, 10))]) for _ in range(rng.randrange(5)))
        try:
            text.decode()
        except UnicodeDecodeError:
            outcomes.append(False)
        else:
            outcomes.append(True)
        assert outcomes[-1] == is_utf8(padded(text))
    assert 500 < sum(outcomes) < 1500


def test_keys_are_counted_whatever_is_in_texts() -> None:
    rng = random.Random(3)
    for _ in range(500):
        value = {
            key: rng.choice(ODD_TEXTS) + rng.choice(ODD_TEXTS) for key in rng.sample("abcd", 2)
        }
        value |= {"e": [rng.choice(ODD_TEXTS), {"f": rng.choice(ODD_TEXTS)}]}  # type: ignore[dict-item]
        separators = rng.choice(((",", ":"), (", ", ": "), (" ,", " :")))
        line = json.dumps(value, ensure_ascii=rng.random() < 0.5, separators=separators).encode()
        assert [4, 3, 2, 1, 0] == [more_keys(line, count) for count in range(5)], line
