"""Filled: the slots of gold and system, on one vocabulary: what slot spaces count.

A corpus that has templates is counted by them. One that has only mentions is one template a
document, without a type: the label of a mention is the slot that it fills.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from carob.arrays.join import ranked
from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.corpus.corpus import Corpus, Words
from carob.corpus.problems import UsageError, shown
from carob.corpus.tables import UNKNOWN, Codes, Documents, Fragments, int32, spread
from carob.pair.grounding import Grounded, grounded
from carob.pair.template_types import (
    implicit,
    named,
    row_names,
    slot_labels,
    slots_without_types,
    typed,
)
from carob.values.raw import folded


@dataclass(slots=True, eq=False)
class Forms:
    """The templates of one side; types and the paths that lead to them are codes of the pair.

    `path` is the place of a template: its type at the top, then the slots that lead to it.
    """

    doc: IntArray
    type: IntArray
    path: IntArray
    parent: IntArray

    def __len__(self) -> int:
        return len(self.doc)

    def between(self, low: int, high: int, doc: int) -> Forms:
        """The templates from `low` to `high`, with documents counted from `doc` on."""
        part, parent = slice(low, high), self.parent[low:high]
        return Forms(self.doc[part] - np.int32(doc), self.type[part], self.path[part],
                     np.where(parent < 0, UNKNOWN, parent - low))  # fmt: skip


@dataclass(slots=True, eq=False)
class Filled:
    """The fillers of one side. `label` is the row they count in: TYPE.slot, as a code of the pair.

    `template` is the row of their template in `forms`. The realisations of filler i lie between
    `realisations[i]` and `[i + 1]`, its own first; `raw` is their text in the file (-1: none),
    `fragments` their places (none: unknown). `row` is the row of the filler in its corpus, in the
    table of fillers or, if mentions are counted, of mentions.
    """

    doc: IntArray
    label: IntArray
    template: IntArray
    optional: BoolArray
    confidence: FloatArray
    realisations: IntArray
    raw: Codes
    fragments: Fragments
    row: IntArray
    forms: Forms

    def __len__(self) -> int:
        return len(self.doc)

    @property
    def filler(self) -> IntArray:
        """The filler that each realisation belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.realisations))

    def take(self, rows: IntArray) -> Filled:
        """The fillers `rows`, in that order."""
        places, offsets = spread(self.realisations, rows)
        return Filled(
            self.doc[rows], self.label[rows], self.template[rows], self.optional[rows],
            self.confidence[rows], offsets, self.raw.take(places), self.fragments.take(places),
            self.row[rows], self.forms,
        )  # fmt: skip

    def between(self, low: int, high: int) -> Filled:
        """The fillers of the documents from `low` to `high`, which are counted from `low` on; the
        documents of fillers and templates must rise.
        """
        (first, last), (top, bottom) = (
            np.searchsorted(doc, np.array([low, high], doc.dtype)).tolist()
            for doc in (self.doc, self.forms.doc)
        )
        rows = slice(first, last)
        start, stop = self.realisations[[first, last]].tolist()
        places = self.fragments.offsets[[start, stop]].tolist()
        return Filled(
            self.doc[rows] - np.int32(low), self.label[rows], self.template[rows] - top,
            self.optional[rows], self.confidence[rows],
            self.realisations[first : last + 1] - start,
            Codes(self.raw.codes[start:stop], self.raw.values, self.raw.in_order),
            Fragments(
                self.fragments.offsets[start : stop + 1] - places[0],
                self.fragments.start[slice(*places)], self.fragments.end[slice(*places)],
            ),
            self.row[rows], self.forms.between(top, bottom, low),
        )  # fmt: skip

    @property
    def rises(self) -> bool:
        """Whether fillers and templates are in the order of the documents."""
        return all(bool((doc[1:] >= doc[:-1]).all()) for doc in (self.doc, self.forms.doc))

    def without_alternatives(self) -> Filled:
        """The fillers with only their own text and place, without alternatives."""
        own = self.realisations[:-1]
        return replace(
            self,
            realisations=np.arange(len(self) + 1),
            raw=self.raw.take(own),
            fragments=self.fragments.take(own),
        )


