"""Ranks of sequences are those of Python's sorted tuples."""

from __future__ import annotations

import random

import numpy as np

from carob.arrays.join import distinct, ranked
from carob.arrays.sequences import sequence_ranks
from carob.arrays.types import IntArray


def test_ranks_are_those_of_sorted_tuples() -> None:
    rng = random.Random(2)
    for _ in range(300):
        rows = [
            tuple(rng.randrange(3) for _ in range(rng.choice((0, 1, 2, 2, 3, 7))))
            for _ in range(rng.randrange(12))
        ]
        offsets = np.cumsum([0, *map(len, rows)])
        values = np.array([value for row in rows for value in row], np.int64)
        place = {row: i for i, row in enumerate(sorted(set(rows)))}
        assert [place[row] for row in rows] == sequence_ranks(offsets, values).tolist()


def test_distinct_keys_are_sorted_and_once_each() -> None:
    rng = np.random.default_rng(4)
    for size in (0, 1, 2, 50):
        keys = rng.integers(0, 20, size)
        assert sorted(set(keys.tolist())) == distinct(keys).tolist()
        assert sorted(set(keys.tolist())) == distinct(np.sort(keys)).tolist()


def test_ranks_are_those_of_sorted_keys_of_any_range_and_type() -> None:
    rng = np.random.default_rng(5)
    for kind, low, high in (
        (np.int32, 0, 20), (np.int32, -3, 4), (np.int64, 7_000_000, 7_000_030),
        (np.int32, -(2**31), 2**31 - 1), (np.int64, -(2**61), 2**61), (np.int8, -128, 127),
    ):  # fmt: skip
        for size in (0, 1, 2, 50, 3000):
            keys: IntArray = rng.integers(low, high, size).astype(kind)
            different, places = ranked(keys)
            assert sorted(set(keys.tolist())) == different.tolist()
            assert keys.tolist() == different[places].tolist()
            assert np.int64 == places.dtype
