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
from operator import lt
from typing import Any

import numpy as np

from carob.arrays.columns import label_codes
from carob.corpus.build import document_hashes, of_documents
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
_LARGEST = 2**31 - 1

FillerRow = tuple[int, str, int, str | None, int, int]
"""A filler: its template, its slot, its place in the template, text, start and end (-1: none)."""
TemplateRows = tuple[list[tuple[str | None, str | None]], list[FillerRow]]
"""Label and id of each template of a document, and the fillers of all of them."""

NO_TEMPLATES: TemplateRows = ([], [])


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
    return min(document.length, _LARGEST) if document.length >= 0 else _LARGEST


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

    >>> plain_record({"id": "1", "room": ["5"], "time": None, "host": ""}, ("id",))
    (([(None, None)], [(0, 'room', 0, '5', -1, -1)]), 1)
    """
    rows: list[FillerRow] = []
    empty = 0
    for slot, value in record.items():
        if not slot:
            return None
        if slot in keys or value is None:
            continue
        for text in value if type(value) is list else (value,):
            if type(text) is str:
                if text.strip():
                    rows.append((0, slot, len(rows), text, -1, -1))
                else:
                    empty += 1
            elif text is not None:
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
        return not found

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
    sizes = [len(each.starts) for each in documents]
    label = Codes.of([label for each in documents for label in each.labels])
    ids = [name for each in documents for name in each.ids]
    known = [value for each in documents for value in each.confidences]
    confidence = None
    if any(value is not None for value in known):
        confidence = np.array([np.nan if value is None else value for value in known], np.float64)
    names = tuple(each.id for each in documents if each.id is not None)
    units = {each.unit for each in documents if each.unit is not None}
    return Corpus(
        units.pop() if units else None,
        Documents(
            int32([each.length for each in documents]),
            document_hashes(documents),
            np.cumsum([0, *(len(each.sentences) for each in documents)]),
            int32([start for each in documents for start in each.sentences]),
            np.array(lines, np.int64),
            np.array(offsets, np.int64),
            names or None,
        ),
        Mentions(
            np.repeat(np.arange(len(documents), dtype=np.int32), sizes),
            int32([start for each in documents for start in each.starts]),
            int32([end for each in documents for end in each.ends]),
            label_codes(label.codes, len(label.values)),
            confidence=confidence,
            id=tuple(ids) if any(name is not None for name in ids) else None,
        ),
        label.values,
        templates=_templates([each.templates for each in documents]),
    ).ordered()


def _templates(documents: Sequence[TemplateRows]) -> Templates:
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
        int32(list(chain.from_iterable(map(range, sizes)))),
        tuple(name for _, name in heads),
        Fillers(
            int32(int32(template) + np.repeat(np.cumsum([0, *sizes])[:-1], counts)),
            Codes.of(slot),
            np.zeros(len(rows), bool),
            np.full(len(rows), np.nan),
            np.full(len(rows), UNKNOWN, np.int32),
            int32(place),
            np.arange(len(rows) + 1),
            Codes.of(text),
            Fragments(np.append(0, np.cumsum(placed)), begin[placed], stop[placed]),
        ),
    )
