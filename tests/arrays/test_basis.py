"""A basis keeps every line that is needed to make all of them, and no line twice."""

from __future__ import annotations

import numpy as np

from carob.arrays.basis import Basis, basis
from carob.arrays.types import FloatArray


def remade(found: Basis, lines: FloatArray) -> FloatArray:
    made = np.empty_like(lines)
    for i, line in enumerate(made):
        found.line(i, lines[found.kept], line)
    return made


def blocks(lines: FloatArray, *cuts: int) -> list[list[FloatArray]]:
    return [list(part) for part in np.split(lines, cuts, axis=1)]


def test_every_line_can_be_made_again() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        size = int(rng.integers(2, 600))
        own = rng.integers(0, rng.integers(2, 5), (int(rng.integers(1, 6)), size)) / 3
        lines = own[rng.integers(0, len(own), 9)]
        sums = {9: [0, 3, 5], 10: [2]}
        lines = np.array([*lines, *(lines[some].sum(axis=0) for some in sums.values())])
        found = basis(blocks(lines, int(rng.integers(1, size))), sums)
        assert np.allclose(lines, remade(found, lines), rtol=1e-15, atol=0)
        assert np.array_equal(lines[:9], remade(found, lines)[:9])
        assert len({line.tobytes() for line in lines[:9]}) <= len(found.kept)
        if size < 256:
            distinct = basis(blocks(lines), sums).kept
            assert len({line.tobytes() for line in lines[:9]}) == len(distinct)


def test_a_line_that_differs_in_one_column_is_kept() -> None:
    """The sample may not see it, but every column is checked."""
    rng = np.random.default_rng(2)
    for place in (0, 17, 555, 999):
        a, b = rng.integers(0, 5, (2, 1000)).astype(float)
        odd = a.copy()
        odd[place] += 1
        found = basis(blocks(np.stack([a, b, odd, a, odd]), 300))
        assert {0, 1, 2} <= set(found.kept.tolist())
        assert 3 not in found.kept


def test_what_is_said_to_be_a_sum_is_not_kept() -> None:
    a, b = np.arange(5.0), np.arange(5.0) % 2
    found = basis([[a + b, a, b, a]], {0: [3, 2]})
    assert [1, 2] == found.kept.tolist()
    assert [[0, 1], [0], [1], [0]] == found.made


def test_without_lines_there_is_nothing_to_keep() -> None:
    found = basis([[]])
    assert ([], []) == (found.kept.tolist(), found.made)
