"""JSON in all the ways in which it can be written: white space, escapes, the order of keys, values
of a wrong kind, and bytes that are no JSON at all.

Each function draws from a hypothesis strategy. Most of what it draws is written as usual, so that
texts with just one oddity happen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import strategies as st

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


@st.composite
def manners(draw: st.DrawFn) -> Manner:
    """A way to write objects and lists."""
    order = draw(st.permutations((b"start", b"end", b"label")))
    return Manner(draw(st.sampled_from(_COMMAS)), draw(st.sampled_from(_COLONS)), tuple(order))


def _mostly(
    draw: st.DrawFn, usual: Sequence[bytes], other: Sequence[bytes], times: int = 30
) -> bytes:
    """One of the usual, but once in so many times one of the others."""
    return draw(st.sampled_from(other if draw(st.integers(1, times)) == times else usual))


def _framed(draw: st.DrawFn, manner: Manner, items: Sequence[bytes], brackets: bytes) -> bytes:
    """Items in brackets, with commas between them."""
    text = b""
    for number, item in enumerate(items):
        text += (_mostly(draw, (manner.comma,), _OTHER_COMMAS) if number else b"") + item
    frame = _mostly(draw, _FRAMES, _OTHER_FRAMES)
    return brackets[:1] + frame + text + frame + brackets[1:]


def string(draw: st.DrawFn) -> bytes:
    """A string with its quotes."""
    parts = []
    for _ in range(draw(st.integers(0, 3))):
        other = draw(st.sampled_from((_UNUSUAL, _UNUSUAL, _UNUSUAL, _WRONG)))
        parts.append(_mostly(draw, _USUAL, other))
    return b'"' + b"".join(parts) + b'"'


def pair(draw: st.DrawFn, manner: Manner, key: bytes, value: bytes) -> bytes:
    """A key and its value."""
    key = _mostly(draw, (key,), (key.replace(b"t", b"\\u0074"), b"kind", b"start"), 60)
    return b'"' + key + b'"' + _mostly(draw, (manner.colon,), _OTHER_COLONS, 60) + value


def mention(draw: st.DrawFn, manner: Manner) -> bytes:
    """A mention of a document with at least three positions."""
    values = {
        b"start": _mostly(draw, (b"0", b"1"), _OTHER_NUMBERS, 60),
        b"end": _mostly(draw, (b"2", b"3"), _OTHER_NUMBERS, 60),
        b"label": _mostly(draw, (b'"PER"', b'"LOC"'), (string(draw),), 4),
    }
    order = list(manner.order)
    if draw(st.integers(1, 10)) == 10:
        order = draw(st.permutations(order))
        order += draw(st.sampled_from(([], [b"id"], [b"confidence"], [b"end"], [b"kind"])))
        values |= {b"id": string(draw), b"confidence": b"0.5", b"kind": b"1"}
    pairs = [pair(draw, manner, key, values[key]) for key in order]
    return _framed(draw, manner, pairs, b"{}")


def listed(draw: st.DrawFn, manner: Manner, items: Sequence[bytes]) -> bytes:
    """These items as a list, or another value."""
    items = [_mostly(draw, (item,), _OTHER_VALUES, 60) for item in items]
    return _mostly(draw, (_framed(draw, manner, items, b"[]"),), _OTHER_VALUES, 100)


@st.composite
def token_lists(draw: st.DrawFn) -> bytes:
    """A list of tokens."""
    manner = draw(manners())
    return listed(draw, manner, [string(draw) for _ in range(draw(st.integers(0, 4)))])


@st.composite
def mention_lists(draw: st.DrawFn, manner: Manner) -> bytes:
    """A list of mentions, written in this manner."""
    return listed(draw, manner, [mention(draw, manner) for _ in range(draw(st.integers(0, 3)))])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A few documents of carob's own format, one a line."""
    manner = draw(manners())
    in_tokens = draw(st.booleans())
    lines = []
    for number in range(draw(st.integers(1, 3))):
        words = [b'"Ann"', b'"met"', b'"Bo"', string(draw)]
        text = b'"Ann met Bo ' + string(draw)[1:]
        values = {
            b"tokens" if in_tokens else b"text": listed(draw, manner, words) if in_tokens else text,
            b"mentions": draw(mention_lists(manner)),
        }
        others = {
            b"id": b'"%d"' % number,
            b"sentences": b"[0, 2]",
            b"tokens": listed(draw, manner, words),
            b"text": text,
            b"templates": b'[{"slots": {"tokens": ["a:b"]}}]',
            b"note": b"1",
        }
        for key in draw(st.lists(st.sampled_from(sorted(others)), max_size=1)):
            values.setdefault(key, others[key])
        pairs = [pair(draw, manner, key, value) for key, value in values.items()]
        lines.append(_framed(draw, manner, pairs, b"{}"))
    return _mostly(draw, (b"\n",), (b"\r\n", b"\n\n", b"\n \t\r\n", b" \n", b"\n\n\n"), 5).join(
        lines
    )
