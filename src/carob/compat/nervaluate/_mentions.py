"""Mentions as columns, in the order in which they were given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from carob.arrays.types import IntArray
from carob.compat.nervaluate.entities import Entity
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
        number: dict[str, int] = {}
        rows = [
            (doc, each.start, each.end + 1, number.setdefault(each.label, len(number)))
            for doc, mentions in enumerate(documents)
            for each in mentions
        ]
        columns = np.array(rows, np.int64).reshape(-1, 4).T
        wrong = np.flatnonzero(columns[1] >= columns[2])
        if wrong.size:
            doc, start, end, _ = rows[int(wrong[0])]
            raise ValueError(
                f"document {doc}: found a mention from {start} to {end - 1}, expected an end that "
                "is not before the start; ends are the last position"
            )
        return cls(Mentions(*columns), list(number), len(documents))

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


def places_in_documents(doc: IntArray) -> list[tuple[int, int]]:
    """For each row its document and its place among the rows of that document; rows are in the
    order of documents.

    >>> places_in_documents(np.array([0, 2, 2]))
    [(0, 0), (2, 0), (2, 1)]
    """
    place = np.arange(len(doc)) - np.searchsorted(doc, doc, "left")
    return list(zip(doc.tolist(), place.tolist(), strict=True))
