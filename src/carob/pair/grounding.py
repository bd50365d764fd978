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

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from carob.arrays.join import distinct
from carob.arrays.types import BoolArray
from carob.corpus.corpus import Words
from carob.corpus.document import Span
from carob.corpus.tables import UNKNOWN, Fragments, between
from carob.pair.occurrences import LEVELS, InTokens, Occurrences, weight

if TYPE_CHECKING:
    from carob.pair.filled import Filled

_TURN = attrgetter("turn")
_WAYS = [(apart, level) for apart in (True, False) for level in LEVELS]


@dataclass(slots=True, eq=False)
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


def grounded(
    gold: Filled, system: Filled, words: Callable[[int], Words], has_words: BoolArray, unit: str
) -> Grounded:
    """Locate the fillers of both sides that have a text and no place; each document that has words
    is read once.

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.pair.pair import Pair
    >>> slots = {"who": ["Ann", "Ann", "Ann", "Bo"]}
    >>> form = {"text": "Ann met ANN", "templates": [{"label": "t", "slots": slots}]}
    >>> filled = Pair.of(Corpus.of(form), Corpus.of(form)).filled
    >>> places = filled.grounded
    >>> [places.gold.of(i) for i in range(4)], places.ungrounded.tolist()
    ([((0, 3),), ((8, 11),), (), ()], [False, False, False, True])
    """
    sides = [_Side(gold), _Side(system)]
    docs = distinct(np.concatenate([side.docs for side in sides]))
    unread = docs[~has_words[docs]].tolist()
    for doc in docs[has_words[docs]].tolist():
        text, tokens = words(doc)
        if (tokens if unit == "token" else text) is None:
            unread.append(doc)
            continue
        where = InTokens(tokens or ()) if unit == "token" else Occurrences(text or "")
        for side in sides:
            side.ground(doc, where)
    ungrounded = np.zeros(len(system), bool)
    ungrounded[system.filler[np.array(sides[1].nowhere, np.int64)]] = True
    unknown = sides[1].silent[system.realisations[:-1]] & np.isin(system.doc, unread)
    return Grounded(sides[0].places(), sides[1].places(), ungrounded, unknown,
                    min(unread, default=UNKNOWN))  # fmt: skip


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

    @property
    def turn(self) -> tuple[int, int, bool]:
        """The longest strings go first, of these the required ones."""
        words, signs = weight(self.string)
        return -words, -signs, self.optional


class _Side:
    """The realisations of one side, and the places found for those that have only a text.

    `docs` are the documents in which something must be located; `nowhere` are the own texts that do
    not occur.
    """

    def __init__(self, side: Filled) -> None:
        self._side, self._owner = side, side.filler
        self.silent = (side.raw.codes != UNKNOWN) & (np.diff(side.fragments.offsets) == 0)
        self._places: dict[int, Span] = {}
        self.nowhere: list[int] = []
        doc = side.doc[self._owner]
        self.docs = distinct(doc[self.silent])
        self._rows = np.argsort(doc, kind="stable")
        self._doc_of_row = doc[self._rows]

    def ground(self, doc: int, where: Occurrences) -> None:
        """Find places for the realisations of a document that have only a text."""
        side = self._side
        taken: dict[int, _Taken] = {}
        own: list[_Want] = []
        others: list[_Want] = []
        first, last = between(self._doc_of_row, doc)
        for row in self._rows[first:last].tolist():
            filler = int(self._owner[row])
            slot, first = int(side.label[filler]), int(side.realisations[filler])
            here = taken.setdefault(slot, _Taken())
            if not self.silent[row]:
                here.add(side.fragments.of(row))
                continue
            string, optional = side.raw[row] or "", bool(side.optional[filler])
            want = _Want(row, string, slot, optional, self._others(filler), first)
            (own if row == first else others).append(want)
        self._place(own, where, taken)
        others = [want._replace(optional=False) for want in others]
        for known in (False, True):
            batch = [want for want in others if self._has_place(want.first) == known]
            self._place(batch, where, taken)
        lost = [want for want in own if not self._has_place(want.row)]
        self.nowhere += [want.row for want in lost if not where.has(want.string)]

    def _has_place(self, row: int) -> bool:
        return not self.silent[row] or row in self._places

    def _others(self, filler: int) -> list[tuple[str, tuple[Span, ...]]]:
        first, last = self._side.realisations[filler : filler + 2].tolist()
        every = range(first, last) if last - first > 1 else ()
        raw, places = self._side.raw, self._side.fragments
        return sorted(((raw[k] or "") if self.silent[k] else "", places.of(k)) for k in every)

    def _place(self, batch: list[_Want], where: Occurrences, taken: dict[int, _Taken]) -> None:
        """Give each of these the first occurrence that is free in its slot, the longest first.

        The order in the file does not matter, except among equal fillers: different strings may
        compete for the same place, and one of two fillers with the same string may have
        alternatives; then it goes last.
        """
        for _, same in groupby(sorted(batch, key=_TURN), key=_TURN):
            waiting = sorted(same, key=lambda want: (want.string, want.others))
            for apart, level in _WAYS:
                waiting = [
                    want
                    for want in waiting
                    if not self._take(want, where.of(want.string, level), taken, level, apart)
                ]

    def _take(
        self, want: _Want, spans: list[Span], taken: dict[int, _Taken], level: int, apart: bool
    ) -> bool:
        """Take the first free span; whether there is one."""
        here, key = taken[want.slot], (want.string, level, apart)
        n = here.at.get(key, 0)
        while n < len(spans) and here.bars(spans[n], apart):
            n += 1
        here.at[key] = n
        if n == len(spans):
            return False
        here.add((spans[n],))
        self._places[want.row] = spans[n]
        return True

    def places(self) -> Fragments:
        """The places of all realisations: given or located."""
        old = self._side.fragments
        if not self._places:
            return old
        rows = sorted(self._places)
        start, end = zip(*(self._places[row] for row in rows), strict=True)
        offsets = old.offsets + np.searchsorted(rows, np.arange(len(old.offsets)))
        at = old.offsets[rows]  # these had no place
        return Fragments(offsets, np.insert(old.start, at, start), np.insert(old.end, at, end))
