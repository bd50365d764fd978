"""Means with the zero rule: what 0/0 counts in a mean, and what is left out of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from carob.arrays.types import FloatArray
from carob.counts.quantities import Quantities, ratio


class Measure(Protocol):
    """A component of measure/."""

    @property
    def name(self) -> str:
        """Its name in recipes."""
        ...

    @property
    def needs(self) -> tuple[str, ...]:
        """The quantities it is a function of."""
        ...

    def __call__(self, q: Quantities) -> FloatArray:
        """Its value for each element."""
        ...


Means = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Averaged:
    """A score, or one for each draw; and how many terms the mean had to leave out."""

    value: FloatArray
    left_out: int = 0


def valued(measure: Measure, q: Quantities, zero: float | None) -> FloatArray:
    """The measure with the zero rule: NaN counts 0 where there is any gold or system item,
    otherwise it stays NaN, unless `zero` says what it counts. Measures for which 0 would be
    praise (SER without slots) say so by `has_no_zero` and stay NaN.
    """
    key = (measure, zero)
    found = q.remembered.get(key)
    if found is None:
        found = q.remembered[key] = _ruled(measure, q, zero)
    return found


def _ruled(measure: Measure, q: Quantities, zero: float | None) -> FloatArray:
    value = measure(q)
    undefined = np.isnan(value)
    if not undefined.any():
        return value
    there = q.items_there() > 0
    if not getattr(measure, "has_no_zero", False):
        value = np.where(undefined & there, 0.0, value)
    return value if zero is None else np.where(undefined & ~there, zero, value)


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
