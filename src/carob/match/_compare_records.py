"""Compare records slot by slot, whole columns at a time; align lists by what they hold.

Everything outside of lists of objects is compared for all documents at once. The objects of a list
are first compared each with each, which gives their similarity; then the best mapping is chosen,
and the objects of its pairs are compared again, this time to count.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import lcm
from typing import NamedTuple

import numpy as np

from carob.arrays.assign import assign
from carob.arrays.components import alone as alone_edges
from carob.arrays.join import join, packed, rest
from carob.arrays.optimum import TooManyStepsError
from carob.arrays.ranges import owners_and_rows
from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.corpus.paths import keys_of
from carob.corpus.problems import InputError, Problem, shown
from carob.corpus.tables import int32
from carob.match import _long_lists
from carob.match._long_lists import BLOCK, LongLists, pairs_with_equal_keys
from carob.pair.records import RecordPair, Side
from carob.values.column import CORRECT, PARTIAL
from carob.values.schema import Node

COR, INC, PAR, MIS, SPU, NON, UNJUDGED = range(7)

MOST_PAIRS = 16_000_000
"""How many pairs of values of two lists are compared, at most: 4,000 x 4,000."""
LONG = 1 << 16
"""In lists with more pairs only items are compared that can be alike."""
STEPS = 4_000_000
"""How many steps the assignments may take, all together."""
EXACT = 1 << 40
NONE = np.empty(0, np.int64)


class Parts(NamedTuple):
    """What was counted: the pair it belongs to, its row, outcome, and the leaves (-1: none)."""

    pair: IntArray
    row: IntArray
    outcome: IntArray
    gold: IntArray
    system: IntArray

    @classmethod
    def joined(cls, parts: Sequence[Parts]) -> Parts:
        """Parts end to end."""
        parts = [part for part in parts if len(part.pair)]
        if not parts:
            none = np.empty(0, np.int64)
            return cls(none, none, none, none, none)
        if len(parts) == 1:
            return parts[0]
        return cls(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def moved(self, pair: IntArray) -> Parts:
        """The same, of other pairs; in small numbers, because there are many."""
        return Parts(int32(pair[self.pair]), int32(self.row), self.outcome.astype(np.int8),
                     int32(self.gold), int32(self.system))  # fmt: skip


@dataclass(eq=False)
class Comparer:
    """Compares the records of a pair. `floor` is that of lists which have none of their own."""

    pair: RecordPair
    weights: IntArray
    floor: float

    def __post_init__(self) -> None:
        self.nodes = self.pair.schema.nodes
        self.gold, self.system = self.pair.gold, self.pair.system
        self.partner = np.full(len(self.gold.node) + 1, -1, np.int64)
        self._texts: tuple[dict[int, str], dict[int, str]] = ({}, {})

    # Records

    def records(self) -> Parts:
        """Compare the records of all documents; `pair` of the parts is the document."""
        parts = []
        for node in (self.nodes[number] for number in self.pair.schema.roots.values()):
            parts += self._roots(node)
        for side, outcome in ((self.system, SPU),):  # records of an unknown type
            lost = np.flatnonzero((side.parent < 0) & (side.node < 0) & (side.doc >= 0))
            parts.append(self._alone(lost, side.doc[lost], outcome))
        return Parts.joined(parts)

    def _roots(self, node: Node) -> list[Parts]:
        size = len(self.pair.documents)
        rows = [
            np.flatnonzero((side.parent < 0) & (side.node == node.number) & (side.doc >= 0))
            for side in (self.gold, self.system)
        ]
        docs = [side.doc[row] for side, row in zip((self.gold, self.system), rows, strict=True)]
        ours, theirs = (np.bincount(doc, minlength=size) for doc in docs)
        first = [np.full(size, -1, np.int64) for _ in rows]
        for at, row, doc in zip(first, rows, docs, strict=True):
            at[doc[::-1]] = row[::-1]
        every = np.arange(size)
        if self.pair.single:
            return [self._final(node, first[0], first[1], every)]
        parts = []
        one = every[(ours == 1) & (theirs == 1)]
        parts.append(self._final(node, first[0][one], first[1][one], one))
        many = (ours > 0) & (theirs > 0) & (ours + theirs > 2)
        mine, others = (
            mask[doc] for mask, doc in zip(((theirs == 0), (ours == 0)), docs, strict=True)
        )
        parts.append(self._alone(rows[0][mine], docs[0][mine], MIS))
        parts.append(self._spurious_objects(rows[1][others], docs[1][others]))
        crowd = every[many]
        if len(crowd):
            lists = [(row[np.argsort(doc, kind="stable")], np.sort(doc))
                     for row, doc in zip(rows, docs, strict=True)]  # fmt: skip
            spans = [(np.searchsorted(doc, crowd), count[crowd])
                     for (_, doc), count in zip(lists, (ours, theirs), strict=True)]  # fmt: skip
            parts += self._list(
                node, crowd, (lists[0][0], *spans[0]), (lists[1][0], *spans[1]), ordered=False,
                floor=self.pair.schema.floor, key=self.pair.schema.key,
            )  # fmt: skip
        return parts

    def _final(self, node: Node, gold: IntArray, system: IntArray, pair: IntArray) -> Parts:
        """Compare, for good: who is compared with whom is remembered."""
        both = (gold >= 0) & (system >= 0)
        self.partner[gold[both]] = system[both]
        parts = self.compare(node, gold, system, final=True)
        return parts._replace(pair=pair[parts.pair])

    # Objects

    def compare(
        self, node: Node, gold: IntArray, system: IntArray, *, final: bool = False
    ) -> Parts:
        """What comparing these pairs of objects counts (-1 is an object with nothing in it)."""
        parts = []
        for number in node.children.values():
            child = self.nodes[number]
            judged = self._judged(child, gold)
            parts += self._unjudged(child, system, ~judged) if final else []
            pairs = np.flatnonzero(judged)
            ours, theirs = gold[pairs], system[pairs]
            if child.is_object:
                found = self._objects(child, ours, theirs, final=final)
            elif child.slot.is_list:
                found = self._values(child, ours, theirs)
            else:
                found = self._single(child, ours, theirs)
            parts += [part.moved(pairs) for part in found]
        if len(self.pair.rows) > len(self.nodes):
            owner, leaf = owners_and_rows(*self.system.unknown_at(system))
            parts.append(self._spurious(owner, leaf))
        return Parts.joined(parts)

    def _judged(self, child: Node, gold: IntArray) -> BoolArray:
        """In which pairs gold was annotated for this slot."""
        open_ = self.gold.marks[1]
        if not len(open_) and not child.slot.unannotated:
            return np.ones(len(gold), bool)
        judged = ~_among(gold.astype(np.int64) * self.gold.width + child.number, open_)
        if child.slot.unannotated:
            judged &= self._is_annotated(child, gold)
        return judged

    def _is_annotated(self, child: Node, gold: IntArray) -> BoolArray:
        """Which objects of gold have this slot, if only to say that it is empty."""
        there = self.gold.leaves_at(gold, child.number)[1] > 0
        there |= self.gold.children_at(gold, child.number)[1] > 0
        return there | _among(gold.astype(np.int64) * self.gold.width + child.number,
                              self.gold.marks[0])  # fmt: skip

    def _unjudged(self, child: Node, system: IntArray, mask: BoolArray) -> list[Parts]:
        pairs = np.flatnonzero(mask)
        owner, leaf = owners_and_rows(*self.system.leaves_at(system[pairs], child.number))
        inner, place = owners_and_rows(*self.system.children_at(system[pairs], child.number))
        below = self._alone(self.system.children[place], inner, SPU)
        parts = Parts.joined([self._spurious(owner, leaf), below])
        return [
            parts._replace(pair=pairs[parts.pair], outcome=np.full_like(parts.outcome, UNJUDGED))
        ]

    def _spurious(self, pair: IntArray, leaf: IntArray) -> Parts:
        row = self.system.leaves.node[leaf].astype(np.int64)
        return Parts(pair, row, np.full(len(leaf), SPU), np.full(len(leaf), -1), leaf)

    def _missing(self, pair: IntArray, leaf: IntArray) -> Parts:
        needed = np.flatnonzero(~self.gold.leaves.optional[leaf])
        pair, leaf = pair[needed], leaf[needed]
        row = self.gold.leaves.node[leaf].astype(np.int64)
        return Parts(pair, row, np.full(len(leaf), MIS), leaf, np.full(len(leaf), -1))

    def _alone(self, templates: IntArray, pair: IntArray, outcome: int) -> Parts:
        """All values in these objects, at any depth, as missing or spurious."""
        side, count = (
            (self.gold, self._missing) if outcome == MIS else (self.system, self._spurious)
        )
        parts = []
        while len(templates):
            owner, leaf = owners_and_rows(*side.all_leaves_at(templates))
            parts.append(count(pair[owner], leaf))
            owner, place = owners_and_rows(*side.all_children_at(templates))
            templates, pair = side.children[place], pair[owner]
        return Parts.joined(parts)

    def _spurious_objects(
        self,
        templates: IntArray,
        pair: IntArray,
        gold: IntArray = NONE,
        pair_of_gold: IntArray = NONE,
    ) -> Parts:
        """All values in these objects of the system as spurious. Slots that may not be annotated,
        and that no object of gold in the same list has, are unjudged.
        """
        open_ = np.array([node.slot.unannotated for node in self.nodes])
        if not open_.any():
            return self._alone(templates, pair, SPU)
        open_, pair = np.append(open_, np.zeros(self.system.width, bool)), pair.astype(np.int64)
        filled = self._filled(gold, pair_of_gold.astype(np.int64))
        parts = []
        while len(templates):
            owner, leaf = owners_and_rows(*self.system.all_leaves_at(templates))
            own, place = owners_and_rows(*self.system.all_children_at(templates))
            inner = self.system.children[place]
            judged, judged_inner = (
                ~open_[node] | _among(pair[at] * self.system.width + node, filled)
                for at, node in (
                    (owner, self.system.leaves.node[leaf]),
                    (own, self.system.node[inner]),
                )
            )
            leaves = self._spurious(pair[owner], leaf)
            parts.append(leaves._replace(outcome=np.where(judged, SPU, UNJUDGED)))
            below = self._alone(inner[~judged_inner], pair[own[~judged_inner]], SPU)
            parts.append(below._replace(outcome=np.full_like(below.outcome, UNJUDGED)))
            templates, pair = inner[judged_inner], pair[own[judged_inner]]
        return Parts.joined(parts)

    def _filled(self, templates: IntArray, pair: IntArray) -> IntArray:
        """Which slots are filled in any of these objects of gold, or in objects in them: keys of
        pair and node, sorted.
        """
        keys = [np.empty(0, np.int64)]
        while len(templates):
            owner, leaf = owners_and_rows(*self.gold.all_leaves_at(templates))
            keys.append(pair[owner] * self.gold.width + self.gold.leaves.node[leaf])
            owner, place = owners_and_rows(*self.gold.all_children_at(templates))
            templates, pair = self.gold.children[place], pair[owner]
            keys.append(pair * self.gold.width + self.gold.node[templates])
        return np.unique(np.concatenate(keys))

    def _objects(self, node: Node, gold: IntArray, system: IntArray, *, final: bool) -> list[Parts]:
        """The objects of a slot of these pairs."""
        (first, ours), (other, theirs) = (
            side.children_at(rows, node.number)
            for side, rows in ((self.gold, gold), (self.system, system))
        )
        bare, words = self.system.leaves_at(system, node.number)
        owner, leaf = owners_and_rows(bare, words)
        parts = [self._spurious(owner, leaf)]
        parts.append(_nothing(np.flatnonzero((ours == 0) & (theirs == 0) & (words == 0)), node))
        lone = np.flatnonzero((ours > 0) & (theirs == 0))
        owner, place = owners_and_rows(first[lone], ours[lone])
        parts.append(self._alone(self.gold.children[place], lone[owner], MIS))
        lone = np.flatnonzero((ours == 0) & (theirs > 0))
        owner, place = owners_and_rows(other[lone], theirs[lone])
        slot = node.slot
        parts.append(self._spurious_objects(self.system.children[place], lone[owner]))
        both = (ours > 0) & (theirs > 0)
        if not slot.is_list:
            one = np.flatnonzero((ours == 1) & (theirs == 1))
            mine, its = self.gold.children[first[one]], self.system.children[other[one]]
            if final:
                parts.append(self._final(node, mine, its, one))
            else:
                found = self.compare(node, mine, its)
                parts.append(found._replace(pair=one[found.pair]))
            both &= (ours > 1) | (theirs > 1)
        many = np.flatnonzero(both)
        if len(many):
            parts += self._list(
                node, many, (self.gold.children, first[many], ours[many]),
                (self.system.children, other[many], theirs[many]), ordered=slot.ordered,
                floor=slot.floor if slot.is_list else -1.0, key=slot.key, final=final,
            )  # fmt: skip
        return parts

    # Single slots

    def _single(self, node: Node, gold: IntArray, system: IntArray) -> list[Parts]:
        first, ours = self.gold.leaves_at(gold, node.number)
        other, theirs = self.system.leaves_at(system, node.number)
        parts = [_nothing(np.flatnonzero((ours == 0) & (theirs == 0)), node)]
        lone = np.flatnonzero((ours > 0) & (theirs == 0))
        owner, leaf = owners_and_rows(first[lone], ours[lone])
        parts.append(self._missing(lone[owner], leaf))
        lone = np.flatnonzero((ours == 0) & (theirs > 0))
        owner, leaf = owners_and_rows(other[lone], theirs[lone])
        parts.append(self._spurious(lone[owner], leaf))
        one = np.flatnonzero((ours == 1) & (theirs == 1))
        parts.append(self._pairs(node, one, first[one], other[one]))
        several = np.flatnonzero((ours == 1) & (theirs > 1))
        if len(several):
            parts += self._best(node, several, first[several], other[several], theirs[several])
        for pair in np.flatnonzero((ours > 1) & (theirs > 0)).tolist():
            parts += self._several(node, pair, first[pair] + np.arange(ours[pair]),
                                   other[pair] + np.arange(theirs[pair]))  # fmt: skip
        return parts

    def _pairs(self, node: Node, pair: IntArray, gold: IntArray, system: IntArray) -> Parts:
        """Pairs of leaves that are compared however different they are."""
        found = self.outcomes(node, gold, system)
        outcome = np.where(found == CORRECT, COR, np.where(found == PARTIAL, PAR, INC))
        wrong = (outcome == INC) & self.gold.leaves.optional[gold]
        outcome = np.where(wrong, SPU, outcome)
        gold = np.where(wrong, -1, gold)
        return Parts(pair, np.full(len(pair), node.number), outcome, gold, system)

    def outcomes(self, node: Node, gold: IntArray, system: IntArray) -> IntArray:
        """The outcome of each pair of leaves of a slot; of gold's alternatives the best counts."""
        column, ours, theirs = self.pair.columns[node.number], self.gold.leaves, self.system.leaves
        if ours.alone and theirs.alone:
            return column.outcomes(ours.code[gold], theirs.code[system])
        start, size = ours.offsets[gold], ours.offsets[gold + 1] - ours.offsets[gold]
        code = theirs.code[theirs.offsets[system]]
        if (size == 1).all():
            return column.outcomes(ours.code[start], code)
        owner, place = owners_and_rows(start, size)
        every = column.outcomes(ours.code[place], code[owner])
        return np.maximum.reduceat(every, np.cumsum(size) - size)

    def _best(
        self, node: Node, pair: IntArray, gold: IntArray, first: IntArray, count: IntArray
    ) -> list[Parts]:
        """One filler of gold and several answers: the best counts, the others are spurious; but
        where gold's list is a choice, an answer that is right as well says nothing more.
        """
        owner, leaf = owners_and_rows(first, count)
        found = self.outcomes(node, gold[owner], leaf)
        order = np.lexsort((np.arange(len(leaf)), -found.astype(np.int64), owner))
        best = order[np.searchsorted(owner[order], np.arange(len(pair)))]
        rest = (found != CORRECT) if node.slot.match.any_of else np.ones(len(leaf), bool)
        rest[best] = False
        return [
            self._pairs(node, pair, gold, leaf[best]),
            self._spurious(pair[owner[rest]], leaf[rest]),
        ]

    def _several(self, node: Node, pair: int, gold: IntArray, system: IntArray) -> list[Parts]:
        """Gold has several fillers where the task allows one: the best pairs, then any."""
        left, right = (each.ravel() for each in np.meshgrid(gold, system, indexing="ij"))
        found = self.outcomes(node, left, right).astype(np.int64)
        taken = assign(left, right, [found])
        more = [np.setdiff1d(gold, left[taken]), np.setdiff1d(system, right[taken])]
        size = min(map(len, more))
        ours, theirs = (np.append(side[taken], rest[:size])
                        for side, rest in zip((left, right), more, strict=True))  # fmt: skip
        at = np.full(len(ours), pair)
        return [
            self._pairs(node, at, ours, theirs),
            self._missing(np.full(len(more[0]) - size, pair), more[0][size:]),
            self._spurious(np.full(len(more[1]) - size, pair), more[1][size:]),
        ]

    # Lists of values

    def _values(self, node: Node, gold: IntArray, system: IntArray) -> list[Parts]:
        first, ours = self.gold.leaves_at(gold, node.number)
        other, theirs = self.system.leaves_at(system, node.number)
        parts = [_nothing(np.flatnonzero((ours == 0) & (theirs == 0)), node)]
        pair, leaf = owners_and_rows(first, ours)
        whose, answer = owners_and_rows(other, theirs)
        if node.slot.ordered:
            taken, answers = self._ordered_values(node, (first, ours), (other, theirs))
        else:
            taken, answers = self._matched_values(node, pair, leaf, whose, answer)
        found = self.outcomes(node, leaf[taken], answer[answers])
        outcome = np.where(found == CORRECT, COR, PAR)
        parts.append(
            Parts(
                pair[taken], np.full(len(taken), node.number), outcome, leaf[taken], answer[answers]
            )
        )
        left, right = np.ones(len(leaf), bool), np.ones(len(answer), bool)
        left[taken], right[answers] = False, False
        parts.append(self._missing(pair[left], leaf[left]))
        parts.append(self._spurious(whose[right], answer[right]))
        return parts

    def _floor(self, floor: float | None) -> float:
        return self.floor if floor is None else floor

    def _matched_values(
        self, node: Node, pair: IntArray, leaf: IntArray, whose: IntArray, answer: IntArray
    ) -> tuple[IntArray, IntArray]:
        """Which leaves match which answers, as places in these lists.

        Equal values are taken first: two pairs that are partly right are worth no more than one
        that is right. That is so where equality can be passed on: not within tolerances or edits,
        nor between moments with and without a zone, nor where gold has alternatives.
        """
        column = self.pair.columns[node.number]
        ours, theirs = self.gold.leaves, self.system.leaves
        taken = [np.empty(0, np.int64)]
        answers = [np.empty(0, np.int64)]
        rest, others = np.arange(len(leaf)), np.arange(len(answer))
        plain = (ours.offsets[leaf + 1] - ours.offsets[leaf] == 1).all()
        equality = node.slot.match.name == "norm" and node.slot.type != "datetime"
        if plain and (equality or column.by_equality):
            mine, its = ours.code[ours.offsets[leaf]], theirs.code[theirs.offsets[answer]]
            good = np.flatnonzero(column.readable[its])
            # Of equal values, those that must be found go first.
            order = np.argsort(ours.optional[leaf], kind="stable")
            left, right = join(*packed(
                [pair[order], column.keys(mine[order])], [whose[good], column.keys(its[good])]
            ))  # fmt: skip
            taken.append(order[left])
            answers.append(good[right])
            rest = np.setdiff1d(rest, taken[-1])
            others = np.setdiff1d(others, answers[-1])
        if not (plain and column.by_equality) and len(rest) and len(others):
            gold, system = self._crossed(pair[rest], whose[others], node)
            gold, system = rest[gold], others[system]
            found = self.outcomes(node, leaf[gold], answer[system]).astype(np.int64)
            allowed = np.flatnonzero(found / 2 >= max(self._floor(node.slot.floor), 1e-9))
            gold, system, found = gold[allowed], system[allowed], found[allowed]
            place, places = (
                self._value_order(leaf, self.gold),
                self._value_order(answer, self.system),
            )
            edges = self._assigned(
                place[gold], places[system],
                [found, (found == CORRECT).astype(np.int64), (found == PARTIAL).astype(np.int64)],
            )  # fmt: skip
            taken.append(gold[edges])
            answers.append(system[edges])
        return np.concatenate(taken), np.concatenate(answers)

    def _value_order(self, leaf: IntArray, side: Side) -> IntArray:
        """The place of each leaf in the order of their JSON texts; those that must be found come
        first among equal ones.
        """
        raws = {}
        leaves = side.leaves
        node = leaves.node[leaf]
        texts = []
        for at, code in zip(node.tolist(), leaves.code[leaves.offsets[leaf]].tolist(), strict=True):
            if (at, code) not in raws:
                raw = self.pair.columns[at].raws[code]
                raws[at, code] = raw.text if raw.kind else f'"{raw.text}"'
            texts.append(raws[at, code])
        rank = {text: i for i, text in enumerate(sorted(set(texts)))}
        keys = np.array([rank[text] for text in texts], np.int64)
        order = np.lexsort((np.arange(len(leaf)), leaves.optional[leaf], keys))
        place = np.empty(len(leaf), np.int64)
        place[order] = np.arange(len(leaf))
        return place

    def _crossed(self, pair: IntArray, whose: IntArray, node: Node) -> tuple[IntArray, IntArray]:
        """All pairs of places with the same pair; both lists are sorted by it."""
        low = np.searchsorted(whose, pair)
        count = np.searchsorted(whose, pair, side="right") - low
        sizes = np.bincount(pair, count)
        if sizes.max(initial=0) > MOST_PAIRS:
            raise self._too_large(node, int(sizes.max()))
        return owners_and_rows(low, count)

    def _too_large(self, node: Node, size: int, *, has_remedy: bool = False) -> InputError:
        found = f"{size:,} pairs of items of {shown(node.path or 'a document')} to compare"
        hint = f"a key for {node.path} compares only items with the same key" if has_remedy else ""
        most = _long_lists.MOST_PAIRS if node.is_object else MOST_PAIRS
        return InputError([Problem("K309", "gold and system", None, found,
                                   f"at most {most:,} in a document", hint)])  # fmt: skip

    def _assigned(self, gold: IntArray, system: IntArray, gains: list[IntArray]) -> IntArray:
        """The edges of the best mapping; no two pairs have a gold or a system place in common."""
        try:
            return assign(gold, system, gains, STEPS, large=_long_lists.MOST_PAIRS)
        except TooManyStepsError:
            raise InputError([Problem(
                "K309", "gold and system", None, "lists that can be aligned in too many ways",
                "lists whose items differ more, or a key",
            )]) from None  # fmt: skip

    def _ordered_values(
        self, node: Node, gold: tuple[IntArray, IntArray], system: tuple[IntArray, IntArray]
    ) -> tuple[IntArray, IntArray]:
        floor = self._floor(node.slot.floor)
        taken, answers = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        starts = [np.cumsum(count) - count for _, count in (gold, system)]
        for pair in np.flatnonzero((gold[1] > 0) & (system[1] > 0)).tolist():
            n, m = int(gold[1][pair]), int(system[1][pair])
            ours, theirs = gold[0][pair] + np.arange(n), system[0][pair] + np.arange(m)
            same = min(n, m)
            # A common beginning is always part of the best mapping.
            equal = self.outcomes(node, ours[:same], theirs[:same]) == CORRECT
            prefix = same if equal.all() else int(np.argmin(equal))
            rest, others = n - prefix, m - prefix
            if rest * others > MOST_PAIRS:
                raise self._too_large(node, rest * others)
            left = right = np.empty(0, np.int64)
            if rest and others:
                grid = [each.ravel() for each in np.meshgrid(
                    ours[prefix:], theirs[prefix:], indexing="ij")]  # fmt: skip
                found = self.outcomes(node, *grid).astype(np.int64).reshape(rest, others)
                found[found / 2 < max(floor, 1e-9)] = 0
                base = min(rest, others) + 1
                weight = found * base + (found == CORRECT)
                left, right = ordered_mapping(weight, found > 0)
            taken.append(starts[0][pair] + np.append(np.arange(prefix), left + prefix))
            answers.append(starts[1][pair] + np.append(np.arange(prefix), right + prefix))
        return np.concatenate(taken), np.concatenate(answers)

    # Lists of objects

    def _list(
        self,
        node: Node,
        pair: IntArray,
        gold: tuple[IntArray, IntArray, IntArray],
        system: tuple[IntArray, IntArray, IntArray],
        *,
        ordered: bool,
        floor: float | None,
        key: tuple[str, ...],
        final: bool = True,
    ) -> list[Parts]:
        """Align the objects of lists: each list is a stretch of a table of templates."""
        (ours, first, n), (theirs, other, m) = gold, system
        found: list[tuple[IntArray, ...]] = [(*[int32(NONE)] * 3, *[NONE] * 4)]
        any_likeness = floor is not None and floor < 0
        least = 0.0 if any_likeness else self._floor(floor)
        long = (n * m > LONG) & (not any_likeness)
        if ordered and (n * m).max(initial=0) > _long_lists.MOST_PAIRS:
            raise self._too_large(node, int((n * m).max()))
        for which, place, answer in itertools.chain(
            _blocks(first, np.where(long, 0, n), other, m),
            *(
                self._long(node, each, gold, system, least, key)
                for each in np.flatnonzero(long).tolist()
            ),
        ):
            mine, its = ours[place], theirs[answer]
            allowed = np.ones(len(which), bool)
            for name in key:
                allowed &= self._same_key(node, name, mine, its)
            rows = np.flatnonzero(allowed)
            which, place, answer = which[rows], place[rows], answer[rows]
            likeness = self.likeness(node, ours[place], theirs[answer])
            value = likeness.right / np.maximum(likeness.all, 1)
            if not key:
                good = value > 0
                # Whole numbers decide whether a likeness of one half reaches a floor of one half.
                good &= value >= least - 1e-12
                if any_likeness:
                    good[:] = True
                rows = np.flatnonzero(good)
            else:
                rows = np.arange(len(which))
            at = (int32(each[rows]) for each in (which, place, answer))  # there may be millions
            found.append((*at, *(each[rows] for each in likeness)))
        which, place, answer, alike, whole, correct, partial = (
            np.concatenate(column) for column in zip(*found, strict=True)
        )
        # With a key, even a pair without anything else in common is one.
        gains = [correct, partial, *([np.ones_like(alike)] if any_likeness or key else [])]
        # An object that is compared with several others may be in several lists: its number in
        # all lists, end to end, is different in each.
        (of, places), (to, answers) = owners_and_rows(first, n), owners_and_rows(other, m)
        ours, theirs = ours[places], theirs[answers]
        left = (np.cumsum(n) - n - first)[which] + place
        right = (np.cumsum(m) - m - other)[which] + answer
        if ordered:
            edges = self._in_order(which, place - first[which], answer - other[which],
                                   alike, whole, gains, n, m)  # fmt: skip
        else:
            edges = self._mapped(which, ours, left, theirs, right, alike, whole, gains)
        mine, its = ours[left[edges]], theirs[right[edges]]
        at = pair[which[edges]]
        if final:
            parts = [self._final(node, mine, its, at)]
        else:
            counted = self.compare(node, mine, its)
            parts = [counted._replace(pair=at[counted.pair])]
        free = rest(len(ours), left[edges])
        parts.append(self._alone(ours[free], pair[of[free]], MIS))
        free = rest(len(theirs), right[edges])
        parts.append(self._spurious_objects(theirs[free], pair[to[free]], ours, pair[of]))
        return parts

    def _long(
        self,
        node: Node,
        which: int,
        gold: tuple[IntArray, IntArray, IntArray],
        system: tuple[IntArray, IntArray, IntArray],
        least: float,
        key: tuple[str, ...],
    ) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
        """The pairs of one list that can be alike, some at a time; all, if they cannot be told."""
        places = [first[which] + np.arange(n[which]) for _, first, n in (gold, system)]
        mine, its = gold[0][places[0]], system[0][places[1]]
        if key:
            keys = [self._key_leaves(node, name, mine, its) for name in key]
            both = pairs_with_equal_keys(self.pair, keys, _long_lists.MOST_PAIRS)
            blocks = None if both is None else iter([both])
        else:
            blocks = LongLists(self.pair, self.weights, mine, its, least).likely_pairs()
        if blocks is None:
            if len(mine) * len(its) > _long_lists.MOST_PAIRS:
                raise self._too_large(node, len(mine) * len(its), has_remedy=not key)
            one = (np.zeros(1, np.int64), np.array([len(mine)]))
            other = (one[0], np.array([len(its)]))
            blocks = ((left, right) for _, left, right in _blocks(*one, *other))
        total = 0
        for left, right in blocks:
            total += len(left)
            if total > _long_lists.MOST_PAIRS:
                raise self._too_large(node, len(mine) * len(its), has_remedy=not key)
            for start in range(0, len(left), BLOCK):
                some = slice(start, start + BLOCK)
                yield np.full(len(left[some]), which), places[0][left[some]], places[1][right[some]]

    def _key_leaves(
        self, node: Node, name: str, gold: IntArray, system: IntArray
    ) -> tuple[Node, IntArray, IntArray]:
        """The node of a key slot, and its leaf in each object of both sides: -1 unless the slot is
        filled once.
        """
        at, ours, theirs = node, gold, system
        *before, last = keys_of(name)
        for word in before:
            at = self.nodes[at.children[word]]
            ours, theirs = (
                np.where(count == 1, np.append(side.children, -1)[first], -1)
                for side, (first, count) in (
                    (side, side.children_at(rows, at.number))
                    for side, rows in ((self.gold, ours), (self.system, theirs))
                )
            )
        child = self.nodes[at.children[last]]
        first, count = self.gold.leaves_at(ours, child.number)
        other, counts = self.system.leaves_at(theirs, child.number)
        return child, np.where(count == 1, first, -1), np.where(counts == 1, other, -1)

    def _same_key(self, node: Node, name: str, gold: IntArray, system: IntArray) -> BoolArray:
        """Which pairs of objects have this slot filled, once, with the same value."""
        child, ours, theirs = self._key_leaves(node, name, gold, system)
        same = np.zeros(len(gold), bool)
        there = np.flatnonzero((ours >= 0) & (theirs >= 0))
        same[there] = self.outcomes(child, ours[there], theirs[there]) == CORRECT
        return same

    def likeness(self, node: Node, gold: IntArray, system: IntArray) -> Likeness:
        """How alike pairs of objects are."""
        parts = self.compare(node, gold, system)
        size = len(gold)
        weight = self.weights[parts.row].astype(np.float64)
        sums = [
            np.bincount(parts.pair, np.where(parts.outcome == outcome, weight, 0), size)
            for outcome in (COR, INC, PAR, MIS, SPU)
        ]
        correct, wrong, partial, missing, spurious = (
            np.rint(each).astype(np.int64) for each in sums
        )
        whole = 2 * (correct + wrong + partial) + missing + spurious
        return Likeness(2 * correct + partial, whole, correct, partial)

    def _mapped(
        self, which: IntArray, ours: IntArray, place: IntArray, theirs: IntArray, answer: IntArray,
        right: IntArray, whole: IntArray, gains: list[IntArray],
    ) -> IntArray:  # fmt: skip
        """The edges of the best mapping of every list."""
        if not len(which):
            return np.empty(0, np.int64)
        crowd = ~alone_edges(place, answer)
        edges = [np.flatnonzero(~crowd)]
        rows = np.flatnonzero(crowd)
        if len(rows):
            gold = self._object_order(self.gold, 0, which[rows], ours[place[rows]], place[rows])
            system = self._object_order(
                self.system, 1, which[rows], theirs[answer[rows]], answer[rows]
            )
            for some in _with_common_scale(which[rows], whole[rows]):
                part = rows[some]
                gain = likeness_gains(right[part], whole[part])
                more = [each[part] for each in gains]
                taken = self._assigned(gold[some], system[some], [gain, *more])
                edges.append(part[taken])
        return np.concatenate(edges)

    def _object_order(
        self, side: Side, number: int, which: IntArray, templates: IntArray, place: IntArray
    ) -> IntArray:
        """A number for each object, in the order of the lists and then of their JSON texts."""
        different, at, inverse = np.unique(place, return_index=True, return_inverse=True)
        known = self._texts[number]
        texts = []
        for row in templates[at].tolist():
            if row not in known:
                known[row] = side.json_of(row)
            texts.append(known[row])
        rank = {text: i for i, text in enumerate(sorted(set(texts)))}
        keys = np.array([rank[text] for text in texts], np.int64)
        order = np.lexsort((different, keys, which[at]))
        numbers = np.empty(len(different), np.int64)
        numbers[order] = np.arange(len(different))
        return numbers[inverse.reshape(-1)]

    def _in_order(
        self, which: IntArray, row: IntArray, column: IntArray, right: IntArray, whole: IntArray,
        gains: list[IntArray], n: IntArray, m: IntArray,
    ) -> IntArray:  # fmt: skip
        """The edges of the best mapping that does not cross, list by list."""
        edges = [np.empty(0, np.int64)]
        order = np.argsort(which, kind="stable")
        bounds = np.searchsorted(which[order], np.arange(len(n) + 1))
        for each in range(len(n)):
            some = order[bounds[each] : bounds[each + 1]]
            if not len(some):
                continue
            gain = likeness_gains(right[some], whole[some]).astype(object)
            few = min(int(n[each]), int(m[each]))
            for more in (each[some] for each in gains):
                gain = gain * (few * int(more.max(initial=0)) + 1) + more
            small = int(gain.max()) * few < 1 << 62
            weight = np.zeros((int(n[each]), int(m[each])), np.int64 if small else object)
            there = np.full(weight.shape, -1, np.int64)
            weight[row[some], column[some]] = gain
            there[row[some], column[some]] = some
            left, right_ = ordered_mapping(weight, there >= 0)
            edges.append(there[left, right_])
        return np.concatenate(edges)


