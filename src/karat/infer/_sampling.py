"""Bootstrap and jackknife of any number of scores at once: each weight is drawn only once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from karat.arrays.sums import split
from karat.infer._draws import CHUNK, Stream, Units, streams
from karat.nouns._types import FloatArray, IntArray
from karat.nouns.rows import Rows, Statistic

CELLS = 1 << 22
"""How many numbers of one kind are held at a time, about: memory and speed, no result."""

SINGLE = float(1 << 24)
"""Whole numbers below are exact in single precision, which multiplies twice as fast."""

Contrast = tuple[int] | tuple[int, int]
"""One statistic, or the first minus the second."""


@dataclass(frozen=True, slots=True)
class Moments:
    """What leaving one unit out at a time tells of a score, or of several (arrays).

    `error` is the standard error, `skew` the acceleration of BCa, `count` how many of the
    leave-one-out scores have a value, `freedom` their degrees of freedom.
    """

    error: FloatArray
    skew: FloatArray
    count: IntArray
    freedom: IntArray


@dataclass(frozen=True, slots=True)
class Sample:
    """All that an interval is made of: scores, their resamples (draws x scores), the jackknife."""

    units: Units
    point: FloatArray
    draws: FloatArray
    moments: Moments


class Together:
    """The rows of several statistics side by side, so that one product serves them all."""

    def __init__(self, statistics: Sequence[Statistic]) -> None:
        each: dict[int, Rows] = {id(s.rows): s.rows for s in statistics}
        self.rows = list(each.values())
        ends = np.cumsum([0] + [rows.width for rows in self.rows]).tolist()
        places = dict(zip(each, pairwise(ends), strict=True))
        self.statistics = statistics
        self.columns = [slice(*places[id(s.rows)]) for s in statistics]
        self.width: int = ends[-1]

    @cached_property
    def totals(self) -> tuple[FloatArray, FloatArray]:
        """The sums of all rows, in two parts."""
        coarse, fine = np.zeros(self.width), np.zeros(self.width)
        units = Units.of(self.rows[0].units)
        for _, index in units.blocks(self.step):
            parts = self.block(index)
            coarse += parts[0].sum(axis=0)
            fine += 0.0 if parts[1] is None else parts[1].sum(axis=0)
        return coarse, fine

    @cached_property
    def points(self) -> list[FloatArray]:
        """Each statistic of the data as they are."""
        return [value[0] for value in self.values((self.totals[0] + self.totals[1])[None])]

    @property
    def step(self) -> int:
        """How many rows at a time."""
        return max(1, CELLS // max(self.width, 1))

    def block(self, index: IntArray) -> tuple[FloatArray, FloatArray | None]:
        """The rows `index` in two parts whose sums are exact."""
        return split(np.concatenate([rows.block(index) for rows in self.rows], axis=1))

    def values(self, sums: FloatArray) -> list[FloatArray]:
        """Each statistic of these sums: draws x scores."""
        found = []
        for statistic, columns in zip(self.statistics, self.columns, strict=True):
            value = statistic.value(sums[:, columns])
            found.append(value[:, None] if value.ndim == 1 else value)
        return found


def bootstrap(
    together: Together,
    units: Units,
    resamples: int,
    rng: np.random.Generator,
    cells: int = CHUNK,
) -> list[FloatArray]:
    """For each statistic its scores in resamples of the units (draws x scores).

    Every statistic sees the same resamples, so that their differences are paired.
    """
    flows = streams(units, resamples, rng)
    held = max(1, 4 * CELLS // max(together.width, 1))
    parts = [
        together.values(_drawn(together, flows, first, min(first + held, resamples), cells))
        for first in range(0, resamples, held)
    ]
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


def _drawn(
    together: Together, flows: Sequence[Stream], first: int, end: int, cells: int
) -> FloatArray:
    """The column sums of the draws first..end."""
    coarse = np.zeros((end - first, together.width))
    fine = np.zeros_like(coarse)
    for flow in flows:
        whole, rest = together.block(flow.index)
        # Counts are small and whole: single precision is exact where no sum can be large.
        most = float(np.abs(whole).max(initial=0.0)) * int(flow.balls.max(initial=0))
        single = most < SINGLE and bool((whole == np.rint(whole)).all())
        factor = whole.astype(np.float32) if single else whole
        for start, weights in flow.chunks(first, end, cells):
            here = slice(start - first, start - first + len(weights))
            coarse[here] += weights @ factor
            if rest is not None:
                fine[here] += weights @ rest
    return coarse + fine


def jackknife(together: Together, units: Units, contrasts: Sequence[Contrast]) -> list[Moments]:
    """What leaving out one unit at a time tells of each statistic, or of differences of two.

    Leaving a unit out subtracts its row from the sums; with strata, the rest of its stratum then
    stands for all of it. Scores without a value are left out.
    """
    coarse, fine = together.totals
    at = [point[None] for point in together.points]
    strata = np.zeros((len(units.sizes), together.width))
    for stratum, index in units.blocks(together.step) if len(strata) > 1 else ():
        whole, rest = together.block(index)
        strata[stratum] += whole.sum(axis=0) + (0.0 if rest is None else rest.sum(axis=0))
    sums = [np.zeros((len(units.sizes), 4, contrasted(at, c).shape[1])) for c in contrasts]
    for stratum, index in units.blocks(together.step):
        whole, rest = together.block(index)
        if len(units.sizes) == 1:
            left = (coarse - whole) + (fine if rest is None else fine - rest)
        else:
            rows = whole if rest is None else whole + rest
            size = int(units.sizes[stratum])
            left = coarse + fine + (strata[stratum] - size * rows) / max(size - 1, 1)
        values = together.values(left)
        for total, contrast in zip(sums, contrasts, strict=True):
            # Deviations from the score itself are small, so powers of them keep their digits.
            away = contrasted(values, contrast) - contrasted(at, contrast)
            there = ~np.isnan(away)
            away = np.where(there, away, 0.0)
            total[stratum] += [there.sum(axis=0), *((away**k).sum(axis=0) for k in (1, 2, 3))]
    return [_moments(total) for total in sums]


def contrasted(values: Sequence[FloatArray], contrast: Contrast) -> FloatArray:
    """The values of one statistic, or of the first minus the second."""
    first = values[contrast[0]]
    return first if len(contrast) == 1 else first - values[contrast[1]]


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
