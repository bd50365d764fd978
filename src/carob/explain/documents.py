"""Whole documents with all of their errors, for reading through them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from carob.arrays.types import BoolArray, IntArray
from carob.corpus.corpus import Corpus, Words
from carob.corpus.tables import UNKNOWN
from carob.explain.analysis import ErrorAnalysis
from carob.pair.filled import words_at
from carob.result.documents import MOVED, DocumentErrors, Event, Item, Relation

Relations = Mapping[int, tuple[Relation, ...]]
"""The relations of one side, by the document of gold that they are in."""


def documents(
    analyses: Sequence[ErrorAnalysis],
    words: Callable[[int], Words],
    relations: Sequence[Relations] = (),
    pairs: Sequence[tuple[int, int]] = (),
) -> Iterator[DocumentErrors]:
    """Every document with what gold and each system have in it, and what became of that.

    Documents in which a system has an error come first. `relations` are those of gold, then those
    of each system. `pairs` are systems, by their numbers, that are compared: an error of either
    says whether the other has that right. Words are read once for each document, when it is asked
    for.

    >>> from carob import Corpus, Pair, Recipe
    >>> from carob.explain.mentions import MentionErrors
    >>> gold, system = Corpus.of("It rained", "[Ann]PER slept"), Corpus.of("It rained", "Ann slept")
    >>> pair = Pair.of(gold, system)
    >>> analysis = MentionErrors(pair, Recipe.parse("fair.F1").space(pair), gold.words)
    >>> [(each.name, each.events) for each in documents([analysis], gold.words)]
    [('2', [[Event(type='FN', gold=0, system=-1, also=(), counted=True, confused=True,
    right_in=())]]),
    ('1', [[]])]
    """
    unit = common_unit(analyses)
    both_ways = [*pairs, *((b, a) for a, b in pairs)]
    sides = [
        _Side(each, unit, {b: each.fixed_rows(analyses[b]) for a, b in both_ways if a == number})
        for number, each in enumerate(analyses)
    ]
    table = analyses[0].pair.documents
    wrong = np.zeros(len(table), bool)
    for each in analyses:
        wrong[each.doc[each.kind != 0]] = True
    for doc in [*np.flatnonzero(wrong).tolist(), *np.flatnonzero(~wrong).tolist()]:
        text, tokens = words(doc)
        known = (text, None) if unit == "char" else (None, tokens)
        gold: dict[int, Item] = {}
        for side in sides:
            side.add_gold(doc, known, gold)
        place = {row: i for i, row in enumerate(gold)}
        answers, events = zip(*(side.answers(doc, known, place) for side in sides), strict=True)
        ends = [end for items in (gold.values(), *answers) for each in items
                for _, end in each.fragments]  # fmt: skip
        sentences = table.sentences(doc) if analyses[0].pair.unit == unit else ()
        yield DocumentErrors(
            table.name(doc), known[0], known[1], max([int(table.length[doc]), 0, *ends]), sentences,
            list(gold.values()), list(answers), list(events),
            tuple(side.get(doc, ()) for side in relations),
        )  # fmt: skip


def common_unit(analyses: Sequence[ErrorAnalysis]) -> str:
    """The unit of all positions: tokens if one system has them, since all others can be moved."""
    return "token" if any(each.unit == "token" for each in analyses) else "char"


class _Rows(NamedTuple):
    """The rows of a table by document: those of document i lie between its offsets."""

    order: IntArray
    offsets: IntArray

    @classmethod
    def of(cls, doc: IntArray, size: int) -> _Rows:
        order = np.argsort(doc, kind="stable")
        return cls(order, np.searchsorted(doc[order], np.arange(size + 1)))

    def at(self, doc: int) -> IntArray:
        """The rows of a document."""
        return self.order[self.offsets[doc] : self.offsets[doc + 1]]


class _Side:
    """One system and gold, document by document."""

    def __init__(self, analysis: ErrorAnalysis, unit: str, fixed: Mapping[int, IntArray]) -> None:
        self._analysis, self._unit = analysis, unit
        table, size = analysis.table, analysis.pair.size
        self._gold, self._system = (_Rows.of(t.doc, size) for t in (table.gold, table.system))
        self._gold_rows = analysis.gold_rows()
        self._kinds = (*analysis.kinds, MOVED)
        self._kind, doc, pairs, self._counted, self._confused = _events(analysis)
        self._events = _Rows.of(doc, size)
        self._gold_of = np.append(self._gold_rows, UNKNOWN)[pairs[:, 0]]
        self._system_of = pairs[:, 1]
        self._also = {
            kind: set(np.flatnonzero(analysis.of_type(kind)).tolist()) for kind in analysis.also
        }
        self._fixed = {system: set(rows.tolist()) for system, rows in fixed.items()}

    def add_gold(self, doc: int, words: Words, items: dict[int, Item]) -> None:
        """Add the items of gold in a document, by their row in the corpus."""
        rows = self._gold.at(doc)
        own = self._gold_rows[rows].tolist()
        if not items.keys() >= set(own):
            every = self._analysis.items("gold", rows, words, self._unit)
            for row, item in zip(own, every, strict=True):
                items.setdefault(row, item)

    def answers(
        self, doc: int, words: Words, place: Mapping[int, int]
    ) -> tuple[list[Item], list[Event]]:
        """The items of the system in a document, and the events of both; `place` is where items of
        gold are among those of the document.
        """
        rows, events = self._system.at(doc), self._events.at(doc)
        theirs = {row: i for i, row in enumerate(rows.tolist())} | {UNKNOWN: UNKNOWN}
        columns = (events, self._kind[events], self._gold_of[events], self._system_of[events],
                   self._counted[events], self._confused[events])  # fmt: skip
        made = [
            Event(
                self._kinds[kind],
                place[gold] if gold != UNKNOWN else UNKNOWN,
                theirs[system],
                tuple(kind for kind, also in self._also.items() if event in also),
                counted,
                confused,
                tuple(system for system, fixed in self._fixed.items() if event in fixed),
            )
            for event, kind, gold, system, counted, confused in zip(
                *(column.tolist() for column in columns), strict=True
            )
        ]
        return self._analysis.items("system", rows, words, self._unit), made


def _events(
    analysis: ErrorAnalysis,
) -> tuple[IntArray, IntArray, IntArray, BoolArray, BoolArray]:
    """Kind, document, items of both sides, and whether the counts and the matrix of labels have it.

    First all rows of the analysis, then what only the matrix counts: a right string in the wrong
    slot, which is two errors otherwise, and what is left of an error if one of its sides is that.
    """
    wrong = analysis.kind != 0
    pairs = np.stack([analysis.gold, analysis.system], 1).astype(np.int64)
    cells = np.stack(analysis.confused_items(), 1).astype(np.int64)
    width = len(analysis.table.system) + 1
    keys, cell_keys = ((each[:, 0] + 1) * width + each[:, 1] + 1 for each in (pairs, cells))
    confused = wrong & np.isin(keys, cell_keys)
    cells = cells[~np.isin(cell_keys, keys[wrong])]
    kinds, docs = [], []
    for column, side in enumerate((analysis.table.gold, analysis.table.system)):
        kind = np.full(len(side) + 1, UNKNOWN, np.int64)
        kind[pairs[wrong, column]] = analysis.kind[wrong]
        kinds.append(kind[cells[:, column]])
        docs.append(np.append(side.doc, UNKNOWN)[cells[:, column]])
    has_gold = cells[:, 0] != UNKNOWN
    kind = np.where(has_gold, kinds[0], kinds[1])
    kind[has_gold & (cells[:, 1] != UNKNOWN)] = len(analysis.kinds)
    return (
        np.concatenate([analysis.kind, kind]),
        np.concatenate([analysis.doc, np.where(has_gold, docs[0], docs[1])]),
        np.concatenate([pairs, cells]),
        np.concatenate([wrong, np.zeros(len(cells), bool)]),
        np.concatenate([confused, np.ones(len(cells), bool)]),
    )


def words_of(gold: Corpus, systems: Sequence[Corpus], unit: str) -> Callable[[int], Words]:
    """The words of each document of gold in this unit; if gold has none, those of a system.

    >>> system = Corpus.of({"id": "d1", "text": "Ann"})
    >>> words_of(Corpus.of({"id": "d1", "mentions": []}), [system], "char")(0)
    ('Ann', None)
    """
    others = [
        (corpus, {ours: row for row, ours in enumerate(places(corpus, gold))})
        for corpus in systems
        if corpus.library is not None
    ]

    def words(row: int) -> Words:
        known = gold.words(row)
        for corpus, rows in others:
            if known[unit == "token"] is not None:
                break
            if row in rows:
                known = corpus.words(rows[row])
        return known

    return words


def places(corpus: Corpus, gold: Corpus) -> list[int]:
    """The document of gold that each document is: the one with its id, or else in its place.

    >>> places(Corpus.of({"id": "b"}, {"id": "c"}), Corpus.of({"id": "a"}, {"id": "b"}))
    [1, -1]
    """
    ids, names = gold.documents.id, corpus.documents.id
    if ids is None or names is None:
        return list(range(len(corpus)))
    rows = {name: row for row, name in enumerate(ids)}
    return [rows.get(name, UNKNOWN) for name in names]


def relations_of(corpus: Corpus, gold: Corpus) -> Relations:
    """The relations of a corpus, in the documents of gold: those with the same id, or place.

    >>> document = {
    ...     "id": "d1",
    ...     "text": "Ann slept",
    ...     "mentions": [{"id": "T1", "start": 0, "end": 3, "label": "PER"}],
    ...     "relations": [{"label": "R", "arguments": {"who": "T1"}}],
    ... }
    >>> corpus = Corpus.of(document)
    >>> relations_of(corpus, corpus)
    {0: (Relation(label='R', members=(('who', 'Ann'),)),)}
    """
    table, unit = corpus.relations, corpus.unit or "char"
    place = places(corpus, gold) if len(table) else []
    by_document: dict[int, tuple[Relation, ...]] = {}
    last = UNKNOWN
    document: Words = (None, None)
    for row, doc in enumerate(table.doc.tolist()):
        if doc != last:
            last, document = doc, corpus.words(doc)
        members = []
        for k in range(int(table.offsets[row]), int(table.offsets[row + 1])):
            mention = int(table.mention[k])
            text = "?"
            if mention != UNKNOWN:
                text = words_at(document, corpus.mentions.fragments_of(mention), unit) or "?"
            members.append((table.role[k] or "", text))
        relation = Relation(table.label[row] or "", tuple(members))
        by_document[place[doc]] = (*by_document.get(place[doc], ()), relation)
    return by_document
