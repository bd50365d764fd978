"""Undisputed mentions: both sides have them, and no other mention comes near.

Nothing can change what an event space makes of such a pair: one mention more that is right. Most
pairs of a good system are of this kind, so they are looked for once and counted by document and
label, and the event spaces look at the others alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from carob.arrays.join import join, rest
from carob.arrays.types import FloatArray, IntArray
from carob.corpus.tables import Mentions
from carob.counts.events import Space
from carob.counts.tally import DENSE, Tally
from carob.pair.pair import Pair

Worth = tuple[float, float]
"""What an undisputed mention adds to an outcome: for itself, and for each of its tokens."""

ONE: Worth = (1.0, 0.0)


class Undisputed:
    """The rows of undisputed mentions, side by side; and the pair of all other mentions, with the
    rows from which they come.

    >>> from carob.corpus.corpus import Corpus
    >>> gold, system = Corpus.of("[Ann Lee]A met [Bo]A"), Corpus.of("[Ann Lee]A met [Bo]B")
    >>> found = Undisputed.of(Pair.of(gold, system))
    >>> found.gold, found.system, found.mentions, found.tokens
    (array([0]), array([0]), array([1, 0]), array([2., 0.]))
    >>> found.gold_rest, found.system_rest, len(found.others.gold)
    (array([1]), array([1]), 1)
    """

    def __init__(self, pair: Pair) -> None:
        self.gold, self.system = _rows(pair)
        self.gold_rest = rest(len(pair.gold), self.gold)
        self.system_rest = rest(len(pair.system), self.system)
        self.others = replace(
            pair, gold=pair.gold.take(self.gold_rest), system=pair.system.take(self.system_rest)
        )
        self._table, self._cells = pair.gold, pair.cells("gold")[self.gold]

    @classmethod
    def of(cls, pair: Pair) -> Undisputed:
        """Those of a pair, found once for every event space."""
        if "undisputed" not in pair.remembered:
            pair.remembered["undisputed"] = cls(pair)
        found: Undisputed = pair.remembered["undisputed"]
        return found

    @cached_property
    def mentions(self) -> IntArray:
        """How many there are for each document and label."""
        return np.bincount(self._cells, minlength=self.others.size * len(self.others.labels))

    @cached_property
    def tokens(self) -> FloatArray:
        """How many tokens they have, for each document and label."""
        lengths = (self._table.end - self._table.start)[self.gold]
        found: FloatArray = np.bincount(  # type: ignore[assignment]
            self._cells, lengths, self.others.size * len(self.others.labels)
        )
        return found

    def add_to(self, tally: Tally, worth: Mapping[str, Worth]) -> None:
        """Count them in a tally of the others that has a row for every document and label."""
        for outcome, (mention, token) in worth.items():
            column = tally.counts[:, tally.outcomes.index(outcome)]
            column += mention * self.mentions
            if token:
                column += token * self.tokens


def tally_of(space: Space, pair: Pair) -> Tally:
    """What `Tally.of` makes of a pair, with undisputed mentions counted apart where that can be."""
    worth = worth_in(space, pair)
    if worth is None:
        return Tally.of(space, pair)
    found = Undisputed.of(pair)
    tally = Tally.of(space, found.others)
    found.add_to(tally, worth)
    return tally


def worth_in(space: Space, pair: Pair) -> Mapping[str, Worth] | None:
    """What an undisputed mention of a pair counts in a space, by outcome; None if the pair must be
    counted as a whole: the space does not say, there is no row for every document and label, or
    mentions that are characters apart may share a token.
    """
    cells = pair.size * len(pair.labels) * len(space.outcomes)
    if pair.unit != "token" or cells > DENSE:
        return None
    worth: Mapping[str, Worth] | None = getattr(space, "undisputed", None)
    return worth


def _rows(pair: Pair) -> tuple[IntArray, IntArray]:
    """The rows of the undisputed mentions of both sides."""
    width = max(int(table.end.max(initial=0)) for table in (pair.gold, pair.system))
    # Documents lie end to end, in numbers as small as will do: a join takes one bit more.
    kind = np.int32 if pair.size * width < 1 << 30 else np.int64
    (ours, starts), (theirs, others) = (
        _clear(table, kind(width)) for table in (pair.gold, pair.system)
    )
    left, right = join(starts, others)
    gold, system = ours[left], theirs[right]
    same = pair.gold.end[gold] == pair.system.end[system]
    same &= pair.gold.label[gold] == pair.system.label[system]
    return gold.compress(same), system.compress(same)


def _clear(table: Mentions, width: np.signedinteger[Any]) -> tuple[IntArray, IntArray]:
    """The mentions in one piece into which the extent of no other mention of the table reaches,
    and where they start if every document is so wide.
    """
    first = table.doc.astype(type(width), copy=False) * width
    start, end = first + table.start, first + table.end
    # In document order: what comes next starts behind, and what stands before ends before.
    behind = start[1:] >= end[:-1]
    if table.fragments is None and behind.all():
        return np.arange(len(table)), start
    clear = np.ones(len(table), bool)
    clear[:-1] = behind
    clear[1:] &= start[1:] >= np.maximum.accumulate(end)[:-1]
    clear[table.discontinuous] = False
    rows = np.flatnonzero(clear)
    return rows, start[rows]
