"""jsonl: carob's own format, one JSON object a line, one document an object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar

import numpy as np

from carob.corpus.corpus import Corpus, Words
from carob.corpus.document import Document, linked_mentions
from carob.corpus.problems import Problems, UsageError, shown
from carob.corpus.record import WrongError, document_of, record_of
from carob.corpus.source import Source
from carob.corpus.tables import ATTRIBUTES, Documents, too_many_attributes
from carob.formats import json_text
from carob.formats._answers import check_locate, signed_locate
from carob.formats._objects import items
from carob.formats._plain import Blocks, Plain, plain_document
from carob.formats._text import BOM, FileWords, bytes_of
from carob.formats._typed import Lines, blocks_of_lines, plain_documents, words_of, words_of_record
from carob.formats.capabilities import EVERYTHING


@dataclass(frozen=True, slots=True)
class Jsonl:
    """One JSON object a line: id, text or tokens, mentions, and room for relations, clusters and
    templates.

    Positions count characters (Unicode code points) where there is a `text`, tokens where there
    are only `tokens`; `unit` says it when there is neither. The schema is docs/jsonl.schema.json.
    A file may also be one list of such objects. `locate` (all, first or once) says where fillers
    without places are mentions, if gold has mentions and no templates.

    >>> line = b'{"id": "d1", "text": "Ann", "mentions": [{"start": 0, "end": 3, "label": "PER"}]}'
    >>> Corpus.joined(Jsonl().read(Source.of_bytes(line)))[0].mentions
    (Mention('PER', 0, 3),)
    """

    locate: str = "all"

    name: ClassVar[str] = "jsonl"
    extensions: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")
    signs: ClassVar[str] = "{"
    holds: ClassVar[frozenset[str]] = EVERYTHING - {"relations"} | {"relations:roles"}

    def __post_init__(self) -> None:
        check_locate(self.locate)

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we that each line is a document of carob's, from 0 to 1?

        An object with other keys and none of carob's is a record. Neither is certain, because other
        tools write objects with a key `tokens` as well.

        >>> [Jsonl.sniff(line) for line in (b'{"mentions": []}', b'{"id": "1"}', b'{"who": "A"}')]
        [0.95, 0.4, 0.0]
        """
        listed = json_text.is_list_of_objects(head)
        if not listed and head.removeprefix(BOM).lstrip()[:1] != b"{":
            return 0.0
        names = json_text.keys(head)
        known = names & json_text.own_keys(head)
        if known:
            return 0.95 if known & json_text.OWN else 0.8
        return 0.4 if names <= json_text.COMMON and not listed else 0.0

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of documents; texts and tokens stay in the file. A list of documents is read, too,
        if it is not too large to be read at once.

        >>> [len(block) for block in Jsonl().read(Source.of_bytes(b'{"tokens": ["a"]}'))]
        [1]
        """
        problems = Problems(source.name)
        reader = _Reader(problems)
        if _is_list(source):
            decoder = json_text.FINITE_AS_WRITTEN
            for item in items(source, problems, "K201", decoder=decoder):
                document = reader.checked(item.value, item.line)
                if document is not None:
                    yield from reader.blocks.add(document, item.line, item.offset)
            yield from reader.blocks.rest()
            problems.check()
            return
        empty = True
        for lines in blocks_of_lines(source):
            empty = False
            block = reader.block(lines)
            if block is not None:
                yield from reader.blocks.rest()
                yield block
                continue
            for number, offset, raw in lines:
                document = reader.document(number, raw)
                if document is not None:
                    yield from reader.blocks.add(document, number, offset)
        if empty:
            raise source.failure("K002", "an empty file", "at least one document")
        yield from reader.blocks.rest()
        problems.check()

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """How strings are located, unless it is the default."""
        return signed_locate(self.locate), {}

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, str]:
        """The parameters again.

        >>> Jsonl.from_signature({"locate": "once"}), Jsonl.from_signature({})
        ({'locate': 'once'}, {})
        """
        return {"locate": fields["locate"]} if "locate" in fields else {}

    def library(self, source: Source, documents: Documents) -> FileWords:
        """The texts and tokens, which stay in the file."""
        listed = _is_list(source)

        def read(row: int) -> Words:
            if documents.length[row] < 0:
                return None, None
            raw = bytes_of(source, documents, row)
            if listed:
                return words_of_record(json_text.DECODER.raw_decode(raw.decode("utf-8"))[0])
            return words_of(raw.split(b"\n", 1)[0])

        return FileWords(read, documents)

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Write everything the corpus holds.

        >>> import io
        >>> out = io.BytesIO()
        >>> Jsonl().write(Corpus.of("[Ann]PER slept"), out)
        >>> out.getvalue()
        b'{"tokens": ["Ann", "slept"], "mentions": [{"start": 0, "end": 1, "label": "PER"}]}\\n'
        """
        for document in corpus:
            try:
                out.write(json_text.encoded_object(record_of(document)))
            except (TypeError, ValueError, RecursionError) as error:
                raise UsageError(f"jsonl cannot hold this document: {error}") from None


