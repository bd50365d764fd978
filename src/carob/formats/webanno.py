"""webanno: WebAnno TSV 3, which INCEpTION and WebAnno export."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from carob.corpus.corpus import Corpus
from carob.corpus.problems import Problems, shown
from carob.corpus.record import WrongError
from carob.corpus.source import Source
from carob.formats import _dialect, _layers
from carob.formats._dialect import Entry
from carob.formats._text import BOM, decoded

_KINDS = {"#T_SP": "span", "#T_RL": "relation", "#T_CH": "chain"}
_ROW = re.compile(r"([0-9]+)-([0-9]+)((?:\.[0-9]+)*)")
_SPAN = re.compile(r"([0-9]{1,10})-([0-9]{1,10})")
_VALUE = re.compile(r"(.*?)(?:\[([0-9]{1,9})\])?", re.S)
_TARGET = re.compile(r"([0-9]+-[0-9]+(?:\.[0-9]+)*)(?:\[([0-9]{1,9})_([0-9]{1,9})\])?")
_ESCAPE = re.compile(r"\\(->|u[0-9A-Fa-f]{4}|.)", re.S)
_SIGNS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}
_BAR = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_LINE = "a number 1-1, a place 0-3, a token and the columns of the layers, separated by tabs"


@dataclass(frozen=True, slots=True)
class Webanno:
    """One token a line, with a column for each feature of each layer; a file is a document.

    `layer` names the layer of the mentions, by its name or the last part of it, if the header has
    several that hold no tokens, tags or the like; `feature` the one that is the label, otherwise
    `value`, `label` or the only one. The other features are attributes. Several annotations of one
    token are separated by bars; those of one number in brackets are one mention. Relations of the
    layer are read, chains and other layers are not. Offsets count UTF-16 units, as in Java;
    `offsets` names another unit. See the user guide of INCEpTION, WebAnno TSV 3.3 file format.

    >>> head = b"#FORMAT=WebAnno TSV 3.3\\n#T_SP=webanno.custom.Person|label\\n\\n\\n"
    >>> file = head + b"#Text=Ann slept\\n1-1\\t0-3\\tAnn\\tPER\\t\\n1-2\\t4-9\\tslept\\t_\\t\\n"
    >>> Corpus.joined(Webanno().read(Source.of_bytes(file)))[0].mentions
    (Mention('PER', 0, 3),)
    """

    layer: str = ""
    feature: str = ""
    offsets: str = "auto"

    name: ClassVar[str] = "webanno"
    extensions: ClassVar[tuple[str, ...]] = (".webanno",)
    signs: ClassVar[str] = "#FORMAT=WebAnno"
    holds: ClassVar[frozenset[str]] = frozenset({
        "text", "tokens", "sentences", "document ids", "overlaps", "crossing", "across sentences",
        "attributes", "ids", "relations:pairs", "units:char",
    })  # fmt: skip

    def __post_init__(self) -> None:
        _dialect.check_offsets(self.offsets)

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we, from 0 to 1?

        >>> Webanno.sniff(b"#FORMAT=WebAnno TSV 3.2\\n"), Webanno.sniff(b"Ann B-PER\\n")
        (1.0, 0.0)
        """
        return float(head.removeprefix(BOM).lstrip().startswith(b"#FORMAT=WebAnno TSV 3"))

    def read(self, source: Source) -> Iterator[Corpus]:
        """The one document of a file; its text stays in memory."""
        problems = Problems(source.name)
        text = decoded(source, "K231", problems)
        problems.check()
        sheet = _Sheet((text or "").removeprefix("\ufeff"), problems)
        problems.check()
        if not sheet.rows:
            raise source.failure("K002", "a file without tokens", "at least one token")
        unit = self.offsets
        if unit == "auto":
            unit = sheet.unit()
        problems.check()

        def entry(facts: Counter[str]) -> Entry | None:
            return self._entry(sheet, unit, source.inside, facts)

        return _dialect.read_entries(source, problems, [(1, 0, entry)], unit, keep_words=True)

    def _entry(
        self, sheet: _Sheet, unit: str, inside: str | None, facts: Counter[str]
    ) -> Entry | None:
        whole = [row for row in sheet.rows if not row.part]
        _check_order(whole)
        entry = Entry(_layers.file_id(inside) | {"text": sheet.text(unit)})
        entry.record["tokens"] = [row.token for row in whole]
        entry.record["token_spans"] = [list(row.span) for row in whole]
        entry.record["sentences"] = sorted({row.span[0] for row in whole if row.first})
        spans = {layer.name: layer for layer in sheet.layers if layer.kind == "span"}
        name = _layers.layer_of(spans, self.layer, inside, facts)
        relations = [each for each in sheet.layers
                     if each.kind == "relation" and each.base == name]  # fmt: skip
        facts["unlabelled_relations"] += sum(
            sheet.count(each) for each in sheet.layers
            if each.kind == "relation" and each not in relations
            and not _layers.is_linguistic(each.name)
        )  # fmt: skip
        if name is None:
            return entry
        mentions = self._add_mentions(entry, sheet, spans[name], named=bool(relations))
        rows = [row for each in relations for row in _relations(sheet, each, mentions)]
        if rows:
            entry.record["relations"] = rows
        return entry

    def _add_mentions(
        self, entry: Entry, sheet: _Sheet, layer: _Layer, *, named: bool
    ) -> dict[tuple[str, int], str]:
        """The mentions of a layer; the id of each, by token and number."""
        feature = _layers.chosen_feature(layer.features, self.feature, layer.name)
        found: dict[tuple[str, int, int], dict[str, Any]] = {}
        ids: dict[tuple[str, int], str] = {}
        for row in sheet.rows:
            for place, (number, values) in enumerate(sheet.annotations(row, layer)):
                key = ("", number, 0) if number else (row.name, 0, place)
                if key not in found:
                    found[key] = {"rows": [], "values": values, "id": f"T{len(found) + 1}"}
                if values != (before := found[key]["values"]):
                    first = found[key]["rows"][0].line
                    raise WrongError(
                        f"line {row.line}: {_features(values)} with the number [{number}], which "
                        f"is {_features(before)} on line {first}",
                        "the same values on all rows of one number",
                    )
                found[key]["rows"].append(row)
                ids.setdefault((row.name, number), found[key]["id"])
                ids.setdefault((row.name, 0), found[key]["id"])
        for one in found.values():
            rows, features = one["rows"], dict(zip(layer.features, one["values"], strict=True))
            label = features.pop(feature, None) if feature else None
            attributes = {key: value for key, value in features.items() if key and value}
            entry.add(f"line {rows[0].line}", {
                "id": one["id"] if named else None,
                "start": min(row.span[0] for row in rows), "end": max(row.span[1] for row in rows),
                "label": label or _layers.last_name(layer.name),
                "attributes": attributes or None,
            })  # fmt: skip
        return ids

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """The layer, the feature, and what offsets count."""
        return _layers.signature_fields(self.layer, self.feature, self.offsets, facts)

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again.

        >>> Webanno.from_signature({"layer": "Person", "feature": "-", "offsets": "utf16"})
        {'layer': 'Person', 'feature': '', 'offsets': 'utf16'}
        """
        return _layers.from_signature(fields)


@dataclass(frozen=True, slots=True)
class _Layer:
    """A layer of the header: its features and its columns."""

    kind: str
    name: str
    features: tuple[str, ...]
    base: str
    columns: range


@dataclass(slots=True)
class _Row:
    """A token, or a part of one."""

    line: int
    name: str
    part: str
    span: tuple[int, int]
    token: str
    cells: list[str]
    first: bool


@dataclass(slots=True)
class _Sentence:
    """The lines `#Text=` of a sentence, and where its first token stands."""

    texts: list[str] = field(default_factory=list)
    start: int = -1
    token: str = ""


class _Sheet:
    """The header and the rows of a file."""

    def __init__(self, text: str, problems: Problems) -> None:
        self.problems = problems
        self.layers: list[_Layer] = []
        self.rows: list[_Row] = []
        self.sentences: list[_Sentence] = []
        width = 0
        fresh = True
        for number, line in enumerate(text.split("\n"), 1):
            line = line.removesuffix("\r")
            kind, equals, rest = line.partition("=")
            if not line:
                fresh = True
            elif equals and kind in _KINDS and not self.rows:
                layer = _layer(_KINDS[kind], rest, width)
                width = layer.columns.stop
                self.layers.append(layer)
            elif line.startswith("#Text="):
                if fresh or not self.sentences or self.sentences[-1].start >= 0:
                    self.sentences.append(_Sentence())
                self.sentences[-1].texts.append(_unescaped(rest))
                fresh = False
            elif line.startswith("#") and "\t" not in line:
                continue  # format, ids of sentences and other facts
            else:
                self._add(line, number, width)

    def _add(self, line: str, number: int, width: int) -> None:
        name, *rest = line.split("\t")
        row = _ROW.fullmatch(name)
        span = _SPAN.fullmatch(rest[0]) if len(rest) > 1 else None
        cells = rest[2:]
        if cells and not cells[-1] and len(cells) != width:
            cells.pop()  # lines end in a tab
        if row is None or span is None or len(cells) != width:
            found = shown(line)
            if row is not None and span is not None:
                found = f"{len(cells)} columns of layers"
                self.problems.add("K243", number, found, f"{width}, as in the header")
            else:
                self.problems.add("K243", number, found, _LINE)
            return
        if not self.sentences or (
            self.rows and not row[3] and self.rows[-1].name.partition("-")[0] != row[1]
            and self.sentences[-1].start >= 0
        ):  # fmt: skip
            self.sentences.append(_Sentence())
        sentence, token = self.sentences[-1], _unescaped(rest[1])
        first = sentence.start < 0
        if first:
            sentence.start, sentence.token = int(span[1]), token
        place = int(span[1]), int(span[2])
        self.rows.append(_Row(number, name, row[3], place, token, cells, first))

    def text(self, unit: str) -> str:
        """The text of the document: each sentence at its place."""
        pieces: list[tuple[int, str]] = []
        for sentence in self.sentences:
            if sentence.start < 0:
                continue
            text = "\n".join(sentence.texts)
            before = text.find(sentence.token)
            if before < 0:
                break
            pieces.append((sentence.start - _dialect.size_in(text[:before], unit), text))
        else:
            if pieces and all(start >= 0 for start, _ in pieces) and _apart(pieces, unit):
                return _dialect.assembled(pieces, unit)
        whole = [(row.span[0], row.token) for row in self.rows if not row.part]
        return _dialect.assembled(whole, unit)

    def unit(self) -> str:
        """UTF-16 units, in which Java counts, unless the tokens say something else."""
        fits: Counter[str] = Counter()
        for row in self.rows:
            fits.update(unit for unit in ("utf16", "char", "bytes") if _fits(row, unit))
        for unit in ("char", "bytes"):
            if fits[unit] > fits["utf16"]:
                first = next(row for row in self.rows if not _fits(row, "utf16"))
                self.problems.add(
                    "K234", first.line,
                    f"{len(self.rows) - fits['utf16']:,} of {len(self.rows):,} tokens longer or "
                    f"shorter than their places (the first is {shown(first.token)})",
                    "offsets that count UTF-16 units, as in Java",
                    f"{fits[unit]:,} fit if offsets count {_dialect.UNITS[unit]}: --read "
                    f"offsets={unit} (or offsets=utf16 to take them as they are)",
                )  # fmt: skip
                break
        return "utf16"

    def annotations(self, row: _Row, layer: _Layer) -> Iterator[tuple[int, list[str]]]:
        """Number and values of each annotation that a layer has of a token."""
        cells = [_split(row.cells[at]) for at in layer.columns]
        if all(cell == ["_"] for cell in cells):
            return
        for place in range(max(map(len, cells))):
            number, values = 0, []
            for cell in cells:
                value = _VALUE.fullmatch(cell[place] if place < len(cell) else "_")
                assert value is not None
                number = number or int(value[2] or 0)
                values.append("" if value[1] in ("*", "_") else _unescaped(value[1]))
            yield number, values

    def count(self, layer: _Layer) -> int:
        """How many annotations a layer has."""
        return sum(1 for row in self.rows for _ in self.annotations(row, layer))


def _layer(kind: str, rest: str, width: int) -> _Layer:
    name, *parts = rest.split("|")
    parts = parts or [""]
    base = next((each.removeprefix("BT_") for each in parts if each.startswith("BT_")), "")
    return _Layer(kind, name, tuple(parts), base, range(width, width + len(parts)))


def _check_order(tokens: Sequence[_Row]) -> None:
    """Refuse a token that ends before it begins, or begins before the end of another."""
    last = 0
    for row in tokens:
        start, end = row.span
        if not last <= start < end:
            raise WrongError(
                f"line {row.line}: {shown(row.token)} at {start}-{end}",
                f"a place that begins at {last} or later, and ends after its begin",
            )
        last = end


def _features(values: Sequence[str]) -> str:
    """The values of an annotation for a message."""
    return shown("|".join(value or "_" for value in values))


def _fits(row: _Row, unit: str) -> bool:
    """Whether a token is as long as its place."""
    return _dialect.size_in(row.token, unit) == row.span[1] - row.span[0]


def _apart(pieces: Sequence[tuple[int, str]], unit: str) -> bool:
    """Whether no piece begins before the end of the one before it."""
    end = 0
    for start, text in pieces:
        if start < end:
            return False
        end = start + _dialect.size_in(text, unit)
    return True


def _split(cell: str) -> list[str]:
    """The values of a cell, separated by bars that are not escaped."""
    parts, start = [], 0
    for bar in _BAR.finditer(cell):
        parts.append(cell[start : bar.end() - 1])
        start = bar.end()
    return [*parts, cell[start:]]


def _unescaped(text: str) -> str:
    r"""A value without its escapes.

    >>> _unescaped(r"a\_b\|c")
    'a_b|c'
    """

    def sign(escape: re.Match[str]) -> str:
        if escape[1][0] == "u" and len(escape[1]) == 5:
            return chr(int(escape[1][1:], 16))
        return _SIGNS.get(escape[1], escape[1])

    return _ESCAPE.sub(sign, text) if "\\" in text else text


def _relations(
    sheet: _Sheet, layer: _Layer, mentions: Mapping[tuple[str, int], str]
) -> Iterator[dict[str, Any]]:
    """The relations of a layer: each stands at its target, and names its source."""
    at = next(place for place, name in enumerate(layer.features) if name.startswith("BT_"))
    features = [name for place, name in enumerate(layer.features) if place != at]
    feature = _layers.chosen_feature([name for name in features if name], "", layer.name)
    for row in sheet.rows:
        for _, values in sheet.annotations(row, layer):
            cell = values[at]
            target = _TARGET.fullmatch(cell)
            if target is None:
                raise WrongError(
                    f"line {row.line}: {shown(cell)} as the source of a relation",
                    "1-1, or 1-1[2_3]",
                )
            ends = (target[1], int(target[2] or 0)), (row.name, int(target[3] or 0))
            names = [mentions.get(end) for end in ends]
            if None in names:
                which = ends[0] if names[0] is None else ends[1]
                found = f"line {row.line}: a relation of {which[0]}[{which[1]}]"
                raise WrongError(found, "a token with such an annotation")
            by_name = dict(zip(layer.features, values, strict=True))
            label = (by_name[feature] if feature else "") or _layers.last_name(layer.name)
            yield {"label": label, "arguments": {"from": names[0], "to": names[1]}}
