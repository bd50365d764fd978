"""The zero rule: what 0/0 counts in a mean, and what is left out of it."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from carob.arrays.types import FloatArray
from carob.counts.quantities import Quantities, ratio


class _Measure(Protocol):
    """What the rule asks of a measure; `carob.plugin` has the whole contract."""

    def __call__(self, q: Quantities, /) -> FloatArray: ...


def valued(measure: _Measure, q: Quantities, zero: float | None) -> FloatArray:
    """The measure with the zero rule: NaN counts 0 where there is any gold or system item,
    otherwise it stays NaN, unless `zero` says what it counts. Measures for which 0 would be
    praise (SER without slots) say so by `has_no_zero` and stay NaN.
    """
    key = (measure, zero)
    value = q.remembered.get(key)
    if value is None:
        value = q.remembered[key] = _with_zeros(measure, q, zero)
    return value


def _with_zeros(measure: _Measure, q: Quantities, zero: float | None) -> FloatArray:
    value = measure(q)
    undefined = np.isnan(value)
    if not undefined.any():
        return value
    any_item = q.items_there() > 0
    if not getattr(measure, "has_no_zero", False):
        value = np.where(undefined & any_item, 0.0, value)
    return value if zero is None else np.where(undefined & ~any_item, zero, value)


def mean(value: FloatArray, weight: FloatArray | None = None) -> FloatArray:
    """The mean over the last axis, of equal weight or not; terms without a value are left out."""
    lost = np.isnan(value)
    if weight is None:
        if value.shape[-1] and not lost.any():
            plain: FloatArray = value.sum(axis=-1) / value.shape[-1]
            return plain
        weight = np.ones(value.shape[-1])
    total = (np.where(lost, 0.0, value) * weight).sum(axis=-1)
    return ratio(total, (~lost * weight).sum(axis=-1))


def missing(value: FloatArray) -> int:
    """How many terms have no value; a question only of the data as they are, not of draws."""
    return 0 if value.ndim > 1 else int(np.count_nonzero(np.isnan(value)))
