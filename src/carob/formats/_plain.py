"""Plain JSON documents, which most files have, read directly into columns: three times faster.

A plain document has an id, a text or tokens, sentences, mentions with a start, an end, a label, an
id and a confidence, and templates with slots of texts or of objects with a text and a place.
Everything else, and everything that is wrong, goes to `carob.corpus.record` and `records.py`,
which have all the rules and all the messages.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import gt, lt
from typing import Any

import numpy as np

from carob.arrays.columns import label_codes
from carob.arrays.hashing import hash_lists
from carob.arrays.ranges import rows_of
from carob.arrays.types import HashArray, IntArray
from carob.corpus.build import of_documents, text_hashes
from carob.corpus.corpus import Corpus
from carob.corpus.document import Document
from carob.corpus.problems import Problems, shown
from carob.corpus.tables import (
    UNKNOWN,
    Codes,
    Documents,
    Fillers,
    Fragments,
    Mentions,
    Templates,
    int32,
)

BLOCK = 4096
"""How many documents a block has."""

_KEYS = frozenset({"id", "text", "tokens", "sentences", "mentions", "templates"})
_TEMPLATE = frozenset({"id", "label", "slots"})
_FILLER = frozenset({"text", "start", "end"})
LARGEST_POSITION = 2**31 - 1
"""The last position that a column can hold."""

FillerRow = tuple[int, str, int, str | None, int, int]
"""A filler: its template, its slot, its place in the template, text, start and end (-1: none)."""
TemplateRows = tuple[list[tuple[str | None, str | None]], list[FillerRow]]
"""Label and id of each template of a document, and the fillers of all of them."""

NO_TEMPLATES: TemplateRows = ([], [])
NO_LABELS = Codes.of(())


@dataclass(slots=True, eq=False)
class Plain:
    """A plain document: its words, its mentions as columns, its templates as rows."""

    id: str | None
    text: str | None
    tokens: list[str] | None
    sentences: list[int]
    starts: list[int]
    ends: list[int]
    labels: list[str]
    ids: list[str | None]
    confidences: list[float | None]
    templates: TemplateRows = NO_TEMPLATES

    @property
    def unit(self) -> str | None:
        """What positions count."""
        return "char" if self.text is not None else "token" if self.tokens is not None else None

    @property
    def length(self) -> int:
        """How many positions there are, -1 if that is not known."""
        words = self.tokens if self.text is None else self.text
        return -1 if words is None else len(words)


def plain_document(record: Mapping[str, Any]) -> Plain | None:
    """The document of an object, if it is a plain one.

    >>> plain_document({"text": "Ann", "mentions": [{"start": 0, "end": 3, "label": "PER"}]}).ends
    [3]
    >>> plain_document({"text": "A", "mentions": [{"start": 0, "end": 4, "label": "PER"}]}) is None
    True
    """
    if not record.keys() <= _KEYS:
        return None
    mentions = record.get("mentions", [])
    try:
        document = Plain(
            record.get("id"),
            record.get("text"),
            record.get("tokens"),
            record.get("sentences", []),
            [mention["start"] for mention in mentions],
            [mention["end"] for mention in mentions],
            [mention["label"] for mention in mentions],
            [mention.get("id") for mention in mentions],
            [mention.get("confidence") for mention in mentions],
        )
        sizes = [3 + ("id" in mention) + ("confidence" in mention) for mention in mentions]
    except (AttributeError, KeyError, TypeError):
        return None
    if type(mentions) is not list or sizes != list(map(len, mentions)) or not _is_valid(document):
        return None
    if "templates" in record:
        templates = plain_templates(record["templates"], _last_position(document))
        if templates is None:
            return None
        document.templates = templates
    return document


def _last_position(document: Plain) -> int:
    return min(document.length, LARGEST_POSITION) if document.length >= 0 else LARGEST_POSITION


def _is_valid(document: Plain) -> bool:
    """Whether every value has the type and the range that it must have."""
    if not _all([document.id, document.text], str, type(None)):
        return False
    tokens, sentences = document.tokens, document.sentences
    if tokens is not None and not (type(tokens) is list and _all(tokens, str)):
        return False
    top = _last_position(document)
    if type(sentences) is not list or not _all(sentences, int):
        return False
    if sentences and not (sentences[0] >= 0 and sentences[-1] <= top and _rising(sentences)):
        return False
    starts, ends = document.starts, document.ends
    if not starts:
        return True
    if not _all(document.labels, str) or "" in document.labels or not _all([*starts, *ends], int):
        return False
    if min(starts) < 0 or max(ends) > top or not all(map(lt, starts, ends)):
        return False
    ids = [name for name in document.ids if name is not None]
    if not _all(ids, str) or len(set(ids)) < len(ids):
        return False
    known = [value for value in document.confidences if value is not None]
    return _all(known, int, float) and all(abs(value) <= sys.float_info.max for value in known)


def _all(values: Sequence[Any], *types: type) -> bool:
    """Whether all values are exactly of these types: True is an int, and no position."""
    return set(map(type, values)) <= set(types)


def _rising(values: Sequence[int]) -> bool:
    return all(map(lt, values, values[1:]))


def plain_templates(templates: Any, top: int) -> TemplateRows | None:
    """The templates of a document, if they are plain; places end at `top` at the latest.

    >>> plain_templates([{"label": "talk", "slots": {"room": ["5"]}}], 9)
    ([('talk', None)], [(0, 'room', 0, '5', -1, -1)])
    >>> plain_templates([{"slots": {"room": [{"start": 5, "end": 12}]}}], 9) is None
    True
    """
    if type(templates) is not list:
        return None
    heads: list[tuple[str | None, str | None]] = []
    rows: list[FillerRow] = []
    for number, template in enumerate(templates):
        if type(template) is not dict or not template.keys() <= _TEMPLATE:
            return None
        label, name = template.get("label", ""), template.get("id")
        slots = template.get("slots", {})
        if type(label) is not str or type(slots) is not dict or not _all([name], str, type(None)):
            return None
        heads.append((label or None, name))
        at = 0
        for slot, fillers in slots.items():
            if not slot or type(fillers) is not list:
                return None
            for filler in fillers:
                place = (filler, -1, -1) if type(filler) is str else _text_and_place(filler, top)
                if place is None or (place[0] is not None and not place[0].strip()):
                    return None
                rows.append((number, slot, at, *place))
                at += 1
    return heads, rows


def _text_and_place(filler: Any, top: int) -> tuple[str | None, int, int] | None:
    """Text, start and end of a filler that is an object."""
    if type(filler) is not dict or not filler.keys() <= _FILLER:
        return None
    text, start, end = filler.get("text"), filler.get("start", -1), filler.get("end", -1)
    if not _all([text], str, type(None)) or not _all([start, end], int):
        return None
    placed = 0 <= start < end <= top
    if not placed and (text is None or "start" in filler or "end" in filler):
        return None
    return text, start, end


def plain_record(record: Mapping[str, Any], keys: Sequence[str]) -> tuple[TemplateRows, int] | None:
    """The template that a plain object is, without these keys, and how many texts are empty.

    >>> plain_record({"id": "1", "room": "5"}, ("id",))
    (([(None, None)], [(0, 'room', 0, '5', -1, -1)]), 0)
    """
    rows: list[FillerRow] = []
    empty = 0
    for slot, value in record.items():
        if not slot:
            return None
        if slot in keys:
            continue
        if value is None or type(value) is list:
            return None
        for text in (value,):
            if type(text) is str:
                if text.strip():
                    rows.append((0, slot, len(rows), text, -1, -1))
                else:
                    return None
            else:  # numbers, and slots that are known to be empty, are left to the careful path
                return None
    return (([(None, None)], rows) if rows else NO_TEMPLATES), empty


class Blocks:
    """Collects the documents of a file into blocks, either of plain documents or of others."""

    def __init__(self, problems: Problems, code: str, place: str) -> None:
        self.problems, self.code, self.place = problems, code, place
        self.facts: Counter[str] = Counter()
        self.ids: dict[str | None, int] = {}
        self._documents: list[Document | Plain] = []
        self._lines: list[int] = []
        self._offsets: list[int] = []

    @property
    def take_plain(self) -> bool:
        """Whether the next document may be plain: a block that holds others goes on with them,
        because blocks would become small where both kinds alternate.
        """
        return not self._documents or isinstance(self._documents[0], Plain)

    def accepts(self, id: str | None, line: int) -> bool:
        """Whether the id is new, and all documents have one or none has; else it is a problem."""
        found = expected = ""
        if id is not None and id in self.ids:
            found = f"the id {shown(id)}, also on line {self.ids[id]}"
            expected = "an id of its own for each document"
        elif self.ids and (None in self.ids) != (id is None):
            found = f"a document with{'out' if id is None else ''} an id"
            expected = f"an id {self.place}"
        self.ids.setdefault(id, line)
        if found:
            self.problems.add(self.code, line, found, expected)
        # What is said once about ids is not said again, but such documents fit into no block.
        return not found and (id is None) == (next(iter(self.ids)) is None)

    def accepts_block(self, block: Corpus) -> bool:
        """Whether all documents of a block have new ids, or none has one, as those before; if not,
        they must be looked at one by one.
        """
        names, lines = block.documents.id, block.documents.line.tolist()
        fresh: dict[str | None, int] = {None: lines[0]}
        if names is not None:
            fresh = dict(zip(names, lines, strict=False))
        known = self.ids.keys()
        if names is None:
            fits = not known or None in known
        else:
            fits = len(fresh) == len(lines) and None not in known and known.isdisjoint(fresh)
        if fits and not (names is None and known):
            self.ids.update(fresh)
        return fits

    def add(self, document: Document | Plain, line: int, offset: int) -> Iterator[Corpus]:
        """Take a document; yields the block before it if that is complete."""
        waiting = self._documents
        if waiting and (len(waiting) >= BLOCK or type(document) is not type(waiting[0])):
            yield from self.rest()
        self._documents.append(document)
        self._lines.append(line)
        self._offsets.append(offset)

    def rest(self) -> Iterator[Corpus]:
        """The documents that wait, as a block."""
        plain = [each for each in self._documents if isinstance(each, Plain)]
        others = [each for each in self._documents if isinstance(each, Document)]
        if plain:
            yield replace(_corpus(plain, self._lines, self._offsets), facts=self.facts)
        elif others:
            corpus = of_documents(others, self._lines, self._offsets)
            yield replace(corpus, library=None, facts=self.facts)
        self._documents, self._lines, self._offsets = [], [], []
        self.facts = Counter()


def _corpus(documents: Sequence[Plain], lines: Sequence[int], offsets: Sequence[int]) -> Corpus:
    def flat(name: str) -> list[Any]:
        return list(chain.from_iterable(getattr(each, name) for each in documents))

    columns = Columns(
        WordColumns.of([each.text for each in documents], [each.tokens for each in documents]),
        [each.id for each in documents], [each.sentences for each in documents],
        [len(each.starts) for each in documents],
        flat("starts"), flat("ends"), Codes.of(flat("labels")), flat("ids"), flat("confidences"),
    )  # fmt: skip
    return columns.corpus(lines, offsets, template_table([each.templates for each in documents]))


@dataclass(slots=True, eq=False)
class WordColumns:
    """The words of documents: what positions count (several units, if the documents do not belong
    together), how many there are (-1: not known), and a hash (0: not known).
    """

    units: set[str]
    lengths: IntArray
    hashes: HashArray

    @classmethod
    def of(cls, texts: Sequence[str | None], tokens: Sequence[Sequence[str] | None]) -> WordColumns:
        """The columns of these texts or tokens, or both, or neither.

        >>> WordColumns.of([None, None], [["Ann", "Lee"], None]).lengths
        array([ 2, -1], dtype=int32)
        """
        lists = [each for each in tokens if each is not None]
        return cls.of_counted(texts, tokens, int32(map(len, lists)), hash_lists(lists))

    @classmethod
    def of_counted(
        cls, texts: Sequence[str | None], tokens: Sequence[Any], sizes: IntArray, hashes: HashArray
    ) -> WordColumns:
        """The same for tokens that are already counted and hashed, where they are not None."""
        columns = cls(
            set(), np.full(len(texts), UNKNOWN, np.int32), np.zeros(len(texts), np.uint64)
        )
        if texts.count(None) == tokens.count(None) == len(texts):  # most records have neither
            return columns
        with_text = [text is not None for text in texts]
        with_tokens = [each is not None for each in tokens]
        columns.lengths[with_tokens], columns.hashes[with_tokens] = sizes, hashes
        # Positions are characters wherever there is a text, whether or not there are tokens.
        known = [text for text in texts if text is not None]
        columns.lengths[with_text] = [len(text) for text in known]
        columns.hashes[with_text] = text_hashes(known)
        if any(with_text):
            columns.units.add("char")
        if any(map(gt, with_tokens, with_text)):
            columns.units.add("token")
        return columns


@dataclass(slots=True, eq=False)
class Columns:
    """Plain documents, and the mentions of all of them. `sizes` are how many each has."""

    words: WordColumns
    names: Sequence[str | None]
    sentences: Sequence[Sequence[int]]
    sizes: Sequence[int] | IntArray
    starts: Sequence[int] | IntArray = ()
    ends: Sequence[int] | IntArray = ()
    labels: Codes = NO_LABELS
    ids: Sequence[str | None] = ()
    confidences: Sequence[float | None] = ()

    def is_valid(self) -> bool:
        """Whether places lie within their documents, sentences are in order, ids differ within a
        document, and confidences are finite. The types of the values have been checked before.
        """
        lengths = self.words.lengths
        tops = np.where(lengths < 0, LARGEST_POSITION, lengths)
        start, end, border = int32(self.starts), int32(self.ends), _flat(self.sentences)
        counts = [len(each) for each in self.sentences]
        doc = np.repeat(np.arange(len(counts)), counts)
        known = [value for value in self.confidences if value is not None]
        ids = []
        if self.ids.count(None) < len(self.ids):
            every = zip(_repeated(self.sizes).tolist(), self.ids, strict=True)
            ids = [pair for pair in every if pair[1] is not None]
        return bool(
            (start < end).all()
            and (end <= np.repeat(tops, self.sizes)).all()
            and (border <= tops[doc]).all()
            and ((border[1:] > border[:-1]) | (doc[1:] > doc[:-1])).all()
            and len(set(ids)) == len(ids)
            and np.isfinite(known).all()
            and len(self.words.units) <= 1
        )

    def corpus(
        self,
        lines: Sequence[int] | IntArray,
        offsets: Sequence[int] | IntArray,
        templates: Templates,
    ) -> Corpus:
        """The corpus, for documents that stand at these places in their file."""
        confidence = None
        if len(self.confidences) > self.confidences.count(None):
            numbers = [np.nan if value is None else value for value in self.confidences]
            confidence = np.array(numbers, np.float64)
        names = tuple(name for name in self.names if name is not None)
        return Corpus(
            next(iter(self.words.units), None),
            Documents(
                self.words.lengths,
                self.words.hashes,
                np.cumsum([0, *map(len, self.sentences)]),
                _flat(self.sentences),
                np.array(lines, np.int64),
                np.array(offsets, np.int64),
                names or None,
            ),
            Mentions(
                int32(_repeated(self.sizes)),
                int32(self.starts),
                int32(self.ends),
                label_codes(self.labels.codes, len(self.labels.values)),
                confidence=confidence,
                id=tuple(self.ids) if len(self.ids) > self.ids.count(None) else None,
            ),
            self.labels.values,
            templates=templates,
        ).ordered()


def _flat(lists: Sequence[Sequence[int]]) -> IntArray:
    return int32(chain.from_iterable(lists))


def _repeated(sizes: Sequence[int] | IntArray) -> IntArray:
    return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)


def template_table(documents: Sequence[TemplateRows]) -> Templates:
    """The templates of all documents.

    >>> len(template_table([NO_TEMPLATES, ([(None, None)], [(0, "room", 0, "5", -1, -1)])]))
    1
    """
    heads = list(chain.from_iterable(head for head, _ in documents))
    if not heads:
        return Templates.none()
    sizes = [len(head) for head, _ in documents]
    counts = [len(rows) for _, rows in documents]
    rows = list(chain.from_iterable(rows for _, rows in documents))
    template, slot, place, text, start, end = list(zip(*rows, strict=True)) or [()] * 6
    begin, stop = int32(start), int32(end)
    placed = begin != UNKNOWN
    none = np.full(len(heads), UNKNOWN, np.int32)
    return Templates(
        np.repeat(np.arange(len(documents), dtype=np.int32), sizes),
        Codes.of([label for label, _ in heads]),
        none,
        Codes(none, ()),
        int32(rows_of(0, np.array(sizes, np.int64))),
        tuple(name for _, name in heads),
        Fillers(
            int32(int32(template) + np.repeat(np.cumsum([0, *sizes])[:-1], counts)),
            Codes.of(slot),
            np.zeros(len(rows), bool),
            np.full(len(rows), np.nan),
            np.full(len(rows), UNKNOWN, np.int32),
            int32(place),
            np.arange(len(rows) + 1, dtype=np.int32),
            Codes.numbered(text),
            Fragments(np.append(0, np.cumsum(placed)), begin[placed], stop[placed]),
        ),
    )
