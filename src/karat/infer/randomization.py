"""Is a difference one? Paired approximate randomization, exact where that can be done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from karat.infer._draws import Units
from karat.infer._sampling import Product, Together
from karat.nouns._types import ByteArray, FloatArray, IntArray
from karat.nouns.rows import Rows, Statistic, summed

EXACT = 20
"""Up to so many documents that differ, every exchange is tried."""

CLOSE = 1e-12
"""Differences that are closer are the same."""

CELLS = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """The outcome of a test, for one score or for several at once (arrays).

    `differing` counts the units on which the two systems differ, `exact` says that every exchange
    was tried, `dropped` how many exchanges had no value. `trials` are the differences that chance
    alone gave (trials x scores), each counted once; `first` and `second` are the scores.
    """

    difference: FloatArray
    p: FloatArray
    differing: int
    exact: bool
    dropped: IntArray
    trials: FloatArray
    first: FloatArray
    second: FloatArray

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
        return self.every([(first, second)], units, rng)[0]

    def every(
        self,
        pairs: Sequence[tuple[Statistic, Statistic]],
        units: Units,
        rng: np.random.Generator,
    ) -> list[Verdict]:
        """The tests of several differences, for which the same documents are exchanged."""
        changes = {(id(a.rows), id(b.rows)): _Change(a.rows, b.rows, units) for a, b in pairs}
        many = [key for key, change in changes.items() if change.size > EXACT]
        found: dict[int, FloatArray] = {}
        if many:
            tested = [changes[key] for key in many]
            for moved in _moved(tested, units, self.trials, rng):
                for key, lines in zip(many, moved, strict=True):
                    for i, each in _values(pairs, key, changes[key], lines):
                        before = found.get(i)
                        found[i] = each if before is None else np.concatenate([before, each])
        for key, change in changes.items():
            if change.size <= EXACT:
                tried = [bits @ change.few for bits in _every(change.size)]
                found |= dict(_values(pairs, key, change, np.concatenate(tried)))
        verdicts = []
        for i, (first, second) in enumerate(pairs):
            change = changes[id(first.rows), id(second.rows)]
            values = first.value(change.sums[0][None])[0], second.value(change.sums[1][None])[0]
            verdicts.append(_verdict(values, found[i], change.size))
        return verdicts


def _verdict(values: tuple[FloatArray, FloatArray], found: FloatArray, differing: int) -> Verdict:
    first, second = (np.reshape(value, -1) for value in values)
    observed, exact = first - second, differing <= EXACT
    missing = np.isnan(found).sum(axis=0)
    extreme = (np.abs(found) >= np.abs(observed) - CLOSE).sum(axis=0)
    one = 0 if exact else 1
    p = (one + extreme) / np.maximum(one + len(found) - missing, 1)
    p = np.where(np.isnan(observed), np.nan, p)
    return Verdict(observed, p, differing, exact, missing, found, first, second)


class _Change:
    """Rows of numbers: what the second system has more than the first, unit by unit."""

    def __init__(self, first: Rows, second: Rows, units: Units) -> None:
        self.first, self.second, self.order = first, second, units.order
        self.units, self.width = first.units, first.width
        self.sums = summed(first), summed(second)
        step = max(1, CELLS // max(first.width, 1))
        self.size = 0
        some = [np.zeros((0, first.width))]
        for _, index in units.blocks(step):
            change = self.block(index)
            differs = change.any(axis=1)
            self.size += int(differs.sum())
            if self.size <= EXACT:
                some.append(change[differs])
        self.few: FloatArray = np.concatenate(some)
        """The rows that are not zero, where there are few."""

    def block(self, index: IntArray) -> FloatArray:
        """The rows `index`."""
        return self.second.block(index) - self.first.block(index)


def _values(
    pairs: Sequence[tuple[Statistic, Statistic]],
    key: tuple[int, int],
    change: _Change,
    moved: FloatArray,
) -> Iterator[tuple[int, FloatArray]]:
    """For each pair with these rows its place and its differences, once so much has moved."""
    ours, theirs = change.sums[0] + moved, change.sums[1] - moved
    for i, (first, second) in enumerate(pairs):
        if (id(first.rows), id(second.rows)) == key:
            yield i, (first.value(ours) - second.value(theirs)).reshape(len(moved), -1)


def _moved(
    changes: Sequence[_Change], units: Units, trials: int, rng: np.random.Generator
) -> Iterator[Iterator[FloatArray]]:
    """What moves from one system to the other in random exchanges: some trials at a time, for
    each of the changes (trials x columns).
    """
    together = Together([Statistic(change, _as_it_is) for change in changes])
    product = Product(together, units, trials)
    blocks = list(units.blocks())
    rngs = rng.spawn(len(blocks))
    held = max(1, 4 * CELLS // max(together.width, 1))
    for start in range(0, trials, held):
        count = min(held, trials - start)
        sums = np.zeros((product.height, count))
        for number, (_, index) in enumerate(blocks):
            factor = product.factor(number, len(index))
            for first, bits in _random(rngs[number], count, len(index)):
                factor.add(sums[:, first : first + len(bits)], bits)
        yield (product.sums(sums, number) for number in together.of)


def _as_it_is(sums: FloatArray) -> FloatArray:
    return sums


def _every(size: int) -> Iterator[FloatArray]:
    """Every way to exchange, but for exchanging all: that only turns the sign of the difference."""
    count, step = 1 << max(size - 1, 0), max(1, CELLS // max(size, 1))
    for start in range(0, count, step):
        number = np.arange(start, min(start + step, count))
        yield ((number[:, None] >> np.arange(size)) & 1).astype(np.float64)


def _random(rng: np.random.Generator, trials: int, size: int) -> Iterator[tuple[int, ByteArray]]:
    """Random exchanges. Whole words are drawn, so the size of a chunk changes nothing."""
    words = -(-size // 64)
    step = max(1, CELLS // size)
    for start in range(0, trials, step):
        shape = (min(step, trials - start), words)
        drawn = rng.integers(0, 1 << 64, size=shape, dtype=np.uint64).astype("<u8", copy=False)
        bits = np.unpackbits(drawn.view(np.uint8), axis=1, count=size)
        yield start, bits
