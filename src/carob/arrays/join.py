"""Join two tables on equal keys, one-to-one: exact matching, with duplicates as multisets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from carob.arrays.ranges import owners_and_rows, rows_of
from carob.arrays.types import IntArray

_BITS = 62


def packed(
    left: Sequence[IntArray], right: Sequence[IntArray], *, bits: Sequence[int] | None = None
) -> tuple[IntArray, IntArray]:
    """Several columns of whole numbers from 0 up as one column, in the same way for both tables.

    The first column weighs most, so rows that are sorted stay sorted. `bits` says how many each
    column needs at most, if that is known.

    >>> packed([np.array([1]), np.array([2])], [np.array([1]), np.array([3])])
    (array([6]), array([7]))
    """
    n = len(left[0])
    one, other = left[0].astype(np.int64), right[0].astype(np.int64)
    needed = list(map(bits_of, left, right)) if bits is None else bits
    used = needed[0]
    for a, b, more in zip(left[1:], right[1:], needed[1:], strict=True):
        if used + more > _BITS:
            _, both = ranked(np.concatenate([one, other]))
            one, other = both[:n], both[n:]
            used = max(int(both.max(initial=0)), 1).bit_length()
        one <<= more
        one |= a
        other <<= more
        other |= b
        used += more
    return one, other


def bits_of(a: IntArray, b: IntArray) -> int:
    """How many bits the largest number of two columns needs.

    >>> bits_of(np.array([1, 2]), np.array([4]))
    3
    """
    return max(int(a.max(initial=0)), int(b.max(initial=0))).bit_length()


def join(left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
    """Pairs of rows with equal keys: the first with the first of each key, and so on.

    Sorted keys cost one merge.

    >>> join(np.array([3, 5, 5, 9]), np.array([5, 5, 5, 9]))
    (array([1, 2, 3]), array([0, 1, 3]))
    """
    if _rises(left) and _rises(right):
        return _join_once(left, right)
    n = len(left)
    keys = np.concatenate([left, right])
    order = np.argsort(keys, kind="stable")
    ranked = keys[order]
    # Within a run of equal keys the left rows come first; in a run of a left and b right rows, the
    # k-th left row pairs with the one a places on.
    is_left = order < n
    starts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1])) if len(keys) else keys
    sizes = np.diff(np.append(starts, len(keys)))
    lefts = np.add.reduceat(is_left, starts, dtype=np.int64) if len(starts) else sizes
    pairs = np.minimum(lefts, sizes - lefts)
    where = rows_of(starts, pairs)
    return order[where], order[where + np.repeat(lefts, pairs)] - n


def _rises(keys: IntArray) -> bool:
    return not np.count_nonzero(keys[1:] <= keys[:-1])


def _join_once(left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
    """The same if both tables are sorted and have no key twice: a merge of plain numbers whose
    lowest bit says which table they come from.
    """
    keys = np.concatenate([left, right])
    keys <<= 1
    keys[len(left) :] |= 1
    keys.sort(kind="stable")
    at = np.flatnonzero((keys[1:] ^ keys[:-1]) == 1)
    keys &= 1
    rows: IntArray = at - np.cumsum(keys, out=keys)[at]
    return rows, at - rows


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
    row, where = owners_and_rows(low, counts)
    return row, order[where]


def rest(size: int, taken: IntArray) -> IntArray:
    """The rows of a table of `size` that were not taken, in order.

    >>> rest(4, np.array([2, 0]))
    array([1, 3])
    """
    left = np.ones(size, bool)
    left[taken] = False
    return left.nonzero()[0]


def distinct(keys: IntArray) -> IntArray:
    """Every key once, sorted: np.unique hashes, which is slow if most keys are different.

    >>> distinct(np.array([5, 3, 5]))
    array([3, 5])
    """
    if np.any(keys[1:] < keys[:-1]):
        keys = np.sort(keys)
    return keys[np.append(True, keys[1:] != keys[:-1])] if len(keys) else keys


def ranked(keys: IntArray) -> tuple[IntArray, IntArray]:
    """Every key once, sorted, and the place of each row's key among them.

    Keys of a narrow range are counted, which is faster than sorting them.

    >>> ranked(np.array([7, 2, 7]))
    (array([2, 7]), array([1, 0, 1]))
    """
    low = int(keys.min()) if len(keys) else 0
    size = int(keys.max(initial=low)) - low + 1
    if size > 4 * len(keys) + 1024:
        different, places = np.unique(keys, return_inverse=True)
        return different, places.reshape(-1)
    at = keys.astype(np.int64) - low if low else keys
    occurs = np.zeros(size, bool)
    occurs[at] = True
    return np.flatnonzero(occurs) + low, (np.cumsum(occurs) - 1)[at]
