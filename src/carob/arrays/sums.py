"""Sums over rows that come out the same, bit for bit, in whatever order they are taken.

A sum of floating-point numbers depends on its order, and so on the number of threads and the size
of the blocks it was taken in; a resample that ties with the score would then tie on one machine
and not on the next. Whole numbers add up exactly. So counts that are not whole (Dice, means of
documents) are split into two multiples of fixed powers of two, whose sums are exact.
"""

from __future__ import annotations

import numpy as np

from carob.arrays.types import FloatArray, IntArray, SingleArray

_COARSE, _FINE = 2.0**24, 2.0**56
_SINGLE = 2.0**24


def split(rows: FloatArray) -> tuple[FloatArray, FloatArray | None]:
    """Two parts that add up to the rows and whose sums are exact; None where all is whole.

    Exact up to sums of half a billion over four million rows (whole numbers: 2^53).

    >>> coarse, fine = split(np.array([0.5, 0.1]))
    >>> coarse + fine == [0.5, 0.1]
    array([ True,  True])
    >>> split(np.array([3.0]))
    (array([3.]), None)
    """
    if (np.rint(rows) == rows).all():
        return rows, None
    coarse = np.rint(rows * _COARSE) / _COARSE
    fine = np.rint((rows - coarse) * _FINE) / _FINE
    return coarse, fine if fine.any() else None


def singles(lines: FloatArray, times: int) -> tuple[SingleArray, list[IntArray]]:
    """Lines of single precision that add up to the given ones, first a part of each, then what
    some have beside, and whose these are: the second parts, the third ones and so on. Single
    precision multiplies twice as fast.

    Each is a multiple of a power of two that is coarse enough for a sum in which columns count
    `times` times together to be exact, whatever its order. Whole numbers that are not large need
    one such line.

    >>> singles(np.array([[3.0, 0.0], [2.0**24 + 1, 1.0]]), 2)[0].tolist()
    [[3.0, 0.0], [16777216.0, 0.0], [1.0, 1.0]]
    """
    top = np.abs(lines).max(axis=1, initial=0.0)
    simple = (top * times < _SINGLE) & (np.rint(lines) == lines).all(axis=1)
    whose = np.flatnonzero(~simple)
    first: SingleArray = lines.astype(np.float32)
    first[whose], rest = _coarse(lines[whose], times)
    parts, more = [first], []
    while len(some := np.flatnonzero(rest.any(axis=1))):
        whose = whose[some]
        part, rest = _coarse(rest[some], times)
        parts.append(part)
        more.append(whose)
    return np.concatenate(parts), more


def _coarse(lines: FloatArray, times: int) -> tuple[SingleArray, FloatArray]:
    """A part of each line that has sums in single precision, and what is left."""
    top = np.abs(lines).max(axis=1, initial=0.0)
    unit = np.ldexp(1.0, np.frexp(top * times)[1] - 23)[:, None]
    part = np.rint(lines / unit) * unit
    return part.astype(np.float32), lines - part
