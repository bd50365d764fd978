"""docred: documents with entities and the relations between them, as DocRED has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from carob.corpus.corpus import Corpus, Words
from carob.corpus.record import WrongError, short
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.formats import _dialect, json_text
from carob.formats._dialect import Entry
from carob.formats._text import FileWords, signed, unsigned

_MENTION = "an object with sent_id, pos and type"
_LABEL = "an object with h, t and r"
_COLUMNS = ("head", "tail", "relation_id")


@dataclass(frozen=True, slots=True)
class Docred:
    """Objects with `sents` and `vertexSet`: tokens in sentences, and entities, each a list of its
    mentions. `labels` are relations between entities.

    A mention has `sent_id`, `pos` (its first token in the sentence, and the one after its last) and
    `type`, which is its label. The mentions of an entity are a cluster. A relation (`h`, `t`, `r`)
    goes from the first mention of its head to that of its tail, in the two `roles`; its `evidence`
    is not read, and counted. In the copy of Hugging Face, `labels` is an object of lists. `id` is
    the key of the ids of documents. See github.com/thunlp/DocRED.

    >>> line = (
    ...     b'{"title": "A", "sents": [["Ann", "left", "Oslo"]], "vertexSet": [[{"sent_id": 0,'
    ...     b' "pos": [0, 1], "type": "PER"}], [{"sent_id": 0, "pos": [2, 3], "type": "LOC"}]],'
    ...     b' "labels": [{"h": 0, "t": 1, "r": "P19", "evidence": [0]}]}'
    ... )
    >>> document = Corpus.joined(Docred().read(Source.of_bytes(line)))[0]
    >>> [(m.id, m.label, m.start) for m in document.mentions]
    [('0_0', 'PER', 0), ('1_0', 'LOC', 2)]
    >>> document.relations[0].label, document.relations[0].members
    ('P19', (('from', '0_0'), ('to', '1_0')))
    """

    id: str = "title"
    roles: str = "from+to"

    name: ClassVar[str] = "docred"
    extensions: ClassVar[tuple[str, ...]] = (".docred",)
    signs: ClassVar[str] = '"vertexSet"'
    holds: ClassVar[frozenset[str]] = frozenset({
        "tokens", "sentences", "document ids", "overlaps", "crossing", "ids", "relations:pairs",
        "clusters:bare", "units:token",
    })  # fmt: skip

    def __post_init__(self) -> None:
        _dialect.check_roles(self.roles)

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we, from 0 to 1?

        >>> Docred.sniff(b'[{"sents": [["Ann"]], "vertexSet": []}]'), Docred.sniff(b"{}")
        (0.98, 0.0)
        """
        return max((_likeness(value) for value in json_text.samples(head)), default=0.0)

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of documents; tokens stay in the file."""
        return _dialect.read_records(source, self._entry, "char")

    def _entry(self, value: dict[str, Any], facts: Counter[str]) -> Entry | None:
        sentences = _sentences(value)
        starts = [0]
        for sentence in sentences:
            starts.append(starts[-1] + len(sentence))
        tokens = [token for sentence in sentences for token in sentence]
        entry = Entry({"id": _dialect.name_of(value, self.id), "tokens": tokens})
        # Sentences without tokens begin where the next one does.
        begins = sorted({start for start in starts[:-1] if start < len(tokens)})
        if begins:
            entry.record["sentences"] = begins
        entities = []
        for number, each in enumerate(_dialect.list_at(value, "vertexSet")):
            place = f"vertexSet[{number}]"
            if not isinstance(each, list):
                raise WrongError(f"{place} = {short(each)}", "a list of mentions")
            names = [f"{number}_{i}" for i in range(len(each))]
            for i, mention in enumerate(each):
                row = _mention(mention, f"{place}[{i}]", sentences, starts)
                entry.add(f"{place}[{i}]", row | {"id": names[i]})
            entities.append(names)
        clusters = [{"mentions": names} for names in entities if len(names) > 1]
        if clusters:
            entry.record["clusters"] = clusters
        relations = self._relations(value, entities, facts)
        if relations:
            entry.record["relations"] = relations
        return entry

    def _relations(
        self, value: Mapping[str, Any], entities: list[list[str]], facts: Counter[str]
    ) -> list[dict[str, Any]]:
        rows = []
        for place, head, tail, label, evidence in _labels(value):
            ends = {}
            for role, key, number in zip(
                self.roles.split("+"), ("h", "t"), (head, tail), strict=True
            ):
                if type(number) is not int or not 0 <= number < len(entities):
                    found = f"{place}.{key} = {short(number)}"
                    raise WrongError(found, f"one of the {len(entities)} entities of vertexSet")
                if not entities[number]:
                    raise WrongError(f"{place}.{key} = {number}, an entity without mentions",
                                     "an entity that has one")  # fmt: skip
                ends[role] = entities[number][0]
            if not isinstance(label, str) or not label:
                raise WrongError(f"{place}.r = {short(label)}", "a text")
            facts["unread_evidence"] += bool(evidence)
            rows.append({"label": label, "arguments": ends})
        return rows

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """The key of ids, the roles, and how many relations had evidence."""
        fields = {"id_key": signed(self.id), "roles": signed(self.roles)}
        unread = facts.get("unread_evidence", 0)
        return fields, {"unread_evidence": unread} if unread else {}

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again.

        >>> Docred.from_signature({"id_key": "title", "roles": "from+to"})
        {'id': 'title', 'roles': 'from+to'}
        """
        return {"id": unsigned(fields["id_key"]), "roles": unsigned(fields["roles"])}

    def library(self, source: Source, documents: Documents) -> FileWords:
        """The tokens, which stay in the file."""
        return _dialect.library(source, documents, _words)


