"""Resampling weights must be multinomial, and depend on nothing but the seed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from carob.arrays.draw import Poisson
from carob.arrays.types import FloatArray
from carob.infer import _draws
from carob.infer._draws import Units, streams


def drawn(units: Units, resamples: int, seed: int, cells: int = 1 << 18) -> FloatArray:
    """All weights, units as columns."""
    found = np.zeros((resamples, len(units)))
    for stream in streams(units, resamples, np.random.default_rng(seed)):
        for start, weights in stream.chunks(0, resamples, cells):
            found[start : start + len(weights), stream.index] = weights
    return found


def test_every_draw_takes_as_many_units_as_there_are() -> None:
    assert drawn(Units.of(7), 50, 1).sum(axis=1).tolist() == [7] * 50


def test_every_draw_takes_from_a_stratum_as_many_as_it_has() -> None:
    strata = np.array([0, 1, 0, 2, 1, 0])
    weights = drawn(Units.of(6, strata=strata), 40, 2)
    for stratum, size in ((0, 3), (1, 2), (2, 1)):
        assert [size] * 40 == weights[:, strata == stratum].sum(axis=1).tolist()


def test_the_size_of_a_chunk_changes_no_bit() -> None:
    whole = drawn(Units.of(33), 64, 3)
    for cells in (1, 33, 100, 1000, 5000):
        assert np.array_equal(whole, drawn(Units.of(33), 64, 3, cells))


def test_draws_can_be_taken_in_parts() -> None:
    whole = drawn(Units.of(9), 20, 4)
    parts = np.zeros_like(whole)
    for stream in streams(Units.of(9), 20, np.random.default_rng(4)):
        for first, end in ((0, 3), (3, 11), (11, 20)):
            for start, weights in stream.chunks(first, end):
                start += first
                parts[start : start + len(weights), stream.index] = weights
    assert np.array_equal(whole, parts)


def test_another_seed_is_another_sample() -> None:
    assert not np.array_equal(drawn(Units.of(9), 20, 4), drawn(Units.of(9), 20, 5))


@pytest.mark.parametrize("block", [8192, 4])
def test_weights_are_multinomial(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mean 1, variance 1 - 1/n, covariance -1/n: also where the units fall into blocks."""
    monkeypatch.setattr(_draws, "BLOCK", block)
    monkeypatch.setattr(Units.blocks, "__defaults__", (block,))
    size, resamples = 10, 60_000
    weights = drawn(Units.of(size), resamples, 6)
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


def test_many_cells_are_filled_with_as_many_balls() -> None:
    """Poisson numbers that are topped up, or cut, to the number of balls."""
    weights = drawn(Units.of(300), 3000, 9)
    assert {300.0} == set(weights.sum(axis=1).tolist())
    assert weights.min() == 0


def test_poisson_numbers_that_are_too_many_are_taken_away_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_draws, "_SPREAD", -1.0)
    weights = drawn(Units.of(300), 4000, 10)
    assert {300.0} == set(weights.sum(axis=1).tolist())
    assert_multinomial(weights)


@pytest.mark.parametrize("block", [8192, 256])
def test_weights_of_many_cells_are_multinomial(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Units.blocks, "__defaults__", (block,))
    assert_multinomial(drawn(Units.of(600), 5000, 12))


def assert_multinomial(weights: FloatArray) -> None:
    """Each cell holds a binomial number of balls, and any two cells are as far from independent
    as they are in a multinomial.
    """
    resamples, size = weights.shape
    chance = [math.comb(size, k) * (1 / size) ** k * (1 - 1 / size) ** (size - k) for k in range(7)]
    for k, p in enumerate(chance):
        expected, found = weights.size * p, int((weights == k).sum())
        assert abs(found - expected) < 5 * math.sqrt(expected * (1 - p))
    # By cell, no cell is drawn more often than others: a sum of squares that is chi-squared.
    off = ((weights.sum(axis=0) - resamples) ** 2).sum() / resamples
    assert abs(off - (size - 1)) < 5 * math.sqrt(2 * size)
    # Halves of the cells: the variance of their balls is n/4, not n/2 as if independent.
    half = weights[:, ::2].sum(axis=1)
    assert half.var() == pytest.approx(size / 4, rel=0.12)


def test_the_size_of_a_chunk_changes_no_bit_with_many_cells() -> None:
    whole = drawn(Units.of(333), 40, 3)
    for cells in (1, 333, 1000, 5000):
        assert np.array_equal(whole, drawn(Units.of(333), 40, 3, cells))


def test_poisson_numbers_have_their_probabilities() -> None:
    """Exactly: shares of bytes, and what remains of every probability."""
    for mean in (0.5, 0.8, 0.967, 1.0):
        poisson = Poisson(mean)
        limits = poisson.limits.tolist()
        shares, left = np.diff([0, *limits]), 256 - limits[-1]
        remains = left * np.diff([0.0, *poisson.remains, 1.0])
        for k in range(12):
            found = (shares[k] if k < len(shares) else 0) + remains[k]
            assert found / 256 == pytest.approx(math.exp(-mean) * mean**k / math.factorial(k))
