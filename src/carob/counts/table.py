"""Table: what a score is a function of, unit by unit. Its column sums are all that a score needs.

A resample weighs the rows of a table, leaving a document out subtracts its row, a randomization
test exchanges rows: no statistic ever looks at anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from carob.arrays.sums import column_sums
from carob.arrays.types import FloatArray, IntArray
from carob.counts.quantities import Quantities

TOTAL = "total"
"""What quantities call the size of an event space."""

ROUNDING = 1e-12
"""A difference of sums that is smaller than this share of them is nothing but rounding."""


class Part(NamedTuple):
    """Some columns of a table, for the units that have anything in them (None: for all units)."""

    columns: IntArray
    units: IntArray | None
    values: FloatArray


class Table:
    """A matrix of units x columns, in parts: what no part has is 0.

    >>> Table.of(np.array([[1.0, 2.0], [3.0, 4.0]])).sums
    array([4., 6.])
    """

    def __init__(self, units: int, width: int, parts: Sequence[Part]) -> None:
        self.units, self.width, self.parts = units, width, parts

    @classmethod
    def of(cls, values: FloatArray) -> Table:
        """The table of a matrix."""
        units, width = values.shape
        return cls(units, width, [Part(np.arange(width), None, values)])

    @cached_property
    def sums(self) -> FloatArray:
        """The sum of each column, exact."""
        sums = np.zeros(self.width)
        for part in self.parts:
            sums[part.columns] = column_sums(part.values)
        return sums

    def rows(self, index: IntArray) -> FloatArray:
        """The rows of some units.

        >>> Table.of(np.eye(3)).rows(np.array([2]))
        array([[0., 0., 1.]])
        """
        rows = np.zeros((len(index), self.width), order="F")
        for columns, units, values in self.parts:
            if units is None:
                rows[:, columns] = values[index]
            elif len(units):
                place = np.minimum(np.searchsorted(units, index), len(units) - 1)
                there = np.flatnonzero(units[place] == index)
                rows[np.ix_(there, columns)] = values[place[there]]
        return rows


class CountTable(Table):
    """The quantities of a tally: of each quantity a column, or one for each label.

    The size of the event space, if a quantity needs it, is one column at the end; `times` says for
    how many labels each unit has it.
    """

    def __init__(
        self, units: int, width: int, parts: Sequence[Part], quantities: Mapping[str, float],
        times: int, exact: FloatArray,
    ) -> None:  # fmt: skip
        super().__init__(units, width, parts)
        self.factors, self.times, self.sums = quantities, times, exact

    factors: Mapping[str, float]
    """The quantities, each with the factor that the size of the event space has in it."""

    def quantities(self, sums: FloatArray) -> Quantities:
        """The quantities of column sums (columns, or draws x columns); of some labels, if the sums
        are those of their columns.
        """
        sized = any(self.factors.values())
        width = (sums.shape[-1] - sized) // len(self.factors)
        made = Quantities()
        for i, (name, factor) in enumerate(self.factors.items()):
            value = sums[..., i * width : (i + 1) * width]
            if factor:
                size = factor * (sums[..., -1:] * self.times)
                total = value + size
                rounding = np.abs(total) <= ROUNDING * (np.abs(value) + np.abs(size))
                value = np.where(rounding, 0.0, total)
            made[name] = value
        return made

    def columns_of(self, labels: int) -> tuple[IntArray, ...]:
        """The columns of each label, of this many."""
        size = [self.width - 1] if any(self.factors.values()) else []
        first = np.arange(len(self.factors)) * labels
        return tuple(np.append(first + i, size).astype(np.int64) for i in range(labels))


@dataclass(frozen=True, eq=False, repr=False)
class Statistic:
    """A score, or several scores at once, as a function of the column sums of a table.

    `value` takes sums (draws x columns) and returns scores (draws, or draws x scores). Statistics
    with the same table share the work. If each score depends on some columns only, `columns` says
    on which, and `value` of these columns alone is that score.

    >>> table = Table.of(np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> Statistic(table, lambda sums: sums[:, 0] / sums[:, 1]).point.round(3)
    array([0.667])
    """

    table: Table
    value: Callable[[FloatArray], FloatArray]
    columns: tuple[IntArray, ...] | None = None

    def values(self, sums: FloatArray) -> FloatArray:
        """The scores of sums: always draws x scores."""
        scores: FloatArray = self.value(sums).reshape(len(sums), -1)
        return scores

    @cached_property
    def point(self) -> FloatArray:
        """The scores of the data as they are."""
        point: FloatArray = self.values(self.table.sums[None])[0]
        return point
