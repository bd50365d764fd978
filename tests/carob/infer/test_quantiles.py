"""Quantiles must be scipy's to ten digits, for every size, and exact where a formula is known."""

from __future__ import annotations

import numpy as np
import pytest

from carob.infer.quantiles import beta, gamma, student, two_sided

PROBABILITIES = [1e-6, 0.0005, 0.025, 0.2, 0.5, 0.8, 0.975, 0.9995]


@pytest.mark.parametrize("probability", PROBABILITIES)
def test_quantiles_of_beta_are_those_of_scipy(probability: float) -> None:
    special = pytest.importorskip("scipy.special")
    rng = np.random.default_rng(1)
    share, size = rng.random(3000) ** rng.choice([0.1, 1, 30], 3000), 10 ** rng.uniform(-2, 7, 3000)
    for a, b in ((share * size, (1 - share) * size + 1), (share * size + 1, (1 - share) * size)):
        some = np.minimum(a, b) > 1e-8
        expected = special.betaincinv(a[some], b[some], probability)
        found = beta(probability, a[some], b[some])
        assert np.abs(expected - found).max() < 1e-10


@pytest.mark.parametrize("probability", PROBABILITIES)
def test_quantiles_of_gamma_are_those_of_scipy(probability: float) -> None:
    special = pytest.importorskip("scipy.special")
    # Of larger shapes, scipy's tails are wrong in the ninth digit.
    shape = 10 ** np.random.default_rng(2).uniform(-1, 4, 2000)
    expected = special.gammaincinv(shape, probability)
    assert np.abs(gamma(probability, shape) / expected - 1).max() < 1e-10


@pytest.mark.parametrize("probability", [0.5001, 0.8, 0.95, 0.975, 0.995, 0.9995, 0.025])
def test_quantiles_of_t_are_those_of_scipy(probability: float) -> None:
    special = pytest.importorskip("scipy.special")
    freedom = np.array([*np.arange(1.7, 60, 0.3), 99, 200, 202.5, 500, 10_000, 10**7])
    expected = special.stdtrit(freedom, probability)
    found = student(probability, freedom)
    assert (np.abs(expected - found) < 1e-10 * np.maximum(1, np.abs(expected))).all()


def test_two_sided_is_the_way_back() -> None:
    for freedom in (1.0, 1.7, 9.0, 200.0):
        for probability in (0.2, 0.05, 1e-5):
            t = student(1 - probability / 2, freedom).item()
            assert two_sided(t, freedom) == pytest.approx(probability, rel=1e-9)
            assert two_sided(-t, freedom) == two_sided(t, freedom)


def test_simple_distributions_have_their_formulas() -> None:
    p = np.array(PROBABILITIES)
    assert beta(p, 1, 1) == pytest.approx(p, abs=1e-13)
    assert beta(p, 7, 1) == pytest.approx(p ** (1 / 7), abs=1e-13)
    assert gamma(p, 1) == pytest.approx(-np.log1p(-p), rel=1e-11)
    assert student(p, 1) == pytest.approx(np.tan(np.pi * (p - 0.5)), rel=1e-9, abs=1e-12)


def test_the_middle_of_t_is_zero() -> None:
    assert student(0.5, [7.0, 1.8]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("probability", "freedom"), [(0.0, 3), (1.0, 3), (0.9, 0)])
def test_what_does_not_exist_is_refused(probability: float, freedom: int) -> None:
    with pytest.raises(ValueError, match="no quantile of t"):
        student(probability, freedom)
    with pytest.raises(ValueError, match="no probability of t"):
        two_sided(float("nan"), 3)
