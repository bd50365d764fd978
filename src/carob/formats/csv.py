"""csv: tables of spans with a header, separated by commas, semicolons or tabs."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, ClassVar

from carob.corpus.corpus import Corpus
from carob.corpus.problems import InputError, Problem, Problems, UsageError, many, nearest, shown
from carob.corpus.record import WrongError
from carob.corpus.source import LARGEST, Source
from carob.formats import _dialect
from carob.formats._dialect import ChoiceError, Entry
from carob.formats._text import BOM, decoded, signed, unsigned
from carob.formats.capabilities import fitted, refused

NAMES: Mapping[str, tuple[str, ...]] = {
    "document": ("document", "documentid", "doc", "docid", "docno", "docname", "file", "filename",
                 "textid", "articleid", "noteid", "pmid", "recordid"),
    "start": ("start", "startoffset", "startchar", "startpos", "startposition", "startindex",
              "charstart", "offsetstart", "spanstart", "begin", "beginoffset", "beginchar",
              "starttoken", "tokenstart"),
    "end": ("end", "endoffset", "endchar", "endpos", "endposition", "endindex", "charend",
            "offsetend", "spanend", "stop", "endtoken", "tokenend"),
    "label": ("label", "type", "entitytype", "entitylabel", "spanlabel", "tag", "category", "class",
              "labelname"),
    "words": ("words", "text", "mention", "span", "spantext", "entitytext", "mentiontext",
              "surface", "surfaceform", "coveredtext", "entity", "term", "quote"),
    "text": ("documenttext", "doctext", "fulltext", "context"),
    "confidence": ("confidence", "score", "probability"),
    "annotator": ("annotator", "annotatorid", "worker", "workerid", "coder"),
    "id": ("id", "spanid", "mentionid", "entityid", "annotationid"),
}  # fmt: skip
"""The columns, and the names in small letters, without signs, by which they are recognised."""
_NEEDED = ("start", "end", "label")
_TOKENS = ("starttoken", "tokenstart", "endtoken", "tokenend")
_SIGNS = re.compile(r"[\W_]+")
_NUMBER = re.compile(r"\s*(-?[0-9]{1,15})(?:\.0+)?\s*")
_SEPARATORS = (",", ";", "\t")
_UNITS = ("auto", "char", "token")
_SEP = re.compile(r'\A"?sep=([^\r\n"])"?(?=[\r\n])', re.I)
"""A first line that names the separator, as Excel reads and writes it."""


@dataclass(frozen=True, slots=True)
class Csv:
    """A table with one span a row: its document, start, end, label, and more.

    The first row has the names of the columns. `start`, `end`, `label`, `document`, `words` (the
    words of the span), `text` (the text of the document), `confidence`, `id` and `annotator` say
    which column is which, if its name is not recognised; an empty name is no column. Commas,
    semicolons or tabs separate columns. Rows of one document need not stand together. A row with
    neither start nor end nor label is a document without spans. Without a column of documents, all
    rows are one document. Positions count characters, or tokens if `unit` says so or the columns
    are called start_token and end_token. Ends are exclusive; `offsets` names another unit. The text
    of a document stands in one of its rows, or in all. `only` chooses among several annotators.

    >>> table = b"doc,start,end,label\\nd1,0,3,PER\\n"
    >>> Corpus.joined(Csv().read(Source.of_bytes(table)))[0].mentions
    (Mention('PER', 0, 3),)
    """

    document: str = "auto"
    start: str = "auto"
    end: str = "auto"
    label: str = "auto"
    words: str = "auto"
    text: str = "auto"
    confidence: str = "auto"
    id: str = "auto"
    annotator: str = ""
    unit: str = "auto"
    offsets: str = "auto"

    name: ClassVar[str] = "csv"
    extensions: ClassVar[tuple[str, ...]] = (".csv",)
    signs: ClassVar[str] = "start Start START begin Begin BEGIN offset Offset"
    needs: ClassVar[frozenset[str]] = frozenset({"document ids"})
    write_parameters: ClassVar[tuple[str, ...]] = ("text",)
    holds: ClassVar[frozenset[str]] = frozenset({
        "text", "document ids", "overlaps", "crossing", "across sentences", "confidence", "ids",
        "units:char", "units:token",
    })  # fmt: skip

    def __post_init__(self) -> None:
        _dialect.check_offsets(self.offsets)
        if self.unit not in _UNITS:
            raise UsageError(f"unit cannot be {self.unit!r}{nearest(self.unit, _UNITS)}")

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we that the first row names starts, ends and labels?

        >>> Csv.sniff(b"doc,start,end,label\\n"), Csv.sniff(b"Ann B-PER\\n")
        (0.95, 0.0)
        """
        text = head.removeprefix(BOM).lstrip().decode("utf-8", "replace")
        names = _header(text)[0]
        known = {_plain(name) for name in names}
        return 0.95 if all(known & set(NAMES[part]) for part in _NEEDED) else 0.0

    def read(self, source: Source) -> Iterator[Corpus]:
        """All documents; their texts, if there are any, stay in memory."""
        problems = Problems(source.name)
        text = decoded(source, "K231", problems)
        problems.check()
        table = _Table(self, source, problems, (text or "").removeprefix("\ufeff"))
        if table.unit == "char":
            table.check_words()
        return _dialect.read_entries(
            source, problems, table.records(), self.offsets,
            same_words=_same_words, keep_words=True,
        )  # fmt: skip

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """The columns that were named, and what offsets count."""
        how, counts = _dialect.signature_fields(self.offsets, facts)
        named = {
            f"{part}_column": signed(getattr(self, part))
            for part in NAMES
            if part != "annotator" and getattr(self, part) != "auto"
        }
        if self.unit != "auto":
            named["counting"] = self.unit
        if self.annotator:
            named["annotator"] = signed(self.annotator)
        return named | how, counts

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again.

        >>> Csv.from_signature({"start_column": "b", "counting": "token", "offsets": "char"})
        {'start': 'b', 'unit': 'token', 'offsets': 'char'}
        """
        parts = {f"{part}_column": part for part in NAMES} | {"annotator": "annotator"}
        known = {key: value for key, value in fields.items() if value != "none"}
        named = {parts[key]: unsigned(value) for key, value in known.items() if key in parts}
        others = {"counting": "unit", "offsets": "offsets"}
        return named | {others[key]: known[key] for key in others if key in known}

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Write a row for each mention, with its words and, in the first row of a document, the
        text; an empty `text` leaves texts out.

        >>> import io
        >>> out = io.BytesIO()
        >>> mention = {"start": 0, "end": 3, "label": "PER"}
        >>> Csv().write(Corpus.of({"id": "1", "text": "Ann", "mentions": [mention]}), out)
        >>> out.getvalue().decode()
        'document,start,end,label,words,document_text\\r\\n1,0,3,PER,Ann,Ann\\r\\n'
        """
        losses = fitted(corpus, self.holds)[1]
        refused(self.name, losses)
        if corpus.documents.id is None and len(corpus):
            raise UsageError("csv needs ids of documents, and these have none")
        names = [*(corpus.documents.id or ()), *corpus.labels, *(corpus.mentions.id or ())]
        if wrong := [name for name in names if name is not None and name != (name.strip() or None)]:
            raise UsageError(f"csv cannot hold {shown(wrong[0])}, with white space at an end")
        in_tokens = corpus.unit == "token"
        places = ("start_token", "end_token") if in_tokens else ("start", "end")
        with_text = not in_tokens and self.text != ""
        extra = [name for name, present in (
            ("confidence", corpus.mentions.confidence is not None),
            ("id", corpus.mentions.id is not None),
        ) if present]  # fmt: skip
        words = ["words", "document_text"] if with_text else []
        buffer = io.StringIO(newline="")
        writer = csv.writer(buffer)
        writer.writerow(["document", *places, "label", *words, *extra])
        for document in corpus:
            text = (document.text or "") if with_text else ""
            if with_text and document.text == "":
                raise UsageError(f"csv cannot hold the empty text of {shown(str(document.id))}")
            for number, each in enumerate(document.mentions):
                quoted = [text[each.start : each.end], "" if number else text] if words else []
                values = {"confidence": each.confidence, "id": each.id}
                rest = ["" if values[name] is None else values[name] for name in extra]
                writer.writerow(
                    [document.id, each.start, each.end, each.label, *quoted, *rest]
                )  # fmt: skip
            if not document.mentions:
                quoted = ["", text] if words else []
                writer.writerow([document.id, "", "", "", *quoted, *([""] * len(extra))])
        try:
            out.write(buffer.getvalue().encode("utf-8"))
        except UnicodeEncodeError as error:
            half = shown(buffer.getvalue()[error.start : error.end])
            raise UsageError(f"csv cannot hold {half}: it is no character") from None


