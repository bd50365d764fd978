"""What the three ways to count answers share: slots, best answers, pairs, events.

Alternatives are gold's: of a system's filler only its own text or place is looked at, so that
nobody gains by naming several.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from carob.arrays.join import join, packed
from carob.arrays.pair_up import pair_up
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.problems import UsageError, shown
from carob.corpus.tables import UNKNOWN, Fragments
from carob.counts.events import Events
from carob.match._fillers import EXACT, CrowdError, Realised, as_mentions, place_edges, text_edges
from carob.pair.filled import Filled, FilledPair, wordless
from carob.pair.pair import Pair

OUTCOMES = ("tp", "fp", "fn", "ungrounded", "unread")
QUANTITIES: Mapping[str, Mapping[str, float]] = {
    "gold_right": {"tp": 1},
    "gold_all": {"tp": 1, "fn": 1},
    "system_right": {"tp": 1},
    "system_all": {"tp": 1, "fp": 1, "ungrounded": 1},
    "ungrounded": {"ungrounded": 1},
    "system_read": {"tp": 1, "fp": 1, "ungrounded": 1, "unread": -1},
}

Pairs = tuple[IntArray, IntArray]


def counted(filled: FilledPair, pairs: Pairs, missed: IntArray, wrong: IntArray) -> Events:
    """The events of fillers: right pairs, gold ones that were missed, wrong answers.

    Answers of which nobody can tell whether they are in the text count once more, as unread.
    """
    invented, unknown = filled.ungrounded[wrong], filled.grounded.unknown
    return Events.of(
        filled,
        OUTCOMES,
        gold={"tp": pairs, "fn": missed},
        system={
            "fp": wrong[~invented],
            "ungrounded": wrong[invented],
            "unread": np.concatenate([each[unknown[each]] for each in (pairs[1], wrong)]),
        },
    )


@contextmanager
def crowded(filled: FilledPair, fillers: IntArray | None = None) -> Iterator[None]:
    """Say which slot has too many fillers; `fillers` are those that rows of gold stand for."""
    try:
        yield
    except CrowdError as error:
        raise error.located(filled, error.row if fillers is None else fillers[error.row]) from None


def slots_of(filled: FilledPair) -> Pairs:
    """One number a filler, equal where document and row are."""
    gold, system = filled.gold, filled.system
    return packed([gold.doc, gold.label], [system.doc, system.label])


def realised(filled: FilledPair, space: str) -> tuple[Realised, Realised]:
    """The texts of gold's fillers, alternatives and all, and the own texts of the system's."""
    slot, other = slots_of(filled)
    gold, system, texts = filled.gold.filler, filled.system.realisations[:-1], filled.texts
    ours = Realised(slot[gold], texts.gold, gold)
    theirs = Realised(other, texts.system[system], np.arange(len(system)))
    if (ours.text == UNKNOWN).any() or (theirs.text == UNKNOWN).any():
        raise wordless(filled, space)
    return ours, theirs


def best(filled: FilledPair, slot: IntArray) -> IntArray:
    """The system's best answer to each slot of a document: the surest, else the first.

    Among equals the first in document order, where places are given; of those without a place the
    first of its template, and of several templates the first in the alphabet.
    """
    side = filled.system
    own = side.realisations[:-1]
    start, end, tail = _order(side.fragments.take(own))
    unsure = -np.nan_to_num(side.confidence, nan=-np.inf)
    place = np.where(start < 0, _place(side), 0)
    columns = (filled.texts.system[own], place, tail, end, start, start < 0, unsure, slot)
    order = np.lexsort(columns)
    return order[_opening(slot[order])]


def _opening(column: IntArray) -> BoolArray:
    """Where a run of equal numbers begins."""
    return np.append(True, column[1:] != column[:-1])[: len(column)]


def _order(places: Fragments) -> tuple[IntArray, IntArray, IntArray]:
    """Start, end and what follows of each place, so that sorting them sorts fragments."""
    sizes = np.diff(places.offsets)
    start, end = np.full(len(sizes), -1), np.full(len(sizes), -1)
    there = sizes > 0
    start[there] = places.start[places.offsets[:-1][there]]
    end[there] = places.end[places.offsets[:-1][there]]
    tails = {row: places.of(row)[1:] for row in np.flatnonzero(sizes > 1).tolist()}
    rank = {tail: i for i, tail in enumerate(sorted({*tails.values()}), 1)}
    tail = np.zeros(len(sizes), np.int64)
    tail[list(tails)] = [rank[each] for each in tails.values()]
    return start, end, tail


def _place(side: Filled) -> IntArray:
    """Where each filler stands among those of its slot in its template, from 0."""
    (slot, _) = packed([side.template, side.label], [side.template, side.label])
    order = np.argsort(slot, kind="stable")
    opens = _opening(slot[order])
    first = np.maximum.accumulate(np.where(opens, np.arange(len(order)), 0))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - first
    return place


def matched(edges: Pairs, gold_late: BoolArray, system_late: BoolArray) -> Pairs:
    """A largest one-to-one pairing; rows that are late are paired only after all others."""
    ours, theirs = _first(gold_late), _first(system_late)
    left, right = np.argsort(ours), np.argsort(theirs)
    gold, system = pair_up(left[edges[0]], right[edges[1]], len(left), len(right))
    return ours[gold], theirs[system]


def _first(late: BoolArray) -> IntArray:
    return np.argsort(late, kind="stable")


def occurrences(pair: Pair, match: Any, space: str) -> Pairs:
    """The fillers that are paired where every occurrence counts."""
    filled = pair.filled
    found = filled.grounded
    if found.unread != UNKNOWN:
        raise UsageError(
            f"{space} counts places, and document {shown(filled.documents.name(found.unread))} has "
            "a filler without a place and no text to find it in"
        )
    gold = replace(filled.gold, fragments=found.gold)
    system = replace(filled.system, fragments=found.system).without_alternatives()
    late = gold.optional, filled.ungrounded
    unplaced = [np.flatnonzero(np.diff(side.fragments.offsets) == 0) for side in (gold, system)]
    texts = _nowhere(filled, unplaced) if all(rows.size for rows in unplaced) else None
    if match == EXACT and len(gold.raw.codes) == len(gold):
        placed, own, others = as_mentions(pair, gold, system)
        pairs = [_joined(placed.keys(label=True), (own, others), late)]
        if texts is not None:
            ours, theirs = texts
            keys = packed([ours.group, ours.text], [theirs.group, theirs.text])
            pairs.append(_joined(keys, (ours.owner, theirs.owner), late))
        return _end_to_end(pairs)
    edges = [place_edges(pair, gold, system, match, space)]
    if texts is not None:
        edges.append(text_edges(*texts, filled.texts.values, match, space))
    return matched(_end_to_end(edges), *late)


def _nowhere(filled: FilledPair, rows: list[IntArray]) -> tuple[Realised, Realised]:
    """What has no place: realisations of gold, fillers of the system."""
    slot, other = slots_of(filled)
    gold = filled.gold.filler[rows[0]]
    texts = filled.texts.system[filled.system.realisations[:-1][rows[1]]]
    return (Realised(slot[gold], filled.texts.gold[rows[0]], gold),
            Realised(other[rows[1]], texts, rows[1]))  # fmt: skip


def _joined(keys: Pairs, owners: Pairs, late: tuple[BoolArray, BoolArray]) -> Pairs:
    """Rows with equal keys one-to-one, those that are late last."""
    order = [_first(each[own]) for each, own in zip(late, owners, strict=True)]
    left, right = join(keys[0][order[0]], keys[1][order[1]])
    return owners[0][order[0]][left], owners[1][order[1]][right]


def _end_to_end(parts: list[Pairs]) -> Pairs:
    return np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts])


def different(slot: IntArray, text: IntArray, late: BoolArray) -> tuple[IntArray, IntArray]:
    """For each different text of a slot the filler that stands for it, one that is not late if
    there is any; and for each filler the number of its text.
    """
    keys, _ = packed([slot, text], [slot, text])
    order = np.lexsort((late, keys))
    opens = _opening(keys[order])
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(opens) - 1
    return order[opens], number


def missed(filled: FilledPair, found: IntArray, wanted: IntArray) -> IntArray:
    """Those of the gold fillers `wanted` that were not found and had to be."""
    left = np.zeros(len(filled.gold), bool)
    left[wanted] = True
    left[found] = False
    return np.flatnonzero(left & ~filled.gold.optional)
