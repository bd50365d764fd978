"""Is a difference one? Paired approximate randomization, exact where that can be done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

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
        plain = [Statistic(each.rows, each.value) for each in (first, second)]
        return self.every([(plain[0], plain[1])], units, rng)[0][0]

    def every(
        self,
        pairs: Sequence[tuple[Statistic, Statistic]],
        units: Units,
        rng: np.random.Generator,
    ) -> list[list[Verdict]]:
        """The tests of several differences, for which the same documents are exchanged: for each
        pair one verdict, or one for each score that has columns of its own.
        """
        changes = {(id(a.rows), id(b.rows)): _Change(a.rows, b.rows, units) for a, b in pairs}
        keys = [(id(a.rows), id(b.rows)) for a, b in pairs]
        many = [key for key, change in changes.items() if change.size > EXACT]
        drawn: dict[int, list[FloatArray]] = {}
        if many:
            for moved in _moved([changes[key] for key in many], units, self.trials, rng):
                for key, lines in zip(many, moved, strict=True):
                    sums = changes[key].exchanged(lines)
                    for i in (i for i, own in enumerate(keys) if own == key):
                        drawn.setdefault(i, []).append(_difference(pairs[i], sums))
        found = []
        for i, pair in enumerate(pairs):
            trials = np.concatenate(drawn[i]) if i in drawn else None
            found.append(_verdicts(pair, changes[keys[i]], trials))
        return found


def _difference(pair: tuple[Statistic, Statistic], sums: tuple[FloatArray, FloatArray]) -> Any:
    """The differences of all scores (trials x scores)."""
    first, second = (each.value(own) for each, own in zip(pair, sums, strict=True))
    return (first - second).reshape(len(sums[0]), -1)


def _verdicts(
    pair: tuple[Statistic, Statistic], change: _Change, trials: FloatArray | None
) -> list[Verdict]:
    first, second = (
        np.reshape(each.value(own[None])[0], -1)
        for each, own in zip(pair, change.sums, strict=True)
    )
    parts = (
        [slice(None)] if pair[0].columns is None else [slice(i, i + 1) for i in range(len(first))]
    )
    found = []
    for part, (size, few) in zip(parts, change.parts(pair[0].columns), strict=True):
        if size <= EXACT:
            tried = np.concatenate([bits @ few for bits in _every(size)])
            own = _difference(pair, change.exchanged(tried))[:, part]
        else:
            assert trials is not None, "if some columns differ so often, all together do"
            own = trials[:, part]
        found.append(_verdict((first[part], second[part]), own, size))
    return found


def _verdict(values: tuple[FloatArray, FloatArray], found: FloatArray, differing: int) -> Verdict:
    first, second = values
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
        self.first, self.second, self._units = first, second, units
        self.units, self.width = first.units, first.width
        self.sums = summed(first), summed(second)
        self.held: dict[int, FloatArray] = {}
        """The lines of the blocks of units, if they are not many."""
        if first.units * first.width <= CELLS:
            self.held = {
                number: np.ascontiguousarray(self.block(index).T)
                for number, (_, index) in enumerate(units.blocks())
            }
        self._parts: dict[int, list[tuple[int, FloatArray]]] = {}
        self.size = self.parts(None)[0][0]

    def parts(self, columns: tuple[IntArray, ...] | None) -> list[tuple[int, FloatArray]]:
        """For each part of the columns (None: all at once) in how many units it differs, and the
        rows of those units, where they are few.
        """
        found = self._parts.get(id(columns))
        if found is None:
            found = self._parts[id(columns)] = self._counted(columns)
        return found

    def _counted(self, columns: tuple[IntArray, ...] | None) -> list[tuple[int, FloatArray]]:
        every = [slice(None)] if columns is None else columns
        sizes = [0] * len(every)
        some = [[np.zeros((0, self.width))] for _ in every]
        for lines in self._blocks():
            there = lines != 0
            for i, own in enumerate(every):
                differs = there[own].any(axis=0)
                sizes[i] += int(np.count_nonzero(differs))
                if sizes[i] <= EXACT:
                    some[i].append(lines[:, differs].T)
        return [(size, np.concatenate(rows)) for size, rows in zip(sizes, some, strict=True)]

    def _blocks(self) -> Iterator[FloatArray]:
        """The lines of some units at a time."""
        if self.held:
            yield from self.held.values()
            return
        for _, index in self._units.blocks(max(1, CELLS // max(self.width, 1))):
            yield self.block(index).T

    def block(self, index: IntArray) -> FloatArray:
        """The rows `index`."""
        return self.second.block(index) - self.first.block(index)

    def exchanged(self, moved: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The sums of both, once so much has moved (trials x columns)."""
        return self.sums[0] + moved, self.sums[1] - moved


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
            sums += factor.sums(count, _random(rngs[number], count, len(index)))
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
