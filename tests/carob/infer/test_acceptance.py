"""Thresholds of confidence against a twin that tries every threshold, in every resample."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carob import DataError
from carob.counts.judged import Judged
from carob.infer.acceptance import (
    Bins,
    Levels,
    curve_statistic,
    level_interval,
    lowest_levels,
    unseen_share,
)
from carob.infer.resampling import Units, resamples

Answer = tuple[int, bool, float | None]
"""Document, whether right, confidence."""

CONFIDENCES = (None, 0.0, 0.1, 0.25, 1 / 3, 0.3333, 0.5, 0.7, 0.7000001, 0.83125, 0.99, 1.0)
RATES = (0.0, 0.1, 0.25, 1 / 3, 0.5)

answers = st.lists(
    st.tuples(st.integers(0, 4), st.booleans(), st.sampled_from(CONFIDENCES)), min_size=1,
    max_size=12,
)  # fmt: skip


def judged(every: list[Answer], documents: int = 5) -> Judged:
    doc, right, sure = zip(*every, strict=True)
    made = Judged.of(doc, right, [np.nan if each is None else each for each in sure])
    return Judged(
        made.doc, made.label, made.right, made.confidence, made.labels, documents, "record"
    )


def accepted(every: list[Answer], threshold: float) -> tuple[int, int]:
    """How many answers are accepted, and how many of these are wrong."""
    taken = [right for _, right, sure in every if (sure or 0.0) >= threshold]
    return len(taken), taken.count(False)


def best(every: list[Answer], rate: float) -> float | None:
    """The lowest confidence that keeps to an error rate; all are tried."""
    fit = []
    for threshold in {sure or 0.0 for _, _, sure in every}:
        count, wrong = accepted(every, threshold)
        if wrong / count <= rate:
            fit.append(threshold)
    return min(fit, default=None)


@given(answers)
def test_levels_are_all_thresholds(every: list[Answer]) -> None:
    levels = Levels.of(judged(every))
    for place, confidence in enumerate(levels.confidence.tolist()):
        both = int(levels.accepted[place]), int(levels.wrong[place])
        assert both == accepted(every, confidence)
        assert both == accepted(every, levels.threshold(place))
        assert len(repr(levels.threshold(place))) <= max(3, len(repr(confidence)))
    for rate in RATES:
        place = levels.lowest(rate)
        assert (None if place < 0 else float(levels.confidence[place])) == best(every, rate)


@given(answers, st.integers(1, 6))
def test_a_curve_is_what_thresholds_accept(every: list[Answer], most: int) -> None:
    made = judged(every)
    levels = Levels.of(made)
    some = levels.some(most)
    assert some[-1] == len(levels.confidence) - 1
    assert len(some) <= max(most, 1)
    point = curve_statistic(made, levels, some).point
    for place, level in enumerate(some.tolist()):
        count, wrong = accepted(every, float(levels.confidence[level]))
        assert point[place] == pytest.approx(count / len(every))
        assert point[len(some) + place] == pytest.approx(wrong / count)


def test_thresholds_of_resamples_are_those_of_repeated_documents() -> None:
    rng = random.Random(5)
    for seed in range(25):
        documents = rng.randint(2, 8)
        every = [(rng.randrange(documents), rng.random() < 0.7, rng.choice(CONFIDENCES))
                 for _ in range(rng.randint(1, 15))]  # fmt: skip
        made = judged(every, documents)
        levels = Levels.of(made)
        units = Units.of(documents, np.array(rng.sample(range(documents), documents)))
        found = lowest_levels(made, levels, RATES, units, 40, seed)
        weights = np.concatenate(list(resamples(units, 40, np.random.default_rng(seed))))
        for draw, row in zip(weights, found, strict=True):
            times = dict(zip(units.order.tolist(), draw.tolist(), strict=True))
            drawn = [each for each in every for _ in range(times[each[0]])]
            for rate, level in zip(RATES, row.tolist(), strict=True):
                expected = best(drawn, rate)
                if expected is None:
                    assert level == -1
                else:  # a lower level without any answer in the resample accepts the same
                    sure = float(levels.confidence[level])
                    assert accepted(drawn, sure) == accepted(drawn, expected)


@given(answers, st.integers(1, 12))
def test_bins_have_equal_width_and_the_last_includes_one(every: list[Answer], bins: int) -> None:
    made = Bins.of(judged(every), bins)
    for place in range(bins):
        low, high = place / bins, (place + 1) / bins
        own = [
            (right, sure) for _, right, sure in every
            if sure is not None and (low <= sure < high or (sure == 1 == high))
        ]  # fmt: skip
        assert made.answers[place] == len(own)
        assert made.right[place] == sum(right for right, _ in own)
        assert made.confidence[place] == pytest.approx(sum(sure for _, sure in own))


def test_an_interval_of_levels_is_made_of_levels_that_were_drawn() -> None:
    assert level_interval(np.repeat([3, 5, 9], [30, 940, 30])) == (3, 9)
    assert level_interval(np.repeat([3, 5, 9], [20, 960, 20])) == (5, 5)
    assert level_interval(np.array([-1, 2])) == (-1, 2)


def test_what_never_occurred_may_still_occur() -> None:
    """The rate at which so many answers without an error have a chance of 2.5 %."""
    for count in (1, 3, 100):
        assert (1 - unseen_share(count)) ** count == pytest.approx(0.025)


def test_a_confidence_is_from_0_to_1() -> None:
    for wrong in (-0.1, 1.5, np.inf):
        with pytest.raises(DataError, match="expected one from 0 to 1"):
            Judged.of([0], [True], [wrong])
