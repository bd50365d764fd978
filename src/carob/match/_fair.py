"""Which error is it? The poster's four steps, over whole columns where nothing competes.

Most mentions are right, overlap nothing, or overlap a single other mention, which then overlaps
nothing else: those are settled all at once. Only where several compete for each other is the
published order of choices followed, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from carob.arrays.components import alone
from carob.arrays.greedy import greedy
from carob.arrays.overlaps import Overlaps, overlaps
from carob.arrays.pair_up import in_stars
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.tables import Mentions
from carob.match.overlap import sizes
from carob.pair.pair import Pair

Pairs = tuple[IntArray, IntArray]
"""Gold rows and system rows, side by side."""


def error_types(pair: Pair) -> dict[str, Pairs]:
    """The pairs of mentions that are right (TP) or wrong together (LE, BES, BEL, BEO, LBE).

    >>> from carob.corpus.corpus import Corpus
    >>> pair = Pair.of(Corpus.of("[Ann Lee]PER slept"), Corpus.of("[Ann]PER Lee slept"))
    >>> [name for name, (gold, system) in error_types(pair).items() if len(gold)]
    ['BES']
    """
    right = pair.identical
    free = _Free(pair, *right)
    met = _by_extent(pair)
    some = np.flatnonzero(free.both(met.gold, met.system))
    gold, system = met.gold[some], met.system[some]
    extent = (pair.gold.start[gold] == pair.system.start[system]) & (
        pair.gold.end[gold] == pair.system.end[system]
    )
    label: BoolArray = pair.gold.label[gold] == pair.system.label[system]
    # Pairs are sorted by gold, then system: gold in turn takes the first that is still there.
    other = np.flatnonzero(extent & ~label)
    other = other[greedy(gold[other], system[other])]
    free.take(gold[other], system[other])
    apart = np.flatnonzero(~extent)
    apart = apart[free.both(gold[apart], system[apart])]
    be, lbe = _boundaries(pair, gold[apart], system[apart], label[apart])
    return {
        "TP": right,
        "LE": (gold[other], system[other]),
        **_kinds(pair, be),
        "LBE": lbe,
    }


def _has_gaps(pair: Pair) -> bool:
    return pair.gold.discontinuous.size > 0 or pair.system.discontinuous.size > 0


def _by_extent(pair: Pair) -> Overlaps:
    """Which extents overlap; without gaps those are the mentions that share positions."""
    if not _has_gaps(pair):
        return pair.overlaps
    return overlaps(*(replace(table, fragments=None) for table in (pair.gold, pair.system)))


class _Free:
    """Which mentions nobody has taken yet."""

    def __init__(self, pair: Pair, gold: IntArray, system: IntArray) -> None:
        self.gold, self.system = np.ones(len(pair.gold), bool), np.ones(len(pair.system), bool)
        self.take(gold, system)

    def take(self, gold: IntArray, system: IntArray) -> None:
        self.gold[gold] = False
        self.system[system] = False

    def both(self, gold: IntArray, system: IntArray) -> BoolArray:
        free: BoolArray = self.gold[gold] & self.system[system]
        return free


def _kinds(pair: Pair, be: Pairs) -> dict[str, Pairs]:
    """Boundary errors by what the system's extent is to gold's: smaller, larger, or neither."""
    gold, system = be
    starts = pair.system.start[system] - pair.gold.start[gold]
    ends = pair.system.end[system] - pair.gold.end[gold]
    smaller = (starts >= 0) & (ends <= 0)
    larger = ~smaller & (starts <= 0) & (ends >= 0)
    kinds = {"BES": smaller, "BEL": larger, "BEO": ~smaller & ~larger}
    return {name: (gold[rows], system[rows]) for name, rows in kinds.items()}


def _boundaries(
    pair: Pair, gold: IntArray, system: IntArray, label: BoolArray
) -> tuple[Pairs, Pairs]:
    """Boundary errors, and labelling-boundary errors, out of the pairs whose extents overlap."""
    simple = alone(gold, system)
    crowd = np.flatnonzero(~simple)
    shared = _shared(pair, gold[crowd], system[crowd])
    simple[crowd] = _all_counted(pair, gold[crowd], system[crowd], shared)
    be, lbe = ((gold[rows], system[rows]) for rows in (simple & label, simple & ~label))
    odd = ~simple[crowd]
    if odd.any():
        contest = _Contest(pair, gold[~simple], system[~simple], shared[odd])
        be = _with(be, contest.round(label[~simple]))
        lbe = _with(lbe, contest.round(~label[~simple]))
    return be, lbe


def _all_counted(pair: Pair, gold: IntArray, system: IntArray, shared: IntArray) -> BoolArray:
    """Which pairs count in whatever order they choose.

    They have one mention in common that nobody else wants, and do not overlap each other: then
    whoever comes late still finds the positions it shares.
    """
    wrong = shared == 0
    by_system = np.argsort(system, kind="stable")
    for rows, table, order in (
        (gold, pair.system, np.arange(len(gold))),
        (system, pair.gold, by_system),
    ):
        center, leaf = rows[order], (system if rows is gold else gold)[order]
        meet = (center[1:] == center[:-1]) & (table.start[leaf[1:]] < table.end[leaf[:-1]])
        wrong[order[1:][meet]] = True
    bad_gold, bad_system = np.zeros(len(pair.gold), bool), np.zeros(len(pair.system), bool)
    bad_gold[gold[wrong]] = True
    bad_system[system[wrong]] = True
    stars = in_stars(gold, system, len(pair.gold), len(pair.system))
    counted: BoolArray = stars & ~bad_gold[gold] & ~bad_system[system]
    return counted


def _with(pairs: Pairs, more: list[tuple[int, int]]) -> Pairs:
    added = np.array(more, np.int64).reshape(-1, 2)
    return np.concatenate([pairs[0], added[:, 0]]), np.concatenate([pairs[1], added[:, 1]])


@dataclass(slots=True)
class _Side:
    """The mentions of one side: what of them is unclaimed, and in which order they were counted."""

    table: Mentions
    length: IntArray
    rank: IntArray
    left: dict[int, set[int]] = field(default_factory=dict)
    counted: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Mentions) -> _Side:
        """Nothing is counted yet; the shortest extents come first."""
        length = table.end - table.start
        rank = np.empty(len(table), np.int64)
        rank[np.argsort(length, kind="stable")] = np.arange(len(table))
        return cls(table, length, rank)

    def positions(self, row: int) -> set[int]:
        """What nobody has claimed of a mention."""
        found = self.left.get(row)
        if found is None:
            parts = self.table.fragments_of(row)
            found = self.left[row] = {place for part in parts for place in range(*part)}
        return found


class _Contest:
    """Mentions that compete for each other, and the published order in which they choose."""

    def __init__(self, pair: Pair, gold: IntArray, system: IntArray, shared: IntArray) -> None:
        ours, self.gold = np.unique(gold, return_inverse=True)
        theirs, self.system = np.unique(system, return_inverse=True)
        self.rows = ours, theirs
        self.sides = _Side.of(pair.gold.take(ours)), _Side.of(pair.system.take(theirs))
        # With the rank of the one asking, this is its order of preference: what only it has
        # follows from what it shares, and the rank of the other begins with its length.
        self.order = np.lexsort(
            (
                self.sides[1].rank[self.system],
                sizes(self.sides[1].table)[self.system],
                -shared,
                self.sides[0].rank[self.gold],
            )
        )

    def round(self, fits: BoolArray) -> list[tuple[int, int]]:
        """Count the pairs that fit; what earlier rounds counted stays counted."""
        ours, theirs = self.sides
        wanted = self.order[fits[self.order]]
        found = []
        for g, s in zip(self.gold[wanted].tolist(), self.system[wanted].tolist(), strict=True):
            if g not in ours.counted and s not in theirs.counted:
                self._claim(g, s)
                found.append((g, s))
        edges = list(zip(self.gold[fits].tolist(), self.system[fits].tolist(), strict=True))
        for g, s in _latecomers(ours, theirs, edges):
            self._claim(g, s)
            found.append((g, s))
        for s, g in _latecomers(theirs, ours, [(s, g) for g, s in edges]):
            self._claim(g, s)
            found.append((g, s))
        return [(int(self.rows[0][g]), int(self.rows[1][s])) for g, s in found]

    def _claim(self, g: int, s: int) -> None:
        ours, theirs = self.sides
        common = ours.positions(g) & theirs.positions(s)
        ours.left[g] -= common
        theirs.left[s] -= common
        for side, row in ((ours, g), (theirs, s)):
            side.counted.setdefault(row, len(side.counted))


def _latecomers(
    asking: _Side, other: _Side, edges: Iterable[tuple[int, int]]
) -> Iterable[tuple[int, int]]:
    """Those not counted yet, shortest first, each with the most similar counted mention of the
    other side that still has a position of theirs.
    """
    partners: dict[int, list[int]] = {}
    for row, partner in edges:
        if row not in asking.counted and partner in other.counted:
            partners.setdefault(row, []).append(partner)
    for row in sorted(partners, key=lambda row: int(asking.rank[row])):
        mine = asking.positions(row)
        best: tuple[Any, ...] | None = None
        for partner in partners[row]:
            theirs = other.positions(partner)
            shared = len(mine & theirs)
            key = (
                -shared, len(mine) - shared, len(theirs) - shared,
                int(other.length[partner]), other.counted[partner], partner,
            )  # fmt: skip
            if shared and (best is None or key < best):
                best = key
        if best is not None:
            yield row, best[-1]


def _shared(pair: Pair, gold: IntArray, system: IntArray) -> IntArray:
    """How many positions the pairs share, 0 where only their extents overlap."""
    width = np.int64(max(len(pair.system), 1))
    there = pair.overlaps.gold * width + pair.overlaps.system
    wanted = gold * width + system
    place = np.searchsorted(there, wanted)
    found = np.append(there, -1)[place] == wanted
    shared: IntArray = np.where(found, np.append(pair.overlaps.shared, 0)[place], 0)
    return shared
