"""Resampling weights must be multinomial, and depend on nothing but the seed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from carob.arrays.columns import compact
from carob.arrays.types import FloatArray, IntArray
from carob.counts.tally import Part, Statistic, Table, Tally
from carob.infer import resampling as draws
from carob.infer.randomization import Randomization
from carob.infer.resampling import Matrix, Sampler, Units, exchanges, resamples


def drawn(units: Units, count: int, seed: int) -> FloatArray:
    """All weights, units as columns, in the order of the file."""
    weights = np.zeros((count, len(units)))
    parts = list(resamples(units, count, np.random.default_rng(seed)))
    weights[:, units.order] = np.concatenate(parts)
    return weights


def test_every_draw_takes_as_many_units_as_there_are() -> None:
    assert drawn(Units.of(7), 50, 1).sum(axis=1).tolist() == [7] * 50


def test_every_draw_takes_from_a_stratum_as_many_as_it_has() -> None:
    strata = np.array([0, 1, 0, 2, 1, 0])
    weights = drawn(Units.of(6, strata=strata), 40, 2)
    for stratum, size in ((0, 3), (1, 2), (2, 1)):
        assert [size] * 40 == weights[:, strata == stratum].sum(axis=1).tolist()


def test_another_seed_is_another_sample() -> None:
    assert not np.array_equal(drawn(Units.of(9), 20, 4), drawn(Units.of(9), 20, 5))


def test_weights_are_multinomial() -> None:
    """Mean 1, variance 1 - 1/n, covariance -1/n."""
    size = 10
    weights = drawn(Units.of(size), 60_000, 6)
    assert {float(size)} == set(weights.sum(axis=1).tolist())
    expected = np.full((size, size), -1 / size) + np.eye(size)
    assert np.allclose(np.ones(size), weights.mean(axis=0), atol=0.02)
    assert np.allclose(expected, np.cov(weights.T), atol=0.03)


def test_three_units_are_drawn_in_all_27_ways_equally_often() -> None:
    weights = drawn(Units.of(3), 54_000, 7)
    kinds, counts = np.unique(weights, axis=0, return_counts=True)
    ways: dict[tuple[int, ...], int] = {(3, 0, 0): 1, (2, 1, 0): 3, (1, 1, 1): 6}
    for kind, count in zip(kinds.tolist(), counts.tolist(), strict=True):
        expected = 2000 * ways[tuple(sorted(map(int, kind), reverse=True))]
        assert abs(count - expected) < 6 * expected**0.5


def test_the_order_of_drawing_is_the_one_that_is_given() -> None:
    order = np.array([2, 0, 3, 1])
    here, there = drawn(Units.of(4), 30, 8), drawn(Units.of(4, order), 30, 8)
    assert np.array_equal(here, there[:, order])


def test_weights_of_many_cells_are_multinomial() -> None:
    assert_multinomial(drawn(Units.of(600), 5000, 12))


def test_weights_of_strata_are_multinomial() -> None:
    strata = np.arange(900) % 3 == 0
    weights = drawn(Units.of(900, strata=strata.astype(np.int64)), 5000, 13)
    assert_multinomial(weights[:, strata])
    assert_multinomial(weights[:, ~strata])


def assert_multinomial(weights: FloatArray) -> None:
    """Each cell holds a binomial number of balls, and any two cells are as far from independent
    as they are in a multinomial.
    """
    count, size = weights.shape
    chance = [math.comb(size, k) * (1 / size) ** k * (1 - 1 / size) ** (size - k) for k in range(7)]
    for k, p in enumerate(chance):
        expected, found = weights.size * p, int((weights == k).sum())
        assert abs(found - expected) < 5 * math.sqrt(expected * (1 - p))
    # By cell, no cell is drawn more often than others: a sum of squares that is chi-squared.
    off = ((weights.sum(axis=0) - count) ** 2).sum() / count
    assert abs(off - (size - 1)) < 5 * math.sqrt(2 * size)
    # Halves of the cells: the variance of their balls is n/4, not n/2 as if independent.
    half = weights[:, ::2].sum(axis=1)
    assert half.var() == pytest.approx(size / 4, rel=0.12)


def test_every_exchange_of_three_units_is_equally_likely() -> None:
    bits = np.concatenate(list(exchanges(3, 80_000, np.random.default_rng(1))))
    ways, counts = np.unique(bits, axis=0, return_counts=True)
    assert (8, 3) == ways.shape
    assert all(abs(count - 10_000) < 500 for count in counts.tolist())


def random_table(units: int, width: int, seed: int) -> Table:
    """A table whose second half of columns is in a part that leaves out units."""
    rng = np.random.default_rng(seed)
    values: FloatArray = rng.integers(0, 4, (units, width)).astype(np.float64) / 4
    some, half = np.flatnonzero(rng.random(units) < 0.5), width // 2
    return Table(units, width, [
        Part(np.arange(half), None, values[:, :half]),
        Part(np.arange(half, width), some, values[some, half:]),
    ])  # fmt: skip


def share(sums: FloatArray) -> FloatArray:
    """A statistic of all columns."""
    ratio: FloatArray = sums[:, 0] / (1 + sums[:, 1:].sum(axis=1))
    return ratio


@pytest.mark.parametrize("strata", [None, np.arange(90) % 3])
def test_a_large_table_is_jackknifed_in_groups(
    strata: IntArray | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Groups have about the same error as single units."""
    table = random_table(90, 6, 3)
    sampler = Sampler([Statistic(table, share)], Units.of(90, strata=strata))
    (single,) = sampler.jackknife()
    monkeypatch.setattr(draws, "LARGE", 0)
    monkeypatch.setattr(draws, "GROUPS", 30)
    (grouped,) = sampler.jackknife()
    assert grouped.size == grouped.count.item() == 30
    assert abs(grouped.error.item() - single.error.item()) < 0.5 * single.error.item()


