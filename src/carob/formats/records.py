"""records: plain JSON objects, as language models return them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, ClassVar

from carob.corpus.build import of_documents
from carob.corpus.corpus import Corpus, Words
from carob.corpus.document import Document
from carob.corpus.folder import ending
from carob.corpus.problems import SHOWN, UsageError, shown
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.formats._json import BOM, CAROB, COMMON, keys
from carob.formats._plain import Plain, of_plain
from carob.formats._plain_slots import record_forms
from carob.formats._records import FENCE, Found, Path, Shape, objects, record_of, text_of
from carob.formats._text import Problems, signed, unsigned
from carob.formats.capabilities import fitted, refused

_BLOCK = 4096
_LISTED = re.compile(rb'\s*\[\s*\{\s*["}]')


@dataclass(frozen=True, slots=True)
class Records:
    """One plain JSON object a document: its keys are slots, its values fill them.

    A text fills a slot, a list of texts fills it several times, an object is a template of its
    own; null, an empty list and an empty text fill nothing. A file holds one object a line, one
    list of objects, or one object; in a folder of ID.json files the names are the ids. The keys
    `id` and `text` are those of the document; `id=`, `text=` name others, so that a slot can be
    called so, and `label=` names the key that holds the type of a template. An empty name is no
    key at all. This is what a language model returns that was asked for JSON; the task is the
    slot filling of Lavelli et al. (2008), "Evaluation of machine learning-based information
    extraction algorithms".

    >>> source = Source.of_bytes(b'{"speaker": ["Ann", "Bo"], "place": {"room": "5"}}')
    >>> Corpus.joined(Records().read(source))[0].templates[0].slots["speaker"]
    (Filler(text='Ann'), Filler(text='Bo'))
    """

    id: str = "id"
    text: str = "text"
    label: str = ""

    name: ClassVar[str] = "records"
    extensions: ClassVar[tuple[str, ...]] = (".json",)
    holds: ClassVar[frozenset[str]] = frozenset({
        "mentions:none", "templates:nested", "document ids", "text", "units:char", "units:token",
    })  # fmt: skip

    def __post_init__(self) -> None:
        used = [word for word in (self.id, self.text, self.label) if word]
        if len(set(used)) < len(used):
            raise UsageError("id, text and label are keys of their own, and two are the same")

    @property
    def held(self) -> frozenset[str]:
        """What a record with these keys has a place for.

        >>> "templates:types" in Records.holds, "templates:types" in Records(label="kind").held
        (False, True)
        """
        lacks = {word for word, key in (("document ids", self.id), ("text", self.text)) if not key}
        return self.holds - lacks | ({"templates:types"} if self.label else set())

    @property
    def _shape(self) -> Shape:
        return Shape(self.id, self.text, self.label)

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we that these are plain objects, from 0 to 1?

        >>> [Records.sniff(line) for line in (b'{"who": "Ann"}', b'{"mentions": []}', b"Ann O")]
        [1.0, 0.0, 0.0]
        """
        start = head.removeprefix(BOM).lstrip()
        if FENCE.match(start[:3].decode("utf-8", "replace")):
            return 0.95 if re.match(rb"\S*\s*[{\[]", start[3:]) else 0.0
        if start[:1] == b"{":
            found = keys(head)
            return 0.0 if found & CAROB else 0.3 if found <= COMMON else 1.0
        return 0.95 if _LISTED.match(start) else 0.2 if start.rstrip() == b"[]" else 0.0

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of documents; texts stay in the file.

        >>> [len(block) for block in Records().read(Source.of_bytes(b'[{"a": "x"}, {"a": "y"}]'))]
        [2]
        """
        problems = Problems()
        pile = _Pile(source, problems, self._shape)
        for found in objects(source, problems):
            pile.add(found)
            yield from pile.ready
            pile.ready.clear()
            if len(pile.documents) >= _BLOCK:
                yield pile.block()
        problems.check()
        if not pile.ids:
            raise source.failure("K002", "an empty file", "at least one document")
        if pile.documents:
            yield pile.block()

    def settled(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """Which keys were those of the document, and how many texts were empty."""
        names = {"id_key": self.id, "text_key": self.text, "label_key": self.label}
        said = {key: signed(name) for key, name in names.items()}
        return said, {"empty_texts": facts.get("empty_texts", 0)}

    @staticmethod
    def told(said: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again, from what `settled` said.

        >>> Records.told({"id_key": "nr", "text_key": "text", "label_key": "-"})
        {'id': 'nr', 'text': 'text', 'label': ''}
        """
        words = ("id", "text", "label")
        return {word: unsigned(said[f"{word}_key"]) for word in words}

    def library(self, source: Source, documents: Documents) -> RecordsWords:
        """The texts, which stay in the file until somebody asks."""
        return RecordsWords(source, documents, self._shape)

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Write one object a line.

        >>> import io
        >>> out, slots = io.BytesIO(), {"speaker": ["Ann", "Bo"], "stime": ["3:30"]}
        >>> Records().write(Corpus.of({"id": "d1", "templates": [{"slots": slots}]}), out)
        >>> out.getvalue()
        b'{"id": "d1", "speaker": ["Ann", "Bo"], "stime": "3:30"}\\n'
        """
        refused("records", fitted(corpus, self.held)[1])
        for document in corpus:
            record = record_of(document, self._shape)
            try:
                line = json.dumps(record, ensure_ascii=False).encode()
            except UnicodeEncodeError:  # half of a surrogate pair: JSON can only escape it
                line = json.dumps(record).encode()
            out.write(line + b"\n")


class _Pile:
    """Documents on their way into a block."""

    def __init__(self, source: Source, problems: Problems, shape: Shape) -> None:
        self.name, self.problems, self.shape = source.name, problems, shape
        self.documents: list[Document | Plain] = []
        self.ready: list[Corpus] = []
        self.lines: list[int] = []
        self.offsets: list[int] = []
        self.ids: dict[str | None, int] = {}
        self.empty = 0
        stem, end = ending(source.inside or "")
        self.stem = stem if end == ".json" else None

    def add(self, found: Found) -> None:
        # A block in which some document is not plain goes on as such, lest blocks get small.
        sticky = self.documents and not isinstance(self.documents[0], Plain)
        simple = None if sticky or self.shape.label else self._plain(found.value, found.alone)
        if simple is not None:
            if self._fits(simple[0].id, found.line) and not self.problems.total:
                self.empty += simple[1]
                self._keep(simple[0], found.line, found.offset)
            return

        def wrong(path: Path, what: str, expected: str, hint: str) -> None:
            known = self.problems.total < SHOWN  # a search for each of a million would take days
            line = found.line_of(path) if known else found.line
            self.problems.add("K212", self.name, line, what, expected, hint)

        stem = self.stem if found.alone else None
        document, empty = self.shape.document(found.value, wrong, stem)
        self.empty += empty
        if self._fits(document.id, found.line) and not self.problems.total:
            if self.documents and not sticky:
                self.ready.append(self.block())
            self._keep(document, found.line, found.offset)

    def _plain(self, value: Mapping[str, Any], alone: bool) -> tuple[Plain, int] | None:
        """The document of an object without anything that needs a closer look."""
        name = value.get(self.shape.id) if self.shape.id else None
        text = value.get(self.shape.text) if self.shape.text else None
        if (name is not None and type(name) is not str) or type(text) not in (str, type(None)):
            return None
        found = record_forms(value, (self.shape.id, self.shape.text))
        if found is None:
            return None
        name = self.stem if alone and name is None else name
        return Plain(name, text, None, [], [], [], [], [], [], found[0]), found[1]

    def _keep(self, document: Document | Plain, line: int, offset: int) -> None:
        self.documents.append(document)
        self.lines.append(line)
        self.offsets.append(offset)

    def _fits(self, name: str | None, line: int) -> bool:
        found = expected = ""
        if name is not None and name in self.ids:
            found = f"the id {shown(name)}, also on line {self.ids[name]}"
            expected = "an id of its own for each document"
        elif self.ids and (None in self.ids) != (name is None):
            found = f"a document with{'out' if name is None else ''} an id"
            expected = "an id in every object, or in none"
        self.ids.setdefault(name, line)
        if found:
            self.problems.add("K213", self.name, line, found, expected)
        return not found

    def block(self) -> Corpus:
        simple = [each for each in self.documents if isinstance(each, Plain)]
        if simple:
            corpus = of_plain(simple, self.lines, self.offsets)
        else:
            whole = [each for each in self.documents if isinstance(each, Document)]
            corpus = of_documents(whole, self.lines, self.offsets)
        facts = {"empty_texts": self.empty}
        self.documents, self.lines, self.offsets, self.empty = [], [], [], 0
        return replace(corpus, library=None, facts=facts)


@dataclass(frozen=True, slots=True)
class RecordsWords:
    """The texts of a file, read again when asked for."""

    source: Source
    documents: Documents
    shape: Shape

    def words(self, row: int) -> Words:
        """The text of a document."""
        rest = self.documents.offset[row + 1 :]
        stop = int(rest[0]) if len(rest) else None
        return text_of(self.source.between(int(self.documents.offset[row]), stop), self.shape), None

    def line(self, row: int, place: int) -> int:
        """The line on which the object begins."""
        return int(self.documents.line[row])
