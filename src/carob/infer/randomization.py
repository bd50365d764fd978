"""Is a difference one? Paired approximate randomization, exact where that can be done."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np

from carob.arrays.types import FloatArray, HashArray, IntArray
from carob.counts.rows import Statistic
from carob.infer._draws import Units
from carob.infer._sampling import Together, difference, room

EXACT = 20
"""Up to so many documents that differ, every exchange is tried."""

CLOSE = 1e-12
"""Differences that are closer are the same."""

CELLS = 1 << 20
"""How many numbers are worked on at a time, about: memory and speed, no result."""

EXCHANGED = 1 << 22
"""How many units are exchanged at a time, about: memory and speed, no result."""


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """The outcome of a test, for one score or for several at once (arrays).

    `differing` counts the units on which the two systems differ, `exact` says that every exchange
    was tried, `tried` how many that were, `dropped` how many of them had no value. `trials` are the
    differences that chance alone gave (trials x scores), if these were drawn at random; `first` and
    `second` are the scores.
    """

    difference: FloatArray
    p: FloatArray
    differing: int
    exact: bool
    tried: int
    dropped: IntArray
    trials: FloatArray
    first: FloatArray
    second: FloatArray

    @property
    def smallest(self) -> float:
        """The smallest p that could have come out: 2^(1-k) for k units that differ.

        >>> rows = np.array([[0.0, 1.0]] * 5)
        >>> from carob.counts.rows import Dense
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

    >>> from carob.counts.rows import Dense
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
                    more = moved(key[1])
                    more -= moved(key[0])
                    sums = _exchanged(together, key, more)
                    for i in some:
                        parts = _values(together, pairs[i], sums)
                        difference(parts, drawn[i][trials])
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
                more = second[:, differs].astype(np.float64) - first[:, differs]
                self.few[i].append(more.T)

    def done(self) -> Changes:
        """Sizes, and the rows of the units that differ."""
        none = np.zeros((0, 0))
        return [
            (size, np.concatenate(rows) if size <= EXACT else none)
            for size, rows in zip(self.sizes, self.few, strict=True)
        ]


def _exchanged(together: Together, rows: Pair, moved: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The sums of two rows, once so much has moved from the second to the first (trials x
    columns); what has moved becomes one of them.
    """
    first, second = (together.totals[i].sums for i in rows)
    return first + moved, np.subtract(second, moved, out=moved)


def _values(
    together: Together, pair: Pair, sums: tuple[FloatArray, FloatArray]
) -> list[FloatArray]:  # fmt: skip
    """All scores of both statistics (trials x scores)."""
    return [
        together.statistics[which].value(own).reshape(len(own), -1)
        for which, own in zip(pair, sums, strict=True)
    ]


def _verdicts(
    together: Together, pair: Pair, changes: Changes, trials: FloatArray
) -> list[Verdict]:  # fmt: skip
    both = [together.statistics[which] for which in pair]
    values = [together.points[which] for which in pair]
    sums = [together.totals[together.of[which]].sums for which in pair]
    found = []
    for place, (size, rows) in enumerate(changes):
        columns = both[0].columns
        part = slice(None) if columns is None else slice(place, place + 1)
        first, second = (each[part] for each in values)
        if size > EXACT:
            found.append(_drawn(first, second, trials[:, part], size))
        elif columns is None:
            found.append(_tried(both, sums, (first, second), rows))
        else:
            alone = [each.alone(place) for each in both]
            own = [each[columns[place]] for each in sums]
            found.append(_tried(alone, own, (first, second), rows[:, columns[place]]))
    return found


def _drawn(first: FloatArray, second: FloatArray, trials: FloatArray, differing: int) -> Verdict:
    """The verdict of exchanges that were drawn at random."""
    observed = first - second
    missing = np.isnan(trials).sum(axis=0)
    extreme = (np.abs(trials) >= np.abs(observed) - CLOSE).sum(axis=0)
    p = (1 + extreme) / (1 + len(trials) - missing)
    p = np.where(np.isnan(observed), np.nan, p)
    return Verdict(observed, p, differing, False, len(trials), missing, trials, first, second)


def _tried(
    both: Sequence[Statistic], sums: Sequence[FloatArray], values: tuple[FloatArray, FloatArray],
    rows: FloatArray,
) -> Verdict:  # fmt: skip
    """The verdict of every exchange of a few rows: of two statistics, their sums and their values.
    The rows are what the second has more than the first in each unit that differs.
    """
    first, second = values
    observed = first - second
    missing, extreme = np.zeros(len(observed)), np.zeros(len(observed))
    for moved, ways in _every(rows):
        one, other = both[0].value(sums[0] + moved), both[1].value(sums[1] - moved)
        found = (one - other).reshape(len(moved), -1)
        missing += ways @ np.isnan(found)
        extreme += ways @ (np.abs(found) >= np.abs(observed) - CLOSE)
    tried = 1 << max(len(rows) - 1, 0)
    p = np.where(np.isnan(observed), np.nan, extreme / np.maximum(tried - missing, 1))
    none = np.empty((0, len(observed)))
    return Verdict(
        observed, p, len(rows), True, tried, missing.astype(np.int64), none, first, second
    )


def _every(rows: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
    """What moves in every way to exchange these rows, and how many ways come to the same; some at
    a time. One row stays where it is: exchanging all others instead only turns the sign.

    >>> [(moved.tolist(), ways.tolist()) for moved, ways in _every(np.array([[1.0], [1.0], [1.0]]))]
    [([[0.0], [1.0], [2.0]], [1.0, 2.0, 1.0])]
    """
    alike = Counter(map(tuple, rows.tolist()))
    if alike:
        alike[alike.most_common(1)[0][0]] -= 1
    moved, ways = np.zeros((1, rows.shape[1])), np.ones(1)
    far = []
    for row, count in alike.items():
        if len(moved) * (count + 1) * max(rows.shape[1], 1) > CELLS:
            far.append((np.array(row), count))
            continue
        moved = np.concatenate([moved + k * np.array(row) for k in range(count + 1)])
        ways = np.concatenate([ways * math.comb(count, k) for k in range(count + 1)])
    for chosen in product(*(range(count + 1) for _, count in far)):
        more, times = np.zeros(rows.shape[1]), 1
        for k, (own, count) in zip(chosen, far, strict=True):
            more, times = more + k * own, times * math.comb(count, k)
        yield moved + more, ways * times


def _random(rng: np.random.Generator, trials: int, size: int) -> Iterator[tuple[int, HashArray]]:
    """Random exchanges, a bit for each unit. Whole words are drawn, so the size of a chunk changes
    nothing.
    """
    words = -(-size // 64)
    step = max(1, EXCHANGED // size)
    for start in range(0, trials, step):
        shape = (min(step, trials - start), words)
        yield start, rng.integers(0, 1 << 64, size=shape, dtype=np.uint64)