@dataclass(slots=True, eq=False)
class Texts:
    """The folded text of every realisation of both sides, as codes of `values` (-1: unknown)."""

    gold: IntArray
    system: IntArray
    values: tuple[str, ...]


class GroundingCheck(NamedTuple):
    """Of how many system fillers the texts are not found, or cannot be looked for."""

    fillers: int
    ungrounded: int
    unknown: int


@dataclass(eq=False)
class FilledPair:
    """The slots of gold and system. `words` gives text and tokens of a document of gold, if it
    `has_words`, its own or the system's. `ignored` counts the fillers of templates that were left
    out; `remarks` report how types were adjusted.

    >>> from carob.pair.pair import Pair
    >>> gold = Corpus.of({"text": "Ann", "templates": [{"label": "t", "slots": {"who": ["Ann"]}}]})
    >>> system = Corpus.of({"templates": [{"label": "t", "slots": {"who": ["ANN", "Bo"]}}]})
    >>> filled = Pair.of(gold, system).filled
    >>> filled.labels, filled.texts.values, filled.texts.system
    (('t.who',), ('ann', 'bo'), array([0, 1], dtype=int32))
    """

    gold: Filled
    system: Filled
    labels: tuple[str, ...]
    types: tuple[str, ...]
    documents: Documents
    unit: str
    words: Callable[[int], Words]
    has_words: BoolArray
    ignored: int = 0
    paths: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    slots_without_types: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    """What event spaces have to say about how they counted."""
    checks: list[GroundingCheck] = field(default_factory=list)
    """What was found in texts and what was not, in the pieces of this pair that were counted."""

    def note(self, text: str) -> None:
        """Add a note, once."""
        if text not in self.notes:
            self.notes.append(text)

    def cells(self, side: str) -> IntArray:
        """For each filler of a side the number of its cell, that is document and row."""
        table: Filled = getattr(self, side)
        # NumPy 1 keeps int32 when a column is multiplied by a number, and overflows.
        return table.doc.astype(np.int64) * len(self.labels) + table.label

    @cached_property
    def texts(self) -> Texts:
        """The folded texts; if a filler has only a place, the text is read there."""
        gold, system = self._worded(self.gold, folded), self._worded(self.system, folded)
        both = Codes.of([*gold.values, None, *system.values, None])
        ours, theirs = np.split(both.codes, [len(gold.values) + 1])
        return Texts(ours[gold.codes], theirs[system.codes], both.values)

    @cached_property
    def grounded(self) -> Grounded:
        """The places of both sides; fillers that have only a text are located in the document."""
        return grounded(self.gold, self.system, self.words, self.has_words, self.unit)

    def between(self, low: int, high: int) -> FilledPair:
        """The pair of the documents from `low` to `high`; its notes are those of this pair."""
        return replace(
            self, gold=self.gold.between(low, high), system=self.system.between(low, high),
            documents=self.documents.take(np.arange(low, high)),
            words=lambda row: self.words(row + low), has_words=self.has_words[low:high],
        )  # fmt: skip

    def grounding_checks(self) -> list[GroundingCheck]:
        """What was found in texts and what was not, if anything was looked for."""
        if "grounded" not in self.__dict__:
            return self.checks
        found = self.grounded
        counts = (int(np.count_nonzero(each)) for each in (found.ungrounded, found.unknown))
        return [GroundingCheck(len(self.system), *counts)]

    @property
    def ungrounded_count(self) -> int | None:
        """How many system fillers are not found in the text; None if no recipe needed to know, or
        none can be checked.
        """
        checks = self.grounding_checks()
        unknown = sum(check.unknown for check in checks)
        if not checks or 0 < unknown == sum(check.fillers for check in checks):
            return None
        return sum(check.ungrounded for check in checks)

    @property
    def ungrounded(self) -> BoolArray:
        """Which system fillers have no place, and a text that is not found in the document."""
        return self.grounded.ungrounded

    def raw_texts(self, side: Filled) -> list[str | None]:
        """The text of every realisation of a side, as the file has it; None if it is unknown."""
        column = self._worded(side, list)
        texts = [*column.values, None]
        return [texts[code] for code in column.codes.tolist()]

    def _worded(self, side: Filled, change: Callable[[list[str]], list[str]]) -> Codes:
        """The changed text of every realisation of a side, in no order."""
        used, codes = ranked(side.raw.codes)
        known = used[used != UNKNOWN].tolist()
        texts = change(list(map(side.raw.values.__getitem__, known)))
        unknown = len(used) - len(known)
        codes, places = codes - unknown, side.fragments
        silent = np.flatnonzero((side.raw.codes == UNKNOWN) & (np.diff(places.offsets) > 0))
        last = UNKNOWN
        document: Words = (None, None)
        for row, doc in zip(silent.tolist(), side.doc[side.filler[silent]].tolist(), strict=True):
            if doc != last:
                last, document = doc, self.words(doc)
            text = words_at(document, places.of(row), self.unit)
            if text is not None:
                codes[row] = len(texts)
                texts += change([text])
        return Codes(codes, tuple(texts), in_order=False)


