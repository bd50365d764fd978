"""Parts in single precision add up to the lines, and their weighted sums are exact."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from karat.arrays.sums import singles


def test_whole_numbers_that_are_not_large_are_one_part() -> None:
    lines = np.random.default_rng(0).integers(0, 50, (4, 30)).astype(float)
    found = singles(lines, 1000)
    assert 1 == len(found)
    assert np.array_equal(lines, found[0][1])


def test_parts_add_up_but_for_rounding() -> None:
    rng = np.random.default_rng(1)
    for scale in (1.0, 1e-3, 1e6):
        lines = rng.random((5, 200)) * scale
        total = np.zeros_like(lines)
        for whose, part in singles(lines, 300):
            total[whose] += part
        assert np.abs(total - lines).max() < 1e-13 * lines.sum(axis=1).min()


def test_large_numbers_are_taken_apart() -> None:
    lines = np.array([[2.0**23 + 1, 3.0]])
    assert 1 < len(singles(lines, 100))


def test_weighted_sums_of_parts_are_exact_in_single_precision() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        lines = rng.random((3, 40)) * 10.0 ** rng.integers(-2, 4)
        weights = rng.integers(0, 4, (6, 40)).astype(np.float32)
        times = int(weights.sum(axis=1).max())
        for _, part in singles(lines, times):
            product = part @ weights.T
            for i, line in enumerate(part.tolist()):
                for k, row in enumerate(weights.tolist()):
                    expected = sum(
                        (Fraction(a) * Fraction(b) for a, b in zip(line, row, strict=True)),
                        Fraction(0),
                    )
                    assert expected == Fraction(float(product[i, k]))
