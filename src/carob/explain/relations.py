"""Errors in relations: what became of each, and what another system fixed and broke."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from carob.arrays.types import IntArray
from carob.explain.ledger import Wording, relation_text
from carob.pair.pair import Pair
from carob.result.errors import RelationChanges, RelationErrors, RelationExample


class Related(NamedTuple):
    """What became of every different relation of a pair: a code of its kind, of which the first is
    what is right, and the relations of gold and of the system (-1: none).
    """

    pair: Pair
    kind: IntArray
    gold: IntArray
    system: IntArray

    def doc(self, row: int) -> int:
        """The document of a row."""
        links = self.pair.links
        gold, system = int(self.gold[row]), int(self.system[row])
        return int(links.gold.doc[gold] if gold >= 0 else links.system.doc[system])

    def texts(self, row: int, words: Wording | None) -> tuple[str | None, str | None]:
        """The relation of gold and of the system as texts; without `words`, as places."""
        known = words(self.doc(row)) if words else (None, None)
        return (
            relation_text(self.pair, "gold", int(self.gold[row]), known),
            relation_text(self.pair, "system", int(self.system[row]), known),
        )

    def example(self, row: int, words: Wording) -> RelationExample:
        """A row, ready to be shown."""
        return self.pair.documents.name(self.doc(row)), *self.texts(row, words)


def relation_errors(
    related: Related, kinds: Sequence[str], examples: int, words: Wording,
    other: Related | None = None,
) -> RelationErrors:  # fmt: skip
    """How many relations are of which kind, with some examples of each kind of error; with `other`,
    also what that system fixed and broke.
    """
    links, kind = related.pair.links, related.kind
    label = np.where(related.gold >= 0, np.append(links.gold.label, -1)[related.gold],
                     np.append(links.system.label, -1)[related.system])  # fmt: skip
    return RelationErrors(
        {each: int(np.sum(kind == k)) for k, each in enumerate(kinds)},
        {
            name: {each: int(np.sum((kind == k) & (label == i))) for k, each in enumerate(kinds)}
            for i, name in enumerate(links.labels)
        },
        {
            each: [related.example(row, words)
                   for row in np.flatnonzero(kind == k)[:examples].tolist()]
            for k, each in enumerate(kinds) if k
        },
        None if other is None else _changes(related, other, kinds, examples, words),
    )  # fmt: skip


def _changes(
    first: Related, second: Related, kinds: Sequence[str], examples: int, words: Wording
) -> RelationChanges:
    """A relation of gold that the first system has wrong and the second right is fixed, the other
    way round it is broken. So is an extra relation that only the first, or only the second, states.
    """
    counts, shown = [], []
    for one, other in ((first, second), (second, first)):
        right = {int(row) for row in other.gold[other.kind == 0].tolist()}
        there = Counter(_extra(other, row) for row in np.flatnonzero(other.gold < 0).tolist())
        rows = []
        for row in np.flatnonzero(one.kind != 0).tolist():
            if one.gold[row] >= 0:
                gone = int(one.gold[row]) in right
            else:
                key = _extra(one, row)
                gone = not there[key]
                there[key] -= not gone
            if gone:
                rows.append(row)
        codes = np.bincount(one.kind[rows], minlength=len(kinds)).tolist()
        counts.append({kind: n for kind, n in zip(kinds, codes, strict=True) if n})
        shown.append([one.example(row, words) for row in rows[:examples]])
    return RelationChanges(counts[0], counts[1], shown[0], shown[1])


def _extra(related: Related, row: int) -> tuple[int, str | None]:
    """What a relation of the system says, and in which document."""
    return related.doc(row), related.texts(row, None)[1]
