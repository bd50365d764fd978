"""Bootstrap and jackknife of any number of scores at once: each weight is drawn only once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Generic, TypeVar

import numpy as np

from carob.arrays.basis import basis
from carob.arrays.columns import compact
from carob.arrays.sums import split
from carob.arrays.types import ByteArray, FloatArray, HashArray, IntArray, SingleArray
from carob.arrays.weigh import Weigher
from carob.counts.rows import Rows, Statistic
from carob.infer._draws import CHUNK, Units, streams

CELLS = 1 << 24
"""How many sums are held at a time, about: memory and speed; of a result at most the rounding."""

HELD = 1 << 25
"""How many numbers are kept, about, rather than made again: memory and speed, no result."""

T = TypeVar("T")

Contrast = tuple[int] | tuple[int, int]
"""One statistic, or the first minus the second."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Moments:
    """What leaving one unit out at a time tells of a score, or of several (arrays).

    `error` is the standard error, `skew` the acceleration of BCa, `count` how many of the
    leave-one-out scores have a value, `freedom` their degrees of freedom.
    """

    error: FloatArray
    skew: FloatArray
    count: IntArray
    freedom: IntArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sample:
    """All that an interval is made of: scores, their resamples (draws x scores), the jackknife."""

    units: Units
    point: FloatArray
    draws: FloatArray
    moments: Moments


@dataclass(slots=True, eq=False, repr=False)
class Totals:
    """Column sums in two parts, each of them exact, and whether all numbers are whole."""

    coarse: FloatArray
    fine: FloatArray
    whole: bool = True

    @property
    def sums(self) -> FloatArray:
        """The sums."""
        return self.coarse + self.fine

    def without(self, rows: FloatArray) -> FloatArray:
        """The sums without one of the rows, for each of them."""
        if self.whole:
            return self.coarse - rows
        coarse, fine = split(rows)
        found: FloatArray = (self.coarse - coarse) + (self.fine - (0.0 if fine is None else fine))
        return found


class Together:
    """The rows of several statistics over the same units, so that one product serves them all."""

    def __init__(self, statistics: Sequence[Statistic], units: Units) -> None:
        # Those of all labels come first, so that a total is made of them, who are smaller.
        distinct = {id(s.rows): s.rows for s in statistics}
        each = dict(sorted(distinct.items(), key=lambda item: -item[1].width))
        self.rows: list[Rows] = list(each.values())
        self.statistics, self.units = statistics, units
        place = {key: i for i, key in enumerate(each)}
        self.of = [place[id(s.rows)] for s in statistics]
        self._with: list[list[int]] = [[] for _ in self.rows]
        for i, number in enumerate(self.of):
            self._with[number].append(i)
        self.ends: list[int] = np.cumsum([0] + [rows.width for rows in self.rows]).tolist()
        self.width = self.ends[-1]
        self._held: dict[int, list[FloatArray]] = {}
        self._made_of = dict(self._made(place))

    def _made(self, place: Mapping[int, int]) -> Iterator[tuple[int, tuple[int, list[range]]]]:
        """For the rows of each number that are totals of others: whose, and of which columns."""
        for number, rows in enumerate(self.rows):
            other, columns = getattr(rows, "made_of", (None, []))
            if id(other) in place and columns:
                yield number, (place[id(other)], columns)

    @cached_property
    def product(self) -> Product:
        """What has to be multiplied with the weights of units."""
        return Product(self)

    def sums_of_others(self) -> dict[int, list[int]]:
        """For each column that is a sum of other columns, which these are."""
        return {
            self.ends[number] + i: [self.ends[other] + column for column in some]
            for number, (other, columns) in self._made_of.items()
            for i, some in enumerate(columns)
        }

    @cached_property
    def totals(self) -> list[Totals]:
        """The sums of all rows."""
        found = [Totals(np.zeros(rows.width), np.zeros(rows.width)) for rows in self.rows]
        whole = [getattr(rows, "whole", False) for rows in self.rows]
        for _, lines in self.blocks():
            for each, own, known in zip(found, lines, whole, strict=True):
                coarse, fine = (own, None) if known else split(own)
                each.coarse += coarse.sum(axis=1, dtype=np.float64)
                each.whole &= coarse is own
                if fine is not None:
                    each.fine += fine.sum(axis=1)
        return found

    @cached_property
    def points(self) -> list[FloatArray]:
        """Each statistic of the data as they are."""
        sums = [total.sums[None] for total in self.totals]
        found = dict(self.values(sums.__getitem__))
        return [found[i][0] for i in range(len(found))]

    def blocks(self) -> Iterator[tuple[int, list[FloatArray]]]:
        """Block by block the number of the stratum and the lines of all rows: the numbers of one
        column stand together, in two bytes each where that will do. They are kept if there are not
        too many.
        """
        keep = len(self.units) * self.width <= HELD
        for number, (stratum, index) in enumerate(self.units.blocks()):
            lines = self._held.get(number)
            if lines is None:
                lines = []
                for i in range(len(self.rows)):
                    lines.append(self._lines(i, index, lines))
                if keep:
                    self._held[number] = lines
            yield stratum, lines

    def _lines(self, number: int, index: IntArray, there: list[FloatArray]) -> FloatArray:
        """The lines of the rows of one number, in numbers as small as will do: so many are kept.
        Those of which totals are made are there already.
        """
        if number in self._made_of:
            other, columns = self._made_of[number]
            if other < len(there):
                parts = (there[other][some.start : some.stop] for some in columns)
                return compact(np.array([part.sum(axis=0, dtype=np.float64) for part in parts]))
        return compact(np.ascontiguousarray(self.rows[number].block(index).T))

    def values(self, sums: Sums) -> Iterator[tuple[int, FloatArray]]:
        """Each statistic (its number, and draws x scores) from the sums of all rows, those with the
        same rows together.
        """
        for number, some in enumerate(self._with):
            own = sums(number)
            for i in some:
                value = self.statistics[i].value(own)
                yield i, value[:, None] if value.ndim == 1 else value
            self.forget(number)

    def forget(self, number: int) -> None:
        """What was made of the last sums of these rows will not be asked for again."""
        forget = getattr(self.rows[number], "forget", None)
        if forget is not None:
            forget()


