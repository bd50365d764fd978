"""A basis leaves out only lines that are, number by number, sums of the lines it keeps."""

from __future__ import annotations

import numpy as np

from karat.arrays.basis import Basis, basis
from karat.nouns._types import FloatArray


def remade(found: Basis, lines: FloatArray) -> FloatArray:
    kept = lines[found.kept]
    return np.array([found.line(i, found.places, kept) for i in range(len(lines))])


def worlds(rng: np.random.Generator) -> tuple[FloatArray, int]:
    """Lines of which the first few are free and the others are sums of them; how many columns
    the first block has.
    """
    free = rng.integers(0, 4, (int(rng.integers(1, 6)), 300)).astype(float)
    mix = rng.integers(-2, 3, (int(rng.integers(0, 9)), len(free))).astype(float)
    lines = np.concatenate([free, mix @ free, free[:2], np.zeros((1, 300))])
    return lines, int(rng.integers(100, 300))


def test_every_line_can_be_made_again() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        lines, cut = worlds(rng)
        lines = rng.permutation(lines)
        assert np.array_equal(lines, remade(basis([lines[:, :cut], lines[:, cut:]]), lines))


def test_sums_of_lines_before_them_are_left_out() -> None:
    rng = np.random.default_rng(1)
    small = 0
    for _ in range(100):
        lines, cut = worlds(rng)
        if cut > 4 * len(lines) + 48:
            small += 1
            found = basis([lines[:, :cut], lines[:, cut:]])
            assert np.linalg.matrix_rank(lines) == len(found.kept)
    assert small > 50


def test_a_line_that_differs_in_one_column_is_kept() -> None:
    """The sample may not see it, but every column is checked."""
    rng = np.random.default_rng(2)
    for place in (0, 17, 555, 999):
        a, b = rng.integers(0, 5, (2, 1000)).astype(float)
        odd = a + b
        odd[place] += 1
        found = basis([np.stack([a, b, odd, a + b])])
        assert [0, 1, 2] == found.kept.tolist()


def test_of_lines_that_are_not_whole_only_repeated_ones_are_left_out() -> None:
    a = np.arange(200.0) % 7
    lines = np.stack([a, a / 3, a, a / 3, a / 3 + a])
    found = basis([lines])
    assert [0, 1, 4] == found.kept.tolist()
    assert np.array_equal(lines, remade(found, lines))


def test_with_few_columns_every_line_is_kept() -> None:
    lines = np.ones((5, 20))
    assert [0, 1, 2, 3, 4] == basis([lines]).kept.tolist()
