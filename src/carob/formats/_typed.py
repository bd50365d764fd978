"""Plain JSON lines decoded by msgspec, many at a time: faster than one by one, with less memory.

The decoder checks the type of every value while it builds typed objects, and the columns are
checked as a whole. It leaves lists of tokens and of mentions as they are written: `_token_lists.py`
and `_mention_lists.py` make columns of them, without an object for each token or mention.

Lines that are wrong, or that hold anything which is not plain, are left to the careful path
(`carob.corpus.record`, `records.py`), which has all the rules and all the messages. What is read
here would be read there in the same way; a test checks it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Annotated, Any

import numpy as np

from carob.arrays.literals import more_keys
from carob.arrays.types import IntArray
from carob.corpus.corpus import Corpus, Words
from carob.corpus.document import Number
from carob.corpus.source import LARGEST, Source
from carob.formats import _plain, json_text
from carob.formats._mention_lists import mention_lists
from carob.formats._nested import NestedSlots
from carob.formats._plain import (
    LARGEST_POSITION,
    NO_TEMPLATES,
    Columns,
    TemplateRows,
    WordColumns,
    plain_templates,
    template_table,
)
from carob.formats._text import pieces
from carob.formats._token_lists import token_lists


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Neighbouring lines that are not blank: where they are in a text, which is a part of a file,
    and their numbers. `offset` is where the text begins in the file.
    """

    text: bytes
    start: IntArray
    end: IntArray
    numbers: IntArray
    offset: int

    @classmethod
    def of(cls, text: bytes, number: int = 1, offset: int = 0) -> Lines:
        """The lines of a text, which begins with line `number` of a file.

        >>> list(Lines.of(b"{}\\n\\n[]"))
        [(1, 0, b'{}'), (3, 4, b'[]')]
        """
        buffer = np.frombuffer(text, np.uint8)
        breaks = np.flatnonzero(buffer == ord("\n"))
        start, end = np.append(0, breaks + 1), np.append(breaks, len(text))
        is_filled = buffer.take(start, mode="clip") > ord(" ")
        for row in np.flatnonzero(~is_filled).tolist():
            is_filled[row] = bool(text[start[row] : end[row]].strip())
        filled = np.flatnonzero(is_filled)
        return cls(text, start[filled], end[filled], filled + number, offset)

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[tuple[int, int, bytes]]:
        places = zip(self.numbers.tolist(), self.start.tolist(), self.end.tolist(), strict=True)
        return ((line, self.offset + low, self.text[low:high]) for line, low, high in places)

    def views(self) -> Iterator[memoryview]:
        """The bytes of each line, which are not copied."""
        text = memoryview(self.text)
        places = zip(self.start.tolist(), self.end.tolist(), strict=True)
        return (text[low:high] for low, high in places)

    def part(self, first: int, stop: int) -> Lines:
        """The lines from `first` to `stop`."""
        if first == 0 and stop >= len(self):
            return self
        rows = slice(first, stop)
        low, high = int(self.start[first]), int(self.end[rows][-1])
        return Lines(
            self.text[low:high], self.start[rows] - low, self.end[rows] - low,
            self.numbers[rows], self.offset + low,
        )  # fmt: skip


def blocks_of_lines(source: Source) -> Iterator[Lines]:
    """The lines of a file that are not blank, about a megabyte at a time.

    >>> [list(lines) for lines in blocks_of_lines(Source.of_bytes(b"{}\\n\\n[]"))]
    [[(1, 0, b'{}')], [(3, 4, b'[]')]]
    """
    for piece, number, offset in pieces(source, LARGEST):
        lines = Lines.of(piece, number, offset)
        for first in range(0, len(lines), _plain.BLOCK):
            yield lines.part(first, first + _plain.BLOCK)


# --- documents of carob's own format ---


@cache
def _decoder(name: str) -> Any:
    """Decodes `documents`, plain ones of carob's own format, or the `words` of any document, or any
    `objects`; None if msgspec is not installed.
    """
    try:
        import msgspec  # only JSON needs it
    except ImportError:
        return None
    if name == "objects":
        return msgspec.json.Decoder(float_hook=Number)
    if name == "words":
        fields = [("text", str | None, None), ("tokens", tuple[str, ...] | None, None)]
        return msgspec.json.Decoder(msgspec.defstruct("Words", fields))
    position = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_POSITION)]
    # A key that is absent gives None, and null is refused: so keys can be counted.
    kinds = {"id": str, "text": str, "tokens": msgspec.Raw, "sentences": list[position],
             "mentions": msgspec.Raw, "templates": list[dict[str, Any]]}  # fmt: skip
    document = msgspec.defstruct(
        "PlainDocument",
        [(name, kind, None) for name, kind in kinds.items()],
        gc=False, forbid_unknown_fields=True,
    )  # fmt: skip
    return msgspec.json.Decoder(document)


