"""Poisson numbers from random bytes, and balls thrown into cells: how weights are drawn.

Where the compiled helper `_draw` is installed it does the work, else NumPy, to the same numbers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carob.arrays import weigh
from carob.arrays.types import ByteArray, FloatArray, HashArray, IntArray

compiled: Any
try:
    from carob.arrays import _draw

    compiled = _draw
except ImportError:  # installed without a compiler
    compiled = None

_LARGEST, _PARTS, _UNKNOWN, _ROOM = 40, 1 << 12, 255, 16


class Poisson:
    """Poisson numbers from random bytes.

    A number has as many of the 256 bytes as go into its probability; the few bytes that are left
    over stand for what remains of all probabilities, and a random fraction tells which it is.

    >>> Poisson(1.0).limits.tolist()
    [94, 188, 235, 250, 253]
    """

    def __init__(self, mean: float) -> None:
        chance = [math.exp(-mean)]
        for k in range(1, _LARGEST):
            chance.append(chance[-1] * mean / k)
        share = [int(256 * p) for p in chance]
        limits = [sum(share[: k + 1]) for k in range(len(share)) if share[k]]
        self.limits: ByteArray = np.array(limits, np.uint8)
        remains = np.cumsum([256 * p - n for p, n in zip(chance, share, strict=True)])
        self.remains: FloatArray = remains[:-1] / remains[-1]
        edges = np.searchsorted(self.remains, np.arange(_PARTS + 1) / _PARTS, "right")
        self._known = np.where(edges[:-1] == edges[1:], edges[:-1], _UNKNOWN).astype(np.uint8)
        self._places: IntArray = np.empty(0, np.int32)

    def numbers(
        self, words: HashArray, more: np.random.Generator
    ) -> tuple[ByteArray, IntArray]:  # fmt: skip
        """A number for each byte of random words (rows x words), and the sums of the rows.
        Fractions come from `more`.

        >>> rng = np.random.default_rng(1)
        >>> Poisson(1.0).numbers(rng.integers(0, 1 << 64, (2, 1), np.uint64), rng)
        (array([[2, 2, 0, 1, 3, 2, 0, 1],
               [1, 1, 0, 2, 1, 1, 0, 3]], dtype=uint8), array([11,  9], dtype=int32))
        """
        random = words.astype("<u8", copy=False).view(np.uint8)
        if compiled is not None:
            found, sums = np.empty(random.shape, np.uint8), np.empty(len(random), np.int32)
            if len(self._places) < random.size + _ROOM:
                self._places = np.empty(random.size + _ROOM, np.int32)
            count = compiled.numbers(random, self.limits, found, self._places, sums, weigh.LEVEL)
            if count >= 0:
                over = self._places[:count]
                compiled.settle(found, over, more.random(count), self._known, self.remains, sums)
                return found, sums
        reached = np.empty(random.shape, bool)
        found = np.zeros(random.shape, np.uint8)
        for limit in self.limits:
            np.greater_equal(random, limit, out=reached)
            np.add(found, reached.view(np.uint8), out=found)
        over = np.flatnonzero(reached)
        found.reshape(-1)[over] = self._others(more.random(len(over)))
        return found, found.sum(axis=1, dtype=np.int32)

    def _others(self, fractions: FloatArray) -> ByteArray:
        """The number for each fraction of what remains; in most parts there is only one."""
        found = self._known[(fractions * _PARTS).astype(np.int32)]
        some = np.flatnonzero(found == _UNKNOWN)
        found[some] = np.searchsorted(self.remains, fractions[some], "right")
        return found


def throw(cells: IntArray, balls: IntArray, weights: ByteArray) -> None:
    """Add 1 to cells of rows of weights: as many of the cells as the row has balls.

    >>> weights = np.zeros((2, 3), np.uint8)
    >>> throw(np.array([2, 2, 0]), np.array([1, 2]), weights)
    >>> weights.tolist()
    [[0, 0, 1], [1, 0, 1]]
    """
    if compiled is not None:
        compiled.throw(cells, balls, weights)
    else:
        places = cells + np.repeat(np.arange(len(balls)) * weights.shape[1], balls)
        np.add.at(weights.reshape(-1), places, np.uint8(1))
