"""Intervals must be the textbook's, contain the score, and say what they could not do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from carob.arrays import columns
from carob.arrays.types import FloatArray
from carob.counts.quantities import ratio
from carob.counts.tally import Statistic, Table
from carob.infer import resampling
from carob.infer.interval import (
    Bca,
    JackknifeT,
    Method,
    Percentile,
    _quantiles,
    default,
    intervals,
)
from carob.infer.quantiles import student
from carob.infer.resampling import Sampler, Units
from carob.result.interval import Interval

Rows = list[list[float]] | FloatArray
METHODS: list[Method] = [Bca(), Percentile(), JackknifeT()]


def share(rows: Rows) -> Statistic:
    return Statistic(Table.of(np.array(rows, np.float64)), lambda s: ratio(s[:, 0], s[:, 1]))


def of(method: Method | None, rows: Rows, resamples: int = 1000, seed: int = 0) -> Interval:
    return intervals(method, [share(rows)], Units.of(len(rows)), resamples, seed)[0][0]


def counts(size: int, seed: int = 0) -> FloatArray:
    rng = np.random.default_rng(seed)
    all_ = rng.integers(1, 12, size)
    return np.stack([rng.binomial(all_, 0.7), all_], axis=1).astype(np.float64)


def without_one(rows: FloatArray) -> FloatArray:
    """The leave-one-out shares, one by one."""
    return np.array([
        np.delete(rows, i, axis=0)[:, 0].sum() / np.delete(rows, i, axis=0)[:, 1].sum()
        for i in range(len(rows))
    ])  # fmt: skip


@pytest.mark.parametrize("size", [2, 3, 12, 29])
def test_jackknife_t_is_its_formula(size: int) -> None:
    rows = counts(size)
    left = without_one(rows)
    point = rows[:, 0].sum() / rows[:, 1].sum()
    error = np.sqrt((size - 1) / size * ((left - left.mean()) ** 2).sum())
    half = student(0.975, size - 1).item() * error
    found = of(JackknifeT(), rows)
    assert found.method == "jackknife-t"
    assert found.low == pytest.approx(point - half, abs=1e-12)
    assert found.high == pytest.approx(point + half, abs=1e-12)


@pytest.mark.parametrize("size", [1, 2, 3, 10, 101])
def test_quantiles_are_those_of_numpy(size: int) -> None:
    values = np.random.default_rng(size).integers(0, 20, size) / 7
    for shares in ((0.025, 0.975), (0.0, 1.0), (0.3, 0.31), (0.99999, 0.5)):
        assert np.quantile(values, shares).tolist() == _quantiles(values, shares)


def test_thirty_units_are_enough_for_bca() -> None:
    assert [default(29).name, default(30).name] == ["jackknife-t", "bca"]
    assert of(None, counts(30)).method == "effective"


def test_percentile_is_between_interpolated_quantiles_of_the_draws() -> None:
    found = of(Percentile(), counts(40))
    assert len(found.draws) == 1000
    assert [found.low, found.high] == np.quantile(found.draws, [0.025, 0.975]).tolist()


@pytest.mark.parametrize(("name", "method"), [("BCa", Bca()), ("percentile", Percentile())])
def test_bootstrap_intervals_are_those_of_scipy(name: str, method: Method) -> None:
    """Scipy draws on its own, so the two agree as well as two seeds of one method do."""
    scipy = pytest.importorskip("scipy.stats")
    rows = counts(35, 3)

    def value(right: FloatArray, all_: FloatArray, axis: int = -1) -> FloatArray:
        found: FloatArray = right.sum(axis=axis) / all_.sum(axis=axis)
        return found

    theirs = scipy.bootstrap(
        (rows[:, 0], rows[:, 1]), value, paired=True, vectorized=True, n_resamples=40_000,
        method=name, random_state=np.random.default_rng(1),
    ).confidence_interval  # fmt: skip
    ours = of(method, rows, 40_000)
    assert ours.low == pytest.approx(theirs.low, abs=2e-3)
    assert ours.high == pytest.approx(theirs.high, abs=2e-3)


def test_bca_is_the_textbook_formula_on_its_own_draws() -> None:
    from statistics import NormalDist

    rows = counts(50, 5)
    found = of(Bca(), rows)
    normal = NormalDist()
    point = found.value
    assert point is not None
    below = np.mean(found.draws < point - 1e-12) + np.mean(np.abs(found.draws - point) < 1e-12) / 2
    bias = normal.inv_cdf(float(below))
    away = without_one(rows).mean() - without_one(rows)
    skew = (away**3).sum() / (6 * (away**2).sum() ** 1.5)
    tails = [
        normal.cdf(bias + (bias + z) / (1 - skew * (bias + z)))
        for z in (normal.inv_cdf(0.025), normal.inv_cdf(0.975))
    ]
    assert [found.low, found.high] == pytest.approx(np.quantile(found.draws, tails), abs=1e-12)


def test_all_resamples_agree_on_a_perfect_score() -> None:
    perfect = [[3.0, 3.0]] * 40
    for method in (Bca(), Percentile()):
        found = of(method, perfect)
        assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)
        assert found.remarks == ("all resamples agree, the interval is the point",)
    few = of(JackknifeT(), perfect)
    assert (few.low, few.high) == (1.0, 1.0)
    assert few.remarks == ("all leave-one-out scores agree, the interval is the point",)


def test_one_unit_has_no_interval_and_says_why() -> None:
    for method in (None, *METHODS):
        found = of(method, [[1.0, 2.0]])
        assert (found.value, found.low, found.high) == (0.5, None, None)
        assert found.remarks == ("no interval from 1 document: intervals need two",)


def test_a_score_without_value_has_no_interval() -> None:
    found = of(Bca(), [[0.0, 0.0]] * 40)
    assert (found.value, found.low, found.high) == (None, None, None)


def test_resamples_without_value_are_left_out_and_counted() -> None:
    """One unit of three has anything: (2/3)^3 of the resamples have nothing."""
    found = of(Percentile(), [[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]])
    dropped = int(np.isnan(found.draws).sum())
    assert 230 < dropped < 370
    assert f"{dropped} of 1,000 resamples have no value: left out" == found.remarks[0]
    assert (found.low, found.high) == (0.5, 0.5)


def test_leave_one_out_scores_without_value_are_left_out_and_counted() -> None:
    found = of(JackknifeT(), [[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]])
    assert found.remarks[0] == "1 of 3 leave-one-out scores have no value: left out"
    assert (found.low, found.high) == (0.5, 0.5)


def test_bca_without_finite_constants_is_percentile() -> None:
    """All resamples are above or at the score: the largest of all, which no resample passes."""
    rows = np.zeros((40, 40))
    np.fill_diagonal(rows, 1.0)
    distinct = Statistic(Table.of(rows), lambda s: -(s > 0).sum(axis=1).astype(np.float64))
    found = intervals(Bca(), [distinct], Units.of(40), 500, 0)[0][0]
    assert "bca has no finite constants here, so this is the percentile interval" in found.remarks


def test_an_interval_without_the_score_becomes_effective() -> None:
    rows = np.zeros((40, 40))
    np.fill_diagonal(rows, 1.0)
    distinct = Statistic(Table.of(rows), lambda s: (s > 0).sum(axis=1).astype(np.float64))
    found = intervals(Percentile(), [distinct], Units.of(40), 500, 0)[0][0]
    assert found.method == "effective"
    assert "the percentile interval does not contain the score: this is effective" in found.remarks
    assert found.low is not None
    assert found.high is not None
    assert found.low <= 40 <= found.high


def macro(width: int) -> Callable[[FloatArray], FloatArray]:
    def value(sums: FloatArray) -> FloatArray:
        each = ratio(sums[:, :width], sums[:, width:])
        with np.errstate(invalid="ignore"):
            there = ~np.isnan(each)
            return ratio(np.where(there, each, 0.0).sum(axis=1), there.sum(axis=1).astype(float))

    return value


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_every_interval_contains_its_score(method: Method) -> None:
    rng = np.random.default_rng(11)
    for trial in range(60):
        size = int(rng.integers(2, 40))
        all_ = rng.poisson(0.3, (size, 8))
        rows = np.concatenate([rng.binomial(all_, 0.5), all_], axis=1).astype(np.float64)
        found = intervals(method, [Statistic(Table.of(rows), macro(8))], Units.of(size), 200, trial)
        for each in found[0]:
            if each.value is None or each.low is None or each.high is None:
                continue
            assert each.low <= each.value <= each.high


def test_leave_one_out_is_the_same_in_any_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = counts(57) / 3
    whole = of(JackknifeT(), rows)
    monkeypatch.setattr(columns, "STRETCH", 7)
    parts = of(JackknifeT(), rows)
    assert whole.low == pytest.approx(parts.low, abs=1e-14)


def test_draws_are_the_same_bytes_in_any_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for counts that are not whole, whose sums would depend on the order."""
    shares = [share(counts(57) / 3), share(counts(57, 1) / 7), share(counts(57, 2))]
    sampler = Sampler(shares, Units.of(57))
    expected = sampler.bootstrap(300, np.random.default_rng(9))
    for held in (1, 500, 10**6):
        monkeypatch.setattr(resampling, "HELD", held)
        found = sampler.bootstrap(300, np.random.default_rng(9))
        for ours, theirs in zip(expected, found, strict=True):
            assert ours.tobytes() == theirs.tobytes()


