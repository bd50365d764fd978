"""labelstudio: tasks that Label Studio exports, as JSON or JSON-MIN."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, BinaryIO, ClassVar

from carob.corpus.corpus import Corpus, Words
from carob.corpus.document import Document
from carob.corpus.problems import InputError, Problem, shown
from carob.corpus.record import WrongError, short
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.formats import _dialect, json_text
from carob.formats._dialect import ChoiceError, Entry
from carob.formats._text import FileWords, signed, unsigned

_REGION = "an object with start, end and labels"


@dataclass(frozen=True, slots=True)
class Labelstudio:
    """A list of tasks, with `data` and `annotations` (JSON), or with regions (JSON-MIN).

    A task must have one annotation that is not cancelled; of several, `annotator` chooses one, by
    the id or e-mail address in `completed_by`. `model` reads the prediction of that
    `model_version` instead. Cancelled annotations, and tasks without any, are counted. `text` names
    the key of the text in `data`. A region with several labels is a mention for each. Relations go
    from one region to another. Positions count characters; `offsets` names another unit: Label
    Studio runs in a browser, and may count UTF-16 units. If regions are of several texts, `to_name`
    chooses those of one. Results that are no regions of text are
    ignored. See labelstud.io/guide/export.

    >>> value = b'{"start": 0, "end": 3, "text": "Ann", "labels": ["PER"]}'
    >>> result = b'[{"type": "labels", "value": %s}]' % value
    >>> task = b'[{"data": {"text": "Ann"}, "annotations": [{"result": %s}]}]' % result
    >>> Corpus.joined(Labelstudio().read(Source.of_bytes(task)))[0].mentions
    (Mention('PER', 0, 3),)
    """

    text: str = "text"
    annotator: str = ""
    model: str = ""
    offsets: str = "auto"
    to_name: str = ""

    name: ClassVar[str] = "labelstudio"
    extensions: ClassVar[tuple[str, ...]] = (".labelstudio",)
    signs: ClassVar[str] = '"annotations" "predictions" "annotation_id" "labels"'
    needs: ClassVar[frozenset[str]] = frozenset({"text"})
    write_parameters: ClassVar[tuple[str, ...]] = ("text", "offsets")
    holds: ClassVar[frozenset[str]] = frozenset({
        "text", "document ids", "overlaps", "crossing", "across sentences", "ids",
        "relations:pairs", "units:char",
    })  # fmt: skip

    def __post_init__(self) -> None:
        _dialect.check_offsets(self.offsets)

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we, from 0 to 1?

        >>> Labelstudio.sniff(b'[{"data": {"text": "Ann"}, "annotations": []}]')
        0.98
        """
        return 0.98 if any(_likely(value) for value in json_text.samples(head)) else 0.0

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of documents; texts stay in the file."""
        reader = _Reader(self)
        try:
            yield from _dialect.read_records(
                source, reader.entry, self.offsets, same_words=_same_words
            )  # fmt: skip
        except InputError as error:
            raise InputError(map(reader.advised, error.problems), error.total) from None

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """The key of the text, whose answer was read, and what offsets count."""
        how, counts = _dialect.signature_fields(self.offsets, facts)
        names = {"text_key": self.text, "annotator": self.annotator, "model": self.model}
        names |= {"to_name": self.to_name} if self.to_name else {}
        return {key: signed(name) for key, name in names.items()} | how, counts

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again.

        >>> fields = {"text_key": "text", "annotator": "ann", "model": "-", "offsets": "char"}
        >>> Labelstudio.from_signature(fields)["annotator"]
        'ann'
        """
        keys = {"text": "text_key", "annotator": "annotator", "model": "model"}
        keys |= {"to_name": "to_name"} if "to_name" in fields else {}
        names = {name: unsigned(fields[key]) for name, key in keys.items()}
        return names | {"offsets": fields["offsets"]}

    def library(self, source: Source, documents: Documents) -> FileWords:
        """The texts, which stay in the file."""

        def words(task: dict[str, Any]) -> Words:
            return task.get("data", task).get(self.text), None

        return _dialect.library(source, documents, words)

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Write a list of tasks with one annotation each, for a labelling configuration whose text
        is called `text` and whose labels are called `label`. Offsets count what `offsets` names.

        >>> import io
        >>> out = io.BytesIO()
        >>> Labelstudio().write(Corpus.of({"id": "1", "text": "Ann", "mentions": []}), out)
        >>> out.getvalue()
        b'[\\n{"id": 1, "data": {"text": "Ann"}, "annotations": [{"result": []}]}\\n]\\n'
        """
        sign = b"[\n"
        for document in _dialect.written_documents(corpus, self.name, self.holds):
            task = _dialect.id_record(document.id) | {"data": {self.text: document.text}}
            annotations = [_annotation(document, self.offsets)]
            out.write(sign + json_text.encoded(task | {"annotations": annotations}))
            sign = b",\n"
        out.write(b"[]\n" if sign == b"[\n" else b"\n]\n")

    def write_remarks(self, corpus: Corpus) -> list[str]:
        """Label Studio counts UTF-16 units, so that an emoji moves what follows."""
        texts = (corpus.words(row)[0] or "" for row in range(len(corpus)))
        if self.offsets != "auto" or all(not text or max(text) <= "\uffff" for text in texts):
            return []
        return ["offsets count characters, and texts have some that are two in Label Studio: "
                "--write offsets=utf16"]  # fmt: skip


def _likely(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("data"), dict):
        return any(isinstance(value.get(key), list) for key in ("annotations", "predictions"))
    regions = chain.from_iterable(_regions(value).values())
    return "annotation_id" in value or any("labels" in region for region in regions)


def _regions(task: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The lists of regions that a task of JSON-MIN has; a labelling configuration names them."""
    return {
        key: rows
        for key, rows in task.items()
        if isinstance(rows, list)
        and rows
        and all(isinstance(row, dict) and {"start", "end"} <= row.keys() for row in rows)
    }


