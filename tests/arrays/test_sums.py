"""Parts in single precision add up to the lines, and their weighted sums are exact."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from carob.arrays.sums import singles


def test_whole_numbers_that_are_not_large_are_one_part() -> None:
    lines = np.random.default_rng(0).integers(0, 50, (4, 30)).astype(float)
    found = singles(lines, 1000)
    assert [] == found[1]
    assert np.array_equal(lines, found[0])


def test_parts_add_up() -> None:
    rng = np.random.default_rng(1)
    for scale in (1.0, 1e-3, 1e6):
        lines = rng.random((5, 200)) * scale
        parts, more = singles(lines, 300)
        whose = np.concatenate([np.arange(5), *more])
        total = [
            [sum(Fraction(float(x)) for x in parts[whose == i, k]) for k in range(200)]
            for i in range(5)
        ]
        assert [[Fraction(x) for x in line] for line in lines.tolist()] == total


def test_large_numbers_are_taken_apart() -> None:
    lines = np.array([[2.0**23 + 1, 3.0]])
    assert [[0]] == [whose.tolist() for whose in singles(lines, 100)[1]]


def test_weighted_sums_of_parts_are_exact_in_single_precision() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        lines = rng.random((3, 40)) * 10.0 ** rng.integers(-2, 4)
        weights = rng.integers(0, 4, (6, 40)).astype(np.float32)
        times = int(weights.sum(axis=1).max())
        parts, _ = singles(lines, times)
        product = parts @ weights.T
        for i, line in enumerate(parts.tolist()):
            for k, row in enumerate(weights.tolist()):
                expected = sum(
                    (Fraction(a) * Fraction(b) for a, b in zip(line, row, strict=True)),
                    Fraction(0),
                )
                assert expected == Fraction(float(product[i, k]))
