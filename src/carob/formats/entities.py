"""entities: objects with a list of entities, as language models return them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from carob.corpus.corpus import Corpus
from carob.corpus.problems import UsageError, shown
from carob.corpus.record import WrongError, short
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.formats import _answers, _dialect, json_text
from carob.formats._answers import Answers, check_locate
from carob.formats._dialect import Entry
from carob.formats._text import FileWords, signed, unsigned
from carob.formats.foreign import PLACES

_WORDS = ("text", "mention", "name", "entity", "value", "word")
_LABELS = ("type", "label", "category", "entity_type")
_MORE_WORDS = ("entity_text", "span")
"""Keys of words that are read where none of the others is there."""
_ENTITY = "an object with text and type"
_IGNORE = "--read places=ignore reads the words of all"


@dataclass(frozen=True, slots=True)
class Entities:
    """Objects with `entities`: a list of {"text", "type"}, or an object of lists by label.

    Entities without places fill the slots that their labels name. If gold has mentions, they are
    looked for in its text, and are mentions where they occur: at all places (`locate=all`), each at
    the next that is left (`first`), or only where there is one (`once`). If all
    entities of a file have `start` and `end`, they are mentions, and `text` must stand at their
    place; `offsets` names the unit. A file in which some have places and others have none is
    refused; `places=ignore` reads the words of all. `id` and `text` are those of the document. The
    words of an entity may also be called mention, name, entity, value, word, entity_text or span,
    its label label, category, entity_type or class, or entity if another key has the words. `raw`
    names the key whose text is such an object; `repair=json` mends damaged objects and counts them.
    With either, an answer that cannot be read is empty, and counted.

    >>> line = b'{"entities": [{"text": "Ann", "type": "PER"}, {"text": "Bo", "type": "PER"}]}'
    >>> Corpus.joined(Entities().read(Source.of_bytes(line)))[0].templates[0].slots["PER"]
    (Filler(text='Ann'), Filler(text='Bo'))
    """

    id: str = "id"
    offsets: str = "auto"
    raw: str = ""
    repair: str = "none"
    places: str = "auto"
    locate: str = "all"

    name: ClassVar[str] = "entities"
    extensions: ClassVar[tuple[str, ...]] = (".entities",)
    signs: ClassVar[str] = '"entities"'
    holds: ClassVar[frozenset[str]] = frozenset({
        "text", "document ids", "overlaps", "crossing", "across sentences", "confidence",
        "templates:empty", "units:char", "units:token",
    })  # fmt: skip

    def __post_init__(self) -> None:
        _dialect.check_offsets(self.offsets)
        _answers.check_repair(self.repair, self.name)
        if self.places not in ("auto", "ignore"):
            raise UsageError(f"places of entities is auto or ignore, not {self.places!r}")
        check_locate(self.locate)

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we, from 0 to 1? A list without anything in it could be another tool's.

        >>> Entities.sniff(b'{"entities": [{"text": "Ann", "type": "PER"}]}')
        0.96
        """
        return max((_likeness(value) for value in json_text.samples(head)), default=0.0)

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of documents; texts stay in the file."""
        return _dialect.read_records(
            source, self._entry, self.offsets, is_record=_is_record,
            record="object, or list of entities", answers=self._answers, advice=_answers.ADVICE,
            one_kind=_IGNORE,
        )  # fmt: skip

    @property
    def _answers(self) -> Answers | None:
        """How damaged answers, or answers that are texts, are read."""
        return _dialect.answers_in(self, _has_entities, wrap=_wrapped)

    def _entry(self, value: Any, facts: Counter[str]) -> Entry | None:
        value = _wrapped(value)
        entry = Entry({"id": _dialect.name_of(value, self.id)})
        if value.get("text") is not None:
            entry.record["text"] = value["text"]
        rows = [] if value.get("entities", "") is None else value.get("entities")
        if not isinstance(rows, (list, dict)):
            found = f"entities = {short(rows)}"
            raise WrongError(found, "a list of objects, or an object of lists")
        if isinstance(value.get("relations"), list):
            facts["unread_relations"] += len(value["relations"])
        if isinstance(rows, list) and self.places == "auto":
            if any(map(_is_placed, rows)):
                entry.kind = "entities with places"
                _add_mentions(entry, rows)
                return entry
            facts["unread_places"] += sum(map(_has_place, rows))
        slots: dict[str, list[str]] = {}
        for label, words in _by_label(rows) if isinstance(rows, dict) else _in_list(rows):
            if words.strip():
                slots.setdefault(label, []).append(words)
            else:
                facts["empty_texts"] += 1
        if slots:
            entry.kind = "entities without places"
            entry.record["templates"] = [{"slots": slots}]
        return entry

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """The key of ids, what offsets count, and how many texts were empty."""
        how, counts = _dialect.signature_fields(self.offsets, facts)
        how = {"id_key": signed(self.id), **how}
        how |= _answers.signature_fields(self.raw, self.repair)
        how |= {} if self.places == "auto" else {"places": self.places}
        how |= _answers.signed_locate(self.locate)
        return how, counts | {"empty_texts": facts.get("empty_texts", 0)}

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again.

        >>> Entities.from_signature({"id_key": "id", "offsets": "char"})
        {'id': 'id', 'offsets': 'char'}
        """
        known = {"id": unsigned(fields["id_key"]), "offsets": fields["offsets"]}
        known |= {key: fields[key] for key in ("places", "locate") if key in fields}
        return known | _answers.from_signature(fields)

    def library(self, source: Source, documents: Documents) -> FileWords:
        """The texts, which stay in the file."""
        return _dialect.library(source, documents, _dialect.text_of, self._answers)


