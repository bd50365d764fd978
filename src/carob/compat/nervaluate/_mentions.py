"""Mentions as columns, in the order in which they were given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from carob.arrays.tags import list_lengths, tag_numbers
from carob.arrays.types import BoolArray, IntArray
from carob.compat.nervaluate.entities import Entity, Index
from carob.corpus.tables import Mentions


@dataclass(frozen=True, eq=False)
class GivenMentions:
    """The mentions of documents; ends are exclusive. Labels are numbers, named by `labels`."""

    table: Mentions
    labels: Sequence[str]
    documents: int

    @classmethod
    def of(cls, documents: Sequence[Sequence[Entity]]) -> GivenMentions:
        """The columns of mentions that are objects."""
        every = list(chain.from_iterable(documents))
        return cls.of_columns(
            list_lengths(documents),
            *([getattr(each, name) for each in every] for name in ("label", "start", "end")),
        )

    @classmethod
    def of_columns(
        cls, sizes: IntArray, labels: list[str], starts: list[int], ends: list[int]
    ) -> GivenMentions:
        """The columns of labels, first and last positions; `sizes` says how many mentions each
        document has.
        """
        number = tag_numbers()
        label = np.array(list(map(number.__getitem__, labels)), np.int64)
        start, end = np.array(starts, np.int64), np.array(ends, np.int64)
        doc = np.repeat(np.arange(len(sizes)), sizes)
        wrong = np.flatnonzero(start > end)
        if wrong.size:
            row = int(wrong[0])
            raise ValueError(
                f"document {doc[row]}: found a mention from {start[row]} to {end[row]}, expected "
                "an end that is not before the start; ends are the last position"
            )
        return cls(Mentions(doc, start, end + 1, label), list(number), len(sizes))

    def entities(self) -> list[list[Entity]]:
        """The mentions of each document as objects."""
        every: list[list[Entity]] = [[] for _ in range(self.documents)]
        table = self.table
        columns = (table.doc, table.label, table.start, table.end - 1)
        for doc, label, start, end in zip(*(each.tolist() for each in columns), strict=True):
            every[doc].append(Entity(self.labels[label], start, end))
        return every

    def used_labels(self) -> set[str]:
        """The labels that a mention has."""
        return {self.labels[i] for i in np.unique(self.table.label).tolist()}

    def only(self, labels: Iterable[str]) -> GivenMentions:
        """The mentions with one of these labels, which are numbered in this order."""
        number = {label: i for i, label in enumerate(labels)}
        known = np.array([number.get(label, -1) for label in self.labels], np.int64)
        label = known[self.table.label] if len(known) else self.table.label
        keep = np.flatnonzero(label >= 0)
        table = self.table
        kept = Mentions(table.doc[keep], table.start[keep], table.end[keep], label[keep])
        return GivenMentions(kept, list(number), self.documents)


def indices(doc: IntArray, chosen: BoolArray) -> list[Index]:
    """For each chosen row its document and its place among the rows of that document; rows are in
    the order of documents.

    >>> indices(np.array([0, 2, 2]), np.array([True, False, True]))
    [(0, 0), (2, 1)]
    """
    rows = np.flatnonzero(chosen)
    own = doc[rows]
    place = rows - np.searchsorted(doc, own, "left")
    return list(zip(own.tolist(), place.tolist(), strict=True))


def indices_of_label(table: Mentions, chosen: BoolArray, label: int) -> list[Index]:
    """The same among the mentions of one label alone.

    >>> table = Mentions(*(np.array(column) for column in ([0, 0], [0, 2], [1, 3], [1, 0])))
    >>> indices_of_label(table, np.array([True, True]), 0)
    [(0, 0)]
    """
    rows = np.flatnonzero(table.label == label)
    return indices(table.doc[rows], chosen[rows])
