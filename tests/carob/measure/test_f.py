"""F is the weighted harmonic mean of P and R; beta and alpha are two ways to say one thing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from carob import Quantities, RecipeError
from carob.measure.f import F
from carob.measure.precision import Precision
from carob.measure.recall import Recall


def random_quantities(seed: int, size: int = 500) -> Quantities:
    """Both sides of their own, as in spaces where a match is not one-to-one; many zeros."""
    rng = np.random.default_rng(seed)
    gold_all, system_all = rng.integers(0, 6, (2, size))
    return Quantities.of(
        gold_all=gold_all.astype(float),
        system_all=system_all.astype(float),
        gold_right=np.floor(rng.random(size) * (gold_all + 1)),
        system_right=np.floor(rng.random(size) * (system_all + 1)),
    )


@pytest.mark.parametrize("beta", [0.25, 0.5, 1.0, 2.0, 3.0])
def test_f_is_the_weighted_harmonic_mean(beta: float) -> None:
    q = random_quantities(1)
    p, r, f = Precision()(q), Recall()(q), F(beta=beta)(q)
    alpha = 1 / (1 + beta**2)
    for one, other, found in zip(p.tolist(), r.tolist(), f.tolist(), strict=True):
        if math.isnan(one) and math.isnan(other):
            assert math.isnan(found)
        elif math.isnan(one) or math.isnan(other) or not one or not other:
            assert 0 == found
        else:
            assert math.isclose(1 / (alpha / one + (1 - alpha) / other), found)


def test_f_of_equal_counts_is_exact() -> None:
    for right in range(1, 30):
        q = Quantities.of(gold_right=right, system_right=right, gold_all=31, system_all=37)
        assert 2 * right / 68 == F()(q)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_beta_and_alpha_are_equivalent(beta: float) -> None:
    q = random_quantities(2)
    one, other = F(beta=beta)(q), F(alpha=1 / (1 + beta**2))(q)
    np.testing.assert_allclose(one, other, rtol=1e-12)


def test_the_ends_are_precision_and_recall() -> None:
    q = random_quantities(3)
    there = (q["gold_right"] > 0) & (q["system_right"] > 0)
    for f in (F(beta=0), F(alpha=1)):
        np.testing.assert_allclose(f(q)[there], Precision()(q)[there])
    for f in (F(beta=1e200), F(alpha=0)):
        np.testing.assert_allclose(f(q)[there], Recall()(q)[there])


def test_f1_is_one_thing_with_three_spellings() -> None:
    assert F() == F(beta=1) == F(alpha=0.5)
    assert "F1" == F(beta=1).short_name
    assert F(beta=2).short_name is None


def test_f_is_undefined_only_when_both_sides_are_empty() -> None:
    q = Quantities.of(
        gold_all=np.array([0.0, 1, 0, 1]), system_all=np.array([0.0, 0, 1, 1]),
        gold_right=np.zeros(4), system_right=np.zeros(4),
    )  # fmt: skip
    for f in (F(), F(beta=2), F(alpha=0.3)):
        found = f(q)
        assert math.isnan(found[0])
        assert [0.0, 0.0, 0.0] == found[1:].tolist()


def test_f_of_means_is_made_of_two_numbers() -> None:
    found = F().of_means(np.array([0.5, 0.0, np.nan]), np.array([1.0, 0.0, np.nan]))
    assert math.isclose(2 / 3, found[0])
    assert 0 == found[1]
    assert math.isnan(found[2])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"beta": 2, "alpha": 0.5}, "F takes beta or alpha, not both"),
        ({"beta": -1}, "F(beta=-1): beta is 0 or more"),
        ({"beta": float("nan")}, "F(beta=nan): beta is 0 or more"),
        ({"beta": float("inf")}, "F(beta=inf): beta is 0 or more"),
        ({"alpha": 1.5}, "F(alpha=1.5): alpha is between 0 and 1"),
        ({"alpha": float("nan")}, "F(alpha=nan): alpha is between 0 and 1"),
    ],
)
def test_weights_that_make_no_sense_are_refused(parameters: dict[str, float], message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        F(**parameters)
    assert message == str(caught.value)
