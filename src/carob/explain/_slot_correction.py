"""The answer of a system with some errors in slots corrected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from carob.arrays.types import BoolArray, IntArray
from carob.corpus.tables import UNKNOWN, Fragments, int32, joined_codes, spread
from carob.pair.filled import Filled, FilledPair, Forms
from carob.pair.pair import Pair


def correct_fillers(pair: Pair, gold: IntArray, system: IntArray, wrong: BoolArray) -> Pair:
    """The pair as it would be if the errors `wrong` had not been made.

    `gold` and `system` are the fillers of each row that was judged, -1 for none. A missing filler
    goes to the template that gold's template is aligned with, or to a new one.
    """
    filled = pair.filled
    both = (gold >= 0) & (system >= 0)
    aligned = filled.gold.template[gold[both]], filled.system.template[system[both]]
    gold, system = gold[wrong], system[wrong]
    swapped = (gold >= 0) & (system >= 0)
    missing = gold[system < 0]
    forms, home = _templates(filled, aligned, missing)
    size = len(filled.system)
    index = np.arange(size)
    index[system[swapped]] = size + gold[swapped]
    kept = np.ones(size, bool)
    kept[system[gold < 0]] = False
    index = np.concatenate([index[kept], size + missing])
    template = np.concatenate([filled.system.template[kept], home[filled.gold.template[missing]]])
    sure = np.concatenate([filled.system.confidence[kept], np.full(len(missing), np.nan)])
    order = np.argsort(template, kind="stable")
    answers = replace(
        _joined(filled.system, filled.gold, index[order]),
        template=int32(template[order]),
        confidence=sure[order],
        optional=np.zeros(len(order), bool),
        forms=forms,
    )
    better = replace(filled, system=answers)
    return replace(pair, slots=lambda: better)


def _templates(
    filled: FilledPair, aligned: tuple[IntArray, IntArray], missing: IntArray
) -> tuple[Forms, IntArray]:
    """The system's templates with those that have to be new, and the one for each of gold's."""
    ours, theirs = filled.gold.forms, filled.system.forms
    home = np.full(len(ours), UNKNOWN, np.int64)
    home[aligned[0]] = aligned[1]
    # Templates that hold aligned templates are aligned, too.
    for row in np.unique(aligned[0]).tolist():
        above, other = int(ours.parent[row]), int(theirs.parent[home[row]])
        while above != UNKNOWN and other != UNKNOWN and home[above] == UNKNOWN:
            home[above] = other
            above, other = int(ours.parent[above]), int(theirs.parent[other])
    new: list[int] = []
    for row in np.unique(filled.gold.template[missing]).tolist():
        chain, at = [], row
        while at != UNKNOWN and home[at] == UNKNOWN:
            chain.append(at)
            at = int(ours.parent[at])
        for each in reversed(chain):
            home[each] = len(theirs) + len(new)
            new.append(each)
    rows = np.array(new, np.int64)
    parents = np.append(home, UNKNOWN)[ours.parent[rows]]
    return Forms(
        np.concatenate([theirs.doc, ours.doc[rows]]),
        np.concatenate([theirs.type, ours.type[rows]]),
        np.concatenate([theirs.path, ours.path[rows]]),
        np.concatenate([theirs.parent, int32(parents)]),
    ), home


def _joined(one: Filled, other: Filled, index: IntArray) -> Filled:
    """Rows of two tables, the second's numbered on; their templates are those of before."""
    offsets = _ends([one.realisations, other.realisations])
    pieces = [one.fragments, other.fragments]
    fragments = Fragments(
        _ends([piece.offsets for piece in pieces]),
        np.concatenate([piece.start for piece in pieces]),
        np.concatenate([piece.end for piece in pieces]),
    )
    places, realisations = spread(offsets, index)
    return Filled(
        np.concatenate([one.doc, other.doc])[index],
        np.concatenate([one.label, other.label])[index],
        np.concatenate([one.template, other.template])[index],
        np.concatenate([one.optional, other.optional])[index],
        np.concatenate([one.confidence, other.confidence])[index],
        realisations,
        joined_codes([one.raw, other.raw]).take(places),
        fragments.take(places),
        np.concatenate([one.row, np.full(len(other), UNKNOWN, np.int32)])[index],
        one.forms,
    )


def _ends(columns: Sequence[IntArray]) -> IntArray:
    found: IntArray = np.cumsum(np.concatenate([[0], *(np.diff(column) for column in columns)]))
    return found
