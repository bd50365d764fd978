"""Ranks of sequences are those of Python's sorted tuples."""

from __future__ import annotations

import random

import numpy as np

from carob.arrays.join import distinct
from carob.arrays.sequences import sequence_ranks


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
