"""Sums over rows that come out the same, bit for bit, in whatever order they are taken.

A sum of floating-point numbers depends on its order, and so on the number of threads and the size
of the blocks it was taken in; a resample that ties with the score would then tie on one machine
and not on the next. Whole numbers add up exactly. So counts that are not whole (Dice, means of
documents) are split into two multiples of fixed powers of two, whose sums are exact.
"""

from __future__ import annotations

import numpy as np

from karat.nouns._types import FloatArray

_COARSE, _FINE = 2.0**24, 2.0**56


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
