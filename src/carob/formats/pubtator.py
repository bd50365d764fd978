"""pubtator: titles and abstracts with their annotations, as PubTator exports them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from carob.corpus.corpus import Corpus, Words
from carob.corpus.problems import Problems, shown
from carob.corpus.record import WrongError
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.formats import _dialect
from carob.formats._dialect import Entry
from carob.formats._text import BOM, FileWords, bytes_of, lines

_HEAD = re.compile(r"([^|\t\n]+)\|([ta])\|(.*)", re.S)
_NUMBER = re.compile(r"[0-9]{1,10}")
_PARTS = re.compile(r"[|,;]")
_NO_CONCEPT = ("", "-", "-1")
_LINE = (
    "ID|t|TITLE, ID|a|TEXT, ID start end words type concept, or ID type concept concept, with tabs"
)


@dataclass(frozen=True, slots=True)
class Pubtator:
    """Lines ID|t|title and ID|a|abstract, then one annotation a line, with tabs.

    The text is the title, a space and the abstract; offsets count from its beginning, and ends are
    exclusive. An annotation has the id of the document, start, end, words, type and the id of its
    concept, which becomes the attribute `concept`; the mentions of one concept are a cluster. A
    relation (ID, type, concept, concept) goes from the first mention of its first concept to the
    first mention of the second: `relations(coref=gold)` lets every mention stand for its concept.
    Offsets count characters; `offsets` names another unit. See ncbi.nlm.nih.gov/research/pubtator3.

    >>> text = b"7|t|Ann slept\\n7|a|\\n7\\t0\\t3\\tAnn\\tPerson\\tP1\\n"
    >>> Corpus.joined(Pubtator().read(Source.of_bytes(text)))[0].mentions
    (Mention('Person', 0, 3, attributes={'concept': 'P1'}, id='T1'),)
    """

    offsets: str = "auto"

    name: ClassVar[str] = "pubtator"
    extensions: ClassVar[tuple[str, ...]] = (".pubtator",)
    signs: ClassVar[str] = "|t| |a|"
    holds: ClassVar[frozenset[str]] = frozenset({
        "text", "document ids", "overlaps", "crossing", "across sentences", "attributes:concept",
        "ids", "relations:pairs", "clusters:bare", "units:char",
    })  # fmt: skip

    def __post_init__(self) -> None:
        _dialect.check_offsets(self.offsets)

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we that the first line is a title or an abstract?

        >>> Pubtator.sniff(b"7|t|Ann slept\\n"), Pubtator.sniff(b"Ann B-PER")
        (0.98, 0.0)
        """
        first = head.removeprefix(BOM).lstrip().partition(b"\n")[0]
        return 0.98 if re.match(rb"[\w.:-]+\|[ta]\|", first) else 0.0

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of documents; texts stay in the file."""
        problems = Problems(source.name)
        return _dialect.read_entries(source, problems, _records(source, problems), self.offsets)

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """What offsets count."""
        return _dialect.signature_fields(self.offsets, facts)

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again.

        >>> Pubtator.from_signature({"offsets": "utf16"})
        {'offsets': 'utf16'}
        """
        return {"offsets": fields["offsets"]}

    def library(self, source: Source, documents: Documents) -> FileWords:
        """The texts, which stay in the file."""

        def read(row: int) -> Words:
            parts: dict[str, str] = {}
            for line in bytes_of(source, documents, row).decode("utf-8").split("\n"):
                if head := _HEAD.match(line.removesuffix("\r")):
                    parts.setdefault(head[2], head[3])
            return _text(parts), None

        return FileWords(read, documents)


@dataclass(slots=True)
class _Article:
    """The lines of one document."""

    id: str
    line: int
    offset: int
    parts: dict[str, str] = field(default_factory=dict)
    rows: list[tuple[int, list[str]]] = field(default_factory=list)

    def entry(self, facts: Counter[str]) -> Entry | None:
        """The document; its relations come last, as they need its mentions."""
        entry = Entry({"id": self.id, "text": _text(self.parts)})
        relations = []
        for line, row in self.rows:
            if len(row) > 4 and _NUMBER.fullmatch(row[1]) and _NUMBER.fullmatch(row[2]):
                place = f"line {line}"
                concept = row[5].strip() if len(row) > 5 else ""
                entry.add(place, {
                    "id": f"T{len(entry.places) + 1}", "start": int(row[1]), "end": int(row[2]),
                    "label": row[4],
                    "attributes": None if concept in _NO_CONCEPT else {"concept": concept},
                }, row[3])  # fmt: skip
            elif len(row) in (4, 5) and not _NUMBER.fullmatch(row[1]):
                relations.append((line, row))
            else:
                found = f"line {line}: {shown(chr(9).join(row))}"
                raise WrongError(found, _LINE)
        if relations:
            entry.record["relations"] = _relations(relations, entry, facts)
        if clusters := _clusters(entry):
            entry.record["clusters"] = clusters
        return entry


def _records(source: Source, problems: Problems) -> Iterator[tuple[int, int, _dialect.Making]]:
    """Line, offset and entry of each document."""
    article: _Article | None = None
    for number, offset, raw in lines(source):
        try:
            line = raw.removesuffix(b"\r").decode("utf-8")
        except UnicodeDecodeError as error:
            problems.add("K231", number, shown(raw[error.start : error.end]), "UTF-8")
            continue
        head = _HEAD.fullmatch(line)
        if head is not None:
            name, part = head[1].strip(), head[2]
            if article is None or name != article.id or part in article.parts:
                if article is not None:
                    yield article.line, article.offset, article.entry
                article = _Article(name, number, offset)
            article.parts[part] = head[3]
            continue
        row = line.split("\t")
        if len(row) < 4:
            problems.add("K242", number, shown(line), _LINE)
        elif article is None or row[0].strip() != article.id:
            found = f"an annotation of {shown(row[0])}"
            expected = "its title or abstract before it"
            if article is not None:
                expected = f"one of {shown(article.id)}, whose title stands before it"
            problems.add("K242", number, found, expected)
        else:
            article.rows.append((number, row))
    if article is not None:
        yield article.line, article.offset, article.entry


def _text(parts: Mapping[str, str]) -> str:
    """The title, a space and the abstract."""
    return " ".join(parts[part] for part in ("t", "a") if part in parts)


def _clusters(entry: Entry) -> list[dict[str, Any]]:
    """The mentions of each concept that has several."""
    by_concept: dict[str, list[str]] = {}
    for mention in entry.record.get("mentions", []):
        if "attributes" in mention:
            by_concept.setdefault(mention["attributes"]["concept"], []).append(mention["id"])
    return [{"mentions": names} for names in by_concept.values() if len(names) > 1]


def _relations(
    rows: list[tuple[int, list[str]]], entry: Entry, facts: Counter[str]
) -> list[dict[str, Any]]:
    """Relations of concepts, as relations of their first mentions."""
    by_concept: dict[str, str] = {}
    for mention in entry.record.get("mentions", []):
        concept = mention.get("attributes", {}).get("concept", "")
        for name in (concept, *_PARTS.split(concept)):
            by_concept.setdefault(name, mention["id"])
    by_concept.pop("", None)
    relations = []
    for line, row in rows:
        if not row[1].strip():
            raise WrongError(f"line {line}: a relation without a type", _LINE)
        ends = [by_concept.get(concept.strip()) for concept in row[2:4]]
        if None in ends:
            facts["unlabelled_relations"] += 1
        else:
            relations.append({"label": row[1], "arguments": {"from": ends[0], "to": ends[1]}})
    return relations