def test_a_score_does_not_depend_on_what_else_is_asked() -> None:
    one, other = share(counts(40)), share(counts(40, 1) / 7)
    alone = intervals(Bca(), [one], Units.of(40), 200, 0)[0][0]
    both = intervals(Bca(), [other, one], Units.of(40), 200, 0)[1][0]
    assert alone.draws.tobytes() == both.draws.tobytes()
    assert (alone.low, alone.high) == (both.low, both.high)


def test_strata_add_up_their_errors() -> None:
    """The mean of two strata of equal size: half the root of the sum of squared errors."""
    rng = np.random.default_rng(2)
    values = rng.normal(size=24)
    strata = np.arange(24) % 2
    rows = np.stack([values, np.ones(24)], axis=1)
    units = Units.of(24, strata=strata)
    moments = Sampler([share(rows)], units).jackknife()[0]
    parts = [values[strata == i].var(ddof=1) / 12 for i in (0, 1)]
    assert moments.error[0] == pytest.approx(np.sqrt(sum(parts)) / 2, rel=1e-6)
    assert moments.freedom[0] == 22


def test_differences_are_paired() -> None:
    rows = counts(40)
    same = intervals(None, [share(rows), share(rows)], Units.of(40), 200, 0, [(0, 1)])[0][0]
    assert (same.value, same.low, same.high) == (0.0, 0.0, 0.0)
