"""How often would the test detect a difference? Studies that are drawn from a pilot, and tested.

A simulated study draws documents from the pilot. In a `share` of them, chosen at random, the two
systems' answers are exchanged: with 0 the systems are those of the pilot, with 1/2 they are equally
good, and differ as much as before. Then the study is tested as the randomization test does it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from carob import progress
from carob.arrays.ranges import rows_of
from carob.arrays.types import BoolArray, ByteArray, FloatArray, IntArray
from carob.counts.tally import Statistic
from carob.infer.resampling import Units, exchanges

CLOSE = 1e-12
"""Differences that are closer are the same, as in the test itself."""

CELLS = 1 << 20
"""About how many numbers of one kind are kept at a time."""

SINGLE = float(1 << 24)
"""Below this, sums of whole numbers are exact in single precision."""

FEW = 10
"""If at most this many documents differ, all exchanges are tried and p is exact, as in the test."""


@dataclass(frozen=True)
class Pilot:
    """Two systems on the same units, from which studies of any size are drawn."""

    first: Statistic
    second: Statistic
    units: Units

    @cached_property
    def rows(self) -> FloatArray:
        """What the first system has, in an order that is not the file's."""
        return self.first.table.rows(self.units.order)

    @cached_property
    def change(self) -> FloatArray:
        """What the second has more, and a row of zeros at the end: a document of no difference."""
        change = self.second.table.rows(self.units.order) - self.rows
        return np.concatenate([change, np.zeros((1, change.shape[1]))])

    @cached_property
    def differs(self) -> BoolArray:
        """On which units the two differ."""
        differs: BoolArray = (self.change[:-1] != 0).any(axis=1)
        return differs

    @cached_property
    def largest(self) -> float:
        """The largest change, if all are whole numbers; else infinite."""
        whole = (self.change == np.rint(self.change)).all()
        return float(np.abs(self.change).max(initial=0.0)) if whole else np.inf

    def expected(self, share: float) -> float:
        """The difference second - first that a very large study has."""
        ours, theirs = self.first.table.sums[None], self.second.table.sums[None]
        moved = share * (theirs - ours)
        one = self.second.value(theirs - moved) - self.first.value(ours + moved)
        return float(one.reshape(-1)[0])

    def share(self, difference: float) -> float:
        """What share of documents has to be exchanged for a difference of this size.

        It is between 0 (for the pilot's own difference) and 1/2 (for none), by bisection.
        """
        own = self.expected(0.0)
        sign = 1.0 if own >= 0 else -1.0
        if difference >= abs(own):
            return 0.0
        low, high = 0.0, 0.5
        for _ in range(60):
            middle = (low + high) / 2
            near = sign * self.expected(middle) > difference
            low, high = (middle, high) if near else (low, middle)
        return (low + high) / 2

    def rejections(
        self, size: int, share: float, simulations: int, trials: int, alpha: float,
        rng: np.random.Generator,
    ) -> int:  # fmt: skip
        """In how many of the simulated studies of `size` units p is at most `alpha`."""
        width = self.change.shape[1]
        lines = max(trials, 1 << FEW)
        step = max(1, min(CELLS // (lines * width), CELLS // (size * width)))
        rejected = 0
        starts = range(0, simulations, step)
        for start in progress.steps(starts, f"studies of {size:,} {self.units.kind}s"):
            count = min(step, simulations - start)
            rejected += int((self._tested(size, share, count, trials, rng) <= alpha).sum())
        return rejected

    def _drawn(self, size: int, count: int, rng: np.random.Generator) -> IntArray:
        """The units of `count` studies; each stratum has the share of them that the pilot has."""
        place = ((np.arange(size) + 0.5) * len(self.units) / size).astype(np.int64)
        stratum = np.searchsorted(self.units.bounds, place, side="right") - 1
        first, own = self.units.bounds[stratum], self.units.sizes[stratum]
        return first + (rng.random((count, size)) * own).astype(np.int64)

    def _tested(
        self, size: int, share: float, count: int, trials: int, rng: np.random.Generator
    ) -> FloatArray:
        """The p of each of `count` studies."""
        drawn = self._drawn(size, count, rng)
        exchanged = rng.random(drawn.shape) < share
        ours = self._summed(drawn, None) @ self.rows
        theirs = ours + self._summed(drawn, None) @ self.change[:-1]
        moved = self._summed(drawn, exchanged) @ self.change[:-1]
        observed = _flat(self.second.value(theirs - moved) - self.first.value(ours + moved))
        differs = self.differs[drawn]
        few = differs.sum(axis=1) <= FEW
        p = np.ones(count)
        for some, exact in ((few, True), (~few, False)):
            which = np.flatnonzero(some)
            if not len(which):
                continue
            packed = self._packed(drawn[which], differs[which], FEW if exact else 0)
            chance = self._chance(packed, ours[which], theirs[which], trials, rng, exact=exact)
            extreme = (np.abs(chance) >= np.abs(observed[which]) - CLOSE).sum(axis=0)
            there = len(chance) - np.isnan(chance).sum(axis=0)
            one = 0 if exact else 1
            p[which] = (one + extreme) / np.maximum(one + there, 1)
        return np.where(np.isnan(observed), 1.0, p)

    def _summed(self, drawn: IntArray, only: BoolArray | None) -> FloatArray:
        """How often each study has each unit of the pilot."""
        count, size = len(drawn), len(self.units)
        cell = drawn + np.arange(count)[:, None] * size
        weights = np.bincount(cell.ravel() if only is None else cell[only], minlength=count * size)
        return weights.reshape(count, size).astype(np.float64)

    def _packed(self, drawn: IntArray, differs: BoolArray, least: int) -> IntArray:
        """The units of each study that differ, filled up with those of no difference."""
        study, place = np.nonzero(differs)
        counts = np.bincount(study, minlength=len(drawn))
        packed = np.full((len(drawn), max(int(counts.max(initial=0)), least)), len(self.units))
        packed[study, rows_of(0, counts)] = drawn[study, place]
        return packed

    def _chance(
        self, packed: IntArray, ours: FloatArray, theirs: FloatArray, trials: int,
        rng: np.random.Generator, *, exact: bool,
    ) -> FloatArray:  # fmt: skip
        """The differences that chance alone gives: exchanges x studies."""
        # Whole numbers that stay small add up exactly in single precision, too.
        small = self.largest * packed.shape[1] < SINGLE
        kind: type[np.floating[Any]] = np.float32 if small else np.float64
        change = self.change.astype(kind)[packed.T]
        units, count, width = change.shape
        chosen: Iterable[ByteArray] = exchanges(units, trials, rng)
        if exact:
            every = (np.arange(1 << FEW)[:, None] >> np.arange(units)) & 1
            chosen = [every.astype(np.uint8)]
        flat = change.reshape(units, count * width)
        moved = np.concatenate([bits.astype(kind) @ flat for bits in chosen])
        shift = moved.reshape(len(moved), count, width).astype(np.float64)
        one = self.first.value((ours + shift).reshape(-1, width))
        other = self.second.value((theirs - shift).reshape(-1, width))
        return _flat(one - other).reshape(len(moved), count)


def _flat(values: FloatArray) -> FloatArray:
    return values.reshape(len(values), -1)[:, 0]
