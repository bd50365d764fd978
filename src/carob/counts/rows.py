"""Rows: what a score is a function of, unit by unit. Its sums are all that a score needs.

Every score is a function of the column sums of some rows, one row for each document. A resample
weighs the rows, leaving a document out subtracts its row, a randomization test exchanges rows: no
statistic ever looks at anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from carob.arrays.columns import stretches
from carob.arrays.sums import split
from carob.arrays.types import FloatArray, IntArray

BLOCK = 1 << 22
"""How many numbers are spread out at a time."""


class Rows(Protocol):
    """A matrix of units x columns, made block by block."""

    @property
    def units(self) -> int:
        """How many rows."""
        ...

    @property
    def width(self) -> int:
        """How many columns."""
        ...

    def block(self, index: IntArray) -> FloatArray:
        """The rows `index`."""
        ...


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dense:
    """Rows that are a matrix already.

    >>> Dense(np.eye(3)).block(np.array([2]))
    array([[0., 0., 1.]])
    """

    values: FloatArray

    @property
    def units(self) -> int:
        """How many rows."""
        return len(self.values)

    @property
    def width(self) -> int:
        """How many columns."""
        return int(self.values.shape[1])

    def block(self, index: IntArray) -> FloatArray:
        """The rows `index`."""
        return self.values[index]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Statistic:
    """A score, or several at once, as a function of column sums.

    `value` takes sums (draws x columns) and returns scores (draws x `size`). Statistics that share
    their rows share the work.

    >>> share = Statistic(Dense(np.array([[1.0, 2.0], [3.0, 4.0]])), lambda s: s[:, :1] / s[:, 1:])
    >>> share.point().round(3)
    array([0.667])
    """

    rows: Rows
    value: Callable[[FloatArray], FloatArray]
    columns: tuple[IntArray, ...] | None = None
    """For each score the columns it is a function of, where these are not all."""
    each: Callable[[int], Statistic] | None = None
    """Then, the statistic of each score by itself, of these columns."""

    def alone(self, place: int) -> Statistic:
        """The statistic of one score by itself."""
        assert self.each is not None, "a score with columns of its own can be had by itself"
        return self.each(place)

    def point(self) -> FloatArray:
        """The scores of the data as they are."""
        found: FloatArray = self.value(summed(self.rows)[None])[0]
        return found


def summed(rows: Rows, weights: FloatArray | None = None) -> FloatArray:
    """The column sums, or with `weights` (draws x units) one line of sums for each draw.

    >>> summed(Dense(np.array([[1.0], [2.0]]))), summed(Dense(np.eye(2)), np.array([[0.0, 2.0]]))
    (array([3.]), array([[0., 2.]]))
    """
    if weights is None:
        own = getattr(rows, "totals", None) or totals(rows)
        return own[0] + own[1]
    total = np.zeros((len(weights), rows.width))
    rest = np.zeros_like(total)
    for index in _blocks(rows):
        coarse, fine = split(rows.block(index))
        part = weights[:, index]
        total += part @ coarse
        rest += 0.0 if fine is None else part @ fine
    return total + rest


def totals(rows: Rows) -> tuple[FloatArray, FloatArray]:
    """The column sums in two parts, each of them exact.

    >>> totals(Dense(np.array([[1.0], [2.0]])))
    (array([3.]), array([0.]))
    """
    total, rest = np.zeros(rows.width), np.zeros(rows.width)
    for index in _blocks(rows):
        coarse, fine = split(rows.block(index))
        total += coarse.sum(axis=0)
        rest += 0.0 if fine is None else fine.sum(axis=0)
    return total, rest


def _blocks(rows: Rows) -> Iterator[IntArray]:
    step = max(1, BLOCK // max(rows.width, 1))
    for first in range(0, rows.units, step):
        yield np.arange(first, min(first + step, rows.units))


def grid_totals(
    grid: Sequence[FloatArray], size: FloatArray | None, *, labels: bool
) -> tuple[FloatArray, FloatArray]:
    """The sums over units of a grid (units x labels for each outcome), for each outcome and label
    or with the labels added up; then that of `size`, if there is one. In two parts, each of them
    exact; no table of all is made.

    >>> grid_totals([np.ones((5, 3))] * 2, None, labels=False)
    (array([15., 15.]), array([0., 0.]))
    """
    parts = []
    for units in stretches(max(len(grid[0]), 1), sum(outcome.shape[1] for outcome in grid)):
        part = np.array([outcome[units].T for outcome in grid], np.float64)
        lines = np.concatenate(part) if labels else part.sum(axis=1)
        if size is not None:
            lines = np.concatenate([lines, size[None, units]])
        coarse, fine = split(lines)
        sums = coarse.sum(axis=1)
        parts.append((sums, np.zeros_like(sums) if fine is None else fine.sum(axis=1)))
    total, rest = (np.sum(each, axis=0) for each in zip(*parts, strict=True))
    return total, rest