def _is_list(source: Source) -> bool:
    return json_text.is_list_of_objects(source.head())


class _Reader:
    """Checks each document by itself and against those before it."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.blocks = Blocks(problems, "K203", "on every line, or on none")
        self.attributes: set[str] = set()
        self.unit: tuple[str, int] | None = None

    def block(self, lines: Lines) -> Corpus | None:
        """The documents of these lines, if all of them are plain and right."""
        block = plain_documents(lines)
        if block is None:
            return None
        unit = self.unit
        if block.unit is not None:
            first = int(np.argmax(block.documents.length >= 0))
            unit = unit or (block.unit, int(block.documents.line[first]))
            if unit[0] != block.unit:
                return None
        if not self.blocks.accepts_block(block):
            return None
        self.unit = unit
        return block

    def document(self, line: int, raw: bytes) -> Document | Plain | None:
        """The document of a line; None if something is wrong with it."""
        record = json_text.decoded_object(
            raw, line, "K201", self.problems, json_text.FINITE_AS_WRITTEN
        )
        return None if record is None else self.checked(record, line)

    def checked(self, record: dict[str, Any], line: int) -> Document | Plain | None:
        """The document of a record; None if something is wrong with it."""
        plain = plain_document(record) if self.blocks.take_plain else None
        if plain is not None:
            return plain if self._fits(plain, line) else None
        try:
            document = document_of(record)
        except WrongError as error:
            for each in (error, *error.more):
                self.problems.add("K202", line, each.found, each.expected)
            return None
        except RecursionError:
            self.problems.add("K201", line, json_text.TOO_DEEP, json_text.OBJECT)
            return None
        fits = self._fits(document, line) and self._few_attributes(document, line)
        return document if fits and self._members_exist(document, line) else None

    def _fits(self, document: Document | Plain, line: int) -> bool:
        if not self.blocks.accepts(document.id, line):
            return False
        if document.unit is None:
            return True
        self.unit = self.unit or (document.unit, line)
        if self.unit[0] != document.unit:
            expected = f"{self.unit[0]}s, as on line {self.unit[1]}"
            self.problems.add("K204", line, f"a document that counts {document.unit}s", expected)
        return self.unit[0] == document.unit

    def _few_attributes(self, document: Document, line: int) -> bool:
        names = {name for mention in document.mentions for name in mention.attributes}
        names |= self.attributes.union(document.attributes)
        if len(names) > ATTRIBUTES:
            self.problems.add("K009", line, *too_many_attributes(names))
            return False
        self.attributes = names
        return True

    def _members_exist(self, document: Document, line: int) -> bool:
        """Whether relations, clusters and templates name only mentions of their document."""
        mentions = {mention.id for mention in document.mentions}
        strangers = [
            f"{kind}[{i}] with {shown(member)}"
            for kind in ("relations", "clusters")
            for i, group in enumerate(getattr(document, kind))
            for _, member in group.members
            if member not in mentions
        ]
        strangers += [
            f"templates[{i}] with the mention {shown(name)}"
            for i, template in enumerate(document.templates)
            for name in linked_mentions(template)
            if name not in mentions
        ]
        if strangers:
            expected = "the ids of mentions of the same document"
            self.problems.add("K205", line, strangers[0], expected)
        return not strangers
