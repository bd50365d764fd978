"""Cover: which stretches of a line the intervals of two sides cover, and how often.

Intervals are half-open. To get a cover for each document and label, put all of them on one line,
end to end, so that intervals of different ones cannot meet.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from carob.arrays.ranges import rows_of
from carob.arrays.types import FloatArray, IntArray

# End points are of four kinds: an interval of the left side begins or ends, or one of the right.
_LEFT_STEPS, _RIGHT_STEPS = np.array([1, -1, 0, 0]), np.array([0, 0, 1, -1])


class Stretches(NamedTuple):
    """Stretches `[begin, end)` in which no interval begins or ends, from left to right.

    `left` and `right` say how many intervals of each side cover a stretch (never 0 on both);
    `left_row` and `right_row` are one such interval each: of those that cover it, the one that
    reaches furthest, and among these the one that begins first. -1 is none.
    """

    begin: IntArray
    end: IntArray
    left: IntArray
    right: IntArray
    left_row: IntArray
    right_row: IntArray


def cover(left: tuple[IntArray, IntArray], right: tuple[IntArray, IntArray]) -> Stretches:
    """The stretches that two sides, each a pair of begins and ends, cover.

    The length of a union is the sum over all stretches, of an intersection over those that both
    sides cover, with multiplicities over `minimum(left, right)` times the length. End points are
    sorted and swept once: the work depends on the number of intervals, not on their lengths. An
    empty interval covers nothing. Intervals that come sorted cost a merge.

    >>> stretches = cover((np.array([0, 6]), np.array([4, 8])), (np.array([2]), np.array([7])))
    >>> np.stack([stretches.begin, stretches.end, stretches.left, stretches.right])
    array([[0, 2, 4, 6, 7],
           [2, 4, 6, 7, 8],
           [1, 1, 0, 1, 1],
           [0, 1, 1, 1, 0]])
    >>> stretches.left_row, stretches.right_row
    (array([ 0,  0, -1,  1,  1]), array([-1,  0,  0,  0, -1]))
    """
    left_begin, left_end, left_furthest = _sorted(*left)
    right_begin, right_end, right_furthest = _sorted(*right)
    # The kind of an end point is in its two lowest bits, so that sorting numbers is enough.
    points = np.concatenate([left_begin, left_end, right_begin, right_end])
    points <<= 2
    points |= np.repeat(np.arange(4), [len(left_begin)] * 2 + [len(right_begin)] * 2)
    points.sort(kind="stable")
    kind, place = points & 3, points >> 2
    left_depth, right_depth = np.cumsum(_LEFT_STEPS[kind]), np.cumsum(_RIGHT_STEPS[kind])
    covered = (left_depth > 0) | (right_depth > 0)
    at = np.flatnonzero((place[1:] > place[:-1]) & covered[:-1])
    left_row, right_row = (
        np.where(depth[at] > 0, np.append(furthest, -1)[np.cumsum(kind == begins)[at] - 1], -1)
        for depth, furthest, begins in (
            (left_depth, left_furthest, 0),
            (right_depth, right_furthest, 2),
        )
    )
    return Stretches(place[at], place[at + 1], left_depth[at], right_depth[at], left_row, right_row)


def _sorted(begin: IntArray, end: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Intervals sorted by their begin; and for each, which of those up to it reaches furthest."""
    order = np.arange(len(begin))
    if (begin[1:] < begin[:-1]).any():
        order = np.argsort(begin, kind="stable")
        begin, end = begin[order], end[order]
    if (end[1:] <= end[:-1]).any():
        reach = np.maximum.accumulate(end)
        further = np.append(True, reach[1:] > reach[:-1])
        order = order[np.maximum.accumulate(np.where(further, np.arange(len(end)), 0))]
    return begin.astype(np.int64, copy=False), end.astype(np.int64, copy=False), order


def lengths(begin: IntArray, end: IntArray, weights: FloatArray) -> FloatArray:
    """The total weight of each stretch, if each position has a weight.

    >>> lengths(np.array([0, 1, 2]), np.array([2, 4, 2]), np.array([1.0, 2.0, 4.0, 8.0]))
    array([ 3., 14.,  0.])
    """
    # Each stretch is summed separately: a difference of two sums from the start of the corpus would
    # lose digits in large corpora.
    some = np.flatnonzero(end > begin)
    sizes = (end - begin)[some]
    places = rows_of(begin[some], sizes)
    sums = np.zeros(len(begin))
    if len(some):
        sums[some] = np.add.reduceat(weights[places], np.cumsum(sizes) - sizes)
    return sums
