"""Is a difference one? Paired approximate randomization, exact where that can be done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from karat.arrays.sums import split
from karat.infer._draws import Units
from karat.nouns._types import FloatArray, IntArray
from karat.nouns.rows import Rows, Statistic

EXACT = 20
"""Up to so many documents that differ, every exchange is tried."""

CLOSE = 1e-12
"""Differences that are closer are the same."""

CELLS = 1 << 21


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """The outcome of a test, for one score or for several at once (arrays).

    `differing` counts the units on which the two systems differ, `exact` says that every exchange
    was tried, `dropped` how many exchanges had no value. `trials` are the differences that chance
    alone gave (trials x scores), each counted once.
    """

    difference: FloatArray
    p: FloatArray
    differing: int
    exact: bool
    dropped: IntArray
    trials: FloatArray

    @property
    def smallest(self) -> float:
        """The smallest p that could have come out: 2^(1-k) for k units that differ.

        >>> rows = np.array([[0.0, 1.0]] * 5)
        >>> from karat.nouns.rows import Dense
        >>> a, b = (Statistic(Dense(rows + [x, 0.0]), lambda s: s[:, 0] / s[:, 1]) for x in (0, 1))
        >>> Randomization()(a, b, Units.of(5), np.random.default_rng(0)).smallest
        0.0625
        """
        return 2.0 ** (1 - self.differing) if self.differing else 1.0


@dataclass(frozen=True, slots=True)
class Randomization:
    """How often chance alone gives so large a difference: exchange the two systems' answers.

    If the systems are equally good, it does not matter which of them gave which answer. For each
    document the two systems' counts are exchanged with probability 1/2, and d* is the difference
    of the scores. p = (1 + #{|d*| >= |d| - 1e-12}) / (1 + trials), two-sided. When at most 20
    documents differ, every exchange is tried and p is exact (no + 1). Noreen (1989),
    "Computer-intensive methods for testing hypotheses"; Yeh (2000), "More accurate tests for the
    statistical significance of result differences".

    >>> from karat.nouns.rows import Dense
    >>> a = np.array([[8.0, 2.0], [3.0, 3.0], [7.0, 1.0]])
    >>> b = np.array([[6.0, 1.0], [5.0, 2.0], [7.0, 1.0]])
    >>> f = [
    ...     Statistic(Dense(rows), lambda s: 2 * s[:, 0] / (2 * s[:, 0] + s[:, 1]))
    ...     for rows in (a, b)
    ... ]
    >>> Randomization()(*f, Units.of(3), np.random.default_rng(0)).p
    array([0.5])
    """

    trials: int = 9999

    name: ClassVar[str] = "randomization"

    def __call__(
        self, first: Statistic, second: Statistic, units: Units, rng: np.random.Generator
    ) -> Verdict:
        """The test of the difference first - second; both statistics have the same units."""
        pair = _Exchange(first, second, units)
        observed = pair.differences(np.zeros((1, pair.size), np.float32))[0]
        exact = pair.size <= EXACT
        bits = _every(pair.size) if exact else _random(rng, self.trials, pair.size)
        found = np.concatenate([pair.differences(chunk) for chunk in bits])
        missing = np.isnan(found).sum(axis=0)
        extreme = (np.abs(found) >= np.abs(observed) - CLOSE).sum(axis=0)
        one = 0 if exact else 1
        p = (one + extreme) / np.maximum(one + len(found) - missing, 1)
        p = np.where(np.isnan(observed), np.nan, p)
        return Verdict(observed, p, pair.size, exact, missing, found)


def _every(size: int) -> Iterator[FloatArray]:
    """Every way to exchange, but for exchanging all: that only turns the sign of the difference."""
    count, step = 1 << max(size - 1, 0), max(1, CELLS // max(size, 1))
    for start in range(0, count, step):
        number = np.arange(start, min(start + step, count))
        yield ((number[:, None] >> np.arange(size)) & 1).astype(np.float32)


def _random(rng: np.random.Generator, trials: int, size: int) -> Iterator[FloatArray]:
    """Random exchanges. Whole words are drawn, so the size of a chunk changes nothing."""
    words = -(-size // 64)
    step = max(1, CELLS // size)
    for start in range(0, trials, step):
        shape = (min(step, trials - start), words)
        drawn = rng.integers(0, 1 << 64, size=shape, dtype=np.uint64).astype("<u8")
        yield np.unpackbits(drawn.view(np.uint8), axis=1, count=size).astype(np.float32)


class _Exchange:
    """Two systems whose rows can be exchanged."""

    def __init__(self, first: Statistic, second: Statistic, units: Units) -> None:
        self.first, self.second = first, second
        self.sums = _totals(first.rows), _totals(second.rows)
        step = max(1, CELLS // max(first.rows.width, 1))
        moved = [np.zeros((0, first.rows.width))]
        for _, index in units.blocks(step):
            change = second.rows.block(index) - first.rows.block(index)
            moved.append(change[change.any(axis=1)])
        self.coarse, self.fine = split(np.concatenate(moved))
        self.size = len(self.coarse)
        most = np.abs(self.coarse).sum(axis=0).max(initial=0.0)
        if self.fine is None and most < 1 << 24:
            self.coarse = self.coarse.astype(np.float32)

    def differences(self, bits: FloatArray) -> FloatArray:
        """The difference of the scores for each line of exchanges (1: exchanged)."""
        size = max(1, CELLS // max(self.coarse.shape[1], 1))
        found = []
        for start in range(0, len(bits), size):
            here = bits[start : start + size]
            whole = (here @ self.coarse).astype(np.float64)
            rest = 0.0 if self.fine is None else here @ self.fine
            sums = [
                (coarse + sign * whole) + (fine + sign * rest)
                for sign, (coarse, fine) in zip((1, -1), self.sums, strict=True)
            ]
            one, other = (
                statistic.value(each)
                for statistic, each in zip((self.first, self.second), sums, strict=True)
            )
            found.append((one - other).reshape(len(here), -1))
        return np.concatenate(found)


def _totals(rows: Rows) -> tuple[FloatArray, FloatArray | float]:
    step = max(1, CELLS // max(rows.width, 1))
    coarse, fine = np.zeros(rows.width), np.zeros(rows.width)
    for start in range(0, rows.units, step):
        parts = split(rows.block(np.arange(start, min(start + step, rows.units))))
        coarse += parts[0].sum(axis=0)
        fine += 0.0 if parts[1] is None else parts[1].sum(axis=0)
    return coarse, fine
