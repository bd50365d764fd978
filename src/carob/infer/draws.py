"""What is resampled, and how: resampling weights, and exchanges of two systems' answers.

A resample of n units takes n of them at random, with replacement; its weights say how often it
takes each. To throw n balls into n cells one by one is slow. Poisson numbers, drawn for each cell
by itself, are multinomial once their sum is known, whatever it is. So a Poisson number for each
cell, of a mean a little below 1, and then as many single balls as are still missing, have the same
distribution as n single balls. If the sum is too large, balls are taken away again at random.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from carob.arrays.types import ByteArray, IntArray

CHUNK = 1 << 20
"""About how many weights are made at a time. A different number gives different draws."""

FEW = 256
"""Fewer units are drawn one by one."""

SPREAD = 3.0
"""How many standard deviations below the number of units the Poisson numbers aim at."""

LARGEST = 40
"""No Poisson number of a mean below 1 is ever this large: the probability is below 1e-47."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Units:
    """The units of resampling: their order of drawing, and where each stratum begins in it.

    The order does not depend on that of the file, so neither do the draws.

    >>> Units.of(3).sizes
    array([3])
    """

    order: IntArray
    bounds: IntArray
    kind: str = "document"

    @classmethod
    def of(
        cls, size: int, order: IntArray | None = None, strata: IntArray | None = None,
        kind: str = "document",
    ) -> Units:  # fmt: skip
        """Units in this order (default: as they are), within `strata` (codes).

        >>> Units.of(4, strata=np.array([1, 0, 1, 0])).order
        array([1, 3, 0, 2])
        """
        order = np.arange(size) if order is None else order
        if strata is None or not size:
            return cls(order, np.array([0, size]), kind)
        by_stratum = order[np.argsort(strata[order], kind="stable")]
        counts = np.bincount(strata - strata.min())
        return cls(by_stratum, np.concatenate([[0], np.cumsum(counts[counts > 0])]), kind)

    def __len__(self) -> int:
        return len(self.order)

    @property
    def sizes(self) -> IntArray:
        """How many units each stratum has."""
        return np.diff(self.bounds)

    def words(self, count: int | None = None) -> str:
        """A number of units in words.

        >>> Units.of(1).words(), Units.of(1200, kind="sentence").words()
        ('1 document', '1,200 sentences')
        """
        count = len(self) if count is None else count
        return f"{count:,} {self.kind}{'s' if count != 1 else ''}"


def resamples(units: Units, draws: int, rng: np.random.Generator) -> Iterator[ByteArray]:
    """How often each resample takes each unit (draws x units, in the order of drawing), some
    resamples at a time. Each stratum keeps its size.
    """
    step = max(1, CHUNK // max(len(units), 1))
    strata = list(pairwise(units.bounds.tolist()))
    for start in range(0, draws, step):
        count = min(step, draws - start)
        parts = [_multinomial(count, end - first, rng) for first, end in strata]
        yield parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def exchanges(units: int, draws: int, rng: np.random.Generator) -> Iterator[ByteArray]:
    """Whether each trial exchanges the answers of two systems for a unit, 0 or 1 (trials x units),
    some trials at a time.
    """
    step = max(1, CHUNK // max(units, 1))
    for start in range(0, draws, step):
        count = min(step, draws - start)
        words = rng.integers(0, 1 << 64, size=(count, -(-units // 64)), dtype=np.uint64)
        yield np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, count=units)


def _multinomial(count: int, size: int, rng: np.random.Generator) -> ByteArray:
    """`count` times, how many of `size` balls fall into each of `size` cells."""
    if size < FEW:
        weights, missing = np.zeros((count, size), np.uint8), np.full(count, size)
    else:
        weights = _poisson(1 - SPREAD / math.sqrt(size), (count, size), rng)
        missing = size - weights.sum(axis=1, dtype=np.int64)
        for row in np.flatnonzero(missing < 0).tolist():
            balls = np.repeat(np.arange(size), weights[row])
            surplus = rng.choice(balls, -int(missing[row]), replace=False)
            np.subtract.at(weights[row], surplus, np.uint8(1))
        missing = np.maximum(missing, 0)
    first_cell = np.repeat(np.arange(count) * size, missing)
    cells = first_cell + rng.integers(0, size, size=len(first_cell))
    # A byte is enough: more than 255 balls in one cell are less likely than a broken machine.
    np.add.at(weights.reshape(-1), cells, np.uint8(1))
    return weights


def _poisson(mean: float, shape: tuple[int, int], rng: np.random.Generator) -> ByteArray:
    """Poisson numbers, by looking up random bytes.

    A number has as many of the 256 bytes as fit into its probability. The few bytes that are left
    over stand for what remains of all probabilities; a second random number decides among these.
    """
    chance = math.exp(-mean) * np.cumprod([1.0, *(mean / k for k in range(1, LARGEST))])
    share = np.floor(256 * chance).astype(np.int64)
    table = np.repeat(np.arange(LARGEST, dtype=np.uint8), share)
    known = len(table)
    table = np.append(table, np.zeros(256 - known, np.uint8))
    count = math.prod(shape)
    words = rng.integers(0, 1 << 64, size=-(-count // 8), dtype=np.uint64)
    random_bytes = words.astype("<u8").view(np.uint8)[:count]
    numbers = table.take(random_bytes)
    left_over = np.flatnonzero(random_bytes >= known)
    remains = np.cumsum(256 * chance - share)
    numbers[left_over] = np.searchsorted(remains / remains[-1], rng.random(len(left_over)), "right")
    return numbers.reshape(shape)
