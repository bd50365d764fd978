"""langextract: the annotated documents that langextract saves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from carob.corpus.corpus import Corpus
from carob.corpus.record import WrongError, short
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.formats import _dialect, json_text
from carob.formats._dialect import Entry
from carob.formats._text import FileWords, signed, unsigned

_EXTRACTION = "an object with extraction_class, extraction_text and char_interval"
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Langextract:
    """One JSON object a document, with `text` and `extractions`.

    An extraction has an `extraction_class`, its label, an `extraction_text`, and its place in
    `char_interval`, as `start_pos` and `end_pos` (exclusive). One without a place was not found in
    the text: it is no mention, and counted. Attributes that are texts, numbers or lists of them are
    kept. The words are compared with the text, but for case and white space, if
    `alignment_status` is `match_exact`. `id` names the key of the ids of documents, `offsets`
    another unit. See github.com/google/langextract.

    >>> interval = b'{"start_pos": 0, "end_pos": 3}'
    >>> one = (
    ...     b'{"extraction_class": "who", "extraction_text": "Ann", "char_interval": %s}' % interval
    ... )
    >>> line = b'{"extractions": [%s], "text": "Ann slept", "document_id": "d1"}' % one
    >>> Corpus.joined(Langextract().read(Source.of_bytes(line)))[0].mentions
    (Mention('who', 0, 3),)
    """

    id: str = "document_id"
    offsets: str = "auto"

    name: ClassVar[str] = "langextract"
    extensions: ClassVar[tuple[str, ...]] = (".langextract",)
    signs: ClassVar[str] = '"extractions"'
    holds: ClassVar[frozenset[str]] = frozenset({
        "text", "document ids", "overlaps", "crossing", "across sentences", "attributes",
        "units:char",
    })  # fmt: skip

    def __post_init__(self) -> None:
        _dialect.check_offsets(self.offsets)

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we, from 0 to 1?

        >>> Langextract.sniff(b'{"extractions": [{"extraction_class": "who"}], "text": "Ann"}')
        0.98
        """
        return max((_likeness(value) for value in json_text.samples(head)), default=0.0)

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of documents; texts stay in the file."""
        return _dialect.read_records(source, self._entry, self.offsets, same_words=_same_words)

    def _entry(self, value: dict[str, Any], facts: Counter[str]) -> Entry | None:
        if not isinstance(value.get("text"), str):
            raise WrongError("a record without a text", "text and extractions")
        entry = Entry({"id": _dialect.name_of(value, self.id), "text": value["text"]})
        rows = value.get("extractions")
        for number, each in enumerate(_dialect.list_at(value, "extractions") if rows else ()):
            place = f"extractions[{number}]"
            row = _dialect.object_in(each, place, _EXTRACTION)
            interval = row.get("char_interval")
            if interval is None or (
                isinstance(interval, dict)
                and interval.get("start_pos") is None
                and interval.get("end_pos") is None
            ):
                facts["unplaced"] += 1
                continue
            span = _dialect.object_in(interval, f"{place}.char_interval", "start_pos and end_pos")
            exact = row.get("alignment_status") in (None, "match_exact")
            mention = {
                "start": span.get("start_pos"), "end": span.get("end_pos"),
                "label": row.get("extraction_class"),
                "attributes": _attributes(row.get("attributes"), place),
            }  # fmt: skip
            entry.add(place, mention, row.get("extraction_text") if exact else None)
        return entry

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """The key of ids, and what offsets count."""
        how, counts = _dialect.signature_fields(self.offsets, facts)
        return {"id_key": signed(self.id), **how}, counts

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again.

        >>> Langextract.from_signature({"id_key": "document_id", "offsets": "char"})
        {'id': 'document_id', 'offsets': 'char'}
        """
        return {"id": unsigned(fields["id_key"]), "offsets": fields["offsets"]}

    def library(self, source: Source, documents: Documents) -> FileWords:
        """The texts, which stay in the file."""
        return _dialect.library(source, documents, _dialect.text_of)


def _likeness(value: Any) -> float:
    if not isinstance(value, dict) or "extractions" not in value:
        return 0.0
    rows = value["extractions"]
    if rows is None or rows == []:
        return 0.9 if "document_id" in value else 0.86 if isinstance(value.get("text"), str) else 0
    known = isinstance(rows, list) and isinstance(rows[0], dict) and "extraction_class" in rows[0]
    return 0.98 if known else 0.0


def _same_words(quote: str, here: str) -> bool:
    """Words are aligned whatever their case and the white space between them."""
    quote, here = (_SPACE.sub(" ", words).casefold().strip() for words in (quote, here))
    return quote == here


def _attributes(value: Any, place: str) -> dict[str, str] | None:
    """The attributes of an extraction as texts; a list is joined with commas."""
    if not value:
        return None
    found: dict[str, str] = {}
    for name, each in _dialect.object_in(value, f"{place}.attributes", "an object").items():
        parts = each if isinstance(each, list) else [each]
        if any(isinstance(part, (dict, list)) for part in parts):
            raise WrongError(
                f"{place}.attributes.{short(name)[1:-1]} = {short(each)}",
                "a text, or a list of texts",
            )
        known = [part if isinstance(part, str) else short(part) for part in parts
                 if part is not None]  # fmt: skip
        if known:
            found[name] = ", ".join(known)
    return found or None
