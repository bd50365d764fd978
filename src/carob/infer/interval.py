"""Intervals of scores by draws, or plain jackknife-t, and what replaces one that fails.

The default interval is in effective.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from carob.arrays.types import FloatArray
from carob.counts.tally import Statistic
from carob.infer.quantiles import NORMAL, student
from carob.infer.resampling import Contrast, Moments, Sampler, Units
from carob.result.interval import Interval

FEW = 30
"""Of the methods by name, BCa suits this many units or more."""

DRAWS = 1000
"""How many resamples are drawn, unless the caller says how many."""

CLOSE = 1e-12
"""Scores that differ by less are the same."""


class Sample(NamedTuple):
    """What the intervals of one statistic, or of a difference of two, are made of: the scores,
    their resamples (draws x scores), and the sampler that leaves units out.
    """

    sampler: Sampler
    contrast: Contrast
    point: FloatArray
    draws: FloatArray

    @property
    def moments(self) -> Moments:
        """What leaving out one unit says."""
        return self.sampler.jackknife([self.contrast])[0]


class Method(Protocol):
    """A component of infer/ that makes intervals."""

    @property
    def name(self) -> str:
        """Its name in signatures."""
        ...

    @property
    def draws(self) -> bool:
        """Whether it resamples."""
        ...

    def __call__(self, samples: Sequence[Sample]) -> list[list[Interval]]:
        """An interval for each score of each sample."""
        ...


@dataclass(frozen=True, slots=True)
class JackknifeT:
    """The score plus and minus t(n-1) times its jackknife standard error, for few documents.

    SE^2 = (n-1)/n * sum of (theta_i - mean)^2 over the scores theta_i without document i. Over ten
    documents it covers better than percentile intervals do. It may pass the ends of a measure's
    range, to which results cut it. Efron & Tibshirani (1993), "An Introduction to the Bootstrap",
    section 11.1.

    >>> from carob.counts.tally import Table
    >>> rows = Table.of(np.array([[1.0, 1.0], [2.0, 1.0], [6.0, 1.0]]))
    >>> mean = Statistic(rows, lambda s: s[:, 0] / s[:, 1])
    >>> print(intervals(JackknifeT(), [mean], Units.of(3))[0][0])
    3.0000 [-3.5724, 9.5724]
    """

    level: float = 0.95

    name: ClassVar[str] = "jackknife-t"
    draws: ClassVar[bool] = False

    def __call__(self, samples: Sequence[Sample]) -> list[list[Interval]]:
        """An interval for each score of each sample."""
        return [
            [self.one(moments, point, i) for i, point in enumerate(sample.point.tolist())]
            for sample in samples for moments in [sample.moments]
        ]  # fmt: skip

    def one(self, moments: Moments, point: float, place: int) -> Interval:
        """The interval of one score."""
        count, freedom = int(moments.count[place]), int(moments.freedom[place])
        remarks = []
        if count < moments.size:
            lost = moments.size - count
            remarks.append(
                f"{lost:,} of {moments.size:,} leave-one-out scores have no value: left out"
            )
        if freedom < 1:
            return none(self, point, "too few leave-one-out scores have a value: no interval")
        error = float(moments.error[place])
        if error == 0:
            remarks.append("all leave-one-out scores agree, the interval is the point")
        half = _student((1 + self.level) / 2, freedom) * error
        return Interval(
            point, point - half, point + half, self.level, self.name, remarks=tuple(remarks)
        )


@dataclass(frozen=True, slots=True)
class Percentile:
    """From the 2.5 % to the 97.5 % quantile of the scores of resampled documents.

    Too narrow when documents are few. Lavelli et al. (2008), "Evaluation of machine learning-based
    information extraction algorithms"; Efron & Tibshirani (1993), "An Introduction to the
    Bootstrap", section 13.3.

    >>> from carob.counts.tally import Table
    >>> rows = Table.of(np.array([[1.0, 1.0], [2.0, 1.0], [6.0, 1.0]]))
    >>> mean = Statistic(rows, lambda s: s[:, 0] / s[:, 1])
    >>> print(intervals(Percentile(), [mean], Units.of(3), 1000, 0)[0][0])
    3.0000 [1.0000, 6.0000]
    """

    level: float = 0.95

    name: ClassVar[str] = "percentile"
    draws: ClassVar[bool] = True

    def __call__(self, samples: Sequence[Sample]) -> list[list[Interval]]:
        """An interval for each score of each sample."""
        return [_drawn(self, sample) for sample in samples]

    def tails(self, point: float, skew: float, values: FloatArray) -> tuple[float, float]:
        """Between which quantiles the interval lies."""
        return (1 - self.level) / 2, (1 + self.level) / 2


@dataclass(frozen=True, slots=True)
class Bca:
    """The percentile interval, corrected for bias and for an error that grows with the score.

    The bias comes from the share of resamples below the score (ties count half), the acceleration
    from the scores without one document. Without finite constants it is the percentile interval.
    Efron & Tibshirani (1993), "An Introduction to the Bootstrap", section 14.3.

    >>> from carob.counts.tally import Table
    >>> rows = Table.of(np.array([[1.0, 1.0], [2.0, 1.0], [6.0, 1.0]]))
    >>> mean = Statistic(rows, lambda s: s[:, 0] / s[:, 1])
    >>> print(intervals(Bca(), [mean], Units.of(3), 1000, 0)[0][0])
    3.0000 [1.3333, 6.0000]
    """

    level: float = 0.95

    name: ClassVar[str] = "bca"
    draws: ClassVar[bool] = True

    def __call__(self, samples: Sequence[Sample]) -> list[list[Interval]]:
        """An interval for each score of each sample."""
        return [_drawn(self, sample) for sample in samples]

    def tails(self, point: float, skew: float, values: FloatArray) -> tuple[float, float] | None:
        """Between which quantiles the interval lies; None without finite constants."""
        below = sum(np.count_nonzero(values < end) for end in (point - CLOSE, point + CLOSE))
        share = below / (2 * len(values))
        if not 0 < share < 1 or not math.isfinite(skew):
            return None
        bias, tails = NORMAL.inv_cdf(share), []
        for tail in ((1 - self.level) / 2, (1 + self.level) / 2):
            away = bias + NORMAL.inv_cdf(tail)
            if skew * away >= 1:
                return None
            tails.append(NORMAL.cdf(bias + away / (1 - skew * away)))
        return tails[0], tails[1]


@cache
def _student(probability: float, freedom: int) -> float:
    return student(probability, freedom).item()


def none(method: Method, point: float, *why: str) -> Interval:
    """No interval, and why.

    >>> none(Bca(), 0.5, "because").remarks
    ('because',)
    """
    value = None if math.isnan(point) else point
    return Interval(value, None, None, getattr(method, "level", 0.95), method.name, remarks=why)


def _drawn(method: Bca | Percentile, sample: Sample) -> list[Interval]:
    """The intervals of the scores between quantiles of their resamples, or what replaces them."""
    skews = sample.moments.skew.tolist()
    made = [
        _between(method, point, skew, draws)
        for point, skew, draws in zip(sample.point.tolist(), skews, sample.draws.T, strict=True)
    ]
    from carob.infer.effective import Effective  # it imports this module

    failed = not all(isinstance(each, Interval) for each in made)
    [others] = Effective(method.level)([sample]) if failed else [[]]
    return [
        each if isinstance(each, Interval)
        else replace(others[i], draws=sample.draws[:, i], remarks=(*each, *others[i].remarks))
        for i, each in enumerate(made)
    ]  # fmt: skip


def _between(
    method: Bca | Percentile, point: float, skew: float, draws: FloatArray
) -> Interval | list[str]:
    """The interval between two quantiles of resamples; remarks, if the score is not in it."""
    undefined = np.isnan(draws)
    values = draws[~undefined] if undefined.any() else draws
    remarks = []
    if dropped := len(draws) - len(values):
        remarks.append(f"{dropped:,} of {len(draws):,} resamples have no value: left out")
    if not len(values):
        return none(method, point, "no resample has a value: no interval")
    name = method.name
    low, high = float(values.min()), float(values.max())
    if high - low <= CLOSE and abs(low - point) <= CLOSE:
        low = high = point
        remarks.append("all resamples agree, the interval is the point")
    else:
        tails = method.tails(point, skew, values)
        if tails is None:
            name = Percentile.name
            remarks.append("bca has no finite constants here, so this is the percentile interval")
            tails = Percentile(method.level).tails(point, skew, values)
        low, high = _quantiles(values, tails)
        if not low - CLOSE <= point <= high + CLOSE:
            return [*remarks, f"the {name} interval does not contain the score: this is effective"]
        low, high = min(low, point), max(high, point)
    return Interval(point, low, high, method.level, name, draws, tuple(remarks))


def _quantiles(values: FloatArray, shares: Sequence[float]) -> list[float]:
    """By linear interpolation, as `numpy.quantile` does it, in a fraction of its time.

    >>> _quantiles(np.array([4.0, 1.0, 2.0]), (0.0, 0.75))
    [1.0, 3.0]
    """
    last = len(values) - 1
    places = [min(int(share * last), max(last - 1, 0)) for share in shares]
    ordered = np.partition(values, sorted({*places, *(min(place + 1, last) for place in places)}))
    quantiles = []
    for share, place in zip(shares, places, strict=True):
        low, high = float(ordered[place]), float(ordered[min(place + 1, last)])
        rest = share * last - place
        between = low + (high - low) * rest if rest < 0.5 else high - (high - low) * (1 - rest)
        quantiles.append(between)
    return quantiles


def intervals(
    method: Method | None,
    statistics: Sequence[Statistic] | Sampler,
    units: Units,
    resamples: int = DRAWS,
    seed: int = 0,
    contrasts: Sequence[Contrast] | None = None,
) -> list[list[Interval]]:
    """The intervals of all scores of every statistic (or difference of two statistics).

    Without a method: effective. The method knows the level. A score without a value has no
    interval, and over one unit there is none.
    """
    if method is None:
        from carob.infer.effective import Effective  # it imports this module

        method = Effective()
    sampler = statistics if isinstance(statistics, Sampler) else Sampler(statistics, units)
    contrasts = sampler.each() if contrasts is None else contrasts
    points = sampler.points(contrasts)
    if len(units) < 2:
        why = f"no interval from {units.words()}: intervals need two"
        return [[none(method, float(x), why) for x in point] for point in points]
    errors = [moments.error.tolist() for moments in sampler.jackknife(contrasts)]
    draws = [np.empty((0, len(point))) for point in points]
    if method.draws:
        draws = sampler.bootstrap(resamples, np.random.default_rng(seed), contrasts)
    made = method([Sample(sampler, *each) for each in zip(contrasts, points, draws, strict=True)])
    return [
        [
            none(method, math.nan) if math.isnan(x) else replace(interval, error=error)
            for x, interval, error in zip(point.tolist(), row, own, strict=True)
        ]
        for point, row, own in zip(points, made, errors, strict=True)
    ]


def default(size: int) -> Method:
    """The method by name that suits this many units best.

    >>> default(30).name, default(29).name
    ('bca', 'jackknife-t')
    """
    return Bca() if size >= FEW else JackknifeT()