def _same_words(quote: str, here: str) -> bool:
    """Some versions write line breaks of a quotation as a backslash and an n."""
    return quote == here or quote.replace("\\n", "\n") == here.replace("\\n", "\n")


class _Reader:
    """Reads the tasks of a file, and remembers who annotated which of them."""

    def __init__(self, format: Labelstudio) -> None:
        self.format = format
        self.annotators: dict[str, str] = {}
        self.to_name: str | None = None
        """The name of the text whose regions are read; the first if none is chosen."""
        self.names: dict[str, set[str]] = {"annotator": set(), "model": set()}
        """The annotators and models of the answers, by the parameter that chooses among them."""

    def advised(self, problem: Problem) -> Problem:
        """A problem; if nothing was read, with the names that the parameters can have."""
        choices = [
            f"--read {key}=NAME reads one of: {', '.join(map(shown, sorted(names)[:20]))}"
            for key, names in self.names.items()
            if names
        ]
        if problem.code != "K002" or not choices:
            return problem
        return replace(problem, hint="; ".join([problem.hint, *choices]))

    def entry(self, task: dict[str, Any], facts: Counter[str]) -> Entry | None:
        """The document of a task; None if it has no answer, which is counted."""
        data = task.get("data", task)
        text = data.get(self.format.text) if isinstance(data, dict) else None
        if not isinstance(text, str):
            found = f"a task without the text {shown(self.format.text)}"
            raise WrongError(found, "a text in data, or --read text=KEY")
        entry = Entry({"id": _dialect.name_of(task, "id"), "text": text})
        if "data" not in task:
            if not self._is_chosen(task, entry.record["id"], facts):
                return None
            for key, regions in _regions(task).items():
                for number, region in enumerate(regions):
                    facts["unlabelled"] += not region.get("labels")
                    _add(entry, f"{key}[{number}]", region, "labels", None, None)
            return entry
        result = self._result(task, facts)
        if result is None:
            return None
        relations = []
        left_out: set[str | None] = set()
        for number, each in enumerate(result):
            place = f"result[{number}]"
            row = _dialect.object_in(each, place, "an object with type and value")
            kind, value = row.get("type"), row.get("value")
            if kind == "relation":
                relations.append((place, row))
            elif isinstance(value, dict) and isinstance(kind, str) and kind.endswith("labels"):
                name = _dialect.name_of(row, "id")
                if not self._is_of_text(row.get("to_name")):
                    facts["other_texts"] += 1
                    left_out.add(name)
                    continue
                facts["unlabelled"] += not value.get(kind)
                _add(entry, place, value, kind, name, row.get("score"))
        rows = [(place, row) for place, row in relations
                if not left_out & {_dialect.name_of(row, "from_id"), _dialect.name_of(row, "to_id")}
                ]  # fmt: skip
        facts["unlabelled_relations"] += len(relations) - len(rows)
        if rows:
            entry.record["relations"] = _relations(rows, entry)
        return entry

    def _is_of_text(self, name: Any) -> bool:
        """Whether a region is of the text that is read, by the name that it has for the text."""
        if self.format.to_name:
            return bool(name == self.format.to_name)
        if not isinstance(name, str):
            return True
        self.to_name = self.to_name or name
        if name != self.to_name:
            raise ChoiceError(
                f"regions of the texts {shown(self.to_name)} and {shown(name)}",
                "one of them: --read to_name=NAME, and --read text=KEY for its key in data",
            )
        return True

    def _is_chosen(self, task: Mapping[str, Any], name: str | None, facts: Counter[str]) -> bool:
        """Whether a task of JSON-MIN, which has one annotation, is by the annotator."""
        annotator = _annotator(task.get("annotator"))
        self.names["annotator"].update(annotator[:1])
        if self.format.annotator and self.format.annotator not in annotator:
            facts["other_annotators"] += 1
            return False
        if name is not None and annotator:
            other = self.annotators.setdefault(name, annotator[0])
            if other != annotator[0]:
                raise ChoiceError(
                    f"task {shown(name)} annotated by {shown(other)} and {shown(annotator[0])}",
                    "one of them: --read annotator=NAME",
                )
        return True

    def _result(self, task: Mapping[str, Any], facts: Counter[str]) -> list[Any] | None:
        """The regions and relations of the one answer that counts."""
        key = "predictions" if self.format.model else "annotations"
        answers = [_dialect.object_in(each, f"{key}[{number}]", "an object with a result")
                   for number, each in enumerate(_dialect.list_at(task, key))]  # fmt: skip
        if self.format.model:
            names = [[str(each.get("model_version"))] for each in answers]
            chosen = self.format.model
        else:
            cancelled = [each for each in answers if each.get("was_cancelled")]
            facts["cancelled"] += len(cancelled)
            answers = [each for each in answers if not each.get("was_cancelled")]
            names = [_annotator(each.get("completed_by")) for each in answers]
            chosen = self.format.annotator
        self.names["model" if self.format.model else "annotator"].update(
            name[0] for name in names if name
        )
        if not self.format.model and isinstance(task.get("predictions"), list):
            self.names["model"].update(
                str(each["model_version"]) for each in task["predictions"]
                if isinstance(each, dict) and each.get("model_version") is not None
            )  # fmt: skip
        if not answers:
            facts["skipped"] += 1
            return None
        rows = [row for row, name in enumerate(names) if not chosen or chosen in name]
        if not rows:
            facts["other_annotators"] += 1
            return None
        if len(rows) > 1:
            who = " and ".join(shown(names[row][0] if names[row] else "?") for row in rows[:5])
            raise ChoiceError(
                f"{len(rows)} {key} of one task, by {who}",
                f"one: --read {'model' if self.format.model else 'annotator'}=NAME",
            )
        return _dialect.list_at(answers[rows[0]], "result", f"{key}[{rows[0]}].")


