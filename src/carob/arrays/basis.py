"""Basis: of many lines of numbers, the few of which all others are repetitions or sums.

Event spaces count much of the same: what is there to be found is the same for most of them, so is
much of what is right, and the total is the sum over labels. Who multiplies all those lines with a
large matrix needs to multiply only a basis of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from carob.arrays.types import FloatArray, IntArray

_SAMPLE = 256
"""Lines that differ do so in some of so many columns, most of the time."""


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """`kept` are the lines to multiply. `made` has for every line the places in `kept` of the
    lines it is the sum of: for most, one.
    """

    kept: IntArray
    made: list[list[int]]

    def line(self, which: int, kept: FloatArray, out: FloatArray) -> None:
        """Put one of all lines, out of the kept ones, into `out`."""
        first, *others = (kept[place] for place in self.made[which])
        if others:
            np.add(first, others[0], out=out)
        else:
            out[:] = first
        for other in others[1:]:
            out += other


def basis(
    blocks: Iterable[Sequence[FloatArray]], sums: Mapping[int, Sequence[int]] | None = None
) -> Basis:
    """A basis of lines that come in blocks of columns, which are iterated over more than once.
    `sums` says which lines are the sum of which others.

    That lines are the same is guessed from some columns and then checked on all.

    >>> a, b = np.array([1.0, 2.0]), np.array([5.0, 5.0])
    >>> found = basis([[a, b, a, a + b]], {3: [0, 1]})
    >>> found.kept.tolist(), found.made
    ([0, 1], [[0], [1], [0], [0, 1]])
    """
    sums = sums or {}
    first = next(iter(blocks))
    width, same = len(first), _alike(first, sums)
    for lines in blocks:
        same = {
            line: other for line, other in same.items()
            if np.array_equal(lines[line], lines[other])
        }  # fmt: skip
    kept = [line for line in range(width) if line not in same and line not in sums]
    place = {line: i for i, line in enumerate(kept)}
    made = [
        [place[same.get(each, each)] for each in sums.get(line, (line,))] for line in range(width)
    ]
    return Basis(np.array(kept, np.int64), made)


def _alike(lines: Sequence[FloatArray], sums: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """For each line that looks like one before it, which that is."""
    seen: dict[bytes, int] = {}
    found = {}
    for line, numbers in enumerate(lines):
        if line not in sums:
            some = numbers[:: max(1, len(numbers) // _SAMPLE)].astype(np.float64)
            first = seen.setdefault(some.tobytes(), line)
            if first != line:
                found[line] = first
    return found
