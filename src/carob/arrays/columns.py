"""The number types of columns, and how many rows are processed at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np

from carob.arrays.types import FloatArray, IntArray

STRETCH = 1 << 17
"""How many rows are processed at a time, if all of them would need too much memory."""


def label_codes(values: Sequence[int] | IntArray, count: int) -> IntArray:
    """A column of labels in the smallest integer type that fits `count` of them.

    >>> label_codes([2, 0], 3).dtype.name, label_codes([2, 0], 300).dtype.name
    ('int8', 'int16')
    """
    kind = np.int8 if count < 1 << 7 else np.int16 if count < 1 << 15 else np.int32
    return np.asarray(values, kind)


def stretches(size: int, width: int = 1) -> Iterator[slice]:
    """Slices that cover all rows, each small enough that intermediate results fit in memory.

    >>> list(stretches(3))
    [slice(0, 3, None)]
    """
    step = max(1, STRETCH // max(width, 1))
    return (slice(low, min(low + step, size)) for low in range(0, size, step))


def compact(numbers: FloatArray) -> FloatArray:
    """The same numbers in two bytes each if they are small and whole, otherwise unchanged.

    >>> compact(np.array([3.0, 0.0])), compact(np.array([0.5])), compact(np.array([4e4]))
    (array([3, 0], dtype=int16), array([0.5]), array([40000.]))
    """
    with np.errstate(invalid="ignore"):  # numbers that do not fit would change
        small = numbers.astype(np.int16)
    return cast(FloatArray, small) if np.array_equal(small, numbers) else numbers
