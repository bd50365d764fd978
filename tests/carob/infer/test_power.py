"""Simulated studies must be tested as the randomization test tests, and drawn as they are said."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from carob.arrays.types import FloatArray, IntArray
from carob.counts.quantities import ratio
from carob.counts.tally import Statistic, Table
from carob.infer.pilot import Pilot
from carob.infer.randomization import Randomization
from carob.infer.resampling import Units

NORMAL = NormalDist()


def f1(rows: FloatArray) -> Statistic:
    return Statistic(Table.of(rows), lambda s: ratio(2 * s[:, 0], 2 * s[:, 0] + s[:, 1] + s[:, 2]))


def recall(rows: FloatArray) -> Statistic:
    return Statistic(Table.of(rows), lambda s: ratio(s[:, 0], s[:, 1]))


class Fixed(Pilot):
    """A pilot of which every study has the same units, in one order."""

    def _drawn(self, size: int, count: int, rng: np.random.Generator) -> IntArray:
        return np.tile(np.arange(size), (count, 1))


@pytest.mark.parametrize("kind", ["whole", "parts"])
def test_p_of_a_small_study_is_that_of_the_test(kind: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(150):
        size = int(rng.integers(2, 12))
        a, b = (rng.integers(0, 4, (size, 3)).astype(np.float64) for _ in range(2))
        a[rng.random(size) < 0.2] = 0
        keep = rng.random(size) < 0.2
        b[keep] = a[keep]
        if kind == "parts":
            a, b = a / 3, b / 3
        if (a != b).any(axis=1).sum() > 10:
            continue
        units = Units.of(size)
        expected = Randomization()(f1(b), f1(a), units, np.random.default_rng(0))
        found = Fixed(f1(a), f1(b), units)._tested(size, 0.0, 2, 999, np.random.default_rng(0))
        if np.isnan(expected.p[0]):
            assert [1.0, 1.0] == found.tolist()
        else:
            assert [expected.p[0]] * 2 == pytest.approx(found.tolist(), abs=1e-12)


def test_p_of_a_large_study_is_that_of_the_test_but_for_its_trials() -> None:
    rng = np.random.default_rng(1)
    for size in (14, 40, 200):
        a, b = (rng.integers(0, 4, (size, 3)).astype(np.float64) for _ in range(2))
        units = Units.of(size)
        expected = Randomization(99_999)(f1(b), f1(a), units, np.random.default_rng(0)).p[0]
        found = Fixed(f1(a), f1(b), units)._tested(size, 0.0, 5, 9999, np.random.default_rng(0))
        error = math.sqrt(expected * (1 - expected) / 9999) + 1e-4
        assert np.abs(found - expected).max() < 5 * error


def test_the_observed_exchange_counts_as_one_of_the_trials() -> None:
    # With 60 documents that all differ alike, no random exchange is as extreme as none at all.
    a, b = (np.tile([right, 1.0], (60, 1)) for right in (0.0, 1.0))
    pilot = Fixed(recall(a), recall(b), Units.of(60))
    p = pilot._tested(60, 0.0, 4, 99, np.random.default_rng(0))
    assert [1 / 100] * 4 == p.tolist()


def test_power_is_that_of_a_loop_over_the_test() -> None:
    """The slow way: documents drawn one by one, exchanged one by one, tested by the test."""
    rng = np.random.default_rng(2)
    a = rng.integers(0, 4, (25, 3)).astype(np.float64)
    b = a + rng.integers(0, 2, (25, 3)) * [1.0, 0.0, 0.0]
    pilot = Pilot(f1(a), f1(b), Units.of(25))
    for size, share in ((8, 0.1), (60, 0.3)):
        seen = 0
        for _ in range(300):
            ours, theirs = [], []
            for _ in range(size):
                i = int(rng.integers(25))
                first, second = (b[i], a[i]) if rng.random() < share else (a[i], b[i])
                ours.append(first)
                theirs.append(second)
            test = Randomization(499)
            p = test(f1(np.array(theirs)), f1(np.array(ours)), Units.of(size), rng).p[0]
            seen += bool(p <= 0.05)
        found = pilot.rejections(size, share, 2000, 499, 0.05, rng) / 2000
        expected = seen / 300
        assert abs(found - expected) < 4 * math.sqrt(0.25 / 300 + 0.25 / 2000)


def pilot(size: int = 150, gain: float = 0.06, seed: int = 3) -> Pilot:
    """Recall over documents of 20 mentions each: a mean of documents, nearly normal."""
    rng = np.random.default_rng(seed)
    skill = rng.beta(12, 6, size)
    a = rng.binomial(20, skill)
    b = rng.binomial(20, np.minimum(skill + gain, 1))
    rows = [np.stack([found, np.full(size, 20)], axis=1).astype(np.float64) for found in (a, b)]
    return Pilot(recall(rows[0]), recall(rows[1]), Units.of(size))


@pytest.mark.parametrize("part", [1.0, 0.5])
def test_power_is_what_theory_says(part: float) -> None:
    """Exchanging keeps mean squares m: P(|mean| > z sqrt(m / n)), mean ~ N(x, (m - x^2) / n)."""
    found = pilot()
    change = found.change[:-1, 0] / 20
    square, x = float((change**2).mean()), part * abs(float(change.mean()))
    share = found.share(x)
    assert (1 - part) / 2 == pytest.approx(share, abs=1e-9)
    last = 0.0
    for size in (25, 60, 150, 400):
        beyond = NORMAL.inv_cdf(0.975) * math.sqrt(square)
        spread = math.sqrt(square - x**2)
        theory = sum(NORMAL.cdf((sign * x * math.sqrt(size) - beyond) / spread) for sign in (1, -1))
        power = found.rejections(size, share, 2000, 999, 0.05, np.random.default_rng(size)) / 2000
        assert power == pytest.approx(theory, abs=0.015 + 3 * math.sqrt(0.25 / 2000))
        assert power >= last - 0.03
        last = power


@pytest.mark.parametrize("size", [12, 40, 150])
def test_no_difference_is_seen_as_often_as_alpha(size: int) -> None:
    found = pilot()
    share = found.share(0.0)
    assert share == pytest.approx(0.5)
    seen = found.rejections(size, share, 3000, 199, 0.05, np.random.default_rng(0)) / 3000
    assert 0.03 <= seen <= 0.065


def test_few_documents_can_never_show_anything() -> None:
    rows = np.array([[0.0, 1.0]] * 9)
    found = Pilot(recall(rows), recall(rows + np.array([1.0, 0.0])), Units.of(9))
    seen = [found.rejections(n, 0.0, 50, 99, 0.05, np.random.default_rng(0)) for n in (4, 5, 6)]
    assert [0, 0, 50] == seen


def test_the_pilot_s_strata_keep_their_shares() -> None:
    strata = np.array([0] * 6 + [1] * 3)
    rows = np.zeros((9, 2))
    found = Pilot(recall(rows), recall(rows), Units.of(9, strata=strata))
    drawn = found._drawn(12, 50, np.random.default_rng(0))
    assert ((drawn < 6).sum(axis=1) == 8).all()
    assert set(drawn.ravel().tolist()) == set(range(9))


def test_a_share_makes_the_expected_difference() -> None:
    rng = np.random.default_rng(4)
    a, b = (rng.integers(0, 5, (30, 3)).astype(np.float64) for _ in range(2))
    for first, second in ((a, b), (b, a)):
        found = Pilot(f1(first), f1(second), Units.of(30))
        whole = abs(found.expected(0.0))
        for part in (0.0, 0.2, 0.9, 1.0):
            share = found.share(part * whole)
            assert part * whole == pytest.approx(abs(found.expected(share)), abs=1e-9)
