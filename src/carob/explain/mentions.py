"""Errors in mentions, from the events of `fair`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from carob.arrays.join import packed
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.corpus import Corpus, Words
from carob.corpus.document import Mention
from carob.corpus.problems import DataError
from carob.corpus.tables import Mentions
from carob.explain.analysis import CorrectableErrors
from carob.explain.context import in_context, pieces
from carob.pair.pair import Pair
from carob.result.documents import Item
from carob.result.errors import Example

BOUNDARY = ("BES", "BEL", "BEO")


class MentionErrors(CorrectableErrors):
    """The types of Ortmann (2022), "Fine-Grained Error Analysis and Fair Evaluation".

    >>> from carob import Corpus, Recipe
    >>> pair = Pair.of(Corpus.of("[Ann Lee]PER slept"), Corpus.of("[Ann]PER Lee [slept]LOC"))
    >>> analysis = MentionErrors(
    ...     pair, Recipe.parse("fair.F1").space(pair), lambda row: (None, None)
    ... )
    >>> better = analysis.corrected(["BES"])
    >>> better.system.start.tolist(), better.system.end.tolist()
    ([0, 2], [2, 3])
    """

    item: ClassVar[Literal["mention", "filler", "value"]] = "mention"
    kinds: ClassVar[tuple[str, ...]] = ("TP", "LE", *BOUNDARY, "LBE", "FP", "FN")
    extra: ClassVar[str] = "FP"

    def confused_items(self) -> tuple[IntArray, IntArray]:
        """All errors, for a matrix of labels.

        Boundary errors are on the diagonal, labelling and labelling-boundary errors beside it,
        missed mentions in the last column, invented ones in the last row. Ortmann (2022),
        "Fine-Grained Error Analysis and Fair Evaluation of Labeled Spans", figure "Confusion
        matrices".
        """
        wrong = self.kind != 0
        return self.gold[wrong], self.system[wrong]

    def corrected(self, types: Sequence[str]) -> Pair:
        """What gold has in an error of these types is found; what the system has in it is gone,
        unless it also stands in an error of another type, which remains.
        """
        wrong = np.isin(self.kind, [self.kinds.index(kind) for kind in types])
        table = self.pair.system
        gone = _marked(self.system[wrong], len(table)) & ~_marked(self.system[~wrong], len(table))
        added = _marked(self.gold[wrong], len(self.pair.gold))
        answer = Mentions.joined(
            [table.take(np.flatnonzero(~gone)), self.pair.gold.take(np.flatnonzero(added))]
        )
        ordered = Corpus(None, self.pair.documents, answer, self.pair.labels).ordered().mentions
        return replace(self.pair, system=ordered)

    def example(self, row: int) -> Example:
        """One error with the words around both mentions."""
        doc = int(self.doc[row])
        gold = self._mention(self.pair.gold, int(self.gold[row]))
        system = self._mention(self.pair.system, int(self.system[row]))
        words, unit = self.words(doc), self.pair.unit
        lost = self._unplaced(int(self.system[row]))
        return Example(
            self.kinds[self.kind[row]],
            self.pair.documents.name(doc),
            gold,
            system,
            in_context(words, unit, gold, system),
            in_context(words, unit, system, gold) if lost is None else lost,
            pieces(words, unit, gold, system),
            pieces(words, unit, system, gold) if lost is None else ((lost, False),),
        )

    def _unplaced(self, row: int) -> str | None:
        """A mention of the system that has no positions, as an example shows it."""
        table = self.pair.system
        string = None if row < 0 else table.unplaced_string(row)
        if string is None:
            return None
        return f"{string} ({self.pair.labels[table.label[row]]}, without a place in the text)"

    def _mention(self, table: Mentions, row: int) -> Mention | None:
        if row < 0:
            return None
        if table.unplaced_string(row) is not None:
            return None
        return Mention.of(self.pair.labels[table.label[row]], table.fragments_of(row))

    @property
    def unit(self) -> str:
        """What positions of mentions count."""
        return self.pair.unit

    def gold_rows(self) -> IntArray:
        """The same for all systems: every pair has the same mentions of gold."""
        return np.arange(len(self.pair.gold))

    def items(self, side: str, rows: IntArray, words: Words, unit: str) -> list[Item]:
        """Mentions; their attributes are the note."""
        table: Mentions = getattr(self.pair if unit == self.unit else self.pair.in_tokens, side)
        labels = [self.pair.labels[code] for code in table.label[rows].tolist()]
        if table.fragments is None and not table.attributes:
            spans = zip(table.start[rows].tolist(), table.end[rows].tolist(), strict=True)
            return [Item(label, (span,)) for label, span in zip(labels, spans, strict=True)]
        return [
            Item(label, table.fragments_of(row), note=_attributes(table, row))
            if (string := table.unplaced_string(row)) is None
            else Item(label, (), (string,))
            for label, row in zip(labels, rows.tolist(), strict=True)
        ]

    def extra_keys(self, other: MentionErrors, label: int | None) -> tuple[IntArray, IntArray]:
        """Document, place and label of invented mentions."""
        left, right = (each.pair.system.take(each.extra_rows(label)) for each in (self, other))
        if not len(left) or not len(right):
            return packed([left.doc], [right.doc])
        return replace(self.pair, gold=left, system=right).keys(label=True)

    @property
    def near_misses(self) -> int | None:
        """Boundary errors of one token in all; None if there is no text to find tokens in."""
        rows = np.isin(self.kind, [self.kinds.index(kind) for kind in BOUNDARY])
        try:
            tokens = self.pair.in_tokens
        except DataError:
            return None
        gold, system = self.gold[rows], self.system[rows]
        off = np.abs(tokens.gold.start[gold] - tokens.system.start[system])
        off += np.abs(tokens.gold.end[gold] - tokens.system.end[system])
        return int(np.count_nonzero(off == 1))

    @property
    def unseen(self) -> int:
        """Mentions of gold where the system marked nothing at all."""
        touched = _marked(self.pair.overlaps.gold, len(self.pair.gold))
        return int(np.count_nonzero(~touched[self.gold[self.of_type("FN")]]))


def _attributes(table: Mentions, row: int) -> str:
    """The attributes of a mention as one text."""
    values = {name: column[row] for name, column in table.attributes.items()}
    return ", ".join(f"{name}={value}" for name, value in values.items() if value is not None)


def _marked(rows: IntArray, size: int) -> BoolArray:
    """Which of `size` mentions are among the rows; -1, for none, is none of them."""
    marked = np.zeros(size + 1, bool)
    marked[rows] = True
    return marked[:size]
