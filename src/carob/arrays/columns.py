"""Columns of numbers: their types, exact sums, and how many rows are processed at a time.

A sum of floating-point numbers depends on its order. Whole numbers add up exactly in any order;
`math.fsum` rounds the sum of any others only once, at the end. So the order of documents changes no
digit of a score.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, cast

import numpy as np

from carob.arrays.types import FloatArray, HashArray, IntArray

STRETCH = 1 << 17
"""How many rows are processed at a time, if all of them would need too much memory."""


def label_codes(values: Sequence[int] | IntArray, count: int) -> IntArray:
    """A column of labels in the smallest integer type that fits `count` of them.

    >>> label_codes([2, 0], 3).dtype.name, label_codes([2, 0], 300).dtype.name
    ('int8', 'int16')
    """
    kind = np.int8 if count < 1 << 7 else np.int16 if count < 1 << 15 else np.int32
    return np.asarray(values, kind)


def numbering() -> defaultdict[Any, int]:
    """Numbers that are given out as they are looked up: new keys get 0, 1, 2 ...

    >>> number = numbering()
    >>> number["b"], number["a"], number["b"]
    (0, 1, 0)
    """
    return defaultdict(count().__next__)


def constant(value: float, size: int, kind: type) -> Any:
    """A column of one number, which takes no memory and cannot be written to.

    >>> constant(7, 3, np.int32)
    array([7, 7, 7], dtype=int32)
    """
    return np.broadcast_to(np.array(value, kind), size)


def used(numbers: IntArray, limit: int) -> IntArray:
    """The different numbers, sorted; all are from 0 to below `limit`, which is not large.

    >>> used(np.array([5, 3, 5]), 6)
    array([3, 5])
    """
    there = np.zeros(limit, bool)
    there[numbers] = True
    return np.flatnonzero(there)


def taken(column: Any, rows: IntArray) -> Any:
    """The rows of a column; those of a constant are a constant.

    >>> taken(constant(7, 3, np.int32), np.array([2, 0])).strides
    (0,)
    """
    if column.strides == (0,) and len(column):
        return np.broadcast_to(column[:1], len(rows))
    return column[rows]


def end_to_end(columns: Sequence[Any]) -> Any:
    """Columns one after the other; if all of them are the same constant, that constant.

    >>> end_to_end([constant(0, 2, bool), constant(0, 1, bool)]).strides
    (0,)
    """
    filled = [column for column in columns if len(column)] or list(columns[:1])
    first = filled[0]
    if all(column.strides == (0,) and column.dtype == first.dtype for column in filled):
        values = [column[0] for column in filled if len(column)]
        if all(value == values[0] or (value != value and values[0] != values[0])
               for value in values):  # fmt: skip
            return constant(first[0] if len(first) else 0, sum(map(len, columns)), first.dtype.type)
    return np.concatenate(columns)


def equal(one: IntArray | HashArray, other: IntArray | HashArray) -> bool:
    """Whether two columns are the same. np.array_equal takes several times as long for short ones.

    >>> equal(np.array([1, 2]), np.array([1, 2])), equal(np.array([1]), np.array([1, 2]))
    (True, False)
    """
    return len(one) == len(other) and not np.count_nonzero(one != other)


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
    if numbers.dtype == np.int16:
        return numbers
    with np.errstate(invalid="ignore"):  # numbers that do not fit would change
        small = numbers.astype(np.int16)
    fits = (small == numbers).all()
    return cast(FloatArray, small) if fits else numbers.astype(np.float64, copy=False)


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
