"""Read event nuggets in bulk: from pieces of lines to blocks of whole documents."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from carob.arrays.hashing import PAD, hash_tokens
from carob.arrays.types import BoolArray, ByteArray, IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import InputError, Problem, Problems, shown
from carob.corpus.source import LARGEST, Source
from carob.corpus.tables import UNKNOWN, Codes, Documents, Fragments, Groups, Mentions, int32
from carob.formats._numbers import gathered, merged, numbers
from carob.formats._text import pieces

_NEWLINE, _COMMA, _SEMICOLON, _LETTER_T = b"\n,;t"
_CHARS = "characters like 4,8 or 4,8;13,16, ends exclusive, or token ids like t3,t5"


@dataclass(frozen=True, slots=True)
class Places:
    """Where each mention is, whether its place could be read, and whether it is in tokens.

    Of a place that is `quiet`, something else was said already.
    """

    spans: Sequence[str]
    fragments: Fragments
    good: BoolArray
    token: BoolArray
    quiet: BoolArray
    lacking: Mapping[int, str] = field(default_factory=dict)
    facts: Mapping[Any, int] = field(default_factory=dict)

    def tell(self, row: int) -> tuple[str, str]:
        """What is wrong with a place that could not be read, and what was expected."""
        if row in self.lacking:
            return f"the span {shown(self.spans[row])}", self.lacking[row]
        return f"the span {shown(self.spans[row])}", _CHARS


class Tables:
    """Token tables, one file a document: id, token, begin and end, apart by tabs."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.tables: dict[str, tuple[dict[str, int], int, int]] = {}
        self.fingerprint = 0

    def file(self, document: str) -> Path:
        """The table of a document."""
        return self.folder / f"{document}.tab"

    def load(self, documents: Sequence[str], problems: Problems) -> None:
        """Read the tables of these documents, each of which must be there."""
        self.tables, self.fingerprint = {}, 0
        for document in documents:
            if not document or document in self.tables:
                continue
            try:
                ids, tokens, digest = token_table(self.file(document), document)
            except InputError as error:
                problems.extend(error.problems, error.total)
                continue
            number = {name: place for place, name in enumerate(ids)}
            self.tables[document] = number, len(ids), hash_tokens([t.encode() for t in tokens])
            self.fingerprint += int(digest[:8], 16)

    def ids(self, document: str) -> Sequence[str]:
        """The ids of a document's tokens, in order."""
        return tuple(self.tables.get(document, ({},))[0])

    def measured(self, documents: Sequence[str]) -> tuple[list[int], list[int]]:
        """Length and hash of each document."""
        found = [self.tables.get(name, ({}, -1, 0)) for name in documents]
        return [each[1] for each in found], [each[2] for each in found]


def token_table(path: Path, document: str) -> tuple[list[str], list[str], str]:
    """The ids and the tokens of one token table, and its hash; a first line may be a header."""
    if {"/", "\\"} & set(document) or document in (".", ".."):
        found, expected = f"the document id {shown(document)}", "an id that can name a file"
        raise InputError([Problem("K513", str(path), None, found, expected)])
    source = Source(path)
    data = b"".join(source.blocks())
    ids: dict[str, int] = {}
    tokens: list[str] = []
    problems: list[Problem] = []
    for line, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        row = raw.removesuffix(b"\r").decode("utf-8", "replace").split("\t")
        if len(row) < 4:
            if raw.strip():
                expected = "4 columns apart by tabs: token id, token, begin and end"
                problems.append(Problem("K514", source.name, line, shown(raw), expected))
        elif line == 1 and not row[2].strip().isdigit():
            continue
        elif row[0] in ids:
            found = f"the token id {shown(row[0])}, also on line {ids[row[0]]}"
            problems.append(Problem("K514", source.name, line, found, "each token once"))
        else:
            ids[row[0]] = line
            tokens.append(row[1])
    if problems:
        raise InputError(problems[:100], len(problems))
    return list(ids), tokens, hashlib.sha256(data).hexdigest()


