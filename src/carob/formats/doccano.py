"""doccano: what the annotation tool doccano exports for sequence labelling and relations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar

from carob.corpus.corpus import Corpus, Words
from carob.corpus.document import Document
from carob.corpus.record import WrongError, short
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.formats import _dialect, json_text
from carob.formats._dialect import Entry
from carob.formats._text import FileWords, signed, unsigned

_SPAN = "[start, end, label]"
_ENTITY = "an object with start_offset, end_offset and label"


@dataclass(frozen=True, slots=True)
class Doccano:
    """One JSON object a document, with `text` and `label` lists, or `entities` and `relations`.

    `label` (in older versions `labels`) lists [start, end, label]. `entities` have `start_offset`,
    `end_offset`, `label` and `id`; `relations` go `from_id` `to_id` and have a `type`. Positions
    count characters, ends are exclusive; `offsets` names another unit. `id` names the key of the
    ids of documents; an empty name is no key at all. Other keys are ignored.

    >>> source = Source.of_bytes(b'{"id": 7, "text": "Ann slept", "label": [[0, 3, "PER"]]}')
    >>> Corpus.joined(Doccano().read(source))[0].mentions
    (Mention('PER', 0, 3),)
    """

    id: str = "id"
    offsets: str = "auto"

    name: ClassVar[str] = "doccano"
    extensions: ClassVar[tuple[str, ...]] = (".doccano",)
    signs: ClassVar[str] = '"label" "labels" "start_offset" "relations"'
    needs: ClassVar[frozenset[str]] = frozenset({"text"})
    write_parameters: ClassVar[tuple[str, ...]] = ()
    holds: ClassVar[frozenset[str]] = frozenset({
        "text", "document ids", "overlaps", "crossing", "across sentences", "ids",
        "relations:pairs", "group ids", "units:char",
    })  # fmt: skip

    def __post_init__(self) -> None:
        _dialect.check_offsets(self.offsets)

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we, from 0 to 1? Lists without anything in them could be another tool's.

        >>> [Doccano.sniff(line) for line in (b'{"text": "A", "label": [[0, 1, "X"]]}', b"{}")]
        [0.98, 0.0]
        """
        return max((_likeness(value) for value in json_text.samples(head)), default=0.0)

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of documents; texts stay in the file."""
        return _dialect.read_records(source, self._entry, self.offsets)

    def _entry(self, value: dict[str, Any], facts: Counter[str]) -> Entry | None:
        text = _words(value)[0]
        entry = Entry({"id": _dialect.name_of(value, self.id), "text": text})
        if text is None:
            raise WrongError("a record without a text", "text, and label or entities")
        lists = [key for key in ("label", "labels", "entities") if key in value]
        if len(lists) != 1:
            found = " and ".join(lists) or "none of label, labels and entities"
            raise WrongError(found, "one of label, labels and entities")
        for number, each in enumerate(_dialect.list_at(value, lists[0])):
            place = f"{lists[0]}[{number}]"
            if lists[0] == "entities":
                entity = _dialect.object_in(each, place, _ENTITY)
                entry.add(place, {
                    "id": _dialect.name_of(entity, "id"), "label": entity.get("label"),
                    "start": entity.get("start_offset"), "end": entity.get("end_offset"),
                })  # fmt: skip
            elif isinstance(each, list) and len(each) == 3:
                entry.add(place, {"start": each[0], "end": each[1], "label": each[2]})
            else:
                raise WrongError(f"{place} = {short(each)}", _SPAN)
        if "relations" in value:
            entry.record["relations"] = _relations(_dialect.list_at(value, "relations"), entry)
        return entry

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """The key of ids, and what offsets count."""
        how, counts = _dialect.signature_fields(self.offsets, facts)
        return {"id_key": signed(self.id), **how}, counts

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again.

        >>> Doccano.from_signature({"id_key": "nr", "offsets": "utf16"})
        {'id': 'nr', 'offsets': 'utf16'}
        """
        return {"id": unsigned(fields["id_key"]), "offsets": fields["offsets"]}

    def library(self, source: Source, documents: Documents) -> FileWords:
        """The texts, which stay in the file."""
        return _dialect.library(source, documents, _words)

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Write `label` lists, or `entities` and `relations` if mentions have ids.

        >>> import io
        >>> mention = {"start": 0, "end": 3, "label": "PER"}
        >>> out = io.BytesIO()
        >>> Doccano().write(Corpus.of({"id": "7", "text": "Ann", "mentions": [mention]}), out)
        >>> out.getvalue()
        b'{"id": 7, "text": "Ann", "label": [[0, 3, "PER"]]}\\n'
        """
        with_ids = corpus.mentions.id is not None or len(corpus.relations) > 0
        for document in _dialect.written_documents(corpus, self.name, self.holds):
            record: dict[str, Any] = _dialect.id_record(document.id) | {"text": document.text}
            if with_ids:
                record |= _with_relations(document)
            else:
                record["label"] = [[m.start, m.end, m.label] for m in document.mentions]
            out.write(json_text.encoded_object(record))


def _likeness(value: Any) -> float:
    if not isinstance(value, dict):
        return 0.0
    for key in ("label", "labels"):
        labels = value.get(key)
        if labels == [] and _words(value)[0] is not None:
            return 0.85
        first = labels[0] if isinstance(labels, list) and labels else None
        if _is_span(first) or (
            isinstance(value.get("text"), str) and isinstance(first, list) and len(first) == 3
        ):
            return 0.98
    if not isinstance(value.get("text"), str):
        return 0.0
    entities = value.get("entities")
    if isinstance(entities, list):
        if any(isinstance(each, dict) and "start_offset" in each for each in entities):
            return 0.98
        if not entities and isinstance(value.get("relations"), list):
            return 0.87
    return 0.0


def _is_span(value: Any) -> bool:
    """Whether a value begins as a label does: with its start, its end and its name."""
    kinds = [type(each) for each in value[:3]] if isinstance(value, list) else []
    return kinds == [int, int, str]


def _words(value: Mapping[str, Any]) -> Words:
    """The text of a record; versions 1.4 and 1.5 have it under `data`."""
    return _dialect.text_of(value, "text" if "text" in value else "data")


def _relations(relations: list[Any], entry: Entry) -> list[dict[str, Any]]:
    """Relations in carob's form; each goes from one entity to another."""
    known = {mention.get("id") for mention in entry.record.get("mentions", [])}
    rows = []
    for number, each in enumerate(relations):
        place = f"relations[{number}]"
        value = _dialect.object_in(each, place, "an object with from_id, to_id and type")
        ends = {}
        for role in ("from", "to"):
            name = _dialect.name_of(value, f"{role}_id")
            if name is None or name not in known:
                found = f"{place}.{role}_id = {short(value.get(f'{role}_id'))}"
                raise WrongError(found, "the id of an entity of the same record")
            ends[role] = name
        row = {"label": value.get("type"), "arguments": ends}
        if not isinstance(row["label"], str) or not row["label"]:
            raise WrongError(f"{place}.type = {short(value.get('type'))}", "a text")
        if (name := _dialect.name_of(value, "id")) is not None:
            row["id"] = name
        rows.append(row)
    return rows


def _with_relations(document: Document) -> dict[str, Any]:
    entities = [
        _dialect.id_record(each.id)
        | {"label": each.label, "start_offset": each.start, "end_offset": each.end}
        for each in document.mentions
    ]
    relations = []
    for group in document.relations:
        ends = {f"{role}_id": _dialect.number_or_text(str(name)) for role, name in group.members}
        ordered = {"from_id": ends["from_id"], "to_id": ends["to_id"], "type": group.label}
        relations.append(_dialect.id_record(group.id) | ordered)
    return {"entities": entities, "relations": relations}
