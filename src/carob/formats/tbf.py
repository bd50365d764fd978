"""tbf: the event nuggets of TAC KBP, one mention a line, documents between two marks."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np

from carob.arrays.columns import label_codes
from carob.corpus.build import of_documents
from carob.corpus.corpus import Corpus, Words
from carob.corpus.document import Document, Group, Span, tidy
from carob.corpus.problems import InputError, Problems, UsageError, shown
from carob.corpus.source import LARGEST, Source
from carob.corpus.tables import Codes, Documents, Fragments, Groups, Mentions, int32
from carob.formats._text import BOM, FileWords, lines

BEGIN, END, NO_SYSTEM = "#BeginOfDocument", "#EndOfDocument", "_"
COREFERENCE = "Coreference"

_BEGIN_LINES = re.compile(rb"(?:\xef\xbb\xbf)?(?:[ \t\r]*\n|#[^\n]*\n)*?#BeginOfDocument")
_UNKNOWN = "NOT_ANNOTATED"
_LONGEST_LIST = 50_000
"""How many tokens a mention may have, so that a line with their ids can be read again."""
_BLOCK = 512
"""How many documents a block has."""
_LAST = 2**31 - 2
"""The last position that is possible: its end still fits in 32 bits."""
_NUMBERS = r" *[0-9]{1,10} *"
_CHARS = re.compile(rf"{_NUMBERS},{_NUMBERS}(?:;{_NUMBERS},{_NUMBERS})*")
_TOKENS = re.compile(rf"t{_NUMBERS}(?:,t{_NUMBERS})*")
_SPAN = "characters like 4,8 or 4,8;13,16, ends exclusive, or token ids like t3,t5"
_COLUMNS = (
    "at least 7 columns separated by tabs: system, document, mention id, span, text, type "
    "and realis"
)
_UNITS = {"token": "token ids", "char": "characters"}


@dataclass(frozen=True, slots=True)
class Tbf:
    """One event mention a line, with its type and realis, then coreference and other links.

    The columns, separated by tabs, are system, document, mention id, span, text, type and realis;
    further ones are kept. A span is characters (`4,8;13,16`, ends exclusive) or token ids
    (`t3,t5`). The type is the label, realis an attribute; `@Coreference` makes clusters, other
    links (`@After`, `@Subevent`) relations from one mention to another. The number in a token id is
    its position, unless `tokens` names the folder of the token tables (DOCUMENT.tab): then its row
    there is. Liu, Mitamura & Hovy (2015), "Evaluation Algorithms for Event Nugget Detection"; the
    format is that of its program, EvmEval.

    >>> line = "s\\td1\\tE1\\t4,8;13,16\\tmade way\\tMovement_Transport\\tActual\\n"
    >>> data = f"#BeginOfDocument d1\\n{line}#EndOfDocument\\n".encode()
    >>> Corpus.joined(Tbf().read(Source.of_bytes(data))).mention(0).fragments
    ((4, 8), (13, 16))
    """

    tokens: str = ""

    name: ClassVar[str] = "tbf"
    write_parameters: ClassVar[tuple[str, ...]] = ()
    extensions: ClassVar[tuple[str, ...]] = (".tbf",)
    signs: ClassVar[str] = "#BeginOfDocument"
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
        return float(_BEGIN_LINES.match(head) is not None)

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of whole documents.

        >>> data = b"#BeginOfDocument d1\\n#EndOfDocument\\n"
        >>> [len(block) for block in Tbf().read(Source.of_bytes(data))]
        [1]
        """
        return _Reader(source, self.tokens).blocks()

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """Where the positions of tokens come from; the content of tables tells which they are.

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
    """A document whose end has not come yet: its lines, and the number of each."""

    id: str
    line: int
    offset: int
    numbers: list[int] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


class _Block:
    """Complete documents, and their mentions as columns: an object for each would be slow."""

    def __init__(self) -> None:
        self.documents: list[Document] = []
        self.lines: list[int] = []
        self.offsets: list[int] = []
        self.sizes: list[int] = []
        self.ids: list[str] = []
        self.labels: list[str] = []
        self.realis: list[str] = []
        self.fragments: list[tuple[Span, ...]] = []
        self.groups: dict[str, list[tuple[int, Group, list[int]]]] = {
            "clusters": [], "relations": [],
        }  # fmt: skip

    def corpus(self, facts: Counter[str]) -> Corpus:
        """The block as a corpus."""
        label = Codes.of(self.labels)
        several = any(len(spans) > 1 for spans in self.fragments)
        mentions = Mentions(
            np.repeat(np.arange(len(self.documents), dtype=np.int32), self.sizes),
            int32([spans[0][0] for spans in self.fragments]),
            int32([spans[-1][1] for spans in self.fragments]),
            label_codes(label.codes, len(label.values)),
            Fragments.of_spans(self.fragments) if several else None,
            {"realis": Codes.of(self.realis)} if self.realis else {},
            id=tuple(self.ids) or None,
        )
        tables = {name: _group_table(groups) for name, groups in self.groups.items()}
        corpus = of_documents(self.documents, self.lines, self.offsets)
        return replace(
            corpus, mentions=mentions, labels=label.values, clusters=tables["clusters"],
            relations=tables["relations"], library=None, facts=facts,
        ).ordered()  # fmt: skip


def _group_table(groups: Sequence[tuple[int, Group, list[int]]]) -> Groups:
    """The table of groups, each with its document and the rows of its members."""
    return Groups(
        int32([doc for doc, _, _ in groups]),
        Codes.of([group.label or None for _, group, _ in groups]),
        np.cumsum([0, *(len(rows) for _, _, rows in groups)]),
        Codes.of([role or None for _, group, _ in groups for role in group.roles]),
        int32([row for _, _, rows in groups for row in rows]),
        tuple(group.id for _, group, _ in groups),
    )


class _Reader:
    """Reads one file; `folder` has the token tables, if positions are taken from them."""

    def __init__(self, source: Source, folder: str) -> None:
        self.source, self.folder = source, folder
        self.problems = Problems(source.name)
        self.facts: Counter[str] = Counter()
        self.ids: dict[str, int] = {}
        self.unit: tuple[str, int] | None = None
        self.opened: _Opened | None = None
        self.block = _Block()

    def blocks(self) -> Iterator[Corpus]:
        """Whole documents, some hundred at a time; problems come at the end."""
        number = 0
        for number, offset, raw in lines(self.source):
            try:
                text = raw.decode("utf-8").rstrip("\r")
            except UnicodeDecodeError:
                self.problems.add("K502", number, shown(raw), "UTF-8")
                continue
            if self.opened is not None and offset - self.opened.offset > LARGEST:
                found = f"a document of more than {LARGEST:,} bytes"
                raise self.source.failure("K010", found, f"{END} before")
            if self.opened is None or text[0] == "#":
                self._mark(number, offset, text)
            else:
                self.opened.numbers.append(number)
                self.opened.rows.append(text)
            if len(self.block.documents) == _BLOCK:
                yield self._finished_block()
        if not number:
            raise self.source.failure("K002", "an empty file", "at least one document")
        if self.opened is not None:
            found = f"the end of the file in document {shown(self.opened.id)}"
            self._close(self.opened)
            self.problems.add("K503", number, found, END)
        if not self.ids and not self.problems.total:
            raise self.source.failure("K501", "no document", f"{BEGIN} and an id")
        self.problems.check()
        yield self._finished_block()

    def _finished_block(self) -> Corpus:
        block, facts = self.block, self.facts
        self.block, self.facts = _Block(), Counter()
        return block.corpus(facts)

    def _mark(self, line: int, offset: int, text: str) -> None:
        """A line that begins or ends a document, is a comment, or is outside of all documents."""
        wrong, opened = self.problems.add, self.opened
        if text.startswith(BEGIN):
            if opened is not None:
                expected = f"{END} before it, for the document of line {opened.line}"
                wrong("K503", line, shown(text), expected)
                self._close(opened)
            self.opened = _Opened(text[len(BEGIN) :].strip(), line, offset)
            self._check_id(self.opened, text)
        elif text.startswith(END):
            if opened is None:
                wrong("K503", line, shown(text), f"{BEGIN} before it")
            else:
                self._close(opened)
        elif opened is not None:
            opened.comments.append(text)
        elif text[0] != "#":
            wrong("K503", line, shown(text), f"a line between {BEGIN} and {END}")

    def _check_id(self, document: _Opened, text: str) -> None:
        if not document.id or "\t" in document.id:
            expected = f"{BEGIN} and an id without tabs"
            self.problems.add("K501", document.line, shown(text), expected)
        elif document.id in self.ids:
            found = f"the document {shown(document.id)}, also on line {self.ids[document.id]}"
            self.problems.add("K504", document.line, found, "each document once")
        self.ids.setdefault(document.id, document.line)

    def _close(self, opened: _Opened) -> None:
        """Add a document to the block, unless there are problems."""
        self.opened = None
        tokens = self._token_table(opened.id) if self.folder else None
        places = None if tokens is None else {name: at for at, name in enumerate(tokens)}
        numbers: list[int] = []
        mentions: list[list[str]] = []
        links: list[tuple[int, str]] = []
        for number, text in zip(opened.numbers, opened.rows, strict=True):
            if text[0] == "@":
                links.append((number, text))
            elif len(fields := text.split("\t")) < 7:
                found = f"{len(fields)} column{'s' * (len(fields) != 1)} in {shown(text)}"
                self.problems.add("K505", number, found, _COLUMNS)
            else:
                numbers.append(number)
                mentions.append(fields)
        self._check_fields(opened, numbers, mentions)
        fragments: list[tuple[Span, ...]] = []
        # Without its token table, no span of a document can be read.
        if not self.folder or tokens is not None:
            for number, fields in zip(numbers, mentions, strict=True):
                fragments.append(self._fragments(opened.id, number, fields[3], places))
        block = self.block
        first = len(block.ids)
        self._add_links(links, {fields[2]: first + i for i, fields in enumerate(mentions)})
        if self.problems.total:
            return
        system = mentions[0][0] if mentions else NO_SYSTEM
        document = Document(
            opened.id,
            tokens=None if tokens is None else tuple(tokens.values()),
            attributes={} if system in ("", NO_SYSTEM) else {"system": system},
            unit=self.unit[0] if self.unit and mentions else None,
            extra=_extra(opened, mentions, system, tokens),
        )
        block.documents.append(document)
        block.lines.append(opened.line)
        block.offsets.append(opened.offset)
        block.sizes.append(len(mentions))
        block.ids += [fields[2] for fields in mentions]
        block.labels += [fields[5] for fields in mentions]
        block.realis += [fields[6] for fields in mentions]
        block.fragments += fragments

    def _token_table(self, document: str) -> dict[str, str] | None:
        """The tokens of a document by id, in order; None if there is something wrong with them."""
        try:
            tokens, digest = _read_table(self.folder, document)
        except InputError as error:
            self.problems.extend(error.problems, error.total)
            return None
        self.facts["table"] += int(digest[:8], 16)
        return tokens

    def _check_fields(self, opened: _Opened, numbers: list[int], mentions: list[list[str]]) -> None:
        """Each mention names its document, and has an id of its own, a type and a realis."""
        first_line: dict[str, int] = {}
        for line, fields in zip(numbers, mentions, strict=True):
            if fields[1] != opened.id:
                found = f"a mention of the document {shown(fields[1])}"
                self.problems.add("K506", line, found, f"the document {shown(opened.id)}")
            if (first := first_line.setdefault(fields[2], line)) != line:
                found = f"the mention id {shown(fields[2])}, also on line {first}"
                self.problems.add("K507", line, found, "an id of its own for each mention")
            if fields[2] and fields[5] and fields[6]:
                continue
            for number, what in ((2, "mention id"), (5, "type"), (6, "realis")):
                if not fields[number]:
                    expected = f"a {what} in column {number + 1}"
                    self.problems.add("K508", line, f"a mention without a {what}", expected)

    def _fragments(
        self, document: str, line: int, span: str, places: Mapping[str, int] | None
    ) -> tuple[Span, ...]:
        """The fragments of a span; none if it cannot be read, which is a problem."""
        unit, expected = "char", _SPAN
        fragments: tuple[Span, ...] = ()
        if places is not None:
            unit = "token"
            names = span.split(",")
            fragments = tuple((places[name], places[name] + 1) for name in names if name in places)
            if len(fragments) < len(names):
                fragments = ()
                expected = f"ids of tokens in {_table_path(self.folder, document)}"
        elif _CHARS.fullmatch(span):
            pairs = [part.split(",") for part in span.split(";")]
            fragments = tuple((int(start), int(end)) for start, end in pairs)
        elif _TOKENS.fullmatch(span):
            unit = "token"
            numbers = [int(part) for part in span.replace("t", "").split(",")]
            fragments = tuple((number, number + 1) for number in numbers)
        if unit == "token":
            self.facts["token"] += 1
        # Most spans are one stretch, and need no sorting.
        if len(fragments) != 1 or fragments[0][0] >= fragments[0][1]:
            try:
                fragments = tidy(fragments)
            except UsageError:
                fragments = ()
        if not fragments or fragments[-1][1] > _LAST + (unit == "token"):
            self.problems.add("K509", line, f"the span {shown(span)}", expected)
            return ()
        self.unit = self.unit or (unit, line)
        if self.unit[0] != unit:
            found = f"{_UNITS[unit]} in {shown(span)}"
            expected = f"{_UNITS[self.unit[0]]}, as on line {self.unit[1]}"
            self.problems.add("K510", line, found, expected)
        return fragments

    def _add_links(self, links: list[tuple[int, str]], rows: Mapping[str, int]) -> None:
        """Coreference becomes clusters, other links relations."""
        doc = len(self.block.documents)
        for line, text in links:
            name, *rest = text[1:].strip().split("\t")
            name = name.strip()
            if len(rest) != 2 or not name:
                expected = "@Relation, id and mention ids, separated by tabs"
                self.problems.add("K511", line, shown(text), expected)
                continue
            members = [member.strip() for member in rest[1].split(",")]
            problem = _wrong_members(name, members, rows)
            if problem is not None:
                self.problems.add("K512", line, f"{problem[0]} in {shown(text)}", problem[1])
            elif not self.problems.total:
                cluster = name == COREFERENCE
                roles = [""] * len(members) if cluster else ["from", "to"]
                pairs = tuple(zip(roles, members, strict=True))
                group = Group("" if cluster else name, pairs, rest[0])
                where = "clusters" if cluster else "relations"
                self.block.groups[where].append((doc, group, [rows[member] for member in members]))


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
    filled = {key: value for key, value in parts.items() if value}
    return {"tbf": filled} if filled else {}


def _table_path(folder: str, document: str) -> Path:
    return Path(folder) / f"{document}.tab"


def _read_table(folder: str, document: str) -> tuple[dict[str, str], str]:
    """The tokens of a document by id, from its table, and the hash of the table.

    The columns are id, token, begin and end, separated by tabs; the first line may be a header.
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
                expected = "4 columns separated by tabs: token id, token, begin and end"
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
        kept = _tbf_fields(corpus.extra.get(row, {}).get("tbf", {}))
        name = corpus.documents.name(row)
        rows = [f"{BEGIN} {name}", *kept["comments"]]
        low, high = bounds[row], bounds[row + 1]
        ids = _ids(corpus, low, high)
        order = {name: place for place, name in enumerate(kept["text"])}
        for i in sorted(range(low, high), key=lambda i: (order.get(ids[i - low], len(order)), i)):
            rows.append("\t".join(_line(corpus, row, i, ids[i - low], kept)))
        both = list(zip((corpus.clusters, corpus.relations), groups, strict=True))
        used = {table.id[i] for table, places in both for i in places.get(row, [])}
        names = dict(enumerate(ids, low))
        for table, places in both:
            rows += [_link(table, i, names, used) for i in places.get(row, [])]
        try:
            yield "".join(f"{line}\n" for line in [*rows, END]).encode()
        except UnicodeEncodeError:
            raise UsageError(f"tbf cannot hold surrogates, as in document {shown(name)}") from None


