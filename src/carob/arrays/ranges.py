"""Ranges of rows laid end to end, and places of rows in their groups."""

from __future__ import annotations

import numpy as np

from carob.arrays.types import BoolArray, IntArray


def rows_of(first: IntArray | int, count: IntArray) -> IntArray:
    """The rows of ranges, end to end: `count[i]` of them from `first[i]` on. From 0 on, they are
    the places within the ranges.

    >>> rows_of(np.array([5, 9]), np.array([2, 1])), rows_of(0, np.array([2, 1]))
    (array([5, 6, 9]), array([0, 1, 0]))
    """
    rows = np.repeat(first - _starts(count), count)
    rows += np.arange(len(rows))  # in a range, the row and its place in the result grow together
    return rows


def owners_and_rows(first: IntArray | int, count: IntArray) -> tuple[IntArray, IntArray]:
    """The rows of ranges, end to end, after the number of the range that each is in.

    >>> owners_and_rows(np.array([5, 9]), np.array([2, 1]))
    (array([0, 0, 1]), array([5, 6, 9]))
    """
    owner = np.repeat(np.arange(len(count)), count)
    rows = (first - _starts(count))[owner]  # of short ranges faster than to repeat again
    rows += np.arange(len(rows))
    return owner, rows


def place_in_group(group: IntArray) -> IntArray:
    """For each row, how many rows before it are in its group.

    >>> place_in_group(np.array([7, 2, 7, 7]))
    array([0, 0, 1, 2])
    """
    order = np.argsort(group, kind="stable")
    place = np.empty(len(group), np.int64)
    place[order] = rows_of(0, _run_lengths(group[order]))
    return place


def sum_before(group: IntArray, size: IntArray | BoolArray) -> IntArray:
    """For each row, the sizes of the rows before it in its run of one group.

    >>> sum_before(np.array([4, 4, 4, 3]), np.array([5, 1, 1, 1]))
    array([0, 5, 6, 0])
    """
    before = np.cumsum(size, dtype=np.int64) - size
    length = _run_lengths(group)
    return before - np.repeat(before[_starts(length)], length)


def _starts(count: IntArray) -> IntArray:
    """Where ranges begin that are laid end to end."""
    starts = np.cumsum(count, dtype=np.int64)
    starts -= count
    return starts


def _run_lengths(group: IntArray) -> IntArray:
    """How long the runs of equal neighbours are."""
    ends = np.flatnonzero(np.append(group[1:] != group[:-1], len(group) > 0)) + 1
    return np.diff(ends, prepend=0)
