"""How event nuggets are mapped: which system mentions stand for which gold mentions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from carob.arrays.components import alone
from carob.arrays.greedy import greedy
from carob.arrays.overlaps import overlaps
from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.corpus.problems import UsageError, nearest, shown
from carob.corpus.tables import UNKNOWN, Codes, Mentions
from carob.match._invisible import Invisible
from carob.match.overlap import sizes
from carob.pair.pair import Pair

LABEL = "type"
"""What `attributes` calls the label."""

ANYTHING = "notannotated"
"""A gold value that every value agrees with, NOT_ANNOTATED, as values are compared."""


@dataclass(frozen=True, slots=True)
class Scored:
    """Pairs of mentions that share positions, and their Dice coefficients."""

    gold: IntArray
    system: IntArray
    dice: FloatArray

    def take(self, rows: IntArray | BoolArray) -> Scored:
        """Some of the pairs."""
        return Scored(self.gold[rows], self.system[rows], self.dice[rows])


def scored(pair: Pair, invisible: Invisible | None) -> Scored:
    """All pairs with a Dice coefficient above 0: 2 |g & s| / (|g| + |s|).

    A quotient is rounded once, so equal fractions are equal numbers and ties are ties.
    """
    gold, system, met = pair.gold, pair.system, None
    if invisible is None:
        met = pair.overlaps
    else:
        gold, system = invisible.removed_from((gold, system), pair.documents)
        met = overlaps(gold, system)
    total = sizes(gold)[met.gold] + sizes(system)[met.system]
    return Scored(met.gold, met.system, 2 * met.shared / total)


def agreeing(pair: Pair, found: Scored, attributes: Sequence[str]) -> BoolArray:
    """Which pairs agree on all the attributes; `type` is the label.

    Values are compared without case and without what is no letter or digit. Absent on both sides
    agrees, absent on one does not.
    """
    agree = np.ones(len(found.gold), bool)
    for name in attributes:
        ours, theirs, anything = _folded(pair, name)
        gold = ours[found.gold]
        agree &= (gold == theirs[found.system]) | (gold == anything)
    return agree


def _folded(pair: Pair, name: str) -> tuple[IntArray, IntArray, int]:
    """The values of both sides as codes, equal where they agree; and the one for anything."""
    if name == LABEL:
        columns = [Codes(table.label, pair.labels) for table in (pair.gold, pair.system)]
    else:
        there = [table.attributes.get(name) for table in (pair.gold, pair.system)]
        if there[0] is None and there[1] is None:
            names = sorted({LABEL, *pair.gold.attributes, *pair.system.attributes})
            raise UsageError(f"no attribute is called {shown(name)}{nearest(name, names)}")
        columns = [
            Codes(np.full(len(table), UNKNOWN), ()) if column is None else column
            for table, column in zip((pair.gold, pair.system), there, strict=True)
        ]
    code = {ANYTHING: 0}
    sides = []
    for column in columns:
        words = ["".join(c for c in value.casefold() if c.isalnum()) for value in column.values]
        numbers = [code.setdefault(word, len(code)) for word in words]
        sides.append(np.array([*numbers, UNKNOWN])[column.codes])
    return sides[0], sides[1], code[ANYTHING]


def one_to_one(pair: Pair, found: Scored, order: str) -> Scored:
    """Pairs taken greedily, the highest Dice first, each mention at most once."""
    simple = alone(found.gold, found.system)
    crowd = _ranked(pair, found.take(~simple), order)
    return _joined(found.take(simple), crowd.take(greedy(crowd.gold, crowd.system)))


def mapped(pair: Pair, found: Scored, order: str) -> Scored:
    """Each system mention with the gold mention of the highest Dice; gold may have several.

    Those of one gold mention come in the order in which they were mapped.
    """
    simple = alone(found.gold, found.system)
    crowd = _ranked(pair, found.take(~simple), order)
    return _joined(found.take(simple), crowd.take(firsts(crowd.system)))


def firsts(rows: IntArray) -> IntArray:
    """Where each row stands first, in order.

    >>> firsts(np.array([5, 3, 5]))
    array([0, 1])
    """
    return np.sort(np.unique(rows, return_index=True)[1])


def _joined(one: Scored, other: Scored) -> Scored:
    return Scored(
        np.concatenate([one.gold, other.gold]),
        np.concatenate([one.system, other.system]),
        np.concatenate([one.dice, other.dice]),
    )


def _ranked(pair: Pair, found: Scored, order: str) -> Scored:
    """Highest Dice first, then by system mention, then by gold mention."""
    gold, system = found.gold, found.system
    if order == "file":
        gold, system = _in_file(pair.gold)[gold], _in_file(pair.system)[system]
    return found.take(np.lexsort((gold, system, -found.dice)))


def _in_file(table: Mentions) -> IntArray:
    """Where each mention stood in its file; only mentions of one document are ever compared."""
    return np.arange(len(table)) if table.place is None else table.place