def _line(corpus: Corpus, row: int, i: int, name: str, kept: Mapping[str, Any]) -> list[str]:
    table = corpus.mentions
    system = corpus.documents.attributes.get("system")
    realis = table.attributes.get("realis")
    spans = table.fragments_of(i)
    if corpus.unit == "char":
        place = ";".join(f"{start},{end}" for start, end in spans)
    else:
        ids = kept["tokens"]
        if sum(end - start for start, end in spans) > _LONGEST_LIST:
            raise UsageError(f"tbf cannot hold a mention of more than {_LONGEST_LIST:,} tokens")
        numbers = [n for start, end in spans for n in range(start, end)]
        if ids and numbers[-1] >= len(ids):
            raise UsageError(f"tbf: document {shown(corpus.documents.name(row))} has {len(ids)} "
                             f"token ids, but a mention at token {numbers[-1]}")  # fmt: skip
        place = ",".join(ids[n] if ids else f"t{n}" for n in numbers)
    columns = [
        kept["system"].get(name, (system[row] if system else None) or NO_SYSTEM),
        corpus.documents.name(row),
        name,
        place,
        kept["text"].get(name, ""),
        corpus.labels[table.label[i]],
        (realis[i] if realis else None) or _UNKNOWN,
        *kept["columns"].get(name, ()),
    ]
    for value in columns:
        _check_value(value, "the value")
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
        _check_value(value, "the value")
    for member in members:
        if "," in member or member.strip() != member:
            raise UsageError(f"tbf cannot link the mention id {shown(member)}")
    if label.strip() != label or (table.label[i] == COREFERENCE):
        raise UsageError(f"tbf cannot hold the relation {shown(label)}")
    if len(set(members)) < len(members):
        raise UsageError("tbf cannot link a mention with itself")
    return f"@{label}\t{name}\t{','.join(members)}"


