"""Tally: units x labels x outcomes, the waist of the hourglass. After it comes only arithmetic.

A score is a function of the column sums of a table, which a tally makes: a row for each unit. A
resample weighs the rows, leaving a document out subtracts its row, a randomization test exchanges
rows. No statistic ever looks at anything else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from carob.arrays.columns import column_sums, compact, group_sums, is_whole, label_codes
from carob.arrays.join import distinct, ranked
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


Items = Callable[[FloatArray], FloatArray]
"""From rows of a table (units x columns), how much each unit has of something, for each score."""


class Scale(NamedTuple):
    """What an interval has to know of scores beside their values.

    `limits` are their smallest and largest value. `items` is what they are a share or a rate of
    (None: they are counts), `either` all items of gold and system. `terms` are the scores of labels
    whose plain mean they are; `of_label` says that they are scores of single labels.

    The others are functions of column sums. `share` are the number right and the number of all, if
    a unit is right or wrong as a whole; `most` how many items may count at most; `by_chance` what a
    system without fault would show; `why_not` says why there is no interval.
    """

    limits: tuple[float, float]
    items: Items | None = None
    either: Items | None = None
    terms: Statistic | None = None
    of_label: bool = False
    share: Callable[[FloatArray], tuple[FloatArray, FloatArray]] | None = None
    most: Callable[[FloatArray], FloatArray] | None = None
    by_chance: Callable[[FloatArray], FloatArray] | None = None
    why_not: Callable[[FloatArray], Sequence[str]] | None = None


NO_SCALE = Scale((-math.inf, math.inf))


@dataclass(eq=False, repr=False)
class Statistic:
    """A score, or several scores at once, as a function of the column sums of a table.

    `value` takes sums (draws x columns) and returns scores (draws, or draws x scores). Statistics
    with the same table share the work. If each score depends on some columns only, `columns` says
    on which, and `value` of these columns alone is that score. `scale` is for intervals.

    >>> table = Table.of(np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> Statistic(table, lambda sums: sums[:, 0] / sums[:, 1]).point.round(3)
    array([0.667])
    """

    table: Table
    value: Callable[[FloatArray], FloatArray]
    columns: tuple[IntArray, ...] | None = None
    scale: Scale = NO_SCALE
    answers: str = ""
    """A hash of what the system answers; two with the same have the same items in every unit."""

    def values(self, sums: FloatArray) -> FloatArray:
        """The scores of sums: always draws x scores."""
        scores: FloatArray = self.value(sums).reshape(len(sums), -1)
        return scores

    @cached_property
    def point(self) -> FloatArray:
        """The scores of the data as they are."""
        point: FloatArray = self.values(self.table.sums[None])[0]
        return point


class Sums(NamedTuple):
    """Sums of outcomes over units or labels, from which quantities are made. They are small: a
    result that needs them later does not keep the tally.
    """

    factors: Mapping[str, Mapping[str, float]]
    outcomes: tuple[str, ...]
    columns: FloatArray | Sequence[float]
    """The sums of each outcome: an array for each, or one number."""
    size: FloatArray | float
    """How much of the event space these are sums of."""

    def quantity(self, name: str) -> FloatArray:
        """One quantity or outcome."""
        if name not in self.factors:
            return np.asarray(self.columns[self.outcomes.index(name)])
        factors = self.factors[name]
        value = self.added(factors)
        if factor := factors.get(TOTAL, 0.0):
            value = value + factor * self.size
        if min(factors.values(), default=0.0) < 0:
            parts = {outcome: abs(factor) for outcome, factor in factors.items()}
            least = self._absolute().added(parts) + parts.get(TOTAL, 0.0) * self.size
            value = np.where(np.abs(value) <= ROUNDING * least, 0.0, value)
        return np.asarray(value)

    def quantities(self) -> Quantities:
        """Every quantity and outcome."""
        names = dict.fromkeys((*self.factors, *self.outcomes))
        return Quantities({name: self.quantity(name) for name in names})

    def added(self, factors: Mapping[str, float]) -> FloatArray:
        """The sum of outcomes with their factors, but for the size."""
        total: Any = 0.0 * self.columns[0]
        for outcome, factor in factors.items():
            if factor and outcome in self.outcomes:
                column = self.columns[self.outcomes.index(outcome)]
                total = total + (column if factor == 1 else factor * column)
        return total  # type: ignore[no-any-return]

    def _absolute(self) -> Sums:
        return self._replace(columns=np.abs(self.columns))


DENSE = 1 << 22
"""Up to this many cells a table is one matrix; larger ones are made of parts with fewer zeros."""

FULL = 2
"""A larger table with at most this many cells an event has hardly any zeros: it is one matrix, too.
"""

GROUP = 16
"""How many labels one part of a large table has."""

COMMON = ("gold_right", "gold_all", "system_right", "system_all")
"""What P, R, F and the zero rule need."""


@dataclass(eq=False)
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
            cells, row = ranked(events.cell(width))
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
        return self._sums(self._together, self._whole_size * len(self.labels)).quantities()

    def by_label(self) -> Quantities:
        """Every quantity and outcome of each label, summed over units."""
        return self.label_sums().quantities()

    def label_sums(self) -> Sums:
        """The outcomes of each label, summed over units."""
        return self._sums(self._by_label, self._whole_size)

    def by_unit(self, label: str | None = None) -> Quantities:
        """Every quantity and outcome of each unit, summed over labels, or of one label."""
        if label is not None:
            return self._of_label(label).by_unit()
        size = 0.0 if self.size is None else self.size * len(self.labels)
        return self._sums(self._by_unit.T, size).quantities()

    def counted(self) -> Mapping[str, float]:
        """The outcomes of everything together."""
        return dict(zip(self.outcomes, self._together, strict=True))

    def unit_table(self, needs: Sequence[str]) -> CountTable:
        """The quantities that a measure needs, a column each: all labels together."""
        names = self._names(needs)
        if ("units", names) not in self._tables:
            sums = np.array(self._added(names, self._together))
            parts = partial(self._unit_parts, names)
            self._tables["units", names] = self._table(names, parts, sums, len(self.labels))
            self._link(names)
        return self._tables["units", names]

    def label_table(self, needs: Sequence[str]) -> CountTable:
        """The quantities that a measure needs, of each of them a column for each label."""
        names = self._names(needs)
        if ("labels", names) not in self._tables:
            sums = np.array(self._added(names, self._by_label))
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
        values = np.array(self._added(names, self._by_unit.T), np.float64)
        yield Part(np.arange(len(names)), None, compact(values.T))

    def _label_parts(self, names: Sequence[str]) -> Iterator[Part]:
        """The columns of all labels, in one part or, if that would be mostly zeros, in groups of
        labels with the units that have any of them.
        """
        width = len(self.labels)
        dense = self.units * width * len(names) <= DENSE
        step, values = width if dense else GROUP, self._values(names)
        for first, own in self._groups_of_labels(step):
            labels, unit = np.arange(first, min(first + step, width)), self.unit[own]
            units = None if dense else np.unique(unit)
            row = unit if units is None else np.searchsorted(units, unit)
            height = self.units if units is None else len(units)
            matrix = np.zeros((height, len(names) * len(labels)))
            column = self.label[own].astype(np.int64) - first
            for i, numbers in enumerate(values):
                matrix[row, column + i * len(labels)] = numbers[own]
            columns = np.arange(len(names))[:, None] * width + labels
            yield Part(columns.ravel(), units, compact(matrix))

    def _groups_of_labels(self, step: int) -> Iterator[tuple[int, slice | IntArray]]:
        """The first label of each group of `step` labels, and the rows of counts of the group."""
        width = len(self.labels)
        if step >= width:
            yield from [(0, slice(None))] * bool(width)
            return
        group = self.label // step
        order = np.argsort(group, kind="stable")
        ends = np.searchsorted(group[order], np.arange(-(-width // step) + 1)).tolist()
        for k, (low, high) in enumerate(pairwise(ends)):
            yield k * step, order[low:high]

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
        return self._added(names, self.counts.astype(np.float64, copy=False).T)

    def _factors(self, name: str) -> Mapping[str, float]:
        return self.factors.get(name, {name: 1.0})

    def _sums(self, columns: FloatArray | Sequence[float], size: FloatArray | float) -> Sums:
        return Sums(self.factors, self.outcomes, columns, size)

    def _added(
        self, names: Sequence[str], columns: FloatArray | Sequence[float]
    ) -> list[FloatArray]:
        """These quantities, but for the size in them, from sums of each outcome."""
        sums = self._sums(columns, 0.0)
        return [sums.added(self._factors(name)) for name in names]

    @cached_property
    def _by_unit(self) -> FloatArray:
        """The outcomes of each unit: units x outcomes."""
        sums = np.empty((self.units, len(self.outcomes)))
        for i, counts in enumerate(self.counts.T):
            sums[:, i] = np.bincount(self.unit, counts, self.units)
        return sums

    @cached_property
    def _together(self) -> list[float]:
        """The outcomes of everything together, exact."""
        # Fractions are rounded once for each unit, as they always were: no score may change.
        sums = self._by_label.sum(axis=1) if self._is_whole else column_sums(self._by_unit)
        together: list[float] = sums.tolist()
        return together

    @cached_property
    def _is_whole(self) -> bool:
        """Whether all counts are whole numbers, which add up to the same in any order."""
        return is_whole(self.counts)

    @cached_property
    def _by_label(self) -> FloatArray:
        """The outcomes of each label, exact: outcomes x labels."""
        sums = np.empty((len(self.outcomes), len(self.labels)))
        for i, counts in enumerate(self.counts.T):
            sums[i] = group_sums(counts, self.label, len(self.labels))
        return sums

    @cached_property
    def _whole_size(self) -> float:
        """How much there is for one label in all units."""
        return 0.0 if self.size is None else float(column_sums(self.size[:, None])[0])
