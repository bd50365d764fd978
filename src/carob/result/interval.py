"""Interval: a score with the range it would move in, had other documents been drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from carob.arrays.types import FloatArray
from carob.result.result import Part, with_interval

TRUSTED = 10
"""Below, a remark says on how many units an interval rests."""


@dataclass(frozen=True, slots=True, eq=False)
class Interval(Part):
    """A score and its interval; None where there is none, and `remarks` say why.

    `draws` are the scores of the resamples, so that another interval costs nothing; empty for
    methods that draw none.

    >>> print(Interval(0.75, 0.7, 0.8, 0.95, "bca"))
    0.7500 [0.7000, 0.8000]
    """

    value: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    draws: FloatArray = field(default_factory=lambda: np.empty(0))
    remarks: tuple[str, ...] = ()
    error: float | None = None
    """The standard error, by the jackknife."""
    effective: float | None = None
    """How many independent items the units are worth, if the interval is made from that."""

    columns: ClassVar[tuple[str, ...]] = ("value", "low", "high", "level", "method", "remarks")

    def __str__(self) -> str:
        return with_interval(self.value, self.low, self.high, "{:.4f}".format)
