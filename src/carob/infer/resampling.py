"""Bootstrap and jackknife of any number of scores at once: weights times tables.

Every score is a function of column sums (see counts/tally.py). The columns of all tables form one
matrix, and the sums of all resamples are the product of their weights with it. A resample of n
units takes n of them at random, with replacement; its weights say how often it takes each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from carob import progress
from carob.arrays.columns import is_whole, stretches
from carob.arrays.types import BoolArray, ByteArray, FloatArray, IntArray
from carob.counts.tally import Items, Statistic, Table

CHUNK = 1 << 20
"""About how many weights are made at a time. A different number gives different draws."""


@dataclass(slots=True, eq=False, repr=False)
class Units:
    """The units of resampling: their order of drawing, and where each stratum begins in it.

    The order does not depend on that of the file, so neither do the draws.

    >>> Units.of(3).sizes
    array([3])
    """

    order: IntArray
    bounds: IntArray
    kind: str = "document"

    @classmethod
    def of(
        cls, size: int, order: IntArray | None = None, strata: IntArray | None = None,
        kind: str = "document",
    ) -> Units:  # fmt: skip
        """Units in this order (default: as they are), within `strata` (codes).

        >>> Units.of(4, strata=np.array([1, 0, 1, 0])).order
        array([1, 3, 0, 2])
        """
        order = np.arange(size) if order is None else order
        if strata is None or not size:
            return cls(order, np.array([0, size]), kind)
        by_stratum = order[np.argsort(strata[order], kind="stable")]
        counts = np.bincount(strata - strata.min())
        return cls(by_stratum, np.concatenate([[0], np.cumsum(counts[counts > 0])]), kind)

    def __len__(self) -> int:
        return len(self.order)

    @property
    def sizes(self) -> IntArray:
        """How many units each stratum has."""
        return np.diff(self.bounds)

    def joined(self) -> Units:
        """The same units, a stratum of one joined to the next: leaving its unit out leaves nothing
        to stand for it.

        >>> Units.of(4, strata=np.array([1, 0, 2, 2])).joined().bounds
        array([0, 2, 4])
        """
        bounds = [0]
        for end in self.bounds.tolist()[1:]:
            if end - bounds[-1] > 1:
                bounds.append(end)
        bounds[max(len(bounds) - 1, 1) :] = [len(self)]
        return self if len(bounds) == len(self.bounds) else replace(self, bounds=np.array(bounds))

    def words(self, count: int | None = None) -> str:
        """A number of units in words.

        >>> Units.of(1).words(), Units.of(1200, kind="sentence").words()
        ('1 document', '1,200 sentences')
        """
        count = len(self) if count is None else count
        return f"{count:,} {self.kind}{'s' if count != 1 else ''}"


def resamples(units: Units, draws: int, rng: np.random.Generator) -> Iterator[ByteArray]:
    """How often each resample takes each unit (draws x units, in the order of drawing), some
    resamples at a time. Each stratum keeps its size.
    """
    step = max(TOGETHER, CHUNK // max(len(units), 1))
    strata = list(pairwise(units.bounds.tolist()))
    for start in range(0, draws, step):
        count = min(step, draws - start)
        parts = [_multinomial(count, end - first, rng) for first, end in strata]
        yield parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def exchanges(units: int, draws: int, rng: np.random.Generator) -> Iterator[ByteArray]:
    """Whether each trial exchanges the answers of two systems for a unit, 0 or 1 (trials x units),
    some trials at a time.
    """
    step = max(TOGETHER, CHUNK // max(units, 1))
    for start in range(0, draws, step):
        count = min(step, draws - start)
        words = rng.integers(0, 1 << 64, size=(count, -(-units // 64)), dtype=np.uint64)
        yield np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, count=units)


def _multinomial(count: int, size: int, rng: np.random.Generator) -> ByteArray:
    """`count` times, how many of `size` balls fall into each of `size` cells."""
    weights = np.empty((count, size), np.uint8)
    # A byte is enough: more than 255 balls in one cell are less likely than a broken machine.
    for row, cells in zip(weights, rng.integers(0, size, size=(count, size)), strict=True):
        row[:] = np.bincount(cells, minlength=size)
    return weights


HELD = 1 << 20
"""About how many sums are kept at a time: it changes memory and speed, no result."""

TOGETHER = 8
"""At least this many resamples are multiplied at a time: the matrix is read once for all of them.
"""

LARGE, GROUPS = 1 << 24, 400
"""Where units x columns of a table are more than LARGE, the jackknife leaves out GROUPS groups of
units, one group at a time, instead of single units."""

SINGLE = 2.0**22
"""Sums of quarters below this are exact in single precision, which is twice as fast."""

Summed = Mapping[int, tuple[int, IntArray]]
"""For the number of a table, that of the table whose columns it adds up, and which it adds."""

Contrast = tuple[int] | tuple[int, int]
"""One statistic, or the first minus the second."""


@dataclass(slots=True, eq=False, repr=False)
class Moments:
    """What leaving out one unit at a time says about one or several scores (arrays).

    `error` is the standard error, `skew` the acceleration of BCa, `count` how many leave-one-out
    scores have a value; `size` is how many there are. Of their deviations from the `means` of their
    strata (strata x scores), each with the factor of its stratum (`factors`, likewise), `square` is
    the sum of squares, `satterthwaite` the degrees of freedom that their kurtosis leaves, and
    `agree` whether they are nothing but rounding. `freedom` is how many there are but for the
    strata.
    """

    error: FloatArray
    skew: FloatArray
    count: IntArray
    size: int
    means: FloatArray
    factors: FloatArray
    square: FloatArray
    satterthwaite: FloatArray
    agree: BoolArray
    freedom: IntArray

    def only(self, some: slice) -> Moments:
        """The moments of some scores."""
        every = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(self, **{k: v[..., some] for k, v in every.items() if k != "size"})


class Sampler:
    """Several statistics over the same units, resampled together so that they can be compared."""

    def __init__(self, statistics: Sequence[Statistic], units: Units) -> None:
        self.statistics, self.units = statistics, units
        tables = {id(statistic.table): statistic.table for statistic in statistics}
        self.tables = list(tables.values())
        place = {key: i for i, key in enumerate(tables)}
        self.table_of = [place[id(statistic.table)] for statistic in statistics]
        self.summed = {
            i: (place[id(table.summed[0])], table.summed[1])
            for i, table in enumerate(self.tables)
            if table.summed is not None and id(table.summed[0]) in place
        }

    def joined(self) -> Sampler:
        """The same statistics, with no stratum of one unit."""
        units = self.units.joined()
        return self if units is self.units else Sampler(self.statistics, units)

    @cached_property
    def matrix(self) -> Matrix:
        """The columns of all tables."""
        return Matrix(self.tables, self.units, self.summed)

    def points(self, contrasts: Sequence[Contrast]) -> list[FloatArray]:
        """Each contrast of the data as they are."""
        return [_difference([self.statistics[i].point for i in contrast]) for contrast in contrasts]

    def bootstrap(
        self, draws: int, rng: np.random.Generator, contrasts: Sequence[Contrast] | None = None
    ) -> list[FloatArray]:
        """Each contrast (default: each statistic) in resamples of the units: draws x scores."""
        contrasts = self.each() if contrasts is None else contrasts
        # Scores are sorted one by one later: the draws of each are contiguous.
        results = [np.empty((len(point), draws)).T for point in self.points(contrasts)]
        weights = resamples(self.units, draws, rng)
        for some, sums in self.matrix.products(weights, draws):
            values = self._values(sums)
            for result, contrast in zip(results, contrasts, strict=True):
                result[some] = _difference([values[i] for i in contrast])
        return results

    def jackknife(self, contrasts: Sequence[Contrast] | None = None) -> list[Moments]:
        """What leaving out one unit at a time says about each contrast (default: each statistic).

        Leaving out a unit subtracts its row from the sums; with strata, the rest of its stratum
        then stands for the whole stratum. Scores without a value are left out. For the scores of
        LARGE tables, groups of units take the place of units.
        """
        contrasts = self.each() if contrasts is None else contrasts
        moments: dict[Contrast, Moments] = {}
        for sampler, own in self.by_size(contrasts):
            every = [tuple(sampler.statistics[i] for i in contrast) for contrast in own]
            moments |= zip(own, sampler.moments(every), strict=True)
        return [moments[contrast] for contrast in contrasts]

    def by_size(self, contrasts: Sequence[Contrast]) -> list[tuple[Sampler, list[Contrast]]]:
        """The contrasts; those of LARGE tables with the sampler of groups of units."""
        large = {each for each in contrasts if any(map(self._is_large, each))}
        parts = [
            (self, [each for each in contrasts if each not in large]),
            (self._of_groups if large else self, [each for each in contrasts if each in large]),
        ]
        return [(sampler, own) for sampler, own in parts if own]

    def _is_large(self, which: int) -> bool:
        size = len(self.units)
        return size > GROUPS and size * self.statistics[which].table.width > LARGE

    @cached_property
    def _of_groups(self) -> Sampler:
        """The same statistics, those of LARGE tables over groups of units. Each stratum has its
        share of the groups, and deals its units out to them in turn.
        """
        size, group, bounds = len(self.units), np.empty(len(self.units), np.int64), [0]
        for first, end in pairwise(self.units.bounds.tolist()):
            count = min(end - first, max(2, round(GROUPS * (end - first) / size)))
            group[self.units.order[first:end]] = bounds[-1] + np.arange(end - first) % count
            bounds.append(bounds[-1] + count)
        tables: dict[int, Table] = {}

        def grouped(statistic: Statistic) -> Statistic:
            table, terms = statistic.table, statistic.scale.terms
            if id(table) not in tables:
                tables[id(table)] = table.grouped(group, bounds[-1])
            scale = statistic.scale._replace(terms=None if terms is None else grouped(terms))
            return replace(statistic, table=tables[id(table)], scale=scale)

        statistics = [
            grouped(each) if self._is_large(i) else each for i, each in enumerate(self.statistics)
        ]
        return Sampler(statistics, Units(np.arange(bounds[-1]), np.array(bounds), self.units.kind))

    def moments(self, contrasts: Sequence[tuple[Statistic, ...]]) -> list[Moments]:
        """What leaving out each unit says about some statistics, or differences of two."""
        keys = [tuple(map(id, contrast)) for contrast in contrasts]
        every = dict(zip(keys, contrasts, strict=True))
        new = {key: each for key, each in every.items() if key not in self._known}
        points = [_difference([each.point for each in contrast]) for contrast in new.values()]
        # All scores side by side: a few large arrays instead of many small ones. Deviations from
        # one of the leave-one-out scores keep their digits; the score itself may be far from all.
        base = np.full(sum(map(len, points)), np.nan)
        powers = np.zeros((len(self.units.bounds) - 1, 5, len(base)))
        for stratum, values in self.left_out([each for some in new.values() for each in some]):
            parts = [_difference([values[i] for i in key]) for key in new]
            scores = np.concatenate(parts, axis=1)
            known = ~np.isnan(scores)
            first_known = scores[known.argmax(axis=0), np.arange(len(base))]
            base = np.where(np.isnan(base), first_known, base)
            powers[stratum] += _powers(scores - base)
        moments, first = _moments(powers, np.nan_to_num(base), len(self.units)), 0
        for key, own in zip(new, points, strict=True):
            self._known[key] = moments.only(slice(first, first := first + len(own)))
        return [self._known[key] for key in keys]

    @cached_property
    def _known(self) -> dict[tuple[int, ...], Moments]:
        return {}

    def left_out(
        self, statistics: Sequence[Statistic]
    ) -> Iterator[tuple[int, dict[int, FloatArray]]]:
        """The scores without each unit, of some units at a time: the number of their stratum, and
        under the id of each statistic a row for each unit.
        """
        every = {id(each): each for each in statistics}
        tables = {id(each.table): each.table for each in every.values()}
        widest = sum(table.width for table in tables.values())
        for stratum, (first, end) in enumerate(pairwise(self.units.bounds.tolist())):
            inside = {i: self._stratum_sums(table, first, end) for i, table in tables.items()}
            for part in stretches(end - first, max(widest // 10, 1)) if every else ():
                index = self.units.order[first + part.start : first + part.stop]
                sums = {}
                for i, table in tables.items():
                    rows = table.rows(index)
                    if (stratum_sums := inside[i]) is not None:
                        rows = ((end - first) * rows - stratum_sums) / max(end - first - 1, 1)
                    sums[i] = table.sums - rows
                yield stratum, {i: each.values(sums[id(each.table)]) for i, each in every.items()}

    def units_with(self, items: Sequence[tuple[Table, Items]]) -> tuple[IntArray, FloatArray]:
        """In how many units any of some tables has items of each score, and the most in one."""
        counts, most = np.zeros(1, np.int64), np.zeros(1)
        widest = max(table.width for table, _ in items)
        for part in stretches(len(self.units), widest):
            index = self.units.order[part]
            each = [own(table.rows(index)).reshape(len(index), -1) for table, own in items]
            there: FloatArray = np.maximum.reduce(each)
            counts = counts + (there > 0).sum(axis=0)
            most = np.maximum(most, there.max(axis=0, initial=0))
        return counts, most

    def each(self) -> list[Contrast]:
        """Every statistic as a contrast of its own."""
        return [(i,) for i in range(len(self.statistics))]

    def _values(self, sums: Sequence[FloatArray]) -> list[FloatArray]:
        """Every statistic of the sums of each table."""
        return [
            statistic.values(sums[table])
            for statistic, table in zip(self.statistics, self.table_of, strict=True)
        ]

    def _stratum_sums(self, table: Table, first: int, end: int) -> FloatArray | None:
        """The sums of one of several strata."""
        if len(self.units.bounds) == 2:
            return None
        sums: FloatArray = table.rows(self.units.order[first:end]).sum(axis=0)
        return sums


def _difference(values: Sequence[FloatArray]) -> FloatArray:
    return values[0] if len(values) == 1 else values[0] - values[1]


class Matrix:
    """The columns of several tables, to be multiplied with weights of units.

    Columns that are equal (how much gold has is the same in most event spaces) are multiplied once,
    and tables that are `summed` not at all: their sums are those of the columns they add up. These
    have to be quarters, so that a sum is the same number whether its table is summed or multiplied.

    Columns are rounded so that all their sums are exact, and so do not depend on the order in which
    a library adds them up, on threads or on the machine. Whole numbers are not changed by that; in
    others it is less than 1e-15 of the largest possible sum.
    """

    def __init__(self, tables: Sequence[Table], units: Units, summed: Summed | None = None) -> None:
        summed = {
            i: (other, columns)
            for i, (other, columns) in (summed or {}).items()
            if all(is_whole(4 * part.values) for part in tables[other].parts)
        }
        self.units = size = len(units)
        order = units.order
        rank = np.empty(size, np.int64)
        rank[order] = np.arange(size)
        # -1 is the last line of a product, which is 0: of columns that are in no part.
        self._places = [np.full(table.width, -1) for table in tables]
        every: list[FloatArray] = []
        alike: dict[float, list[int]] = {}  # by their sum, the columns that may be equal
        sparse = []
        for i, (place, table) in enumerate(zip(self._places, tables, strict=True)):
            for part in table.parts if i not in summed else ():
                if part.units is not None:
                    sparse.append((place, part))
                    continue
                own = np.ascontiguousarray(part.values[order].T)
                sums = own.sum(axis=1).tolist()
                for column, line, total in zip(part.columns.tolist(), own, sums, strict=True):
                    candidates = alike.setdefault(float(total), [])
                    equal = (k for k in candidates if np.array_equal(line, every[k]))
                    place[column] = number = next(equal, len(every))
                    if number == len(every):
                        candidates.append(number)
                        every.append(line)
        exact = _exact(np.array(every, np.float64).reshape(-1, size), size)
        small = (np.rint(4 * exact) == 4 * exact).all(axis=1)
        small &= np.abs(exact).max(axis=1, initial=0.0) * size < SINGLE
        self._blocks: list[Any] = [
            np.ascontiguousarray(exact[small].T, np.float32),
            np.ascontiguousarray(exact[~small].T),
        ]
        new_number = np.append(np.argsort(np.argsort(~small, kind="stable")), -1)
        for place in self._places:
            place[:] = new_number[place]
        self.width = len(every)
        self._sparse = []
        for place, part in sparse:
            width = len(part.columns)
            place[part.columns] = np.arange(self.width, self.width + width)
            exact = _exact(part.values.T.astype(np.float64), size)
            self._sparse.append((slice(self.width, self.width + width), rank[part.units], exact))
            self.width += width
        for i, (other, columns) in summed.items():
            self._places[i] = np.append(self._places[other], -1)[columns]

    def products(
        self, weights: Iterable[ByteArray], draws: int, what: str = "resamples", times: int = 1
    ) -> Iterator[tuple[slice, list[FloatArray]]]:
        """The sums of each table (draws x columns), for some draws at a time; `what` they are.
        `times` as many are kept as for one table, where much is done with each.
        """
        held = max(1, times * HELD // max(self.width, 1))
        if progress.observer is not None:
            weights = progress.steps(weights, what, draws, len)
        first = 0
        for piece in weights:
            for low in range(0, len(piece), held):
                some = piece[low : low + held]
                product = self._product(some)
                sums = [
                    (product[place] if place.ndim == 1 else product[place].sum(axis=1)).T
                    for place in self._places
                ]
                yield slice(first, first + len(some)), sums
                first += len(some)

    def _product(self, weights: ByteArray) -> FloatArray:
        """The sums of each different column: columns x draws."""
        product = np.zeros((self.width + 1, len(weights)))
        first = 0
        for columns in self._blocks:
            end = first + columns.shape[1]
            if first < end:
                product[first:end] = (weights.astype(columns.dtype) @ columns).T
            first = end
        for lines, units, values in self._sparse:
            product[lines] = values @ weights[:, units].astype(np.float64).T
        return product


def _exact(lines: FloatArray, count: int) -> FloatArray:
    """Each line rounded to multiples of a power of two, of which `count` add up exactly.

    >>> _exact(np.array([[0.5, 3.0]]), 2)
    array([[0.5, 3. ]])
    """
    # Counts may come in two bytes each, in which their sums do not fit.
    lines = lines.astype(np.float64, copy=False)
    top = np.abs(lines).max(axis=1, initial=0.0, keepdims=True)
    unit = np.ldexp(1.0, np.frexp(top * count)[1] - 53)
    rounded: FloatArray = np.rint(lines / unit) * unit
    return rounded


def _powers(away: FloatArray) -> FloatArray:
    """Of deviations (units x scores): how many have a value, and the sums of their powers."""
    # A row for each score: its sums must not depend on which other scores there are.
    away = np.ascontiguousarray(away.T)
    undefined = np.isnan(away)
    if undefined.any():
        away = np.where(undefined, 0.0, away)
    square = away * away
    count = away.shape[1] - undefined.sum(axis=1)
    powers = (away, square, square * away, square * square)
    return np.array([count, *(each.sum(axis=1) for each in powers)])


def _moments(sums: FloatArray, base: FloatArray, size: int) -> Moments:
    """From sums of powers of deviations from a base, in each stratum: all add up over strata.

    Efron & Tibshirani (1993), "An Introduction to the Bootstrap", 11.1 and 14.3; for strata the
    sums run over all of them, each with its own size. Satterthwaite's degrees of freedom (1946)
    are those that the variance of SE^2 asks for, by the kurtosis of the deviations.
    """
    count, one, two, three, four = (sums[:, i] for i in range(5))
    known = np.maximum(count, 1)
    mean = one / known
    second = np.maximum(two - one * mean, 0.0)
    third = -(three - 3 * mean * two + 2 * one * mean**2)
    fourth = np.maximum(four - 4 * mean * three + 6 * mean**2 * two - 3 * known * mean**4, 0.0)
    share = (known - 1) / known
    total = count.sum(axis=0)
    middle = base + one.sum(axis=0) / np.maximum(total, 1)
    agree = ~(second.sum(axis=0) > total * 1e-28 * np.maximum(1.0, middle**2))
    # Rounding alone leaves a spread of about 1e-16 for each score: no spread at all.
    second = np.where(second <= count * 1e-30, 0.0, second)
    error = np.sqrt((share * second).sum(axis=0))
    spread = (share**2 * second).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        skew = (share**3 * third).sum(axis=0) / (6 * spread**1.5)
        whole = (total - 1) / total
        factors = np.sqrt(np.where(total > 1, share / whole, 0.0))
        square = (factors**2 * second).sum(axis=0)
        kurtosis = total * (factors**4 * fourth).sum(axis=0) / square**2
        fraction = 2 * total / (kurtosis - 1 + 2 / whole)
    freedom = np.maximum(count - 1, 0).sum(axis=0)
    fraction = np.where(agree | ~np.isfinite(fraction), np.maximum(freedom, 1), fraction)
    return Moments(
        error, skew, total.astype(np.int64), size, base + mean, factors, square, fraction, agree,
        freedom.astype(np.int64),
    )  # fmt: skip
