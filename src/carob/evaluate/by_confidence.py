"""Which answers can be accepted by their confidence, and how many of these are wrong?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from carob._version import __version__
from carob.arrays.types import IntArray
from carob.corpus.problems import DataError, RecipeError, UsageError, nearest, plain, shown
from carob.counts.judged import Judged
from carob.counts.tally import Statistic
from carob.evaluate.options import ConfidenceOptions, Options
from carob.evaluate.read import Scorable
from carob.evaluate.run import Plan, Systems, prepare
from carob.evaluate.score import cut
from carob.infer.acceptance import (
    Bins,
    Levels,
    curve_statistic,
    level_interval,
    lowest_levels,
    unseen_share,
)
from carob.plugin import hook
from carob.recipe import Recipe, spell
from carob.result import signature
from carob.result.acceptance import Acceptance, Accepted, Bin, Curve, Wanted
from carob.result.result import number_or_none

if TYPE_CHECKING:
    from typing import Unpack

    from carob.result.interval import Interval

ERROR_RATES = (0.01, 0.02, 0.05)
"""The error rates for which thresholds are reported by default."""

MOST_POINTS = 50
"""A curve has about so many thresholds; those of wanted error rates come beside."""

NO_CONFIDENCE = (
    "no answer has a confidence, so none can be accepted by it; jsonl has a place for it: "
    '{"templates": [{"slots": {"total": [{"text": "9.50", "confidence": 0.9}]}}]}'
)


def by_confidence(
    gold: Scorable,
    system: Systems,
    space: str = "record",
    *,
    error_rates: Sequence[float] = ERROR_RATES,
    label: str | None = None,
    bins: int = 10,
    **options: Unpack[ConfidenceOptions],
) -> Acceptance:
    """Which answers can be accepted by their confidence, and how many of these are wrong.

    `space` says what an answer is: `record` a whole record, `record(of=items)` an object of the
    list `items`, `fields` a value; with a `label`, only the values of this slot. An answer is
    accepted if its confidence is the threshold or more; no answer has the confidence 0, and so has
    one without a confidence. For each of `error_rates` the result has the lowest threshold at which
    no more than this share of what is accepted is wrong. Intervals are those of other documents:
    of automation and error rate as `carob.score` has them for `record(t=...)`, of thresholds by
    percentiles of 1,000 resamples. `bins` are those of the reliability diagram. The other keyword
    arguments are described in `carob.Options`.

    >>> from carob import Corpus
    >>> gold = Corpus.of(*({"templates": [{"slots": {"a": [value]}}]} for value in "1234"))
    >>> system = Corpus.of(
    ...     *(
    ...         {"templates": [{"slots": {"a": [value]}, "confidence": sure}]}
    ...         for value, sure in (("1", 0.9), ("2", 0.8), ("x", 0.3), ("4", 0.6))
    ...     )
    ... )
    >>> wanted = by_confidence(gold, system, error_rates=[0.01])["system"].at(0.01)
    >>> wanted.threshold, wanted.point.automation, wanted.point.wrong
    (0.6, 0.75, 0)
    """
    chosen = Options.of(ConfidenceOptions, options)
    rates = _checked(error_rates, bins)
    recipe = _recipe(space, bins)
    run = prepare(gold, system, None, chosen, lambda gold, systems: [recipe])
    curves, noun = [], ""
    for name, pair in run.pairs.items():
        judged: Judged = recipe.space.judged(pair)
        if label is not None:
            judged = _of_label(judged, label)
        if np.isnan(judged.confidence).all():
            raise DataError(
                f"{plain(name)}: {NO_CONFIDENCE if len(judged) else 'no answer at all'}"
            )
        noun = judged.noun
        curves.append(_curve(name, judged, rates, bins, run.plans[name]))
    more = {} if label is None else {"label": signature.words([label])}
    more["thresholds"] = _thresholds(rates, run.plan)
    lost = [
        f"{plain(curve.system)}: {curve.without_confidence:,} of {curve.answers:,} answers have no "
        "confidence and count as 0"
        for curve in curves
        if curve.without_confidence
    ]
    return Acceptance(
        __version__, run.gold, run.system_files(), str(recipe), spell(recipe.space), label, noun,
        tuple(curves), run.signature(**more), (*run.plan.remarks(), *run.remarks, *lost),
        run.set_aside, None if run.task is None else run.task.to_dict(),
    )  # fmt: skip


def _thresholds(rates: Sequence[float], plan: Plan) -> str:
    """What the signature says of thresholds: the error rates, and how their intervals are drawn."""
    text = "+".join(map(repr, rates)) or "none"
    drawn = f",{plan.options.draws},seed={plan.options.seed}"
    return text if plan.method is None else text + drawn


def _checked(error_rates: Sequence[float], bins: int) -> list[float]:
    for rate in error_rates:
        if not 0 <= rate < 1:
            raise UsageError(f"an error rate is from 0 to less than 1 (0.01 is 1 %), not {rate:g}")
    if not 1 <= bins <= 100:
        raise UsageError(f"bins are from 1 to 100, not {bins}")
    return list(dict.fromkeys(float(rate) for rate in error_rates))


def _recipe(space: str, bins: int) -> Recipe:
    """The recipe whose signature the result has: the space, and the error of its calibration."""
    measure = "ECE" if bins == 10 else f"ECE(bins={bins})"
    whole = "." in space.rpartition(")")[2]  # a whole recipe is as good
    recipe = Recipe.parse(space if whole else f"{space}.gold_all")
    if hook(recipe.space, "judged") is None:
        raise RecipeError(
            f"{shown(space)} does not judge answers that have a confidence; record and fields do"
        )
    return Recipe.parse(f"{spell(recipe.space)}.{measure}")


def _of_label(judged: Judged, label: str) -> Judged:
    if label not in judged.labels:
        raise DataError(f"no slot is called {label!r}{nearest(label, judged.labels)}")
    return judged.only(judged.labels.index(label))


def _ends(
    intervals: Sequence[Interval] | None, place: int, answers: int | None = None
) -> tuple[float | None, float | None]:
    """The ends of an interval. If a share of this many answers is 0 or 1, resamples cannot tell how
    far it may be from there.
    """
    if intervals is None:
        return None, None
    low, high = cut(intervals[place], (0.0, 1.0))
    value = intervals[place].value
    if answers and low == high and value in (0, 1):
        return (0.0, unseen_share(answers)) if value == 0 else (1.0 - unseen_share(answers), 1.0)
    return low, high


def _curve(name: str, judged: Judged, rates: Sequence[float], bins: int, plan: Plan) -> Curve:
    levels, binned = Levels.of(judged), Bins.of(judged, bins)
    lowest = [levels.lowest(rate) for rate in rates]
    some = np.union1d(levels.some(MOST_POINTS), [level for level in lowest if level >= 0])
    some = some.astype(np.int64)
    curve = curve_statistic(judged, levels, some)
    intervals: Sequence[Sequence[Interval] | None] | None = plan.intervals([curve, binned.shares])
    of_curve, of_bins = intervals or (None, None)
    points = _points(levels, some, curve, of_curve)
    drawn = None
    if plan.method is not None and len(plan.units) > 1:
        options = plan.options
        drawn = lowest_levels(judged, levels, rates, plan.units, options.draws, options.seed)
    wanted = []
    for number, (rate, level) in enumerate(zip(rates, lowest, strict=True)):
        point = None if level < 0 else points[int(np.searchsorted(some, level))]
        low, high, unreached = None, None, None
        if drawn is not None:
            strictest, laxest = level_interval(drawn[:, number])
            low = None if laxest < 0 else levels.threshold(laxest)
            high = None if strictest < 0 else levels.threshold(strictest)
            unreached = float(np.mean(drawn[:, number] < 0))
        wanted.append(Wanted(rate, point, low, high, unreached))
    return Curve(
        name, len(judged), int(judged.right.sum()), judged.unsure,
        points, tuple(wanted), _bins(binned, of_bins),
    )  # fmt: skip


def _points(
    levels: Levels, some: IntArray, curve: Statistic, intervals: Sequence[Interval] | None
) -> tuple[Accepted, ...]:
    return tuple(
        Accepted(
            levels.threshold(level), int(levels.accepted[level]), int(levels.wrong[level]),
            float(curve.point[i]), *_ends(intervals, i), float(curve.point[len(some) + i]),
            *_ends(intervals, len(some) + i, int(levels.accepted[level])),
        )
        for i, level in enumerate(some.tolist())
    )  # fmt: skip


def _bins(binned: Bins, intervals: Sequence[Interval] | None) -> tuple[Bin, ...]:
    size = len(binned.answers)
    return tuple(
        Bin(
            i / size, (i + 1) / size, int(binned.answers[i]), int(binned.right[i]),
            float(binned.confidence[i] / binned.answers[i]) if binned.answers[i] else None,
            number_or_none(binned.shares.point[i]),
            *_ends(intervals, i, int(binned.answers[i])),
        )
        for i in range(size)
    )  # fmt: skip