def words_at(words: Words, fragments: Sequence[tuple[int, int]], unit: str) -> str | None:
    """The text at a place, fragments separated by a space; None if the words are unknown.

    >>> words_at(("Ann Lee", None), [(0, 3)], "char"), words_at((None, ("Ann",)), [(0, 1)], "token")
    ('Ann', 'Ann')
    """
    text, tokens = words
    if unit == "char":
        return None if text is None else " ".join(text[start:end] for start, end in fragments)
    if tokens is None:
        return None
    return " ".join(token for start, end in fragments for token in tokens[start:end])


def filled(
    gold: Corpus,
    system: Corpus,
    place: IntArray,
    labels: Sequence[str] | None = None,
    only: bool = False,
    own_texts: bool = False,
    slots: Sequence[str] = (),
) -> FilledPair:
    """The slots of a pair of corpora; `place` is the gold document of each system document.

    Types are made comparable (`typed`). `labels` are the rows; with `only`, fillers of other rows
    are left out and counted. With `own_texts` the two sides have different texts: a system filler
    is the string at its place in its own text, and has no place in gold's. `slots` are names of
    slots without types, beside those of the two corpora.
    """
    both = typed(gold, system)
    gold, system = both.gold, both.system
    rows = set(labels or ())
    tagset = tuple(sorted(rows if only else {*rows, *slot_labels(gold), *slot_labels(system)}))
    sides = [_side(corpus) for corpus in (gold, system)]
    if own_texts:
        sides[1] = _as_strings(sides[1], system)
    types = tuple(sorted({"", *(name for side in sides for name in side.type.values)}))
    paths = tuple(sorted({name for side in sides for name in side.path.values}))
    same = np.arange(len(gold), dtype=np.int32)
    ours, gold_lost = _placed(sides[0], same, tagset, types, paths)
    others, system_lost = _placed(sides[1], place, tagset, types, paths)
    unit = gold.unit or system.unit or "char"
    theirs = np.full(len(gold), UNKNOWN, np.int32)
    theirs[place[place != UNKNOWN]] = np.flatnonzero(place != UNKNOWN)
    has_words = gold.documents.length >= 0
    has_words[place[(place != UNKNOWN) & (system.documents.length >= 0)]] = True

    def words(row: int) -> Words:
        if not has_words[row]:
            return None, None
        text, tokens = gold.words(row)
        known = text if unit == "char" else tokens
        if known is None and system.library is not None and theirs[row] != UNKNOWN:
            return system.words(int(theirs[row]))
        return text, tokens

    # Mentions that are left out are counted as mentions.
    counts = ((gold, gold_lost), (system, system_lost))
    ignored = sum(count for corpus, count in counts if len(corpus.templates))
    bare = tuple(sorted({*slots, *slots_without_types([gold, system])}))
    return FilledPair(ours, others, tagset, types, gold.documents, unit, words, has_words, ignored,
                      paths, both.remarks, bare)  # fmt: skip