def located(
    spans: Sequence[str], doc: IntArray, documents: Sequence[str], tables: Tables | None
) -> Places:
    """The fragments of each span, all at once.

    >>> places = located(["4,8;13,16", "t3,t5"], np.array([0, 0]), ["d"], None)
    >>> places.fragments.of(0), places.fragments.of(1), places.token
    (((4, 8), (13, 16)), ((3, 4), (5, 6)), array([False,  True]))
    """
    if tables is not None:
        return _looked_up(spans, doc, documents, tables)
    text = "\n".join(spans).encode() + b"\n"
    buffer = np.frombuffer(text + bytes(PAD), np.uint8)
    body = buffer[:-PAD]
    at = np.flatnonzero((body == _COMMA) | (body == _SEMICOLON) | (body == _NEWLINE))
    sign = body[at]
    breaks = np.flatnonzero(sign == _NEWLINE)
    first = np.concatenate([[0], breaks[:-1] + 1]) if len(spans) else breaks
    row = np.repeat(np.arange(len(spans)), np.diff(np.append(first, len(at))))
    at, sign = at[: len(row)], sign[: len(row)]
    start = np.concatenate([[0], at[:-1] + 1])[: len(row)]
    token = buffer[start[first]] == _LETTER_T if len(spans) else np.zeros(0, bool)
    chars = _characters(buffer, start, at, sign, row, np.arange(len(row)) - first[row], ~token)
    words = _tokens(buffer, start, at, sign, row, token)
    good = np.where(token, words[1], chars[1])
    fragments = _joined(words[0], chars[0], token)
    facts = Counter(token=int(token.sum()))
    return Places(spans, fragments, good, token, np.zeros(len(spans), bool), facts=facts)


def _characters(
    buffer: ByteArray, start: IntArray, end: IntArray, sign: ByteArray, row: IntArray,
    place: IntArray, wanted: BoolArray,
) -> tuple[Fragments, BoolArray]:  # fmt: skip
    """Pairs of numbers, a comma inside of each and a semicolon between them."""
    value, fine = numbers(buffer, start, end)
    fine &= np.where(place % 2 == 0, sign == _COMMA, sign != _COMMA)
    good = wanted.copy()
    good[row[~fine]] = False
    kept = np.flatnonzero(good[row])
    begin, stop, owner = value[kept[::2]], value[kept[1::2]], row[kept[::2]]
    good[owner[begin >= stop]] = False
    kept = np.flatnonzero(good[owner])
    fragments, wrong = merged(owner[kept], begin[kept], stop[kept], len(wanted))
    return fragments, good & ~wrong


def _tokens(
    buffer: ByteArray, start: IntArray, end: IntArray, sign: ByteArray, row: IntArray,
    wanted: BoolArray,
) -> tuple[Fragments, BoolArray]:  # fmt: skip
    """Numbers behind a t, commas between them."""
    value, fine = numbers(buffer, np.minimum(start + 1, end), end)
    fine &= (buffer[start] == _LETTER_T) & (sign != _SEMICOLON)
    good = wanted.copy()
    good[row[~fine]] = False
    kept = np.flatnonzero(good[row])
    fragments, twice = gathered(row[kept], value[kept], len(wanted))
    return fragments, good & ~twice


def _joined(one: Fragments, other: Fragments, which: BoolArray) -> Fragments:
    """The fragments of `one` for the rows `which`, of `other` for the rest."""
    if which.all():
        return one
    if not which.any():
        return other
    counts = np.where(which, np.diff(one.offsets), np.diff(other.offsets))
    mask = np.repeat(which, counts)
    start, end = np.empty(len(mask), np.int64), np.empty(len(mask), np.int64)
    start[mask], end[mask] = one.start, one.end
    start[~mask], end[~mask] = other.start, other.end
    return Fragments(np.concatenate([[0], np.cumsum(counts)]), start, end)


