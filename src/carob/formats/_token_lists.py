"""Lists of tokens in JSON: counted and hashed as they are written, most without being decoded.

Millions of tokens would be millions of small objects, which are made, hashed once and forgotten.
Lists that are written in an unusual way are decoded; the result is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from carob.arrays.hashing import PAD, hash_lists, hash_runs, hash_stretches, hash_words
from carob.arrays.quoted import escapes, quoted
from carob.arrays.types import ByteArray, HashArray, IntArray

_COMMA = ord(",")
_MOSTLY_PLAIN = 4
"""If one token of so many has an escape, to decode all of them is faster than to pick these out."""


def sizes_and_hashes(lists: Sequence[bytes]) -> tuple[IntArray, HashArray] | None:
    """How many tokens each list has, and its hash; None if one is not a list of strings. Each must
    be a JSON value.

    >>> sizes, hashes = sizes_and_hashes([b'["Ann", "Lee"]', b"[]"])
    >>> sizes.tolist(), hashes.tolist() == hash_lists([["Ann", "Lee"], []]).tolist()
    ([2, 0], True)
    >>> sizes_and_hashes([b'["Ann", 5]']) is None
    True
    """
    data = b"".join([*lists, bytes(PAD)])
    try:
        data.decode()  # without this, only tokens that are decoded would be checked
        return _as_written(data, [len(each) for each in lists]) or _by_decoding(lists)
    except ValueError:
        return None


@cache
def _decoder(kind: Any) -> Any:
    import msgspec  # only JSON needs it

    return msgspec.json.Decoder(kind)


def _by_decoding(lists: Sequence[bytes]) -> tuple[IntArray, HashArray]:
    tokens = _decoder(list[list[str]]).decode(b"[" + b",".join(lists) + b"]")
    return np.array([len(each) for each in tokens], np.int64), hash_lists(tokens)


def _as_written(data: bytes, lengths: Sequence[int]) -> tuple[IntArray, HashArray] | None:
    """The same, if nothing but a comma and at most one space is between tokens, and few of them
    have escapes.
    """
    buffer = np.frombuffer(data, np.uint8)
    start, end = quoted(buffer)
    bounds = np.cumsum([0, *lengths])
    first = np.searchsorted(start, bounds)
    if not _are_plain_lists(buffer, start, end, bounds, first):
        return None
    values = hash_stretches(buffer, start, end)
    rows = np.unique(np.searchsorted(start, escapes(buffer), side="right") - 1)
    if len(rows) * _MOSTLY_PLAIN > len(start):
        return None
    if len(rows):
        places = zip(start[rows].tolist(), end[rows].tolist(), strict=True)
        coded = b'","'.join([data[low:high] for low, high in places])
        values[rows] = hash_words(_decoder(list[str]).decode(b'["' + coded + b'"]'))
    sizes = np.diff(first)
    return sizes, hash_runs(values, sizes)


def _are_plain_lists(
    buffer: ByteArray, start: IntArray, end: IntArray, bounds: IntArray, first: IntArray
) -> bool:
    """Whether each value is a list of strings: the first begins after one sign, only one sign comes
    after the last, and a comma after each other, then at most one more sign. Such a sign can only
    be white space: if it opened a list or an object, that could not end before the last string.
    """
    begin, stop = bounds[:-1], bounds[1:]
    filled = first[:-1] < first[1:]
    opening, closing = first[:-1][filled], first[1:][filled] - 1
    goes_on = (buffer[end + 1] == _COMMA)[:-1] & (start[1:] - end[:-1] <= len('", "'))
    goes_on[closing[:-1]] = True
    return bool(
        goes_on.all()
        and (start[opening] - begin[filled] == len('["')).all()
        and (stop[filled] - end[closing] == len('"]')).all()
        and (stop[~filled] - begin[~filled] == len("[]")).all()
        and (buffer[begin[~filled]] == ord("[")).all()
    )
