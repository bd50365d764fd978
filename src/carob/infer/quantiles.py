"""Quantiles of the Beta, Gamma and Student's t distributions, for whole columns, without scipy.

All are roots of one kind. On a logarithmic scale of x (the logit for Beta), the logarithms of the
probabilities below and above x are concave, so Newton's steps on the smaller of the two come to the
root from one side and do not pass it. A first step from the other side may go too far: then the
bracket is halved.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np

from carob.arrays.types import FloatArray

NORMAL = NormalDist()

CLOSE, STEPS = 1e-12, 200
"""A step that changes x by a smaller share of itself is the last; STEPS are never needed."""

EXACT, TERMS = 1e-15, 1_000_000
"""Series and continued fractions end at a term of this size."""

SMALLEST = 1e-300
"""Changes no number but 0, by which Lentz's method would divide."""

WIDEST = 700.0
"""Exp has a value in doubles between this and its negative."""

Shares = Callable[[FloatArray, Any], tuple[FloatArray, FloatArray, FloatArray]]
"""For points on the logarithmic scale, and which of the columns' rows they belong to: how much lies
below, how much above, and the density on that scale.
"""


def beta(probability: Any, a: Any, b: Any) -> FloatArray:
    """The x below which a Beta(a, b) lies with this probability; all are columns or numbers.

    >>> beta([0.025, 0.975], [8.0, 9.0], [3.0, 2.0]).round(6).tolist()
    [0.443905, 0.974789]
    """
    return _expit(_logit_beta(*_columns(probability, a, b)))


