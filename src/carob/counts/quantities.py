"""Quantities, which measures are functions of; the zero rule; the one place where carob divides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np

from carob.arrays.types import FloatArray


class Quantities(dict[str, FloatArray]):
    """What a measure sees: arrays of the same shape, by name.

    >>> Quantities.of(gold_right=5, gold_all=7)["gold_all"]
    array(7.)
    """

    @classmethod
    def of(cls, **values: float | FloatArray) -> Quantities:
        """Quantities from numbers.

        >>> sorted(Quantities.of(c=1, s=2))
        ['c', 's']
        """
        return cls({name: np.asarray(value, np.float64) for name, value in values.items()})

    def share(self, part: str, whole: str) -> FloatArray:
        """The ratio of two quantities.

        >>> Quantities.of(gold_right=1, gold_all=2).share("gold_right", "gold_all").item()
        0.5
        """
        return ratio(self[part], self[whole])

    def sum(self, names: Sequence[str]) -> FloatArray:
        """The sum of some quantities; those that are not there count nothing.

        >>> Quantities.of(c=1, s=2).sum(("c", "s", "d")).item()
        3.0
        """
        total: FloatArray = np.add.reduce([self[name] for name in names if name in self])
        return total

    def items_there(self) -> FloatArray:
        """How many items gold and system have together: where it is 0, a 0/0 has no value at all.

        >>> Quantities.of(gold_all=2, system_all=0).items_there().item()
        2.0
        """
        return self["gold_all"] + self["system_all"]


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """The one place where carob divides: x/0 is NaN.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    array([0.5, nan])
    """
    not_zero = denominator != 0
    if np.ndim(not_zero) and np.count_nonzero(not_zero) == not_zero.size:
        return cast(FloatArray, np.divide(numerator, denominator))
    out = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    return cast(FloatArray, np.divide(numerator, denominator, out=out, where=not_zero))


def valued(
    measure: Callable[[Quantities], FloatArray], q: Quantities, zero: float | None
) -> FloatArray:
    """The measure with the zero rule: NaN becomes 0 where there is any gold or system item.

    Otherwise it stays NaN, unless `zero` says what it counts. Measures for which 0 would be praise
    (SER without slots) declare `has_no_zero` and stay NaN.
    """
    value = measure(q)
    undefined = np.isnan(value)
    if not np.count_nonzero(undefined):
        return value
    any_item = q.items_there() > 0
    if not getattr(measure, "has_no_zero", False):
        value = np.where(undefined & any_item, 0.0, value)
    return value if zero is None else np.where(undefined & ~any_item, zero, value)


def mean(value: FloatArray, weight: FloatArray | None = None) -> FloatArray:
    """The mean over the last axis, plain or weighted; terms without a value are left out."""
    undefined = np.isnan(value)
    if weight is None:
        if value.shape[-1] and not undefined.any():
            plain: FloatArray = value.sum(axis=-1) / value.shape[-1]
            return plain
        weight = np.ones(value.shape[-1])
    total = (np.where(undefined, 0.0, value) * weight).sum(axis=-1)
    return ratio(total, (~undefined * weight).sum(axis=-1))


def missing(value: FloatArray) -> int:
    """How many terms have no value, in the data as they are; 0 for resamples."""
    return 0 if value.ndim > 1 else int(np.count_nonzero(np.isnan(value)))