def _ids(corpus: Corpus, low: int, high: int) -> list[str]:
    """The ids of a document's mentions; a mention without an id gets a new one."""
    names = corpus.mentions.id[low:high] if corpus.mentions.id else (None,) * (high - low)
    taken, ids, number = set(names), [], 0
    for name in names:
        if name is None:
            number += 1
            while f"E{number}" in taken:
                number += 1
            name = f"E{number}"
        ids.append(name)
    if len(set(ids)) < len(ids):
        raise UsageError("tbf cannot hold two mentions with one id in a document")
    return ids


def _tbf_fields(extra: Any) -> dict[str, Any]:
    """What reading a tbf file kept; anything else under its name is refused."""
    empty: dict[str, Any] = {"text": {}, "columns": {}, "system": {}, "comments": [], "tokens": []}

    def words(value: Any) -> bool:
        return isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value)

    try:
        fields = empty | dict(extra)
        fine = set(fields) == set(empty) and words(fields["comments"]) and words(fields["tokens"])
        fine = fine and all(words(list(fields[key].values())) for key in ("text", "system"))
        fine = fine and all(words(value) for value in fields["columns"].values())
    except (TypeError, ValueError, AttributeError):
        fine = False
    if not fine or any(not line.startswith("#") or line.startswith((BEGIN, END)) or "\n" in line
                       for line in fields["comments"]):  # fmt: skip
        raise UsageError("the field tbf of a document is not what reading a tbf file leaves there")
    return fields


