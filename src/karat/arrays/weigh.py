"""What resampling does most: weights from random bytes, and lines of numbers times weights.

Where the compiled helper `_weigh` is installed and the processor can, it is done in the arithmetic
of bytes, else by NumPy. Either is exact, so the numbers are the same; a test compares them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from karat.arrays.sums import parted, singles
from karat.nouns._types import BoolArray, ByteArray, FloatArray, IntArray, SingleArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

    SmallArray: TypeAlias = NDArray[np.int8]
    Weights: TypeAlias = ByteArray | SingleArray

compiled: Any
try:
    from karat.arrays import _weigh

    compiled = _weigh
except ImportError:  # installed without a compiler
    compiled = None

LEVEL = 3
"""The most that is used of the processor: 0 is nothing but NumPy, 1 AVX2, 2 AVX-512, 3 AMX."""

HALF = 1 << 7
"""A digit is from -128 to 127."""

LONGEST = 1 << 16
"""The sums of longer lines might not fit."""

GROUP, STEP, FOUR = 16, 64, 4
"""The compiled helper takes so many lines at a time, so many units, and so many of these."""


def fast() -> bool:
    """Whether bytes are multiplied as such here."""
    if compiled is None:
        return False
    one = np.ones((1, 1), np.uint8)
    return bool(compiled.weigh(_ones(1), one, np.empty((1, GROUP), np.int32), LEVEL))


class Weigher:
    """Lines to be multiplied with weights: whole numbers from 0 to 127, of which each draw has at
    most `times` together. Of lines that are not whole, what is less than the rounding of such sums
    is left off.

    >>> Weigher(np.array([[1, 0.5]]), 9).sums(2, [(0, np.array([[2, 1], [0, 7]], np.uint8))])
    array([[2.5, 3.5]])
    """

    def __init__(self, lines: FloatArray, times: int) -> None:
        self._height, self._times = len(lines), times
        self._lines, self._whose = parted(lines, times)
        self._digits: Digits | None = None
        if lines.size and lines.shape[1] <= LONGEST and fast():
            self._digits = Digits(self._lines)

    @cached_property
    def _singles(self) -> tuple[list[IntArray], SingleArray]:
        groups = singles(self._lines, self._times)
        return [whose for whose, _ in groups], np.concatenate([lines for _, lines in groups])

    def sums(self, draws: int, weights: Iterable[tuple[int, Weights]]) -> FloatArray:
        """The products (lines x draws) with weights that come some draws at a time, each time with
        the number of the first: all of bytes, or all of single precision.
        """
        found: Any = None
        small = False
        for first, some in weights:
            if found is None:
                small = self._digits is not None and some.dtype == np.uint8
                found = self._room(draws, small)
            part = found[first : first + len(some)]
            if small and self._digits is not None:
                self._digits.multiply(some, part)
            else:
                part[:] = self._product(some).T
        total: FloatArray = self._added(found, small)
        return total

    def _room(self, draws: int, small: bool) -> Any:
        if small and self._digits is not None:
            return np.empty((draws, self._digits.width), np.int32)
        return np.empty((draws, len(self._lines)))

    def _added(self, found: Any, small: bool) -> FloatArray:
        every = self._digits.added(found) if small and self._digits is not None else found.T
        total: FloatArray = every[: self._height]
        if len(every) > self._height:
            total[self._whose[self._height :]] += every[self._height :]
        return total

    def _product(self, weights: Weights) -> FloatArray | SingleArray:
        whose, lines = self._singles
        found: SingleArray = lines @ weights.astype(np.float32, copy=False).T
        if len(whose) == 1:
            return found
        first = len(whose[0])
        total = found[:first].astype(np.float64)
        for some in whose[1:]:
            total[some] += found[first : first + len(some)]
            first += len(some)
        return total


class Digits:
    """Lines taken apart into whole numbers of one byte, and what one of the lowest is worth."""

    def __init__(self, lines: FloatArray) -> None:
        self.height = len(lines)
        self.unit: FloatArray | None = None
        """What one is worth in each line; None: one."""
        self.more: list[IntArray] = []
        """Whose the second digits are, the third ones and so on: they come behind the first."""
        with np.errstate(invalid="ignore"):  # what does not fit becomes something else
            first: SmallArray = lines.astype(np.int8)
        odd = np.flatnonzero((first != lines).any(axis=1))
        digits = [first]
        if len(odd):
            self.unit = np.ones(self.height)
            rest, self.unit[odd] = _whole(lines[odd])
            first[odd], rest = _lowest(rest)
            while len(some := np.flatnonzero(rest.any(axis=1))):
                odd = odd[some]
                digit, rest = _lowest(rest[some])
                digits.append(digit)
                self.more.append(odd)
        self.lines = np.concatenate(digits) if len(digits) > 1 else first
        self._grouped = grouped(self.lines)
        self.width = GROUP * len(self._grouped)

    def multiply(self, weights: Weights, out: IntArray) -> None:
        """The products of all digits with the weights (draws x units) go to `out`."""
        compiled.weigh(self._grouped, weights, out, LEVEL)

    def added(self, found: IntArray) -> FloatArray:
        """The products (lines x draws), from those of their digits."""
        total = found[:, : self.height].T.astype(np.float64)
        first = self.height
        for number, whose in enumerate(self.more, 1):
            total[whose] += float(2 * HALF) ** number * found[:, first : first + len(whose)].T
            first += len(whose)
        if self.unit is not None:
            total *= self.unit[:, None]
        return total


def grouped(lines: SmallArray) -> SmallArray:
    """Lines as the compiled helper wants them: in groups of 16, and of each group four numbers of
    each line at a time; zeros fill them up.

    >>> grouped(np.array([[1, 2, 3, 4, 5], [6, 7, 8, 9, 0]], np.int8))[0, :2, :2].tolist()
    [[[1, 2, 3, 4], [6, 7, 8, 9]], [[5, 0, 0, 0], [0, 0, 0, 0]]]
    """
    height, units = lines.shape
    full = np.zeros((-(-height // GROUP) * GROUP, -(-units // STEP) * STEP), np.int8)
    full[:height, :units] = lines
    quads = full.view(np.uint32).reshape(-1, GROUP, full.shape[1] // FOUR)
    return np.ascontiguousarray(quads.transpose(0, 2, 1)).view(np.int8).reshape(
        len(quads), -1, GROUP, FOUR
    )  # fmt: skip


@lru_cache(maxsize=4)
def _ones(units: int) -> SmallArray:
    return grouped(np.ones((1, units), np.int8))


def row_sums(weights: ByteArray) -> IntArray:
    """The sum of each row of weights.

    >>> row_sums(np.array([[1, 2], [3, 100]], np.uint8)).tolist()
    [3, 103]
    """
    if compiled is not None and weights.size and weights.shape[1] <= LONGEST:
        found: IntArray = np.empty((len(weights), GROUP), np.int32)
        if compiled.weigh(_ones(weights.shape[1]), weights, found, LEVEL):
            return found[:, 0]
    total: IntArray = weights.sum(axis=1, dtype=np.int32)
    return total


def _whole(lines: FloatArray) -> tuple[IntArray, FloatArray]:
    """Lines as whole numbers, and what a one is worth in each: a power of two.

    >>> whole, unit = _whole(np.array([[0.5, 3.0], [256.0, 512.0]]))
    >>> whole.tolist(), unit.tolist()
    ([[1, 6], [1, 2]], [0.5, 256.0])
    """
    exponent = np.frexp(np.abs(lines).max(axis=1))[1].astype(np.int64) - 53
    whole = np.ldexp(lines, -exponent[:, None]).astype(np.int64)
    seen = np.bitwise_or.reduce(whole, axis=1)
    last: IntArray = np.frexp((seen & -seen).astype(np.float64))[1].astype(np.int64) - 1
    return whole >> last[:, None], np.ldexp(1.0, exponent + last)


def _lowest(whole: IntArray) -> tuple[SmallArray, IntArray]:
    """The lowest digits, and what is left for the others.

    >>> _lowest(np.array([127, 128, -129]))
    (array([ 127, -128,  127], dtype=int8), array([ 0,  1, -1]))
    """
    low = whole.astype(np.int8)
    return low, (whole - low) >> 8


def steps(random: ByteArray, limits: ByteArray) -> tuple[ByteArray, IntArray]:
    """For each byte how many of the rising limits it reaches, and the places of those bytes that
    reach the last one.

    >>> steps(np.array([3, 9, 5, 0, 7, 4, 4, 8], np.uint8), np.array([4, 8], np.uint8))
    (array([0, 2, 1, 0, 1, 1, 1, 2], dtype=uint8), array([1, 7]))
    """
    if compiled is not None:
        found, places = np.empty(random.shape, np.uint8), np.empty(random.size, np.int64)
        count = compiled.steps(random, limits, found, places, LEVEL)
        if count >= 0:
            return found, places[:count]
    reached = np.empty(random.shape, bool)
    found = np.zeros(random.shape, np.uint8)
    for limit in limits:
        np.greater_equal(random, limit, out=reached)
        np.add(found, reached.view(np.uint8), out=found)
    return found, _places(reached)


def _places(reached: BoolArray) -> IntArray:
    """Where it is true, which is seldom: eight at a time are looked at first."""
    words = np.flatnonzero(reached.reshape(-1).view(np.uint64))
    word, byte = np.nonzero(reached.reshape(-1, 8)[words])
    found: IntArray = words[word] * 8 + byte
    return found
