"""triples: objects with relations between strings, as language models return them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from carob.corpus.corpus import Corpus
from carob.corpus.problems import UsageError
from carob.corpus.record import WrongError, short
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.formats import _answers, _dialect, json_text
from carob.formats._answers import Answers
from carob.formats._dialect import Entry
from carob.formats._text import FileWords, signed, unsigned

_LISTS = ("triples", "relations", "triplets")
_HEAD = ("head", "subject", "subj")
_TYPE = ("type", "relation", "predicate", "label")
_TAIL = ("tail", "object", "obj")
_TRIPLE = "an object with head, type and tail"


@dataclass(frozen=True, slots=True)
class Triples:
    """Objects with `triples`: a list of {"head", "type", "tail"}, texts without places.

    The list may also be called relations or triplets; head, type and tail also subject, relation,
    predicate or label, and object. A triple becomes a template whose slots are the two `roles`.
    Event spaces of relations find the strings in the text of the document (`locate=gold`: first
    where gold has a mention), and count those that are not there as ungrounded; without a text they
    compare strings. `id` names the document. `raw` names the key whose text is such an
    object; `repair=json` mends damaged objects and counts them. With either, an answer that cannot
    be read is empty, and counted.

    >>> line = b'{"id": "1", "triples": [{"head": "Ann", "type": "BORN", "tail": "Oslo"}]}'
    >>> Corpus.joined(Triples().read(Source.of_bytes(line)))[0].templates[0]
    Template('BORN', from=Filler(text='Ann'), to=Filler(text='Oslo'))
    """

    id: str = "id"
    roles: str = "from+to"
    raw: str = ""
    repair: str = "none"
    locate: Literal["gold"] = "gold"

    name: ClassVar[str] = "triples"
    extensions: ClassVar[tuple[str, ...]] = (".triples",)
    signs: ClassVar[str] = '"head" "subject" "subj"'
    holds: ClassVar[frozenset[str]] = frozenset({
        "text", "document ids", "templates:types", "templates:several", "units:char",
    })  # fmt: skip

    def __post_init__(self) -> None:
        _answers.check_repair(self.repair, self.name)
        if self.locate != "gold":
            raise UsageError(f"locate of triples is gold, not {self.locate!r}")
        _dialect.check_roles(self.roles)

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we, from 0 to 1?

        >>> Triples.sniff(b'{"triples": [{"head": "Ann", "type": "BORN", "tail": "Oslo"}]}')
        0.97
        """
        return max((_likeness(value) for value in json_text.samples(head)), default=0.0)

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of documents; texts stay in the file."""
        return _dialect.read_records(
            source, self._entry, "char", is_record=_is_record, record="object, or list of triples",
            answers=self._answers, advice=_answers.ADVICE,
        )  # fmt: skip

    @property
    def _answers(self) -> Answers | None:
        """How damaged answers, or answers that are texts, are read."""
        return _dialect.answers_in(self, _has_triples, wrap=_wrapped)

    def _entry(self, value: Any, facts: Counter[str]) -> Entry | None:
        value = _wrapped(value)
        entry = Entry({"id": _dialect.name_of(value, self.id)})
        if value.get("text") is not None:
            entry.record["text"] = value["text"]
        name = next((key for key in _LISTS if key in value), _LISTS[0])
        rows = value.get(name)
        if not isinstance(rows, list):
            raise WrongError(f"{name} = {short(rows)}", "a list of triples")
        templates = []
        for number, each in enumerate(rows):
            place = f"{name}[{number}]"
            row = _dialect.object_in(each, place, _TRIPLE)
            head, label, tail = (_text_at(row, keys, place) for keys in (_HEAD, _TYPE, _TAIL))
            if not label:
                raise WrongError(f"{place} with a type that is empty", "a type")
            arguments = dict(zip(self.roles.split("+"), (head, tail), strict=True))
            facts["empty_texts"] += sum(not text.strip() for text in arguments.values())
            slots = {role: [text] for role, text in arguments.items() if text.strip()}
            templates.append({"label": label, "slots": slots})
        if templates:
            entry.record["templates"] = templates
        return entry

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """The key of ids, the roles, and how many texts were empty."""
        fields = {"id_key": signed(self.id), "roles": signed(self.roles)}
        fields |= {"locate": self.locate} | _answers.signature_fields(self.raw, self.repair)
        counts = {"mended": facts["mended"]} if facts.get("mended") else {}
        counts |= _answers.unparsed_facts(facts)
        return fields, counts | {"empty_texts": facts.get("empty_texts", 0)}

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again.

        >>> Triples.from_signature({"id_key": "id", "roles": "from+to"})
        {'id': 'id', 'roles': 'from+to'}
        """
        known: dict[str, Any] = {"id": unsigned(fields["id_key"])}
        known["roles"] = unsigned(fields["roles"])
        return known | _answers.from_signature(fields)

    def library(self, source: Source, documents: Documents) -> FileWords:
        """The texts, which stay in the file."""
        return _dialect.library(source, documents, _dialect.text_of, self._answers)


def _text_at(row: Mapping[str, Any], keys: tuple[str, ...], place: str) -> str:
    """The text under one of several keys."""
    names = [key for key in keys if key in row]
    if len(names) != 1:
        found = f"{place} with {' and '.join(names) or f'no {keys[0]}'}"
        raise WrongError(found, f"one of {', '.join(keys)}")
    value = row[names[0]]
    if not isinstance(value, str):
        raise WrongError(f"{place}.{names[0]} = {short(value)}", "a text")
    return value


def has_bare_lists(head: bytes) -> bool:
    """Whether a file has nothing but lists of triples.

    >>> has_bare_lists(b'[{"head": "Ann", "type": "MET", "tail": "Bo"}]'), has_bare_lists(b"[1]")
    (True, False)
    """
    return _dialect.has_bare_lists(head, _wrapped)


def _wrapped(value: Any) -> Any:
    """A bare list of triples as an object that has them."""
    return _dialect.list_in_object(value, _LISTS[0], _is_triple)


def _is_triple(row: Mapping[str, Any]) -> bool:
    return all(row.keys() & set(keys) for keys in (_HEAD, _TYPE, _TAIL))


def _is_record(value: Any) -> bool:
    return isinstance(_wrapped(value), dict)


def _has_triples(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(key), list) for key in _LISTS)


def _likeness(value: Any) -> float:
    if not isinstance(value, dict):
        return 0.0
    rows = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
    if not rows or not isinstance(rows[0], dict):
        return 0.0
    texts = {key for key, each in rows[0].items() if isinstance(each, str)}
    return 0.97 if all(texts & {*keys} for keys in (_HEAD, _TYPE, _TAIL)) else 0.0
