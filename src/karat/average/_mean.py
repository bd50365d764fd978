"""Means with the zero rule: what 0/0 counts in a mean, and what is left out of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from karat.nouns._types import FloatArray
from karat.nouns.tally import Quantities, ratio


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
    if key not in q.remembered:
        q.remembered[key] = _ruled(measure, q, zero)
    return q.remembered[key]


def _ruled(measure: Measure, q: Quantities, zero: float | None) -> FloatArray:
    value = measure(q)
    undefined = np.isnan(value)
    if not undefined.any():
        return value
    there = q.items_there() > 0
    if not getattr(measure, "has_no_zero", False):
        value = np.where(undefined & there, 0.0, value)
    return value if zero is None else np.where(undefined & ~there, zero, value)


def mean(value: FloatArray, weight: FloatArray) -> FloatArray:
    """The weighted mean over the last axis, terms without a value left out."""
    there = ~np.isnan(value)
    if there.all():
        shape = value.shape if weight.ndim > 1 else weight.shape  # one for all draws is the same
        total = np.broadcast_to(weight, shape).sum(axis=-1)
        return ratio((value * weight).sum(axis=-1), np.broadcast_to(total, value.shape[:-1]))
    total = (np.where(there, value, 0.0) * weight).sum(axis=-1)
    return ratio(total, (there * weight).sum(axis=-1))


def missing(value: FloatArray) -> int:
    """How many terms have no value."""
    return int(np.count_nonzero(np.isnan(value)))
