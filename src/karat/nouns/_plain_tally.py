"""A tally of the four quantities that P, R and F are made of, made only when they are needed."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from karat.nouns._types import FloatArray, IntArray
from karat.nouns.tally import PLAIN, Tally


class PlainTally(Tally):
    """The counts of another tally, as sums of its outcomes with factors (quantities x outcomes).

    To resample them takes some units at a time, so a table of all is made only for who asks.
    """

    _tally: Tally
    _factors: FloatArray

    def __init__(self, tally: Tally, factors: FloatArray) -> None:
        super().__init__(
            tally.units, tally.labels, PLAIN, PLAIN, np.eye(len(PLAIN)), tally.unit, tally.label,
            tally.counts[:0],
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
        for i, factors in enumerate(self._factors):
            for outcome in factors.nonzero()[0].tolist():
                if outcome not in there:
                    there[outcome] = grid[outcome].take(index, axis=0)
            part = sum(factors[outcome] * own for outcome, own in there.items() if factors[outcome])
            found[i * width : (i + 1) * width] = part.T
        return found