def _annotator(value: Any) -> list[str]:
    """The names of an annotator: an id, or an object with an id and an e-mail address."""
    if isinstance(value, dict):
        return [str(value[key]) for key in ("email", "username", "id") if key in value]
    return [] if value is None else [short(value) if not isinstance(value, str) else value]


def _add(
    entry: Entry, place: str, value: Mapping[str, Any], kind: str, name: str | None, score: Any
) -> None:
    """A mention for each label of a region."""
    where = value.get("globalOffsets", value)  # of HTML, whose own offsets count inside an element
    if not isinstance(where, dict):
        raise WrongError(f"{place}.globalOffsets = {short(where)}", _REGION)
    labels = _dialect.list_at(value, kind, f"{place}.") if value.get(kind) is not None else []
    for number, label in enumerate(labels):
        own = name if name is None or not number else f"{name}:{number + 1}"
        mention = {"id": own, "start": where.get("start"), "end": where.get("end")}
        entry.add(place, mention | {"label": label, "confidence": score}, value.get("text"))


def _relations(rows: list[tuple[str, dict[str, Any]]], entry: Entry) -> list[dict[str, Any]]:
    known = {mention.get("id") for mention in entry.record.get("mentions", [])}
    relations = []
    for place, row in rows:
        ends = [_dialect.name_of(row, key) for key in ("from_id", "to_id")]
        if not all(name is not None and name in known for name in ends):
            found = f"{place} from {short(ends[0])} to {short(ends[1])}"
            raise WrongError(found, "the ids of two regions of the same annotation")
        if row.get("direction") == "left":
            ends.reverse()
        for label in _dialect.list_at(row, "labels", f"{place}.") if row.get("labels") else [""]:
            relations.append({"label": label, "arguments": {"from": ends[0], "to": ends[1]}})
    return relations


def _annotation(document: Document, offsets: str) -> dict[str, Any]:
    names = {"from_name": "label", "to_name": "text"}
    text = document.text or ""
    spans = [_dialect.span_in(text, each.start, each.end, offsets) for each in document.mentions]
    result: list[dict[str, Any]] = [
        ({} if each.id is None else {"id": each.id})
        | names
        | {"type": "labels", "value": {
            "start": start, "end": end, "text": text[each.start : each.end],
            "labels": [each.label],
        }}
        for each, (start, end) in zip(document.mentions, spans, strict=True)
    ]  # fmt: skip
    for group in document.relations:
        ends = dict(group.members)
        result.append({"type": "relation", "from_id": ends["from"], "to_id": ends["to"],
                       "direction": "right", "labels": [group.label]})  # fmt: skip
    return {"result": result}
