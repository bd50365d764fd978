"""Filled: the slots of gold and system, on one vocabulary: what slot spaces count.

A corpus that has templates is counted by them. One that has only mentions is one template a
document, without a type: the label of a mention is the slot that it fills.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.corpus.corpus import Corpus, Words
from carob.corpus.problems import UsageError, shown
from carob.corpus.tables import UNKNOWN, Codes, Documents, Fragments, int32, joined_codes, spread
from carob.pair.grounding import Grounded, grounded
from carob.pair.template_types import implicit, named, row_names, slot_labels, typed


def fold(text: str) -> str:
    """A text as it is compared: without case, with single white space, in Unicode's NFKC form.

    >>> fold(" Joel\\n S. BIRNBAUM "), fold("ﬁne")
    ('joel s. birnbaum', 'fine')
    """
    if text.isascii():
        return " ".join(text.lower().split())
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", plain).split())


@dataclass(frozen=True, slots=True, eq=False)
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


@dataclass(frozen=True, slots=True, eq=False)
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

    def without_alternatives(self) -> Filled:
        """The fillers with only their own text and place, without alternatives."""
        own = self.realisations[:-1]
        return replace(
            self,
            realisations=np.arange(len(self) + 1),
            raw=self.raw.take(own),
            fragments=self.fragments.take(own),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """The folded text of every realisation of both sides, as codes of `values` (-1: unknown)."""

    gold: IntArray
    system: IntArray
    values: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class FilledPair:
    """The slots of gold and system. `words` gives text and tokens of a document of gold.
    `ignored` counts the fillers of templates that were left out; `remarks` report how types were
    adjusted.

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
    ignored: int = 0
    paths: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def cells(self, side: str) -> IntArray:
        """For each filler of a side the number of its cell, that is document and row."""
        table: Filled = getattr(self, side)
        # NumPy 1 keeps int32 when a column is multiplied by a number, and overflows.
        return table.doc.astype(np.int64) * len(self.labels) + table.label

    @cached_property
    def texts(self) -> Texts:
        """The folded texts; if a filler has only a place, the text is read there."""
        gold, system = self._texts_of(self.gold), self._texts_of(self.system)
        both = joined_codes([gold, system])
        return Texts(both.codes[: len(gold.codes)], both.codes[len(gold.codes) :], both.values)

    @cached_property
    def grounded(self) -> Grounded:
        """The places of both sides; fillers that have only a text are located in the document."""
        return grounded(self.gold, self.system, self.words, self.unit)

    @property
    def ungrounded(self) -> BoolArray:
        """Which system fillers have no place, and a text that is not found in the document."""
        return self.grounded.ungrounded

    @property
    def unread(self) -> bool:
        """Whether no system filler can be checked against a text."""
        unknown = self.grounded.unknown
        return bool(unknown.any()) and bool(unknown.all())

    def _texts_of(self, side: Filled) -> Codes:
        folded = Codes.of([*map(fold, side.raw.values), None])
        own = Codes(folded.codes[side.raw.codes], folded.values)
        looked_up: list[str | None] = []
        places = side.fragments
        silent = np.flatnonzero((side.raw.codes == UNKNOWN) & (np.diff(places.offsets) > 0))
        doc = side.doc[side.filler[silent]]
        known, document = UNKNOWN, None
        for row, here in zip(silent.tolist(), doc.tolist(), strict=True):
            if here != known:
                known, document = here, self.words(here)
            assert document is not None
            found = words_at(document, places.of(row), self.unit)
            looked_up.append(None if found is None else fold(found))
        if not looked_up:
            return own
        both = joined_codes([own, Codes.of(looked_up)])
        codes, more = both.codes[: len(own.codes)], both.codes[len(own.codes) :]
        codes[silent] = more
        return Codes(codes, both.values)


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
) -> FilledPair:
    """The slots of a pair of corpora; `place` is the gold document of each system document.

    Types are made comparable (`typed`). `labels` are the rows; with `only`, fillers of other rows
    are left out and counted.
    """
    both = typed(gold, system)
    gold, system = both.gold, both.system
    asked = set(labels or ())
    tagset = tuple(sorted(asked if only else {*asked, *slot_labels(gold), *slot_labels(system)}))
    sides = [_side(corpus) for corpus in (gold, system)]
    types = tuple(sorted({name for forms, _, _ in sides for name in forms}))
    paths = tuple(sorted({name for _, paths, _ in sides for name in paths.values}))
    same = np.arange(len(gold), dtype=np.int32)
    parts = [
        _placed(side, corpus, moved, tagset, types, paths)
        for side, corpus, moved in zip(sides, (gold, system), (same, place), strict=True)
    ]
    unit = gold.unit or system.unit or "char"
    theirs = {int(ours): row for row, ours in enumerate(place.tolist()) if ours != UNKNOWN}

    def words(row: int) -> Words:
        text, tokens = gold.words(row)
        known = text if unit == "char" else tokens
        if known is None and system.library is not None and row in theirs:
            return system.words(theirs[row])
        return text, tokens

    (ours, _), (others, _) = parts
    # Mentions that are left out are counted as mentions.
    lost = sum(part[1] for part, side in zip(parts, sides, strict=True) if side[2] is not None)
    return FilledPair(ours, others, tagset, types, gold.documents, unit, words, lost, paths,
                      both.remarks)  # fmt: skip


