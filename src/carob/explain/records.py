"""Errors in the values of records, from the events of `fields`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from carob.arrays.greedy import greedy
from carob.arrays.join import every, packed
from carob.arrays.ranges import place_in_group
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.corpus import Words
from carob.corpus.document import Mention, Span
from carob.corpus.tables import UNKNOWN
from carob.counts.events import Events
from carob.explain.analysis import ErrorAnalysis
from carob.explain.context import in_context, pieces
from carob.explain.ledger import Wording
from carob.pair.grounding import grounded
from carob.pair.pair import Pair
from carob.pair.records import Side
from carob.pair.typed_grounding import INVENTED
from carob.result.documents import Item
from carob.result.errors import RECORD_KINDS, SlotExample
from carob.values.raw import fold

_MOST_PAIRS = 50_000_000
"""Equal values of more pairs than this are not looked at as confusions of slots."""

_KIND_OF = {"COR": "right", "PAR": "partly right", "INC": "wrong value", "MIS": "missing",
            "SPU": "spurious"}  # fmt: skip


class Judgement(NamedTuple):
    """What `fields` says of a pair: its events, the leaves of each (-1: none), and how each leaf of
    the system that is wrong is grounded in the text.
    """

    events: Events
    gold: IntArray
    system: IntArray
    grounded: IntArray


@dataclass(eq=False)
class _Values:
    """The values of one side: the document and slot of each leaf, and its row among the fillers of
    the pair (-1: none). Leaves of which nothing is judged are in no document.
    """

    doc: IntArray
    label: IntArray
    filler: IntArray

    def __len__(self) -> int:
        return len(self.doc)


@dataclass(eq=False)
class _Table:
    """The values of both sides, and the names of slots."""

    gold: _Values
    system: _Values
    labels: tuple[str, ...]


class RecordErrors(ErrorAnalysis):
    """What became of the values of records.

    A value is `wrong format` if it cannot be read as the type of its slot, `swapped` if gold has it
    in the same slot of another record or object of the document, and it was not found there,
    `wrong field` if gold has it in another slot of the document, and it was not found there;
    otherwise `wrong value` if gold has another value, `spurious` if it has none, and `invented` if
    the text does not have it either. `labels` are the rows of slots, for all systems the same.

    >>> from carob import Corpus, errors
    >>> gold = Corpus.of({"templates": [{"slots": {"a": ["x"], "b": ["y"]}}]})
    >>> system = Corpus.of({"templates": [{"slots": {"a": ["y"]}}]})
    >>> result = errors(gold, system, preset="records")
    >>> {kind: count for kind, count in result.counts.items() if count}
    {'missing': 1, 'wrong field': 1}
    """

    item: ClassVar[Literal["mention", "filler", "value"]] = "value"
    kinds: ClassVar[tuple[str, ...]] = RECORD_KINDS
    extra: ClassVar[str] = "spurious"

    def __init__(
        self, pair: Pair, judged: Judgement, words: Wording, labels: tuple[str, ...]
    ) -> None:
        events = judged.events
        self._grounded = judged.grounded
        self._last: tuple[int, dict[str, dict[int, tuple[Span, ...]]]] = (UNKNOWN, {})
        rows = np.flatnonzero(events.outcome != events.outcomes.index("NON"))
        label = _places(events.labels or (), labels)[events.label[rows]]
        leaves = judged.gold[rows], judged.system[rows]
        kind = _kinds(pair, events, rows, *leaves, judged.grounded)
        super().__init__(
            pair,
            Events(RECORD_KINDS, events.doc[rows], label, kind, np.ones(len(rows)), *leaves),
            words,
        )
        records = pair.records
        self.table = _Table(
            _values(records.gold, records.rows, labels, judged.gold, events.gold),
            _values(records.system, records.rows, labels, judged.system, events.system),
            labels,
        )

    @property
    def is_extra(self) -> BoolArray:
        """What only the system has: it may be spurious, invented or out of place."""
        rows: BoolArray = self.gold < 0
        return rows

    def confused_items(self) -> tuple[IntArray, IntArray]:
        """Errors, for a matrix of slots: which slot of gold became which slot of the system.

        A value in the wrong field, or swapped, and the value of gold that was not found there are
        one right value in the wrong place. Of what is left, two values that were compared and
        differ are on the diagonal, others in the last column (missed) or row (one too many).
        """
        wrong = self.kind != 0
        lost = np.flatnonzero(wrong & (self.gold >= 0))
        out = np.flatnonzero(self.of_type("wrong field") | self.of_type("swapped"))
        codes: dict[str, int] = {}
        records = self.pair.records
        ours = _text_codes(self.pair, records.gold, self.gold[lost], codes)
        theirs = _text_codes(self.pair, records.system, self.system[out], codes)
        same = every(*packed([self.doc[lost], ours], [self.doc[out], theirs]), _MOST_PAIRS)
        moved = np.empty(0, np.int64), np.empty(0, np.int64)
        if same is not None:
            gold, system = self.gold[lost[same[0]]], self.system[out[same[1]]]
            own = self.table.gold.label[gold] == self.table.system.label[system]
            good = own == (self.of_type("swapped")[out[same[1]]])
            gold, system = gold[good], system[good]
            best = greedy(gold, system) if len(gold) else np.empty(0, bool)
            moved = gold[best], system[best]
        gold, system = self.gold[wrong].copy(), self.system[wrong].copy()
        gold[np.isin(gold, moved[0])] = UNKNOWN
        system[np.isin(system, moved[1])] = UNKNOWN
        some = (gold != UNKNOWN) | (system != UNKNOWN)
        return np.append(moved[0], gold[some]), np.append(moved[1], system[some])

    def example(self, row: int) -> SlotExample:
        """One error with what both sides say and the words around."""
        filled = self.pair.filled
        doc, gold, system = int(self.doc[row]), int(self.gold[row]), int(self.system[row])
        words, unit = filled.words(doc), filled.unit
        answer = self._texts_of("system", system)
        ours, theirs = (self._mention(side, leaf) for side, leaf in
                        (("gold", gold), ("system", system)))  # fmt: skip
        side, leaf = ("gold", gold) if gold >= 0 else ("system", system)
        return SlotExample(
            self.kinds[self.kind[row]],
            filled.documents.name(doc),
            self.table.labels[getattr(self.table, side).label[leaf]],
            self._texts_of("gold", gold),
            answer[0] if answer else None,
            in_context(words, unit, ours),
            in_context(words, unit, theirs),
            system < 0 or self._grounded[system] != INVENTED,
            pieces(words, unit, ours),
            pieces(words, unit, theirs),
            self._note(side, leaf),
        )

    def _texts_of(self, side: str, leaf: int) -> tuple[str, ...]:
        """What a value and its alternatives say."""
        return () if leaf < 0 else _texts(self.pair, getattr(self.pair.records, side), leaf)

    def _mention(self, side: str, leaf: int) -> Mention | None:
        """A value that has a place, as what stands there."""
        fragments = self._fragments(side, leaf)
        table: _Values = getattr(self.table, side)
        return Mention.of(self.table.labels[table.label[leaf]], fragments) if fragments else None

    def _fragments(self, side: str, leaf: int) -> tuple[Span, ...]:
        filler = -1 if leaf < 0 else int(getattr(self.table, side).filler[leaf])
        if filler < 0:
            return ()
        return self._located(int(getattr(self.table, side).doc[leaf]))[side][filler]

    def _located(self, doc: int) -> dict[str, dict[int, tuple[Span, ...]]]:
        """Where the values of a document are written in its text, by side and filler; those of the
        document before are forgotten. Values in another form have no place, but are not therefore
        invented, so this is not the grounding of the pair, which is counted.
        """
        if self._last[0] != doc:
            filled = self.pair.filled
            rows = {side: order[low[doc] : low[doc + 1]] for side, (order, low) in
                    self._fillers.items()}  # fmt: skip
            ours, theirs = filled.gold.take(rows["gold"]), filled.system.take(rows["system"])
            found = grounded(ours, theirs, filled.words, filled.has_words, filled.unit)
            self._last = doc, {
                side: {
                    row: places.of(int(table.realisations[i]))
                    for i, row in enumerate(rows[side].tolist())
                }
                for side, table, places in (
                    ("gold", ours, found.gold), ("system", theirs, found.system)
                )
            }  # fmt: skip
        return self._last[1]

    @cached_property
    def _fillers(self) -> dict[str, tuple[IntArray, IntArray]]:
        """Of each side the fillers in the order of documents, and where each document begins."""
        sorted_fillers = {}
        for side in ("gold", "system"):
            doc: IntArray = getattr(self.pair.filled, side).doc
            order = np.argsort(doc, kind="stable")
            sorted_fillers[side] = (
                order, np.searchsorted(doc[order], np.arange(self.pair.size + 1))
            )  # fmt: skip
        return sorted_fillers

    @property
    def unit(self) -> str:
        """What positions of values count."""
        return self.pair.filled.unit

    def gold_rows(self) -> IntArray:
        """The same for all systems: leaves of gold depend on gold and the schema alone."""
        return np.arange(len(self.table.gold))

    def items(self, side: str, rows: IntArray, words: Words, unit: str) -> list[Item]:
        """Values with all that they may say, and the places that they were found at."""
        table: _Values = getattr(self.table, side)
        return [
            Item(
                self.table.labels[table.label[leaf]],
                self._fragments(side, leaf) if unit == self.unit else (),
                self._texts_of(side, leaf),
                self._note(side, leaf),
            )
            for leaf in rows.tolist()
        ]

    def _note(self, side: str, leaf: int) -> str:
        """Which record of the document, and which object of a list, a value is in."""
        own: Side = getattr(self.pair.records, side)
        return self._notes[side][int(own.leaves.template[leaf])]

    @cached_property
    def _notes(self) -> dict[str, list[str]]:
        """Of each side, where each template is: `record 2` if there are several, `lines 3`."""
        return {side: _template_notes(getattr(self.pair.records, side)) for side in
                ("gold", "system")}  # fmt: skip

    def extra_keys(self, other: RecordErrors, label: int | None) -> tuple[IntArray, IntArray]:
        """Document, slot and text of extra values."""
        codes: dict[str, int] = {}
        columns = []
        for each in (self, other):
            rows = each.extra_rows(label)
            text = _text_codes(each.pair, each.pair.records.system, rows, codes)
            columns.append([each.table.system.doc[rows], each.table.system.label[rows], text])
        return packed(columns[0], columns[1])


def _places(names: Sequence[str], labels: Sequence[str]) -> IntArray:
    """Where each name is among the labels, -1 if it is not."""
    place = {label: i for i, label in enumerate(labels)}
    return np.array([place.get(name, UNKNOWN) for name in names] + [UNKNOWN], np.int64)


def _values(
    side: Side, rows: Sequence[str], labels: Sequence[str], leaf: IntArray, filler: IntArray
) -> _Values:
    """The values of a side. `leaf` and `filler` are those of events, row by row."""
    leaves = side.leaves
    label = _places(rows, labels)[leaves.node]
    doc = np.where(label == UNKNOWN, UNKNOWN, side.doc[leaves.template])
    where = np.full(len(leaves) + 1, UNKNOWN, np.int64)
    where[leaf] = filler
    return _Values(doc, label, where[:-1])


def _kinds(
    pair: Pair, events: Events, rows: IntArray, gold: IntArray, system: IntArray, grounded: IntArray
) -> IntArray:
    """What became of each value that was judged."""
    code = RECORD_KINDS.index
    table = np.array([code(_KIND_OF.get(each, "right")) for each in events.outcomes])
    kind: IntArray = table[events.outcome[rows]]
    answer = np.flatnonzero(np.isin(kind, [code("wrong value"), code("spurious")]))
    leaf = system[answer]
    spurious = kind[answer] == code("spurious")
    kind[answer[spurious & (grounded[leaf] == INVENTED)]] = code("invented")
    doc, label = events.doc[rows], events.label[rows]
    # Values of gold that were not found: by document and text, and in which slot.
    lost = np.flatnonzero((kind != 0) & (gold >= 0))
    codes: dict[str, int] = {}
    ours = _text_codes(pair, pair.records.gold, gold[lost], codes)
    theirs = _text_codes(pair, pair.records.system, leaf, codes)
    anywhere = _occurrences([doc[lost], ours], [doc[answer], theirs])
    here = _occurrences([doc[lost], ours, label[lost]], [doc[answer], theirs, label[answer]])
    own = np.zeros(len(rows), bool)
    text = np.full(len(rows), UNKNOWN)
    text[lost] = ours
    own[answer] = text[answer] == theirs
    kind[answer[anywhere > here]] = code("wrong field")
    kind[answer[here > own[answer]]] = code("swapped")
    kind[answer[~_readable(pair, leaf)]] = code("wrong format")
    return kind


def _occurrences(known: Sequence[IntArray], asked: Sequence[IntArray]) -> IntArray:
    """How often each row of the one table occurs in the other."""
    left, right = packed(known, asked)
    left = np.sort(left)
    found: IntArray = np.searchsorted(left, right, side="right") - np.searchsorted(left, right)
    return found


def _readable(pair: Pair, leaves: IntArray) -> BoolArray:
    """Which values of the system can be read as the type of their slot; one in the place of an
    object cannot, one under an unknown key can.
    """
    records = pair.records
    table = records.system.leaves
    node, first = table.node[leaves], table.code[table.offsets[leaves]]
    readable = node >= len(records.schema.nodes)
    for number, column in records.columns.items():
        here = np.flatnonzero(node == number)
        readable[here] = column.readable[first[here]]
    return readable


def _texts(pair: Pair, side: Side, leaf: int) -> tuple[str, ...]:
    """What a leaf and its alternatives say."""
    leaves, columns = side.leaves, pair.records.columns
    node = int(leaves.node[leaf])
    if node in columns:
        raws = columns[node].raws
        codes = leaves.code[leaves.offsets[leaf] : leaves.offsets[leaf + 1]].tolist()
        return tuple(dict.fromkeys(raws[code].text for code in codes))
    fillers, filler = side.corpus.templates.fillers, int(leaves.filler[leaf])
    return (fillers.text[int(fillers.realisations[filler])] or "",) if filler >= 0 else ("",)


def _text_codes(pair: Pair, side: Side, leaves: IntArray, codes: dict[str, int]) -> IntArray:
    """A number for what each leaf says; texts that differ in case or white space are the same."""
    table = side.leaves
    first = table.code[table.offsets[leaves]]
    key = table.node[leaves].astype(np.int64) * (int(first.max(initial=0)) + 1) + first
    _, some, inverse = np.unique(key, return_index=True, return_inverse=True)
    numbers = [
        codes.setdefault(fold(_texts(pair, side, leaf)[0]), len(codes))
        for leaf in leaves[some].tolist()
    ]
    found: IntArray = np.array(numbers, np.int64)[inverse.reshape(-1)]
    return found


def _template_notes(side: Side) -> list[str]:
    """Where each template is: which record of its document, and which object of a list."""
    templates = side.corpus.templates
    rank, several = _ranks(side.doc, np.arange(len(side.doc)), side.parent == UNKNOWN)
    notes = [f"record {n + 1}" if many else "" for n, many in zip(rank, several, strict=True)]
    inner = side.parent != UNKNOWN
    key = side.parent.astype(np.int64) * (len(templates.slot.values) + 1) + templates.slot.codes
    rank, _ = _ranks(key, templates.place, inner)
    for row in np.flatnonzero(inner).tolist():  # what holds a template comes before it
        above = notes[int(side.parent[row])]
        own = f"{templates.slot[row] or ''} {rank[row] + 1}"
        notes[row] = f"{above}, {own}" if above else own
    return notes


def _ranks(group: IntArray, place: IntArray, among: BoolArray) -> tuple[list[int], list[bool]]:
    """Of the rows `among`, the place in its group of each, and whether the group has several."""
    rank, several = np.zeros(len(group), np.int64), np.zeros(len(group), bool)
    rows = np.flatnonzero(among)
    rows = rows[np.lexsort((place[rows], group[rows]))]
    _, inverse, counts = np.unique(group[rows], return_inverse=True, return_counts=True)
    rank[rows] = place_in_group(group[rows])
    several[rows] = counts[inverse.reshape(-1)] > 1
    return rank.tolist(), several.tolist()
