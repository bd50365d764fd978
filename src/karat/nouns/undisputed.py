"""Undisputed mentions: both sides have them, and no other mention comes near.

Nothing can change what an event space makes of such a pair: one mention more that is right. Most
pairs of a good system are of this kind, so they are looked for once and counted by document and
label, and the event spaces look at the others alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from karat.arrays.join import rest
from karat.nouns._types import BoolArray, FloatArray, IntArray
from karat.nouns.events import Space
from karat.nouns.pair import Pair
from karat.nouns.tables import Mentions
from karat.nouns.tally import DENSE, Tally


class Worth(NamedTuple):
    """What an undisputed mention adds to an outcome: for itself, and for each of its tokens."""

    mention: float = 1.0
    token: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Undisputed:
    """How many undisputed mentions each document and label has, and how many tokens they have
    together; and the pair of all other mentions.

    >>> from karat.nouns.corpus import Corpus
    >>> gold, system = Corpus.of("[Ann Lee]A met [Bo]A"), Corpus.of("[Ann Lee]A met [Bo]B")
    >>> found = Undisputed.of(Pair.of(gold, system))
    >>> found.mentions, found.tokens, len(found.others.gold)
    (array([1, 0]), array([2., 0.]), 1)
    """

    mentions: IntArray
    tokens: FloatArray
    others: Pair

    @classmethod
    def of(cls, pair: Pair) -> Undisputed:
        """Those of a pair, found once for every event space."""
        if "undisputed" not in pair.remembered:
            pair.remembered["undisputed"] = cls._of(pair)
        found: Undisputed = pair.remembered["undisputed"]
        return found

    @classmethod
    def _of(cls, pair: Pair) -> Undisputed:
        gold, system = pair.identical
        sure = _clear(pair.gold)[gold] & _clear(pair.system)[system]
        gold, system = gold.compress(sure), system.compress(sure)
        cells, size = pair.cells("gold")[gold], pair.size * len(pair.labels)
        tokens = (pair.gold.end - pair.gold.start)[gold]
        ours, theirs = rest(len(pair.gold), gold), rest(len(pair.system), system)
        return cls(
            np.bincount(cells, minlength=size),
            np.bincount(cells, tokens, size),  # type: ignore[arg-type]
            replace(pair, gold=pair.gold.take(ours), system=pair.system.take(theirs)),
        )

    def add_to(self, tally: Tally, worth: Mapping[str, Worth]) -> None:
        """Count them in a tally of the others that has a row for every document and label."""
        for outcome, (mention, token) in worth.items():
            column = tally.counts[:, tally.outcomes.index(outcome)]
            column += mention * self.mentions
            if token:
                column += token * self.tokens


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


def _clear(table: Mentions) -> BoolArray:
    """Which mentions are in one piece, and the extent of no other mention of the table reaches
    into them.
    """
    if not len(table):
        return np.empty(0, bool)
    width = np.int64(table.end.max())
    start, end = table.doc * width + table.start, table.doc * width + table.end
    if np.any(start[1:] < start[:-1]):
        return np.zeros(len(table), bool)
    # In document order: what stands before ends before, what comes next starts behind.
    clear = np.ones(len(table), bool)
    clear[1:] = start[1:] >= np.maximum.accumulate(end)[:-1]
    clear[:-1] &= start[1:] >= end[:-1]
    clear[table.discontinuous] = False
    return clear
