"""Tally: units x labels x outcomes, the waist of the hourglass. Behind it is only arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from karat.nouns._types import FloatArray, IntArray
from karat.nouns.events import Events, Space
from karat.nouns.pair import Pair
from karat.nouns.rows import summed
from karat.nouns.tables import spread


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
    size: FloatArray | None = None

    @classmethod
    def of(
        cls, space: Space, pair: Pair, events: Events | None = None, units: int | None = None
    ) -> Tally:
        """The events of a space, summed for each document and label.

        Where `events.doc` says something else than the document, `units` says how many there are.
        """
        events = space(pair) if events is None else events
        width = len(pair.labels)
        cell = events.doc.astype(np.int64) * width + events.label
        units = pair.size if units is None else units
        size = units * width
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
            units, pair.labels, events.outcomes, names, linear,
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
        drawn = weights @ dense.reshape(self.units, -1)
        return self._quantities(drawn.reshape(len(weights), width, -1))

    def by_unit(self) -> Quantities:
        """Summed over labels: an array of units."""
        return self._quantities(self._sums(self.unit, self.units))

    def counted(self) -> Mapping[str, float]:
        """The outcomes of everything together."""
        sums = self.counts.sum(axis=0)
        return {name: float(sums[i]) for i, name in enumerate(self.outcomes)}

    @cached_property
    def rows(self) -> LabelRows:
        """A row for each unit with the outcomes of every label: what averages over labels sum."""
        return LabelRows(self)

    @cached_property
    def unit_rows(self) -> UnitRows:
        """A row for each unit with its outcomes over all labels: what micro averages sum."""
        return UnitRows(self)

    def label_sums(self, weights: FloatArray | None = None) -> FloatArray:
        """The sums of `rows`, or one line of them for each draw of `weights` (draws x units)."""
        return self._label_sums if weights is None else summed(self.rows, weights)

    def unit_sums(self, weights: FloatArray | None = None) -> FloatArray:
        """The sums of `unit_rows`, or one line of them for each draw of `weights`."""
        return self._unit_sums if weights is None else summed(self.unit_rows, weights)

    @cached_property
    def _label_sums(self) -> FloatArray:
        return summed(self.rows)

    @cached_property
    def _unit_sums(self) -> FloatArray:
        return summed(self.unit_rows)

    @cached_property
    def starts(self) -> IntArray:
        """Where the counts of each unit begin, and where the last ends."""
        return np.searchsorted(self.unit, np.arange(self.units + 1))

    def labels_of(self, sums: FloatArray) -> Quantities:
        """The quantities of each label, from sums over `rows`: labels, or draws x labels."""
        width = len(self.labels)
        places = [i * width for i in range(len(self.outcomes))]
        outcomes = [sums[..., first : first + width] for first in places]
        if self.size is not None:
            outcomes.append(np.broadcast_to(sums[..., -1:], outcomes[0].shape))
        return self._named(outcomes)

    def label_of(self, sums: FloatArray) -> Quantities:
        """The quantities of one label, from sums over its `OneLabelRows`."""
        return self._named([sums[..., i] for i in range(sums.shape[-1])])

    def total_of(self, sums: FloatArray) -> Quantities:
        """The quantities of everything, from sums over `unit_rows`."""
        outcomes = [sums[..., i] for i in range(len(self.outcomes))]
        return self._named(
            outcomes if self.size is None else [*outcomes, sums[..., -1] * len(self.labels)]
        )

    def _named(self, outcomes: list[FloatArray]) -> Quantities:
        found = Quantities()
        for name, factors in zip(self.names, self.linear, strict=True):
            parts = [(factors[i], outcomes[i]) for i in np.flatnonzero(factors).tolist()]
            terms = [part if factor == 1 else factor * part for factor, part in parts]
            value = sum(terms[1:], terms[0]) if terms else np.zeros_like(outcomes[0])
            if (factors < 0).any():
                # A difference of sums that are equal but for rounding is nothing.
                least = 1e-12 * sum((abs(term) for term in terms), np.zeros_like(value))
                value = np.where(np.abs(value) <= least, 0.0, value)
            found[name] = value
        for name, outcome in zip(self.outcomes, outcomes, strict=False):
            found.setdefault(name, outcome)
        return found


@dataclass(frozen=True, slots=True)
class LabelRows:
    """The rows of a tally with a column for each outcome and label, outcome by outcome."""

    tally: Tally

    @property
    def units(self) -> int:
        """How many rows."""
        return self.tally.units

    @property
    def width(self) -> int:
        """How many columns."""
        sized = self.tally.size is not None
        return len(self.tally.outcomes) * len(self.tally.labels) + sized

    def block(self, index: IntArray) -> FloatArray:
        """The rows `index`, zeros and all."""
        tally, width = self.tally, len(self.tally.labels)
        places, offsets = spread(tally.starts, index)
        row = np.repeat(np.arange(len(index)), np.diff(offsets))
        dense = np.zeros((len(index), len(tally.outcomes), width))
        if width == 0:
            return _with_size(np.zeros((len(index), 0)), tally, index)
        for i in range(len(tally.outcomes)):
            dense[row, i, tally.label[places]] = tally.counts[places, i]
        return _with_size(dense.reshape(len(index), -1), tally, index)


@dataclass(frozen=True, slots=True)
class OneLabelRows:
    """The rows of a tally with a column for each outcome of one label."""

    tally: Tally
    place: int

    @property
    def units(self) -> int:
        """How many rows."""
        return self.tally.units

    @property
    def width(self) -> int:
        """How many columns."""
        return len(self.tally.outcomes) + (self.tally.size is not None)

    def block(self, index: IntArray) -> FloatArray:
        """The rows `index`."""
        places, offsets = spread(self.tally.starts, index)
        own = self.tally.label[places] == self.place
        row = np.repeat(np.arange(len(index)), np.diff(offsets))[own]
        dense = np.zeros((len(index), len(self.tally.outcomes)))
        dense[row] = self.tally.counts[places[own]]
        return _with_size(dense, self.tally, index)


@dataclass(frozen=True, slots=True)
class UnitRows:
    """The rows of a tally with a column for each outcome, labels together."""

    tally: Tally

    @property
    def units(self) -> int:
        """How many rows."""
        return self.tally.units

    @property
    def width(self) -> int:
        """How many columns."""
        return len(self.tally.outcomes) + (self.tally.size is not None)

    def block(self, index: IntArray) -> FloatArray:
        """The rows `index`."""
        places, offsets = spread(self.tally.starts, index)
        row = np.repeat(np.arange(len(index)), np.diff(offsets))
        columns = [
            np.bincount(row, weights=self.tally.counts[places, i], minlength=len(index))
            for i in range(len(self.tally.outcomes))
        ]
        return _with_size(np.stack(columns, axis=1), self.tally, index)


def _with_size(rows: FloatArray, tally: Tally, index: IntArray) -> FloatArray:
    """One more column where everything is an event: how much there is in each unit."""
    if tally.size is None:
        return rows
    return np.concatenate([rows, tally.size[index, None]], axis=1)