class Likeness(NamedTuple):
    """The similarity of pairs of objects as a fraction, `right / all`, and what is in it."""

    right: IntArray
    all: IntArray
    correct: IntArray
    partial: IntArray


def likeness_gains(right: IntArray, whole: IntArray) -> IntArray:
    """Similarities as whole numbers that can be added: over a common denominator if there is a
    small one, else in units of 1e-10.

    >>> likeness_gains(np.array([1, 2]), np.array([2, 3]))
    array([3, 4])
    """
    common = 1
    for each in np.unique(whole).tolist():
        common = lcm(common, each or 1)
        if common >= EXACT:
            gains: IntArray = np.rint(right / np.maximum(whole, 1) * 1e10).astype(np.int64)
            return gains
    scaled: IntArray = right * (common // np.maximum(whole, 1))
    return scaled


def _with_common_scale(which: IntArray, whole: IntArray) -> Iterator[IntArray]:
    """The edges of lists that can be solved together: all, or list by list if their denominators
    have no small common multiple.
    """
    common = 1
    for each in np.unique(whole).tolist():
        common = lcm(common, each or 1)
    if common < EXACT:
        yield np.arange(len(which))
        return
    order = np.argsort(which, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(which[order]) != 0))
    yield from np.split(order, starts[1:])


