"""What is resampled, and how often each unit is drawn: exact multinomial weights, in chunks.

Units are drawn in a fixed order and in blocks of a fixed size, each block from a stream of its
own. So the draws depend on the seed alone: not on the order of the files, on how many resamples
are made at a time, or on the number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from karat.nouns._types import FloatArray, IntArray

BLOCK = 8192
"""How many units are drawn from one stream. Another number is another sequence of draws."""

CHUNK = 1 << 18
"""How many weights are made at a time, about; it changes memory and speed, no number."""


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Stream:
    """The weights of one block of units: a line for each draw, in order, taken only once."""

    rng: np.random.Generator
    index: IntArray
    balls: IntArray
    """How many units each draw takes from this block."""

    def chunks(self, first: int, end: int, cells: int = CHUNK) -> Iterator[tuple[int, FloatArray]]:
        """The weights of the draws first..end in chunks (float32: they are small and whole)."""
        width = len(self.index)
        step = max(1, cells // width)
        for start in range(first, end, step):
            balls = self.balls[start : min(start + step, end)]
            cell = self.rng.integers(0, width, size=int(balls.sum()))
            cell += np.repeat(np.arange(len(balls)) * width, balls)
            counts = np.bincount(cell, minlength=len(balls) * width)
            yield start, counts.reshape(len(balls), width).astype(np.float32)


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
            found.append(Stream(children[i + 1], blocks[i][1], balls[:, place]))
    return found