def test_leaving_out_groups_is_leaving_out_their_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin leaves out each group by hand."""
    monkeypatch.setattr(draws, "LARGE", 0)
    monkeypatch.setattr(draws, "GROUPS", 12)
    table, order = random_table(40, 4, 5), np.random.default_rng(1).permutation(40)
    (moments,) = Sampler([Statistic(table, share)], Units.of(40, order)).jackknife()
    rows = table.rows(order)
    scores = np.array([
        share(np.delete(rows, np.s_[first::12], axis=0).sum(axis=0)[None]).item()
        for first in range(12)
    ])  # fmt: skip
    away = scores - scores.mean()
    assert math.isclose(moments.error.item(), math.sqrt(11 / 12 * (away**2).sum()), rel_tol=1e-9)
    skew = -(away**3).sum() / (6 * (away**2).sum() ** 1.5)
    assert math.isclose(moments.skew.item(), skew, rel_tol=1e-6)


def test_sums_are_the_same_in_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    table, units = random_table(50, 6, 8), Units.of(50)
    sampler = Sampler([Statistic(table, share)], units)
    (whole,) = sampler.bootstrap(300, np.random.default_rng(2))
    monkeypatch.setattr(draws, "HELD", 40)
    (pieces,) = sampler.bootstrap(300, np.random.default_rng(2))
    assert np.array_equal(whole, pieces)


def test_the_difference_of_two_tables() -> None:
    one, other = random_table(30, 8, 1), random_table(30, 8, 2)
    more = one.minus(other)
    every = np.arange(30)
    expected = one.rows(every) - other.rows(every)
    assert np.array_equal(expected, more.rows(every))
    assert np.allclose(expected.sum(axis=0), more.sums)
    for _, sums in Matrix([more], Units.of(30)).products(iter([np.ones((2, 30), np.uint8)]), 2):
        assert np.allclose(expected.sum(axis=0), sums[0])


def test_the_difference_leaves_out_columns_without_any() -> None:
    table = random_table(30, 8, 1)
    more = table.minus(table)
    assert 0 == more.parts[1].values.size
    for _, sums in Matrix([more], Units.of(30)).products(iter([np.ones((2, 30), np.uint8)]), 2):
        assert np.array_equal(np.zeros((2, 8)), sums[0])


def two_tables(quarters: bool, seed: int) -> tuple[Statistic, Statistic]:
    """A score of three labels and one of all labels together, over the same random counts."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 9, (120, 2)) / (4 if quarters else 7)
    unit, label = np.repeat(np.arange(40), 3), np.tile(np.arange(3), 40)
    tally = Tally(
        40, ("A", "B", "C"), ("tp", "fp"), {"gold_all": {"tp": 1.0, "total": 0.5}}, unit, label,
        counts, rng.integers(1, 9, 40).astype(np.float64),
    )  # fmt: skip
    needs = ("gold_all", "tp", "fp")
    return Statistic(tally.unit_table(needs), share), Statistic(tally.label_table(needs), share)