class _Side(NamedTuple):
    """One corpus: for each template its document, type, path and parent; then the fillers, each
    with its row and the template that it is in.
    """

    doc: IntArray
    type: Codes
    path: Codes
    parent: IntArray
    row: Codes
    template: IntArray
    optional: BoolArray
    confidence: FloatArray
    realisations: IntArray
    text: Codes
    fragments: Fragments


def _side(corpus: Corpus) -> _Side:
    if len(corpus.templates):
        table, fillers = corpus.templates, corpus.templates.fillers
        path, row = named(table)
        row = Codes(row.codes, tuple(row_names(corpus, row)))
        return _Side(
            table.doc, table.label, path, table.parent, row, fillers.template, fillers.optional,
            fillers.confidence, fillers.realisations, fillers.text, fillers.fragments,
        )  # fmt: skip
    mentions, size = corpus.mentions, len(corpus.mentions)
    types, type_of_label = implicit(corpus)
    kinds = Codes(np.tile(np.arange(len(types), dtype=np.int32), len(corpus)), types)
    return _Side(
        np.repeat(np.arange(len(corpus)), len(types)), kinds, kinds,
        np.full(len(kinds.codes), UNKNOWN, np.int32),
        Codes(int32(mentions.label), tuple(row_names(corpus, None))),
        mentions.doc * len(types) + type_of_label[mentions.label],
        np.zeros(size, bool),
        np.full(size, np.nan) if mentions.confidence is None else mentions.confidence,
        np.arange(size + 1), Codes(np.full(size, UNKNOWN, np.int32), ()), mentions.pieces(),
    )  # fmt: skip


def _as_strings(side: _Side, corpus: Corpus) -> _Side:
    """The fillers without places; those without a text have the text at their place."""
    texts = [side.text[row] for row in range(len(side.text.codes))]
    filler = np.repeat(np.arange(len(side.template)), np.diff(side.realisations))
    doc = side.doc[side.template[filler]]
    last = UNKNOWN
    words: Words = (None, None)
    for row in np.flatnonzero(side.text.codes == UNKNOWN).tolist():
        if doc[row] != last:
            last, words = int(doc[row]), corpus.words(int(doc[row]))
        texts[row] = words_at(words, side.fragments.of(row), corpus.unit or "char")
    nowhere = Fragments(np.zeros(len(texts) + 1, np.int64), *(np.empty(0, np.int32),) * 2)
    return side._replace(text=Codes.of(texts), fragments=nowhere)


def _placed(
    side: _Side, place: IntArray, labels: tuple[str, ...], types: tuple[str, ...],
    paths: tuple[str, ...],
) -> tuple[Filled, int]:  # fmt: skip
    """One side on the vocabularies of the pair, in gold's documents; and how many are left out."""
    kind = side.type.onto(types).codes
    kind = np.where(kind == UNKNOWN, types.index(""), kind)
    forms = Forms(place[side.doc], kind, side.path.onto(paths).codes, side.parent)
    row, doc = side.row.onto(labels).codes, forms.doc[side.template]
    fillers = Filled(doc, row, side.template, side.optional, side.confidence, side.realisations,
                     side.text, side.fragments, np.arange(len(row), dtype=np.int32),
                     forms)  # fmt: skip
    inside = (row != UNKNOWN) & (doc != UNKNOWN)
    if inside.all():
        return fillers, 0
    return fillers.take(np.flatnonzero(inside)), len(row) - int(np.count_nonzero(inside))


def wordless(pair: FilledPair, space: str) -> UsageError:
    """The error if texts must be compared, and a filler has only a place in an unknown text."""
    sides = ((pair.gold, pair.texts.gold), (pair.system, pair.texts.system))
    side, codes = next(each for each in sides if (each[1] == UNKNOWN).any())
    doc = int(side.doc[side.filler[np.flatnonzero(codes == UNKNOWN)[0]]])
    return UsageError(
        f"{space} compares texts, and document {shown(pair.documents.name(doc))} has a filler with "
        "a place alone and no text to read it in"
    )
