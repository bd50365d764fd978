"""pipeline: what the token classification pipeline of Hugging Face transformers returns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, ClassVar

from carob.corpus.corpus import Corpus, Words
from carob.corpus.record import WrongError, short
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.formats import _dialect, json_text
from carob.formats._dialect import Entry
from carob.formats._text import FileWords

_KEYS = ("entity_group", "entity")
_ENTITY = "an object with entity_group or entity, start and end"
_TAG = re.compile(r"(?:([BI])-)?(.+)", re.S)
_LONG_TAG = re.compile(r"(?:([BIESLUMW])-)?(.+)", re.S)
_FIRST, _LAST = frozenset("BSUW"), frozenset("ESLUW")
"""The prefixes of first pieces, and of last pieces, in IOBES and BILOU."""
_LABELS = re.compile(rb'"(entity(?:_group)?)"\s*:\s*("(?:[^"\\]|\\.)*")')
_PIECES = re.compile(r"\s|##|[▁ĠĊ]")
_PLAIN = re.compile(r"[^\W_ĠĊ]+(?: [^\W_ĠĊ]+)*")
"""Words that are as long as in the text: tokenizers mark pieces, and put spaces around signs."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A list of entities for each text: objects with `entity_group` or `entity`, `start` and `end`.

    One list a line, or a list of lists; or objects with such a list as `entities`, and `text` and
    `id` if they have them. Pieces of words, which `entity` names with B- and I-, are joined as the
    pipeline does it with the aggregation strategy `simple`: I- continues the piece before it if
    both have one label. Tags of IOBES and BILOU are read, too; O is no entity. The `score` is the
    confidence, for joined pieces their mean. Positions count characters; `offsets` names another
    unit.

    >>> line = b'[{"entity_group": "PER", "score": 0.9, "word": "Ann", "start": 0, "end": 3}]'
    >>> Corpus.joined(Pipeline().read(Source.of_bytes(line)))[0].mentions
    (Mention('PER', 0, 3, confidence=0.9),)
    """

    offsets: str = "auto"

    name: ClassVar[str] = "pipeline"
    extensions: ClassVar[tuple[str, ...]] = (".pipeline",)
    signs: ClassVar[str] = '"entity_group" "entity"'
    holds: ClassVar[frozenset[str]] = frozenset({
        "text", "document ids", "overlaps", "crossing", "across sentences", "confidence",
        "units:char",
    })  # fmt: skip

    def __post_init__(self) -> None:
        _dialect.check_offsets(self.offsets)

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we, from 0 to 1?

        >>> Pipeline.sniff(b'[{"entity_group": "PER", "start": 0, "end": 3}]')
        0.97
        """
        values = list(json_text.samples(head))
        values += [each for value in values if isinstance(value, list) for each in value[:9]]
        values += [
            each
            for value in values
            if isinstance(value, dict) and isinstance(value.get("entities"), list)
            for each in value["entities"][:9]
        ]
        return 0.97 if any(_is_entity(value) for value in values) else 0.0

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of documents; texts stay in the file."""
        return _dialect.read_records(
            source, partial(self._entry, _Labels(source)), self.offsets, is_record=_is_record,
            record="list of entities", same_words=_same_words,
        )  # fmt: skip

    def _entry(self, labels: _Labels, value: Any, facts: Counter[str]) -> Entry | None:
        if isinstance(value, dict):
            entry = Entry({"id": _dialect.name_of(value, "id"), "text": value.get("text")})
            if entry.record["text"] is None:
                entry.record = {"id": entry.record["id"], "unit": "char"}
            rows, lead = _dialect.list_at(value, "entities"), "entities"
        else:
            entry, rows, lead = Entry({"unit": "char"}), value, ""
        for place, piece in _joined(rows, lead, labels):
            word = piece.pop("word")
            same_length = isinstance(word, str) and _PLAIN.fullmatch(word)
            entry.add(place, piece, word if same_length or "text" in entry.record else None)
        return entry

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """What offsets count."""
        return _dialect.signature_fields(self.offsets, facts)

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again.

        >>> Pipeline.from_signature({"offsets": "char"})
        {'offsets': 'char'}
        """
        return {"offsets": fields["offsets"]}

    def library(self, source: Source, documents: Documents) -> FileWords:
        """The texts, which stay in the file."""
        return _dialect.library(source, documents, _words)


def _is_entity(value: Any) -> bool:
    return isinstance(value, dict) and any(key in value for key in _KEYS) and "end" in value


