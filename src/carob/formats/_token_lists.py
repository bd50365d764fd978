"""Lists of tokens in JSON: counted and hashed as they are written, most without being decoded.

Millions of tokens would be millions of small objects, which are made, hashed once and forgotten.
Lists that are written in an unusual way are decoded; the result is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from carob.arrays.hashing import PAD, hash_lists, hash_runs, hash_stretches, hash_words
from carob.arrays.quoted import Quoted, quoted
from carob.arrays.types import BoolArray, ByteArray, HashArray, IntArray

_COMMA, _COLON = ord(","), ord(":")
_FEW = 0.25
"""If a larger share of the tokens has escapes, it is faster to decode all of them."""


class TokenLists(NamedTuple):
    """How many tokens each list has, its hash, and how many colons are in all of them."""

    sizes: IntArray
    hashes: HashArray
    colons: int


def token_lists(lists: Sequence[bytes]) -> TokenLists | None:
    """The tokens of these JSON values; None if one of them is not a list of strings.

    >>> found = token_lists([b'["Ann", "Lee"]', b"[]"])
    >>> found.sizes.tolist(), found.hashes.tolist() == hash_lists([["Ann", "Lee"], []]).tolist()
    ([2, 0], True)
    >>> token_lists([b'["Ann", 5]']) is None
    True
    """
    data = b"".join([*lists, bytes(PAD)])
    buffer = np.frombuffer(data, np.uint8)
    try:
        data.decode()  # the decoder would only check what it decodes
        bounds = np.cumsum([0, *map(len, lists)])
        found = _as_written(data, buffer, bounds) or _decoded(lists)
    except ValueError:
        return None
    return TokenLists(*found, int(np.count_nonzero(buffer == _COLON)))


@cache
def _decoder(kind: Any) -> Any:
    import msgspec  # only JSON needs it

    return msgspec.json.Decoder(kind)


def _decoded(lists: Sequence[bytes]) -> tuple[IntArray, HashArray]:
    """Size and hash of each list, however it is written."""
    tokens = _decoder(list[list[str]]).decode(b"[" + b",".join(lists) + b"]")
    return np.array([len(each) for each in tokens], np.int64), hash_lists(tokens)


def _as_written(
    data: bytes, buffer: ByteArray, bounds: IntArray
) -> tuple[IntArray, HashArray] | None:
    """Size and hash of each list, if all are written as usual, and few tokens have escapes."""
    strings = quoted(buffer)
    start, end, escapes = strings
    first = np.searchsorted(start, bounds)
    rows = np.searchsorted(start, escapes, side="right") - 1
    rows = rows[np.diff(rows, prepend=-1) > 0]
    if len(rows) > _FEW * len(start) or not _are_usual(buffer, strings, bounds, first):
        return None
    values = hash_stretches(buffer, start, end)
    if len(rows):
        places = zip(start[rows].tolist(), end[rows].tolist(), strict=True)
        escaped = b'","'.join([data[low:high] for low, high in places])
        values[rows] = hash_words(_decoder(list[str]).decode(b'["' + escaped + b'"]'))
    sizes = np.diff(first)
    return sizes, hash_runs(values, sizes)


def _are_usual(buffer: ByteArray, strings: Quoted, bounds: IntArray, first: IntArray) -> bool:
    """Whether each value is a list of strings, with a comma and at most one space between them.

    It is enough that one sign comes before the first string, one after the last, and between two
    of them a comma and at most one more sign. That sign can only be white space: a list or an
    object that it opened would have to end before the last string or together with it.
    """
    begin, stop = bounds[:-1], bounds[1:]
    filled: BoolArray = first[:-1] < first[1:]
    opening, closing = first[:-1][filled], first[1:][filled] - 1
    goes_on = buffer[strings.end[:-1] + 1] == _COMMA
    goes_on &= strings.start[1:] - strings.end[:-1] <= len('", "')
    goes_on[closing[:-1]] = True
    return bool(
        goes_on.all()
        and (strings.start[opening] - begin[filled] == len('["')).all()
        and (stop[filled] - strings.end[closing] == len('"]')).all()
        and (stop[~filled] - begin[~filled] == len("[]")).all()
        and (buffer[begin[~filled]] == ord("[")).all()
    )
