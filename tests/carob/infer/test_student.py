"""The quantiles of t must be scipy's, to ten digits."""

from __future__ import annotations

import pytest

from carob.infer.student import quantile


@pytest.mark.parametrize("probability", [0.5001, 0.8, 0.95, 0.975, 0.995, 0.9995, 0.025])
def test_quantiles_are_those_of_scipy(probability: float) -> None:
    stats = pytest.importorskip("scipy.stats")
    for freedom in [*range(1, 60), 99, 100, 199, 200, 201, 202, 500, 10_000, 10**7]:
        expected = float(stats.t.ppf(probability, freedom))
        assert abs(expected - quantile(probability, freedom)) < 1e-10 * max(1, abs(expected))


def test_the_middle_is_zero() -> None:
    assert abs(quantile(0.5, 7)) < 1e-12


@pytest.mark.parametrize(("probability", "freedom"), [(0.0, 3), (1.0, 3), (0.9, 0)])
def test_what_does_not_exist_is_refused(probability: float, freedom: int) -> None:
    with pytest.raises(ValueError, match="no quantile of t"):
        quantile(probability, freedom)
