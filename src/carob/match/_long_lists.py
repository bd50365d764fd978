"""Long lists: which pairs of objects can be alike, found by the values that they share.

To compare every object of a long list with every other takes too long. With a floor, two objects
can only be a pair if values of a certain weight are equal in them. If the values of each object are
sorted, those that few objects have first, two such objects share one of their first values: what
comes after them weighs too little. So only objects that share one of these are compared (the prefix
filter; Chaudhuri, Ganti & Kaushik 2006, "A Primitive Operator for Similarity Joins in Data
Cleaning").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from carob.arrays.join import distinct, every, packed, ranked
from carob.arrays.ranges import owners_and_rows
from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.pair.records import RecordPair, Side
from carob.values.schema import Node

BLOCK = 1 << 18
"""How many pairs are compared at a time."""

MOST_PAIRS, MOST_LOOKS = 25_000_000, 200_000_000
"""How many pairs of objects are compared, at most (5,000 x 5,000), and how many are looked at to
see which ones can be alike.
"""

TINY = 1e-9
"""Less than any weight, which is at least 1."""

Block = tuple[IntArray, IntArray]
"""Pairs of objects: places in the lists of gold and of the system."""


def pairs_with_equal_keys(
    pair: RecordPair, keys: list[tuple[Node, IntArray, IntArray]], most: int
) -> Block | None:
    """The pairs of objects with the same values in their key slots. `keys` has the node of each
    slot, and its leaf in each object of gold and of the system (-1: none). Slots in which different
    values may match are left out; None if none is left, or if there are more than `most` pairs.
    """
    sides = pair.gold.leaves, pair.system.leaves
    columns: tuple[list[IntArray], list[IntArray]] = [], []
    filled = [np.ones(len(leaf), bool) for leaf in keys[0][1:]]
    for node, *both in keys:
        column = pair.columns[node.number]
        several = np.diff(sides[0].offsets)[both[0][both[0] >= 0]] > 1
        if not column.by_equality or several.any():
            continue
        for side, leaf, there, codes in zip(sides, both, filled, columns, strict=True):
            at = np.flatnonzero(leaf >= 0)
            code = side.code[side.offsets[leaf[at]]]
            good = column.readable[code]
            own = np.full(len(leaf), -1)
            own[at[good]] = column.keys(code[good])
            there &= own >= 0
            codes.append(own)
    if not columns[0]:
        return None
    rows = [np.flatnonzero(there) for there in filled]
    found = every(
        *packed(*([code[row] for code in codes] for codes, row in zip(columns, rows, strict=True))),
        most,
    )
    return None if found is None else (rows[0][found[0]], rows[1][found[1]])


class Values(NamedTuple):
    """The values in the objects of a list, at any depth: the object, the value as a number that
    is the same where values are, and its weight.
    """

    item: IntArray
    value: IntArray
    weight: FloatArray
    node: IntArray


Grid = list[tuple[IntArray, IntArray, float]]
"""For each slot the value of every object of gold and of the system, which are unequal where there
is none, and its weight.
"""


@dataclass(eq=False)
class LongLists:
    """Two long lists of objects: the templates of gold and of the system. Pairs are sought whose
    similarity is at least `floor`, and more than 0.
    """

    pair: RecordPair
    weights: IntArray
    gold: IntArray
    system: IntArray
    floor: float

    def likely_pairs(self) -> Iterator[Block] | None:
        """All pairs that can be alike, some at a time, and some that are not; None if too many
        would have to be looked at.
        """
        n, m = len(self.gold), len(self.system)
        leaves = [_leaves_in(*each) for each in self._sides]
        least = self._least(leaves)
        both = self._values(leaves)
        grid = _grid(both, n, m)
        # Objects that may match without an equal value are compared with all.
        open_ = [np.flatnonzero(each <= 0) for each in least]
        sides = [_first(side, need) for side, need in zip(both, least, strict=True)]
        system = sides[1].item[np.argsort(sides[1].value, kind="stable")]
        values = np.sort(sides[1].value)
        low = np.searchsorted(values, sides[0].value)
        count = np.searchsorted(values, sides[0].value, side="right") - low
        work = np.bincount(sides[0].item, count, n) + len(open_[1])
        work[open_[0]] += m
        if work.sum() > n * m:
            work, open_, count = np.full(n, m), [np.arange(n), open_[1][:0]], count * 0
        if work.sum() > (MOST_PAIRS if grid is None else MOST_LOOKS):
            return None
        return self._blocks(np.cumsum(work), sides[0].item, low, count, system, open_, grid, least)

    def _blocks(
        self, work: FloatArray, item: IntArray, low: IntArray, count: IntArray, system: IntArray,
        open_: list[IntArray], grid: Grid | None, least: list[FloatArray],
    ) -> Iterator[Block]:  # fmt: skip
        m, start = len(self.system), 0
        while start < len(self.gold):
            before = work[start - 1] if start else 0
            stop = max(int(np.searchsorted(work, before + BLOCK, side="right")), start + 1)
            rows = slice(*np.searchsorted(item, [start, stop]))
            owner, place = owners_and_rows(low[rows], count[rows])
            mine = open_[0][slice(*np.searchsorted(open_[0], [start, stop]))]
            keys = np.concatenate([
                item[rows][owner] * m + system[place],
                (mine[:, None] * m + np.arange(m)).reshape(-1),
                (np.arange(start, stop)[:, None] * m + open_[1]).reshape(-1),
            ])  # fmt: skip
            gold, other = np.divmod(distinct(keys), m)
            if grid is not None:
                shared = np.zeros(len(gold))
                for ours, theirs, weight in grid:
                    shared += weight * (ours[gold] == theirs[other])
                good = shared >= np.maximum(least[0][gold], least[1][other])
                gold, other = gold[good], other[good]
            yield gold, other
            start = stop

    @property
    def _sides(self) -> tuple[tuple[Side, IntArray], tuple[Side, IntArray]]:
        return (self.pair.gold, self.gold), (self.pair.system, self.system)

    def _least(self, leaves: list[Block]) -> list[FloatArray]:
        """For each object the least weight of equal values in a pair that reaches the floor; 0 or
        less if there may be none.

        A value that is not equal may still be right within a tolerance, or half right.
        """
        pair = self.pair
        whole: list[FloatArray] = []
        unequal: list[FloatArray] = []
        part = np.zeros(len(pair.rows))
        known = np.zeros(len(pair.rows), bool)
        for number, column in pair.columns.items():
            known[number] = True
            if not column.by_equality:
                slot = column.slot
                half = slot.match.name == "norm" and slot.type != "datetime"
                part[number] = 0.5 if half else 1
        for (side, rows), (item, leaf) in zip(self._sides, leaves, strict=True):
            node = side.leaves.node[leaf]
            weight = np.where(known[node], self.weights[node], 0.0)
            for sums, some in ((whole, weight), (unequal, weight * part[node])):
                sums.append(np.bincount(item, some, len(rows)).astype(np.float64))
        optional = pair.gold.leaves.optional[leaves[0][1]].any() or len(pair.gold.marks[1])
        if optional or any(node.slot.unannotated for node in pair.schema.nodes):
            # What does not count on one side makes pairs more alike.
            return [TINY - each for each in unequal]
        found = []
        for own, other, less in zip(whole, whole[::-1], unequal, strict=True):
            both = own + np.maximum(other.min(), own * self.floor / (2 - self.floor))
            found.append(np.maximum(both * self.floor / 2 - TINY, TINY) - less)
        return found

    def _values(self, leaves: list[Block]) -> list[Values]:
        """The values that both sides have, in each object those first that fewest objects have."""
        pair = self.pair
        parts: list[list[tuple[IntArray, IntArray, IntArray]]] = [[], []]
        for number, column in pair.columns.items():
            for (side, _), (item, leaf), part in zip(self._sides, leaves, parts, strict=True):
                rows = np.flatnonzero(side.leaves.node[leaf] == number)
                first, size = side.leaves.offsets[leaf[rows]], np.ones(len(rows), np.int64)
                if side is pair.gold:  # of alternatives the best counts
                    size = side.leaves.offsets[leaf[rows] + 1] - first
                owner, place = owners_and_rows(first, size)
                code = side.leaves.code[place]
                good = np.flatnonzero(column.readable[code])
                part.append((item[rows[owner[good]]], np.full(len(good), number),
                             column.keys(code[good])))  # fmt: skip
        columns = [[np.concatenate(each) for each in zip(*part, strict=True)] for part in parts]
        _, places = ranked(np.concatenate(packed(columns[0][1:], columns[1][1:])))
        values = np.split(places, [len(columns[0][0])])
        counts = [np.bincount(value, minlength=int(places.max(initial=-1)) + 1) for value in values]
        common = counts[0].astype(np.float64) * counts[1]
        sides = []
        for (item, node, _), value in zip(columns, values, strict=True):
            kept = np.flatnonzero(common[value])
            kept = kept[np.lexsort((value[kept], common[value[kept]], item[kept]))]
            weight = self.weights[node[kept]].astype(np.float64)
            sides.append(Values(item[kept], value[kept], weight, node[kept]))
        return sides


def _leaves_in(side: Side, templates: IntArray) -> Block:
    """All leaves in these objects, at any depth, with the object that each is in."""
    item, parts = np.arange(len(templates)), []
    while len(templates):
        owner, leaf = owners_and_rows(*side.all_leaves_at(templates))
        parts.append((item[owner], leaf))
        owner, place = owners_and_rows(*side.all_children_at(templates))
        templates, item = side.children[place], item[owner]
    items, leaves = (np.concatenate(each) for each in zip(*parts, strict=True))
    return items, leaves


def _first(side: Values, least: FloatArray) -> Values:
    """The first values of each object: a value is one of them if it and those after it in the
    object weigh enough. Objects that may match without equal values have none.
    """
    total = np.bincount(side.item, side.weight, len(least))
    ends = np.cumsum(total)
    before = np.cumsum(side.weight) - side.weight - (ends - total)[side.item]
    kept: BoolArray = total[side.item] - before >= least[side.item]
    rows = np.flatnonzero(kept & (least[side.item] > 0))
    return Values(side.item[rows], side.value[rows], side.weight[rows], side.node[rows])


def _grid(sides: list[Values], gold: int, system: int) -> Grid | None:
    """The values of all objects by slot; None if an object has two in a slot."""
    nodes = np.unique(sides[0].node)
    width = int(nodes.max(initial=0)) + 1
    for side in sides:
        if len(distinct(side.item * width + side.node)) < len(side.item):
            return None
    grid = []
    for node in nodes.tolist():
        columns = np.full(gold, -1, np.int32), np.full(system, -2, np.int32)
        for side, column in zip(sides, columns, strict=True):
            rows = np.flatnonzero(side.node == node)
            column[side.item[rows]] = side.value[rows]
        grid.append((*columns, float(side.weight[rows[0]])))
    return grid