def gamma(probability: Any, shape: Any) -> FloatArray:
    """The x below which a Gamma of this shape and scale 1 lies with this probability.

    >>> gamma(0.975, [1.0, 4.0]).round(6).tolist()
    [3.688879, 8.767273]
    """
    p, a = _columns(probability, shape)
    rest_of_stirling = _stirling(a)

    def shares(u: FloatArray, some: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
        own, x = a[some], np.exp(u)
        deviance = _deviance(own, x) + rest_of_stirling[some]
        density = np.sqrt(own / (2 * math.pi)) * np.exp(-deviance)
        below = x < own + 1
        value = np.empty_like(x)
        value[below] = density[below] * _gamma_series(own[below], x[below])
        value[~below] = density[~below] * _gamma_fraction(own[~below], x[~below])
        return np.where(below, value, 1 - value), np.where(below, 1 - value, value), density

    # Wilson & Hilferty (1931): the cube root is nearly normal. Far below, F is x^a / Gamma(a + 1).
    cube = 1 - 1 / (9 * a) + _normal(p) / (3 * np.sqrt(a))
    tail = (np.log(p) + rest_of_stirling + np.log(2 * math.pi * a) / 2) / a + np.log(a) - 1
    guess = np.where(cube > 0.1, np.log(a) + 3 * np.log(np.maximum(cube, 0.1)), tail)
    return np.exp(_root(shares, p, guess))


def student(probability: Any, freedom: Any) -> FloatArray:
    """The t below which Student's t with these degrees of freedom lies; they may be fractions.

    >>> student(0.975, [9, 1.714286, 1000]).round(6).tolist()
    [2.262157, 5.068499, 1.962339]
    """
    p, v = _columns(probability, freedom)
    if not ((p > 0) & (p < 1) & (v > 0)).all():
        raise ValueError(f"no quantile of t: probability {probability}, freedom {freedom}")
    # v / (v + t^2) is a Beta(v/2, 1/2); its logit is the logarithm of v / t^2.
    tails = 2 * np.minimum(p, 1 - p)
    # Wallace (1959), "Bounds on Normal Approximations to Student's and the Chi-square
    # Distributions".
    z = np.maximum(-_normal(tails / 2), 1e-3) * (8 * v + 3) / (8 * v + 1)
    guess = -np.log(np.expm1(np.minimum(z * z / v, WIDEST)))
    t = np.sqrt(v) * np.exp(-_root(_beta_shares(v / 2, np.full_like(v, 0.5)), tails, guess) / 2)
    return np.where(tails == 1, 0.0, np.sign(p - 0.5) * t)


def two_sided(t: float, freedom: float) -> float:
    """The probability of a t at least as far from 0.

    >>> round(two_sided(2.262157, 9), 6), two_sided(0.0, 3)
    (0.05, 1.0)
    """
    if not freedom > 0 or math.isnan(t):
        raise ValueError(f"no probability of t: t {t}, freedom {freedom}")
    if t == 0:
        return 1.0
    _, a, b = _columns(0.5, freedom / 2, 0.5)
    u = np.array([math.log(freedom) - 2 * math.log(abs(t))])
    return float(_beta_shares(a, b)(u, slice(None))[0].item())


def _columns(*numbers: Any) -> list[FloatArray]:
    every = np.broadcast_arrays(*map(np.atleast_1d, numbers))
    return [np.array(each, np.float64) for each in every]


def _normal(p: FloatArray) -> FloatArray:
    """About the quantile of the normal distribution: Abramowitz & Stegun 26.2.23."""
    t = np.sqrt(-2 * np.log(np.minimum(p, 1 - p)))
    away = t - (2.515517 + t * (0.802853 + 0.010328 * t)) / (
        1 + t * (1.432788 + t * (0.189269 + 0.001308 * t))
    )
    signed: FloatArray = np.where(p < 0.5, -away, away)
    return signed


def _expit(u: FloatArray) -> FloatArray:
    small = np.exp(-np.abs(u))
    share: FloatArray = np.where(u < 0, small, 1.0) / (1 + small)
    return share


def _logit_beta(p: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """The logit of a quantile of Beta(a, b)."""
    # The logit is about normal. For small a or b, one of the tails is exponential instead.
    guess = np.log(a / b) + _normal(p) * np.sqrt(1 / a + 1 / b)
    return _root(_beta_shares(a, b), p, guess)


def _root(shares: Shares, p: FloatArray, guess: FloatArray) -> FloatArray:
    """Where the share below is p, by Newton's steps guarded by bisection."""
    u = np.clip(guess, -WIDEST, WIDEST)
    low, high = np.full_like(u, -WIDEST), np.full_like(u, WIDEST)
    some = np.arange(len(u))
    for _ in range(STEPS):
        if not len(some):
            break
        at, goal = u[some], p[some]
        below, above, density = shares(at, some)
        low[some], high[some] = (
            np.where(below < goal, at, low[some]), np.where(below < goal, high[some], at)
        )  # fmt: skip
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = np.where(
                goal <= 0.5, np.log(below / goal) * below, -np.log(above / (1 - goal)) * above
            )
            new = at - step / density
        # A last step may be nothing but rounding, and leave the bracket.
        ready = np.abs(new - at) <= CLOSE * np.maximum(1.0, np.abs(at))
        inside = (new > low[some]) & (new < high[some])
        u[some] = np.where(ready | inside, new, (low[some] + high[some]) / 2)
        some = some[~ready]
    return u


def _beta_shares(a: FloatArray, b: FloatArray) -> Shares:
    """The shares of Beta(a, b) at logits, and its density there."""
    rest_of_stirling = _stirling(a + b) - _stirling(a) - _stirling(b)
    scale = np.sqrt(a / (a + b) * b / (2 * math.pi))

    def shares(u: FloatArray, some: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
        one, other = a[some], b[some]
        x, y = _expit(u), _expit(-u)
        deviance = _deviance(one, (one + other) * x) + _deviance(other, (one + other) * y)
        density = scale[some] * np.exp(rest_of_stirling[some] - deviance)
        below = x * (one + other + 2) < one + 1
        value = density * _beta_fraction(
            np.where(below, one, other), np.where(below, other, one), np.where(below, x, y)
        )
        return np.where(below, value, 1 - value), np.where(below, 1 - value, value), density

    return shares


def _stirling(z: FloatArray) -> FloatArray:
    """What Stirling's formula lacks of log z!: the densities of large counts keep their digits.

    Loader (2000), "Fast and Accurate Computation of Binomial Probabilities".
    """
    square = 1 / (z * z)
    terms = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
    rest = np.zeros_like(z)
    for term in reversed(terms):
        rest = rest * square + term
    rest /= z
    for i in np.flatnonzero(z < 16).tolist():
        each = float(z[i])
        rest[i] = math.lgamma(each + 1) - (each + 0.5) * math.log(each) + each
        rest[i] -= math.log(2 * math.pi) / 2
    return rest


def _deviance(count: FloatArray, expected: FloatArray) -> FloatArray:
    """The deviance count log(count / expected) + expected - count, with all its digits."""
    expected = np.maximum(expected, SMALLEST)
    away = (count - expected) / (count + expected)
    # The logarithm of (1 + away) / (1 - away), by its series.
    total, power = np.zeros_like(away), away.copy()
    for k in range(3, 25, 2):
        power = power * away * away
        total += power / k
    near = (count - expected) * away + 2 * count * total
    with np.errstate(over="ignore"):
        far = count * np.log(count / expected) + expected - count
    return np.where(np.abs(away) < 0.1, near, far)


def _beta_fraction(a: FloatArray, b: FloatArray, x: FloatArray) -> FloatArray:
    """I_x(a, b) over its density in the logit: a continued fraction, by Lentz's method. Press et
    al. (2007), "Numerical Recipes", 6.4.5.
    """
    result = np.empty_like(x)
    some = np.arange(len(x))
    c = np.ones_like(x)
    value = d = 1 / (1 - (a + b) * x / (a + 1) + SMALLEST)
    for m in range(1, TERMS):
        place = a + 2 * m
        even = m * (b - m) * x / ((place - 1) * place)
        d = 1 / (1 + even * d + SMALLEST)
        c = 1 + even / c + SMALLEST
        value = value * (d * c)
        odd = -(a + m) * (a + b + m) * x / (place * (place + 1))
        d = 1 / (1 + odd * d + SMALLEST)
        c = 1 + odd / c + SMALLEST
        change = d * c
        value = value * change
        if m % 4:
            continue  # rows that are ready are taken out now and then
        going = np.abs(change - 1) > EXACT
        result[some] = value / a
        if not going.any():
            break
        some = some[going]
        a, b, x, c, d, value = (each[going] for each in (a, b, x, c, d, value))
    return result


def _gamma_series(a: FloatArray, x: FloatArray) -> FloatArray:
    """The share below x of Gamma(a) over its density in log x."""
    term = 1 / a
    total = term.copy()
    for n in range(1, TERMS):
        term = term * x / (a + n)
        total += term
        if (term <= EXACT * total).all():
            break
    return total


def _gamma_fraction(a: FloatArray, x: FloatArray) -> FloatArray:
    """The share above x of Gamma(a) over its density in log x: Press et al. (2007), 6.2.7."""
    b = x + 1 - a
    c, d = np.full_like(x, 1 / SMALLEST), 1 / (b + SMALLEST)
    value = d.copy()
    for n in range(1, TERMS):
        b = b + 2
        part = n * (n - a)
        d = 1 / (b - part * d + SMALLEST)
        c = b - part / c + SMALLEST
        value = value * d * c
        if (np.abs(d * c - 1) <= EXACT).all():
            break
    return value
