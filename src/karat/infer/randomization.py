"""Is a difference one? Paired approximate randomization, exact where that can be done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from karat.infer._draws import Units
from karat.infer._sampling import Together, room
from karat.nouns._dataclass import dataclass
from karat.nouns._types import ByteArray, FloatArray, IntArray
from karat.nouns.rows import Statistic

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
        return self.every(Together(plain, units), [(0, 1)], rng)[0][0]

    def every(
        self, together: Together, pairs: Sequence[tuple[int, int]], rng: np.random.Generator
    ) -> list[list[Verdict]]:
        """The tests of several differences of two statistics, for which the same documents are
        exchanged: for each pair one verdict, or one for each score that has columns of its own.
        """
        changes = _changes(together, pairs)
        sizes = [
            len(together.points[first]) if any(size > EXACT for size, _ in change) else 0
            for (first, _), change in zip(pairs, changes, strict=True)
        ]
        drawn = room(sizes, self.trials)
        if any(sizes):
            blocks = [len(index) for _, index in together.units.blocks()]
            rngs = rng.spawn(len(blocks))
            for trials, moved in together.product.drawn(
                self.trials,
                lambda block, first, end: _random(rngs[block], end - first, blocks[block]),
            ):
                for key, some in _alike(together, pairs, np.flatnonzero(sizes).tolist()).items():
                    sums = _exchanged(together, key, moved(key[1]) - moved(key[0]))
                    for i in some:
                        drawn[i][trials] = _difference(together, pairs[i], sums)
                    for number in key:
                        together.forget(number)
        return [
            _verdicts(together, pair, change, own)
            for pair, change, own in zip(pairs, changes, drawn, strict=True)
        ]


Pair = tuple[int, int]
Changes = list[tuple[int, FloatArray]]
"""For each part of the columns in how many units it differs, and if these are few, how much the
second has more than the first in each of them.
"""


def _alike(together: Together, pairs: Sequence[Pair], some: Iterable[int]) -> dict[Pair, list[int]]:
    """Which of the pairs have the same rows."""
    found: dict[Pair, list[int]] = {}
    for i in some:
        first, second = pairs[i]
        found.setdefault((together.of[first], together.of[second]), []).append(i)
    return found


def _changes(together: Together, pairs: Sequence[Pair]) -> list[Changes]:
    """What exchanging the two systems' answers changes, for each pair."""
    found: dict[Any, _Change] = {}
    keys = []
    for first, second in pairs:
        columns = together.statistics[first].columns
        keys.append((together.of[first], together.of[second], id(columns)))
        found.setdefault(keys[-1], _Change(columns))
    for _, lines in together.blocks():
        for (first, second, _), change in found.items():
            change.see(lines[first], lines[second])
    return [found[key].done() for key in keys]


class _Change:
    """In how many units two tables of lines differ, part by part of the columns."""

    def __init__(self, columns: tuple[IntArray, ...] | None) -> None:
        self.parts: Sequence[Any] = [slice(None)] if columns is None else columns
        self.sizes = [0] * len(self.parts)
        self.few: list[list[FloatArray]] = [[] for _ in self.parts]

    def see(self, first: FloatArray, second: FloatArray) -> None:
        """The lines of one block."""
        there = first != second
        for i, part in enumerate(self.parts):
            differs = there[part].any(axis=0)
            self.sizes[i] += int(np.count_nonzero(differs))
            if self.sizes[i] <= EXACT:
                self.few[i].append((second[:, differs] - first[:, differs]).T)

    def done(self) -> Changes:
        """Sizes, and the rows of the units that differ."""
        none = np.zeros((0, 0))
        return [
            (size, np.concatenate(rows) if size <= EXACT else none)
            for size, rows in zip(self.sizes, self.few, strict=True)
        ]


def _exchanged(together: Together, rows: Pair, moved: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The sums of two rows, once so much has moved from the second to the first (trials x
    columns).
    """
    first, second = (together.totals[i].sums for i in rows)
    return first + moved, second - moved


def _difference(
    together: Together, pair: Pair, sums: tuple[FloatArray, FloatArray]
) -> FloatArray:  # fmt: skip
    """The differences of all scores (trials x scores)."""
    first, second = (
        together.statistics[which].value(own) for which, own in zip(pair, sums, strict=True)
    )
    found: FloatArray = (first - second).reshape(len(sums[0]), -1)
    return found


def _verdicts(
    together: Together, pair: Pair, changes: Changes, trials: FloatArray
) -> list[Verdict]:
    first, second = (together.points[which] for which in pair)
    parts = [slice(None)]
    if together.statistics[pair[0]].columns is not None:
        parts = [slice(i, i + 1) for i in range(len(first))]
    found = []
    for part, (size, few) in zip(parts, changes, strict=True):
        if size <= EXACT:
            tried = np.concatenate([bits @ few for bits in _every(size)])
            rows = together.of[pair[0]], together.of[pair[1]]
            own = _difference(together, pair, _exchanged(together, rows, tried))[:, part]
        else:
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
