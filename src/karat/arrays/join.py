"""Join two tables on equal keys, one-to-one: exact matching, with duplicates as multisets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from karat.nouns._types import IntArray

_BITS = 62


def packed(left: Sequence[IntArray], right: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    """Several columns of whole numbers from 0 up as one, for both tables alike.

    The first column weighs most, so rows that are sorted stay sorted.

    >>> packed([np.array([1]), np.array([2])], [np.array([1]), np.array([3])])
    (array([6]), array([7]))
    """
    n, m = len(left[0]), len(right[0])
    one, other = np.zeros(n, np.int64), np.zeros(m, np.int64)
    used = 0
    for a, b in zip(left, right, strict=True):
        top = max(int(a.max(initial=0)), int(b.max(initial=0)))
        bits = top.bit_length()
        if used + bits > _BITS:
            _, ranks = np.unique(np.concatenate([one, other]), return_inverse=True)
            one, other = ranks[:n], ranks[n:]
            used = max(int(ranks.max(initial=0)), 1).bit_length()
        one, other = (one << bits) | a, (other << bits) | b
        used += bits
    return one, other


def join(left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
    """Pairs of rows with equal keys: the first with the first of each key, and so on.

    Sorted keys cost one merge.

    >>> join(np.array([3, 5, 5, 9]), np.array([5, 5, 5, 9]))
    (array([1, 2, 3]), array([0, 1, 3]))
    """
    n = len(left)
    keys = np.concatenate([left, right])
    order = np.argsort(keys, kind="stable")
    ranked = keys[order]
    # Within a run of equal keys the left rows stand first; the k-th left row of a run of a left
    # and b right rows pairs with the one a places on.
    is_left = order < n
    starts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1])) if len(keys) else keys
    sizes = np.diff(np.append(starts, len(keys)))
    lefts = np.add.reduceat(is_left, starts, dtype=np.int64) if len(starts) else sizes
    pairs = np.minimum(lefts, sizes - lefts)
    where = np.repeat(starts, pairs) + _within(pairs)
    return order[where], order[where + np.repeat(lefts, pairs)] - n


def _within(counts: IntArray) -> IntArray:
    """0, 1, ... counts[0]-1, 0, 1, ... counts[1]-1, and so on."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)


def every(
    left: IntArray, right: IntArray, largest: int = 2**62
) -> tuple[IntArray, IntArray] | None:
    """All pairs of rows with equal keys, by left row, then right; None if more than `largest`.

    >>> every(np.array([5, 3]), np.array([3, 5, 5]))
    (array([0, 0, 1]), array([1, 2, 0]))
    """
    order = np.argsort(right, kind="stable")
    ranked = right[order]
    low, high = np.searchsorted(ranked, left), np.searchsorted(ranked, left, side="right")
    counts = high - low
    if int(counts.sum()) > largest:
        return None
    where = np.repeat(low, counts) + _within(counts)
    return np.repeat(np.arange(len(left)), counts), order[where]


def rest(size: int, taken: IntArray) -> IntArray:
    """The rows of a table of `size` that were not taken, in order.

    >>> rest(4, np.array([2, 0]))
    array([1, 3])
    """
    left = np.ones(size, bool)
    left[taken] = False
    return np.flatnonzero(left)


def distinct(keys: IntArray) -> IntArray:
    """Every key once, sorted; where most keys are different, faster than NumPy's hashing.

    >>> distinct(np.array([5, 3, 5]))
    array([3, 5])
    """
    if np.any(keys[1:] < keys[:-1]):
        keys = np.sort(keys)
    return keys[np.append(True, keys[1:] != keys[:-1])] if len(keys) else keys