def plain_documents(lines: Lines) -> Corpus | None:
    """The documents on these lines, if all of them are plain and none is wrong.

    >>> raw = b'{"text": "Ann", "mentions": [{"start": 0, "end": 3, "label": "PER"}]}'
    >>> plain_documents(Lines.of(raw)).labels
    ('PER',)
    >>> plain_documents(Lines.of(raw.replace(b"3", b"4"))) is None
    True
    """
    if (docs := _decoded(_decoder("documents"), lines)) is None:
        return None
    names, texts, tokens, sentences, mentions, templates = fields = _fields(docs)
    token_columns = token_lists([each for each in tokens if each is not None])
    mention_columns = mention_lists([each for each in mentions if each is not None])
    if token_columns is None or mention_columns is None:
        return None
    words = WordColumns.of_counted(texts, tokens, token_columns.sizes, token_columns.hashes)
    rows = _template_rows(templates, words.lengths)
    if rows is None:
        return None
    keys = sum(len(docs) - field.count(None) for field in fields) + mention_columns.keys
    keys += sum(map(_keys_of_template, chain.from_iterable(filter(None, templates))))
    if more_keys(lines.text, keys, token_columns.colons + mention_columns.colons):
        return None
    sizes = np.zeros(len(docs), np.int64)
    sizes[[each is not None for each in mentions]] = mention_columns.sizes
    columns = Columns(
        words, names, [each or [] for each in sentences], sizes,
        mention_columns.starts, mention_columns.ends, mention_columns.labels,
        mention_columns.ids, mention_columns.confidences,
    )  # fmt: skip
    if not columns.is_valid():
        return None
    return columns.corpus(lines.numbers, lines.start + lines.offset, template_table(rows))


def _fields(documents: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The fields of decoded documents, each as a column."""
    from msgspec.structs import astuple

    return list(zip(*map(astuple, documents), strict=True))


def words_of(line: bytes) -> Words:
    """Text and tokens of the document on a line that has been read before.

    >>> words_of(b'{"text": "Ann", "mentions": []}')
    ('Ann', None)
    """
    decoder = _decoder("words")
    if decoder is not None:
        with suppress(ValueError, RecursionError):  # such as half of a surrogate pair
            document = decoder.decode(line)
            return document.text, document.tokens
    return words_of_record(json_text.DECODER.decode(line.decode()))


def words_of_record(record: Mapping[str, Any]) -> Words:
    """Text and tokens of the record of a document.

    >>> words_of_record({"tokens": ["Ann"]})
    (None, ('Ann',))
    """
    tokens = record.get("tokens")
    return record.get("text"), None if tokens is None else tuple(tokens)


def _decoded(decoder: Any, lines: Lines) -> list[Any] | None:
    """The values on these lines; None if one is wrong."""
    if decoder is None:
        return None
    try:
        return [decoder.decode(raw) for raw in lines.views()]
    except (ValueError, RecursionError):
        return None


def _template_rows(
    templates: Sequence[list[dict[str, Any]] | None], lengths: IntArray
) -> list[TemplateRows] | None:
    """The templates of each document; None if they are not plain."""
    if templates.count(None) == len(templates):
        return [NO_TEMPLATES] * len(templates)
    rows = []
    for each, length in zip(templates, lengths.tolist(), strict=True):
        found = plain_templates(each or [], LARGEST_POSITION if length < 0 else length)
        if found is None:
            return None
        rows.append(found)
    return rows


def _keys_of_template(template: Mapping[str, Any]) -> int:
    """How many keys a plain template has."""
    slots = template.get("slots", {})
    fillers = chain.from_iterable(slots.values())
    return len(template) + len(slots) + sum(len(f) for f in fillers if type(f) is dict)


# --- plain objects ---


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Without Python's search for objects that refer to each other in circles: those of a block
    cannot, and to visit them again and again takes longer than to decode them.
    """
    was_running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_running:
            gc.enable()


@_collector_paused()
def plain_records(
    lines: Lines, id_key: str, text_key: str, known: dict[str, str] | None = None
) -> Corpus | None:
    """The documents of plain objects, one a line; None if one of them needs a closer look. `known`
    are texts of the lines before, see `NestedSlots.table`.

    >>> raw = b'{"id": "1", "host": {"name": "Ann", "room": ""}}'
    >>> corpus = plain_records(Lines.of(raw), "id", "text")
    >>> len(corpus.templates), corpus.facts
    (2, {'empty_texts': 1})
    """
    if (objects := _decoded(_decoder("objects"), lines)) is None:
        return None
    if set(map(type, objects)) != {dict}:
        return None
    size = len(objects)
    keys = sum(map(len, objects))
    names = _names([value.pop(id_key, None) for value in objects]) if id_key else [None] * size
    texts = [value.pop(text_key, None) for value in objects] if text_key else [None] * size
    slots = NestedSlots.of(objects)
    if names is None or slots is None or not set(map(type, texts)) <= {str, type(None)}:
        return None
    if more_keys(lines.text, keys + slots.inner_keys):
        return None
    columns = Columns(WordColumns.of(texts, [None] * size), names, [()] * size, [0] * size)
    corpus = columns.corpus(lines.numbers, lines.start + lines.offset, slots.table(known))
    lists = {("list", path): count for path, count in slots.lists.items()}
    return replace(corpus, facts={"empty_texts": slots.empty, **lists})


def _names(values: Sequence[Any]) -> list[str | None] | None:
    """Ids as texts; None if one is neither a text nor a number."""
    kinds = set(map(type, values))
    if not kinds <= {str, int, type(None)}:
        return None
    if int not in kinds:
        return list(values)
    if any(type(value) is int and abs(value) >= 10**18 for value in values):
        return None
    return [str(value) if type(value) is int else value for value in values]
