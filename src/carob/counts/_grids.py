"""Tallies that have a number for every unit and label, and make a table of all counts only for who
asks: to add them up takes some units at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from carob.arrays.types import FloatArray, IntArray
from carob.counts.tally import PLAIN, Tally, every_cell


class Grid(Tally):
    """The counts of each outcome by themselves, in numbers as small as will do: memory is what
    counting costs. `like` says what is counted.
    """

    _lines: Sequence[FloatArray]

    def __init__(
        self, like: Tally, units: int, lines: Sequence[FloatArray], size: FloatArray | None
    ) -> None:
        unit, label = every_cell(units, len(like.labels))
        super().__init__(
            units, like.labels, like.outcomes, like.names, like.linear, unit, label,
            like.counts[:0], size,
        )  # fmt: skip
        del self.__dict__["counts"]
        self.__dict__["_lines"] = lines

    @cached_property
    def counts(self) -> FloatArray:
        """A row for each (unit, label), a column for each outcome."""
        return np.array(self._lines, np.float64).T

    @cached_property
    def grid(self) -> Sequence[FloatArray]:
        """The counts of each outcome, as units x labels."""
        return [line.reshape(self.units, len(self.labels)) for line in self._lines]


class Plain(Tally):
    """The four quantities that P, R and F are made of: sums of the outcomes of another tally, with
    factors (quantities x outcomes).
    """

    _tally: Tally
    _factors: FloatArray

    def __init__(self, tally: Tally, factors: FloatArray) -> None:
        super().__init__(
            tally.units, tally.labels, PLAIN, PLAIN, np.eye(len(PLAIN)), tally.unit, tally.label,
            np.zeros((0, len(PLAIN))),
        )  # fmt: skip
        del self.__dict__["counts"]
        self.__dict__.update(_tally=tally, _factors=factors)

    @cached_property
    def counts(self) -> FloatArray:
        """A row for each (unit, label), a column for each quantity."""
        found: FloatArray = (self._factors @ self._tally.counts.T).T
        return found

    @cached_property
    def whole(self) -> bool:
        """Whether all quantities are whole numbers."""
        return self._tally.whole and bool((np.rint(self._factors) == self._factors).all())

    def lines(self, index: IntArray) -> FloatArray | None:
        """The quantities of some units: a line of them for each quantity and label."""
        grid, width = self._tally.grid, len(self.labels)
        if grid is None:
            return None
        found = np.empty((len(PLAIN) * width, len(index)))
        there: dict[int, FloatArray] = {}
        for i, factors in enumerate(self._factors.tolist()):
            terms = [(factor, outcome) for outcome, factor in enumerate(factors) if factor]
            for _, outcome in terms:
                if outcome not in there:
                    there[outcome] = grid[outcome].take(index, axis=0).astype(np.float64)
            parts = [there[k] if factor == 1 else factor * there[k] for factor, k in terms]
            found[i * width : (i + 1) * width] = sum(parts[1:], parts[0]).T if parts else 0.0
        return found
