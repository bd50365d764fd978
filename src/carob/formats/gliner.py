"""gliner: training data and predictions of GLiNER."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar

from carob.corpus.corpus import Corpus, Words
from carob.corpus.problems import UsageError, nearest
from carob.corpus.record import WrongError, short
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.formats import _dialect, json_text
from carob.formats._dialect import Entry
from carob.formats._text import FileWords, signed, unsigned
from carob.formats.capabilities import fitted, refused

_SPAN = "[first token, last token, label]"
_ENTITY = "an object with start, end, text and label"
_PREDICTED = frozenset({"start", "end", "text", "label"})
_ENDS = ("inclusive", "exclusive")


@dataclass(frozen=True, slots=True)
class Gliner:
    """Objects with `tokenized_text` and `ner`, or a list of predicted entities for each text.

    `ner` lists [first token, last token, label]: the last token belongs to the mention, unless
    `ends` is exclusive. A fourth value is the confidence. Predictions are lists of objects with
    `start`, `end`, `text`, `label` and `score`, one list a line or all in a list; their positions
    count characters, with exclusive ends. `offsets` names another unit of predictions, `id` the key
    of the ids of documents. See github.com/urchade/GLiNER.

    >>> line = b'{"tokenized_text": ["Ann", "Lee", "slept"], "ner": [[0, 1, "person"]]}'
    >>> Corpus.joined(Gliner().read(Source.of_bytes(line)))[0].mentions
    (Mention('person', 0, 2),)
    """

    ends: str = "inclusive"
    id: str = "id"
    offsets: str = "auto"

    name: ClassVar[str] = "gliner"
    extensions: ClassVar[tuple[str, ...]] = (".gliner",)
    signs: ClassVar[str] = '"tokenized_text" "score"'
    write_parameters: ClassVar[tuple[str, ...]] = ()
    holds: ClassVar[frozenset[str]] = frozenset({
        "tokens", "document ids", "overlaps", "crossing", "across sentences", "confidence",
        "units:token",
    })  # fmt: skip

    def __post_init__(self) -> None:
        _dialect.check_offsets(self.offsets)
        if self.ends not in _ENDS:
            raise UsageError(f"ends cannot be {self.ends!r}{nearest(self.ends, _ENDS)}")

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we, from 0 to 1?

        >>> Gliner.sniff(b'{"tokenized_text": ["Ann"], "ner": []}'), Gliner.sniff(b"{}")
        (0.98, 0.0)
        """
        return max((_likeness(value) for value in json_text.samples(head)), default=0.0)

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of documents; tokens stay in the file."""
        return _dialect.read_records(
            source, self._entry, self.offsets, is_record=_is_record,
            record="object with tokenized_text, or a list of entities",
        )  # fmt: skip

    def _entry(self, value: Any, facts: Counter[str]) -> Entry | None:
        if isinstance(value, list):
            entry = Entry({"unit": "char"})
            for number, each in enumerate(value):
                row = _dialect.object_in(each, f"[{number}]", _ENTITY)
                mention = {key: row.get(key) for key in ("start", "end", "label")}
                mention["confidence"] = row.get("score")
                entry.add(f"[{number}]", mention, row.get("text"))
            return entry
        tokens = _dialect.list_at(value, "tokenized_text")
        entry = Entry({"id": _dialect.name_of(value, self.id), "tokens": tokens})
        for number, each in enumerate(_dialect.list_at(value, "ner")):
            place = f"ner[{number}]"
            if not isinstance(each, list) or len(each) not in (3, 4):
                raise WrongError(f"{place} = {short(each)}", _SPAN)
            start, end, label, *score = each
            if type(end) is int and self.ends == "inclusive":
                end += 1
            if type(start) is int and type(end) is int and not 0 <= start < end <= len(tokens):
                what = (
                    "the last one belongs to it" if self.ends == "inclusive" else "without the last"
                )
                raise WrongError(
                    f"{place} of the tokens {short(each[0])} to {short(each[1])}",
                    f"some of the {len(tokens)} tokens, {what}; --read ends=exclusive|inclusive",
                )
            mention = {"start": start, "end": end, "label": label}
            entry.add(place, mention | {"confidence": score[0] if score else None})
        if isinstance(value.get("relations"), list):
            facts["unread_relations"] += len(value["relations"])
        return entry

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """Whether ends are inclusive, the key of ids, and what offsets count."""
        how, counts = _dialect.signature_fields(self.offsets, facts)
        return {"ends": self.ends, "id_key": signed(self.id), **how}, counts

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again.

        >>> Gliner.from_signature({"ends": "exclusive", "id_key": "id", "offsets": "char"})
        {'ends': 'exclusive', 'id': 'id', 'offsets': 'char'}
        """
        return {
            "ends": fields["ends"], "id": unsigned(fields["id_key"]), "offsets": fields["offsets"],
        }  # fmt: skip

    def library(self, source: Source, documents: Documents) -> FileWords:
        """The tokens, which stay in the file."""
        return _dialect.library(source, documents, _words)

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Write one object of training data a document.

        >>> import io
        >>> out = io.BytesIO()
        >>> Gliner().write(Corpus.of("[Ann Lee]person slept"), out)
        >>> out.getvalue()
        b'{"tokenized_text": ["Ann", "Lee", "slept"], "ner": [[0, 1, "person"]]}\\n'
        """
        refused(self.name, fitted(corpus, self.holds)[1])
        for document in corpus:
            if document.tokens is None:
                raise UsageError("gliner needs tokens, and these documents have none")
            spans = [
                [m.start, m.end - 1, m.label, *([] if m.confidence is None else [m.confidence])]
                for m in document.mentions
            ]
            record = {"tokenized_text": list(document.tokens), "ner": spans}
            out.write(json_text.encoded_object(record | _dialect.id_record(document.id)))


def _is_entity(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() >= _PREDICTED


def _is_record(value: Any) -> bool:
    """Whether a value is an object, or a list of entities: a list of lists is a list of records."""
    if isinstance(value, dict):
        return "tokenized_text" in value
    return isinstance(value, list) and all(_is_entity(each) for each in value)


def _likeness(value: Any) -> float:
    if isinstance(value, dict):
        return 0.98 if {"tokenized_text", "ner"} <= value.keys() else 0.0
    return 0.93 if isinstance(value, list) and value and all(map(_is_entity, value)) else 0.0


def _words(value: Any) -> Words:
    return None, tuple(value["tokenized_text"]) if isinstance(value, dict) else None
