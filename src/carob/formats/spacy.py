"""spacy: training data of spaCy, and documents as `Doc.to_json` returns them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, ClassVar

from carob.corpus.corpus import Corpus, Words
from carob.corpus.problems import shown
from carob.corpus.record import WrongError, short
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.formats import _dialect, json_text
from carob.formats._dialect import ChoiceError, Entry
from carob.formats._text import FileWords, signed, unsigned

_SPAN = "[start, end, label]"


@dataclass(frozen=True, slots=True)
class Spacy:
    """Pairs [text, {"entities": [[start, end, label]]}], or objects with `text` and `ents`.

    The pairs are the training data of spaCy as JSON; objects with `text` and such `entities` are
    read as well. Objects with `ents` are what `Doc.to_json()` returns; of these, `tokens` and
    `sents` are read, too. `spans` names a group of spans that is read instead of the entities.
    Positions count characters; `offsets` names another unit. Other keys are ignored. See
    spacy.io/api/doc#to_json.

    >>> pairs = b'[["Ann slept", {"entities": [[0, 3, "PER"]]}]]'
    >>> Corpus.joined(Spacy().read(Source.of_bytes(pairs)))[0].mentions
    (Mention('PER', 0, 3),)
    """

    spans: str = ""
    offsets: str = "auto"

    name: ClassVar[str] = "spacy"
    extensions: ClassVar[tuple[str, ...]] = (".spacy-json",)
    signs: ClassVar[str] = '"ents" "entities" "spans"'
    needs: ClassVar[frozenset[str]] = frozenset({"text"})
    write_parameters: ClassVar[tuple[str, ...]] = ()
    holds: ClassVar[frozenset[str]] = frozenset({
        "text", "overlaps", "crossing", "across sentences", "units:char",
    })  # fmt: skip

    def __post_init__(self) -> None:
        _dialect.check_offsets(self.offsets)

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we, from 0 to 1?

        >>> Spacy.sniff(b'[["Ann", {"entities": []}]]'), Spacy.sniff(b'{"text": "A", "ents": []}')
        (0.97, 0.97)
        """
        return 0.97 if any(_likely(value) for value in json_text.samples(head)) else 0.0

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of documents; texts stay in the file."""
        groups: set[str] = set()
        yield from _dialect.read_records(
            source, partial(self._entry, groups), self.offsets, is_record=_is_record,
            record="pair or object",
        )  # fmt: skip
        _dialect.require_group(source, self.spans, groups)

    def _entry(self, known: set[str], value: Any, facts: Counter[str]) -> Entry | None:
        """The entry of a document; the names of its groups of spans are added to `known`."""
        text, parts = value if isinstance(value, list) else (value.get("text"), value)
        if not isinstance(text, str):
            raise WrongError("an object without a text", "text and ents")
        entry = Entry({"text": text})
        if self.spans:
            groups = _dialect.object_in(parts.get("spans", {}), "spans", "an object of groups")
            place = f"spans.{self.spans}"
            rows = _dialect.group_of(groups, self.spans, known, facts)
        else:
            place = "ents" if isinstance(value, dict) and "ents" in value else "entities"
            rows = parts.get(place)
            groups = parts.get("spans")
            if rows is None and isinstance(groups, dict) and groups:
                names = ", ".join(map(shown, sorted(groups)[:20]))
                raise ChoiceError(f"no entities, but groups of spans: {names}",
                                  "entities, or one of the groups: --read spans=NAME")  # fmt: skip
            facts["span_groups"] += bool(groups)
        if not isinstance(rows, list):
            raise WrongError(f"{place} = {short(rows)}", f"a list of {_SPAN}")
        for number, each in enumerate(rows):
            _add(entry, f"{place}[{number}]", each)
        if isinstance(value, dict):
            _add_tokens(entry, value)
        return entry

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """The group of spans, and what offsets count."""
        how, counts = _dialect.signature_fields(self.offsets, facts)
        return {"spans": signed(self.spans), **how}, counts

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again.

        >>> Spacy.from_signature({"spans": "-", "offsets": "char"})
        {'spans': '', 'offsets': 'char'}
        """
        return {"spans": unsigned(fields["spans"]), "offsets": fields["offsets"]}

    def library(self, source: Source, documents: Documents) -> FileWords:
        """The texts, which stay in the file."""
        return _dialect.library(source, documents, _words)

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Write a list of pairs.

        >>> import io
        >>> out = io.BytesIO()
        >>> Spacy().write(Corpus.of({"text": "Ann", "mentions": []}), out)
        >>> out.getvalue()
        b'[\\n["Ann", {"entities": []}]\\n]\\n'
        """
        sign = b"[\n"
        for document in _dialect.written_documents(corpus, self.name, self.holds):
            spans = [[each.start, each.end, each.label] for each in document.mentions]
            pair = [document.text, {"entities": spans}]
            out.write(sign + json_text.encoded(pair))
            sign = b",\n"
        out.write(b"[]\n" if sign == b"[\n" else b"\n]\n")


def _is_record(value: Any) -> bool:
    return isinstance(value, dict) or _is_pair(value)


def _is_pair(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    return isinstance(value[0], str) and isinstance(value[1], dict)


def _likely(value: Any) -> bool:
    if isinstance(value, dict):
        if not isinstance(value.get("text"), str):
            return False
        if _is_groups(value.get("spans")) and "mentions" not in value:
            return True
        rows = value.get("ents", value.get("entities"))
        if "ents" not in value and not (isinstance(rows, list) and rows and _is_span(rows[0])):
            return False
        return isinstance(rows, list)
    return _is_pair(value) and bool({"entities", "spans"} & value[1].keys())


def _is_groups(value: Any) -> bool:
    """Whether a value is groups of spans by their names; Prodigy's spans are a list."""
    return (
        isinstance(value, dict) and bool(value) and all(isinstance(v, list) for v in value.values())
    )


def _is_span(value: Any) -> bool:
    return isinstance(value, list) and len(value) in (3, 4) and isinstance(value[2], str)


def _words(value: Any) -> Words:
    return (value[0], None) if isinstance(value, list) else (value.get("text"), None)


def _add(entry: Entry, place: str, span: Any) -> None:
    if isinstance(span, dict):
        entry.add(place, {key: span.get(key) for key in ("start", "end", "label")})
    elif isinstance(span, list) and len(span) in (3, 4):  # the fourth is the id of an entity
        entry.add(place, {"start": span[0], "end": span[1], "label": span[2]})
    else:
        expected = _SPAN
        if isinstance(span, str):
            expected += "; tags of tokens are read as huggingface or conll"
        raise WrongError(f"{place} = {short(span)}", expected)


def _add_tokens(entry: Entry, value: Mapping[str, Any]) -> None:
    """The places of tokens and sentences."""
    if value.get("tokens"):
        tokens = [_dialect.object_in(each, f"tokens[{number}]", "an object with start and end")
                  for number, each in enumerate(_dialect.list_at(value, "tokens"))]  # fmt: skip
        entry.record["token_spans"] = [[each.get("start"), each.get("end")] for each in tokens]
    if value.get("sents"):
        sentences = [_dialect.object_in(each, f"sents[{number}]", "an object with start and end")
                     for number, each in enumerate(_dialect.list_at(value, "sents"))]  # fmt: skip
        entry.record["sentences"] = [each.get("start") for each in sentences]
