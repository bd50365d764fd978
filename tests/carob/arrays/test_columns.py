"""Sums are exact: those of fractions, rounded once, in whatever order the numbers come."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from carob.arrays.columns import column_sums, group_sums, is_whole


def test_sums_of_columns_are_those_of_fractions() -> None:
    rng = np.random.default_rng(1)
    for scale in (1.0, 1e-9, 1e9):
        table = rng.random((300, 3)) * scale
        table[:, 1] = np.rint(table[:, 1])
        expected = [float(sum(map(Fraction, column))) for column in table.T.tolist()]
        assert expected == column_sums(table).tolist()
        assert expected == column_sums(rng.permutation(table)).tolist()


def test_sums_of_groups_are_those_of_fractions() -> None:
    rng = np.random.default_rng(2)
    for whole in (True, False):
        group = rng.integers(0, 7, 200)
        numbers = rng.integers(0, 9, 200) / (1.0 if whole else 7.0)
        expected = [
            float(sum((Fraction(x) for x in numbers[group == i].tolist()), Fraction(0)))
            for i in range(9)
        ]
        assert expected == group_sums(numbers, group, 9).tolist()


def test_small_integers_do_not_overflow() -> None:
    table = np.full((40_000, 1), 30_000, np.int16)
    assert [1.2e9] == column_sums(table).tolist()  # type: ignore[arg-type]


def test_nothing_sums_up_to_nothing() -> None:
    assert [0.0, 0.0] == column_sums(np.zeros((0, 2))).tolist()
    assert [0.0, 0.0] == group_sums(np.zeros(0), np.zeros(0, np.int64), 2).tolist()
    assert is_whole(np.zeros(0))
