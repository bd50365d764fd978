"""Joining pairs rows with equal keys one-to-one, as multisets; packing keeps equality and order."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest

from carob.arrays.join import join, packed, rest


def slow_join(left: list[int], right: list[int]) -> list[tuple[int, int]]:
    """The k-th row of a key on the left with the k-th on the right, by looking."""
    waiting: dict[int, list[int]] = defaultdict(list)
    for row, key in enumerate(right):
        waiting[key].append(row)
    return [(row, waiting[key].pop(0)) for row, key in enumerate(left) if waiting[key]]


def test_join_pairs_as_the_slow_twin_does() -> None:
    rng = np.random.default_rng(1)
    for _ in range(2000):
        n, m = rng.integers(0, 9, 2)
        left, right = rng.integers(0, 5, n), rng.integers(0, 5, m)
        if rng.random() < 0.5:
            left.sort()
            right.sort()
        ours, theirs = join(left, right)
        actual = sorted(zip(ours.tolist(), theirs.tolist(), strict=True))
        assert slow_join(left.tolist(), right.tolist()) == actual


def test_a_key_is_joined_as_often_as_the_poorer_side_has_it() -> None:
    rng = np.random.default_rng(2)
    left, right = rng.integers(0, 300, 5000), rng.integers(100, 400, 4000)
    ours, theirs = join(left, right)
    assert (left[ours] == right[theirs]).all()
    assert Counter(left.tolist()) & Counter(right.tolist()) == Counter(left[ours].tolist())
    assert len(set(ours.tolist())) == len(ours)
    assert len(set(theirs.tolist())) == len(theirs)


@pytest.mark.parametrize("top", [1, 7, 2**20, 2**31 - 1, 2**40])
def test_packed_rows_compare_as_the_rows_do(top: int) -> None:
    rng = np.random.default_rng(top)
    for columns in (1, 2, 3, 5):
        left = [rng.integers(0, 2, 6) * rng.integers(0, top + 1) for _ in range(columns)]
        right = [rng.integers(0, 2, 5) * rng.integers(0, top + 1) for _ in range(columns)]
        right = [np.where(rng.random(5) < 0.5, a[:5], b) for a, b in zip(left, right, strict=True)]
        one, other = packed(left, right)
        rows = [tuple(int(c[i]) for c in left) for i in range(6)]
        rows += [tuple(int(c[i]) for c in right) for i in range(5)]
        keys = [*one.tolist(), *other.tolist()]
        for a, x in zip(rows, keys, strict=True):
            for b, y in zip(rows, keys, strict=True):
                assert (a == b, a < b) == (x == y, x < y)


def test_empty_tables_join_to_nothing() -> None:
    nothing = np.empty(0, np.int64)
    for left, right in ((nothing, nothing), (np.array([1]), nothing), (nothing, np.array([1]))):
        ours, theirs = join(left, right)
        assert [] == ours.tolist() == theirs.tolist()


def test_rest_is_what_was_not_taken() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        size = int(rng.integers(0, 9))
        taken = np.flatnonzero(rng.random(size) < 0.5)
        rng.shuffle(taken)
        expected = [row for row in range(size) if row not in taken.tolist()]
        assert expected == rest(size, taken).tolist()