def _by_document(groups: Groups) -> dict[int, list[int]]:
    rows: dict[int, list[int]] = {}
    for i, doc in enumerate(groups.doc.tolist()):
        rows.setdefault(doc, []).append(i)
    return rows


def _check_value(value: str, what: str) -> None:
    if any(sign in value for sign in "\t\n\0"):
        raise UsageError(f"tbf cannot hold {what} {shown(value)}")


def _refuse(corpus: Corpus) -> None:
    """Refuse what tbf cannot hold, and name it."""
    mentions, documents, relations = corpus.mentions, corpus.documents, corpus.relations
    ids: Sequence[str] = documents.id or ()
    if len(ids) < len(documents):
        raise UsageError("tbf needs ids of documents")
    for name in ids:
        if not name or name.strip() != name:
            raise UsageError(f"tbf cannot hold the document id {shown(name)}")
        _check_value(name, "the document id")
    if len(mentions) and corpus.unit is None:
        raise UsageError("tbf holds tokens or characters; this corpus does not say which it counts")
    roles = {relations.role[i] for i in range(len(relations.mention))}
    no_pairs = (np.diff(relations.offsets) != 2).any() or (relations.mention < 0).any()
    clusters = corpus.clusters
    no_mentions = (np.diff(clusters.offsets) == 0).any() or (clusters.mention < 0).any()
    fields = {key for each in corpus.extra.values() for key in each}
    counts = {
        "attributes of documents other than system": set(documents.attributes) - {"system"},
        "attributes of mentions other than realis": set(mentions.attributes) - {"realis"},
        "confidences": mentions.confidence is not None,
        "templates": len(corpus.templates),
        "labels of clusters": clusters.label.values,
        "relations other than from one mention to another": roles - {"from", "to"} or no_pairs,
        "relations without a label": (relations.label.codes < 0).any(),
        "clusters without mentions": no_mentions,
        "further fields of documents": fields - {"tbf", "token_spans"},
    }
    for what, present in counts.items():
        if present:
            raise UsageError(f"tbf cannot hold {what}")
