"""Grounding: fillers that say what they are, but not where, are found in the text.

A string is looked for as it is, then folded, then word by word (see `_occurrences`). In one slot
of a document no two fillers are at the same place: of those with the same string, the first takes
the first occurrence that is free, and so on. Fillers that must be found go before those that need
not, a filler's own text goes before alternatives, and these serve first who has no place yet. Where
there are more fillers than occurrences, the rest have no place. A system's filler whose text occurs
nowhere is made up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from karat.nouns._occurrences import LEVELS, InTokens, Occurrences
from karat.nouns._types import BoolArray
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
    sides = [_Side(gold), _Side(system)]
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


class _Side:
    """The realisations of one side, document by document, and the places found for some."""

    def __init__(self, side: Filled) -> None:
        filler = side.filler
        silent = (side.raw.codes != UNKNOWN) & (np.diff(side.fragments.offsets) == 0)
        self.fragments = side.fragments
        self.found: dict[int, Span] = {}
        doc = side.doc[filler]
        self.asking = np.unique(doc[silent])
        # Only documents in which something has to be found are gone through.
        rows = np.flatnonzero(np.isin(doc, self.asking))
        rows = rows[np.argsort(doc[rows], kind="stable")]
        offsets = np.searchsorted(doc[rows], np.append(self.asking, self.asking[-1:] + 1))
        self._rows = rows.tolist()
        self._where = {
            here: slice(*offsets[i : i + 2].tolist()) for i, here in enumerate(self.asking.tolist())
        }
        owner = filler[rows]
        self._owner = dict(zip(self._rows, owner.tolist(), strict=True))
        self._slot = dict(zip(self._rows, side.label[owner].tolist(), strict=True))
        texts: list[str | None] = [*side.raw.values, None]
        codes = np.where(silent, side.raw.codes, UNKNOWN)[rows].tolist()
        self._text = {row: texts[code] for row, code in zip(self._rows, codes, strict=True)}
        self._first = dict(zip(self._rows, side.realisations[owner].tolist(), strict=True))
        sizes = np.diff(side.realisations)[owner]
        self._size = dict(zip(self._rows, sizes.tolist(), strict=True))
        self._optional = dict(zip(self._rows, side.optional[owner].tolist(), strict=True))

    def ground(self, doc: int, text: _Text) -> None:
        """Find places for the realisations of a document that have a text alone."""
        if doc not in self._where:
            return
        taken: dict[int, set[Span]] = {}
        own: tuple[list[tuple[int, str]], ...] = ([], [])
        others: list[tuple[int, str]] = []
        for row in self._rows[self._where[doc]]:
            string = self._text[row]
            if string is None:
                places = self.fragments.of(row)
                if len(places) == 1:
                    taken.setdefault(self._slot[row], set()).add(places[0])
            elif row == self._first[row]:
                own[self._optional[row]].append((row, string))
            else:
                others.append((row, string))
        at: dict[tuple[int, str, int], int] = {}
        for batch in own:
            self._place(self._sorted(batch), text, taken, at)
        homeless: tuple[list[tuple[int, str]], ...] = ([], [])
        for row, string in others:
            first = self._first[row]
            homeless[self._text[first] is None or first in self.found].append((row, string))
        for batch in homeless:
            self._place(self._sorted(batch), text, taken, at)

    def _sorted(self, batch: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """In an order that the file has no part in, except among fillers that are the same.

        Strings that are written differently may want the same place, and one of two fillers with
        the same string may have alternatives; then it goes last.
        """
        if len(batch) < 2:
            return batch
        return sorted(batch, key=lambda each: (each[1], self._others(each[0])))

    def _others(self, row: int) -> list[tuple[str, tuple[Span, ...]]]:
        first = self._first[row]
        last = first + self._size[row]
        every = range(first, last) if last - first > 1 else ()
        return sorted((self._text[k] or "", self.fragments.of(k)) for k in every)

    def _place(
        self, batch: list[tuple[int, str]], text: _Text, taken: dict[int, set[Span]],
        at: dict[tuple[int, str, int], int],
    ) -> None:  # fmt: skip
        """Give each of these the first occurrence that is free in its slot, level by level."""
        for level in range(LEVELS):
            left = []
            for row, string in batch:
                slot = self._slot[row]
                gone = taken.setdefault(slot, set())
                n = at.get((slot, string, level), 0)
                while (span := text.nth(string, level, n)) in gone:
                    n += 1
                at[slot, string, level] = n
                if span is None:
                    left.append((row, string))
                else:
                    gone.add(span)
                    self.found[row] = span
            batch = left

    def left(self, doc: int) -> Iterator[tuple[int, str]]:
        """The fillers of a document whose own text was given no place, and that text."""
        for row in self._rows[self._where[doc]] if doc in self._where else ():
            string = self._text[row]
            if string is not None and row not in self.found and row == self._first[row]:
                yield self._owner[row], string

    def places(self) -> Fragments:
        """The places of all realisations: those that were there, and those found."""
        old = self.fragments
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
