"""Grounding: locate fillers in the text that have a text and no place.

A string is searched verbatim, then folded, then word by word (see `occurrences`). In one slot of a
document the longest strings go first, and each filler takes the first occurrence that does not
overlap a place already taken; if there is none, the first that is not itself taken. So a short name
is not placed inside a longer one if it also occurs alone. Of strings of the same length, those of
required fillers go before those of optional ones. A filler's own text goes before its alternatives,
and these go first to fillers without a place. If there are more fillers than occurrences, the rest
have no place. A system's filler whose text does not occur is ungrounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from carob.arrays.types import BoolArray, IntArray
from carob.corpus.corpus import Words
from carob.corpus.document import Span
from carob.corpus.tables import UNKNOWN, Fragments, int32
from carob.pair.occurrences import LEVELS, InTokens, Occurrences, weight

if TYPE_CHECKING:
    from carob.pair.filled import Filled

_WAYS = [(apart, level) for apart in (True, False) for level in range(LEVELS)]


@dataclass(frozen=True, slots=True, eq=False)
class Grounded:
    """The places of all realisations of both sides, given or located in the text.

    `ungrounded` marks system fillers whose text does not occur in their document; `unknown`, those
    that cannot be checked, because they have no place and their document no words. `unread` is the
    first document that has fillers without a place and no words (-1: none).
    """

    gold: Fragments
    system: Fragments
    ungrounded: BoolArray
    unknown: BoolArray
    unread: int = UNKNOWN


def grounded(gold: Filled, system: Filled, words: Callable[[int], Words], unit: str) -> Grounded:
    """Locate the fillers of both sides that have a text and no place; each document is read once.

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.pair.pair import Pair
    >>> slots = {"who": ["Ann", "Ann", "Ann", "Bo"]}
    >>> form = {"text": "Ann met ANN", "templates": [{"label": "t", "slots": slots}]}
    >>> filled = Pair.of(Corpus.of(form), Corpus.of(form)).filled
    >>> found = grounded(filled.gold, filled.system, filled.words, filled.unit)
    >>> [found.gold.of(i) for i in range(4)], found.ungrounded.tolist()
    ([((0, 3),), ((8, 11),), (), ()], [False, False, False, True])
    """
    sides = [_Side(gold), _Side(system)]
    asking = [side for side in sides if len(side.asking)]
    without = []
    for doc in np.unique(np.concatenate([side.asking for side in sides])).tolist():
        text = _known(words(doc), unit)
        if text is None:
            without.append(doc)
            continue
        for side in asking:
            side.ground(doc, text)
    ungrounded = np.zeros(len(system), bool)
    ungrounded[system.filler[np.array(sides[1].nowhere, np.int64)]] = True
    unknown = sides[1].silent[system.realisations[:-1]] & np.isin(system.doc, without)
    return Grounded(sides[0].places(), sides[1].places(), ungrounded, unknown,
                    without[0] if without else UNKNOWN)  # fmt: skip


def _known(words: Words, unit: str) -> Occurrences | None:
    text, tokens = words
    if unit == "token":
        return None if tokens is None else InTokens(tokens)
    return None if text is None else Occurrences(text)


class _Text:
    """The occurrences of strings in one document, searched once and only as far as needed."""

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
        """Whether it occurs: verbatim, folded, or word by word."""
        return any(self.nth(string, level, 0) is not None for level in range(LEVELS))


class _Taken:
    """The places that are taken in one slot, and where the search for each string stopped."""

    def __init__(self) -> None:
        self.at: dict[tuple[str, int, bool], int] = {}
        self._whole: set[Span] = set()
        self._covered = bytearray()

    def add(self, places: tuple[Span, ...]) -> None:
        if len(places) == 1:
            self._whole.add(places[0])
        for start, end in places:
            self._covered.extend(bytes(max(0, end - len(self._covered))))
            self._covered[start:end] = b"\1" * (end - start)

    def bars(self, span: Span, apart: bool) -> bool:
        """Whether a place is taken; with `apart`, whether any part of it is."""
        return self._covered.find(1, *span) >= 0 if apart else span in self._whole


class _Want(NamedTuple):
    """A realisation that needs a place; `others` are all those of its filler, if several."""

    row: int
    string: str
    slot: int
    optional: bool
    others: list[tuple[str, tuple[Span, ...]]]
    first: int


class _Side:
    """The realisations of one side, document by document, and the places found for some.

    One that is alone in its slot takes the first occurrence; others may compete for places.
    `nowhere` are the own texts that do not occur.
    """

    def __init__(self, side: Filled) -> None:
        self._side = side
        self.silent = (side.raw.codes != UNKNOWN) & (np.diff(side.fragments.offsets) == 0)
        self.found: dict[int, Span] = {}
        self.nowhere: list[int] = []
        owner = side.filler
        doc = side.doc[owner]
        self.asking = np.unique(doc[self.silent])
        # Only documents in which something must be located are read.
        rows = np.flatnonzero(np.isin(doc, self.asking))
        rows = rows[np.argsort(doc[rows], kind="stable")]
        width = np.int64(int(side.label.max(initial=0)) + 1)
        slot = np.unique(doc[rows] * width + side.label[owner[rows]], return_inverse=True)[1]
        alone = (np.bincount(slot.reshape(-1)) == 1)[slot.reshape(-1)]
        self._lone = _Rows(rows[alone & self.silent[rows]], doc, side)
        self._crowd = _Rows(rows[~alone], doc, side)
        self._owner = owner

    def ground(self, doc: int, where: Occurrences) -> None:
        """Find places for the realisations of a document that have only a text."""
        for row, string in self._lone.of(doc):
            span = where.first(string)
            if span is None:
                self.nowhere.append(row)
            else:
                self.found[row] = span
        crowd = self._crowd.of(doc)
        if crowd:
            self._ground(crowd, _Text(where))

    def _ground(self, crowd: list[tuple[int, str]], text: _Text) -> None:
        taken: dict[int, _Taken] = {}
        own: list[_Want] = []
        others: list[_Want] = []
        for row, string in crowd:
            filler = int(self._owner[row])
            slot, first = int(self._side.label[filler]), int(self._side.realisations[filler])
            here = taken.setdefault(slot, _Taken())
            if not self.silent[row]:
                here.add(self._side.fragments.of(row))
                continue
            optional = bool(self._side.optional[filler])
            want = _Want(row, string, slot, optional, self._others(filler), first)
            (own if row == first else others).append(want)
        self._place(own, text, taken)
        housed: tuple[list[_Want], list[_Want]] = ([], [])
        for want in others:
            there = not self.silent[want.first] or want.first in self.found
            housed[there].append(want._replace(optional=False))
        for batch in housed:
            self._place(batch, text, taken)
        lost = [want for want in own if want.row not in self.found]
        gone = {string for string in {want.string for want in lost} if not text.has(string)}
        self.nowhere += [want.row for want in lost if want.string in gone]

    def _others(self, filler: int) -> list[tuple[str, tuple[Span, ...]]]:
        first, last = self._side.realisations[filler : filler + 2].tolist()
        every = range(first, last) if last - first > 1 else ()
        raw, places = self._side.raw, self._side.fragments
        return sorted(((raw[k] or "") if self.silent[k] else "", places.of(k)) for k in every)

    def _place(self, batch: list[_Want], text: _Text, taken: dict[int, _Taken]) -> None:
        """Give each of these the first occurrence that is free in its slot, the longest first.

        The order in the file does not matter, except among equal fillers: different strings may
        compete for the same place, and one of two fillers with the same string may have
        alternatives; then it goes last.
        """
        for _, same in groupby(sorted(batch, key=_turn), key=_turn):
            waiting = sorted(same, key=lambda want: (want.string, want.others))
            for apart, level in _WAYS:
                if waiting:
                    waiting = self._level(waiting, text, taken, level, apart)

    def _level(
        self, batch: list[_Want], text: _Text, taken: dict[int, _Taken], level: int, apart: bool
    ) -> list[_Want]:
        left = []
        for want in batch:
            here, key = taken[want.slot], (want.string, level, apart)
            n = here.at.get(key, 0)
            while (span := text.nth(want.string, level, n)) and here.bars(span, apart):
                n += 1
            here.at[key] = n
            if span is None:
                left.append(want)
            else:
                here.add((span,))
                self.found[want.row] = span
        return left

    def places(self) -> Fragments:
        """The places of all realisations: given or located."""
        old = self._side.fragments
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


def _turn(want: _Want) -> tuple[int, int, bool]:
    words, signs = weight(want.string)
    return -words, -signs, want.optional


_NONE: list[tuple[int, str]] = []


class _Rows:
    """Some realisations with their texts, grouped by document."""

    def __init__(self, rows: IntArray, doc: IntArray, side: Filled) -> None:
        texts = [*side.raw.values, ""]
        codes = side.raw.codes[rows].tolist()
        self._rows, self._texts = rows.tolist(), [*map(texts.__getitem__, codes)]
        docs, first = np.unique(doc[rows], return_index=True)
        stops = np.append(first, len(rows))[1:].tolist()
        ends = zip(first.tolist(), stops, strict=True)
        self._where = dict(zip(docs.tolist(), ends, strict=True))

    def of(self, doc: int) -> list[tuple[int, str]]:
        ends = self._where.get(doc)
        if ends is None:
            return _NONE
        here = slice(*ends)
        return [*zip(self._rows[here], self._texts[here], strict=True)]