def _is_record(value: Any) -> bool:
    """Whether a value is a list of entities, or an object with one: a list of lists is a list of
    records.
    """
    if isinstance(value, dict):
        return "entities" in value
    return isinstance(value, list) and all(
        isinstance(each, dict) and any(key in each for key in _KEYS) for each in value
    )


def _words(value: Any) -> Words:
    return (value.get("text") if isinstance(value, dict) else None), None


def _same_words(quote: str, here: str) -> bool:
    """Whether the decoded pieces of a tokenizer are the words of a text: case, white space and the
    marks of pieces may differ.
    """
    quote, here = (_PIECES.sub("", words).casefold() for words in (quote, here))
    return quote == here


class _Labels:
    """The labels of a whole file, which say whether it has tags of IOBES or BILOU, as E-PER, or
    labels that begin like one, as E-mail.
    """

    def __init__(self, source: Source) -> None:
        every = (_LABELS.finditer(line) for _, _, line in json_text.lines(source))
        found = {match.groups() for match in chain.from_iterable(every)}
        tags, groups = ({_label(raw) for key, raw in found if key == wanted} - {"O"}
                        for wanted in (b"entity", b"entity_group"))  # fmt: skip
        split = [_LONG_TAG.fullmatch(tag) for tag in tags]
        letters = {match[1] for match in split if match}
        # Each mention of these schemes has a piece that is its first.
        self.tag = _LONG_TAG if None not in letters and letters & _FIRST else _TAG
        names = Counter(match[2] for each in groups if (match := _LONG_TAG.fullmatch(each)))
        self.cut = {
            each for each in groups
            if (match := _LONG_TAG.fullmatch(each)) and match[1] not in (None, "B", "I")
            and names[match[2]] > 1
        }  # fmt: skip
        """Tags of parts of mentions, which the pipeline has not joined."""


def _label(raw: bytes) -> str:
    try:
        label = json_text.DECODER.decode(raw.decode("utf-8"))
    except ValueError:
        return ""  # reading has a message for it
    return label if isinstance(label, str) else ""


def _joined(rows: list[Any], lead: str, labels: _Labels) -> Iterator[tuple[str, dict[str, Any]]]:
    """Place and mention of each entity; pieces of one entity together."""
    current: dict[str, Any] = {}
    place, scores, before = "", [], None
    for number, each in enumerate(rows):
        at = f"{lead}[{number}]"
        value = _dialect.object_in(each, at, _ENTITY)
        key = next((key for key in _KEYS if key in value), "entity_group")
        label, score = value.get(key), value.get("score")
        tag = labels.tag.fullmatch(label) if isinstance(label, str) else None
        if tag is None:
            raise WrongError(f"{at}.{key} = {short(label)}", "a label")
        if score is not None and (isinstance(score, bool) or not isinstance(score, (int, float))):
            raise WrongError(f"{at}.score = {short(score)}", "a number")
        if label in labels.cut:
            raise WrongError(
                f"{at}.{key} = {short(label)}, which is a part of a mention",
                "whole mentions, or pieces: aggregation_strategy none, as simple knows B- and I- "
                "only",
            )
        if label == "O":
            before = None
            continue
        piece = key == "entity"
        name = tag[2] if piece else label
        goes_on = (
            piece and tag[1] not in _FIRST and current.get("label") == name and _next(before, value)
        )  # fmt: skip
        if goes_on and type(value.get("end")) is int:
            current["end"] = value["end"]
            current["word"] = None  # the words between two pieces are not in the file
            scores.append(score)
        else:
            if current:
                yield place, _with_score(current, scores)
            place, scores = at, [score]
            start, end = value.get("start"), value.get("end")
            current = {"start": start, "end": end, "label": name, "word": value.get("word")}
        before = value if piece and tag[1] not in _LAST else None
    if current:
        yield place, _with_score(current, scores)


def _next(before: Mapping[str, Any] | None, value: Mapping[str, Any]) -> bool:
    """Whether a piece follows another one directly."""
    if before is None:
        return False
    first, second = before.get("index"), value.get("index")
    if type(first) is int and type(second) is int:
        return second == first + 1
    first, second = before.get("end"), value.get("start")
    return type(first) is int and type(second) is int and first <= second <= first + 1


def _with_score(mention: dict[str, Any], scores: list[Any]) -> dict[str, Any]:
    known = [score for score in scores if score is not None]
    try:
        mean = sum(map(float, known)) / len(known) if known else None
    except OverflowError:
        raise WrongError("a score that no float can hold", "a number") from None
    return mention | {"confidence": mean}
