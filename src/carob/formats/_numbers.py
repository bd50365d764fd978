"""Numbers and lists of positions in bytes, a whole column at a time."""

from __future__ import annotations

import numpy as np

from carob.arrays.types import BoolArray, ByteArray, IntArray
from carob.corpus.tables import Fragments

LARGEST = 2**31 - 2
"""The last position there can be: its end still fits in 32 bits."""

_DIGITS = 10
_SPACE, _ZERO = 32, 48


def trimmed(buffer: ByteArray, start: IntArray, end: IntArray) -> tuple[IntArray, IntArray]:
    """The same stretches without the spaces around them; the buffer must not end in them.

    >>> trimmed(np.frombuffer(b" 7 .", np.uint8), np.array([0]), np.array([3]))
    (array([1]), array([2]))
    """
    start, end = start.copy(), end.copy()
    rest = np.flatnonzero((start < end) & (buffer[start] == _SPACE))
    while rest.size:
        start[rest] += 1
        rest = rest[(start[rest] < end[rest]) & (buffer[start[rest]] == _SPACE)]
    rest = np.flatnonzero((start < end) & (buffer[end - 1] == _SPACE))
    while rest.size:
        end[rest] -= 1
        rest = rest[(start[rest] < end[rest]) & (buffer[end[rest] - 1] == _SPACE)]
    return start, end


def numbers(buffer: ByteArray, start: IntArray, end: IntArray) -> tuple[IntArray, BoolArray]:
    """The number that each stretch spells, and whether it spells one from 0 to LARGEST.

    >>> text = np.frombuffer(b"12,-1,x.", np.uint8)
    >>> numbers(text, np.array([0, 3, 6]), np.array([2, 5, 7]))
    (array([12,  0,  0]), array([ True, False, False]))
    """
    start, end = trimmed(buffer, start, end)
    length = end - start
    good = (length > 0) & (length <= _DIGITS)
    value = np.zeros(len(start), np.int64)
    for place in range(int(length[good].max(initial=0))):
        rows = np.flatnonzero(good & (length > place))
        digit = buffer[start[rows] + place] - np.uint8(_ZERO)
        good[rows[digit > 9]] = False
        value[rows] = value[rows] * 10 + digit
    good &= value <= LARGEST
    value[~good] = 0
    return value, good


def gathered(row: IntArray, position: IntArray, rows: int) -> tuple[Fragments, BoolArray]:
    """The fragments of each row that covers these positions, and which rows name one twice.

    >>> fragments, twice = gathered(np.array([0, 0, 0]), np.array([7, 4, 5]), 1)
    >>> fragments.of(0), twice
    (((4, 6), (7, 8)), array([False]))
    """
    down = (row[1:] == row[:-1]) & (position[1:] < position[:-1])
    if down.any() or np.any(row[1:] < row[:-1]):
        order = np.lexsort((position, row))
        row, position = row[order], position[order]
    step, same = np.diff(position), row[1:] == row[:-1]
    twice = np.zeros(rows, bool)
    twice[row[1:][same & (step == 0)]] = True
    opens = np.ones(len(row) + 1, bool)
    opens[1:-1] = ~same | (step > 1)
    at = np.flatnonzero(opens)
    counts = np.bincount(row[at[:-1]], minlength=rows)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return Fragments(offsets, position[at[:-1]], position[at[1:] - 1] + 1), twice


def merged(row: IntArray, start: IntArray, end: IntArray, rows: int) -> tuple[Fragments, BoolArray]:
    """The fragments of each row, sorted, touching ones as one, and in which rows two overlap.

    >>> fragments, wrong = merged(np.zeros(3, int), np.array([4, 0, 2]), np.array([8, 2, 3]), 1)
    >>> fragments.of(0), wrong
    (((0, 3), (4, 8)), array([False]))
    """
    order = np.lexsort((start, row))
    row, start, end = row[order], start[order], end[order]
    same = row[1:] == row[:-1]
    wrong = np.zeros(rows, bool)
    wrong[row[1:][same & (start[1:] < end[:-1])]] = True
    opens = np.ones(len(row) + 1, bool)
    opens[1:-1] = ~same | (start[1:] != end[:-1])
    at = np.flatnonzero(opens)
    counts = np.bincount(row[at[:-1]], minlength=rows)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return Fragments(offsets, start[at[:-1]], end[at[1:] - 1]), wrong
