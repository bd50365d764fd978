"""JSON in all the ways in which it can be written: white space, escapes, the order of keys, values
of a wrong kind, and bytes that are no JSON at all.

Each function takes what it writes from a generator of random numbers, and the strategies at the end
draw a seed: a draw for every choice would take longer than the tests. Most of what is made is
written as usual, so that texts with just one oddity happen.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import strategies as st

from tests.worlds import seeds

_USUAL = (
    b"a", b"Bo", b"New York", "é".encode(), "東".encode(), "😀".encode(), b":", b",", b"[", b"]",
    b"{", b"}", b" ", b'\\"', b"\\\\", b"ninebytes", b"start", b"label",
)  # fmt: skip
_UNUSUAL = (
    b"\\/", b"\\n", b"\\u0041", b"\\u003a", b"\\u0000", b"\\ud83d\\ude00", b"\\ud800", b"\\udc00",
    b"\x7f", "\u2028".encode(),
)  # fmt: skip
_WRONG = (b"\\q", b"\\u12", b"\t", b"\x01", b"\xff", b"\xc3", b"\xed\xa0\x80", b'"')
_OTHER_VALUES = (
    b"null", b"5", b"-1", b"0.5", b"true", b"[]", b"{}", b'["x"]', b'["x", "y"]', b'{"x": "y"}',
    b"[[]]", b"NaN", b"1e999", b'"x"', b"",
)  # fmt: skip
_OTHER_NUMBERS = (
    b"-1", b"00", b"1.0", b"1e0", b"10", b"123456789", b"1234567890", b"2147483648", b"-0", b"true",
    b"null", b'"1"', b"", b"9" * 30,
)  # fmt: skip
_COMMAS, _OTHER_COMMAS = (b", ", b","), (b" ,", b",  ", b",\t", b"", b",,")
_COLONS, _OTHER_COLONS = (b": ", b":"), (b" :", b":  ", b":\t", b"")
_FRAMES, _OTHER_FRAMES = (b"",), (b" ", b"\t")


class Manner(NamedTuple):
    """How most of a text is written."""

    comma: bytes
    colon: bytes
    order: tuple[bytes, ...]


def _manner(rng: random.Random) -> Manner:
    """A way to write objects and lists."""
    order = rng.sample((b"start", b"end", b"label"), 3)
    return Manner(rng.choice(_COMMAS), rng.choice(_COLONS), tuple(order))


def _mostly(
    rng: random.Random, usual: Sequence[bytes], other: Sequence[bytes], times: int = 30
) -> bytes:
    """One of the usual, but once in so many times one of the others."""
    return rng.choice(other if rng.randrange(times) == 0 else usual)


def _framed(rng: random.Random, manner: Manner, items: Sequence[bytes], brackets: bytes) -> bytes:
    """Items in brackets, with commas between them."""
    text = b""
    for number, item in enumerate(items):
        text += (_mostly(rng, (manner.comma,), _OTHER_COMMAS) if number else b"") + item
    frame = _mostly(rng, _FRAMES, _OTHER_FRAMES)
    return brackets[:1] + frame + text + frame + brackets[1:]


def string(rng: random.Random) -> bytes:
    """A string with its quotes."""
    parts = []
    for _ in range(rng.randint(0, 3)):
        other = rng.choice((_UNUSUAL, _UNUSUAL, _UNUSUAL, _WRONG))
        parts.append(_mostly(rng, _USUAL, other))
    return b'"' + b"".join(parts) + b'"'


def pair(rng: random.Random, manner: Manner, key: bytes, value: bytes) -> bytes:
    """A key and its value."""
    key = _mostly(rng, (key,), (key.replace(b"t", b"\\u0074"), b"kind", b"start"), 60)
    return b'"' + key + b'"' + _mostly(rng, (manner.colon,), _OTHER_COLONS, 60) + value


def mention(rng: random.Random, manner: Manner) -> bytes:
    """A mention of a document with at least three positions."""
    values = {
        b"start": _mostly(rng, (b"0", b"1"), _OTHER_NUMBERS, 60),
        b"end": _mostly(rng, (b"2", b"3"), _OTHER_NUMBERS, 60),
        b"label": _mostly(rng, (b'"PER"', b'"LOC"'), (string(rng),), 4),
    }
    order = list(manner.order)
    if rng.randrange(10) == 0:
        rng.shuffle(order)
        order += rng.choice(([], [b"id"], [b"confidence"], [b"end"], [b"kind"]))
        values |= {b"id": string(rng), b"confidence": b"0.5", b"kind": b"1"}
    pairs = [pair(rng, manner, key, values[key]) for key in order]
    return _framed(rng, manner, pairs, b"{}")


def listed(rng: random.Random, manner: Manner, items: Sequence[bytes]) -> bytes:
    """These items as a list, or another value."""
    items = [_mostly(rng, (item,), _OTHER_VALUES, 60) for item in items]
    return _mostly(rng, (_framed(rng, manner, items, b"[]"),), _OTHER_VALUES, 100)


def _token_list(rng: random.Random) -> bytes:
    """A list of tokens."""
    return listed(rng, _manner(rng), [string(rng) for _ in range(rng.randint(0, 4))])


def _mention_list(rng: random.Random, manner: Manner) -> bytes:
    """A list of mentions, written in this manner."""
    return listed(rng, manner, [mention(rng, manner) for _ in range(rng.randint(0, 3))])


def _file(rng: random.Random, size: int) -> bytes:
    """So many documents of carob's own format, one a line."""
    manner = _manner(rng)
    in_tokens = rng.random() < 0.5
    lines = []
    for number in range(size):
        words = [b'"Ann"', b'"met"', b'"Bo"', string(rng)]
        text = b'"Ann met Bo ' + string(rng)[1:]
        values = {
            b"tokens" if in_tokens else b"text": listed(rng, manner, words) if in_tokens else text,
            b"mentions": _mention_list(rng, manner),
        }
        others = {
            b"id": b'"%d"' % number,
            b"sentences": b"[0, 2]",
            b"tokens": listed(rng, manner, words),
            b"text": text,
            b"templates": b'[{"slots": {"tokens": ["a:b"]}}]',
            b"note": b"1",
        }
        if rng.random() < 0.5:
            key = rng.choice(sorted(others))
            values.setdefault(key, others[key])
        pairs = [pair(rng, manner, key, value) for key, value in values.items()]
        lines.append(_framed(rng, manner, pairs, b"{}"))
    return _mostly(rng, (b"\n",), (b"\r\n", b"\n\n", b"\n \t\r\n", b" \n", b"\n\n\n"), 5).join(
        lines
    )


def _lists_of_mentions(rng: random.Random, size: int) -> list[bytes]:
    manner = _manner(rng)
    return [_mention_list(rng, manner) for _ in range(size)]


_random = seeds.map(random.Random)

token_lists: st.SearchStrategy[list[bytes]] = st.builds(
    lambda rng, size: [_token_list(rng) for _ in range(size)], _random, st.integers(0, 4)
)
"""Lists of tokens, each in a manner of its own."""

mention_lists: st.SearchStrategy[list[bytes]] = st.builds(
    _lists_of_mentions, _random, st.integers(0, 12)
)
"""Lists of mentions, all in one manner."""

files: st.SearchStrategy[bytes] = st.builds(_file, _random, st.integers(1, 3))
"""A few documents of carob's own format, one a line."""
