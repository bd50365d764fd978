"""Tally: units x labels x outcomes, the waist of the hourglass. Behind it is only arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from karat.nouns._types import FloatArray, IntArray
from karat.nouns.events import Events, Space
from karat.nouns.pair import Pair


class Quantities(dict[str, FloatArray]):
    """What a measure sees: arrays of any one shape, by name.

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

    def items_there(self) -> FloatArray:
        """How many items gold and system have: where it is 0, a 0/0 has no value at all.

        >>> Quantities.of(gold_all=2, system_all=0).items_there().item()
        2.0
        """
        return self["gold_all"] + self["system_all"]


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """The one place where karat divides: x/0 is NaN.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    array([0.5, nan])
    """
    out = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    return cast(FloatArray, np.divide(numerator, denominator, out=out, where=denominator != 0))


@dataclass(frozen=True)
class Tally:
    """Counts, sparse: a row for each (unit, label) that has any, a column for each outcome.

    `linear` says how quantities are made of outcomes (quantities x outcomes).
    """

    units: int
    labels: tuple[str, ...]
    outcomes: tuple[str, ...]
    names: tuple[str, ...]
    linear: FloatArray
    unit: IntArray
    label: IntArray
    counts: FloatArray

    @classmethod
    def of(cls, space: Space, pair: Pair, events: Events | None = None) -> Tally:
        """The events of a space, summed for each document and label."""
        events = space(pair) if events is None else events
        width = len(pair.labels)
        cell = events.doc.astype(np.int64) * width + events.label
        size = pair.size * width
        columns = len(events.outcomes)
        if size * columns <= 1 << 22:
            places = np.arange(size)
            row = cell
        else:
            places, row = np.unique(cell, return_inverse=True)
            size = len(places)
        flat: FloatArray = np.bincount(  # type: ignore[assignment]
            row * columns + events.outcome, weights=events.weight, minlength=size * columns
        )
        names = tuple(space.quantities)
        linear = np.array(
            [[space.quantities[n].get(o, 0.0) for o in events.outcomes] for n in names], np.float64
        )
        return cls(
            pair.size, pair.labels, events.outcomes, names, linear,
            places // max(width, 1), places % max(width, 1), flat.reshape(size, columns),
        )  # fmt: skip

    def _quantities(self, counts: FloatArray) -> Quantities:
        values = counts @ self.linear.T
        found = {name: values[..., i] for i, name in enumerate(self.names)}
        for i, outcome in enumerate(self.outcomes):
            found.setdefault(outcome, counts[..., i])
        return Quantities(found)

    def _sums(self, key: IntArray, size: int) -> FloatArray:
        columns = self.counts.shape[1]
        cells = key[:, None] * columns + np.arange(columns)
        sums: FloatArray = np.bincount(  # type: ignore[assignment]
            cells.ravel(), weights=self.counts.ravel(), minlength=size * columns
        )
        return sums.reshape(size, columns)

    def total(self, weights: FloatArray | None = None) -> Quantities:
        """Summed over labels and units; with `weights` (draws x units), one sum a draw."""
        if weights is None:
            return self._quantities(self.counts.sum(axis=0))
        return self._quantities(weights @ self._sums(self.unit, self.units))

    def by_label(self, weights: FloatArray | None = None) -> Quantities:
        """Summed over units: an array of labels, or draws x labels."""
        width = len(self.labels)
        if weights is None:
            return self._quantities(self._sums(self.label, width))
        dense = self._sums(self.unit * width + self.label, self.units * width)
        drawn = weights @ dense.reshape(self.units, width * self.counts.shape[1])
        return self._quantities(drawn.reshape(len(weights), width, self.counts.shape[1]))

    def by_unit(self) -> Quantities:
        """Summed over labels: an array of units."""
        return self._quantities(self._sums(self.unit, self.units))

    def counted(self) -> Mapping[str, float]:
        """The outcomes of everything together."""
        sums = self.counts.sum(axis=0)
        return {name: float(sums[i]) for i, name in enumerate(self.outcomes)}
