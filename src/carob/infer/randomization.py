"""Could a difference be chance? Paired approximate randomization, exact where that is possible."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar, NamedTuple

import numpy as np

from carob.arrays.columns import stretches
from carob.arrays.join import distinct
from carob.arrays.types import BoolArray, ByteArray, FloatArray, IntArray
from carob.counts.tally import Part, Statistic
from carob.infer.resampling import Matrix, Sampler, Summed, Units, exchanges

EXACT = 20
"""If at most this many units differ, every exchange is tried."""

CLOSE = 1e-12
"""Differences that are closer are the same."""

CELLS = 1 << 20
"""About how many numbers are worked on at a time: it changes memory and speed, no result."""


@dataclass(slots=True, eq=False)
class Verdict:
    """The result of a test, for one score or for several at once (arrays).

    `differing` counts the units on which the two systems differ. `exact` is true if every exchange
    was tried; `tried` is how many, and `dropped` how many of them had no value. `stopped` says that
    the test was over before all its trials. `first` and `second` are the scores.
    """

    difference: FloatArray
    p: FloatArray
    differing: int
    exact: bool
    tried: IntArray
    dropped: IntArray
    stopped: BoolArray
    first: FloatArray
    second: FloatArray

    @property
    def smallest(self) -> float:
        """The smallest p that the test could have: 2^(1-k) for k units that differ.

        >>> rows = np.array([[0.0, 1.0]] * 5)
        >>> from carob.counts.tally import Table
        >>> a, b = (
        ...     Statistic(Table.of(rows + [x, 0.0]), lambda s: s[:, 0] / s[:, 1]) for x in (0, 1)
        ... )
        >>> Randomization()(a, b, Units.of(5), np.random.default_rng(0)).smallest
        0.0625
        """
        return 2.0 ** (1 - self.differing) if self.differing else 1.0


@dataclass(frozen=True, slots=True)
class Randomization:
    """How often chance alone gives a difference this large: exchange the two systems' answers.

    If the systems are equally good, it does not matter which of them gave which answer. For each
    document the two systems' counts are exchanged with probability 1/2, and d* is the difference
    of the scores. p = (1 + #{|d*| >= |d| - 1e-12}) / (1 + trials), two-sided. When at most 20
    documents differ, every exchange is tried and p is exact (no + 1). Noreen (1989),
    "Computer-intensive methods for testing hypotheses"; Yeh (2000), "More accurate tests for the
    statistical significance of result differences".

    With `stop`, a test is over once this many exchanges give a difference as large: p = stop / the
    exchanges so far. Besag & Clifford (1991), "Sequential Monte Carlo p-values".

    >>> from carob.counts.tally import Table
    >>> a = np.array([[8.0, 2.0], [3.0, 3.0], [7.0, 1.0]])
    >>> b = np.array([[6.0, 1.0], [5.0, 2.0], [7.0, 1.0]])
    >>> f = [
    ...     Statistic(Table.of(rows), lambda s: 2 * s[:, 0] / (2 * s[:, 0] + s[:, 1]))
    ...     for rows in (a, b)
    ... ]
    >>> Randomization()(*f, Units.of(3), np.random.default_rng(0)).p
    array([0.5])
    """

    trials: int = 9999
    stop: int | None = None

    name: ClassVar[str] = "randomization"

    def __call__(
        self, first: Statistic, second: Statistic, units: Units, rng: np.random.Generator
    ) -> Verdict:
        """The test of the difference first - second; both statistics have the same units."""
        whole = [Statistic(each.table, each.value) for each in (first, second)]
        return self.every(Sampler(whole, units), [(0, 1)], rng)[0][0]

    def every(
        self, sampler: Sampler, pairs: Sequence[Pair], rng: np.random.Generator
    ) -> list[list[Verdict]]:
        """The tests of several differences of two statistics, all with the same exchanges: for each
        pair one verdict, or one for each score that has columns of its own.
        """
        changes: dict[tuple[int, int, bool], list[Change]] = {}
        for pair in pairs:
            if (key := _key(sampler, pair)) not in changes:
                changes[key] = _changes(sampler, pair)
        counts: dict[int, Counts] = {}
        for i, pair in enumerate(pairs):
            drawn = [change.size > EXACT for change in changes[_key(sampler, pair)]]
            if any(drawn):
                first, second = (sampler.statistics[which].point for which in pair)
                counts[i] = Counts(first, second, np.array(drawn), self.stop)
        tests: dict[Pair, list[int]] = {}
        for i in counts:
            tests.setdefault(_key(sampler, pairs[i])[:2], []).append(i)
        if tests:
            weights = exchanges(len(sampler.units), self.trials, rng)
            for moved in _products(sampler, list(tests), weights, self.trials):
                for tables, numbers in list(tests.items()):
                    difference = moved(tables)
                    for i in numbers:
                        counts[i].add(_exchanged(sampler, pairs[i], difference))
                    tests[tables] = [i for i in numbers if not counts[i].over]
                    if not tests[tables]:
                        del tests[tables]
                if not tests:
                    break
        return [
            _verdicts(sampler, pair, changes[_key(sampler, pair)], counts.get(i))
            for i, pair in enumerate(pairs)
        ]


Pair = tuple[int, int]
"""The numbers of two statistics of a sampler."""


class Change(NamedTuple):
    """In how many units two tables differ, in all columns or in those of one score; and if these
    are few, what the second table has more than the first in each of these units.
    """

    size: int
    rows: FloatArray


class Counts:
    """How many exchanges give a difference as large as the observed one, and how many no value."""

    def __init__(
        self, first: FloatArray, second: FloatArray, drawn: BoolArray | None = None,
        stop: int | None = None,
    ) -> None:  # fmt: skip
        self.observed = first - second
        self.tried, self.extreme, self.missing = np.zeros((3, len(first)))
        self.stop = math.inf if stop is None else stop
        # An observed difference without a value has no p, whatever the exchanges give.
        waits = ~np.isnan(self.observed)
        self.waits = waits if drawn is None else waits & drawn

    @property
    def over(self) -> bool:
        """Whether no further exchange changes any p."""
        return not (self.waits & (self.extreme < self.stop)).any()

    def add(self, values: FloatArray, ways: FloatArray | None = None) -> None:
        """Count differences after exchanges (exchanges x scores), each as often as `ways` says."""
        extreme, missing = np.abs(values) >= np.abs(self.observed) - CLOSE, np.isnan(values)
        more = _count(extreme) if ways is None else ways @ extreme
        if (self.extreme + more < self.stop).all():
            self.tried += len(values) if ways is None else ways.sum()
            self.extreme += more
            self.missing += _count(missing) if ways is None else ways @ missing
            return
        # Of each score, only the exchanges up to the one that stops its test.
        before = self.extreme + np.cumsum(extreme, axis=0) - extreme
        kept = before < self.stop
        self.tried += kept.sum(axis=0)
        self.extreme += (extreme & kept).sum(axis=0)
        self.missing += (missing & kept).sum(axis=0)

    def verdict(
        self, first: FloatArray, second: FloatArray, part: slice, differing: int, *, exact: bool
    ) -> Verdict:
        """The verdict for some of the scores. An approximate p counts the data as one exchange,
        unless its test was stopped.
        """
        observed, tried = self.observed[part], self.tried[part]
        extreme, missing = self.extreme[part], self.missing[part]
        stopped = extreme >= self.stop
        one = np.where(stopped | exact, 0, 1)
        p = (one + extreme) / np.maximum(one + tried - missing, 1)
        p = np.where(np.isnan(observed), np.nan, p)
        return Verdict(
            observed, p, differing, exact, tried.astype(np.int64), missing.astype(np.int64),
            stopped, first, second,
        )  # fmt: skip


def _count(bits: BoolArray) -> IntArray:
    """How many of each column are true: of a single one in a tenth of the time."""
    one = bits.shape[1] == 1
    return np.array([np.count_nonzero(bits)]) if one else np.count_nonzero(bits, axis=0)


def _key(sampler: Sampler, pair: Pair) -> tuple[int, int, bool]:
    """Pairs with the same key differ in the same units."""
    first, second = (sampler.table_of[which] for which in pair)
    return first, second, sampler.statistics[pair[0]].columns is None


def _changes(sampler: Sampler, pair: Pair) -> list[Change]:
    """What exchanging the two systems' answers changes, for all columns or for each score."""
    first, second = (sampler.statistics[which].table for which in pair)
    difference = second.minus(first)
    parts = sampler.statistics[pair[0]].columns
    if parts is None:
        # A mean over labels has no part if no file has a label.
        nothing = np.empty(0, np.int64)
        units = distinct(np.concatenate([nothing, *map(_occupied, difference.parts)]))
        return [Change(len(units), difference.rows(units if len(units) <= EXACT else units[:0]))]
    sizes = np.zeros(len(parts), np.int64)
    rows: list[list[FloatArray]] = [[] for _ in parts]
    for some in stretches(len(sampler.units), max(first.width, 1)):
        index = sampler.units.order[some]
        more = difference.rows(index)
        for i, columns in enumerate(parts):
            differs = more[:, columns].any(axis=1)
            sizes[i] += np.count_nonzero(differs)
            if sizes[i] <= EXACT:
                rows[i].append(more[differs][:, columns])
    return [
        Change(size, np.concatenate(own) if own and size <= EXACT else np.zeros((0, len(columns))))
        for size, own, columns in zip(sizes.tolist(), rows, parts, strict=True)
    ]


def _occupied(part: Part) -> IntArray:
    """The units that have anything in a part."""
    rows = np.flatnonzero(part.values.any(axis=1))
    return rows if part.units is None else part.units[rows]


def _products(
    sampler: Sampler, tables: Sequence[Pair], weights: Iterable[ByteArray], trials: int
) -> Iterator[Callable[[Pair], FloatArray]]:
    """For some trials at a time, what says of a pair of tables what the second has more than the
    first in the exchanged units (trials x columns).

    One pair after the other: the differences of all pairs of 40 systems together are gigabytes.
    """
    used = sorted({table for pair in tables for table in pair})
    if len(tables) < len(used):
        # Two systems have half as many differences as tables, and many columns of these are 0.
        more = [sampler.tables[b].minus(sampler.tables[a]) for a, b in tables]
        place = {pair: i for i, pair in enumerate(tables)}
        matrix = Matrix(more, sampler.units, _summed(sampler, tables))
        for _, sums in matrix.products(weights, trials, "trials", times=4):
            yield lambda pair, sums=sums: sums[place[pair]]  # type: ignore[misc]
        return
    number = {table: i for i, table in enumerate(used)}
    summed = {
        number[table]: (number[other], columns)
        for table, (other, columns) in sampler.summed.items()
        if table in number and other in number
    }
    matrix = Matrix([sampler.tables[table] for table in used], sampler.units, summed)
    for _, sums in matrix.products(weights, trials, "trials", times=2):
        yield lambda pair, sums=sums: sums[number[pair[1]]] - sums[number[pair[0]]]  # type: ignore[misc]


def _summed(sampler: Sampler, tables: Sequence[Pair]) -> Summed:
    """The pairs of tables whose differences are sums of those of another pair."""
    place = {pair: i for i, pair in enumerate(tables)}
    summed = {}
    for i, (a, b) in enumerate(tables):
        if a in sampler.summed and b in sampler.summed:
            (first, columns), (second, _) = sampler.summed[a], sampler.summed[b]
            if (first, second) in place:
                summed[i] = place[first, second], columns
    return summed


def _exchanged(sampler: Sampler, pair: Pair, moved: FloatArray) -> FloatArray:
    """The differences of two statistics, after this much has moved from the second system to the
    first.
    """
    first, second = (sampler.statistics[which] for which in pair)
    return first.values(first.table.sums + moved) - second.values(second.table.sums - moved)


def _verdicts(
    sampler: Sampler, pair: Pair, changes: Sequence[Change], counts: Counts | None
) -> list[Verdict]:
    both = [sampler.statistics[which] for which in pair]
    columns = both[0].columns
    verdicts = []
    for place, change in enumerate(changes):
        part = slice(None) if columns is None else slice(place, place + 1)
        first, second = (each.point[part] for each in both)
        if change.size > EXACT:
            assert counts is not None, "exchanges are drawn wherever many units differ"
            verdicts.append(counts.verdict(first, second, part, change.size, exact=False))
            continue
        own = slice(None) if columns is None else columns[place]
        ours, theirs = (each.table.sums[own] for each in both)
        every = Counts(first, second)
        for moved, ways in _every_exchange(change.rows):
            every.add(both[0].values(ours + moved) - both[1].values(theirs - moved), ways)
        verdicts.append(every.verdict(first, second, slice(None), change.size, exact=True))
    return verdicts


def _every_exchange(rows: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
    """What moves in every way to exchange these rows, and how many ways move the same; some at a
    time. One row stays where it is: exchanging all others instead only changes the sign.

    >>> rows = np.array([[1.0], [1.0], [1.0]])
    >>> [(moved.tolist(), ways.tolist()) for moved, ways in _every_exchange(rows)]
    [([[0.0], [1.0], [2.0]], [1.0, 2.0, 1.0])]
    """
    alike = Counter(map(tuple, rows.tolist()))
    if alike:
        alike[alike.most_common(1)[0][0]] -= 1
    moved, ways = np.zeros((1, rows.shape[1])), np.ones(1)
    rest = []
    for row, count in alike.items():
        if len(moved) * (count + 1) * max(rows.shape[1], 1) > CELLS:
            rest.append((np.array(row), count))
            continue
        moved = np.concatenate([moved + k * np.array(row) for k in range(count + 1)])
        ways = np.concatenate([ways * math.comb(count, k) for k in range(count + 1)])
    for chosen in product(*(range(count + 1) for _, count in rest)):
        more, times = np.zeros(rows.shape[1]), 1
        for k, (own, count) in zip(chosen, rest, strict=True):
            more, times = more + k * own, times * math.comb(count, k)
        yield moved + more, ways * times
