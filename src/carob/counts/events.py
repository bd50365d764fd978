"""Events: the ledger of an event space, one row for each thing that was counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np

from carob.arrays.types import FloatArray, IntArray
from carob.pair.pair import Pair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from carob.pair.filled import FilledPair

Rows = IntArray | tuple[IntArray, IntArray]
"""Mentions of one side, or pairs (gold, system)."""


class Events:
    """What an event space returns. `gold` and `system` point to rows of the pair, -1 is none.

    `items` says what these rows are: each a `mention` of `pair.gold` or `pair.system`, or each a
    `filler` of `pair.filled.gold` or `pair.filled.system`, or each a `relation` of
    `pair.links.gold` or `pair.links.system`, or each a `record` (or an object in one), which is a
    template of `pair.records.gold` or `pair.records.system`.

    Every number carob prints is a sum of `weight` over rows. A space in which everything is an
    event, marked or not, says in `size` how much there is of it for one label in each document:
    what no row counts are the true negatives. `labels` are the labels of the rows where they are
    not those of the pair.
    """

    doc: IntArray
    label: IntArray
    outcome: IntArray
    weight: FloatArray
    gold: IntArray
    system: IntArray
    items: str = "mention"

    def __init__(
        self,
        outcomes: tuple[str, ...],
        doc: IntArray,
        label: IntArray,
        outcome: IntArray,
        weight: FloatArray,
        gold: IntArray,
        system: IntArray,
        size: FloatArray | None = None,
        labels: tuple[str, ...] | None = None,
        items: str = "mention",
    ) -> None:
        self.outcomes, self.size, self.labels, self.items = outcomes, size, labels, items
        self.doc, self.label, self.outcome, self.weight = doc, label, outcome, weight
        self.gold, self.system = gold, system

    def __len__(self) -> int:
        return len(self.doc)

    @property
    def of_mentions(self) -> bool:
        """Whether every event is one of a mention."""
        return self.items == "mention" and not np.any((self.gold < 0) & (self.system < 0))

    def cell(self, width: int) -> IntArray:
        """For each row one number for its document and label, of so many labels."""
        return self.doc.astype(np.int64) * width + self.label

    def counted(self, width: int, size: int, cell: IntArray | None = None) -> FloatArray:
        """The weights summed for each cell (of `size`) and outcome."""
        columns = len(self.outcomes)
        cell = self.cell(width) if cell is None else cell
        flat = np.bincount(
            cell * columns + self.outcome, weights=self.weight, minlength=size * columns
        )
        # Of no events at all NumPy makes whole numbers, weights or not.
        return flat.astype(np.float64, copy=False).reshape(size, columns)

    def counted_by_outcome(self, width: int, size: int) -> Iterator[Any]:
        """The same one outcome after the other, so that not all are in memory at once."""
        cell = self.cell(width)
        for outcome in range(len(self.outcomes)):
            rows = np.flatnonzero(self.outcome == outcome)
            if len(rows):
                yield np.bincount(cell[rows], weights=self.weight[rows], minlength=size)
            else:
                yield np.zeros(size, np.int16)

    def moved(self, unit: IntArray, size: FloatArray | None) -> Events:
        """The same rows, belonging to other units than documents."""
        return Events(
            self.outcomes, unit, self.label, self.outcome, self.weight, self.gold, self.system,
            size, self.labels, self.items,
        )  # fmt: skip

    @classmethod
    def of(
        cls,
        pair: Pair | FilledPair,
        outcomes: tuple[str, ...],
        gold: Mapping[str, Rows] | None = None,
        system: Mapping[str, Rows] | None = None,
        weights: Mapping[str, FloatArray] | None = None,
    ) -> Events:
        """Rows by outcome: those under `gold` count for the label of the gold mention, those
        under `system` for the label of the system mention. Of a FilledPair, rows are fillers.
        """
        parts = [
            _Part(side, outcomes.index(outcome), rows, (weights or {}).get(outcome))
            for side, rows_by_outcome in (("gold", gold or {}), ("system", system or {}))
            for outcome, rows in rows_by_outcome.items()
        ]
        return _Parts(pair, outcomes, parts)


class _Part(NamedTuple):
    """The rows of one outcome, and the side whose label they have."""

    side: str
    outcome: int
    rows: Rows
    weight: FloatArray | None

    @property
    def own(self) -> IntArray:
        """The mentions whose document and label count."""
        if not isinstance(self.rows, tuple):
            return self.rows
        return self.rows[self.side == "system"]

    def mentions(self, side: str) -> IntArray:
        """The mention of one side in each row, -1 where there is none."""
        if isinstance(self.rows, tuple):
            return self.rows[side == "system"]
        return self.rows if side == self.side else np.full(len(self.rows), -1)


class _Parts(Events):
    """Events by outcome. To count them their columns are not needed, so they are made only when
    somebody wants to see the rows.
    """

    def __init__(
        self, pair: Pair | FilledPair, outcomes: tuple[str, ...], parts: list[_Part]
    ) -> None:
        self.pair, self.outcomes, self.parts = pair, outcomes, parts
        self.size, self.labels, self.items = None, None, "mention"
        if not isinstance(pair, Pair):
            self.labels, self.items = pair.labels, "filler"

    def __len__(self) -> int:
        return sum(len(part.own) for part in self.parts)

    @property
    def of_mentions(self) -> bool:
        return self.items == "mention"

    def counted(self, width: int, size: int, cell: IntArray | None = None) -> FloatArray:
        if cell is not None:
            return super().counted(width, size, cell)
        fractions = any(part.weight is not None for part in self.parts)
        kind: type = np.float64 if fractions else np.int64
        counts: FloatArray = np.zeros((len(self.outcomes), size), kind)
        for part in self.parts:
            cells = self.pair.cells(part.side)[part.own]
            counts[part.outcome] += np.bincount(cells, weights=part.weight, minlength=size)
        return counts.T

    def _columns(self, name: str) -> IntArray:
        return np.concatenate(
            [getattr(getattr(self.pair, part.side), name)[part.own] for part in self.parts]
        )

    @cached_property
    def doc(self) -> IntArray:  # type: ignore[override]
        return self._columns("doc")

    @cached_property
    def label(self) -> IntArray:  # type: ignore[override]
        return self._columns("label")

    @cached_property
    def outcome(self) -> IntArray:  # type: ignore[override]
        sizes = [len(part.own) for part in self.parts]
        return np.repeat([part.outcome for part in self.parts], sizes)

    @cached_property
    def weight(self) -> FloatArray:  # type: ignore[override]
        return np.concatenate([
            np.ones(len(part.own)) if part.weight is None else part.weight for part in self.parts
        ])  # fmt: skip

    @cached_property
    def gold(self) -> IntArray:  # type: ignore[override]
        return np.concatenate([part.mentions("gold") for part in self.parts])

    @cached_property
    def system(self) -> IntArray:  # type: ignore[override]
        return np.concatenate([part.mentions("system") for part in self.parts])


@runtime_checkable
class Space(Protocol):
    """An event space, what is counted: a component of match/."""

    @property
    def name(self) -> str:
        """Its name in recipes."""

    @property
    def outcomes(self) -> tuple[str, ...]:
        """What may become of an event: `("tp", "fp", "fn")`."""

    @property
    def quantities(self) -> Mapping[str, Mapping[str, float]]:
        """What measures see, each a sum of outcomes with factors. Every space has `gold_right`,
        `gold_all`, `system_right` and `system_all`. Where events have a size, it is the outcome
        `total`.
        """

    @property
    def symmetric(self) -> bool:
        """Whether exchanging gold and system exchanges precision and recall."""

    @property
    def by_document(self) -> bool:
        """Whether one document can be counted without the others."""

    @property
    def items(self) -> Literal["mention", "filler", "relation"]:
        """What its events are about: mentions, fillers of slots, or relations."""

    @property
    def errors(self) -> tuple[str, ...]:
        """Outcomes and quantities of which fewer are better; so are sums of nothing else."""

    def __call__(self, pair: Pair) -> Events:
        """Count."""
