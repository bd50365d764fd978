"""tbf: the event nuggets of TAC KBP, a mention a line, documents between two marks."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np

from carob.corpus.build import of_documents
from carob.corpus.corpus import Corpus, Words
from carob.corpus.document import Document, Group, Mention, Span, tidy
from carob.corpus.problems import InputError, Problems, UsageError, shown
from carob.corpus.source import LARGEST, Source
from carob.corpus.tables import Documents, Groups
from carob.formats._text import BOM, FileWords, lines

BEGIN, END, NOBODY = "#BeginOfDocument", "#EndOfDocument", "_"
COREFERENCE = "Coreference"

_BEGIN = re.compile(rb"(?:\xef\xbb\xbf)?(?:[ \t\r]*\n|#[^\n]*\n)*?#BeginOfDocument")
_UNKNOWN = "NOT_ANNOTATED"
_LISTED = 50_000
"""How many tokens a mention may have: their ids fit a line that can be read."""
_BLOCK = 512
"""How many documents a block has."""
_LAST = 2**31 - 2
"""The last position there can be: its end still fits in 32 bits."""
_NUMBERS = r" *[0-9]{1,10} *"
_CHARS = re.compile(rf"{_NUMBERS},{_NUMBERS}(?:;{_NUMBERS},{_NUMBERS})*")
_TOKENS = re.compile(rf"t{_NUMBERS}(?:,t{_NUMBERS})*")
_SPAN = "characters like 4,8 or 4,8;13,16, ends exclusive, or token ids like t3,t5"
_COLUMNS = (
    "at least 7 columns apart by tabs: system, document, mention id, span, text, type and realis"
)
_UNITS = {"token": "token ids", "char": "characters"}


@dataclass(frozen=True, slots=True)
class Tbf:
    """One event mention a line, with its type and realis, then coreference and other links.

    The columns are system, document, mention id, span, text, type and realis, apart by tabs;
    further ones are kept. A span is characters (`4,8;13,16`, ends exclusive) or token ids
    (`t3,t5`). The type is the label, realis an attribute; `@Coreference` makes clusters, other
    links (`@After`, `@Subevent`) relations from one mention to another. Token ids are taken by
    their number, unless `tokens` names the folder of the token tables (DOCUMENT.tab): then a
    token's place is its row. Liu, Mitamura & Hovy (2015), "Evaluation Algorithms for Event Nugget
    Detection"; the format is that of its program, EvmEval.

    >>> line = "s\\td1\\tE1\\t4,8;13,16\\tmade way\\tMovement_Transport\\tActual\\n"
    >>> data = f"#BeginOfDocument d1\\n{line}#EndOfDocument\\n".encode()
    >>> Corpus.joined(Tbf().read(Source.of_bytes(data))).mention(0).fragments
    ((4, 8), (13, 16))
    """

    tokens: str = ""

    name: ClassVar[str] = "tbf"
    extensions: ClassVar[tuple[str, ...]] = (".tbf",)
    holds: ClassVar[frozenset[str]] = frozenset({
        "overlaps", "crossing", "discontinuous", "across sentences", "attributes:realis",
        "ids", "relations:pairs", "clusters:bare", "group ids", "document ids",
        "document attributes:system", "extra:tbf", "units:char", "units:token",
    })  # fmt: skip
    needs: ClassVar[frozenset[str]] = frozenset({"document ids"})

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we that the first thing is the beginning of a document?

        >>> Tbf.sniff(b"#BeginOfDocument d1\\n"), Tbf.sniff(b"# newdoc\\nAnn B-PER\\n")
        (1.0, 0.0)
        """
        return float(_BEGIN.match(head) is not None)

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of whole documents.

        >>> data = b"#BeginOfDocument d1\\n#EndOfDocument\\n"
        >>> [len(block) for block in Tbf().read(Source.of_bytes(data))]
        [1]
        """
        return _Reader(source, self.tokens).blocks()

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """Where tokens have their places from; tables are told apart by their content.

        >>> Tbf().signature_fields({"token": 3}), Tbf().signature_fields({})
        (({'tokens': 'number'}, {}), ({}, {}))
        """
        if not facts.get("token"):
            return {}, {}
        if "table" in facts:
            return {"tokens": f"table={facts['table'] % 2**32:08x}"}, {}
        return {"tokens": "number"}, {}

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again, from what `signature_fields` gives.

        >>> Tbf.from_signature({"tokens": "number"})
        {}
        """
        if fields.get("tokens", "number") != "number":
            raise UsageError("the token tables of a tbf file are not named in the signature")
        return {}

    def library(self, source: Source, documents: Documents) -> FileWords | None:
        """The tokens of the token tables, if there are any."""
        if not self.tokens:
            return None

        def read(row: int) -> Words:
            return None, tuple(_read_table(self.tokens, documents.name(row))[0].values())

        return FileWords(read, documents)

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Write mentions, clusters and relations; texts and tokens have no place here.

        >>> import io
        >>> out = io.BytesIO()
        >>> person = {"id": "E1", "start": 0, "end": 4, "label": "Life_Die"}
        >>> Tbf().write(Corpus.of({"id": "d1", "unit": "char", "mentions": [person]}), out)
        >>> out.getvalue().splitlines()[1]
        b'_\\td1\\tE1\\t0,4\\t\\tLife_Die\\tNOT_ANNOTATED'
        """
        for part in _written(corpus):
            out.write(part)


@dataclass(slots=True)
class _Opened:
    """A document whose end has not come yet, with its lines by number."""

    id: str
    line: int
    offset: int
    mentions: list[tuple[int, list[str]]] = field(default_factory=list)
    links: list[tuple[int, str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


class _Reader:
    """Reads one file; `folder` is that of the token tables, if places are taken from them."""

    def __init__(self, source: Source, folder: str) -> None:
        self.source, self.folder = source, folder
        self.problems = Problems(source.name)
        self.facts: Counter[str] = Counter()
        self.ids: dict[str, int] = {}
        self.unit: tuple[str, int] | None = None
        self.opened: _Opened | None = None

    def blocks(self) -> Iterator[Corpus]:
        """Whole documents, some hundred at a time; problems come at the end."""
        ready: list[tuple[Document, int, int]] = []
        number = 0
        for number, offset, raw in lines(self.source):
            try:
                text = raw.decode("utf-8").rstrip("\r")
            except UnicodeDecodeError:
                self.problems.add("K502", number, shown(raw), "UTF-8")
                continue
            closed = self._take(number, offset, text)
            if closed is not None:
                document = self._document(closed)
                if not self.problems.total:
                    ready.append((document, closed.line, closed.offset))
            if len(ready) == _BLOCK:
                yield self._block(ready)
                ready = []
        if not number:
            raise self.source.failure("K002", "an empty file", "at least one document")
        if self.opened is not None:
            self._document(self.opened)
            found = f"the end of the file in document {shown(self.opened.id)}"
            self.problems.add("K503", number, found, END)
        if not self.ids and not self.problems.total:
            raise self.source.failure("K501", "no document", f"{BEGIN} and an id")
        yield self._block(ready)
        self.problems.check()

    def _block(self, ready: list[tuple[Document, int, int]]) -> Corpus:
        documents, starts, offsets = zip(*ready, strict=True) if ready else ((), (), ())
        facts, self.facts = self.facts, Counter()
        return replace(of_documents(documents, starts, offsets), library=None, facts=facts)

    def _take(self, line: int, offset: int, text: str) -> _Opened | None:
        """Add a line to its document; returns the document that it closes."""
        wrong, opened = self.problems.add, self.opened
        if text.startswith(BEGIN):
            if opened is not None:
                expected = f"{END} before it, for the document of line {opened.line}"
                wrong("K503", line, shown(text), expected)
            self.opened = _Opened(text[len(BEGIN) :].strip(), line, offset)
            self._open(self.opened, text)
            return opened
        if text.startswith(END):
            if opened is None:
                wrong("K503", line, shown(text), f"{BEGIN} before it")
            self.opened = None
            return opened
        if opened is None:
            if text[0] != "#":
                wrong("K503", line, shown(text), f"a line inside of {BEGIN} and {END}")
            return None
        if offset - opened.offset > LARGEST:
            found = f"a document of more than {LARGEST:,} bytes"
            raise self.source.failure("K010", found, f"{END} before")
        if text[0] == "#":
            opened.comments.append(text)
        elif text[0] == "@":
            opened.links.append((line, text))
        elif (count := text.count("\t") + 1) < 7:
            found = f"{count} column{'s' * (count != 1)} in {shown(text)}"
            wrong("K505", line, found, _COLUMNS)
        else:
            opened.mentions.append((line, text.split("\t")))
        return None

    def _open(self, document: _Opened, text: str) -> None:
        if not document.id or "\t" in document.id:
            expected = f"{BEGIN} and an id without tabs"
            self.problems.add("K501", document.line, shown(text), expected)
        elif document.id in self.ids:
            found = f"the document {shown(document.id)}, also on line {self.ids[document.id]}"
            self.problems.add("K504", document.line, found, "each document once")
        self.ids.setdefault(document.id, document.line)

    def _document(self, opened: _Opened) -> Document:
        """The document of these lines; it must not be used if there were problems."""
        tokens: dict[str, str] | None = None
        if self.folder:
            tokens = self._token_table(opened.id)
        places = None if tokens is None else {name: at for at, name in enumerate(tokens)}
        first_line: dict[str, int] = {}
        kept: list[tuple[list[str], tuple[Span, ...]]] = []
        for line, fields in opened.mentions:
            good = self._has_its_fields(opened, line, fields, first_line)
            if self.folder and tokens is None:
                continue  # the table has a problem, and no span can be read without it
            spans = self._fragments(opened.id, line, fields[3], places) if good else None
            if spans is not None:
                kept.append((fields, spans))
        clusters, relations = self._groups(opened, first_line, {fields[2] for fields, _ in kept})
        system = kept[0][0][0] if kept else NOBODY
        return Document(
            opened.id,
            tokens=None if tokens is None else tuple(tokens.values()),
            mentions=tuple(
                Mention(label, spans[0][0], spans[-1][1], spans, {"realis": realis}, id=name)
                for (_, _, name, _, _, label, realis, *_), spans in kept
            ),
            attributes={} if system in ("", NOBODY) else {"system": system},
            relations=relations,
            clusters=clusters,
            unit=self.unit[0] if self.unit and kept else None,
            extra=_extra(opened, [fields for fields, _ in kept], system, tokens),
        )

    def _token_table(self, document: str) -> dict[str, str] | None:
        """The tokens of a document by id, in order; None if there is something wrong with them."""
        try:
            tokens, digest = _read_table(self.folder, document)
        except InputError as error:
            self.problems.extend(error.problems, error.total)
            return None
        self.facts["table"] += int(digest[:8], 16)
        return tokens

    def _has_its_fields(
        self, opened: _Opened, line: int, fields: list[str], first_line: dict[str, int]
    ) -> bool:
        """Whether a mention names its document, and has an id of its own, a type and a realis."""
        before = self.problems.total
        if fields[1] != opened.id:
            found = f"a mention of the document {shown(fields[1])}"
            self.problems.add("K506", line, found, f"the document {shown(opened.id)}")
        if (first := first_line.setdefault(fields[2], line)) != line:
            found = f"the mention id {shown(fields[2])}, also on line {first}"
            self.problems.add("K507", line, found, "an id of its own for each mention")
        for number, what in ((2, "mention id"), (5, "type"), (6, "realis")):
            if not fields[number]:
                expected = f"a {what} in column {number + 1}"
                self.problems.add("K508", line, f"a mention without a {what}", expected)
        return self.problems.total == before

    def _fragments(
        self, document: str, line: int, span: str, places: Mapping[str, int] | None
    ) -> tuple[Span, ...] | None:
        """The fragments of a span; None if it cannot be read, which is a problem."""
        unit, expected = "token", _SPAN
        spans: list[Span] = []
        if places is not None:
            names = span.split(",")
            spans = [(places[name], places[name] + 1) for name in names if name in places]
            if len(spans) < len(names):
                spans, expected = [], f"ids of tokens in {_table_path(self.folder, document)}"
        elif _TOKENS.fullmatch(span):
            numbers = [int(part) for part in span.replace("t", "").split(",")]
            spans = [(number, number + 1) for number in numbers]
        elif _CHARS.fullmatch(span):
            unit = "char"
            pairs = [part.split(",") for part in span.split(";")]
            spans = [(int(start), int(end)) for start, end in pairs]
        self.facts["token"] += unit == "token"
        try:
            fragments = tidy(tuple(spans))
        except UsageError:
            fragments = ()
        last = _LAST + (unit == "token")
        if not fragments or fragments[-1][1] > last:
            self.problems.add("K509", line, f"the span {shown(span)}", expected)
            return None
        self.unit = self.unit or (unit, line)
        if self.unit[0] != unit:
            found = f"{_UNITS[unit]} in {shown(span)}"
            expected = f"{_UNITS[self.unit[0]]}, as on line {self.unit[1]}"
            self.problems.add("K510", line, found, expected)
            return None
        return fragments

    def _groups(
        self, opened: _Opened, ids: Mapping[str, int], kept: set[str]
    ) -> tuple[tuple[Group, ...], tuple[Group, ...]]:
        """Coreference becomes clusters, other links relations. A link to a mention that has a
        problem itself is no further problem.
        """
        clusters, relations = [], []
        for line, text in opened.links:
            name, *rest = text[1:].strip().split("\t")
            name = name.strip()
            if len(rest) != 2 or not name:
                expected = "@Relation, id and mention ids, apart by tabs"
                self.problems.add("K511", line, shown(text), expected)
                continue
            members = [member.strip() for member in rest[1].split(",")]
            problem = _wrong_members(name, members, ids)
            if problem is not None:
                self.problems.add("K512", line, f"{problem[0]} in {shown(text)}", problem[1])
            elif not kept.issuperset(members):
                continue
            elif name == COREFERENCE:
                clusters.append(Group("", tuple(("", each) for each in members), rest[0]))
            else:
                pair = (("from", members[0]), ("to", members[1]))
                relations.append(Group(name, pair, rest[0]))
        return tuple(clusters), tuple(relations)


def _wrong_members(name: str, members: list[str], ids: Mapping[str, int]) -> tuple[str, str] | None:
    """What is wrong with the members of a link, and what was expected."""
    missing = [member for member in members if member not in ids]
    if missing:
        return f"the mention id {shown(missing[0])}", "ids of mentions of this document"
    if len(set(members)) < len(members):
        return "a mention more than once", "each mention once"
    if name != COREFERENCE and len(members) != 2:
        return f"{len(members)} mention{'s' * (len(members) > 1)}", "two mentions, from and to"
    return None


def _extra(
    opened: _Opened, mentions: list[list[str]], system: str, tokens: Mapping[str, str] | None
) -> dict[str, Any]:
    """What only tbf has: texts in the order of the file, further columns, other systems."""
    parts = {
        "text": {fields[2]: fields[4] for fields in mentions},
        "columns": {fields[2]: fields[7:] for fields in mentions if len(fields) > 7},
        "system": {fields[2]: fields[0] for fields in mentions if fields[0] != system},
        "comments": opened.comments,
        "tokens": list(tokens or ()),
    }
    own = {key: value for key, value in parts.items() if value}
    return {"tbf": own} if own else {}


def _table_path(folder: str, document: str) -> Path:
    return Path(folder) / f"{document}.tab"


def _read_table(folder: str, document: str) -> tuple[dict[str, str], str]:
    """The tokens of a document by id, from its table, and the hash of the table.

    The columns are id, token, begin and end, apart by tabs; the first line may be a header.
    """
    source = Source(_table_path(folder, document))
    if {"/", "\\"} & set(document) or document in (".", ".."):
        found = f"the document id {shown(document)}"
        raise source.failure("K513", found, "an id that can name a file")
    problems = Problems(source.name)
    data = b"".join(source.blocks())
    tokens: dict[str, str] = {}
    first_line: dict[str, int] = {}
    for line, raw in enumerate(data.removeprefix(BOM).split(b"\n"), 1):
        row = raw.removesuffix(b"\r").decode("utf-8", "replace").split("\t")
        if len(row) < 4:
            if raw.strip():
                expected = "4 columns apart by tabs: token id, token, begin and end"
                problems.add("K514", line, shown(raw), expected)
        elif line == 1 and not row[2].strip().isdigit():
            continue
        elif row[0] in tokens:
            found = f"the token id {shown(row[0])}, also on line {first_line[row[0]]}"
            problems.add("K514", line, found, "each token once")
        else:
            tokens[row[0]], first_line[row[0]] = row[1], line
    problems.check()
    return tokens, hashlib.sha256(data).hexdigest()


def _written(corpus: Corpus) -> Iterator[bytes]:
    """The lines of each document."""
    _refuse(corpus)
    bounds = np.searchsorted(corpus.mentions.doc, np.arange(len(corpus) + 1)).tolist()
    groups = [_by_document(each) for each in (corpus.clusters, corpus.relations)]
    for row in range(len(corpus)):
        own = _own(corpus.extra.get(row, {}).get("tbf", {}))
        name = corpus.documents.name(row)
        rows = [f"{BEGIN} {name}", *own["comments"]]
        low, high = bounds[row], bounds[row + 1]
        ids = _ids(corpus, low, high)
        order = {name: place for place, name in enumerate(own["text"])}
        for i in sorted(range(low, high), key=lambda i: (order.get(ids[i - low], len(order)), i)):
            rows.append("\t".join(_line(corpus, row, i, ids[i - low], own)))
        both = list(zip((corpus.clusters, corpus.relations), groups, strict=True))
        used = {table.id[i] for table, places in both for i in places.get(row, [])}
        names = dict(enumerate(ids, low))
        for table, places in both:
            rows += [_link(table, i, names, used) for i in places.get(row, [])]
        try:
            yield "".join(f"{line}\n" for line in [*rows, END]).encode()
        except UnicodeEncodeError:
            raise UsageError(f"tbf cannot hold surrogates, as in document {shown(name)}") from None


def _line(corpus: Corpus, row: int, i: int, name: str, own: Mapping[str, Any]) -> list[str]:
    table = corpus.mentions
    system = corpus.documents.attributes.get("system")
    realis = table.attributes.get("realis")
    spans = table.fragments_of(i)
    if corpus.unit == "char":
        place = ";".join(f"{start},{end}" for start, end in spans)
    else:
        ids = own["tokens"]
        if sum(end - start for start, end in spans) > _LISTED:
            raise UsageError(f"tbf cannot hold a mention of more than {_LISTED:,} tokens")
        numbers = [n for start, end in spans for n in range(start, end)]
        if ids and numbers[-1] >= len(ids):
            raise UsageError(f"tbf: document {shown(corpus.documents.name(row))} has {len(ids)} "
                             f"token ids, but a mention at token {numbers[-1]}")  # fmt: skip
        place = ",".join(ids[n] if ids else f"t{n}" for n in numbers)
    columns = [
        own["system"].get(name, (system[row] if system else None) or NOBODY),
        corpus.documents.name(row),
        name,
        place,
        own["text"].get(name, ""),
        corpus.labels[table.label[i]],
        (realis[i] if realis else None) or _UNKNOWN,
        *own["columns"].get(name, ()),
    ]
    for value in columns:
        _fits(value, "the value")
    if columns[0][:1] in ("#", "@"):
        raise UsageError(f"tbf cannot hold the system {shown(columns[0])}")
    if columns[-1].endswith("\r"):
        raise UsageError(f"tbf cannot hold the value {shown(columns[-1])}")
    return columns


def _link(table: Groups, i: int, ids: Mapping[int, str], used: set[str | None]) -> str:
    label, name = table.label[i] or COREFERENCE, table.id[i]
    members = [ids[int(m)] for m in table.mention[table.offsets[i] : table.offsets[i + 1]]]
    if name is None:
        name = next(f"R{k}" for k in range(len(used), 2 * len(used) + 1) if f"R{k}" not in used)
        used.add(name)
    for value in (label, name, *members):
        _fits(value, "the value")
    for member in members:
        if "," in member or member.strip() != member:
            raise UsageError(f"tbf cannot link the mention id {shown(member)}")
    if label.strip() != label or (table.label[i] == COREFERENCE):
        raise UsageError(f"tbf cannot hold the relation {shown(label)}")
    if len(set(members)) < len(members):
        raise UsageError("tbf cannot link a mention with itself")
    return f"@{label}\t{name}\t{','.join(members)}"


def _ids(corpus: Corpus, low: int, high: int) -> list[str]:
    """The ids of a document's mentions; those without get one."""
    given = corpus.mentions.id[low:high] if corpus.mentions.id else (None,) * (high - low)
    taken, ids, number = set(given), [], 0
    for name in given:
        if name is None:
            number += 1
            while f"E{number}" in taken:
                number += 1
            name = f"E{number}"
        ids.append(name)
    if len(set(ids)) < len(ids):
        raise UsageError("tbf cannot hold two mentions with one id in a document")
    return ids