def _plain(name: str) -> str:
    """The name of a column, to be recognised: small letters, no signs."""
    return _SIGNS.sub("", name).casefold()


def _header(text: str) -> tuple[list[str], str]:
    """The names of the first row, and what separates them: what gives the most names, unless the
    file says it.

    >>> _header("start;end;label\\n"), _header("sep=|\\nstart|end\\n")
    ((['start', 'end', 'label'], ';'), (['start', 'end'], '|'))
    """
    declared = _SEP.match(text)
    rest = text[declared.end() :] if declared else text
    line = rest.lstrip("\r\n").partition("\n")[0].rstrip("\r")
    best: tuple[list[str], str] = ([line], ",")
    for separator in (declared[1],) if declared else _SEPARATORS:
        try:
            names = next(csv.reader([line], delimiter=separator), [])
        except csv.Error:
            continue
        if len(names) > len(best[0]):
            best = [name.strip() for name in names], separator
    return best


def _same_words(quote: str, here: str) -> bool:
    """White space at the ends, and line breaks, may differ: programs for tables change them."""
    return " ".join(quote.split()) == " ".join(here.split())


class _Table:
    """The rows of a table, by document."""

    def __init__(self, format: Csv, source: Source, problems: Problems, text: str) -> None:
        self.format, self.source, self.problems = format, source, problems
        if not text.strip():
            raise source.failure("K002", "an empty file", "at least one document")
        self.names, separator = _header(text)
        self.column = self._columns()
        self.rows = self._rows(_SEP.sub("", text, count=1), separator)

    def _wrong_header(
        self, found: str, expected: str, missing: Sequence[str] = _NEEDED,
        names_of: Mapping[str, str] | None = None,
    ) -> InputError:  # fmt: skip
        names = ", ".join(shown(name) for name in self.names[:12])
        known = names_of or {}
        options = " ".join(f"--read {part}={known.get(part, 'NAME')}" for part in missing)
        hint = f"the columns are {names}; say which is which: {options}"
        if any(_NUMBER.fullmatch(name) for name in self.names):
            hint = "the first row must have the names of the columns: document,start,end,label"
        return InputError([Problem("K241", self.source.name, 1, found, expected, hint)])

    def _columns(self) -> dict[str, int]:
        """The number of each column that has a part."""
        plain = [_plain(name) for name in self.names]
        if twice := [name for name, count in Counter(plain).items() if count > 1 and name]:
            known = {name for names in NAMES.values() for name in names}
            if known & set(twice):
                raise self._wrong_header(f"two columns called {shown(twice[0])}", "one of them")
        column: dict[str, int] = {}
        chosen: set[int] = set()
        for part in NAMES:
            wanted = getattr(self.format, part) if part != "annotator" else "auto"
            if wanted not in ("auto", ""):
                if wanted not in self.names:
                    raise self._wrong_header(f"no column {shown(wanted)}", f"the column of {part}")
                column[part] = self.names.index(wanted)
                chosen.add(column[part])
        several: dict[str, list[int]] = {}
        for part, names in NAMES.items():
            if part in column or (part != "annotator" and getattr(self.format, part) == ""):
                continue
            places = [plain.index(name) for name in names if name in plain]
            if places := [place for place in places if place not in chosen]:
                column[part] = places[0]
                if len(places) > 1 and part in ("document", *_NEEDED):
                    several[part] = places
        if several:
            raise self._several_columns(several)
        chosen |= {*column.values()}
        missing = [part for part in _NEEDED if part not in column]
        if missing:
            raise self._wrong_header(
                f"no column of {' and of '.join(missing)}", "columns of starts, ends and labels",
                missing,
            )  # fmt: skip
        if (
            "document" not in column
            and "id" in column
            and self.format.document == "auto" == self.format.id
        ):
            raise self._wrong_header(
                f"the column {shown(self.names[column['id']])}, of documents or of spans",
                "--read document=NAME, or --read id=NAME if all spans are of one document",
            )
        # Index columns of pandas have no name, or one like "Unnamed: 0".
        others = [name for number, name in enumerate(self.names)
                  if number not in chosen and not re.match("unnamed|$", plain[number])]  # fmt: skip
        if others and not {"document", "text"} & column.keys() and self.format.document == "auto":
            raise self._wrong_header(
                f"no column of documents, unless {shown(others[0])} or another one is it",
                "--read document=NAME, or --read document= if all spans are of one document",
                ("document", "text"),
            )
        return column

    def _several_columns(self, several: Mapping[str, Sequence[int]]) -> InputError:
        """The error for parts with more than one column. Of two pairs of places, those whose names
        say that they count characters are suggested.
        """
        names = {part: [self.names[place] for place in places] for part, places in several.items()}
        found = "; ".join(f"{part}: {', '.join(map(shown, each))}" for part, each in names.items())
        best = {part: name for part, each in names.items() for name in each
                if "char" in _plain(name)}  # fmt: skip
        return self._wrong_header(
            f"several columns that may be meant ({found})", "one of each", tuple(several), best
        )

    @property
    def unit(self) -> str:
        """What positions count."""
        if self.format.unit != "auto":
            return self.format.unit
        name = _plain(self.names[self.column["start"]])
        return "token" if name in _TOKENS else "char"

    def _rows(self, text: str, separator: str) -> list[tuple[int, list[str]]]:
        """Line and values of each row after the header."""
        before = csv.field_size_limit(LARGEST)
        rows: list[tuple[int, list[str]]] = []
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        line, is_header = 1, True
        try:
            for row in reader:
                if any(value.strip() for value in row):
                    if not is_header:
                        rows.append((line, row))
                    is_header = False
                line = reader.line_num + 1
        except csv.Error as error:
            self.problems.add("K241", line, str(error), "a table, with quotes in pairs")
        finally:
            csv.field_size_limit(before)
        width = len(self.names)
        for number, row in rows:
            if len(row) != width:
                found = f"{many(len(row), 'column')}"
                self.problems.add("K241", number, found, f"{width}, as in the first row")
        self.problems.check()
        return rows

    def value(self, row: Sequence[str], part: str) -> str:
        """A value of a row; empty if there is no such column."""
        return row[self.column[part]] if part in self.column else ""

    def records(self) -> Iterator[tuple[int, int, _dialect.Making]]:
        """Line, offset and entry of each document, in the order of their first rows."""
        documents: dict[str, list[tuple[int, list[str]]]] = {}
        for line, row in self.rows:
            name = self.value(row, "document").strip()
            if "document" in self.column and not name:
                self.problems.add("K241", line, "a row without a document", "the id of one")
            # Without a column of documents, each text is one; it stands in the first of its rows.
            if "document" not in self.column:
                name = self.value(row, "text") or next(reversed(documents), "")
            documents.setdefault(name, []).append((line, row))
        for name, rows in documents.items():
            yield rows[0][0], 0, partial(self._entry, name, rows)

    def _entry(
        self, name: str, rows: list[tuple[int, list[str]]], facts: Counter[str]
    ) -> Entry | None:
        entry = Entry({"id": name} if "document" in self.column else {})
        texts = {text: line for line, row in reversed(rows) if (text := self.value(row, "text"))}
        if len(texts) > 1:
            first, second = sorted(texts.values())[:2]
            raise WrongError(f"line {second}: another text than on line {first}", "one text")
        entry.record |= {"text": next(iter(texts))} if texts else {"unit": self.unit}
        if texts and self.unit == "token":
            raise WrongError("tokens and a text", "characters, if there are texts; --read text=")
        kept = self._by_annotator(rows)
        facts["other_annotators"] += len(rows) - len(kept)
        if not kept:  # the annotator has not seen the document
            return None
        for line, row in kept:
            start, end, label = (self.value(row, part).strip() for part in _NEEDED)
            if not start and not end and not label:
                continue
            try:
                mention = {"start": _number(start, "start"), "end": _number(end, "end"),
                           "label": label, "id": self.value(row, "id").strip() or None,
                           "confidence": _score(self.value(row, "confidence"))}  # fmt: skip
            except WrongError as error:  # the other rows may have problems, too
                self.problems.add("K232", line, error.found, error.expected)
                continue
            entry.add(f"line {line}", mention, self.value(row, "words") or None)
        return entry

    def _by_annotator(self, rows: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
        """The rows of the annotator who counts."""
        if "annotator" not in self.column:
            if self.format.annotator:
                raise WrongError("no column of annotators", "one called annotator")
            return rows
        who = {name for _, row in rows if (name := self.value(row, "annotator").strip())}
        if self.format.annotator:
            wanted = {self.format.annotator, ""}
            return [each for each in rows if self.value(each[1], "annotator").strip() in wanted]
        if len(who) > 1:
            first, second, *_ = sorted(who)
            raise ChoiceError(
                f"spans by {shown(first)} and {shown(second)}", "one of them: --read annotator=NAME"
            )
        return rows

    def check_words(self) -> None:
        """The column of words is not to have the texts of documents, which are longer."""
        if self.format.offsets != "auto" or "words" not in self.column or "text" in self.column:
            return
        count, longer, first = 0, 0, (0, "")
        for line, row in self.rows:
            words = self.value(row, "words")
            start, end = (_NUMBER.fullmatch(self.value(row, part)) for part in ("start", "end"))
            if not words or start is None or end is None:
                continue
            count += 1
            if int(end[1]) - int(start[1]) + 1 < len(words) and int(end[1]) <= len(words):
                longer += 1
                found = f"line {line} has {shown(words)} at {start[1]}..{end[1]}"
                first = first if first[0] else (line, found)
        if 2 * longer > count:
            self.problems.add(
                "K241", first[0], f"{longer:,} of {many(count, 'span')} much shorter than the "
                f"words of the column {shown(self.names[self.column['words']])} ({first[1]})",
                "the words of spans",
                "--read text=NAME if the column has the texts of documents (or offsets=char to "
                "take spans and words as they are)",
            )  # fmt: skip
        self.problems.check()


def _number(value: str, part: str) -> int:
    found = _NUMBER.fullmatch(value)
    if found is None:
        raise WrongError(f"{part} = {shown(value)}", "a whole number")
    return int(found[1])


def _score(value: str) -> float | None:
    if not value.strip():
        return None
    try:
        return float(value)
    except ValueError:
        raise WrongError(f"confidence = {shown(value)}", "a number") from None