_Side = tuple[tuple[str, ...], Codes, Any]


def _side(corpus: Corpus) -> _Side:
    """Types, paths of templates, and rows of fillers of one corpus."""
    if not len(corpus.templates):
        types, _ = implicit(corpus)
        kinds = np.tile(np.arange(len(types), dtype=np.int32), len(corpus))
        return ("", *types), Codes(kinds, types), None
    paths, rows = named(corpus.templates)
    return ("", *corpus.templates.label.values), paths, rows


def _placed(
    side: _Side, corpus: Corpus, place: IntArray, labels: tuple[str, ...], types: tuple[str, ...],
    paths: tuple[str, ...],
) -> tuple[Filled, int]:  # fmt: skip
    """One side on the vocabularies of the pair, in gold's documents; and how many are left out."""
    _, path, rows = side
    code = {label: i for i, label in enumerate(labels)}
    if rows is None:
        found = _of_mentions(corpus)
        own = [code.get(label, UNKNOWN) for label in row_names(corpus, rows)]
        row = int32([*own, UNKNOWN])[corpus.mentions.label]
        kinds, which = implicit(corpus)
        kind = int32([types.index(name) for name in path.values])[path.codes]
        forms = Forms(np.repeat(place, len(kinds)), kind, path.onto(paths).codes,
                      np.full(len(kind), UNKNOWN, np.int32))  # fmt: skip
        home = corpus.mentions.doc * len(kinds) + which[corpus.mentions.label]
        filled_in = (home, *found)
    else:
        table, fillers = corpus.templates, corpus.templates.fillers
        own = [code.get(label, UNKNOWN) for label in row_names(corpus, rows)]
        row = int32([*own, UNKNOWN])[rows.codes]
        kinds_ = int32([*(types.index(name) for name in table.label.values), types.index("")])
        kind = kinds_[table.label.codes]
        forms = Forms(place[table.doc], kind, path.onto(paths).codes, table.parent)
        filled_in = (fillers.template, fillers.optional, fillers.confidence, fillers.realisations,
                     fillers.text, fillers.fragments)  # fmt: skip
    template, optional, confidence, offsets, text, fragments = filled_in
    inside = np.flatnonzero((row != UNKNOWN) & (forms.doc[template] != UNKNOWN))
    lost = len(row) - len(inside)
    made = Filled(forms.doc[template], row, template, optional, confidence, offsets, text,
                  fragments, np.arange(len(row), dtype=np.int32), forms)  # fmt: skip
    return (made.take(inside) if lost else made), lost


def _of_mentions(corpus: Corpus) -> tuple[BoolArray, FloatArray, IntArray, Codes, Fragments]:
    table = corpus.mentions
    size = len(table)
    confidence = np.full(size, np.nan) if table.confidence is None else table.confidence
    silent = Codes(np.full(size, UNKNOWN, np.int32), ())
    return np.zeros(size, bool), confidence, np.arange(size + 1), silent, table.pieces()


def wordless(pair: FilledPair, space: str) -> UsageError:
    """The error if texts must be compared, and a filler has only a place in an unknown text."""
    sides = ((pair.gold, pair.texts.gold), (pair.system, pair.texts.system))
    side, codes = next(each for each in sides if (each[1] == UNKNOWN).any())
    doc = int(side.doc[side.filler[np.flatnonzero(codes == UNKNOWN)[0]]])
    return UsageError(
        f"{space} compares texts, and document {shown(pair.documents.name(doc))} has a filler with "
        "a place alone and no text to read it in"
    )
