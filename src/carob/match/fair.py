"""Fair error types: what is wrong with a mention counts once.

Most mentions are right, overlap nothing, or overlap a single other mention, which then overlaps
nothing else: those are decided all at once. Only where several compete for each other is the
published order of choices followed, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np

from carob.arrays.components import alone
from carob.arrays.greedy import greedy
from carob.arrays.join import ranked, rest
from carob.arrays.pair_up import in_stars
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.problems import RecipeError, nearest
from carob.corpus.tables import Mentions
from carob.counts.events import Events
from carob.match._formula import BE, TERMS, TYPES, spelled, weights_of
from carob.match.overlap import shared_positions, sizes
from carob.pair.pair import Pair

Pairs = tuple[IntArray, IntArray]
"""Gold rows and system rows, side by side."""


@dataclass(frozen=True, slots=True)
class Fair:
    """A wrong mention is one error, named by what is wrong: its label, its boundary, or both.

    If only exact matches count, a mention with a wrong boundary or label is two errors, one on
    each side, and a mention that was missed completely is only one. Here each is one error:

    - `TP`: label and tokens are right. `LE`, labelling error: same extent, different label.
    - `BES`, `BEL`, `BEO`, boundary errors: same label, and the system's extent is smaller than
      gold's, larger, or overlaps it; `BE` is their sum. `LBE`: overlaps, and the label differs.
    - `FN`: a gold mention of which nothing was found. `FP`: a system mention of which nothing is
      in gold.

    `weights` say how much TP, FP and FN an LE, BES, BEL, BEO and LBE is: by default 0.5 FP +
    0.5 FN. So P = TP / (TP + FP + 0.5 (LE + BE + LBE)), R likewise with FN; in general P = right /
    (right + FP + weights' FP) and R = right / (right + FN + weights' FN), where right = TP +
    weights' TP. Weights are a formula, `fair(weights="LE = FP, BE = 0.5 TP + 0.5 FN")`, in which
    types that are not named keep the default, or a name: `boundary` gives boundary errors half
    a TP, `ortmann2021` makes each error 1 FP, `read2012` 1 FN. P is undefined when the system
    has nothing of any weight, R when gold has nothing of any weight.

    If several mentions overlap, the shortest choose first, and each chooses the most similar.
    Tokens that are claimed are no longer available to others; a mention that has tokens left may
    take part in another BE or LBE. So a mention may be counted more than once, and exchanging the
    sides may change the counts. A pair counts for gold's label on both sides, or with
    `focus=system` for the system's. Tokens are compared even if positions are characters.

    Ortmann (2022), "Fine-Grained Error Analysis and Fair Evaluation of Labeled Spans", poster,
    "Error Types" and "Algorithm for Error Identification"; the details of the algorithm are
    those of its program, FairEval. The example has each of the poster's three kinds of errors once:

    >>> from carob import Corpus, score
    >>> gold = Corpus.of("[Ann]A met [Bo Lee]A in [New York]A")
    >>> system = Corpus.of("[Ann]B met [Bo]A Lee in [New]B York")
    >>> scores = score(gold, system, ["exact.fp", "exact.fn", "fair.LE", "fair.BE", "fair.LBE"])
    >>> [one.value for one in scores]
    [3.0, 3.0, 1.0, 1.0, 1.0]
    >>> score(gold, system, "fair.system_all").value
    1.5
    """

    focus: Literal["gold", "system"] = "gold"
    weights: str = "default"

    name: ClassVar[str] = "fair"
    items: ClassVar[Literal["mention", "filler"]] = "mention"
    by_document: ClassVar[bool] = True
    outcomes: ClassVar[tuple[str, ...]] = ("TP", "LE", "BES", "BEL", "BEO", "LBE", "FP", "FN")
    errors: ClassVar[tuple[str, ...]] = ("LE", "BES", "BEL", "BEO", "LBE", "FP", "FN")
    symmetric: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.focus not in ("gold", "system"):
            hint = nearest(str(self.focus), ["gold", "system"])
            raise RecipeError(f"fair(focus=…): found {self.focus}{hint}")
        if not isinstance(self.weights, str):
            raise RecipeError(f"fair(weights=…): found {self.weights}, expected a text")
        object.__setattr__(self, "weights", spelled(weights_of(self.weights)))

    @property
    def quantities(self) -> Mapping[str, Mapping[str, float]]:
        """Right and all on both sides, as the weights make them; and BE, all boundary errors."""
        weights = dict(zip(TYPES, weights_of(self.weights), strict=True))
        parts: dict[str, dict[str, float]] = {
            term: {term: 1.0} | {kind: each[i] for kind, each in weights.items() if each[i]}
            for i, term in enumerate(TERMS)
        }
        right = parts["TP"]
        gold_all, system_all = (
            {kind: right.get(kind, 0.0) + parts[wrong].get(kind, 0.0) for kind in self.outcomes}
            for wrong in ("FN", "FP")
        )
        return {
            "gold_right": right,
            "gold_all": gold_all,
            "system_right": right,
            "system_all": system_all,
            "BE": dict.fromkeys(BE, 1.0),
        }

    def __call__(self, pair: Pair) -> Events:
        """Name the errors, and put each under its label."""
        types = error_types(pair.in_tokens)
        gold, system = (
            rest(len(table), np.concatenate([pairs[side] for pairs in types.values()]))
            for side, table in enumerate((pair.gold, pair.system))
        )
        right = {"TP": types.pop("TP")}
        ours, theirs = (types, {}) if self.focus == "gold" else ({}, types)
        return Events.of(
            pair,
            self.outcomes,
            gold=right | ours | {"FN": gold},
            system=theirs | {"FP": system},
        )


def error_types(pair: Pair) -> dict[str, Pairs]:
    """The pairs of mentions that are right (TP) or wrong together (LE, BES, BEL, BEO, LBE).

    >>> from carob.corpus.corpus import Corpus
    >>> pair = Pair.of(Corpus.of("[Ann Lee]PER slept"), Corpus.of("[Ann]PER Lee slept"))
    >>> [name for name, (gold, system) in error_types(pair).items() if len(gold)]
    ['BES']
    """
    ours, theirs = pair.gold, pair.system
    right = pair.identical
    free_gold, free_system = np.ones(len(ours), bool), np.ones(len(theirs), bool)
    free_gold[right[0]] = free_system[right[1]] = False
    edges = pair.overlaps
    if ours.discontinuous.size or theirs.discontinuous.size:
        # Extents are compared, also where the gaps of one mention hold the other.
        edges = pair.overlaps_of(replace(ours, fragments=None), replace(theirs, fragments=None))
    free = np.flatnonzero(free_gold[edges.gold] & free_system[edges.system])
    gold, system = edges.gold[free], edges.system[free]
    extent = (ours.start[gold] == theirs.start[system]) & (ours.end[gold] == theirs.end[system])
    label: BoolArray = ours.label[gold] == theirs.label[system]
    # Pairs are sorted by gold, then system: gold in turn takes the first that is still free.
    other = np.flatnonzero(extent & ~label)
    other = other[greedy(gold[other], system[other])]
    free_gold[gold[other]] = free_system[system[other]] = False
    apart = np.flatnonzero(~extent & free_gold[gold] & free_system[system])
    be, lbe = _boundaries(pair, gold[apart], system[apart], label[apart])
    return {"TP": right, "LE": (gold[other], system[other]), **_kinds(pair, be), "LBE": lbe}


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
    shared = shared_positions(pair, gold[crowd], system[crowd])
    simple[crowd] = _all_counted(pair, gold[crowd], system[crowd], shared)
    be, lbe = ((gold[rows], system[rows]) for rows in (simple & label, simple & ~label))
    odd = ~simple[crowd]
    if odd.any():
        contest = _Contest(pair, gold[~simple], system[~simple], shared[odd])
        be = _extended(be, contest.round(label[~simple]))
        lbe = _extended(lbe, contest.round(~label[~simple]))
    return be, lbe


def _all_counted(pair: Pair, gold: IntArray, system: IntArray, shared: IntArray) -> BoolArray:
    """Which pairs count in whatever order they choose.

    They have one mention in common that is in no other pair, and do not overlap each other: then
    each, however late it chooses, still finds the positions it shares free.
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


