"""Quantities: what measures are functions of, and the one place where carob divides."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import cast

import numpy as np

from carob.arrays.types import FloatArray


class Quantities(dict[str, FloatArray]):
    """What a measure sees: arrays of any one shape, by name.

    >>> Quantities.of(gold_right=5, gold_all=7)["gold_all"]
    array(7.)
    """

    make: Callable[[str], FloatArray] | None = None
    """What makes a quantity when it is first asked for, where not all are made at once."""

    @cached_property
    def remembered(self) -> dict[Hashable, FloatArray]:
        """Values of measures, so that an average need not measure what another has measured."""
        return {}

    def __missing__(self, name: str) -> FloatArray:
        if self.make is None:
            raise KeyError(name)
        self[name] = self.make(name)
        return self[name]

    @classmethod
    def of(cls, **values: float | FloatArray) -> Quantities:
        """Quantities from numbers.

        >>> sorted(Quantities.of(c=1, s=2))
        ['c', 's']
        """
        return cls({name: np.asarray(value, np.float64) for name, value in values.items()})

    def share(self, part: str, whole: str) -> FloatArray:
        """The ratio of two quantities; several measures ask for the same.

        >>> Quantities.of(gold_right=1, gold_all=2).share("gold_right", "gold_all").item()
        0.5
        """
        found = self.remembered.get((part, whole))
        if found is None:
            found = self.remembered[part, whole] = ratio(self[part], self[whole])
        return found

    def items_there(self) -> FloatArray:
        """How many items gold and system have: where it is 0, a 0/0 has no value at all.

        >>> Quantities.of(gold_all=2, system_all=0).items_there().item()
        2.0
        """
        return self["gold_all"] + self["system_all"]


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """The one place where carob divides: x/0 is NaN.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    array([0.5, nan])
    """
    there = denominator != 0
    if np.ndim(there) and there.all():
        return cast(FloatArray, np.divide(numerator, denominator))
    out = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    return cast(FloatArray, np.divide(numerator, denominator, out=out, where=there))
