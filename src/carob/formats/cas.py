"""cas: UIMA CAS, as XMI or JSON, which INCEpTION exports."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

from carob.corpus.corpus import Corpus
from carob.corpus.problems import Problems, many
from carob.corpus.record import WrongError, short
from carob.corpus.source import Source
from carob.formats import _dialect, _layers, json_text
from carob.formats._dialect import Entry
from carob.formats._objects import items
from carob.formats._text import BOM
from carob.formats._xml import elements, is_xmi

_XMI = "http://www.omg.org/XMI"
_ECORE = re.compile(r"http:///(.+)\.ecore ([^ ]+)")
_OWN = ("begin", "end", "sofa", f"{_XMI} id", f"{_XMI} version")
_ENDS = {"from": "Governor", "to": "Dependent"}
_VIEW = "_InitialView"
_INDEX = "uima.cas.View"
"""The type of what lists the annotations of a view in XMI."""
_TOKEN, _SENTENCE = ".segmentation.type.Token", ".segmentation.type.Sentence"


@dataclass(frozen=True, slots=True)
class Cas:
    """A CAS of UIMA: a text and annotations by type, in XMI or in JSON; a file is a document.

    `layer` names the type of the mentions, by its name or the last part of it, if the file has
    annotations of several types that are no tokens, sentences or tags; `feature` the one that is
    the label, otherwise `value`, `label` or the only one. Other features with texts are attributes.
    A relation is an annotation with a Governor and a Dependent. A type system is not needed.
    Offsets count UTF-16 units, as in Java; `offsets` names another unit.

    >>> sofa = b'{"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": "Ann slept"}'
    >>> one = (
    ...     b'{"%ID": 2, "%TYPE": "custom.Span", "@sofa": 1, "begin": 0, "end": 3, "label": "PER"}'
    ... )
    >>> file = b'{"%TYPES": {}, "%FEATURE_STRUCTURES": [' + sofa + b"," + one + b"]}"
    >>> Corpus.joined(Cas().read(Source.of_bytes(file)))[0].mentions
    (Mention('PER', 0, 3),)
    """

    layer: str = ""
    feature: str = ""
    offsets: str = "auto"

    name: ClassVar[str] = "cas"
    extensions: ClassVar[tuple[str, ...]] = (".xmi",)
    signs: ClassVar[str] = 'xmi:XMI "%FEATURE_STRUCTURES"'
    holds: ClassVar[frozenset[str]] = frozenset({
        "text", "tokens", "sentences", "document ids", "overlaps", "crossing", "across sentences",
        "attributes", "ids", "relations:pairs", "units:char",
    })  # fmt: skip

    def __post_init__(self) -> None:
        _dialect.check_offsets(self.offsets)

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we, from 0 to 1?

        >>> Cas.sniff(b'<?xml version="1.0"?><xmi:XMI>'), Cas.sniff(b'{"%FEATURE_STRUCTURES": []}')
        (0.98, 0.98)
        """
        start = head.removeprefix(BOM).lstrip()
        if start[:1] == b"<":
            return 0.98 if is_xmi(head) else 0.0
        known = start[:1] == b"{" and "%FEATURE_STRUCTURES" in json_text.keys(head)
        return 0.98 if known else 0.0

    def read(self, source: Source) -> Iterator[Corpus]:
        """The one document of a file; its text stays in memory."""
        problems = Problems(source.name)
        unit = "utf16" if self.offsets == "auto" else self.offsets

        def entries() -> Iterator[tuple[int, int, _dialect.Making]]:
            head = source.head(1 << 10).removeprefix(BOM).lstrip()
            views = _of_xmi(source, problems) if head[:1] == b"<" else _of_json(source, problems)
            for structures in views:
                yield 1, 0, partial(self._entry, structures, source.inside)

        return _dialect.read_entries(source, problems, entries(), unit, keep_words=True)

    def _entry(
        self, structures: list[_Structure], inside: str | None, facts: Counter[str]
    ) -> Entry | None:
        sofas = {each.id: each for each in structures if each.type == "uima.cas.Sofa"}
        main = [each for each in sofas.values() if each.features.get("sofaID", _VIEW) == _VIEW
                and "sofaString" in each.features]  # fmt: skip
        if len(main) != 1:
            found = f"{many(len(main), 'view')} with a text"
            raise WrongError(found, f"one view {_VIEW} with a text")
        entry = Entry(_layers.file_id(inside) | {"text": main[0].features["sofaString"]})
        placed = [each for each in structures if each.span is not None
                  and each.sofa in ("", main[0].id)]  # fmt: skip
        if (index := _index(structures, main[0].id)) is not None:
            others = [each for each in placed if each.id not in index]
            facts["unindexed"] += sum(not _layers.is_linguistic(each.type) for each in others)
            placed = [each for each in placed if each.id in index]
        tokens = sorted(each.span for each in placed if each.type.endswith(_TOKEN) and each.span)
        if tokens:
            entry.record["token_spans"] = [list(span) for span in tokens]
        starts = {each.span[0] for each in placed if each.type.endswith(_SENTENCE) and each.span}
        if starts:
            entry.record["sentences"] = sorted(starts)
        relations = [each for each in placed if {*_ENDS.values()} <= each.links.keys()]
        spans = [each for each in placed if not {*_ENDS.values()} <= each.links.keys()]
        name = _layers.layer_of({each.type for each in spans}, self.layer, inside, facts)
        if name is None:
            _relations(relations, {}, facts)
            return entry
        chosen = [each for each in spans if each.type == name]
        names = {each.id: f"T{number}" for number, each in enumerate(chosen, 1)}
        known = sorted({key for each in chosen for key in each.features})
        feature = _layers.chosen_feature(known, self.feature, name)
        rows = _relations(relations, names, facts)
        for each in chosen:
            features = dict(each.features)
            label = features.pop(feature, "") if feature else ""
            assert each.span is not None
            entry.add(f"the annotation {each.id}", {
                "id": names[each.id] if rows else None, "start": each.span[0],
                "end": each.span[1], "label": label or _layers.last_name(name),
                "attributes": features or None,
            })  # fmt: skip
        if rows:
            entry.record["relations"] = rows
        return entry

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """The layer, the feature, and what offsets count."""
        return _layers.signature_fields(self.layer, self.feature, self.offsets, facts)

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again.

        >>> Cas.from_signature({"layer": "-", "feature": "-", "offsets": "utf16"})
        {'layer': '', 'feature': '', 'offsets': 'utf16'}
        """
        return _layers.from_signature(fields)


@dataclass(slots=True)
class _Structure:
    """A feature structure: its id, type, place, texts and links to others."""

    id: str
    type: str
    sofa: str = ""
    span: tuple[int, int] | None = None
    features: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)


def _index(structures: list[_Structure], sofa: str) -> set[str] | None:
    """The ids of the annotations that a view has; None if the file does not say it. UIMA finds no
    others: they were deleted, or are parts of other structures.
    """
    views = [each for each in structures if each.type == _INDEX and each.sofa == sofa]
    members = {name for each in views for name in each.features.get("members", "").split()}
    return members if views else None


def _of_xmi(source: Source, problems: Problems) -> Iterator[list[_Structure]]:
    """The structures of XMI: the elements directly in its root. Only the names Governor and
    Dependent say that a number is a link, as there may be no type system beside the file.
    """
    structures = []
    for element in elements(source, problems, lambda _, depth: depth == 1, f"{_XMI} XMI",
                            namespaces=True, one_document=True):  # fmt: skip
        known = _ECORE.fullmatch(element.name)
        name = f"{known[1].replace('/', '.')}.{known[2]}" if known else element.name
        values = element.attributes
        one = _Structure(values.get(f"{_XMI} id", ""), name, values.get("sofa", ""))
        one.span = _span(values.get("begin"), values.get("end"), one.id, element.line, problems)
        for key, value in values.items():
            if key in _ENDS.values():
                one.links[key] = value
            elif key not in _OWN and value:
                one.features[key] = value
        structures.append(one)
    if not problems.total:
        yield structures


def _of_json(source: Source, problems: Problems) -> Iterator[list[_Structure]]:
    for item in items(source, problems, "K231"):
        rows = item.value.get("%FEATURE_STRUCTURES")
        if isinstance(rows, dict):  # of an older version, by id
            rows = [{"%ID": key, **row} for key, row in rows.items() if isinstance(row, dict)]
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            found = f"%FEATURE_STRUCTURES = {short(rows)}"
            problems.add("K232", item.line, found, "a list of objects")
            return
        structures = []
        for row in rows:
            one = _Structure(str(row.get("%ID", "")), str(row.get("%TYPE", "")),
                             str(row.get("@sofa", "")))  # fmt: skip
            one.span = _span(row.get("begin"), row.get("end"), one.id, item.line, problems)
            for key, value in row.items():
                if key.startswith("@"):
                    one.links[key[1:]] = str(value) if isinstance(value, (int, str)) else ""
                elif key not in _OWN and not key.startswith(("%", "^")):
                    one.features |= _feature(key, value)
            structures.append(one)
        structures += _views(item.value)
        if not problems.total:
            yield structures


def _views(value: dict[str, Any]) -> Iterator[_Structure]:
    """The indexes of views, as XMI has them."""
    views = value.get("%VIEWS")
    for each in views.values() if isinstance(views, dict) else ():
        members = each.get("%MEMBERS") if isinstance(each, dict) else None
        if isinstance(members, list):
            names = " ".join(map(str, members))
            yield _Structure("", _INDEX, str(each.get("%SOFA", "")), features={"members": names})


def _feature(key: str, value: Any) -> dict[str, str]:
    """A feature with a text, or with a number as XMI has it; nothing for any other."""
    if isinstance(value, str):
        return {key: value} if value else {}
    if isinstance(value, (bool, int, float)):
        return {key: json.dumps(value)}
    return {}


def _span(begin: Any, end: Any, name: str, line: int, problems: Problems) -> tuple[int, int] | None:
    """The place of an annotation; None if it has none."""
    if begin is None and end is None:
        return None
    sides = []
    for side in (begin, end):
        if isinstance(side, str) and side.isdecimal() and side.isascii() and len(side) < 11:
            side = int(side)
        if type(side) is not int or not 0 <= side < 2**31:
            found = f"the annotation {name} at {short(begin)}..{short(end)}"
            problems.add("K232", line, found, "two whole numbers")
            return None
        sides.append(side)
    return sides[0], sides[1]


def _relations(
    rows: list[_Structure], names: Mapping[str, str], facts: Counter[str]
) -> list[dict[str, Any]]:
    """Relations of the mentions; those of other annotations are counted."""
    relations = []
    for row in rows:
        ends = {role: names.get(row.links[key]) for role, key in _ENDS.items()}
        if None not in ends.values():
            feature = _layers.chosen_feature(sorted(row.features), "", row.type)
            label = row.features[feature] if feature else _layers.last_name(row.type)
            relations.append({"label": label, "arguments": ends})
        elif not _layers.is_linguistic(row.type):
            facts["unlabelled_relations"] += 1
    return relations