def _own(extra: Any) -> dict[str, Any]:
    """What reading a tbf file kept; anything else under its name is refused."""
    kinds: dict[str, Any] = {"text": {}, "columns": {}, "system": {}, "comments": [], "tokens": []}

    def words(value: Any) -> bool:
        return isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value)

    try:
        found = kinds | dict(extra)
        fine = set(found) == set(kinds) and words(found["comments"]) and words(found["tokens"])
        fine = fine and all(words(list(found[key].values())) for key in ("text", "system"))
        fine = fine and all(words(value) for value in found["columns"].values())
    except (TypeError, ValueError, AttributeError):
        fine = False
    if not fine or any(not line.startswith("#") or line.startswith((BEGIN, END)) or "\n" in line
                       for line in found["comments"]):  # fmt: skip
        raise UsageError("the field tbf of a document is not what reading a tbf file leaves there")
    return found


def _by_document(groups: Groups) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for i, doc in enumerate(groups.doc.tolist()):
        found.setdefault(doc, []).append(i)
    return found


def _fits(value: str, what: str) -> None:
    if any(sign in value for sign in "\t\n\0"):
        raise UsageError(f"tbf cannot hold {what} {shown(value)}")


def _refuse(corpus: Corpus) -> None:
    """What tbf cannot hold is refused, by name."""
    mentions, documents, relations = corpus.mentions, corpus.documents, corpus.relations
    ids: Sequence[str] = documents.id or ()
    if len(ids) < len(documents):
        raise UsageError("tbf needs ids of documents")
    for name in ids:
        if not name or name.strip() != name:
            raise UsageError(f"tbf cannot hold the document id {shown(name)}")
        _fits(name, "the document id")
    if len(mentions) and corpus.unit is None:
        raise UsageError("tbf holds tokens or characters; this corpus does not say which it counts")
    roles = {relations.role[i] for i in range(len(relations.mention))}
    lame = (np.diff(relations.offsets) != 2).any() or (relations.mention < 0).any()
    clusters = corpus.clusters
    alone = (np.diff(clusters.offsets) == 0).any() or (clusters.mention < 0).any()
    fields = {key for each in corpus.extra.values() for key in each}
    counts = {
        "attributes of documents other than system": set(documents.attributes) - {"system"},
        "attributes of mentions other than realis": set(mentions.attributes) - {"realis"},
        "confidences": mentions.confidence is not None,
        "templates": len(corpus.templates),
        "labels of clusters": clusters.label.values,
        "relations other than from one mention to another": roles - {"from", "to"} or lame,
        "relations without a label": (relations.label.codes < 0).any(),
        "clusters without mentions": alone,
        "further fields of documents": fields - {"tbf", "token_spans"},
    }
    for what, there in counts.items():
        if there:
            raise UsageError(f"tbf cannot hold {what}")
