"""Sums of columns that are exact, so that the order of documents changes no digit of a score.

A sum of floating-point numbers depends on its order. Whole numbers add up exactly in any order;
`math.fsum` rounds the sum of any others only once, at the end.
"""

from __future__ import annotations

import math

import numpy as np

from carob.arrays.types import FloatArray, IntArray


def is_whole(numbers: FloatArray) -> bool:
    """Whether all numbers are whole.

    >>> is_whole(np.array([3.0, 0.0])), is_whole(np.array([0.5]))
    (True, False)
    """
    return numbers.dtype.kind != "f" or bool((np.rint(numbers) == numbers).all())


def column_sums(table: FloatArray) -> FloatArray:
    """The sum of each column.

    >>> column_sums(np.array([[1.0, 0.1], [2.0, 0.2], [3.0, 0.3]]))
    array([6. , 0.6])
    """
    return np.array([
        column.sum(dtype=np.float64) if is_whole(column) else math.fsum(column.tolist())
        for column in table.T
    ], np.float64)  # fmt: skip


def group_sums(numbers: FloatArray, group: IntArray, size: int) -> FloatArray:
    """The sum of the numbers of each group, from 0 to size - 1.

    >>> group_sums(np.array([0.5, 0.1, 2.0]), np.array([1, 1, 0]), 3)
    array([2. , 0.6, 0. ])
    """
    if is_whole(numbers):
        return np.bincount(group, numbers, size).astype(np.float64, copy=False)
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group, minlength=size))[:-1]
    return np.array([math.fsum(part.tolist()) for part in np.split(numbers[order], ends)])