def _likeness(value: Any) -> float:
    if not isinstance(value, dict) or not isinstance(value.get("vertexSet"), list):
        return 0.0
    sentences = value.get("sents")
    if not isinstance(sentences, list):
        return 0.0
    return 0.98 if all(isinstance(sentence, list) for sentence in sentences) else 0.0


def _sentences(value: Mapping[str, Any]) -> list[list[str]]:
    sentences = _dialect.list_at(value, "sents")
    for number, sentence in enumerate(sentences):
        if not isinstance(sentence, list):
            raise WrongError(f"sents[{number}] = {short(sentence)}", "a list of tokens")
        for i, token in enumerate(sentence):
            if not isinstance(token, str):
                raise WrongError(f"sents[{number}][{i}] = {short(token)}", "a text")
    return sentences


def _mention(
    value: Any, place: str, sentences: list[list[str]], starts: list[int]
) -> dict[str, Any]:
    """A mention, with its place in the document."""
    row = _dialect.object_in(value, place, _MENTION)
    number, span = row.get("sent_id"), row.get("pos")
    if type(number) is not int or not 0 <= number < len(sentences):
        found = f"{place}.sent_id = {short(number)}"
        raise WrongError(found, f"one of the {len(sentences)} sentences, from 0 on")
    if not isinstance(span, list) or len(span) != 2 or not all(type(end) is int for end in span):
        raise WrongError(f"{place}.pos = {short(span)}", "[first token, the one after]")
    start, end = span
    size = len(sentences[number])
    if not 0 <= start < end <= size:
        raise WrongError(
            f"{place}.pos = {short(span)}",
            f"a place within the {size} tokens of sentence {number}; the second is exclusive",
        )
    return {"start": starts[number] + start, "end": starts[number] + end, "label": row.get("type")}


def _labels(value: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any, Any, Any]]:
    """Place, head, tail, relation and evidence of each; documents without labels have none."""
    labels = value.get("labels")
    if labels is None:
        return
    if isinstance(labels, dict):
        columns = [_dialect.list_at(labels, key, "labels.") for key in _COLUMNS]
        if len({len(column) for column in columns}) > 1:
            raise WrongError("labels whose lists differ in length", "one value for each relation")
        evidence = labels.get("evidence")
        known = evidence if isinstance(evidence, list) else []
        for number, (head, tail, label) in enumerate(zip(*columns, strict=True)):
            yield f"labels[{number}]", head, tail, label, number < len(known) and known[number]
        return
    for number, each in enumerate(_dialect.list_at(value, "labels")):
        place = f"labels[{number}]"
        row = _dialect.object_in(each, place, _LABEL)
        yield place, row.get("h"), row.get("t"), row.get("r"), row.get("evidence")


def _words(value: Any) -> Words:
    return None, tuple(token for sentence in value["sents"] for token in sentence)
