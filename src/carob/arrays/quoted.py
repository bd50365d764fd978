"""Where the strings of JSON text are: found in all of the text at once, and not decoded.

The text must be valid JSON, or several values with white space between them, and end in PAD bytes
that are none of it.
"""

from __future__ import annotations

import numpy as np

from carob.arrays.types import BoolArray, ByteArray, IntArray

_QUOTE, _BACKSLASH = ord('"'), ord("\\")


def quoted(buffer: ByteArray) -> tuple[IntArray, IntArray]:
    """Where each string begins and ends, without its quotes.

    >>> quoted(np.frombuffer(b'["a", "say \\\\"b\\\\"", ""]', np.uint8))
    (array([ 2,  7, 20]), array([ 3, 16, 20]))
    """
    is_quote = buffer == _QUOTE
    is_quote[escapes(buffer) + 1] = False
    places = np.flatnonzero(is_quote)
    return places[::2] + 1, places[1::2]


def escapes(buffer: ByteArray) -> IntArray:
    r"""Where escapes begin: at each backslash that is not itself escaped.

    >>> escapes(np.frombuffer(rb'["a\\", "\"", "\\\n"]', np.uint8))
    array([ 3,  9, 15, 17])
    """
    place = np.flatnonzero(buffer == _BACKSLASH)
    begins_run = np.diff(place, prepend=-2) > 1
    run = place[begins_run][np.cumsum(begins_run) - 1]
    begins_escape: BoolArray = (place - run) % 2 == 0
    return place[begins_escape]