def _likeness(value: Any) -> float:
    if not isinstance(value, dict) or "entities" not in value:
        return 0.0
    rows = value["entities"]
    if not rows and (rows is None or isinstance(rows, (list, dict))):
        return 0.84
    if isinstance(rows, dict):
        lists = [row for row in rows.values() if isinstance(row, list)]
        strings = all(isinstance(each, str) for row in lists for each in row)
        return 0.0 if not lists and any(rows.values()) else 0.92 if lists and strings else 0.84
    if not isinstance(rows, list):
        return 0.0
    words, labels = _keys_of(rows[0]) if isinstance(rows[0], dict) else ([], [])
    if labels == ["entity"] and "end" in rows[0]:
        return 0.0  # as the pipelines of transformers write them
    return 0.96 if labels and (words or "start" in rows[0]) else 0.0


def has_bare_lists(head: bytes) -> bool:
    """Whether a file has nothing but lists of entities, as language models return them.

    >>> has_bare_lists(b'[{"text": "Ann", "type": "PER"}]'), has_bare_lists(b'[{"who": "Ann"}]')
    (True, False)
    """
    return _dialect.has_bare_lists(head, _wrapped)


def _wrapped(value: Any) -> Any:
    """A bare list of entities as an object that has them."""
    return _dialect.list_in_object(value, "entities", lambda row: all(_keys_of(row)))


def _is_record(value: Any) -> bool:
    return isinstance(_wrapped(value), dict)


def _has_entities(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("entities"), (list, dict))


def _is_placed(row: Any) -> bool:
    """Whether an entity has a place: null, of a model that found none, is no place."""
    return isinstance(row, dict) and (row.get("start") is not None or row.get("end") is not None)


def _has_place(row: Any) -> bool:
    """Whether an entity has a place, under other keys than start and end."""
    if not isinstance(row, dict):
        return False
    pairs = [[row.get(first), row.get(last)] for first, last in PLACES]
    lists = [each for each in row.values() if isinstance(each, list) and len(each) == 2]
    return any(type(a) is int and type(b) is int for a, b in pairs + lists)


def _in_list(rows: list[Any]) -> Iterator[tuple[str, str]]:
    """Label and words of each entity."""
    for number, each in enumerate(rows):
        place = f"entities[{number}]"
        row = _dialect.object_in(each, place, _ENTITY)
        words, labels = _keys_of(row)
        yield _label(row, labels, place), _only(row, words, _WORDS, place)


def _by_label(rows: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for label, words in rows.items():
        if not label:
            raise WrongError("entities with a label that is empty", "a label")
        for each in words if isinstance(words, list) else [] if words is None else [words]:
            if not isinstance(each, str):
                found = f"entities.{shown(label)[1:-1]} = {short(each)}"
                raise WrongError(found, "a list of texts")
            yield label, each


def _keys_of(row: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The keys of an entity that may be those of its words, and of its label.

    >>> _keys_of({"entity": "PER", "value": "Ann"}), _keys_of({"entity": "Ann", "type": "PER"})
    ((['value'], ['entity']), (['entity'], ['type']))
    """
    words = [key for key in _WORDS if key in row]
    more = [key for key in _MORE_WORDS if isinstance(row.get(key), str)]  # a span may be a place
    labels = [key for key in _LABELS if key in row] or ["class"] * ("class" in row)
    if not labels and "entity" in row and len(words + more) > 1:
        labels = ["entity"]
    return [key for key in words if key not in labels] or more, labels


def _label(row: Mapping[str, Any], keys: list[str], place: str) -> str:
    label = _only(row, keys, _LABELS, place)
    if not label:
        raise WrongError(f"{place}.{keys[0]} = ''", "a text")
    return label


def _only(row: Mapping[str, Any], keys: list[str], known: tuple[str, ...], place: str) -> str:
    """The text under the one key."""
    if len(keys) != 1:
        found = f"{place} with {' and '.join(keys) or 'neither of these keys'}"
        raise WrongError(found, f"one of {', '.join(known)}")
    value = row[keys[0]]
    if not isinstance(value, str):
        raise WrongError(f"{place}.{keys[0]} = {short(value)}", "a text")
    return value


def _add_mentions(entry: Entry, rows: list[Any]) -> None:
    """Entities with places."""
    if "text" not in entry.record:
        entry.record["unit"] = "char"
    for number, each in enumerate(rows):
        place = f"entities[{number}]"
        row = _dialect.object_in(each, place, _ENTITY)
        if not _is_placed(row):
            expected = f"places for all entities of a file, or for none; {_IGNORE}"
            raise WrongError(f"{place} without a place, and others with one", expected)
        score = row.get("confidence", row.get("score"))
        words, labels = _keys_of(row)
        mention = {"start": row.get("start"), "end": row.get("end"), "confidence": score}
        entry.add(
            place, mention | {"label": _label(row, labels, place)}, row[words[0]] if words else None
        )
