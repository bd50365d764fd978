"""bioc: collections of BioC, as XML or JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from carob.corpus.corpus import Corpus
from carob.corpus.problems import Problems, shown
from carob.corpus.record import WrongError, short
from carob.corpus.source import Source
from carob.formats import _dialect, json_text
from carob.formats._dialect import Entry
from carob.formats._objects import items
from carob.formats._text import BOM, signed, unsigned
from carob.formats._xml import Element, elements, is_bioc

_COLLECTIONS = ("documents", "PubTator3")
_RELATION_LABELS = ("type", "relation")
Structure = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Bioc:
    """A collection of documents, which have passages with an offset, a text and annotations.

    The text of a document has every passage at its offset, with spaces between them. An annotation
    has locations (several are a discontinuous mention) and infons: `label` names the one that is
    its label, the others are attributes. Relations join annotations by their ids (nodes), or by
    infons that name concepts of annotations, as in BC5CDR and BioRED: such a relation is one of the
    first annotations of its concepts, and all annotations of each of them are a cluster. Offsets
    count characters; `offsets` names another unit. XML may not declare entities. See
    bioc.sourceforge.net.

    >>> one = b'{"id": "1", "infons": {"type": "who"}, "text": "Ann", "locations": [%s]}'
    >>> one %= b'{"offset": 0, "length": 3}'
    >>> passage = b'{"offset": 0, "text": "Ann slept", "annotations": [%s]}' % one
    >>> file = b'{"documents": [{"id": "7", "passages": [%s]}]}' % passage
    >>> Corpus.joined(Bioc().read(Source.of_bytes(file)))[0].mentions
    (Mention('who', 0, 3, id='1'),)
    """

    label: str = "type"
    offsets: str = "auto"

    name: ClassVar[str] = "bioc"
    extensions: ClassVar[tuple[str, ...]] = (".bioc",)
    signs: ClassVar[str] = '<collection "passages"'
    holds: ClassVar[frozenset[str]] = frozenset({
        "text", "document ids", "overlaps", "crossing", "discontinuous", "across sentences",
        "attributes", "ids", "relations", "group ids", "clusters:bare", "units:char",
    })  # fmt: skip

    def __post_init__(self) -> None:
        _dialect.check_offsets(self.offsets)

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we, from 0 to 1?

        >>> xml = b"<collection><source/><document><id>1</id></document></collection>"
        >>> Bioc.sniff(xml), Bioc.sniff(b'{"documents": [{"passages": []}]}'), Bioc.sniff(b"{}")
        (0.98, 0.98, 0.0)
        """
        if head.removeprefix(BOM).lstrip()[:1] == b"<":
            return 0.98 if is_bioc(head) else 0.0
        return 0.98 if any(_is_likely(value) for value in json_text.samples(head)) else 0.0

    def read(self, source: Source) -> Iterator[Corpus]:
        """All documents; their texts stay in memory."""
        problems = Problems(source.name)
        return _dialect.read_entries(
            source, problems, self._records(source, problems), self.offsets,
            same_words=_same_words, keep_words=True,
        )  # fmt: skip

    def _records(
        self, source: Source, problems: Problems
    ) -> Iterator[tuple[int, int, _dialect.Making]]:
        head = source.head(1 << 10).removeprefix(BOM).lstrip()
        if head[:1] == b"<":
            wanted = elements(source, problems, lambda name, _: name == "document", "collection")
            for element in wanted:
                yield element.line, 0, partial(self._of_xml, element)
            return
        for item in items(source, problems, "K231"):
            for value in _documents(item.value):
                yield item.line, 0, partial(self._entry, value)

    def _of_xml(self, element: Element, facts: Counter[str]) -> Entry | None:
        return self._entry(_document(element), facts)

    def _entry(self, value: Any, facts: Counter[str]) -> Entry | None:
        document = _dialect.object_in(value, "a document", "an object with id and passages")
        entry = Entry({"id": _dialect.name_of(document, "id")})
        passages = [
            _dialect.object_in(each, f"passages[{number}]", "an object with offset and text")
            for number, each in enumerate(_dialect.list_at(document, "passages"))
        ]
        parts = [
            part for passage in passages for part in (passage, *_objects(passage, "sentences"))
        ]
        pieces = [
            (_whole(part.get("offset", 0), "offset"), part["text"])
            for passage in passages
            for part in _with_text(passage)
        ]
        entry.record["text"] = _dialect.assembled(pieces, self.offsets)
        parts.append(document)  # it may have annotations and relations, too
        names = Counter(
            name for part in parts for each in _objects(part, "annotations")
            if (name := _dialect.name_of(each, "id")) is not None
        )  # fmt: skip
        for number, part in enumerate(parts):
            for place, each in enumerate(_objects(part, "annotations")):
                name = _dialect.name_of(each, "id")
                own = name if name is None or names[name] == 1 else f"{number}:{name}"
                self._add(entry, f"annotations[{place}]", each, own)
        relations = [
            (number, each)
            for number, part in enumerate(parts)
            for each in _objects(part, "relations")
        ]
        if relations:
            entry.record["relations"] = self._relations(relations, entry, facts)
        return entry

    def _add(self, entry: Entry, place: str, value: Structure, name: str | None) -> None:
        """A mention."""
        infons = _infons(value)
        label = infons.pop(self.label, None)
        if label is None:
            known = ", ".join(sorted(infons)) or "none"
            raise WrongError(
                f"{place} without the infon {shown(self.label)} (it has {known[:60]})",
                "a label, or --read label=INFON",
            )
        spans = []
        for each in _objects(value, "locations"):
            start, length = (
                _whole(each.get(key), f"{place}.{key}") for key in ("offset", "length")
            )
            spans.append([start, start + length])
        where: Structure = {"fragments": sorted(spans)}
        if len(spans) == 1:
            where = {"start": spans[0][0], "end": spans[0][1]}
        mention = {"id": name, "label": label, "attributes": infons or None}
        entry.add(place, where | mention, value.get("text"))

    def _relations(
        self, rows: list[tuple[int, Structure]], entry: Entry, facts: Counter[str]
    ) -> list[Structure]:
        mentions = entry.record.get("mentions", [])
        known = {mention["id"] for mention in mentions if "id" in mention}
        by_concept: dict[str, list[str]] = {}
        for mention in mentions:
            for value in {*mention.get("attributes", {}).values()} if "id" in mention else ():
                by_concept.setdefault(value, []).append(mention["id"])
        relations, taken = [], set[str]()
        clustered: dict[str, None] = {}
        for number, value in rows:
            infons = _infons(value)
            label = next((infons.pop(key) for key in _RELATION_LABELS if key in infons), "")
            arguments: dict[str, list[str]] = {}
            nodes = _objects(value, "nodes")
            missing = False
            for place, node in enumerate(nodes):
                name = _dialect.name_of(node, "refid")
                own = next((each for each in (name, f"{number}:{name}") if each in known), None)
                role = node.get("role") if isinstance(node.get("role"), str) else None
                if own is None:
                    missing = True
                else:
                    arguments.setdefault(role or f"Arg{place + 1}", []).append(own)
            if not nodes:
                concepts = {key: name for key, name in infons.items() if name in by_concept}
                arguments = {key: by_concept[name][:1] for key, name in concepts.items()}
                clustered |= dict.fromkeys(concepts.values())
            if missing or len([each for role in arguments.values() for each in role]) < 2:
                facts["unlabelled_relations"] += 1
                continue
            row: Structure = {"label": label, "arguments": arguments}
            name = _dialect.name_of(value, "id")
            if name is not None and name not in taken:
                row["id"] = name
                taken.add(name)
            relations.append(row)
        if clusters := _clusters([by_concept[name] for name in clustered]):
            entry.record["clusters"] = clusters
        return relations

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """The infon of labels, and what offsets count."""
        how, counts = _dialect.signature_fields(self.offsets, facts)
        return {"label_key": signed(self.label), **how}, counts

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again.

        >>> Bioc.from_signature({"label_key": "type", "offsets": "bytes"})
        {'label': 'type', 'offsets': 'bytes'}
        """
        return {"label": unsigned(fields["label_key"]), "offsets": fields["offsets"]}


def _clusters(concepts: list[list[str]]) -> list[Structure]:
    """Clusters of the annotations of concepts; an annotation is in the first that it has."""
    clusters, taken = [], set[str]()
    for names in concepts:
        own = [name for name in names if name not in taken]
        taken.update(own)
        if len(own) > 1:
            clusters.append({"mentions": own})
    return clusters


def _is_likely(value: Any) -> bool:
    return any(isinstance(each, dict) and "passages" in each for each in _documents(value))


def _documents(value: Any) -> list[Any]:
    """The documents of a collection, or the one that an object is."""
    if not isinstance(value, dict):
        return []
    for key in _COLLECTIONS:
        if isinstance(value.get(key), list):
            return list(value[key])
    return [value]


def _objects(value: Structure, key: str) -> list[Structure]:
    """The objects of a list, which may be missing."""
    if value.get(key) is None:
        return []
    return [_dialect.object_in(each, f"{key}[{number}]", "an object")
            for number, each in enumerate(_dialect.list_at(value, key))]  # fmt: skip


def _with_text(passage: Structure) -> list[Structure]:
    """The passage if it has a text, or its sentences."""
    sentences = _objects(passage, "sentences")
    if isinstance(passage.get("text"), str) and (passage["text"] or not sentences):
        return [passage]
    return [each for each in sentences if isinstance(each.get("text"), str)]


def _whole(value: Any, place: str) -> int:
    """A number from 0 to the largest position."""
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 12:
        value = int(value)
    if type(value) is not int or not 0 <= value < 2**31:
        raise WrongError(f"{place} = {short(value)}", "a whole number")
    return value


def _infons(value: Structure) -> dict[str, str]:
    """The infons that are texts or numbers, as texts."""
    infons = value.get("infons")
    if not isinstance(infons, dict):
        return {}
    return {
        key: each if isinstance(each, str) else short(each)
        for key, each in infons.items()
        if isinstance(each, (str, int, float)) and each != ""
    }


def _same_words(quote: str, here: str) -> bool:
    """Between the parts of a discontinuous mention, files have a space, dots or nothing."""
    return _letters(quote) == _letters(here)


def _letters(words: str) -> str:
    return "".join(words.replace("...", " ").split())


def _document(element: Element) -> Structure:
    """A document in XML, as it would be in JSON."""
    return {
        "id": element.text_of("id"), "passages": [_part(each) for each in element.all("passage")],
        "annotations": [_annotation(each) for each in element.all("annotation")],
        "relations": [_relation(each) for each in element.all("relation")],
    }  # fmt: skip


def _part(element: Element) -> Structure:
    """A passage or sentence."""
    return {
        "offset": element.text_of("offset"), "text": element.text_of("text"),
        "sentences": [_part(each) for each in element.all("sentence")],
        "annotations": [_annotation(each) for each in element.all("annotation")],
        "relations": [_relation(each) for each in element.all("relation")],
    }  # fmt: skip


def _annotation(element: Element) -> Structure:
    return {
        "id": element.attributes.get("id"), "infons": _xml_infons(element),
        "text": element.text_of("text"),
        "locations": [dict(place.attributes) for place in element.all("location")],
    }  # fmt: skip


def _relation(element: Element) -> Structure:
    return {
        "id": element.attributes.get("id"), "infons": _xml_infons(element),
        "nodes": [dict(node.attributes) for node in element.all("node")],
    }  # fmt: skip


def _xml_infons(element: Element) -> dict[str, str]:
    return {each.attributes.get("key", ""): each.text for each in element.all("infon")}
