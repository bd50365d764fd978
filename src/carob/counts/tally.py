"""Tally: units x labels x outcomes, the waist of the hourglass. Behind it is only arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from carob.arrays.columns import stretches
from carob.arrays.types import FloatArray, IntArray
from carob.corpus.tables import spread
from carob.counts._tally_rows import LabelRows, OneLabelRows, UnitRows
from carob.counts.events import Events, Space
from carob.counts.quantities import Quantities
from carob.counts.rows import grid_totals, summed, totals
from carob.pair.pair import Pair

TOTAL = "total"
"""The size of an event space, as quantities name it."""

DENSE = 1 << 22
"""Up to so many counts there is one for every unit, label and outcome."""

PLAIN = ("gold_right", "gold_all", "system_right", "system_all")
"""The quantities that every space has, and that most measures need no others of."""

_ROUNDING = 1e-12


@lru_cache(maxsize=2)
def every_cell(units: int, width: int) -> tuple[IntArray, IntArray]:
    """The unit and the label of each row, where there is one for all of so many units and labels;
    the tallies of several event spaces share them.

    >>> every_cell(2, 2)
    (array([0, 0, 1, 1], dtype=int32), array([0, 1, 0, 1], dtype=int32))
    """
    unit = np.repeat(np.arange(units, dtype=np.int32), width)
    label = np.tile(np.arange(width, dtype=np.int32), units)
    for column in (unit, label):
        column.setflags(write=False)
    return unit, label


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts, sparse: a row for each (unit, label) that has any, a column for each outcome.

    `linear` says how quantities are made of outcomes (quantities x outcomes). Where everything
    is an event, `size` is how much there is for one label in each unit, the same for every label;
    it needs no rows, and stands in `linear` as a last outcome.
    """

    units: int
    labels: tuple[str, ...]
    outcomes: tuple[str, ...]
    names: tuple[str, ...]
    linear: FloatArray
    unit: IntArray
    label: IntArray
    counts: FloatArray
    size: FloatArray | None = None

    @classmethod
    def of(
        cls, space: Space, pair: Pair, events: Events | None = None, units: int | None = None
    ) -> Tally:
        """The events of a space, summed for each document and label.

        Where `events.doc` says something else than the document, `units` says how many there are.
        """
        events = space(pair) if events is None else events
        labels = pair.labels if events.labels is None else events.labels
        width = len(labels)
        units = pair.size if units is None else units
        if units * width * len(events.outcomes) <= DENSE:
            unit, label = every_cell(units, width)
            counts = events.counted(width, units * width)
        else:
            places, row = np.unique(events.cell(width), return_inverse=True)
            unit, label = np.divmod(places, max(width, 1))
            counts = events.counted(width, len(places), row)
        quantities = space.quantities
        names = tuple(quantities)
        terms = events.outcomes if events.size is None else (*events.outcomes, TOTAL)
        linear = np.array([[quantities[n].get(t, 0.0) for t in terms] for n in names], np.float64)
        return cls(units, labels, events.outcomes, names, linear, unit, label, counts, events.size)

    def _quantities(self, counts: FloatArray, size: FloatArray | float) -> Quantities:
        terms = counts
        if self.size is not None:
            last = np.broadcast_to(np.asarray(size)[..., None], (*counts.shape[:-1], 1))
            terms = np.concatenate([counts, last], axis=-1)
        values = terms @ self.linear.T
        # A difference of sums that are equal but for rounding is nothing.
        mixed = (self.linear < 0).any(axis=1)
        if mixed.any():
            least = _ROUNDING * (np.abs(terms) @ np.abs(self.linear[mixed]).T)
            part = values[..., mixed]
            values[..., mixed] = np.where(np.abs(part) <= least, 0.0, part)
        found = {name: values[..., i] for i, name in enumerate(self.names)}
        for i, outcome in enumerate(self.outcomes):
            found.setdefault(outcome, counts[..., i])
        return Quantities(found)

    def _sums(self, key: IntArray, size: int) -> FloatArray:
        columns = self.counts.shape[1]
        cells = key[:, None] * columns + np.arange(columns)
        sums: FloatArray = np.bincount(  # type: ignore[assignment]
            cells.ravel(), weights=self.counts.ravel(), minlength=size * columns
        )
        return sums.reshape(size, columns)

    def _sizes(self, weights: FloatArray | None = None) -> FloatArray:
        """How much there is for one label, over all units or for each draw."""
        size = np.zeros(self.units) if self.size is None else self.size
        return np.asarray(size.sum() if weights is None else weights @ size)

    def total(self, weights: FloatArray | None = None) -> Quantities:
        """Summed over labels and units; with `weights` (draws x units), one sum a draw."""
        counts = (
            self.counts.sum(axis=0)
            if weights is None
            else weights @ self._sums(self.unit, self.units)
        )
        return self._quantities(counts, self._sizes(weights) * len(self.labels))

    def by_label(self, weights: FloatArray | None = None) -> Quantities:
        """Summed over units: an array of labels, or draws x labels."""
        width = len(self.labels)
        if weights is None:
            return self._quantities(self._sums(self.label, width), self._sizes())
        dense = self._sums(self.unit * width + self.label, self.units * width)
        columns = len(self.outcomes)
        drawn = weights @ dense.reshape(self.units, width * columns)
        drawn = drawn.reshape(len(weights), width, columns)
        return self._quantities(drawn, self._sizes(weights)[:, None])

    def by_unit(self) -> Quantities:
        """Summed over labels: an array of units."""
        size = 0.0 if self.size is None else self.size * len(self.labels)
        return self._quantities(self._sums(self.unit, self.units), size)

    def counted(self) -> Mapping[str, float]:
        """The outcomes of everything together."""
        sums = self.counts.sum(axis=0)
        return {name: float(sums[i]) for i, name in enumerate(self.outcomes)}

    @cached_property
    def rows(self) -> LabelRows:
        """A row for each unit with the outcomes of every label: what averages over labels sum."""
        return LabelRows(self)

    @cached_property
    def unit_rows(self) -> UnitRows:
        """A row for each unit with its outcomes over all labels: what micro averages sum."""
        return UnitRows(self)

    def label_sums(self, weights: FloatArray | None = None) -> FloatArray:
        """The sums of `rows`, or one line of them for each draw of `weights` (draws x units)."""
        return self._label_sums if weights is None else summed(self.rows, weights)

    def unit_sums(self, weights: FloatArray | None = None) -> FloatArray:
        """The sums of `unit_rows`, or one line of them for each draw of `weights`."""
        return self._unit_sums if weights is None else summed(self.unit_rows, weights)

    @cached_property
    def label_totals(self) -> tuple[FloatArray, FloatArray]:
        """The sums of `rows` in two parts."""
        if self.grid is None:
            return totals(self.rows)
        return grid_totals(self.grid, self.size, labels=True)

    @cached_property
    def unit_totals(self) -> tuple[FloatArray, FloatArray]:
        """The sums of `unit_rows` in two parts."""
        if self.grid is None:
            return totals(self.unit_rows)
        whole, rest = self.label_totals
        if rest.any() or (np.rint(whole) != whole).any():
            return grid_totals(self.grid, self.size, labels=False)
        # Whole numbers add up exactly in whatever order.
        outcomes, width = len(self.outcomes), len(self.labels)
        sums = whole[: outcomes * width].reshape(outcomes, width).sum(axis=1)
        sums = np.append(sums, whole[outcomes * width :])
        return sums, np.zeros_like(sums)

    @cached_property
    def _label_sums(self) -> FloatArray:
        return summed(self.rows)

    @cached_property
    def _unit_sums(self) -> FloatArray:
        return summed(self.unit_rows)

    @cached_property
    def _one_label(self) -> dict[int, OneLabelRows]:
        return {}

    def rows_of(self, label: str) -> OneLabelRows:
        """A row for each unit with the outcomes of one label."""
        place = self.labels.index(label)
        return self._one_label.setdefault(place, OneLabelRows(self, place))

    @cached_property
    def label_columns(self) -> tuple[IntArray, ...]:
        """For each label its columns in `rows`."""
        outcomes, width = len(self.outcomes), len(self.labels)
        last = [] if self.size is None else [outcomes * width]
        places = np.arange(outcomes) * width
        return tuple(np.append(places + i, last).astype(np.int64) for i in range(width))

    @cached_property
    def whole(self) -> bool:
        """Whether all counts are whole numbers."""
        sizes = [] if self.size is None else [self.size]
        columns = list(self.counts.T) if self.grid is None else self.grid
        return all(
            (np.rint(column[rows]) == column[rows]).all()
            for column in (*columns, *sizes) if column.dtype.kind == "f"
            for rows in stretches(len(column), column[:1].size)
        )  # fmt: skip

    @cached_property
    def plain(self) -> Tally:
        """The same counts as the four quantities that P, R and F are made of, which are fewer to
        resample; itself, where that would not be exact.
        """
        factors = np.array([self.linear[self.names.index(name)] for name in PLAIN])
        inside = factors[:, : len(self.outcomes)]
        if factors[:, len(self.outcomes) :].any():
            return self
        picked = ((inside == 0) | (inside == 1)).all() and (inside.sum(axis=1) == 1).all()
        quarters = (np.rint(4 * inside) == 4 * inside).all()
        if not picked and not (quarters and self.whole):
            return self
        from carob.counts._grids import Plain  # which is a Tally

        return Plain(self, inside)

    @cached_property
    def grid(self) -> Sequence[FloatArray] | None:
        """The counts of each outcome as units x labels, where there is a row for every cell in
        order.
        """
        width = len(self.labels)
        if len(self.unit) != self.units * width:
            return None
        every = every_cell(self.units, width)
        if self.unit is not every[0] or self.label is not every[1]:
            for rows in stretches(len(self.unit)):
                place = np.arange(rows.start, rows.stop)
                if not np.array_equal(self.unit[rows] * width + self.label[rows], place):
                    return None
        return [column.reshape(self.units, width) for column in self.counts.T]

    def lines(self, index: IntArray) -> FloatArray | None:
        """The grid of some units: a line of them for each outcome and label."""
        if self.grid is None:
            return None
        width = len(self.labels)
        found = np.empty((len(self.outcomes) * width, len(index)))
        for i, units in enumerate(self.grid):
            found[i * width : (i + 1) * width] = units.take(index, axis=0).T
        return found

    @cached_property
    def unit_table(self) -> FloatArray | None:
        """The grid with labels added up: a line for each outcome."""
        if self.grid is None:
            return None
        found = np.empty((len(self.grid), self.units))
        for line, outcome in zip(found, self.grid, strict=True):
            for units in stretches(self.units, len(self.labels)):
                # Labels one after the other, as where their lines are added up.
                line[units] = outcome[units].T.astype(np.float64, order="C").sum(axis=0)
        return found

    @cached_property
    def _by_unit(self) -> tuple[IntArray | None, IntArray]:
        """The rows of counts unit by unit (None: as they are), and where each unit begins."""
        order = None
        if (np.diff(self.unit) < 0).any():
            order = np.argsort(self.unit, kind="stable")
        unit = self.unit if order is None else self.unit[order]
        return order, np.searchsorted(unit, np.arange(self.units + 1))

    def counts_of(self, units: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        """The counts of some units, row by row: whose it is (its place in `units`), label, counts.

        >>> counts = np.array([[4.0], [5.0]])
        >>> none = np.zeros((0, 1))
        >>> tally = Tally(2, ("A",), ("tp",), (), none, np.array([1, 0]), np.array([0, 0]), counts)
        >>> tally.counts_of(np.array([1]))
        (array([0]), array([0]), array([[4.]]))
        """
        order, starts = self._by_unit
        places, offsets = spread(starts, units)
        places = places if order is None else order[places]
        row = np.repeat(np.arange(len(units)), np.diff(offsets))
        return row, self.label[places], self.counts[places]

    def labels_of(self, sums: FloatArray) -> Quantities:
        """The quantities of each label, from sums over `rows`: labels, or draws x labels."""
        width = len(self.labels)

        def outcomes(sums: FloatArray) -> list[FloatArray]:
            places = [i * width for i in range(len(self.outcomes))]
            found = [sums[..., first : first + width] for first in places]
            if self.size is not None:
                found.append(np.broadcast_to(sums[..., -1:], found[0].shape))
            return found

        return self._seen("_labels_seen", sums, outcomes)

    def label_of(self, sums: FloatArray) -> Quantities:
        """The quantities of one label, from sums over its `OneLabelRows`."""
        return self._named([sums[..., i] for i in range(sums.shape[-1])])

    def total_of(self, sums: FloatArray) -> Quantities:
        """The quantities of everything, from sums over `unit_rows`."""

        def outcomes(sums: FloatArray) -> list[FloatArray]:
            found = [sums[..., i] for i in range(len(self.outcomes))]
            return found if self.size is None else [*found, sums[..., -1] * len(self.labels)]

        return self._seen("_total_seen", sums, outcomes)

    def _seen(
        self, how: str, sums: FloatArray, outcomes: Callable[[FloatArray], list[FloatArray]]
    ) -> Quantities:
        """The quantities of these outcomes; several measures of the same sums share them, until
        they are forgotten.
        """
        last: tuple[FloatArray, Quantities] | None = self.__dict__.get(how)
        if last is not None and last[0] is sums:
            return last[1]
        found = self._named(outcomes(sums))
        self.__dict__[how] = (sums, found)
        return found

    def forget(self) -> None:
        """Let go what was made of the last sums."""
        for how in ("_labels_seen", "_total_seen"):
            self.__dict__.pop(how, None)

    def _named(self, outcomes: list[FloatArray]) -> Quantities:
        found = Quantities()
        found.make = lambda name: _combined(self._made_of[name], outcomes)
        for name, outcome in zip(self.outcomes, outcomes, strict=False):
            if name not in self._made_of:
                found[name] = outcome
        return found

    @cached_property
    def _made_of(self) -> dict[str, list[tuple[float, int]]]:
        """For each quantity the outcomes it is a sum of, and their factors."""
        return {
            name: [(factor, i) for i, factor in enumerate(factors) if factor]
            for name, factors in zip(self.names, self.linear.tolist(), strict=True)
        }


def _combined(terms: list[tuple[float, int]], outcomes: list[FloatArray]) -> FloatArray:
    """A sum of outcomes with factors."""
    parts = [outcomes[i] if factor == 1 else factor * outcomes[i] for factor, i in terms]
    value = sum(parts[1:], parts[0]) if parts else np.zeros_like(outcomes[0])
    if any(factor < 0 for factor, _ in terms):
        # A difference of sums that are equal but for rounding is nothing.
        least = _ROUNDING * sum((abs(part) for part in parts), np.zeros_like(value))
        value = np.where(np.abs(value) <= least, 0.0, value)
    return value
