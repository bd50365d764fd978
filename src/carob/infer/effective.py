"""The default interval: exact for as many independent items as the units are worth."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.counts.tally import Statistic
from carob.infer.interval import Sample, none
from carob.infer.quantiles import NORMAL, beta, gamma, student
from carob.infer.resampling import Moments, Sampler
from carob.result.interval import Interval

LABEL_UNITS = 10
"""In fewer units with a label, the difference of two systems on it has no interval."""

Key = tuple[Statistic, ...]
"""A statistic, or two whose difference it is."""


class Ends(NamedTuple):
    """The intervals of some scores (NaN: none), what their items are worth, and the remarks."""

    low: FloatArray
    high: FloatArray
    size: FloatArray
    remarks: list[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Effective:
    """Clopper-Pearson's interval at the effective sample size: no draws, no clipping, no seed.

    For n independent right-or-wrong items there is an exact interval (Clopper & Pearson, 1934). The
    items of a document are not independent; how much the score varies when one document is left out
    says how many independent items the documents are worth (Korn & Graubard, 1998, "Confidence
    Intervals for Proportions with Small Expected Number of Positive Counts Estimated from Survey
    Data"). Error rates without an upper end have Garwood's Poisson interval (1936), means over
    labels the combined intervals of their labels (Zou & Donner, 2008, "Construction of Confidence
    Limits about Effect Measures"). Differences of two systems are plus and minus t standard errors.
    docs/statistics.md has every rule.

    >>> from carob.counts.tally import Scale, Table
    >>> rows = Table.of(np.array([[8.0, 2.0], [3.0, 3.0], [7.0, 1.0]]))
    >>> scale = Scale((0.0, 1.0), items=lambda s: s.sum(axis=1))
    >>> f1 = Statistic(rows, lambda s: 2 * s[:, 0] / (2 * s[:, 0] + s[:, 1]), scale=scale)
    >>> from carob.infer.interval import intervals
    >>> from carob.infer.resampling import Units
    >>> print(intervals(Effective(), [f1], Units.of(3))[0][0])
    0.8571 [0.3581, 0.9985]
    """

    level: float = 0.95

    name: ClassVar[str] = "effective"
    draws: ClassVar[bool] = False

    def __call__(self, samples: Sequence[Sample]) -> list[list[Interval]]:
        """An interval for each score of each sample."""
        made: dict[tuple[int, ...], list[Interval]] = {}
        if not samples:
            return []
        whole = samples[0].sampler.joined()
        for sampler, contrasts in whole.by_size([sample.contrast for sample in samples]):
            rules = _Rules(sampler, self.level)
            keys = [tuple(sampler.statistics[i] for i in contrast) for contrast in contrasts]
            rules.add(keys)
            for contrast, key in zip(contrasts, keys, strict=True):
                made[contrast] = self._intervals(rules.ends[_id(key)], key)
        return [made[sample.contrast] for sample in samples]

    def _intervals(self, ends: Ends, key: Key) -> list[Interval]:
        point = key[0].point if len(key) == 1 else key[0].point - key[1].point
        return [
            none(self, value, *remarks) if math.isnan(low) else Interval(
                value, low, high, self.level, self.name, remarks=remarks,
                effective=size if math.isfinite(size) else None,
            )
            for value, low, high, size, remarks in zip(
                point.tolist(), ends.low.tolist(), ends.high.tolist(), ends.size.tolist(),
                ends.remarks, strict=True,
            )
        ]  # fmt: skip


class _Rules:
    """The intervals of a sampler's scores at one level, by the ids of their statistics."""

    def __init__(self, sampler: Sampler, level: float) -> None:
        self.sampler, self.alpha = sampler, 1 - level
        self.ends: dict[tuple[int, ...], Ends] = {}
        self.t: dict[tuple[int, ...], FloatArray] = {}
        self._units: dict[tuple[int, ...], IntArray] = {}

    def add(self, keys: Sequence[Key]) -> None:
        """Make the intervals of these, and before them of what they depend on."""
        terms = [each for each in map(_terms, keys) if each]
        labels = [(each,) for key in keys if len(key) == 2 and _of_label(key) for each in key]
        every = {_id(key): key for key in [*labels, *terms, *keys]}
        # Everything is left out in one pass.
        moments = dict(zip(every, self.sampler.moments(list(every.values())), strict=True))
        freedom = [each.satterthwaite for each in moments.values()]
        ends = np.cumsum([len(each) for each in freedom])[:-1]
        quantiles = student(1 - self.alpha / 2, np.concatenate(freedom)) if freedom else freedom
        self.t = dict(zip(moments, np.split(quantiles, ends), strict=True))
        simple = [key for key in every.values() if len(key) == 1 and not _terms(key)]
        self.ends |= self._of_scores(simple, moments)
        for key in keys:
            if len(key) == 2 and key[0].answers and key[0].answers == key[1].answers:
                self.ends[_id(key)] = _no_difference(key[0].point)
            elif _terms(key):
                self.ends[_id(key)] = self._of_mean(key, moments)
            elif len(key) == 2:
                self.ends[_id(key)] = self._of_difference(key, moments)

    def _of_scores(
        self, keys: Sequence[Key], moments: Mapping[tuple[int, ...], Moments]
    ) -> dict[tuple[int, ...], Ends]:
        """The intervals of single scores, all quantiles in a few calls."""
        if not keys:
            return {}
        widths = [len(statistic.point) for (statistic,) in keys]
        parts = [self._scores(statistic, moments[id(statistic),]) for (statistic,) in keys]
        columns: list[Any] = [np.concatenate(each) for each in zip(*parts, strict=True)]
        rows = _Scores(*columns)
        low, high, size = rows.ends(self.alpha)
        first, ends = 0, dict[tuple[int, ...], Ends]()
        for (statistic,), width in zip(keys, widths, strict=True):
            part = slice(first, first := first + width)
            made = Ends(low[part], high[part], size[part], [()] * width)
            ends[id(statistic),] = self._finished(statistic, moments[id(statistic),], made)
        return ends

    def _scores(self, statistic: Statistic, moments: Moments) -> _Scores:
        """What the intervals of a statistic are made of."""
        scale, point = statistic.scale, statistic.point
        width, sums = len(point), statistic.table.sums[None]
        some = np.ones(width)
        if scale.items is not None and (moments.agree | (point <= 0)).any():
            units, _ = self.sampler.units_with([(statistic.table, scale.items)])
            some = np.maximum(units, some)
        unknown = np.full(width, np.nan)
        right, total = unknown, unknown
        if scale.share is not None and scale.items is not None:
            # A document with several records is no single answer: then the score is a mean.
            _, most = self.sampler.units_with([(statistic.table, scale.items)])
            right, total = (
                np.where(most <= 1, each.reshape(-1), np.nan) for each in scale.share(sums)
            )
        functions = ((scale.most, np.inf), (scale.by_chance, np.nan))
        cap, chance = (
            np.full(width, default) if function is None else function(sums).reshape(-1)
            for function, default in functions
        )
        low, high = scale.limits if scale.items is not None else (-math.inf, math.inf)
        return _Scores(
            point, _error(moments), self.t[id(statistic),], moments.agree, some, right, total, cap,
            chance, np.full(width, low), np.full(width, high),
        )  # fmt: skip

    def _finished(self, statistic: Statistic, moments: Moments, ends: Ends) -> Ends:
        """The ends with their remarks, but for scores that have no interval."""
        scale, point = statistic.scale, statistic.point
        sums = statistic.table.sums[None]
        why = _why_not(statistic)
        nothing = np.zeros(len(point), bool)
        if scale.either is not None:  # a score of nothing is a convention
            nothing = ~(scale.either(sums).reshape(-1) > 0)
        missing = (
            np.isnan(point) | nothing | (moments.count == 0) | np.array(list(map(bool, why)), bool)
        )
        remarks: list[tuple[str, ...]] = []
        for place, reason in enumerate(why):
            lost = moments.size - int(moments.count[place])
            if reason:
                remarks.append((reason,))
            elif missing[place]:
                remarks.append(())
            elif lost:
                remarks.append((
                    f"{lost:,} of {moments.size:,} leave-one-out scores have no value: left out",
                ))  # fmt: skip
            elif scale.items is None and moments.agree[place]:
                remarks.append(("all leave-one-out scores agree, the interval is the point",))
            else:
                remarks.append(())
        low, high, size = (np.where(missing, np.nan, each) for each in ends[:3])
        return Ends(low, high, size, remarks)

    def _of_difference(self, key: Key, moments: Mapping[tuple[int, ...], Moments]) -> Ends:
        """The intervals of the differences of two systems."""
        first, second = key
        own, difference = moments[_id(key)], first.point - second.point
        units = np.zeros(len(difference), np.int64)
        with_items = first.scale.items is not None
        if with_items and (_of_label(key) or own.agree.any()):
            units = units + self._units_with_any(key)
        away = self.t[_id(key)] * _error(own)
        unseen = 1 - (self.alpha / 2) ** (1 / np.maximum(units, 1)) if with_items else 0.0
        away = np.where(own.agree, unseen, away)
        low, high = difference - away, difference + away
        remarks: list[tuple[str, ...]] = [()] * len(difference)
        if _of_label(key):
            ours, theirs = (self.ends[id(each),] for each in key)
            low, high = _combined(difference, key, (ours, theirs), moments, (low, high))
            kind = self.sampler.units.kind
            few = (units < LABEL_UNITS) & ~np.isnan(difference) & with_items
            low, high = np.where(few, np.nan, low), np.where(few, np.nan, high)
            remarks = [
                (f"only {count} {kind}s have the label: no interval from fewer than {LABEL_UNITS}",)
                if row else ()
                for count, row in zip(units.tolist(), few.tolist(), strict=True)
            ]  # fmt: skip
        missing = np.isnan(difference) | (own.count == 0)
        for place, why in enumerate(zip(*map(_why_not, key), strict=True)):
            if any(why):
                missing[place], remarks[place] = True, tuple(dict.fromkeys(filter(None, why)))
        low, high = (np.where(missing, np.nan, end) for end in (low, high))
        return Ends(low, high, np.full(len(low), np.nan), remarks)

    def _of_mean(self, key: Key, moments: Mapping[tuple[int, ...], Moments]) -> Ends:
        """The interval of a mean over labels, or of the difference of two: Zou & Donner (2008),
        with the correlations of the labels; and what leaving out a document does beyond them.
        """
        terms = _terms(key)
        own, of_terms = moments[_id(key)], moments[_id(terms)]
        point = key[0].point if len(key) == 1 else key[0].point - key[1].point
        labels = self._label_distances(terms, of_terms)
        there = ~np.isnan(labels[0])
        count = int(there.sum())
        nothing = np.full(1, np.nan)
        wanting = [why for each in terms for why in _why_not(each) if why]
        if not count or np.isnan(point).any() or wanting:
            return Ends(nothing, nothing, nothing, [tuple(wanting[:1])])
        agree = of_terms.agree
        weights = np.zeros((len(agree), 2))
        varies = there & ~agree
        roots = np.sqrt(of_terms.square[varies])
        weights[varies] = np.stack([each[varies] / roots / count for each in labels], axis=1)
        beyond = 0.0
        only_one = len(key) == 2 and (np.isnan(terms[0].point) != np.isnan(terms[1].point)).any()
        if len(key) == 1 or only_one:
            whole = (own.count - 1) / np.maximum(own.count, 1)
            beyond = (self.t[_id(key)] * np.sqrt(whole)).item()
            weights[there] -= beyond / count
        square = np.array([np.sum((each[there & agree] / count) ** 2) for each in labels])
        for stratum, values in self.sampler.left_out([*key, *terms]):
            of_labels = _deviations(terms, of_terms, values, stratum)
            more = of_labels @ weights
            if beyond:
                more = more + beyond * _deviations(key, own, values, stratum)
            square += np.sum(more**2, axis=0)
        distance = np.sqrt(square)
        low, high = point - distance[:1], point + distance[1:]
        if len(key) == 1:
            limits = key[0].scale.limits
            low, high = np.maximum(low, limits[0]), np.minimum(high, limits[1])
        return Ends(low, high, nothing, [()])

    def _units_with_any(self, key: Key) -> IntArray:
        """In how many units gold or one of two systems has any item of each score. Measures of the
        same counts share the answer.
        """
        tables = tuple(id(each.table) for each in key if each.scale.either is not None)
        which = (*tables, len(key[0].point))  # a table of labels may serve their sum as well
        if len(tables) == len(key) and which in self._units:
            return self._units[which]
        both = [(each.table, each.scale.either or each.scale.items) for each in key]
        units, _ = self.sampler.units_with([(t, items) for t, items in both if items is not None])
        self._units[which] = units
        return units

    def _label_distances(self, terms: Key, moments: Moments) -> tuple[FloatArray, FloatArray]:
        """How far the interval of each label goes below and above its score; NaN for a label
        without a score. The interval of a score that is a convention is the point.
        """
        if len(terms) == 1:
            ends, point = self.ends[_id(terms)], terms[0].point
            below, above = (np.nan_to_num(each) for each in (point - ends.low, ends.high - point))
            missing = np.isnan(point)
            return np.where(missing, np.nan, below), np.where(missing, np.nan, above)
        half = self.t[_id(terms)] * _error(moments)
        if terms[0].scale.items is not None and moments.agree.any():
            units = self._units_with_any(terms)
            unseen = 1 - (self.alpha / 2) ** (1 / np.maximum(units, 1))
            half = np.where(moments.agree, unseen, half)
        half = np.where(np.isnan(terms[0].point - terms[1].point), np.nan, half)
        return half, half


class _Scores(NamedTuple):
    """What the intervals of scores are made of, a row each: the score, its standard error and how
    many of these lie on either side of it, whether all leave-one-out scores agree, the units that
    have items, the number right of all (NaN: no share of units), at most how many items count, what
    chance alone shows (NaN: does not matter), and the limits of the measure.
    """

    point: FloatArray
    error: FloatArray
    t: FloatArray
    agree: BoolArray
    units: FloatArray
    right: FloatArray
    total: FloatArray
    most: FloatArray
    chance: FloatArray
    smallest: FloatArray
    largest: FloatArray

    def _only(self, rows: IntArray) -> _Scores:
        some: list[Any] = [column[rows] for column in self]
        return _Scores(*some)

    def ends(self, alpha: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Low, high, and what the items are worth."""
        share = (NORMAL.inv_cdf(1 - alpha / 2) / self.t) ** 2
        low, high = self.point - self.t * self.error, self.point + self.t * self.error
        size = np.full_like(low, np.nan)
        known = ~np.isnan(self.point)
        unit, signed, rate = (
            np.flatnonzero(known & (self.smallest == smallest) & (self.largest == largest))
            for smallest, largest in ((0, 1), (-1, 1), (0, math.inf))
        )
        # Of a correlation the interval on [0, 1]; its upper end is at least that of a share.
        rows = np.concatenate([unit, signed, signed])
        own = self._only(rows)
        shift, width = (
            np.repeat(each, [len(unit), len(signed), len(signed)])
            for each in ((0.0, 1.0, 0.0), (1.0, 2.0, 1.0))
        )
        point = np.maximum(own.point + shift, 0.0) / width
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = point * (1 - point) / (own.error / width) ** 2 * share[rows]
        worth = np.minimum(np.where(own.agree | (point == 0), own.units, worth), own.most)
        worth = np.where(np.isnan(own.total), worth, own.total)
        point = np.where(np.isnan(own.total), point, own.right / own.total)
        below, above = _clopper_pearson(point, worth, alpha)
        first = len(unit) + len(signed)
        low[rows[:first]] = (below * width - shift)[:first]
        high[rows[:first]] = (above * width - shift)[:first]
        high[signed] = np.maximum(high[signed], above[first:])
        size[rows[:first]] = worth[:first]
        low[rate], high[rate], size[rate] = self._only(rate)._rates(share[rate], alpha)
        some = unit[~np.isnan(self.chance[unit])]
        self._add_chance(some, (low, high, size))
        return low, high, size

    def _rates(self, share: FloatArray, alpha: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Garwood's Poisson interval (1936) of error rates, at the effective number of errors."""
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = np.where(
                self.agree, self.point * self.units, (self.point / self.error) ** 2 * share
            )
        nothing = self.point == 0
        errors = np.where(nothing, 1.0, errors)
        low = self.point * gamma(alpha / 2, errors) / errors
        high = self.point * gamma(1 - alpha / 2, errors + 1) / errors
        high = np.where(nothing, -math.log(alpha / 2) / self.units, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            size = np.where(nothing, self.units, errors / self.point)
        return np.minimum(low, self.point), np.maximum(high, self.point), size

    def _add_chance(self, some: IntArray, ends: tuple[FloatArray, FloatArray, FloatArray]) -> None:
        """Where chance alone shows an error, the interval reaches down by that much more. Where all
        leave-one-out scores agree, it is also as wide as that of a share.
        """
        low, high, size = ends
        away = np.where(self.agree, 0.0, self.t * self.error)[some]
        point, agree = self.point[some], self.agree[some]
        down, up = np.maximum(0, point - self.chance[some] - away), np.minimum(1, point + away)
        low[some] = np.where(agree, np.minimum(low[some], down), down)
        high[some] = np.where(agree, np.maximum(high[some], up), up)
        size[some] = np.nan


def _clopper_pearson(
    point: FloatArray, size: FloatArray, alpha: float
) -> tuple[FloatArray, FloatArray]:
    """The exact interval of a share of this many items (Clopper & Pearson, 1934); neither number
    need be whole.
    """
    # The upper end is that of the rest, seen from the other side.
    part = np.concatenate([point, 1 - point]) * np.tile(size, 2)
    rest = np.concatenate([1 - point, point]) * np.tile(size, 2)
    ends = np.zeros_like(part)
    some = np.flatnonzero(part > 0)
    ends[some] = beta(alpha / 2, part[some], rest[some] + 1)
    low, high = ends[: len(point)], 1 - ends[len(point) :]
    return np.minimum(low, point), np.maximum(high, point)


def _no_difference(point: FloatArray) -> Ends:
    """The interval of identical answers is the point; what has no value has none."""
    zero = point - point
    return Ends(zero, zero, np.full_like(zero, np.nan), [()] * len(zero))


def _combined(
    difference: FloatArray,
    key: Key,
    ends: tuple[Ends, Ends],
    moments: Mapping[tuple[int, ...], Moments],
    agreeing: tuple[FloatArray, FloatArray],
) -> tuple[FloatArray, FloatArray]:
    """The interval of a difference from the intervals of the two scores and their correlation."""
    a, b, both = (moments[_id(each)] for each in (key[:1], key[1:], key))
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = (a.square + b.square - both.square) / (2 * np.sqrt(a.square * b.square))
    rho = np.where(a.agree | b.agree, 0.0, np.clip(rho, -1.0, 1.0))
    (below_a, above_a), (below_b, above_b) = (
        (each.point - own.low, own.high - each.point) for each, own in zip(key, ends, strict=True)
    )
    down, up = (
        np.sqrt(np.maximum(one**2 + other**2 - 2 * rho * one * other, 0.0))
        for one, other in ((below_a, above_b), (above_a, below_b))
    )
    return (
        np.where(both.agree, agreeing[0], difference - down),
        np.where(both.agree, agreeing[1], difference + up),
    )


def _deviations(
    key: Key, moments: Moments, values: Mapping[int, FloatArray], stratum: int
) -> FloatArray:
    """How far the scores without each unit are from their mean; 0 where there is none."""
    each = [values[id(one)] for one in key]
    left = each[0] if len(each) == 1 else each[0] - each[1]
    away = (left - moments.means[stratum]) * moments.factors[stratum]
    known: FloatArray = np.nan_to_num(away)
    return known


def _error(moments: Moments) -> FloatArray:
    """The standard error; 0 where leave-one-out scores agree."""
    count = np.maximum(moments.count, 1)
    error: FloatArray = np.sqrt(np.where(moments.agree, 0.0, (count - 1) / count * moments.square))
    return error


def _terms(key: Key) -> Key:
    """The scores of labels whose mean a statistic is, or two are."""
    terms = [each.scale.terms for each in key]
    return tuple(each for each in terms if each is not None)


def _why_not(statistic: Statistic) -> Sequence[str]:
    """Why each score has no interval; empty where it has one."""
    why_not = statistic.scale.why_not
    none = [""] * len(statistic.point)
    return none if why_not is None else why_not(statistic.table.sums[None])


def _of_label(key: Key) -> bool:
    return key[0].scale.of_label


def _id(key: Iterable[Statistic]) -> tuple[int, ...]:
    return tuple(map(id, key))
