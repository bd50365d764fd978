"""Strings, numbers, keys and lists of JSON text: found in all of the text at once, and not decoded.

The text must be valid JSON, or several values one after the other, with PAD more bytes after them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from carob.arrays.hashing import PAD
from carob.arrays.types import BoolArray, ByteArray, IntArray

_QUOTE, _BACKSLASH, _COLON, _COMMA = b'"\\:,'
_MOST_DIGITS = 9
_SPACE_AFTER_QUOTE = re.compile(rb'"[ \t\r]+')


class Quoted(NamedTuple):
    """Where each string begins and ends, without its quotes, and where the escapes of all strings
    begin.
    """

    start: IntArray
    end: IntArray
    escapes: IntArray


def padded(*texts: bytes) -> ByteArray:
    """The bytes of texts, one after the other, with PAD more.

    >>> len(padded(b"[]", b"{}")) - PAD
    4
    """
    return np.frombuffer(b"".join([*texts, bytes(PAD)]), np.uint8)


def bytes_between(buffer: ByteArray, start: IntArray, end: IntArray) -> list[bytes]:
    """The bytes between these places.

    >>> bytes_between(padded(b"abc"), np.array([1]), np.array([3]))
    [b'bc']
    """
    data = buffer.data
    return [bytes(data[a:b]) for a, b in zip(start.tolist(), end.tolist(), strict=True)]


def is_utf8(buffer: ByteArray) -> bool:
    """Whether bytes are UTF-8. Only characters other than ASCII can be wrong, and which byte comes
    after them; there are few of these in most files.

    >>> is_utf8(padded("né".encode())), is_utf8(padded("né".encode("latin-1")))
    (True, False)
    """
    suspect = buffer > 127
    suspect[1:] |= suspect[:-1]
    try:
        buffer[suspect].tobytes().decode()
    except UnicodeDecodeError:
        return False
    return True


def quoted(buffer: ByteArray) -> Quoted:
    """The strings in a text.

    >>> start, end, escapes = quoted(padded(b'["a", "say \\\\"b\\\\"", ""]'))
    >>> start.tolist(), end.tolist(), escapes.tolist()
    ([2, 7, 20], [3, 16, 20], [11, 14])
    """
    escapes = _escapes(buffer)
    is_quote = buffer == _QUOTE
    is_quote[escapes + 1] = False
    places = np.flatnonzero(is_quote)
    return Quoted(places[::2] + 1, places[1::2], escapes)


def _escapes(buffer: ByteArray) -> IntArray:
    """Where escapes begin: at each backslash that is not itself escaped. In a row of backslashes,
    these are the first, the third, and so on.
    """
    place = np.flatnonzero(buffer == _BACKSLASH)
    opens_row = np.diff(place, prepend=-2) > 1
    if opens_row.all():
        return place
    first = place[opens_row][np.cumsum(opens_row) - 1]
    opens_escape: BoolArray = (place - first) % 2 == 0
    return place[opens_escape]


def whole_numbers(buffer: ByteArray, start: IntArray) -> tuple[IntArray, IntArray]:
    """The numbers whose first digits are at `start`, and where they end: where something else than
    a digit comes, or after nine digits.

    >>> numbers, end = whole_numbers(padded(b"[105, 7]"), np.array([1, 6]))
    >>> numbers.tolist(), end.tolist()
    ([105, 7], [4, 7])
    """
    number, end = np.zeros(len(start), np.int64), start.copy()
    rows = np.arange(len(start))
    for _ in range(_MOST_DIGITS):
        digit = buffer[end[rows]] - ord("0")  # what is less than "0" becomes more than 9
        rows, digit = rows[digit < 10], digit[digit < 10]
        number[rows] = 10 * number[rows] + digit
        end[rows] += 1
    return number, end


def list_sizes(
    buffer: ByteArray, start: IntArray, end: IntArray, bounds: IntArray
) -> IntArray | None:
    """How many of the values with these places each list has, if the texts between `bounds` are
    lists of just these values, with a comma and at most one space between them; otherwise None.

    The values must be whole strings or objects. It is enough that one sign comes before the first,
    one after the last, and between two of them a comma and at most one more sign. That sign can
    only be white space: a list or an object that it opened would have to end before the last value
    or together with it.

    >>> text = padded(b'["a", "b"][]')
    >>> list_sizes(text, np.array([1, 6]), np.array([4, 9]), np.array([0, 10, 12]))
    array([2, 0])
    """
    first = np.searchsorted(start, bounds)
    filled: BoolArray = first[:-1] < first[1:]
    opening, closing = first[:-1][filled], first[1:][filled] - 1
    goes_on = buffer[end[:-1]] == _COMMA
    goes_on &= start[1:] - end[:-1] <= len(", ")
    goes_on[closing[:-1]] = True
    begin, stop = bounds[:-1], bounds[1:]
    are_lists = (
        goes_on.all()
        and (buffer[begin] == ord("[")).all()
        and (start[opening] - begin[filled] == len("[")).all()
        and (stop[filled] - end[closing] == len("]")).all()
        and (stop[~filled] - begin[~filled] == len("[]")).all()
    )
    return np.diff(first) if are_lists else None


def colons(buffer: ByteArray) -> int:
    """How many colons a text has, in strings and outside.

    >>> colons(padded(b'{"a": ":"}'))
    2
    """
    return int(np.count_nonzero(buffer == _COLON))


def more_keys(text: bytes, count: int, colons_in_strings: int = 0) -> int:
    """How many keys objects have beyond `count`, which they have at least. A decoder keeps the last
    of two equal keys, which carob refuses.

    Each key has a colon, and all other colons are in strings: at least `colons_in_strings` of them.
    Only if there are others is it necessary to look where strings end.

    >>> more_keys(b'{"a": {"b": ",:"}, "a": [":", "d"]}', 2)
    1
    """
    if colons(np.frombuffer(text, np.uint8)) == count + colons_in_strings:
        return 0
    buffer = padded(text)
    after = buffer[quoted(buffer).end + 1]
    if (after <= ord(" ")).any():
        tight = padded(_SPACE_AFTER_QUOTE.sub(b'"', text))
        after = tight[quoted(tight).end + 1]
    return int(np.count_nonzero(after == _COLON)) - count