def _extended(pairs: Pairs, more: list[tuple[int, int]]) -> Pairs:
    added = np.array(more, np.int64).reshape(-1, 2)
    return np.concatenate([pairs[0], added[:, 0]]), np.concatenate([pairs[1], added[:, 1]])


@dataclass(slots=True, eq=False)
class _Side:
    """The mentions of one side: what of them is unclaimed, and in which order they were counted."""

    table: Mentions
    length: IntArray
    rank: IntArray
    left: dict[int, int] = field(default_factory=dict)
    counted: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Mentions) -> _Side:
        """Nothing is counted yet; the shortest extents come first."""
        length = table.end - table.start
        rank = np.empty(len(table), np.int64)
        rank[np.argsort(length, kind="stable")] = np.arange(len(table))
        return cls(table, length, rank)

    def are_counted(self) -> BoolArray:
        """Which mentions are counted already."""
        counted = np.zeros(len(self.table), bool)
        counted[list(self.counted)] = True
        return counted

    def positions(self, row: int) -> int:
        """The unclaimed positions of a mention: a bit for each, counted from its start."""
        if row not in self.left:
            start = int(self.table.start[row])
            self.left[row] = sum(
                ((1 << (high - low)) - 1) << (low - start)
                for low, high in self.table.fragments_of(row)
            )
        return self.left[row]