def _blocks(
    first: IntArray, n: IntArray, other: IntArray, m: IntArray
) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """All pairs of items of lists, some at a time: the list, and the two places."""
    # Rows of the tables: one for each item of gold.
    which, place = owners_and_rows(first, n)
    ends = np.cumsum(m[which])
    start = 0
    while start < len(which):
        before = int(ends[start - 1]) if start else 0
        stop = max(int(np.searchsorted(ends, before + BLOCK, side="right")), start + 1)
        some = slice(start, stop)
        owner, answer = owners_and_rows(other[which[some]], m[which[some]])
        yield which[some][owner], place[some][owner], answer
        start = stop


def ordered_mapping(weight: IntArray, allowed: BoolArray) -> tuple[IntArray, IntArray]:
    """The heaviest mapping that does not cross; of several, the smallest list of pairs.

    >>> ordered_mapping(np.array([[0, 2], [2, 0]]), np.array([[False, True], [True, False]]))
    (array([0]), array([1]))
    """
    n, m = weight.shape
    best = np.zeros((n + 1, m + 1), weight.dtype)
    lowest = -1
    for i in range(n - 1, -1, -1):
        taken = np.where(allowed[i], weight[i] + best[i + 1, 1:], lowest)
        reach = np.maximum.accumulate(np.append(taken, lowest)[::-1])[::-1]
        best[i] = np.maximum(best[i + 1], reach)
    rows, columns = [], []
    j = 0
    for i in range(n):
        if j >= m:
            break
        taken = np.where(allowed[i, j:], weight[i, j:] + best[i + 1, j + 1 :], lowest)
        fitting = np.flatnonzero(taken == best[i, j])
        if len(fitting):
            rows.append(i)
            columns.append(j + int(fitting[0]))
            j = columns[-1] + 1
    return np.array(rows, np.int64), np.array(columns, np.int64)


def _nothing(pairs: IntArray, node: Node) -> Parts:
    """Absent on both sides."""
    none = np.full(len(pairs), -1)
    return Parts(pairs, np.full(len(pairs), node.number), np.full(len(pairs), NON), none, none)


def _among(values: IntArray, some: IntArray) -> BoolArray:
    """Which values are among some sorted ones."""
    if not len(some):
        return np.zeros(len(values), bool)
    place = np.minimum(np.searchsorted(some, values), len(some) - 1)
    found: BoolArray = some[place] == values
    return found


def weighed(pair: RecordPair, *, weights: bool) -> tuple[IntArray, FloatArray]:
    """The weight of every row: as whole numbers, and as they count."""
    whole = pair.weights if weights else np.ones(len(pair.rows), np.int64)
    return whole, whole / (pair.scale if weights else 1)