def bootstrap(
    together: Together, resamples: int, rng: np.random.Generator,
    contrasts: Sequence[Contrast] | None = None, cells: int = CHUNK,
) -> list[FloatArray]:  # fmt: skip
    """For each statistic, or each contrast, its scores in resamples of the units (draws x scores).

    Every statistic sees the same resamples, so that their differences are paired.
    """
    wanted = [(i,) for i in range(len(together.of))] if contrasts is None else contrasts
    flows = streams(together.units, resamples, rng)
    found = room([len(together.points[contrast[0]]) for contrast in wanted], resamples)
    for draws, sums in together.product.drawn(
        resamples, lambda block, first, end: flows[block].chunks(first, end, cells)
    ):
        for number, parts in contrasted(together.values(sums), wanted):
            difference(parts, found[number][draws])
    return found


def room(sizes: Sequence[int], draws: int) -> list[FloatArray]:
    """Room for so many scores of each statistic (draws x scores). It is one table: of a large one
    the system gives large pages, which costs much less than many small ones.

    >>> [part.shape for part in room([1, 4], 10)]
    [(10, 1), (10, 4)]
    """
    ends = np.cumsum([0, *sizes]).tolist()
    table = np.empty((ends[-1], draws))
    return [table[first:end].T for first, end in pairwise(ends)]


Weights = Iterator[tuple[int, HashArray]] | Iterator[tuple[int, ByteArray | SingleArray]]
"""The weights of some draws at a time, with the place of the first."""

Sums = Callable[[int], FloatArray]
"""The sums (draws x columns) of the rows of each number."""


