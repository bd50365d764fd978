"""The rows of a tally: a line of numbers for each unit, in the forms that averages sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from carob.arrays.types import FloatArray, IntArray

if TYPE_CHECKING:
    from carob.counts.tally import Tally


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelRows:
    """The rows of a tally with a column for each outcome and label, outcome by outcome."""

    tally: Tally

    @property
    def units(self) -> int:
        """How many rows."""
        return self.tally.units

    @property
    def width(self) -> int:
        """How many columns."""
        sized = self.tally.size is not None
        return len(self.tally.outcomes) * len(self.tally.labels) + sized

    @property
    def totals(self) -> tuple[FloatArray, FloatArray]:
        """The sums over all units, in two parts."""
        return self.tally.label_totals

    @property
    def whole(self) -> bool:
        """Whether all numbers are whole."""
        return self.tally.whole

    def forget(self) -> None:
        """Let go what was made of the last sums."""
        self.tally.forget()

    def block(self, index: IntArray) -> FloatArray:
        """The rows `index`, zeros and all."""
        lines, width = self.tally.lines(index), len(self.tally.labels)
        if lines is not None:
            if self.tally.size is not None:
                lines = np.concatenate([lines, self.tally.size[None, index]])
            return lines.T
        row, label, counts = self.tally.counts_of(index)
        dense = _added(row * width + label, counts, len(index) * width)
        outcomes = [column.reshape(len(index), width) for column in dense.T]
        return _with_size(np.concatenate(outcomes, axis=1), self.tally, index)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OneLabelRows:
    """The rows of a tally with a column for each outcome of one label."""

    tally: Tally
    place: int

    @property
    def units(self) -> int:
        """How many rows."""
        return self.tally.units

    @property
    def width(self) -> int:
        """How many columns."""
        return len(self.tally.outcomes) + (self.tally.size is not None)

    def block(self, index: IntArray) -> FloatArray:
        """The rows `index`."""
        if self.tally.grid is not None:
            own = np.array([outcome[:, self.place] for outcome in self.tally.grid], np.float64)
            return _lines(own, self.tally, index)
        row, label, counts = self.tally.counts_of(index)
        own = label == self.place
        return _with_size(_added(row[own], counts[own], len(index)), self.tally, index)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UnitRows:
    """The rows of a tally with a column for each outcome, labels together."""

    tally: Tally

    @property
    def units(self) -> int:
        """How many rows."""
        return self.tally.units

    @property
    def width(self) -> int:
        """How many columns."""
        return len(self.tally.outcomes) + (self.tally.size is not None)

    @property
    def totals(self) -> tuple[FloatArray, FloatArray]:
        """The sums over all units, in two parts."""
        return self.tally.unit_totals

    @property
    def made_of(self) -> tuple[LabelRows, list[range]]:
        """The rows whose columns these are the sums of, and which columns."""
        outcomes, width = len(self.tally.outcomes), len(self.tally.labels)
        columns = [range(i * width, (i + 1) * width) for i in range(outcomes)]
        if self.tally.size is not None:
            columns.append(range(outcomes * width, outcomes * width + 1))
        return self.tally.rows, columns if width else []

    @property
    def whole(self) -> bool:
        """Whether all numbers are whole."""
        return self.tally.whole

    def forget(self) -> None:
        """Let go what was made of the last sums."""
        self.tally.forget()

    def block(self, index: IntArray) -> FloatArray:
        """The rows `index`."""
        if self.tally.unit_table is not None:
            return _lines(self.tally.unit_table, self.tally, index)
        row, _, counts = self.tally.counts_of(index)
        return _with_size(_added(row, counts, len(index)), self.tally, index)


def _added(place: IntArray, counts: FloatArray, size: int) -> FloatArray:
    """Rows of counts added up at their places."""
    columns = [np.bincount(place, weights=column, minlength=size) for column in counts.T]
    return np.stack(columns, axis=1)


def _lines(table: FloatArray, tally: Tally, index: IntArray) -> FloatArray:
    """Some columns of a table (lines x units) as rows; its lines stay together in memory."""
    sized = tally.size is not None
    found = np.empty((len(table) + sized, len(index)))
    np.take(table, index, axis=1, out=found[: len(table)], mode="clip")
    if tally.size is not None:
        found[-1] = tally.size[index]
    return found.T


def _with_size(rows: FloatArray, tally: Tally, index: IntArray) -> FloatArray:
    """One more column where everything is an event: how much there is in each unit."""
    if tally.size is None:
        return rows
    return np.concatenate([rows, tally.size[index, None]], axis=1)
