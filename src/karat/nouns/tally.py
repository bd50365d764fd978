"""Tally: units x labels x outcomes, the waist of the hourglass. Behind it is only arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from karat.nouns._types import FloatArray, IntArray
from karat.nouns.events import Events, Space
from karat.nouns.pair import Pair

TOTAL = "total"
"""The size of an event space, as quantities name it."""

_ROUNDING = 1e-12


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

    `linear` says how quantities are made of outcomes (quantities x outcomes). Where everything
    is an event, `size` is how much there is for one label in each unit, the same for every label;
    it needs no rows, and stands in `linear` as a last outcome.
    """

    units: int
    labels: tuple[str, ...]
    outcomes: tuple[str, ...]
    names: tuple[str, ...]
    linear: FloatArray
    unit: IntArray
    label: IntArray
    counts: FloatArray
    size: FloatArray | None = None

    @classmethod
    def of(cls, space: Space, pair: Pair, events: Events | None = None) -> Tally:
        """The events of a space, summed for each document and label."""
        events = space(pair) if events is None else events
        labels = pair.labels if events.labels is None else events.labels
        width = len(labels)
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
        quantities = space.quantities
        names = tuple(quantities)
        terms = events.outcomes if events.size is None else (*events.outcomes, TOTAL)
        linear = np.array([[quantities[n].get(t, 0.0) for t in terms] for n in names], np.float64)
        return cls(
            pair.size, labels, events.outcomes, names, linear,
            places // max(width, 1), places % max(width, 1), flat.reshape(size, columns),
            events.size,
        )  # fmt: skip

    def _quantities(self, counts: FloatArray, size: FloatArray | float) -> Quantities:
        terms = counts
        if self.size is not None:
            last = np.broadcast_to(np.asarray(size)[..., None], (*counts.shape[:-1], 1))
            terms = np.concatenate([counts, last], axis=-1)
        values = terms @ self.linear.T
        # A difference of sums that are equal but for rounding is nothing.
        mixed = (self.linear < 0).any(axis=1)
        if mixed.any():
            least = _ROUNDING * (np.abs(terms) @ np.abs(self.linear[mixed]).T)
            part = values[..., mixed]
            values[..., mixed] = np.where(np.abs(part) <= least, 0.0, part)
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

    def _sizes(self, weights: FloatArray | None = None) -> FloatArray:
        """How much there is for one label, over all units or for each draw."""
        size = np.zeros(self.units) if self.size is None else self.size
        return np.asarray(size.sum() if weights is None else weights @ size)

    def total(self, weights: FloatArray | None = None) -> Quantities:
        """Summed over labels and units; with `weights` (draws x units), one sum a draw."""
        counts = (
            self.counts.sum(axis=0)
            if weights is None
            else weights @ self._sums(self.unit, self.units)
        )
        return self._quantities(counts, self._sizes(weights) * len(self.labels))

    def by_label(self, weights: FloatArray | None = None) -> Quantities:
        """Summed over units: an array of labels, or draws x labels."""
        width = len(self.labels)
        if weights is None:
            return self._quantities(self._sums(self.label, width), self._sizes())
        dense = self._sums(self.unit * width + self.label, self.units * width)
        columns = len(self.outcomes)
        drawn = weights @ dense.reshape(self.units, width * columns)
        drawn = drawn.reshape(len(weights), width, columns)
        return self._quantities(drawn, self._sizes(weights)[:, None])

    def by_unit(self) -> Quantities:
        """Summed over labels: an array of units."""
        size = 0.0 if self.size is None else self.size * len(self.labels)
        return self._quantities(self._sums(self.unit, self.units), size)

    def counted(self) -> Mapping[str, float]:
        """The outcomes of everything together."""
        sums = self.counts.sum(axis=0)
        return {name: float(sums[i]) for i, name in enumerate(self.outcomes)}