def _looked_up(
    spans: Sequence[str], doc: IntArray, documents: Sequence[str], tables: Tables
) -> Places:
    """The place of each token is its row in the table of its document."""
    good, quiet = np.ones(len(spans), bool), np.zeros(len(spans), bool)
    lacking: dict[int, str] = {}
    rows: list[int] = []
    found: list[int] = []
    for row, (span, number) in enumerate(zip(spans, doc.tolist(), strict=True)):
        name = documents[number]
        if name not in tables.tables:
            good[row], quiet[row] = False, True
            continue
        known = tables.tables[name][0]
        tokens = span.split(",")
        places = [known.get(token) for token in tokens]
        if None in places:
            good[row] = False
            lacking[row] = f"ids of tokens in {tables.file(name)}"
            continue
        rows += [row] * len(places)
        found += [place for place in places if place is not None]
    fragments, twice = gathered(np.array(rows, np.int64), np.array(found, np.int64), len(spans))
    facts = Counter(token=len(spans), table=tables.fingerprint)
    token = np.ones(len(spans), bool)
    return Places(spans, fragments, good & ~twice, token, quiet, lacking, facts)


COREFERENCE = "Coreference"


@dataclass(slots=True)
class Opened:
    """A document and the lines between its beginning and its end."""

    id: str
    at: int
    end: int = -1
    links: list[tuple[int, str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


def linked(
    documents: list[Opened],
    bounds: list[int],
    ids: list[str],
    kept: IntArray,
    line: int,
    problems: Problems,
) -> tuple[Groups, Groups]:
    """Clusters and relations of a block. Members are rows among those `kept`; a link to a mention
    that was not kept says nothing, since something was said of the mention.
    """
    moved = np.full(len(ids), UNKNOWN, np.int64)
    moved[kept] = np.arange(len(kept))
    place = moved.tolist()
    found: tuple[list[Any], list[Any]] = ([], [])
    for number, document in enumerate(documents):
        if not document.links:
            continue
        low, high = bounds[number], bounds[number + 1]
        rows = dict(zip(ids[low:high], range(low, high), strict=True))
        for at, text in document.links:
            parts = text[1:].strip().split("\t")
            parts[0] = parts[0].strip()
            if len(parts) != 3 or not parts[0]:
                expected = "@Relation, id and mention ids, apart by tabs"
                problems.add("K511", at + line, shown(text), expected)
                continue
            members = [name.strip() for name in parts[2].split(",")]
            told = _members(parts[0], members, rows)
            if told is not None:
                problems.add("K512", at + line, f"{told[0]} in {shown(text)}", told[1])
                continue
            targets = [place[rows[name]] for name in members]
            if UNKNOWN not in targets:
                found[parts[0] != COREFERENCE].append((number, parts[0], parts[1], targets))
    return _table(found[0], cluster=True), _table(found[1], cluster=False)


def _members(name: str, members: list[str], rows: dict[str, int]) -> tuple[str, str] | None:
    """What is wrong with the members of a relation, and what was expected."""
    missing = [member for member in members if member not in rows]
    if missing:
        return f"the mention id {shown(missing[0])}", "ids of mentions of this document"
    if len(set(members)) < len(members):
        return "a mention more than once", "each mention once"
    if name != COREFERENCE and len(members) != 2:
        return f"{len(members)} mention{'s' * (len(members) > 1)}", "two mentions, from and to"
    return None


def _table(rows: list[Any], *, cluster: bool) -> Groups:
    if not rows:
        return Groups.none()
    members = [member for *_, each in rows for member in each]
    roles = [None] * len(members) if cluster else ["from", "to"] * len(rows)
    return Groups(
        int32([row[0] for row in rows]),
        Codes.of([None if cluster else row[1] for row in rows]),
        np.cumsum([0] + [len(row[3]) for row in rows]),
        Codes.of(roles),
        int32(members),
        tuple(row[2] for row in rows),
    )


BEGIN, END, NOBODY = "#BeginOfDocument", "#EndOfDocument", "_"
_COLUMNS = (
    "at least 7 columns apart by tabs: system, document, mention id, span, text, type and realis"
)


class TbfReader:
    """One pass over one file."""

    def __init__(self, source: Source, tables: Tables | None) -> None:
        self.source, self.tables = source, tables
        self.problems = Problems(source.name)
        self.ids: dict[str, int] = {}
        self.unit: tuple[str, int] | None = None

    def blocks(self) -> Iterator[Corpus]:
        """Whole documents, about a megabyte at a time; problems come at the end."""
        empty = True
        for data, line, offset in _whole(self.source):
            empty = empty and not data.strip()
            yield self._block(data, line, offset)
        if empty:
            raise self.source.failure("K002", "an empty file", "at least one document")
        if not self.ids and not self.problems.total:
            raise self.source.failure("K501", "no document", f"{BEGIN} and an id")
        self.problems.check()

    def _block(self, data: bytes, line: int, offset: int) -> Corpus:
        lines = self._lines(data, line)
        marks = [i for i, text in enumerate(lines) if text[:1] in "#@"]
        documents = self._documents(lines, marks, line)
        plain = np.ones(len(lines), bool)
        plain[marks] = False
        breaks = np.flatnonzero(np.frombuffer(data, np.uint8) == 10)
        rows, doc, columns, more = self._rows(lines, np.flatnonzero(plain), documents, line)
        bounds = np.searchsorted(doc, np.arange(len(documents) + 1)).tolist()
        good = self._agree(columns, doc, rows + line, documents, bounds)
        places = self._places(columns[3], doc, rows + line, documents, good)
        kept = np.flatnonzero(places.good & good)
        clusters, relations = linked(documents, bounds, columns[2], kept, line, self.problems)
        if len(kept) < len(rows):
            columns = [[column[i] for i in kept.tolist()] for column in columns]
            doc = doc[kept]
            bounds = np.searchsorted(doc, np.arange(len(documents) + 1)).tolist()
        system, _, ids, _, text, types, realis = columns
        label = Codes.of(types)
        begins = np.concatenate([[0], breaks + 1])[[each.at for each in documents]]
        names = [system[a] if a < b else NOBODY for a, b in pairwise(bounds)]
        attribute = Codes.of([None if name in ("", NOBODY) else name for name in names])
        lengths, hashes = ([UNKNOWN] * len(documents), [0] * len(documents))
        if self.tables:
            lengths, hashes = self.tables.measured([each.id for each in documents])
        spans = places.fragments.take(kept)
        many = len(spans.start) > len(kept)
        corpus = Corpus(
            None if self.unit is None else self.unit[0],
            Documents(
                int32(lengths),
                np.array(hashes, np.uint64),
                np.zeros(len(documents) + 1, np.int64),
                np.empty(0, np.int32),
                np.array([each.at + line for each in documents], np.int64),
                (begins + offset).astype(np.int64),
                tuple(each.id for each in documents),
                {"system": attribute} if attribute.values else {},
            ),
            Mentions(
                int32(doc),
                int32(spans.start[spans.offsets[:-1]]),
                int32(spans.end[spans.offsets[1:] - 1]),
                label.codes,
                spans if many else None,
                {"realis": Codes.of(realis)} if len(kept) else {},
                id=tuple(ids) if len(kept) else None,
            ),
            label.values,
            relations,
            clusters,
            facts=places.facts,
            extra=_extra(documents, bounds, ids, text, system, names, more, self.tables),
        )
        return corpus.ordered()

    def _lines(self, data: bytes, line: int) -> list[str]:
        try:
            lines = data.decode("utf-8").split("\n")
        except UnicodeDecodeError:
            lines = []
            for at, raw in enumerate(data.split(b"\n")):
                try:
                    lines.append(raw.decode("utf-8"))
                except UnicodeDecodeError:
                    self.problems.add("K502", line + at, shown(raw), "UTF-8")
                    lines.append("#")
        if b"\r" in data:
            lines = [text.rstrip("\r") for text in lines]
        return lines

    def _documents(self, lines: list[str], marks: list[int], line: int) -> list[Opened]:
        """Where documents begin and end, with the lines that are no mentions."""
        found: list[Opened] = []
        now: Opened | None = None
        wrong = self.problems.add
        for at in marks:
            text = lines[at]
            if text.startswith(BEGIN):
                if now is not None:
                    now.end = at
                    expected = f"{END} before it, for the document of line {now.at + line}"
                    wrong("K503", at + line, shown(text), expected)
                now = Opened(text[len(BEGIN) :].strip(), at)
                found.append(now)
                if not now.id or "\t" in now.id:
                    wrong("K501", at + line, shown(text), f"{BEGIN} and an id without tabs")
                elif now.id in self.ids:
                    before = f"the document {shown(now.id)}, also on line {self.ids[now.id]}"
                    wrong("K504", at + line, before, "each document once")
                self.ids.setdefault(now.id, at + line)
            elif text.startswith(END):
                if now is None:
                    wrong("K503", at + line, shown(text), f"{BEGIN} before it")
                else:
                    now.end, now = at, None
            elif text[:1] == "@":
                if now is None:
                    wrong("K503", at + line, shown(text), f"a line inside of {BEGIN} and {END}")
                else:
                    now.links.append((at, text))
            elif text and now is not None:
                now.comments.append(text)
        if now is not None:
            now.end = len(lines)
            found_ = f"the end of the file in document {shown(now.id)}"
            wrong("K503", line + len(lines) - 1, found_, END)
        return found

    def _rows(
        self, lines: list[str], rows: IntArray, documents: list[Opened], line: int
    ) -> tuple[IntArray, IntArray, list[list[str]], dict[tuple[int, str], list[str]]]:
        """The lines of mentions, their documents and columns, what they have beyond seven columns
        by document and mention id; other lines are problems.
        """
        width = np.fromiter((lines[i].count("\t") for i in rows.tolist()), np.int64, len(rows)) + 1
        begins, ends = (np.array([getattr(each, name) for each in documents], np.int64)
                        for name in ("at", "end"))  # fmt: skip
        doc = np.searchsorted(begins, rows) - 1
        inside = (doc >= 0) & (rows < np.append(ends, -1)[doc])
        bad = np.flatnonzero((width < 7) | ~inside)
        bad = bad[[bool(lines[at].strip()) for at in rows[bad].tolist()]] if bad.size else bad

        def tell(row: int) -> tuple[str, int, str, str, str]:
            text, at = shown(lines[rows[row]]), int(rows[row]) + line
            if not inside[row]:
                return "K503", at, text, f"a line inside of {BEGIN} and {END}", ""
            count = "1 column" if width[row] == 1 else f"{width[row]} columns"
            return "K505", at, f"{count} in {text}", _COLUMNS, ""

        self.problems.each(bad, tell)
        kept = np.flatnonzero((width >= 7) & inside)
        rows, doc = rows[kept], doc[kept]
        texts = [lines[i] for i in rows.tolist()]
        more = {}
        for i in np.flatnonzero(width[kept] > 7).tolist():
            fields = texts[i].split("\t")
            more[int(doc[i]), fields[2]] = fields[7:]
            texts[i] = "\t".join(fields[:7])
        # One list of all fields: a list for each line would cost more than all the rest.
        flat = "\t".join(texts).split("\t") if texts else []
        return rows, doc, [flat[i::7] for i in range(7)], more

    def _agree(
        self, columns: list[list[str]], doc: IntArray, line: IntArray, documents: list[Opened],
        bounds: list[int],
    ) -> BoolArray:  # fmt: skip
        """Which mentions name their document and have an id of their own, a type and a realis."""
        good = np.ones(len(doc), bool)
        wanted = [documents[i].id for i in doc.tolist()]

        def bad(where: list[int], tell: Callable[[int], tuple[str, str, str]]) -> None:
            good[where] = False
            self.problems.each(np.array(where, np.int64), lambda i: _at(line[i], tell(i)))

        if wanted != columns[1]:
            odd = [i for i, name in enumerate(columns[1]) if name != wanted[i]]
            bad(odd, lambda i: ("K506", f"a mention of the document {shown(columns[1][i])}",
                                f"the document {shown(wanted[i])}"))  # fmt: skip
        where, first = [], {}
        for low, high in pairwise(bounds):
            if len(set(columns[2][low:high])) < high - low:
                seen: dict[str, int] = {}
                first.update({i: seen.setdefault(columns[2][i], i) for i in range(low, high)})
                where += [i for i in range(low, high) if first[i] != i]
        bad(where, lambda i: (
            "K507", f"the mention id {shown(columns[2][i])}, also on line {line[first[i]]}",
            "an id of its own for each mention",
        ))  # fmt: skip
        for number, what in ((2, "mention id"), (5, "type"), (6, "realis")):
            if "" in columns[number]:
                where = [i for i, value in enumerate(columns[number]) if not value]
                told = ("K508", f"a mention without a {what}", f"a {what} in column {number + 1}")
                bad(where, lambda i, told=told: told)  # type: ignore[misc]
        return good

    def _places(
        self, spans: list[str], doc: IntArray, line: IntArray, documents: list[Opened],
        good: BoolArray,
    ) -> Places:  # fmt: skip
        names = [each.id for each in documents]
        if self.tables:
            self.tables.load(names, self.problems)
        places = located(spans, doc, names, self.tables)
        kinds = np.where(places.token, "token", "char")
        read = good & places.good
        if self.unit is None and read.any():
            first = int(np.flatnonzero(read)[0])
            self.unit = str(kinds[first]), int(line[first])
        unit, since = self.unit or ("", 0)
        mixed = read & (kinds != unit)

        def mix(row: int) -> tuple[str, str, str]:
            words = {"token": "token ids", "char": "characters"}
            found = f"{words[str(kinds[row])]} in {shown(spans[row])}"
            return "K510", found, f"{words[unit]}, as on line {since}"

        self.problems.each(np.flatnonzero(mixed), lambda row: _at(line[row], mix(row)))
        wrong = np.flatnonzero(good & ~places.good & ~places.quiet)
        self.problems.each(wrong, lambda row: _at(line[row], ("K509", *places.tell(row))))
        places.good[mixed] = False
        return places


def _at(line: Any, told: tuple[str, str, str]) -> tuple[str, int, str, str, str]:
    return told[0], int(line), told[1], told[2], ""


def _extra(
    documents: list[Opened], bounds: list[int], ids: list[str], text: list[str], system: list[str],
    names: list[str], more: dict[tuple[int, str], list[str]], tables: Tables | None,
) -> dict[int, dict[str, Any]]:  # fmt: skip
    """What only tbf has, for each document: texts in the order of the file, further columns."""
    mixed = len(set(system)) > 1
    extra: dict[int, dict[str, Any]] = {}
    for row, document in enumerate(documents):
        part = slice(bounds[row], bounds[row + 1])
        own: dict[str, Any] = {}
        if bounds[row] < bounds[row + 1]:
            own["text"] = dict(zip(ids[part], text[part], strict=True))
        if more:
            wide = {i: more[row, i] for i in ids[part] if (row, i) in more}
            own |= {"columns": wide} if wide else {}
        if mixed:
            others = zip(ids[part], system[part], strict=True)
            odd = {i: name for i, name in others if name != names[row]}
            own |= {"system": odd} if odd else {}
        if document.comments:
            own["comments"] = document.comments
        if tables:
            own["tokens"] = list(tables.ids(document.id))
        if own:
            extra[row] = {"tbf": own}
    return extra


def _whole(source: Source) -> Iterator[tuple[bytes, int, int]]:
    """Pieces of lines joined so that each ends with the end of a document."""
    waiting: list[bytes] = []
    line, offset = 1, 0
    mark = END.encode()
    for data, _, begin in pieces(source):
        offset = begin if line == 1 and not waiting else offset
        at = data.rfind(b"\n" + mark) + 1
        cut = (data.find(b"\n", at) + 1 or len(data)) if data.startswith(mark, at) else 0
        if cut:
            whole = b"".join([*waiting, data[:cut]])
            yield whole, line, offset
            line, offset = line + whole.count(b"\n"), offset + len(whole)
            waiting = [data[cut:]] if cut < len(data) else []
        else:
            waiting.append(data)
            if sum(map(len, waiting)) > LARGEST:
                found = f"a document of more than {LARGEST:,} bytes"
                raise source.failure("K010", found, f"{END} before")
    if waiting and (line == 1 or b"".join(waiting).strip()):
        yield b"".join(waiting), line, offset
