"""What became of every mention or filler, and everything that follows from that alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from carob.arrays.join import join, rest
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.corpus import Words
from carob.corpus.tables import UNKNOWN
from carob.counts.events import Events
from carob.pair.pair import Pair
from carob.result.documents import Item
from carob.result.errors import Changes, Confusion


class ErrorAnalysis(ABC):
    """The events of a space that names every error, each once, in document order.

    Row by row: `kind` (a code of `kinds`, of which the first is what is right), `doc`, `gold` and
    `system`, which are rows of the pair's tables, -1 for none. `words` gives the text and the
    tokens of a document of gold.
    """

    item: ClassVar[Literal["mention", "filler", "value"]]
    """What each row is about."""

    kinds: ClassVar[tuple[str, ...]]
    extra: ClassVar[str]
    """The kind of what only the system has."""

    also: ClassVar[tuple[str, ...]] = ()
    """Types that an error may have in addition to its kind."""

    def __init__(self, pair: Pair, events: Events, words: Callable[[int], Words]) -> None:
        self.pair, self.words = pair, words
        self.table: Any = pair.filled if events.items == "filler" else pair
        codes = np.full(len(events.outcomes), UNKNOWN)
        codes[[events.outcomes.index(kind) for kind in self.kinds]] = np.arange(len(self.kinds))
        kind = codes[events.outcome]
        rows = np.flatnonzero(kind != UNKNOWN)
        rows = rows[np.lexsort((events.system[rows], events.gold[rows], events.doc[rows]))]
        self.kind, self.doc = kind[rows], events.doc[rows]
        self.gold, self.system = events.gold[rows], events.system[rows]

    @property
    def types(self) -> tuple[str, ...]:
        """All types of errors."""
        return (*self.kinds[1:], *self.also)

    def of_type(self, kind: str) -> BoolArray:
        """Which rows are of a type."""
        rows: BoolArray = self.kind == self.kinds.index(kind)
        return rows

    def labels_of(self, side: str) -> IntArray:
        """The label of one side in each row, -1 where it has nothing."""
        labels: IntArray = np.append(getattr(self.table, side).label, UNKNOWN)
        rows: IntArray = getattr(self, side)
        return labels[rows]

    def counts(self) -> dict[str, IntArray]:
        """How often each kind occurs with each label: gold's, or the system's if gold has none."""
        gold, system = self.labels_of("gold"), self.labels_of("system")
        label = np.where(self.gold < 0, system, gold)
        size = len(self.table.labels)
        return {kind: np.bincount(label[self.of_type(kind)], minlength=size) for kind in self.kinds}

    def met(self, gold: IntArray, system: IntArray) -> Confusion:
        """How often the labels of these rows meet; row -1 has no label."""
        ours, theirs = (
            np.append(table.label, UNKNOWN) for table in (self.table.gold, self.table.system)
        )
        return Confusion.of(self.table.labels, ours[gold], theirs[system])

    def confusion(self) -> Confusion:
        """Which labels were taken for which."""
        return self.met(*self.confused_items())

    @abstractmethod
    def confused_items(self) -> tuple[IntArray, IntArray]:
        """What the matrix of labels counts: items of gold and of the system, -1 for none."""

    @abstractmethod
    def example(self, row: int) -> Any:
        """A row, ready to be shown."""

    @property
    @abstractmethod
    def unit(self) -> str:
        """What positions of items count: `token` or `char`."""

    @abstractmethod
    def gold_rows(self) -> IntArray:
        """The row in its corpus of each item of gold, which is the same for all systems."""

    @abstractmethod
    def items(self, side: str, rows: IntArray, words: Words, unit: str) -> list[Item]:
        """Some items of one side in one document, with their places in this unit."""

    @abstractmethod
    def extra_keys(self, other: Any, label: int | None) -> tuple[IntArray, IntArray]:
        """Numbers for what only this system and only another one has, equal where that is."""

    @property
    def is_extra(self) -> BoolArray:
        """Which rows are of what only the system has."""
        return self.of_type(self.extra)

    def extra_rows(self, label: int | None) -> IntArray:
        """What only the system has, of one label if there is one."""
        return self.system[self.is_extra & self._with_label(label)]

    def _with_label(self, label: int | None) -> BoolArray:
        """Which rows have a label, in gold or of the system; all of them without one."""
        if label is None:
            return np.ones(len(self.kind), bool)
        rows: BoolArray = (self.labels_of("gold") == label) | (self.labels_of("system") == label)
        return rows

    def examples(self, kind: str, count: int, label: int | None = None) -> list[Any]:
        """Some rows of a type, spread evenly so that they come from many documents."""
        here = self.of_type(kind) & self._with_label(label)
        return [self.example(row) for row in _spread(np.flatnonzero(here), count).tolist()]

    def changes(
        self, other: ErrorAnalysis, count: int, label: int | None = None,
        types: Sequence[str] | None = None,
    ) -> Changes:  # fmt: skip
        """What another system fixed and broke (of one label, if there is one, and of some types of
        errors), with some examples.

        An item of gold that this system has wrong and the other right is fixed, under the type of
        the error that is gone; the other way round it is broken, under the type of the new error.
        An extra answer that only this system gives is fixed, one that only the other gives is
        broken.
        """
        before, after = self._row_of_gold(), other._row_of_gold()
        totals, items = [], []
        for own, second, row in ((self, other, before), (other, self, after)):
            gold, extra = own._fixed_gold(second, label), own._fixed_extra(second, label)
            gold, extra = gold[own._has_type(row[gold], types)], extra[own._has_type(extra, types)]
            totals.append(own._by_kind(own.kind[np.concatenate([row[gold], extra])]))
            items.append(gold)
        shown = [
            [
                (self.example(int(before[item])), other.example(int(after[item])))
                for item in _spread(which, count).tolist()
            ]
            for which in items
        ]
        return Changes(totals[0], totals[1], shown[0], shown[1])

    def fixed_rows(self, other: ErrorAnalysis) -> IntArray:
        """The rows with errors of this system that another one fixed."""
        return np.concatenate([
            self._row_of_gold()[self._fixed_gold(other)], self._fixed_extra(other),
        ])  # fmt: skip

    def _fixed_gold(self, other: ErrorAnalysis, label: int | None = None) -> IntArray:
        """The items of gold that this system has wrong and another one right."""
        before, after = self._row_of_gold(), other._row_of_gold()
        items = np.flatnonzero((before != UNKNOWN) & (after != UNKNOWN))
        old, new = before[items], after[items]
        here = self._with_label(label)[old] | other._with_label(label)[new]
        fixed: IntArray = items[here & (self.kind[old] != 0) & (other.kind[new] == 0)]
        return fixed

    def _fixed_extra(self, other: ErrorAnalysis, label: int | None = None) -> IntArray:
        """The rows with extra answers of this system that another one does not give."""
        own, theirs = self.extra_keys(other, label)
        rows = np.flatnonzero(self.is_extra & self._with_label(label))
        return rows[rest(len(own), join(own, theirs)[0])]

    def _has_type(self, rows: IntArray, types: Sequence[str] | None) -> BoolArray:
        """Which of these rows are errors of some types; all of them without any."""
        if types is None:
            return np.ones(len(rows), bool)
        wanted: BoolArray = np.logical_or.reduce([self.of_type(kind) for kind in types])
        return wanted[rows]

    def _row_of_gold(self) -> IntArray:
        """For each item of gold the first row that it stands in, by kind; -1 if in none."""
        rows = np.flatnonzero(self.gold >= 0)
        rows = rows[np.lexsort((self.system[rows], self.kind[rows], self.gold[rows]))]
        items, first = np.unique(self.gold[rows], return_index=True)
        where = np.full(len(self.table.gold), UNKNOWN)
        where[items] = rows[first]
        return where

    def _by_kind(self, kinds: IntArray) -> dict[str, int]:
        counts = np.bincount(kinds, minlength=len(self.kinds))
        return {self.kinds[k]: int(counts[k]) for k in np.flatnonzero(counts).tolist()}


class CorrectableErrors(ErrorAnalysis):
    """Errors that can be corrected in the pair, to see what that would gain."""

    @abstractmethod
    def corrected(self, types: Sequence[str]) -> Pair:
        """The pair as it would be if all errors of these types had not been made."""


def _spread(rows: IntArray, count: int) -> IntArray:
    """At most this many rows, evenly from all."""
    if len(rows) <= count:
        return rows
    return rows[np.linspace(0, len(rows) - 1, count).round().astype(np.int64)]
