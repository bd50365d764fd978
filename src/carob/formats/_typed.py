"""Plain JSON lines decoded by msgspec, many at a time: faster than one by one, with less memory.

The decoder checks the type of every value while it builds typed objects, and the columns are
checked as a whole. Lines that are wrong, or that hold anything which is not plain, are left to the
careful path (`carob.corpus.record`, `records.py`), which has all the rules and all the messages.
What is read here would be read there in the same way; a test checks it.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, chain, compress
from typing import Annotated, Any

from carob.corpus.corpus import Corpus
from carob.corpus.document import Number
from carob.corpus.source import LARGEST, Source
from carob.corpus.tables import UNKNOWN, int32
from carob.formats import _plain
from carob.formats._nested import NestedSlots
from carob.formats._plain import (
    NO_TEMPLATES,
    Columns,
    TemplateRows,
    plain_templates,
    template_table,
)
from carob.formats._text import pieces

_LARGEST = 2**31 - 1
_NOT_STRUCTURE = bytes(byte for byte in range(256) if byte not in b'":,')
_ESCAPE = re.compile(rb"\\.", re.S)


@dataclass(frozen=True, slots=True)
class Lines:
    """Neighbouring lines: their numbers, offsets and bytes."""

    numbers: list[int]
    offsets: list[int]
    raw: list[bytes]

    def __iter__(self) -> Iterator[tuple[int, int, bytes]]:
        return zip(self.numbers, self.offsets, self.raw, strict=True)


def blocks_of_lines(source: Source) -> Iterator[Lines]:
    """The lines of a file that are not blank, about a megabyte at a time.

    >>> [list(lines) for lines in blocks_of_lines(Source.of_bytes(b"{}\\n\\n[]"))]
    [[(1, 0, b'{}')], [(3, 4, b'[]')]]
    """
    for piece, number, offset in pieces(source, LARGEST):
        every = piece.removesuffix(b"\n").split(b"\n")
        numbers = list(range(number, number + len(every)))
        offsets = list(accumulate((len(raw) + 1 for raw in every[:-1]), initial=offset))
        if not all(map(bytes.strip, every)):
            full = [bool(raw.strip()) for raw in every]
            numbers, offsets = list(compress(numbers, full)), list(compress(offsets, full))
            every = list(compress(every, full))
        for first in range(0, len(every), _plain.BLOCK):
            some = slice(first, first + _plain.BLOCK)
            yield Lines(numbers[some], offsets[some], every[some])


def has_keys(lines: Sequence[bytes], count: int) -> bool:
    """Whether the objects on these lines have no more than these keys, none of which has a colon or
    a comma in it. The decoder keeps the last of two equal keys, which carob refuses.

    >>> line = b'{"a": {"b": ",:"}, "a": [":", "d"]}'
    >>> has_keys([line], 2), has_keys([line], 3)
    (False, True)
    """
    text = b"\n".join(lines)
    if _key_signs(text) == count:  # quotes in texts can only make them more
        return True
    return _key_signs(_ESCAPE.sub(b"", text)) == count


def _key_signs(text: bytes) -> int:
    return text.translate(None, _NOT_STRUCTURE).count(b'"":')


# --- documents of carob's own format ---


@cache
def _decoder(name: str) -> Any:
    """Decodes `documents`, plain ones of carob's own format, or any `objects`; None if msgspec is
    not installed.
    """
    try:
        import msgspec  # only JSON needs it
    except ImportError:
        return None
    if name == "objects":
        return msgspec.json.Decoder(float_hook=Number)
    position = Annotated[int, msgspec.Meta(ge=0, le=_LARGEST)]
    label = Annotated[str, msgspec.Meta(min_length=1)]
    # A key that is absent gives None, and null is refused: so keys can be counted.
    mention = msgspec.defstruct(
        "PlainMention",
        [("start", position), ("end", position), ("label", label), ("id", str, None),
         ("confidence", float, None)],
        gc=False, forbid_unknown_fields=True,
    )  # fmt: skip
    fields = {"id": str, "text": str, "tokens": list[str], "sentences": list[position],
              "mentions": list[mention],  # type: ignore[valid-type]
              "templates": list[dict[str, Any]]}  # fmt: skip
    document = msgspec.defstruct(
        "PlainDocument",
        [(name, kind, None) for name, kind in fields.items()],
        gc=False, forbid_unknown_fields=True,
    )  # fmt: skip
    return msgspec.json.Decoder(document)


def plain_documents(lines: Lines) -> Corpus | None:
    """The documents on these lines, if all of them are plain and none is wrong.

    >>> raw = b'{"text": "Ann", "mentions": [{"start": 0, "end": 3, "label": "PER"}]}'
    >>> plain_documents(Lines([1], [0], [raw])).labels
    ('PER',)
    >>> plain_documents(Lines([1], [0], [raw.replace(b"3", b"4")])) is None
    True
    """
    if (docs := _decoded(_decoder("documents"), lines)) is None:
        return None
    names, texts, tokens, sentences, mentions, templates = (
        [getattr(doc, name) for doc in docs] for name in docs[0].__struct_fields__
    )
    every = list(chain.from_iterable(filter(None, mentions)))
    ids = [mention.id for mention in every]
    confidences = [mention.confidence for mention in every]
    columns = Columns(
        texts, tokens, names, [each or [] for each in sentences],
        [0 if each is None else len(each) for each in mentions],
        int32([mention.start for mention in every]), int32([mention.end for mention in every]),
        [mention.label for mention in every], ids, confidences,
    )  # fmt: skip
    rows = _template_rows(templates, columns)
    if rows is None or not columns.is_valid():
        return None
    keys = 5 * len(every) - ids.count(None) - confidences.count(None)
    for column in (names, texts, tokens, sentences, mentions, templates):
        keys += len(docs) - column.count(None)
    for each in chain.from_iterable(filter(None, templates)):
        keys += _keys_of_template(each)
    if not has_keys(lines.raw, keys):
        return None
    return columns.corpus(lines.numbers, lines.offsets, template_table(rows))


def _decoded(decoder: Any, lines: Lines) -> list[Any] | None:
    """The values on these lines; None if one is wrong."""
    if decoder is None:
        return None
    try:
        return list(map(decoder.decode, lines.raw))
    except (ValueError, RecursionError):
        return None


def _template_rows(
    templates: Sequence[list[dict[str, Any]] | None], columns: Columns
) -> list[TemplateRows] | None:
    """The templates of each document; None if they are not plain."""
    if templates.count(None) == len(templates):
        return [NO_TEMPLATES] * len(templates)
    rows = []
    for each, length in zip(templates, columns.lengths, strict=True):
        found = plain_templates(each or [], _LARGEST if length < 0 else length)
        if found is None:
            return None
        rows.append(found)
    return rows


def _keys_of_template(template: Mapping[str, Any]) -> int:
    """How many keys a plain template has."""
    slots = template.get("slots", {})
    if not _countable(slots):
        return UNKNOWN
    fillers = chain.from_iterable(slots.values())
    return len(template) + len(slots) + sum(len(f) for f in fillers if type(f) is dict)


def _countable(keys: Iterable[str]) -> bool:
    """Whether `has_keys` counts these keys."""
    return not any(":" in key or "," in key for key in keys)


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
    >>> corpus = plain_records(Lines([1], [0], [raw]), "id", "text")
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
    if not _countable(slots.names) or not has_keys(lines.raw, keys + slots.inner_keys):
        return None
    columns = Columns(texts, [None] * size, names, [()] * size, [0] * size)
    corpus = columns.corpus(lines.numbers, lines.offsets, slots.table(known))
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
