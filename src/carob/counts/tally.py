"""Tally: units x labels x outcomes, the waist of the hourglass. After it comes only arithmetic.

A score is a function of the column sums of a table, which a tally makes: a row for each unit. A
resample weighs the rows, leaving a document out subtracts its row, a randomization test exchanges
rows. No statistic ever looks at anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from carob.arrays.columns import column_sums, compact, group_sums, is_whole, label_codes
from carob.arrays.join import distinct
from carob.arrays.types import FloatArray, IntArray
from carob.counts.events import Events, Space
from carob.counts.quantities import Quantities
from carob.pair.pair import Pair

TOTAL = "total"
"""What quantities call the size of an event space."""

ROUNDING = 1e-12
"""A difference of sums that is smaller than this share of them is nothing but rounding."""


class Part(NamedTuple):
    """Some columns of a table, for the units that have anything in them (None: for all units)."""

    columns: IntArray
    units: IntArray | None
    values: FloatArray

    def rows(self, index: IntArray) -> FloatArray:
        """The rows of some units."""
        if self.units is None:
            return self.values[index].astype(np.float64, copy=False)
        rows = np.zeros((len(index), len(self.columns)))
        if len(self.units):
            place = np.minimum(np.searchsorted(self.units, index), len(self.units) - 1)
            there = np.flatnonzero(self.units[place] == index)
            rows[there] = self.values[place[there]]
        return rows


Parts = Sequence[Part] | Callable[[], Sequence[Part]]


class Table:
    """A matrix of units x columns, in parts: what no part has is 0.

    `parts` may be a function that makes them: a score without resamples needs the sums only.

    >>> Table.of(np.array([[1.0, 2.0], [3.0, 4.0]])).sums
    array([4., 6.])
    """

    def __init__(self, units: int, width: int, parts: Parts) -> None:
        self.units, self.width, self._parts = units, width, parts

    @cached_property
    def parts(self) -> Sequence[Part]:
        """Columns that are there for the same units."""
        return self._parts() if callable(self._parts) else self._parts

    summed: tuple[Table, IntArray] | None = None
    """If the columns are sums of those of another table: that table, and in a row for each column
    which of its columns are added (-1: nothing).
    """

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
        for part in self.parts:
            rows[:, part.columns] = part.rows(index)
        return rows

    def minus(self, other: Table) -> Table:
        """What this table has more than another one of the same parts. Of a part that leaves out
        units, rows and columns without a difference are left out, too.

        >>> Table.of(np.array([[3.0, 1.0]])).minus(Table.of(np.array([[1.0, 1.0]]))).sums
        array([2., 0.])
        """
        parts = []
        for ours, theirs in zip(self.parts, other.parts, strict=True):
            if ours.units is None or theirs.units is None:
                every = np.arange(self.units)
                more = compact(ours.rows(every) - theirs.rows(every))
                parts.append(Part(ours.columns, None, more))
                continue
            units = distinct(np.concatenate([ours.units, theirs.units]))
            more = ours.rows(units) - theirs.rows(units)
            rows, columns = np.flatnonzero(more.any(axis=1)), np.flatnonzero(more.any(axis=0))
            parts.append(Part(ours.columns[columns], units[rows], more[np.ix_(rows, columns)]))
        return Table(self.units, self.width, parts)

    def grouped(self, group: IntArray, size: int) -> Table:
        """The rows summed for each of `size` groups; `group` says in which each unit is.

        >>> Table.of(np.array([[1.0], [2.0], [4.0]])).grouped(np.array([1, 0, 1]), 2).rows(
        ...     np.array([0, 1])
        ... )
        array([[2.],
               [5.]])
        """
        parts = []
        for columns, units, values in self.parts:
            own = group if units is None else group[units]
            sums = np.array([group_sums(numbers, own, size) for numbers in values.T])
            rows = np.flatnonzero(np.bincount(own, minlength=size))
            parts.append(Part(columns, rows, sums.reshape(len(columns), size).T[rows]))
        table = Table(size, self.width, parts)
        table.sums = self.sums
        return table


class CountTable(Table):
    """The quantities of a tally: of each quantity a column, or one for each label.

    The size of the event space, if a quantity needs it, is one column at the end; `times` says for
    how many labels each unit has it.
    """

    def __init__(
        self, units: int, width: int, parts: Parts, quantities: Mapping[str, float],
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


DENSE = 1 << 22
"""Up to this many cells a table is one matrix; larger ones are made of parts with fewer zeros."""

FULL = 2
"""A larger table with at most this many cells an event has hardly any zeros: it is one matrix, too.
"""

GROUP = 16
"""How many labels one part of a large table has."""

COMMON = ("gold_right", "gold_all", "system_right", "system_all")
"""What P, R, F and the zero rule need."""


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts: a row for each (unit, label) that has any, in this order; a column for each outcome.

    Units are documents, or sentences if these are resampled. `factors` says how each quantity is a
    sum of outcomes. If everything in a text is an event, `size` is how much there is for one label
    in each unit; quantities call it `total`.
    """

    units: int
    labels: tuple[str, ...]
    outcomes: tuple[str, ...]
    factors: Mapping[str, Mapping[str, float]]
    unit: IntArray
    label: IntArray
    counts: FloatArray
    size: FloatArray | None = None

    @classmethod
    def of(
        cls, space: Space, pair: Pair, events: Events | None = None, units: int | None = None
    ) -> Tally:
        """The events of a space, summed for each document and label.

        If `events.doc` is not the document but another unit, `units` says how many there are.
        """
        events = space(pair) if events is None else events
        labels = pair.labels if events.labels is None else events.labels
        width = len(labels)
        units = pair.size if units is None else units
        if units * width * len(events.outcomes) <= DENSE:
            by_outcome = events.counted(width, units * width).T
            # A row of this table lies in one piece of memory, a column does not.
            cells = np.flatnonzero(np.logical_or.reduce(by_outcome, axis=0))
            counts = by_outcome.take(cells, axis=1).T
        elif units * width <= FULL * len(events):
            table = np.stack(list(map(compact, events.counted_by_outcome(width, units * width))))
            cells = np.flatnonzero(np.logical_or.reduce(table, axis=0))
            counts = table.T if len(cells) == units * width else table.take(cells, axis=1).T
        else:
            cells, row = np.unique(events.cell(width), return_inverse=True)
            counts = events.counted(width, len(cells), row)
        unit, label = np.divmod(cells, max(width, 1))
        return cls(
            units, labels, events.outcomes, space.quantities, unit.astype(np.int32),
            label_codes(label, width), compact(counts), events.size,
        )  # fmt: skip

    @classmethod
    def concatenate(cls, tallies: Iterable[Tally]) -> Tally:
        """The tallies of neighbouring units, of the same space and labels, as one.

        >>> one = Tally(2, ("A",), ("tp",), {}, np.array([1]), np.array([0]), np.array([[4.0]]))
        >>> Tally.concatenate([one, one]).unit
        array([1, 3])
        """
        parts = list(tallies)
        first = np.cumsum([0, *(part.units for part in parts)]).tolist()
        sizes = [part.size for part in parts if part.size is not None]
        unit = np.concatenate([part.unit for part in parts])
        ends = np.cumsum([0, *(len(part.unit) for part in parts)]).tolist()
        for (low, high), before in zip(pairwise(ends), first, strict=False):
            unit[low:high] += np.int32(before)
        return replace(
            parts[0],
            units=first[-1],
            unit=unit,
            label=np.concatenate([part.label for part in parts]),
            counts=np.concatenate([part.counts for part in parts]),
            size=np.concatenate(sizes) if sizes else None,
        )

    def onto(self, labels: tuple[str, ...]) -> Tally:
        """The same counts with rows for more labels; both are sorted.

        >>> one = Tally(1, ("B",), ("tp",), {}, np.array([0]), np.array([0]), np.array([[4.0]]))
        >>> one.onto(("A", "B")).label.tolist()
        [1]
        """
        if labels == self.labels:
            return self
        place = {label: i for i, label in enumerate(labels)}
        moved = label_codes([place[label] for label in self.labels], len(labels))
        return replace(self, labels=labels, label=moved[self.label])

    def total(self) -> Quantities:
        """Every quantity and outcome, summed over labels and units."""
        return self._combined(self._together, self._whole_size * len(self.labels))

    def by_label(self) -> Quantities:
        """Every quantity and outcome of each label, summed over units."""
        return self._combined(self._by_label, self._whole_size)

    def by_unit(self, label: str | None = None) -> Quantities:
        """Every quantity and outcome of each unit, summed over labels, or of one label."""
        if label is not None:
            return self._of_label(label).by_unit()
        size = 0.0 if self.size is None else self.size * len(self.labels)
        return self._combined(self._by_unit, size)

    def counted(self) -> Mapping[str, float]:
        """The outcomes of everything together."""
        return dict(zip(self.outcomes, self._together.tolist(), strict=True))

    def unit_table(self, needs: Sequence[str]) -> CountTable:
        """The quantities that a measure needs, a column each: all labels together."""
        names = self._names(needs)
        if ("units", names) not in self._tables:
            sums = np.array([self._sum(self._factors(name), self._together) for name in names])
            parts = partial(self._unit_parts, names)
            self._tables["units", names] = self._table(names, parts, sums, len(self.labels))
            self._link(names)
        return self._tables["units", names]

    def label_table(self, needs: Sequence[str]) -> CountTable:
        """The quantities that a measure needs, of each of them a column for each label."""
        names = self._names(needs)
        if ("labels", names) not in self._tables:
            sums = np.array([self._sum(self._factors(name), self._by_label) for name in names])
            parts = partial(self._label_parts, names)
            self._tables["labels", names] = self._table(names, parts, sums.reshape(-1), 1)
            self._link(names)
        return self._tables["labels", names]

    def one_label_table(self, needs: Sequence[str], label: str) -> CountTable:
        """The quantities that a measure needs, a column each: of one label."""
        return self._of_label(label).label_table(needs)

    def _of_label(self, label: str) -> Tally:
        rows = np.flatnonzero(self.label == self.labels.index(label))
        return replace(
            self, labels=(label,), unit=self.unit[rows], label=np.zeros_like(rows),
            counts=self.counts[rows],
        )  # fmt: skip

    def _names(self, needs: Sequence[str]) -> tuple[str, ...]:
        """What a measure needs, and the quantities that most measures need: these share a table."""
        common = (name for name in COMMON if name in self.factors)
        return tuple(dict.fromkeys((*common, *needs)))

    @cached_property
    def _tables(self) -> dict[tuple[str, tuple[str, ...]], CountTable]:
        return {}

    def _link(self, names: tuple[str, ...]) -> None:
        """Note which columns of labels add up to those of all labels together."""
        units, labels = (self._tables.get((kind, names)) for kind in ("units", "labels"))
        if units is not None and labels is not None and self.labels:
            added = np.arange(len(names) * len(self.labels)).reshape(len(names), -1)
            if units.width > len(names):  # the size of the event space, which labels share
                added = np.vstack([added, np.full(len(self.labels), -1)])
                added[-1, 0] = labels.width - 1
            units.summed = labels, added

    def _unit_parts(self, names: Sequence[str]) -> Iterator[Part]:
        """The columns of all labels together, in one part."""
        values = [self._sum(self._factors(name), self._by_unit) for name in names]
        yield Part(np.arange(len(names)), None, compact(np.array(values, np.float64).T))

    def _label_parts(self, names: Sequence[str]) -> Iterator[Part]:
        """The columns of all labels, in one part or, if that would be mostly zeros, in groups of
        labels with the units that have any of them.
        """
        width = len(self.labels)
        dense = self.units * width * len(names) <= DENSE
        step = max(width, 1) if dense else GROUP
        values, group = self._values(names), self.label // step
        order = np.argsort(group, kind="stable")
        ends = np.searchsorted(group[order], np.arange(-(-width // step) + 1))
        for k, (first, end) in enumerate(pairwise(ends.tolist())):
            own, labels = order[first:end], np.arange(k * step, min((k + 1) * step, width))
            units = None if dense else np.unique(self.unit[own])
            row = self.unit[own] if units is None else np.searchsorted(units, self.unit[own])
            height = self.units if units is None else len(units)
            matrix = np.zeros((height, len(names) * len(labels)))
            column = self.label[own].astype(np.int64) - k * step
            for i, numbers in enumerate(values):
                matrix[row, column + i * len(labels)] = numbers[own]
            columns = np.arange(len(names))[:, None] * width + labels
            yield Part(columns.ravel(), units, compact(matrix))

    def _table(
        self, names: Sequence[str], parts: Callable[[], Iterator[Part]], sums: FloatArray,
        times: int,
    ) -> CountTable:  # fmt: skip
        """A table of these parts, and of the size if a quantity needs it."""
        factors = {name: self._factors(name).get(TOTAL, 0.0) for name in names}
        more = []
        if any(factors.values()):
            assert self.size is not None, "only a space with a size has quantities that need it"
            more = [Part(np.array([len(sums)]), None, self.size[:, None])]
            sums = np.append(sums, self._whole_size)
        return CountTable(self.units, len(sums), lambda: [*parts(), *more], factors, times, sums)

    def _values(self, names: Sequence[str]) -> list[FloatArray]:
        """Of each row of counts these quantities, but for the size in them."""
        counts = self.counts.astype(np.float64, copy=False)
        return [self._sum(self._factors(name), counts) for name in names]

    @cached_property
    def _places(self) -> dict[str, int]:
        """The column of each outcome."""
        return {outcome: i for i, outcome in enumerate(self.outcomes)}

    def _factors(self, name: str) -> Mapping[str, float]:
        return self.factors.get(name, {name: 1.0})

    def _sum(self, factors: Mapping[str, float], outcomes: FloatArray) -> FloatArray:
        """The sum of outcomes (in the last axis) with their factors."""
        total = np.zeros(outcomes.shape[:-1])
        for outcome, factor in factors.items():
            i = self._places.get(outcome)
            if factor and i is not None:
                total = total + (outcomes[..., i] if factor == 1 else factor * outcomes[..., i])
        return total

    def _combined(self, outcomes: FloatArray, size: FloatArray | float) -> Quantities:
        """Every quantity and outcome, from sums of outcomes (in the last axis) and sizes."""
        made = Quantities()
        for name, factors in self.factors.items():
            value = self._sum(factors, outcomes)
            if factor := factors.get(TOTAL, 0.0):
                value = value + factor * size
            if min(factors.values(), default=0.0) < 0:
                parts = {outcome: abs(factor) for outcome, factor in factors.items()}
                least = self._sum(parts, np.abs(outcomes)) + parts.get(TOTAL, 0.0) * size
                value = np.where(np.abs(value) <= ROUNDING * least, 0.0, value)
            made[name] = np.asarray(value)
        for i, outcome in enumerate(self.outcomes):
            made.setdefault(outcome, outcomes[..., i])
        return made

    @cached_property
    def _by_unit(self) -> FloatArray:
        """The outcomes of each unit: units x outcomes."""
        sums = np.empty((self.units, len(self.outcomes)))
        for i, counts in enumerate(self.counts.T):
            sums[:, i] = np.bincount(self.unit, counts, self.units)
        return sums

    @cached_property
    def _together(self) -> FloatArray:
        """The outcomes of everything together, exact."""
        # Fractions are rounded once for each unit, as they always were: no score may change.
        return column_sums(self.counts if is_whole(self.counts) else self._by_unit)

    @cached_property
    def _by_label(self) -> FloatArray:
        """The outcomes of each label, exact: labels x outcomes."""
        sums = np.empty((len(self.labels), len(self.outcomes)))
        for i, counts in enumerate(self.counts.T):
            sums[:, i] = group_sums(counts, self.label, len(self.labels))
        return sums

    @cached_property
    def _whole_size(self) -> float:
        """How much there is for one label in all units."""
        return 0.0 if self.size is None else float(column_sums(self.size[:, None])[0])
