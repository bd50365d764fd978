"""Grounding: fillers that say what they are, but not where, are found in the text.

A string is looked for as it is, then folded, then word by word (see `_occurrences`). In one slot
of a document no two fillers are at the same place: of those with the same string, the first takes
the first occurrence that is free, and so on. Fillers that must be found go before those that need
not, a filler's own text goes before alternatives. Where there are more fillers than occurrences,
the rest have no place. A system's filler whose text occurs nowhere is made up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from karat.nouns._occurrences import LEVELS, InTokens, Occurrences
from karat.nouns._types import BoolArray, IntArray
from karat.nouns.corpus import Words
from karat.nouns.document import Span
from karat.nouns.tables import UNKNOWN, Fragments, int32

if TYPE_CHECKING:
    from karat.nouns.filled import Filled


@dataclass(frozen=True, slots=True, eq=False)
class Grounded:
    """The places of all realisations of both sides, also of those that were found in the text.

    `made_up` says of each system filler whether its text occurs nowhere in its document, which is
    known. `unread` is the first document that has fillers without a place, and whose words nobody
    has (-1: none).
    """

    gold: Fragments
    system: Fragments
    made_up: BoolArray
    unread: int = UNKNOWN


def grounded(gold: Filled, system: Filled, words: Callable[[int], Words], unit: str) -> Grounded:
    """Find the fillers of both sides that have a text and no place; a document is read once.

    >>> from karat.nouns.corpus import Corpus
    >>> from karat.nouns.pair import Pair
    >>> slots = {"who": ["Ann", "Ann", "Ann", "Bo"]}
    >>> form = {"text": "Ann met ANN", "templates": [{"label": "t", "slots": slots}]}
    >>> filled = Pair.of(Corpus.of(form), Corpus.of(form)).filled
    >>> found = grounded(filled.gold, filled.system, filled.words, filled.unit)
    >>> [found.gold.of(i) for i in range(4)], found.made_up.tolist()
    ([((0, 3),), ((8, 11),), (), ()], [False, False, False, True])
    """
    sides = [_Side.of(gold), _Side.of(system)]
    made_up = np.zeros(len(system), bool)
    unread = UNKNOWN
    for doc in np.unique(np.concatenate([side.asking for side in sides])).tolist():
        text = _known(words(doc), unit)
        if text is None:
            unread = doc if unread == UNKNOWN else unread
            continue
        for side in sides:
            side.ground(doc, text)
        for owner, string in sides[1].left(doc):
            made_up[owner] = not text.has(string)
    return Grounded(sides[0].places(), sides[1].places(), made_up, unread)


def _known(words: Words, unit: str) -> _Text | None:
    text, tokens = words
    if unit == "token":
        return None if tokens is None else _Text(InTokens(tokens))
    return None if text is None else _Text(Occurrences(text))


class _Text:
    """The occurrences of strings in one document, looked for once and no further than asked."""

    def __init__(self, where: Occurrences) -> None:
        self._where = where
        self._levels: dict[str, list[tuple[list[Span], Iterator[Span]]]] = {}
        self._more: dict[str, Iterator[Iterator[Span]]] = {}

    def nth(self, string: str, level: int, n: int) -> Span | None:
        """The n-th occurrence, from 0."""
        levels = self._levels.setdefault(string, [])
        if not levels:
            self._more[string] = self._where.of(string)
        while len(levels) <= level:
            levels.append(([], next(self._more[string])))
        seen, more = levels[level]
        while len(seen) <= n:
            span = next(more, None)
            if span is None:
                return None
            seen.append(span)
        return seen[n]

    def has(self, string: str) -> bool:
        """Does it occur, in whatever way?"""
        return any(self.nth(string, level, 0) is not None for level in range(LEVELS))


@dataclass(slots=True, eq=False)
class _Side:
    """The realisations of one side, document by document, and the places found for some."""

    side: Filled
    filler: IntArray
    silent: BoolArray
    order: IntArray
    doc: IntArray
    found: dict[int, Span] = field(default_factory=dict)

    @classmethod
    def of(cls, side: Filled) -> _Side:
        filler = side.filler
        silent = (side.raw.codes != UNKNOWN) & (np.diff(side.fragments.offsets) == 0)
        doc = side.doc[filler]
        order = np.argsort(doc, kind="stable")
        return cls(side, filler, silent, order, doc[order])

    @property
    def asking(self) -> IntArray:
        """The documents in which something has to be found."""
        return self.doc[self.silent[self.order]]

    def rows(self, doc: int) -> list[int]:
        """The realisations of a document, in the order of the file."""
        low, high = np.searchsorted(self.doc, [doc, doc + 1]).tolist()
        return self.order[low:high].tolist()  # type: ignore[no-any-return]

    def own(self, row: int) -> bool:
        """Is this realisation the filler's own text, not an alternative?"""
        return row == int(self.side.realisations[self.filler[row]])

    def ground(self, doc: int, text: _Text) -> None:
        """Find places for the realisations of a document that have none."""
        taken: dict[int, set[Span]] = {}
        silent: list[int] = []
        for row in self.rows(doc):
            if self.silent[row]:
                silent.append(row)
            else:
                places = self.side.fragments.of(row)
                if len(places) == 1:
                    taken.setdefault(self._slot(row), set()).add(places[0])
        if not silent:
            return
        own = [row for row in silent if self.own(row)]
        optional = self.side.optional[self.filler[own]].tolist()
        at: dict[tuple[int, str, int], int] = {}
        for wanted in (False, True):
            batch = [row for row, told in zip(own, optional, strict=True) if told == wanted]
            self._place(batch, text, taken, at)
        others = [row for row in silent if not self.own(row)]
        homeless = [self._homeless(row) for row in others]
        for wanted in (True, False):
            batch = [row for row, told in zip(others, homeless, strict=True) if told == wanted]
            self._place(batch, text, taken, at)

    def _slot(self, row: int) -> int:
        return int(self.side.label[self.filler[row]])

    def _homeless(self, row: int) -> bool:
        first = int(self.side.realisations[self.filler[row]])
        return bool(self.silent[first]) and first not in self.found

    def _place(
        self, batch: list[int], text: _Text, taken: dict[int, set[Span]],
        at: dict[tuple[int, str, int], int],
    ) -> None:  # fmt: skip
        for level in range(LEVELS):
            left = []
            for row in batch:
                slot, string = self._slot(row), self.side.raw[row]
                assert string is not None, "silent rows have a text"
                gone = taken.setdefault(slot, set())
                n = at.get((slot, string, level), 0)
                while (span := text.nth(string, level, n)) in gone:
                    n += 1
                at[slot, string, level] = n
                if span is None:
                    left.append(row)
                else:
                    gone.add(span)
                    self.found[row] = span
            batch = left

    def left(self, doc: int) -> Iterator[tuple[int, str]]:
        """The fillers of a document whose own text was given no place, and that text."""
        for row in self.rows(doc):
            string = self.side.raw[row]
            if self.silent[row] and row not in self.found and self.own(row) and string is not None:
                yield int(self.filler[row]), string

    def places(self) -> Fragments:
        """The places of all realisations: those that were there, and those found."""
        old = self.side.fragments
        if not self.found:
            return old
        rows = np.fromiter(self.found, np.int64, len(self.found))
        sizes = np.diff(old.offsets)
        sizes[rows] = 1
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        start, end = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.int32)
        kept = np.ones(offsets[-1], bool)
        kept[offsets[rows]] = False
        start[kept], end[kept] = old.start, old.end
        start[offsets[rows]] = int32([first for first, _ in self.found.values()])
        end[offsets[rows]] = int32([last for _, last in self.found.values()])
        return Fragments(offsets, start, end)
