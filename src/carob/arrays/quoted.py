"""Where the strings of JSON text are: found in all of the text at once, and not decoded.

The text must be valid JSON, or several values one after the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from carob.arrays.types import BoolArray, ByteArray, IntArray

_QUOTE, _BACKSLASH = ord('"'), ord("\\")


class Quoted(NamedTuple):
    """Where each string begins and ends, without its quotes, and where the escapes of all strings
    begin.
    """

    start: IntArray
    end: IntArray
    escapes: IntArray


def quoted(buffer: ByteArray) -> Quoted:
    """The strings in a text.

    >>> start, end, escapes = quoted(np.frombuffer(b'["a", "say \\\\"b\\\\"", ""]', np.uint8))
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
    first = place[opens_row][np.cumsum(opens_row) - 1]
    opens_escape: BoolArray = (place - first) % 2 == 0
    return place[opens_escape]