def _common(ours: _Side, g: int, theirs: _Side, s: int) -> tuple[int, int, int]:
    """The unclaimed positions that two mentions share, and where they begin in either."""
    start, other = int(ours.table.start[g]), int(theirs.table.start[s])
    left, right = max(other - start, 0), max(start - other, 0)
    return (ours.positions(g) >> left) & (theirs.positions(s) >> right), left, right


class _Contest:
    """Mentions that compete for each other, and the published order in which they choose."""

    def __init__(self, pair: Pair, gold: IntArray, system: IntArray, shared: IntArray) -> None:
        ours, self.gold = ranked(gold)
        theirs, self.system = ranked(system)
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
        pairs: list[tuple[int, int]] = []
        for g, s in zip(self.gold[wanted].tolist(), self.system[wanted].tolist(), strict=True):
            if g not in ours.counted and s not in theirs.counted:
                self._claim(g, s, pairs)
        gold, system = self.gold[fits], self.system[fits]
        for g, s in _latecomers(ours, theirs, gold, system):
            self._claim(g, s, pairs)
        for s, g in _latecomers(theirs, ours, system, gold):
            self._claim(g, s, pairs)
        return [(int(self.rows[0][g]), int(self.rows[1][s])) for g, s in pairs]

    def _claim(self, g: int, s: int, pairs: list[tuple[int, int]]) -> None:
        pairs.append((g, s))
        ours, theirs = self.sides
        common, left, right = _common(ours, g, theirs, s)
        ours.left[g] ^= common << left
        theirs.left[s] ^= common << right
        for side, row in ((ours, g), (theirs, s)):
            side.counted.setdefault(row, len(side.counted))


def _latecomers(
    asking: _Side, other: _Side, rows: IntArray, others: IntArray
) -> Iterable[tuple[int, int]]:
    """Those not counted yet, shortest first, each with the most similar counted mention of the
    other side that still has a position of theirs.
    """
    late = ~asking.are_counted()[rows] & other.are_counted()[others]
    partners: dict[int, list[int]] = {}
    for row, partner in zip(rows[late].tolist(), others[late].tolist(), strict=True):
        partners.setdefault(row, []).append(partner)
    for row in sorted(partners, key=lambda row: int(asking.rank[row])):
        size = asking.positions(row).bit_count()
        best: tuple[Any, ...] | None = None
        for partner in partners[row]:
            shared = _common(asking, row, other, partner)[0].bit_count()
            if not shared:
                continue
            key = (
                -shared, size - shared, other.positions(partner).bit_count() - shared,
                int(other.length[partner]), other.counted[partner], partner,
            )  # fmt: skip
            if best is None or key < best:
                best = key
        if best is not None:
            yield row, best[-1]