@pytest.mark.parametrize("quarters", [True, False])
def test_a_score_of_all_labels_is_the_same_with_and_without_its_labels(quarters: bool) -> None:
    """With the labels, its sums are sums of theirs; alone, they are multiplied."""
    for seed in range(5):
        every, labels = two_tables(quarters, seed)
        alone, together = Sampler([every], Units.of(40)), Sampler([every, labels], Units.of(40))
        assert not alone.summed and together.summed
        one = alone.bootstrap(50, np.random.default_rng(seed))[0]
        assert np.array_equal(one, together.bootstrap(50, np.random.default_rng(seed))[0])


def test_a_test_of_all_labels_is_the_same_with_and_without_those_of_labels() -> None:
    for seed in range(5):
        (first, ours), (second, theirs) = two_tables(True, seed), two_tables(True, seed + 5)
        test = Randomization(99)
        alone = Sampler([first, second], Units.of(40))
        together = Sampler([first, second, ours, theirs], Units.of(40))
        (one,) = test.every(alone, [(0, 1)], np.random.default_rng(1))
        both = test.every(together, [(0, 1), (2, 3)], np.random.default_rng(1))
        assert one[0].p.tolist() == both[0][0].p.tolist()
        assert not one[0].exact


BOUNDS = [each for bits in (7, 8, 15, 16) for each in (2**bits - 1, 2**bits, 2**bits + 1)]
"""Numbers around the largest ones of narrow types of whole numbers."""


@pytest.mark.parametrize("units", [3, *BOUNDS])
@pytest.mark.parametrize("largest", [1, *BOUNDS, 2**31 - 1, 2**31, 2**32 + 1])
def test_no_size_is_too_large_for_the_type_of_a_column(units: int, largest: int) -> None:
    """Tallies keep counts in few bytes; sums of many units do not fit into these."""
    first, second = (narrow(units, largest, one) for one in (0, 1))
    statistics = [
        Statistic(table, share)
        for tally in (first, second)
        for table in (tally.unit_table(("tp", "fp")), tally.label_table(("tp", "fp")))
    ]
    sampler = Sampler(statistics, Units.of(units))
    assert [units * largest - 1, 0.0] == statistics[0].table.sums.tolist()
    for draws_of_one in sampler.bootstrap(3, np.random.default_rng(1)):
        assert units * (largest - 1) <= draws_of_one.min() <= draws_of_one.max() <= units * largest
    for moments in sampler.jackknife():
        assert np.isfinite(moments.error).all()
    test = Randomization(99)
    for verdicts in test.every(sampler, [(0, 2), (1, 3)], np.random.default_rng(1)):
        assert 0 < verdicts[0].p.item() <= 1


def narrow(units: int, largest: int, one: int) -> Tally:
    """A tally of `largest` in every unit but for one, which has one less."""
    counts = np.full((units, 2), [largest, 0.0])
    counts[one % units, 0] -= 1
    return Tally(
        units, ("A",), ("tp", "fp"), {}, np.arange(units, dtype=np.int32),
        np.zeros(units, np.int8), compact(counts),
    )  # fmt: skip
