"""What is resampled, and how often each unit is drawn: exact multinomial weights, in chunks.

Units are drawn in a fixed order and in blocks of a fixed size, each block from streams of its
own. So the draws depend on the seed alone: not on the order of the files, on how many resamples
are made at a time, or on the number of threads.

Throwing balls into cells one by one is slow. Poisson numbers, drawn for each cell by itself, are
multinomial once their sum is known, whatever it is; so a Poisson number for each cell, of a mean
a little below 1, and then as many balls one by one as are still missing, are the same as all
balls one by one. Where the sum is too large already, balls are taken away again at random.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from carob.arrays.draw import Poisson, throw
from carob.arrays.types import ByteArray, IntArray, SingleArray

BLOCK = 8192
"""How many units are drawn from one stream. Another number is another sequence of draws."""

CHUNK = 1 << 20
"""How many weights are made at a time, about; it changes memory and speed, no number."""

FEW = 256
"""Fewer cells are filled ball by ball. Another number is another sequence of draws."""

_SPREAD = 3.0
"""How many standard deviations below the number of balls the Poisson numbers aim at."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Units:
    """The units of resampling: their order of drawing, and where each stratum begins in it.

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
        """Units in an order of their own (default: as they are), within `strata` (codes).

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

    def told(self, count: int | None = None) -> str:
        """A number of units in words.

        >>> Units.of(1).told(), Units.of(1200, kind="sentence").told()
        ('1 document', '1,200 sentences')
        """
        count = len(self) if count is None else count
        return f"{count:,} {self.kind}{'s' if count != 1 else ''}"

    def blocks(self, most: int = BLOCK) -> Iterator[tuple[int, IntArray]]:
        """Blocks of at most so many units, each with the number of its stratum."""
        for stratum, (first, end) in enumerate(pairwise(self.bounds.tolist())):
            for start in range(first, end, most):
                yield stratum, self.order[start : min(start + most, end)]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stream:
    """The weights of one block of units: a line for each draw, in order, taken only once."""

    rngs: Sequence[np.random.Generator]
    index: IntArray
    balls: IntArray
    """How many units each draw takes from this block."""
    poisson: Poisson | None

    def chunks(
        self, first: int, end: int, cells: int = CHUNK
    ) -> Iterator[tuple[int, ByteArray | SingleArray]]:
        """The weights of the draws first..end in chunks, each with its place among them; they are
        small and whole.
        """
        step = max(1, cells // len(self.index))
        for start in range(first, end, step):
            balls = self.balls[start : min(start + step, end)]
            made = self._topped(self.poisson, balls) if self.poisson else self._thrown(balls)
            yield start - first, made

    def _cells(self, balls: IntArray) -> IntArray:
        """A cell for each ball, draw by draw."""
        return self.rngs[0].integers(0, len(self.index), size=int(balls.sum()))

    def _thrown(self, balls: IntArray) -> SingleArray:
        """All balls one by one."""
        width = len(self.index)
        cells = self._cells(balls) + np.repeat(np.arange(len(balls)) * width, balls)
        counts = np.bincount(cells, minlength=len(balls) * width)
        return counts.reshape(len(balls), -1).astype(np.float32)

    def _topped(self, poisson: Poisson, balls: IntArray) -> ByteArray:
        """Poisson numbers first, then the balls that are missing.

        More of them in one cell than a byte holds are less likely than a broken machine.
        """
        _, words, fractions, taken = self.rngs
        width = len(self.index)
        # Whole words are drawn, so the size of a chunk changes nothing.
        shape = (len(balls), -(-width // 8))
        drawn = words.integers(0, 1 << 64, size=shape, dtype=np.uint64)
        found, sums = poisson.numbers(drawn, fractions)
        weights = found[:, :width]
        missing = balls - sums + found[:, width:].sum(axis=1, dtype=np.int64)
        for row in np.flatnonzero(missing < 0).tolist():
            there = np.repeat(np.arange(width), weights[row])
            away = taken.choice(len(there), -int(missing[row]), replace=False)
            np.subtract.at(weights[row], there[away], np.uint8(1))
        missing = np.maximum(missing, 0)
        throw(self._cells(missing), missing, found)
        return weights


def streams(units: Units, resamples: int, rng: np.random.Generator) -> list[Stream]:
    """Resampling with replacement within each stratum, as a stream of weights for each block.

    Throwing n balls into n cells is throwing a multinomial number of balls into each block of
    cells, and then throwing those.
    """
    blocks = list(units.blocks())
    own = np.array([stratum for stratum, _ in blocks])
    children = rng.spawn(len(blocks) + 1)
    found = []
    for stratum, size in enumerate(units.sizes.tolist()):
        here = np.flatnonzero(own == stratum)
        widths = np.array([len(blocks[i][1]) for i in here.tolist()])
        if len(here) == 1:
            balls = np.full((resamples, 1), size)
        else:
            balls = children[0].multinomial(size, widths / size, size=resamples)
        for place, i in enumerate(here.tolist()):
            width = len(blocks[i][1])
            # Both the Poisson numbers and the balls of a block vary.
            spread = math.sqrt(width + width * (1 - width / size))
            poisson = Poisson(1 - _SPREAD * spread / width) if width >= FEW else None
            rngs = [children[i + 1], *children[i + 1].spawn(3)]
            found.append(Stream(rngs, blocks[i][1], balls[:, place], poisson))
    return found
