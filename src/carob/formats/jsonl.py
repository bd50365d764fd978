"""jsonl: carob's own format, one JSON object a line, one document an object."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar

from carob.corpus.build import of_documents
from carob.corpus.corpus import Corpus, Words
from carob.corpus.document import Document, linked
from carob.corpus.problems import SHOWN, InputError, Problem, UsageError, shown
from carob.corpus.record import WrongError, document_of, record_of
from carob.corpus.source import Source
from carob.corpus.tables import ATTRIBUTES, Documents, too_many_attributes
from carob.formats._json import BOM, CAROB, COMMON, DECODER, keys, lines, why
from carob.formats._plain import Plain, of_plain, plain
from carob.formats.capabilities import EVERYTHING

_BLOCK = 4096
_OBJECT = "a JSON object, one document a line"


@dataclass(frozen=True, slots=True)
class Jsonl:
    """One JSON object a line: id, text or tokens, mentions, and room for relations, clusters and
    templates.

    Positions count characters (Unicode code points) where there is a `text`, tokens where there
    are only `tokens`; `unit` says it when there is neither. The schema is docs/jsonl.schema.json.

    >>> line = b'{"id": "d1", "text": "Ann", "mentions": [{"start": 0, "end": 3, "label": "PER"}]}'
    >>> Corpus.joined(Jsonl().read(Source.of_bytes(line)))[0].mentions
    (Mention('PER', 0, 3),)
    """

    name: ClassVar[str] = "jsonl"
    extensions: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")
    holds: ClassVar[frozenset[str]] = EVERYTHING - {"relations"} | {"relations:roles"}

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we that each line is a document of carob's, from 0 to 1?

        An object with none of carob's keys and some of its own is a record. Neither is certain,
        because other tools write objects with a key `tokens` as well.

        >>> [
        ...     Jsonl.sniff(line)
        ...     for line in (b'{"mentions": []}', b'{"id": "d1"}', b'{"who": "Ann"}')
        ... ]
        [0.8, 0.4, 0.0]
        """
        if head.removeprefix(BOM).lstrip()[:1] != b"{":
            return 0.0
        found = keys(head)
        return 0.8 if found & CAROB else 0.4 if found <= COMMON else 0.0

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of documents; texts and tokens stay in the file.

        >>> [len(block) for block in Jsonl().read(Source.of_bytes(b'{"tokens": ["a"]}'))]
        [1]
        """
        pile = _Pile(source)
        empty = True
        for number, offset, raw in lines(source):
            if raw.strip():
                empty = False
                if (document := pile.read(number, raw)) is not None:
                    if len(pile.documents) >= _BLOCK or pile.other(document):
                        yield pile.block()
                    pile.add(number, offset, document)
        if empty:
            raise source.failure("K002", "an empty file", "at least one document")
        if pile.documents:
            yield pile.block()
        if pile.problems:
            raise InputError(pile.problems, pile.wrong)

    def settled(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """How the file was read: nothing to say."""
        return {}, {}

    def library(self, source: Source, documents: Documents) -> JsonlWords:
        """The texts, which stay in the file until somebody asks."""
        return JsonlWords(source, documents)

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Write everything the corpus holds.

        >>> import io
        >>> out = io.BytesIO()
        >>> Jsonl().write(Corpus.of("[Ann]PER slept"), out)
        >>> out.getvalue()
        b'{"tokens": ["Ann", "slept"], "mentions": [{"start": 0, "end": 1, "label": "PER"}]}\\n'
        """
        for document in corpus:
            record = record_of(document)
            try:
                line = json.dumps(record, ensure_ascii=False, allow_nan=False).encode()
            except UnicodeEncodeError:  # half of a surrogate pair: JSON can only escape it
                line = json.dumps(record).encode()
            except (TypeError, ValueError, RecursionError) as error:
                raise UsageError(f"jsonl cannot hold this document: {error}") from None
            out.write(line + b"\n")