class Product:
    """What has to be multiplied with weights of units: a basis of the lines of all rows."""

    def __init__(self, together: Together) -> None:
        self.together = together
        self.basis = basis(_Again(self._lines), together.sums_of_others())
        sizes = [len(index) for _, index in together.units.blocks()]
        # More balls in a block are less likely than a broken machine.
        most = [min(len(together.units), size + 16 * math.isqrt(size) + 64) for size in sizes]
        self._factor = Weigher(_Again(self._kept), len(together.units), most)

    def _lines(self) -> Iterator[list[FloatArray]]:
        """The lines of all rows, one by one, none copied."""
        for _, lines in self.together.blocks():
            yield [line for table in lines for line in table]

    def _kept(self) -> Iterator[list[FloatArray]]:
        """Those of the basis."""
        for lines in self._lines():
            yield [lines[line] for line in self.basis.kept.tolist()]

    def drawn(
        self, draws: int, weights: Callable[[int, int, int], Weights]
    ) -> Iterator[tuple[slice, Sums]]:
        """The sums of all draws, some draws at a time. `weights` gives the weights of a block for
        the draws first..end.
        """
        held = max(1, CELLS // max(self.together.width, 1))
        for first in range(0, draws, held):
            end = min(first + held, draws)
            sums = self._factor.room(end - first)
            for block in range(sum(1 for _ in self.together.units.blocks())):
                for start, some in weights(block, first, end):
                    self._factor.add(sums[start : start + len(some)], block, some)
            yield slice(first, end), partial(self._sums, self._factor.total(sums))

    def _sums(self, kept: FloatArray, number: int) -> FloatArray:
        """The sums of the rows of this number, from those of the basis."""
        first, end = self.together.ends[number : number + 2]
        found = np.empty((end - first, kept.shape[1]))
        for i, line in enumerate(found, first):
            self.basis.line(i, kept, line)
        return found.T


class _Again(Generic[T]):
    """What can be iterated over as often as one likes, without being held."""

    def __init__(self, made: Callable[[], Iterator[T]]) -> None:
        self._made = made

    def __iter__(self) -> Iterator[T]:
        return self._made()


def jackknife(together: Together, contrasts: Sequence[Contrast]) -> list[Moments]:
    """What leaving out one unit at a time tells of each statistic, or of differences of two.

    Leaving a unit out subtracts its row from the sums; with strata, the rest of its stratum then
    stands for all of it. Scores without a value are left out.
    """
    points = contrasted(enumerate(together.points), contrasts)
    at = {number: difference(parts) for number, parts in points}
    sizes = together.units.sizes
    strata = [np.zeros((len(sizes), rows.width)) for rows in together.rows]
    for stratum, lines in together.blocks() if len(sizes) > 1 else ():
        for total, each in zip(strata, lines, strict=True):
            whole, rest = split(each)
            total[stratum] += whole.sum(axis=1, dtype=np.float64)
            total[stratum] += 0.0 if rest is None else rest.sum(axis=1)
    sums = [np.zeros((len(sizes), 4, len(at[number]))) for number in range(len(contrasts))]
    for stratum, lines in together.blocks():
        size = int(sizes[stratum])

        def left(number: int, lines: list[FloatArray] = lines, size: int = size,
                 stratum: int = stratum) -> FloatArray:  # fmt: skip
            total, own = together.totals[number], lines[number].T.astype(np.float64)
            if len(sizes) == 1:
                return total.without(own)
            more = strata[number][stratum] - size * own
            found: FloatArray = total.sums + more / max(size - 1, 1)
            return found

        for number, parts in contrasted(together.values(left), contrasts):
            # Deviations from the score itself are small, so powers of them keep their digits.
            away = difference(parts) - at[number]
            count, one = np.full(away.shape[1], len(away)), away.sum(axis=0)
            if np.isnan(one).any():
                gone = np.isnan(away)
                away[gone] = 0.0
                count, one = count - gone.sum(axis=0), away.sum(axis=0)
            square = away * away
            two = square.sum(axis=0)
            square *= away
            sums[number][stratum] += [count, one, two, square.sum(axis=0)]
    return [_moments(total) for total in sums]


def contrasted(
    values: Iterable[tuple[int, FloatArray]], contrasts: Sequence[Contrast]
) -> Iterator[tuple[int, list[FloatArray]]]:
    """Each contrast (its number, and the one value or the two) as soon as the values of its
    statistics have come. What no other contrast needs is let go.

    >>> values = [(0, np.array([5.0])), (1, np.array([3.0]))]
    >>> list(contrasted(values, [(0, 1), (0,)]))
    [(1, [array([5.])]), (0, [array([5.]), array([3.])])]
    """
    using: dict[int, set[int]] = {}
    for number, contrast in enumerate(contrasts):
        for i in contrast:
            using.setdefault(i, set()).add(number)
    there: dict[int, FloatArray] = {}
    for i, value in values:
        if i in using:
            there[i] = value
        for number in sorted(using.get(i, ())):
            contrast = contrasts[number]
            if all(each in there for each in contrast):
                yield number, [there[each] for each in contrast]
                for each in set(contrast):
                    using[each].remove(number)
                    if not using[each]:
                        del there[each]


def difference(parts: Sequence[FloatArray], out: FloatArray | None = None) -> FloatArray:
    """The first minus the second, or the only one; put into `out`, if that is given.

    >>> difference([np.array([5.0]), np.array([3.0])]), difference([np.array([5.0])])
    (array([2.]), array([5.]))
    """
    if out is None:
        return parts[0] - parts[1] if len(parts) == 2 else parts[0]
    if len(parts) == 2:
        np.subtract(parts[0], parts[1], out=out)
    else:
        np.copyto(out, parts[0])
    return out


def _moments(sums: FloatArray) -> Moments:
    """From sums of powers for each stratum: the error adds up over strata, and so does the skew.

    Efron & Tibshirani (1993), "An Introduction to the Bootstrap", 11.1 and 14.3; for strata the
    sums run over all of them, each with its own size.
    """
    count, one, two, three = (sums[:, i] for i in range(4))
    size = np.maximum(count, 1)
    mean = one / size
    second = np.maximum(two - one * mean, 0.0)
    third = -(three - 3 * mean * two + 2 * one * mean**2)
    share = (size - 1) / size
    # Rounding alone leaves a spread of about 1e-16 for each score: no spread at all.
    second = np.where(second <= count * 1e-30, 0.0, second)
    error = np.sqrt((share * second).sum(axis=0))
    spread = (share**2 * second).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        skew = (share**3 * third).sum(axis=0) / (6 * spread**1.5)
    total = count.sum(axis=0)
    freedom = np.maximum(count - 1, 0).sum(axis=0)
    return Moments(error, skew, total.astype(np.int64), freedom.astype(np.int64))
