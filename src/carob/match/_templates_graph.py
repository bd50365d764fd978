"""Which fillers match and which match in part, among those that may be compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from carob.arrays.join import distinct
from carob.arrays.types import BoolArray, IntArray
from carob.match._fillers import CrowdError, Edges, Realised, place_edges, text_edges
from carob.match._templates_both import Both
from carob.match.overlap import Contains, Overlap
from carob.pair.pair import Pair

LARGEST = 4_000_000
"""How many pairs of fillers of one document are looked at, at most: some 2,000 x 2,000 that all
have a word in common, or that stand in as many templates. It takes seconds, and a GB of memory."""


@dataclass(frozen=True, slots=True)
class Graph:
    """Pairs of fillers, each once, sorted: right where they match, else partly right."""

    gold: IntArray
    system: IntArray
    right: BoolArray


def graph(pair: Pair, both: Both, fillers: IntArray, group: IntArray, match: Any) -> Graph:
    """The pairs among these fillers whose `group` (a number for every filler) is the same.

    Two realisations are compared by their places where both have one, else by their texts.
    Documents are taken together, unless that makes too many pairs.
    """
    ours, theirs = np.zeros((2, int(group.max(initial=-1)) + 1), bool)
    ours[group[fillers[fillers < both.fillers]]] = True
    theirs[group[fillers[fillers >= both.fillers]]] = True
    fillers = fillers[(ours & theirs)[group[fillers]]]
    try:
        return _graph(pair, both, fillers, group, match)
    except CrowdError as error:
        doc = both.doc[both.template[fillers]]
        middle = (int(doc.min()) + int(doc.max()) + 1) // 2
        if doc.min() == doc.max():
            raise error.told(pair.filled, error.row) from None
        parts = [
            graph(pair, both, fillers[half], group, match) for half in (doc < middle, doc >= middle)
        ]
    columns = [np.concatenate([getattr(part, name) for part in parts]) for name in Graph.__slots__]
    order = np.lexsort((columns[1], columns[0]))
    return Graph(*(column[order] for column in columns))


def _graph(pair: Pair, both: Both, fillers: IntArray, group: IntArray, match: Any) -> Graph:
    width = np.int64(len(both.template) + 1)

    def keys(way: Any) -> IntArray:
        by_text = _by_text(pair, both, fillers, group, way)
        pairs = [*by_text, _by_place(pair, both, fillers, group, way)]
        return distinct(np.concatenate([left * width + right for left, right in pairs]))

    found = right = keys(match)
    if match != Overlap():
        found = distinct(np.concatenate([right, keys(Overlap())]))
    sure = np.zeros(len(found), bool)
    sure[np.searchsorted(found, right)] = True
    return Graph(found // width, found % width, sure)


def _by_text(pair: Pair, both: Both, fillers: IntArray, group: IntArray, match: Any) -> list[Edges]:
    """Pairs of realisations of which one at least has no place."""
    wanted = np.zeros(len(both.template), bool)
    wanted[fillers] = True
    rows = np.flatnonzero(wanted[both.owner] & (both.text >= 0))
    rows = rows[~both.placed[rows] | both.mixed[both.doc[both.template[both.owner[rows]]]]]
    if not rows.size:
        return []
    codes, text = np.unique(both.text[rows], return_inverse=True)
    values = [pair.filled.texts.values[code] for code in codes.tolist()]
    owner, bare = both.owner[rows], ~both.placed[rows]
    ours = owner < both.fillers

    def some(mask: BoolArray) -> Realised:
        return Realised(group[owner[mask]], text.reshape(-1)[mask], owner[mask])

    return [
        text_edges(some(ours & one), some(~ours & other), values, match, "templates", LARGEST)
        for one, other in ((True, bare), (bare, ~bare))
    ]


def _by_place(pair: Pair, both: Both, fillers: IntArray, group: IntArray, match: Any) -> Edges:
    """Pairs of realisations that both have a place."""
    tables = []
    rows = fillers[fillers < both.fillers], fillers[fillers >= both.fillers] - both.fillers
    for side, own, first in (
        (both.sides[0], rows[0], 0),
        (both.sides[1], rows[1], both.fillers),
    ):
        label = group[own + first]
        # Only tokens need to know the document; groups keep what is compared apart.
        doc = side.doc[own] if isinstance(match, Contains) else label
        tables.append(replace(side.take(own), doc=doc, label=label))
    try:
        gold, system = place_edges(pair, tables[0], tables[1], match, "templates", LARGEST)
    except CrowdError as error:
        error.row = int(rows[0][error.row])
        raise
    return rows[0][gold], rows[1][system] + both.fillers
