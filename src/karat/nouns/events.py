"""Events: the ledger of an event space, one row for each thing that was counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from karat.nouns._types import FloatArray, IntArray
from karat.nouns.pair import Pair

if TYPE_CHECKING:
    from karat.nouns.filled import FilledPair

Rows = IntArray | tuple[IntArray, IntArray]
"""Mentions of one side, or pairs (gold, system)."""


@dataclass(frozen=True, slots=True, eq=False)
class Events:
    """What an event space returns. `gold` and `system` point to rows of the pair, -1 is none.

    `items` says what these rows are: each a `mention` of `pair.gold` or `pair.system`, or each a
    `filler` of `pair.filled.gold` or `pair.filled.system`.

    Every number karat prints is a sum of `weight` over rows. A space in which everything is an
    event, marked or not, says in `size` how much there is of it for one label in each document:
    what no row counts are the true negatives. `labels` are the labels of the rows where they are
    not those of the pair.
    """

    outcomes: tuple[str, ...]
    doc: IntArray
    label: IntArray
    outcome: IntArray
    weight: FloatArray
    gold: IntArray
    system: IntArray
    size: FloatArray | None = None
    labels: tuple[str, ...] | None = None
    items: str = "mention"

    def __len__(self) -> int:
        return len(self.doc)

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
        parts = []
        for side, rows_by_outcome in (("gold", gold or {}), ("system", system or {})):
            table = getattr(pair, side)
            for outcome, rows in rows_by_outcome.items():
                both = rows if isinstance(rows, tuple) else None
                own = rows if not isinstance(rows, tuple) else rows[side == "system"]
                none = np.full(len(own), -1)
                pairs = both or ((own, none) if side == "gold" else (none, own))
                weight = (weights or {}).get(outcome)
                parts.append(
                    (
                        table.doc[own],
                        table.label[own],
                        np.full(len(own), outcomes.index(outcome)),
                        np.ones(len(own)) if weight is None else weight,
                        *pairs,
                    )
                )
        doc, label, outcome_, weight_, ours, theirs = (
            np.concatenate(column) for column in zip(*parts, strict=True)
        )
        found = cls(outcomes, doc, label, outcome_, weight_, ours, theirs)
        if isinstance(pair, Pair):
            return found
        return replace(found, labels=pair.labels, items="filler")


@runtime_checkable
class Space(Protocol):
    """An event space: a component of match/."""

    @property
    def name(self) -> str:
        """Its name in recipes."""
        ...

    @property
    def outcomes(self) -> tuple[str, ...]:
        """What it counts."""
        ...

    @property
    def quantities(self) -> Mapping[str, Mapping[str, float]]:
        """Its quantities, each a sum of outcomes with factors; where events have a size, it is
        the outcome `total`.
        """
        ...

    def __call__(self, pair: Pair) -> Events:
        """Count."""
        ...
