"""The alignment of templates, and in aligned templates of their fillers.

Templates stand at *sites*: those of one site may be aligned, and no others. At the top a site is a
document and a type; further in it is a slot, and a type, of templates that may be aligned. Where
gold and system have one template each at a site there is nothing to choose, and it is a *fixed*
pair. Equal templates are fixed pairs, too, where that can cost nothing (see `_equals`). Only the
others are compared each with each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from carob.arrays.join import join, packed
from carob.arrays.types import BoolArray, IntArray
from carob.match._fillers import EXACT
from carob.match._templates_both import Both
from carob.match._templates_graph import graph
from carob.match._templates_order import Order, ordered, realisation_codes
from carob.match._templates_pairs import aligned_forms, filler_pairs
from carob.pair.pair import Pair

Pairs = tuple[IntArray, IntArray]


@dataclass(frozen=True, slots=True)
class Judged:
    """Fillers of gold and system (each counted from 0) by what became of them.

    Optional fillers of gold that were not found are in none.
    """

    right: Pairs
    partial: Pairs
    wrong: Pairs
    missing: IntArray
    spurious: IntArray


def judged(pair: Pair, match: Any, *, typed: bool) -> Judged:
    """Align the templates of a pair, then their fillers."""
    both = Both.of(pair.filled, typed=typed)
    order = ordered(both, _crowded(both))
    site, fixed = _sites(both, order, equals=match == EXACT)
    where = site[both.template]
    width = np.int64(int(both.slot.max(initial=0)) + 1)
    group = np.unique(where * width + both.slot, return_inverse=True)[1].reshape(-1)
    both.check(group, pair.filled)
    gold, system = _identical(both, group, fixed) if match == EXACT else (where[:0], where[:0])
    left = np.ones(len(group), bool)
    left[gold] = left[system] = False
    found = graph(pair, both, np.flatnonzero(left), group, match)
    taken = filler_pairs(both, found)
    gold = np.concatenate([gold, found.gold[taken]])
    system = np.concatenate([system, found.system[taken]])
    right = np.append(np.ones(len(gold) - len(taken), bool), found.right[taken])
    partner = aligned_forms(both, order, gold, system, right)
    kept = partner[both.template[gold]] == both.template[system]
    return _counted(both, partner, gold[kept], system[kept], right[kept])


def _crowded(both: Both) -> BoolArray:
    """The documents in which some templates may have a choice."""
    columns = [both.doc + 1, both.depth, both.path, both.kind]
    key = np.unique(packed(columns, [column[:0] for column in columns])[0], return_inverse=True)[1]
    sizes = _sizes(both, np.arange(len(key)), key.reshape(-1))
    crowd = (sizes.min(axis=0) > 0) & (sizes.max(axis=0) > 1)
    docs = np.zeros(len(both.mixed) + 1, bool)
    docs[both.doc[crowd[key.reshape(-1)]]] = True
    return docs[:-1]


def _sizes(both: Both, rows: IntArray, key: IntArray) -> IntArray:
    """How many of these templates gold and system have for each key."""
    top = int(key.max(initial=-1)) + 1
    ours = rows < both.templates
    return np.stack([np.bincount(key[side], minlength=top) for side in (ours, ~ours)])


def _sites(both: Both, order: Order, *, equals: bool) -> tuple[IntArray, BoolArray]:
    """The site of each template, and whether it is one of a fixed pair, which has its own site."""
    site, fixed = np.full(len(both.doc), -1, np.int64), np.zeros(len(both.doc), bool)
    first = 0
    for depth in range(int(both.depth.max(initial=-1)) + 1):
        rows = np.flatnonzero(both.depth == depth)
        within = site[both.parent[rows]] if depth else both.doc[rows] + 1
        free = fixed[both.parent[rows]] if depth else np.ones(len(rows), bool)
        columns = [within, both.path[rows], both.kind[rows]]
        key = np.unique(packed(columns, [c[:0] for c in columns])[0], return_inverse=True)[1]
        key = key.reshape(-1)
        sizes = _sizes(both, rows, key)
        lone = (sizes == 1).all(axis=0)[key] & free
        site[rows], fixed[rows] = first + key, lone
        first += sizes.shape[1]
        crowd = (sizes.min(axis=0) > 0)[key] & free & ~lone
        if equals and crowd.any():
            gold, system = _equals(both, order, rows[crowd], key[crowd])
            site[gold] = site[system] = first + np.arange(len(gold))
            fixed[gold] = fixed[system] = True
            first += len(gold)
    return site, fixed


def _equals(both: Both, order: Order, rows: IntArray, key: IntArray) -> Pairs:
    """Pairs of equal templates, at sites with a choice, that the best alignment has in any case.

    If g equals s, and an alignment has g with t and h with s instead, then what t shares with g
    and h with s, which is g, can be found in each other by t and h, so g with s and h with t are
    as good or better. For that, sharing must be passed on: not where fillers have alternatives
    or some have places and others have not, nor where a match is less than equality. And where
    equal templates differ in what is optional, the order has to choose among them.
    """
    columns = [key, order.content[rows]]
    same = np.unique(packed(columns, [c[:0] for c in columns])[0], return_inverse=True)[1]
    same = same.reshape(-1)
    odd = np.zeros(int(same.max(initial=-1)) + 1, bool)
    odd[same[order.optional[rows]]] = True
    sure = order.plain[rows] & ~both.mixed[both.doc[rows]] & ~odd[same]
    rows, same = rows[sure], same[sure]
    ours = rows < both.templates
    gold, system = join(same[ours], same[~ours])
    return rows[ours][gold], rows[~ours][system]


def _identical(both: Both, group: IntArray, fixed: BoolArray) -> Pairs:
    """Pairs of equal fillers, in fixed pairs of templates, that the best alignment may have.

    The reason is that of `_equals`. An optional filler waits, since another may need its match.
    """
    sure = both.single & ~both.optional & fixed[both.template]
    rows = np.flatnonzero(sure & ~both.mixed[both.doc[both.template]])
    codes = realisation_codes(both, both.offsets[rows])
    ours = rows < both.fillers
    columns = [group[rows], codes]
    gold, system = join(*packed([c[ours] for c in columns], [c[~ours] for c in columns]))
    return rows[ours][gold], rows[~ours][system]


def _counted(
    both: Both, partner: IntArray, gold: IntArray, system: IntArray, right: BoolArray
) -> Judged:
    """What is left in aligned templates pairs up, slot by slot; the rest is alone."""
    left = np.ones(len(both.template), bool)
    left[gold] = left[system] = False
    left &= ~both.optional
    back = np.full(len(both.doc), -1, np.int64)
    aligned = np.flatnonzero(partner >= 0)
    back[aligned] = back[partner[aligned]] = aligned
    rows = np.flatnonzero(left & (back[both.template] >= 0))
    ours = rows < both.fillers
    columns = [back[both.template[rows]], both.slot[rows]]
    one, other = join(*packed([c[ours] for c in columns], [c[~ours] for c in columns]))
    one, other = rows[ours][one], rows[~ours][other]
    left[one] = left[other] = False
    first = both.fillers
    return Judged(
        (gold[right], system[right] - first),
        (gold[~right], system[~right] - first),
        (one, other - first),
        np.flatnonzero(left[:first]),
        np.flatnonzero(left[first:]),
    )