class _Pile:
    """Documents on their way into a block, and everything that is wrong with the others."""

    def __init__(self, source: Source) -> None:
        self.name = source.name
        self.documents: list[Document | Plain] = []
        self.lines: list[int] = []
        self.offsets: list[int] = []
        self.problems: list[Problem] = []
        self.wrong = 0
        self.attributes: set[str] = set()
        self.ids: dict[str | None, int] = {}
        self.unit: tuple[str, int] | None = None

    def _wrong(self, line: int, code: str, found: str, expected: str) -> None:
        self.wrong += 1
        if len(self.problems) < SHOWN:
            self.problems.append(Problem(code, self.name, line, found, expected))

    @property
    def other_than_plain(self) -> bool:
        """Whether the documents that wait are not plain."""
        return not isinstance(self.documents[0], Plain)

    def other(self, document: Document | Plain) -> bool:
        """Whether a document belongs to another kind of block than those that wait."""
        return bool(self.documents) and type(document) is not type(self.documents[0])

    def add(self, line: int, offset: int, document: Document | Plain) -> None:
        self.documents.append(document)
        self.lines.append(line)
        self.offsets.append(offset)

    def read(self, line: int, raw: bytes) -> Document | Plain | None:
        try:
            record = DECODER.decode(raw.decode("utf-8"))
        except UnicodeDecodeError as error:
            self._wrong(line, "K201", f"{shown(raw[error.start : error.end])}", "UTF-8")
            return None
        except RecursionError:
            self._wrong(line, "K201", "brackets nested too deep", _OBJECT)
            return None
        except ValueError as error:
            self._wrong(line, "K201", f"{shown(raw)} ({why(error)})", _OBJECT)
            return None
        if not isinstance(record, dict):
            self._wrong(line, "K201", shown(raw), _OBJECT)
            return None
        # A block in which some document is not plain goes on as such, lest blocks get small.
        simple = None if self.documents and self.other_than_plain else plain(record)
        if simple is not None:
            return simple if self._fits(simple, line) else None
        try:
            document = document_of(record)
        except WrongError as error:
            for each in (error, *error.more):
                self._wrong(line, "K202", each.found, each.expected)
            return None
        except RecursionError:
            self._wrong(line, "K201", "brackets nested too deep", _OBJECT)
            return None
        if not self._fits(document, line, _attributes(document)):
            return None
        return document if self._linked(document, line) else None

    def _fits(
        self, document: Document | Plain, line: int, names: frozenset[str] = frozenset()
    ) -> bool:
        if document.id in self.ids:
            before = self.ids[document.id]
            if document.id is not None:
                found = f"the id {shown(document.id)}, also on line {before}"
                self._wrong(line, "K203", found, "an id of its own for each document")
                return False
        elif self.ids and (None in self.ids) != (document.id is None):
            with_or = "a document without an id" if document.id is None else "a document with an id"
            self._wrong(line, "K203", with_or, "an id on every line, or on none")
            return False
        self.ids.setdefault(document.id, line)
        if document.unit is not None:
            self.unit = self.unit or (document.unit, line)
            if self.unit[0] != document.unit:
                found = f"a document that counts {document.unit}s"
                expected = f"{self.unit[0]}s, as on line {self.unit[1]}"
                self._wrong(line, "K204", found, expected)
                return False
        if names and len(self.attributes | names) > ATTRIBUTES:
            self._wrong(line, "K009", *too_many_attributes(self.attributes | names))
            return False
        self.attributes |= names
        return True

    def _linked(self, document: Document, line: int) -> bool:
        there = {mention.id for mention in document.mentions}
        for kind in ("relations", "clusters"):
            for i, group in enumerate(getattr(document, kind)):
                for _, member in group.members:
                    if member not in there:
                        found = f"{kind}[{i}] with {shown(member)}"
                        expected = "the ids of mentions of the same document"
                        self._wrong(line, "K205", found, expected)
                        return False
        for i, template in enumerate(document.templates):
            for name in linked(template):
                if name not in there:
                    found = f"templates[{i}] with the mention {shown(name)}"
                    self._wrong(line, "K205", found, "the ids of mentions of the same document")
                    return False
        return True

    def block(self) -> Corpus:
        waiting, lines, offsets = self.documents, self.lines, self.offsets
        self.documents, self.lines, self.offsets = [], [], []
        simple = [each for each in waiting if isinstance(each, Plain)]
        if simple:
            return of_plain(simple, lines, offsets)
        whole = [each for each in waiting if isinstance(each, Document)]
        corpus = of_documents(whole, lines, offsets)
        return Corpus(
            corpus.unit, corpus.documents, corpus.mentions, corpus.labels, corpus.relations,
            corpus.clusters, corpus.templates, {}, corpus.extra,
        )  # fmt: skip


def _attributes(document: Document) -> frozenset[str]:
    """The names of all attributes of a document and its mentions."""
    names = {name for mention in document.mentions for name in mention.attributes}
    return frozenset(names.union(document.attributes))


@dataclass(frozen=True, slots=True)
class JsonlWords:
    """The texts and tokens of a jsonl file, read again when asked for."""

    source: Source
    documents: Documents

    def words(self, row: int) -> Words:
        """Text and tokens of a document."""
        rest = self.documents.offset[row + 1 :]
        stop = int(rest[0]) if len(rest) else None
        raw = self.source.between(int(self.documents.offset[row]), stop)
        record = json.loads(raw.removeprefix(BOM).split(b"\n", 1)[0].decode())
        tokens = record.get("tokens")
        return record.get("text"), None if tokens is None else tuple(tokens)

    def line(self, row: int, place: int) -> int:
        """A document is one line."""
        return int(self.documents.line[row])
