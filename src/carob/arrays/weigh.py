"""What resampling does most: lines of numbers times weights.

Where the compiled helper `_weigh` is installed and the processor can, it is done in the arithmetic
of bytes, else by NumPy. Either is exact, so the numbers are the same; a test compares them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from carob.arrays.sums import singles
from carob.arrays.types import ByteArray, FloatArray, HashArray, IntArray, SingleArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

    SmallArray: TypeAlias = NDArray[np.int8]
    Lines: TypeAlias = Sequence[FloatArray]

    Weights: TypeAlias = ByteArray | SingleArray | HashArray

compiled: Any
try:
    from carob.arrays import _weigh

    compiled = _weigh
except ImportError:  # installed without a compiler
    compiled = None

LEVEL = 3
"""The most that is used of the processor: 0 is nothing but NumPy, 1 AVX2, 2 AVX-512, 3 AMX."""

LONGEST, MOST = 1 << 16, 1 << 24
"""The sums of longer blocks, or of more weights in a draw, might not fit."""

GROUP, STEP, FOUR = 16, 64, 4
"""The compiled helper takes so many lines at a time, so many units, and so many of these."""

LINE = 64
"""How many bytes a line of the cache has, of the processors we know."""

NEAR = 256
"""How many draws are turned from bytes to numbers at a time: speed, no result."""

SOME = 1 << 14
"""How many numbers are cut into digits at a time: speed, no result."""

HELD = 1 << 28
"""How many bytes of lines are kept, about, rather than made again: memory and speed, no result."""


def level() -> int:
    """How much is used of the processor, at most LEVEL."""
    return 0 if compiled is None else min(LEVEL, int(compiled.level()))


class Weigher:
    """Lines to be multiplied with weights, which are whole numbers from 0 to 127. If they are all 0
    or 1, they may be the bits of words (uint64), in the order of `unpacked`.

    The lines come in blocks of units, which are iterated over more than once. A draw has at most
    `times` weights together, of each block at most as many as `each` says. Of lines that are not
    whole, what is less than the rounding of such sums is left off.

    >>> blocks = [[np.array([1, 0.5])], [np.array([8.0])]]
    >>> weigher = Weigher(blocks, 9, [9, 9])
    >>> sums = weigher.room(2)
    >>> weigher.add(sums, 0, np.array([[2, 1], [0, 7]], np.uint8))
    >>> weigher.add(sums, 1, np.array([[0], [1]], np.uint8))
    >>> weigher.total(sums)
    array([[ 2.5, 11.5]])
    """

    def __init__(self, blocks: Iterable[Lines], times: int, each: Sequence[int]) -> None:
        self._blocks, self._each = blocks, each
        self._held: dict[int, tuple[Any, int]] = {}
        self._coming: Iterator[tuple[int, Lines | None]] = iter(())
        self._exact = Exact(blocks, times)
        self._digits = Digits(self._exact)
        self._height = self._exact.height + len(self._exact.rough)
        self._small = level() > 0 and times < MOST and max(each) <= LONGEST
        self._width = self._digits.width if self._small else self._height
        self._keep = self._width * times <= HELD

    def room(self, draws: int) -> Any:
        """Room for the sums of so many draws, to be filled by `add`."""
        return _zeros((draws, self._width), np.int32 if self._small else np.float64)

    def add(self, sums: Any, block: int, weights: Weights) -> None:
        """Add the products with the weights of one block (draws x units, or draws x words)."""
        if not self._height:
            return
        lines, units = self._lines(block)
        packed = weights.dtype == np.uint64
        if self._small:
            weights = weights if packed else weights.astype(np.uint8, copy=False)
            compiled.weigh(lines, weights, units, sums, LEVEL)
            return
        parts, more = lines
        numbers = unpacked(weights, units) if packed else weights
        found = numbers.astype(np.float32, copy=False) @ parts.T
        sums += found[:, : self._height]
        first = self._height
        for whose in more:
            sums[:, whose] += found[:, first : first + len(whose)]
            first += len(whose)

    def total(self, sums: Any) -> FloatArray:
        """The sums (lines x draws)."""
        return self._exact.total(self._digits.total(sums) if self._small else sums.T)

    def _lines(self, block: int) -> tuple[Any, int]:
        """The lines of one block, as they are multiplied, and how many units it has. Blocks are
        asked for in order, so it is mostly the last one again or the one that comes next.
        """
        while block not in self._held:
            number, lines = next(self._coming, (-1, None))
            if lines is None:  # from the start again
                self._coming = enumerate(self._blocks)
            elif number == block or (self._keep and number not in self._held):
                if not self._keep:
                    self._held.clear()
                made: Any = (
                    grouped(self._digits.of(lines)) if self._small
                    else singles(self._exact.of(lines), self._each[number])
                )  # fmt: skip
                self._held[number] = made, len(lines[0])
        return self._held[block]


def unpacked(words: NDArray[Any], units: int) -> ByteArray:
    """The first bits of each row of words: byte by byte, the highest bit first.

    >>> unpacked(np.array([[5 << 5]], np.uint64), 4).tolist()
    [[1, 0, 1, 0]]
    """
    return np.unpackbits(words.astype("<u8", copy=False).view(np.uint8), axis=1, count=units)


class Exact:
    """Lines whose sums are exact, if `times` of their numbers are added up: multiples of a power of
    two. What is left of those that are none comes behind them, up to 2^-60 of the largest sum.
    A line of which a sum may be no finite number has no sums: NaN.
    """

    def __init__(self, blocks: Iterable[Lines], times: int) -> None:
        seen = [_seen(lines) for lines in blocks]
        top = np.max([each for each, _ in seen], axis=0)
        low = np.min([each for _, each in seen], axis=0)
        self.height = len(top)
        self._cut = np.flatnonzero(~((top <= 127) & (low >= 0)))  # also where top is NaN
        top, low = top[self._cut], low[self._cut]
        with np.errstate(over="ignore"):
            self._lost = ~np.isfinite(top * times)
        top[self._lost] = 0.0
        size = np.frexp(top * times)[1]  # a sum is less than this power of two
        rough = low < size - 53
        self.rough = self._cut[rough]
        """Whose the lines are that come behind all others."""
        self.odd = np.append(self._cut, self.height + np.arange(len(self.rough)))
        """Those that are not whole numbers from -128 to 127."""
        units = np.append(np.maximum(low, size - 53), np.maximum(low, size - 60)[rough])
        self.unit = np.ldexp(1.0, units)[:, None]
        """Of what the odd ones are multiples."""
        self.largest = np.append(top, np.ldexp(1.0, size - 54)[rough]) / self.unit[:, 0]
        """How many times this the odd ones are, at most."""

    def cut(self, lines: Lines, units: slice) -> FloatArray:
        """Some units of the odd lines of one block, each line as multiples of its unit."""
        unit, least = np.split(self.unit, [len(self._cut)])
        own = table([lines[line][units] for line in self._cut.tolist()], len(lines[0][units]))
        own[self._lost] = 0.0
        found = np.rint(own / unit)
        rest = (own - found * unit)[np.isin(self._cut, self.rough)]
        return np.concatenate([found, np.rint(rest / least)])

    def of(self, lines: Lines) -> FloatArray:
        """The lines of one block, each of them exact, the odd ones as multiples of their unit."""
        found = np.zeros((self.height + len(self.rough), len(lines[0])))
        for place, line in enumerate(lines):
            found[place] = line
        found[self.odd] = self.cut(lines, slice(None))
        return found

    def total(self, sums: FloatArray) -> FloatArray:
        """The sums (lines x draws), with what comes behind added where it belongs."""
        for line, unit in zip(self.odd.tolist(), self.unit[:, 0].tolist(), strict=True):
            sums[line] *= unit
        sums[self._cut[self._lost]] = np.nan
        for place, line in enumerate(self.rough.tolist(), self.height):
            sums[line] += sums[place]
        return sums[: self.height]


class Digits:
    """Lines taken apart into whole numbers from -128 to 127."""

    def __init__(self, exact: Exact) -> None:
        self.height, self._exact = exact.height + len(exact.rough), exact
        self.more: list[IntArray] = []
        """Whose the second digits are, the third ones and so on: they come behind the first."""
        self._among: list[IntArray] = []
        """And where they are among those that had a digit before."""
        most, before = 127.0, np.arange(len(exact.odd))
        while (some := np.flatnonzero(exact.largest > most)).size:
            self.more.append(exact.odd[some])
            self._among.append(np.searchsorted(before, some))
            most, before = 256 * most + 127, some
        self.width = -(-(self.height + sum(map(len, self.more))) // GROUP) * GROUP

    def of(self, lines: Lines) -> SmallArray:
        """The digits of the lines of one block: a line for each, and zeros to fill them up."""
        units = len(lines[0])
        found = np.zeros((self.width, -(-units // STEP) * STEP), np.int8)
        with np.errstate(invalid="ignore"):  # the odd ones become something else
            for place, line in enumerate(lines):
                found[place, :units] = line
        step = max(1, SOME // max(len(self._exact.odd), 1))
        for start in range(0, units if len(self._exact.odd) else 0, step):
            self._put(found, lines, slice(start, min(start + step, units)))
        return found

    def _put(self, found: SmallArray, lines: Lines, units: slice) -> None:
        """The digits of some units of the odd lines."""
        rest = self._exact.cut(lines, units).astype(np.int64)
        found[self._exact.odd, units], rest = _lowest(rest)
        place = self.height
        for some in self._among:
            digit, rest = _lowest(rest[some])
            found[place : place + len(some), units] = digit
            place += len(some)

    def total(self, sums: IntArray) -> FloatArray:
        """The sums of the lines (lines x draws) from those of the digits (draws x digits)."""
        found = np.empty(sums.shape[::-1])
        for start in range(0, len(sums), NEAR):  # so much is turned round in the nearest cache
            found[:, start : start + NEAR] = sums[start : start + NEAR].T
        place = self.height
        for number, whose in enumerate(self.more, 1):
            for line in whose.tolist():
                found[line] += 256.0**number * found[place]
                place += 1
        return found[: self.height]


def _seen(lines: Lines) -> tuple[FloatArray, IntArray]:
    """The largest number of each line, and how fine it is: it has multiples of this power of two.

    >>> lines = [np.array([3.0, -4.0]), np.array([0.5, 3.0]), np.array([256.0, 1024.0])]
    >>> [each.tolist() for each in _seen(lines)]
    [[127.0, 3.0, 1024.0], [0, -1, 0]]
    """
    top, low = np.full(len(lines), 127.0), np.zeros(len(lines), np.int64)
    with np.errstate(invalid="ignore"):  # what does not fit becomes something else
        odd = [i for i, line in enumerate(lines) if not np.array_equal(line.astype(np.int8), line)]
    for i in odd:  # the others are small and whole
        line = lines[i].astype(np.float64, copy=False)
        top[i] = np.abs(line).max(initial=0.0)
        if np.isfinite(top[i]) and not np.array_equal(np.rint(line), line):
            low[i] = _lowest_bit(line)
    return top, low


def table(lines: Lines, units: int) -> FloatArray:
    """Lines under each other."""
    return np.array(lines, np.float64).reshape(len(lines), units)


def _lowest(whole: IntArray) -> tuple[SmallArray, IntArray]:
    """The lowest digits, and what is left for the others.

    >>> _lowest(np.array([127, 128, -129]))
    (array([ 127, -128,  127], dtype=int8), array([ 0,  1, -1]))
    """
    low = whole.astype(np.int8)
    return low, (whole - low) >> 8


def _lowest_bit(line: FloatArray) -> int:
    """The largest power of two of which all numbers are multiples.

    >>> _lowest_bit(np.array([0.5, 3.0])), _lowest_bit(np.array([256.0, 0.0]))
    (-1, 8)
    """
    part, exponent = np.frexp(line[line != 0])
    whole = np.ldexp(part, 53).astype(np.int64)
    last = np.frexp((whole & -whole).astype(np.float64))[1]
    return int((exponent + last - 54).min(initial=1 << 30))


def grouped(lines: SmallArray) -> SmallArray:
    """Lines as the compiled helper wants them: in groups of 16, and of each group four numbers of
    each line at a time. There are as many lines as make whole groups, and zeros behind their ends.

    >>> lines = np.zeros((16, 64), np.int8)
    >>> lines[:2, :5] = [[1, 2, 3, 4, 5], [6, 7, 8, 9, 0]]
    >>> grouped(lines)[0, :2, :2].tolist()
    [[[1, 2, 3, 4], [6, 7, 8, 9]], [[5, 0, 0, 0], [0, 0, 0, 0]]]
    """
    quads = lines.view(np.uint32).reshape(-1, GROUP, lines.shape[1] // FOUR)
    found = _zeros((len(quads), quads.shape[2], GROUP), np.uint32)
    found[:] = quads.transpose(0, 2, 1)
    small: SmallArray = found.view(np.int8).reshape(*found.shape, FOUR)
    return small


def _zeros(shape: tuple[int, ...], kind: Any) -> Any:
    """Zeros that begin where a line of the processor's cache does: two lines for one cost twice."""
    size = math.prod(shape) * np.dtype(kind).itemsize
    room = np.zeros(size + LINE, np.uint8)
    first = -room.__array_interface__["data"][0] % LINE
    return room[first : first + size].view(kind).reshape(shape)
