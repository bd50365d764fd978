"""Sums over rows that come out the same, bit for bit, in whatever order they are taken.

A sum of floating-point numbers depends on its order, and so on the number of threads and the size
of the blocks it was taken in; a resample that ties with the score would then tie on one machine
and not on the next. Whole numbers add up exactly. So counts that are not whole (Dice, means of
documents) are split into two multiples of fixed powers of two, whose sums are exact.
"""

from __future__ import annotations

import numpy as np

from karat.nouns._types import FloatArray, IntArray, SingleArray

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


def parted(lines: FloatArray, times: int) -> tuple[FloatArray, IntArray]:
    """Lines whose sums are exact in whatever order, if columns count `times` times together, and
    whose they are: first all lines, then what some of them have beside.

    A line that is not whole is cut into multiples of two powers of two, 2^-52 and 2^-60 of the
    largest such sum. The rest is left off.

    >>> parted(np.array([[0.5, 1.0], [1 / 3, 1.0]]), 9)[1]
    array([0, 1, 1])
    """
    odd = np.flatnonzero((np.rint(lines) != lines).any(axis=1))
    every = np.arange(len(lines))
    if not len(odd):
        return lines, every
    first, own = lines.copy(), lines[odd]
    size = np.frexp(np.abs(own).max(axis=1, initial=0.0) * times)[1]
    unit, least = (np.ldexp(1.0, size - bits)[:, None] for bits in (52, 60))
    coarse = np.rint(own / unit) * unit
    first[odd] = coarse
    fine = np.rint((own - coarse) / least) * least
    some = np.flatnonzero(fine.any(axis=1))
    return np.concatenate([first, fine[some]]), np.concatenate([every, odd[some]])


def singles(lines: FloatArray, times: int) -> list[tuple[IntArray, SingleArray]]:
    """Lines of single precision that add up to the given ones, in groups: whose they are, and
    the lines. Single precision multiplies twice as fast.

    Each is a multiple of a power of two that is coarse enough for a sum in which columns count
    `times` times together to be exact, whatever its order. Whole numbers that are not large need
    one such line; others some more, until what is left is lost in rounding.

    >>> [(whose.tolist(), part.tolist()) for whose, part in singles(np.array([[3.0, 0.0]]), 9)]
    [([0], [[3.0, 0.0]])]
    """
    top = np.abs(lines).max(axis=1, initial=0.0)
    simple = (top * times < _SINGLE) & (np.rint(lines) == lines).all(axis=1)
    first: SingleArray = lines.astype(np.float32)
    found = [(np.arange(len(lines)), first)]
    whose = np.flatnonzero(~simple)
    rest = lines[whose]
    least, begun = np.abs(rest).sum(axis=1) * 2.0**-47, False
    while len(whose):
        top = np.abs(rest).max(axis=1, initial=0.0)
        unit = np.ldexp(1.0, np.frexp(top * times)[1] - 23)[:, None]
        part = np.rint(rest / unit) * unit
        if begun:
            found.append((whose, part.astype(np.float32)))
        else:
            first[whose], begun = part, True
        rest = rest - part
        some = np.abs(rest).max(axis=1, initial=0.0) * times**0.5 > least
        rest, whose, least = rest[some], whose[some], least[some]
    return found
