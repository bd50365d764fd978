"""prodigy: the tasks that the annotation tool Prodigy exports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar

from carob.corpus.corpus import Corpus, Words
from carob.corpus.document import Document, Mention, Span
from carob.corpus.problems import UsageError, shown
from carob.corpus.record import WrongError, short
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.formats import _dialect, json_text
from carob.formats._dialect import ChoiceError, Entry
from carob.formats._text import FileWords, signed, unsigned

_LEFT_OUT = {"reject": "rejected", "ignore": "skipped"}
_TOKEN = "an object with text, start and end"
_HASHES = ("_input_hash", "_task_hash")
_ANNOTATOR = ("_annotator_id", "_session_id")


@dataclass(frozen=True, slots=True)
class Prodigy:
    """One JSON object a task, with `text` and `spans`, as `prodigy db-out` writes it.

    Only tasks whose `answer` is `accept`, or that have none, are documents; the others are
    counted. A span without `start` and `end` has `token_start` and `token_end`, which is inclusive.
    `relations` go from the span of the head to that of the child. The id of a document is its
    `id`, or its `_input_hash`, which is equal for equal texts; `id` names another key. `annotator`
    chooses among several people who had the same texts. Positions count characters; `offsets`
    names another unit. Other keys are ignored. See prodi.gy/docs/api-interfaces.

    >>> spans = b'[{"start": 0, "end": 3, "label": "PER"}]'
    >>> line = b'{"text": "Ann slept", "_input_hash": 7, "spans": %s}' % spans
    >>> Corpus.joined(Prodigy().read(Source.of_bytes(line)))[0].mentions
    (Mention('PER', 0, 3),)
    """

    id: str = "auto"
    annotator: str = ""
    offsets: str = "auto"

    name: ClassVar[str] = "prodigy"
    extensions: ClassVar[tuple[str, ...]] = (".prodigy",)
    signs: ClassVar[str] = '"spans" "_task_hash" "_input_hash" "answer"'
    needs: ClassVar[frozenset[str]] = frozenset({"text"})
    write_parameters: ClassVar[tuple[str, ...]] = ()
    holds: ClassVar[frozenset[str]] = frozenset({
        "text", "tokens", "document ids", "overlaps", "crossing", "across sentences", "ids",
        "relations:pairs", "units:char",
    })  # fmt: skip

    def __post_init__(self) -> None:
        _dialect.check_offsets(self.offsets)

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we, from 0 to 1? Only Prodigy gives its objects hashes and answers.

        >>> Prodigy.sniff(b'{"text": "Ann", "_task_hash": 7}'), Prodigy.sniff(b'{"text": "Ann"}')
        (0.99, 0.0)
        """
        return max((_likeness(value) for value in json_text.samples(head)), default=0.0)

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of documents; texts and tokens stay in the file."""
        reader = _Reader(self.id, self.annotator)
        return _dialect.read_records(source, reader.entry, self.offsets)

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """The key of ids, the annotator, and what offsets count."""
        how, counts = _dialect.signature_fields(self.offsets, facts)
        return {"id_key": signed(self.id), "annotator": signed(self.annotator), **how}, counts

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again.

        >>> Prodigy.from_signature({"id_key": "nr", "annotator": "-", "offsets": "char"})
        {'id': 'nr', 'annotator': '', 'offsets': 'char'}
        """
        id, annotator = unsigned(fields["id_key"]), unsigned(fields["annotator"])
        return {"id": id, "annotator": annotator, "offsets": fields["offsets"]}

    def library(self, source: Source, documents: Documents) -> FileWords:
        """The texts and tokens, which stay in the file."""
        return _dialect.library(source, documents, _words)

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Write one accepted task a document.

        >>> import io
        >>> out = io.BytesIO()
        >>> Prodigy().write(Corpus.of({"id": "d1", "text": "Ann", "mentions": []}), out)
        >>> out.getvalue()
        b'{"text": "Ann", "id": "d1", "spans": [], "answer": "accept"}\\n'
        """
        for document in _dialect.written_documents(corpus, self.name, self.holds):
            out.write(json_text.encoded_object(_task(document)))


def _likeness(value: Any) -> float:
    if not isinstance(value, dict):
        return 0.0
    if any(key in value for key in _HASHES):
        return 0.99  # tasks with images are Prodigy's, too, and refused
    if not isinstance(value.get("text"), str):
        return 0.0
    if value.get("answer") in ("accept", *_LEFT_OUT):
        return 0.99
    spans = value.get("spans")
    if not isinstance(spans, list) or not all(isinstance(span, dict) for span in spans):
        return 0.0
    placed = any("start" in span or "token_start" in span for span in spans)
    return 0.95 if placed else 0.0 if spans else 0.86


def _words(value: dict[str, Any]) -> Words:
    tokens = value.get("tokens")
    return value.get("text"), None if tokens is None else tuple(each["text"] for each in tokens)


class _Reader:
    """Reads the tasks of a file, and remembers who annotated which text."""

    def __init__(self, id: str, annotator: str) -> None:
        self.id, self.annotator = id, annotator
        self.annotators: dict[str, str] = {}

    def entry(self, task: dict[str, Any], facts: Counter[str]) -> Entry | None:
        """The document of a task; None if it is left out, which is counted."""
        answer = task.get("answer", "accept")
        if answer != "accept":
            if answer not in ("reject", "ignore"):
                found = f"answer = {short(answer)}"
                raise WrongError(found, "accept, reject or ignore")
            facts[_LEFT_OUT[answer]] += 1
            return None
        names = [task[key] for key in _ANNOTATOR if isinstance(task.get(key), str)]
        if self.annotator and self.annotator not in names:
            facts["other_annotators"] += 1
            return None
        if "spans" not in task and {"label", "options"} & task.keys():
            facts["text_classes"] += 1
            return None
        if not isinstance(task.get("text"), str):
            raise WrongError("a task without a text", "text and spans, and no images or HTML")
        automatic = "id" if task.get("id") is not None else "_input_hash"
        name = _dialect.name_of(task, automatic if self.id == "auto" else self.id)
        self._check_annotator(name or task["text"], names[0] if names else "")
        entry = Entry({"id": name, "text": task["text"]})
        tokens = _tokens(task)
        if tokens is not None:
            entry.record["tokens"] = [text for text, _ in tokens]
            entry.record["token_spans"] = [list(span) for _, span in tokens]
        for number, each in enumerate(_dialect.list_at(task, "spans") if "spans" in task else ()):
            place = f"spans[{number}]"
            span = _dialect.object_in(each, place, "an object with start, end and label")
            start, end = _place(span, place, tokens)
            label, id = span.get("label"), _dialect.name_of(span, "id")
            mention = {"id": id, "start": start, "end": end, "label": label}
            entry.add(place, mention, span.get("text"))
        if task.get("relations"):
            _add_relations(entry, _dialect.list_at(task, "relations"), facts)
        return entry

    def _check_annotator(self, name: str, annotator: str) -> None:
        """Refuse a text, by its id or itself, that another person has annotated as well."""
        if not annotator:
            return
        other = self.annotators.setdefault(name, annotator)
        if other != annotator:
            raise ChoiceError(
                f"the text {shown(name)} annotated by {shown(other)} and {shown(annotator)}",
                "one of them: --read annotator=NAME",
            )


def _tokens(task: Mapping[str, Any]) -> list[tuple[str, Span]] | None:
    """Text and place of each token; None if the task has none."""
    if task.get("tokens") is None:
        return None
    tokens = []
    for number, each in enumerate(_dialect.list_at(task, "tokens")):
        token = _dialect.object_in(each, f"tokens[{number}]", _TOKEN)
        text, start, end = (token.get(key) for key in ("text", "start", "end"))
        if type(text) is not str or type(start) is not int or type(end) is not int:
            raise WrongError(f"tokens[{number}] = {short(each)}", _TOKEN)
        tokens.append((text, (start, end)))
    return tokens


def _place(
    span: Mapping[str, Any], place: str, tokens: list[tuple[str, Span]] | None
) -> tuple[Any, Any]:
    """Start and end of a span. Its tokens, if there are any, must be at the same place."""
    first, last = span.get("token_start"), span.get("token_end")
    known = tokens is not None and type(first) is int and type(last) is int
    if not known or tokens is None:
        return span.get("start"), span.get("end")
    if not 0 <= first <= last < len(tokens):  # type: ignore[operator]
        found = f"{place} of the tokens {short(first)} to {short(last)}"
        raise WrongError(found, f"some of the {len(tokens)} tokens; token_end is inclusive")
    start, end = tokens[first][1][0], tokens[last][1][1]  # type: ignore[index]
    if (span.get("start", start), span.get("end", end)) != (start, end):
        raise WrongError(
            f"{place} of the tokens {first} to {last}, which are at {start}..{end}",
            f"tokens at {short(span.get('start'))}..{short(span.get('end'))}; "
            "token_end is inclusive",
        )
    return start, end


def _add_relations(entry: Entry, relations: list[Any], facts: Counter[str]) -> None:
    """Relations between spans. Those of words that are no spans have no place, and are counted."""
    mentions = entry.record.get("mentions", [])
    taken = {mention["id"] for mention in mentions if "id" in mention}
    for number, mention in enumerate(mentions):
        if "id" not in mention:
            name = f"s{number}"
            while name in taken:
                name = f"_{name}"
            mention["id"] = name
            taken.add(name)
    by_id = {mention["id"] for mention in mentions}
    by_place = {_key(mention): mention["id"] for mention in reversed(mentions)}
    rows = []
    for number, each in enumerate(relations):
        place = f"relations[{number}]"
        value = _dialect.object_in(each, place, "an object with head_span, child_span and label")
        label = value.get("label")
        if not isinstance(label, str) or not label:
            raise WrongError(f"{place}.label = {short(label)}", "a text")
        ends: dict[str, str | None] = {}
        for role, key in (("from", "head_span"), ("to", "child_span")):
            expected = "an object with start, end and label"
            span = _dialect.object_in(value.get(key), f"{place}.{key}", expected)
            own = _dialect.name_of(span, "id")
            ends[role] = own if own in by_id else by_place.get(_key(span))
        if None in ends.values():
            facts["unlabelled_relations"] += 1
        else:
            rows.append({"label": label, "arguments": ends})
    entry.record["relations"] = rows


def _key(span: Mapping[str, Any]) -> str:
    """What tells spans apart."""
    return repr((span.get("start"), span.get("end"), span.get("label")))


def _task(document: Document) -> dict[str, Any]:
    text = document.text or ""
    task: dict[str, Any] = {"text": text} | _dialect.id_record(document.id)
    places = _token_spans(document)
    if places is not None:
        texts = document.tokens or tuple(text[start:end] for start, end in places)
        task["tokens"] = [
            {
                "text": word,
                "start": start,
                "end": end,
                "id": number,
                "ws": text[end : end + 1] == " ",
            }
            for number, (word, (start, end)) in enumerate(zip(texts, places, strict=True))
        ]
    starts = {start: number for number, (start, _) in enumerate(places or ())}
    stops = {end: number for number, (_, end) in enumerate(places or ())}

    def span(mention: Mention) -> dict[str, Any]:
        place: dict[str, Any] = {"start": mention.start, "end": mention.end}
        first, last = starts.get(mention.start), stops.get(mention.end)
        if first is not None and last is not None and first <= last:
            place |= {"token_start": first, "token_end": last}
        return _dialect.id_record(mention.id) | place | {"label": mention.label}

    task["spans"] = [span(mention) for mention in document.mentions]
    if document.relations:
        by_id = {mention.id: span(mention) for mention in document.mentions}
        task["relations"] = [
            {
                "label": group.label,
                "head_span": by_id[roles["from"]],
                "child_span": by_id[roles["to"]],
            }
            for group in document.relations
            for roles in [dict(group.members)]
        ]
    return task | {"answer": "accept"}


def _token_spans(document: Document) -> tuple[Span, ...] | None:
    """The places of the tokens: those that are known, or found in the text one after another."""
    if document.token_spans is not None or document.tokens is None:
        return document.token_spans
    places, at = [], 0
    for token in document.tokens:
        at = (document.text or "").find(token, at)
        if at < 0 or not token:
            raise UsageError(f"prodigy needs tokens of the text, and {shown(token)} is not there")
        places.append((at, at + len(token)))
        at += len(token)
    return tuple(places)
