"""Lists of tokens in JSON: counted and hashed as they are written, most without being decoded.

Millions of tokens would be millions of small objects, which are made, hashed once and forgotten.
Lists that are written in an unusual way are decoded; the result is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from carob.arrays.hashing import hash_lists, hash_runs, hash_stretches, hash_words
from carob.arrays.literals import bytes_between, colons, is_utf8, list_sizes, padded, quoted
from carob.arrays.types import ByteArray, HashArray, IntArray

_BACKSLASH = ord("\\")
_FEW = 1 / 50
"""If a larger share of the bytes are backslashes, it is faster to decode all tokens."""


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
    buffer, bounds = padded(*lists), np.cumsum([0, *map(len, lists)])
    if not is_utf8(buffer):  # the decoder would only check what it decodes
        return None
    try:
        sizes, hashes = _as_written(buffer, bounds) or _decoded(lists)
    except ValueError:
        return None
    return TokenLists(sizes, hashes, colons(buffer))


@cache
def _decoder(kind: Any) -> Any:
    import msgspec  # only JSON needs it

    return msgspec.json.Decoder(kind)


def _decoded(lists: Sequence[bytes]) -> tuple[IntArray, HashArray]:
    """Size and hash of each list, however it is written."""
    tokens = _decoder(list[list[str]]).decode(b"[" + b",".join(lists) + b"]")
    return np.array([len(each) for each in tokens], np.int64), hash_lists(tokens)


def _as_written(buffer: ByteArray, bounds: IntArray) -> tuple[IntArray, HashArray] | None:
    """Size and hash of each list, if all are written as usual, with few escapes."""
    if np.count_nonzero(buffer == _BACKSLASH) > _FEW * len(buffer):
        return None
    start, end, escapes = quoted(buffer)
    sizes = list_sizes(buffer, start - 1, end + 1, bounds)
    if sizes is None:
        return None
    values = hash_stretches(buffer, start, end)
    if len(escapes):
        rows = np.searchsorted(start, escapes, side="right") - 1
        rows = rows[np.diff(rows, prepend=-1) > 0]
        escaped = b'","'.join(bytes_between(buffer, start[rows], end[rows]))
        values[rows] = hash_words(_decoder(list[str]).decode(b'["' + escaped + b'"]'))
    return sizes, hash_runs(values, sizes)
