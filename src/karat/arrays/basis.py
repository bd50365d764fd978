"""Basis: of many lines of whole numbers, the few of which all others are sums.

Event spaces count much of the same: what one calls right and wrong adds up to the mentions that
another counts, and the sum over labels to the total. Who multiplies all those lines with a large
matrix needs to multiply only a basis of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from karat.nouns._dataclass import dataclass
from karat.nouns._types import BoolArray, FloatArray, IntArray

Lines = Sequence[FloatArray] | FloatArray
"""Rows of numbers of one length."""

_MARGIN = 24
_LARGEST = 8.0
_ZERO = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """`kept` are the lines to multiply. `made` has for each other line the places in `kept` of
    the lines it is made of, and how many times each goes into it.
    """

    kept: IntArray
    made: dict[int, tuple[IntArray, FloatArray]]

    def line(self, which: int, place: IntArray, kept: FloatArray) -> FloatArray:
        """One of all lines, out of the kept ones; `place` says where in `kept` a line is."""
        if which in self.made:
            return combined(kept, *self.made[which])
        found: FloatArray = kept[place[which]]
        return found

    @property
    def places(self) -> IntArray:
        """For each line its place in `kept`, -1 if it is not."""
        found = np.full(len(self.kept) + len(self.made), -1)
        found[self.kept] = np.arange(len(self.kept))
        return found


def combined(lines: Lines, rows: IntArray, factors: FloatArray) -> FloatArray:
    """A sum of lines, each taken so many times.

    >>> combined(np.array([[1.0, 2.0], [5.0, 5.0]]), np.array([1, 0]), np.array([1.0, -2.0]))
    array([3., 1.])
    """
    terms = zip(rows.tolist(), factors.tolist(), strict=True)
    parts = [lines[row] if factor == 1 else factor * lines[row] for row, factor in terms]
    found: FloatArray = sum(parts[1:], parts[0]) if parts else np.zeros(len(lines[0]))
    return found


def whole_basis(width: int) -> Basis:
    """The basis that keeps every line."""
    return Basis(np.arange(width), {})


def basis(blocks: Iterable[Lines]) -> Basis:
    """A basis of lines that come in blocks of columns, which are iterated over more than once.

    It is guessed from some columns and then checked on all: a line is left out only if it is,
    number by number, the sum that is said. Of lines that are not whole, only repeated ones are
    left out.

    >>> a, b = np.arange(100.0) % 7, np.arange(100.0) % 5
    >>> lines = np.stack([a, b, a, a - 2 * b])
    >>> found = basis([lines])
    >>> found.kept, {line: (rows, n) for line, (rows, n) in found.made.items()}[3]
    (array([0, 1]), (array([0, 1]), array([ 1., -2.])))
    """
    lines = next(iter(blocks))
    width, sample = len(lines), _sample(lines)
    if sample is None:
        return whole_basis(width)
    first, same = _distinct(sample)
    whole = (np.rint(sample) == sample).all(axis=1)
    there = np.array([line for line in first if whole[line]], np.int64)
    sample = sample[:, :: max(1, sample.shape[1] // (len(there) + _MARGIN))]
    free = _independent(sample[there])
    rows = there[free]
    made: dict[int, tuple[IntArray, FloatArray]] = {}
    factors = _factors(sample[rows], sample[there[~free]])
    for line, column in zip(there[~free].tolist(), factors.T, strict=True):
        some = np.flatnonzero(column)
        if (np.abs(column) <= _LARGEST).all():
            made[line] = rows[some], column[some]
    for line, other in same.items():
        made[line] = made.get(other, (np.array([other]), np.ones(1)))
    for lines in blocks:
        # What is made of whole lines is as exact as they are.
        whole[rows] &= [bool((np.rint(lines[row]) == lines[row]).all()) for row in rows.tolist()]
        made = {
            line: (some, n) for line, (some, n) in made.items()
            if (whole[some].all() or n.tolist() == [1]) and _holds(lines, line, some, n)
        }  # fmt: skip
    kept = np.array([line for line in range(width) if line not in made])
    place = np.full(width, -1)
    place[kept] = np.arange(len(kept))
    return Basis(kept, {line: (place[some], n) for line, (some, n) in made.items()})


def _sample(lines: Lines) -> FloatArray | None:
    """Columns from all over, more than there are lines; None if there are too few to tell."""
    size, there = 2 * len(lines) + _MARGIN, len(lines[0]) if len(lines) else 0
    if there < 2 * size:
        return None
    some = np.linspace(0, there - 1, size).astype(int)
    return np.array([line[some] for line in lines])


def _distinct(sample: FloatArray) -> tuple[list[int], dict[int, int]]:
    """The first of all lines that look the same, and for each other line which that is."""
    seen: dict[bytes, int] = {}
    same = {}
    for line, numbers in enumerate(sample):
        first = seen.setdefault(numbers.tobytes(), line)
        if first != line:
            same[line] = first
    return list(seen.values()), same


def _independent(lines: FloatArray) -> BoolArray:
    """Which lines are no sums of lines before them."""
    size = np.abs(lines).max(axis=1, initial=0.0)
    own = np.abs(np.diagonal(np.linalg.qr(lines.T, mode="r")))
    found: BoolArray = own > _ZERO * np.maximum(size, 1.0)
    return found


def _factors(rows: FloatArray, others: FloatArray) -> FloatArray:
    """How many times each row goes into the others, to the half."""
    if not len(rows) or not len(others):
        return np.zeros((len(rows), len(others)))
    q, r = np.linalg.qr(rows.T)
    found: FloatArray = np.rint(2 * np.linalg.solve(r, q.T @ others.T)) / 2
    return found


def _holds(lines: Lines, line: int, rows: IntArray, factors: FloatArray) -> bool:
    """Whether a line is what it is said to be, in every column."""
    return np.array_equal(lines[line], combined(lines, rows, factors))
