"""spans: FairEval's span table, one span a line; blank lines end sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import BinaryIO, ClassVar

import numpy as np

from carob.arrays.hashing import PAD, hash_stretches
from carob.arrays.types import BoolArray, ByteArray, HashArray, IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.document import Span
from carob.corpus.problems import Problems, UsageError, shown
from carob.corpus.source import Source
from carob.corpus.tables import Documents, Fragments, Mentions, int32
from carob.formats._numbers import LARGEST, gathered, numbers
from carob.formats._text import pieces

MARKS = ("NONE", "EMPTY")
NOWHERE = 999
"""The token number in a row that marks a sentence without spans."""

_ROW = re.compile(rb"[^\t]+\t *[0-9]+ *\t *[0-9]+ *\t[0-9, ]*\r?")
_BLOCK = 1 << 18
_LISTED = 50_000
"""How many tokens a list may have: the longest fits a line that can be read."""
_NEWLINE, _RETURN, _TAB, _SPACE, _COMMA = b"\n\r\t ,"
_COLUMNS = "label, first token, last token and list of tokens, apart by tabs"
_NUMBER = f"a token number from 0 to {LARGEST}"
_MARK = f"{NOWHERE} in every column of a sentence without spans"


@dataclass(frozen=True, slots=True)
class Spans:
    """One span a line: label, first token, last token (inclusive), list of tokens, apart by tabs.

    A blank line ends a sentence, and every sentence is a document; a row NONE or EMPTY with 999
    stands for a sentence without spans. The list says which tokens a span has, so it may skip
    some; where it is empty, the span runs from the first to the last. Token numbers are kept as
    they are, whether the file counts from 0 or from 1. Ortmann (2022), "Fine-Grained Error
    Analysis and Fair Evaluation of Labeled Spans"; the format is that of its program, FairEval.

    >>> source = Source.of_bytes(b"PER\\t6\\t7\\t6, 7\\n\\nNONE\\t999\\t999\\t999\\n")
    >>> [document.mentions for document in Corpus.joined(Spans().read(source))]
    [(Mention('PER', 6, 8),), ()]
    """

    name: ClassVar[str] = "spans"
    extensions: ClassVar[tuple[str, ...]] = (".spans",)
    holds: ClassVar[frozenset[str]] = frozenset({
        "overlaps", "crossing", "discontinuous", "across sentences", "units:token",
    })  # fmt: skip

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we that each line is a label, two numbers and a list of numbers?

        >>> Spans.sniff(b"PER\\t6\\t7\\t6, 7\\n"), Spans.sniff(b"Ann B-PER\\n")
        (0.95, 0.0)
        """
        lines = [line for line in head.split(b"\n") if line.strip()]
        if len(lines) > 1 and not head.endswith(b"\n"):
            lines.pop()
        rows = sum(bool(_ROW.fullmatch(line)) for line in lines)
        return 0.95 if 2 * rows > len(lines) else 0.0

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of whole documents; they have no ids, no words and no length.

        >>> [len(block) for block in Spans().read(Source.of_bytes(b"A\\t1\\t1\\t1\\n\\n"))]
        [1]
        """
        return _Reader(source).blocks()

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Write labels and tokens; words are left out, anything else is refused.

        >>> import io
        >>> out = io.BytesIO()
        >>> Spans().write(Corpus.of("[Ann Lee]PER slept", "It rained"), out)
        >>> out.getvalue()
        b'PER\\t0\\t1\\t0, 1\\n\\nNONE\\t999\\t999\\t999\\n\\n'
        """
        _refuse(corpus)
        table = corpus.mentions
        bounds = np.searchsorted(table.doc, np.arange(len(corpus) + 1)).tolist()
        for low, high in pairwise(bounds):
            lines = []
            for row in range(low, high):
                label, spans = corpus.labels[table.label[row]], table.fragments_of(row)
                lines.append(f"{label}\t{spans[0][0]}\t{spans[-1][1] - 1}\t{_token_list(spans)}\n")
            empty = f"{MARKS[0]}\t{NOWHERE}\t{NOWHERE}\t{NOWHERE}\n"
            out.write(("".join(lines) or empty).encode() + b"\n")


def _token_list(fragments: tuple[Span, ...]) -> str:
    """The tokens of a span; a long one without gaps needs no list."""
    count = sum(end - start for start, end in fragments)
    if count > _LISTED:
        if len(fragments) == 1:
            return ""
        raise UsageError(f"spans cannot hold a discontinuous mention of {count:,} tokens")
    return ", ".join(str(token) for start, end in fragments for token in range(start, end))


def _refuse(corpus: Corpus) -> None:
    """Refuse what a span table cannot hold, by name."""
    mentions, documents = corpus.mentions, corpus.documents
    if corpus.unit == "char":
        raise UsageError("spans holds tokens; this corpus counts characters")
    parts = {
        "ids of documents": documents.id is not None,
        "attributes of documents": bool(documents.attributes),
        "attributes of mentions": bool(mentions.attributes),
        "ids of mentions": mentions.id is not None,
        "confidences": mentions.confidence is not None,
        "relations": len(corpus.relations) > 0,
        "clusters": len(corpus.clusters) > 0,
        "templates": len(corpus.templates) > 0,
        "further fields of documents": any(set(e) - {"token_spans"} for e in corpus.extra.values()),
    }
    for what, present in parts.items():
        if present:
            raise UsageError(f"spans cannot hold {what}")
    for code in np.unique(mentions.label).tolist():
        label = corpus.labels[code]
        wrong = label in MARKS or not label.strip() or any(sign in label for sign in "\t\n\0")
        if wrong or any("\ud800" <= sign <= "\udfff" for sign in label):
            raise UsageError(f"spans cannot hold the label {shown(label)}")
    first = corpus.labels[mentions.label[0]] if len(mentions) and not mentions.doc[0] else ""
    if first.startswith("\ufeff"):
        raise UsageError(f"spans cannot begin with the label {shown(first)}")


class _Reader:
    """Reads one file in bulk: from pieces of lines to blocks of whole documents."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems = Problems(source.name)
        self.rows = self.docs = self.emitted = 0
        self.in_sentence = False
        self.codes: dict[bytes, int] = {}
        self.labels: list[str] = []
        self.mentions: list[Mentions] = []
        self.doc_line: list[IntArray] = []
        self.doc_offset: list[IntArray] = []
        self.row_doc: list[IntArray] = []
        self.marks: list[tuple[IntArray, IntArray, IntArray]] = []

    def blocks(self) -> Iterator[Corpus]:
        """Whole documents, a few hundred thousand rows at a time; problems come at the end."""
        for data, line, offset in pieces(self.source):
            self._take(data, line, offset)
            if self.rows >= _BLOCK and self.docs - 1 > self.emitted:
                yield self._emit(self.docs - 1)
        if not self.docs:
            raise self.source.failure("K002", "an empty file", "at least one document")
        yield self._emit(self.docs)
        self.problems.check()

    def _take(self, data: bytes, line: int, offset: int) -> None:
        """Split a piece into rows, and the rows into documents."""
        buffer = np.frombuffer(data.removesuffix(b"\n") + b"\n" + bytes(PAD), np.uint8)
        breaks = np.flatnonzero(buffer[:-PAD] == _NEWLINE)
        low = np.concatenate([[0], breaks[:-1] + 1])
        high = breaks - ((breaks > low) & (buffer[breaks - 1] == _RETURN))
        filled = np.flatnonzero(~_blank(buffer, low, high))
        fresh = np.ones(len(filled), bool)
        fresh[1:] = np.diff(filled) > 1
        if len(filled):
            fresh[0] = not (self.in_sentence and filled[0] == 0)
        self.in_sentence = bool(len(filled)) and filled[-1] == len(breaks) - 1
        doc = self.docs - 1 + np.cumsum(fresh)
        self.docs += int(fresh.sum())
        self.doc_line.append(filled[fresh] + line)
        self.doc_offset.append(low[filled[fresh]] + offset)
        self.row_doc.append(doc)
        self.rows += len(doc)
        self._parse(buffer, low[filled], high[filled], doc, filled + line)

    def _parse(
        self, buffer: ByteArray, low: IntArray, high: IntArray, doc: IntArray, line: IntArray
    ) -> None:
        """Make mentions of rows; a row with wrong columns, or numbers that disagree, is a problem.

        A row has at most one problem: each check looks only at the rows that passed those before.
        """
        tabs = np.flatnonzero(buffer == _TAB)
        at = np.searchsorted(tabs, low)
        width = np.searchsorted(tabs, high) - at + 1

        def text(row: int) -> str:
            return shown(buffer[low[row] : high[row]].tobytes())

        good = (width == 4) | (width == 3)
        self.problems.each(np.flatnonzero(~good), lambda row: (
            "K401", int(line[row]),
            f"{width[row]} column{'s' if width[row] != 1 else ''} in {text(row)}", _COLUMNS,
        ))  # fmt: skip
        ends = np.append(tabs, [len(buffer) - 1] * 3)
        one, two, three = (np.where(good, ends[at + i], low) for i in range(3))
        three = np.where(width == 4, three, high)
        first, first_good = numbers(buffer, np.where(good, one + 1, low), two)
        last, last_good = numbers(buffer, np.where(good, two + 1, low), three)
        listed, spans, list_good, twice = _lists(buffer, three + 1, high, good & (width == 4))

        def wrong_number(row: int) -> str:
            fields = buffer[low[row] : high[row]].tobytes().split(b"\t")
            every = [*fields[1:3], *(fields[3].split(b",") if listed[row] else [])]
            return shown(next(field for field in every if not _is_number(field)))

        fine = good & first_good & last_good & list_good
        self.problems.each(np.flatnonzero(good & ~fine), lambda row: (
            "K402", int(line[row]), f"{wrong_number(row)} in {text(row)}", _NUMBER,
        ))  # fmt: skip
        starts, stops = first.copy(), last + 1
        some = np.flatnonzero(np.diff(spans.offsets))
        starts[some] = spans.start[spans.offsets[some]]
        stops[some] = spans.end[spans.offsets[some + 1] - 1]
        self.problems.each(np.flatnonzero(fine & twice), lambda row: (
            "K403", int(line[row]), f"a token more than once in {text(row)}",
            "each token of a span once",
        ))  # fmt: skip
        fine &= ~twice
        agree = (starts == first) & (stops == last + 1) & (first <= last)
        self.problems.each(np.flatnonzero(fine & ~agree), lambda row: (
            "K404", int(line[row]), f"first {first[row]} and last {last[row]} in {text(row)}",
            f"tokens from {starts[row]} to {stops[row] - 1}, as in the list" if listed[row]
            else f"a last token that is not before {first[row]}",
        ))  # fmt: skip
        kept = np.flatnonzero(fine & agree)
        code = self._label_codes(buffer, low[kept], one[kept], line[kept])
        kept, code = kept[code >= 0], code[code >= 0]
        marked = np.isin(code, [self.codes.get(mark.encode(), -1) for mark in MARKS])
        marks = kept[marked]
        odd = marks[(first[marks] != NOWHERE) | (last[marks] != NOWHERE)]
        self.problems.each(odd, lambda row: ("K405", int(line[row]), text(row), _MARK))
        self.marks.append((doc[marks], line[marks], code[marked]))
        kept, code = kept[~marked], code[~marked]
        self.mentions.append(
            _mentions(doc[kept], first[kept], last[kept], code, spans.take(kept), listed[kept])
        )

    def _label_codes(
        self, buffer: ByteArray, start: IntArray, end: IntArray, line: IntArray
    ) -> IntArray:
        """The number of each label, by first occurrence; -1 where it is none."""
        keys: HashArray = hash_stretches(buffer, start, end)
        keys[start == end] = 0
        different, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        codes = np.empty(len(different), np.int64)
        for place in np.argsort(first, kind="stable").tolist():
            row = int(first[place])
            raw = buffer[start[row] : end[row]].tobytes()
            if raw not in self.codes:
                self.codes[raw] = self._learn(raw)
            codes[place] = self.codes[raw]

        def describe(row: int) -> tuple[str, int, str, str]:
            raw = buffer[start[row] : end[row]].tobytes()
            expected = "a label in UTF-8" if raw.strip() else "a label in the first column"
            return "K406", int(line[row]), f"the label {shown(raw)}", expected

        code = codes[inverse]
        self.problems.each(np.flatnonzero(code < 0), describe)
        return code

    def _learn(self, raw: bytes) -> int:
        try:
            name = raw.decode("utf-8")
        except UnicodeDecodeError:
            return -1
        if not name.strip():
            return -1
        self.labels.append(name)
        return len(self.labels) - 1

    def _emit(self, stop: int) -> Corpus:
        """The documents before `stop`, as a block; the others stay."""
        low, size = self.emitted, stop - self.emitted
        line, offset, doc = (
            np.concatenate(each) for each in (self.doc_line, self.doc_offset, self.row_doc)
        )
        rows = np.bincount(doc[doc < stop] - low, minlength=size)
        mark, at, code = (np.concatenate(each) for each in zip(*self.marks, strict=True))
        closed = mark < stop
        crowded = np.flatnonzero(closed)[rows[mark[closed] - low] > 1]
        self.problems.each(crowded, lambda row: (
            "K407", int(at[row]), f"{self.labels[code[row]]} beside other rows of its sentence",
            f"{self.labels[code[row]]} alone", "a blank line ends a sentence",
        ))  # fmt: skip
        table = Mentions.joined(self.mentions)
        here = table.doc < stop
        mentions = table.take(np.flatnonzero(here))
        used = sorted({self.labels[code] for code in np.unique(mentions.label).tolist()})
        place = {name: i for i, name in enumerate(used)}
        moved = int32([place.get(name, -1) for name in self.labels] or [-1])
        block = Corpus(
            "token",
            Documents(
                np.full(size, -1, np.int32), np.zeros(size, np.uint64),
                np.zeros(size + 1, np.int64), np.empty(0, np.int32), line[:size], offset[:size],
            ),
            Mentions(
                int32(mentions.doc - low), int32(mentions.start), int32(mentions.end),
                moved[mentions.label], mentions.fragments,
            ),
            tuple(used),
        )  # fmt: skip
        self.mentions = [table.take(np.flatnonzero(~here))]
        self.doc_line, self.doc_offset = [line[size:].copy()], [offset[size:].copy()]
        self.row_doc = [doc[doc >= stop]]
        self.marks = [(mark[~closed], at[~closed], code[~closed])]
        self.rows, self.emitted = len(self.row_doc[0]), stop
        return block.ordered()


def _is_number(field: bytes) -> bool:
    field = field.strip(b" ")
    return field.isdigit() and len(field) <= 10 and int(field) <= LARGEST


def _blank(buffer: ByteArray, low: IntArray, high: IntArray) -> BoolArray:
    """Which stretches hold nothing but spaces, tabs and carriage returns."""
    white = (buffer == _SPACE) | (buffer == _TAB) | (buffer == _RETURN)
    others = np.concatenate([[0], np.cumsum(~white)])
    blank: BoolArray = (low >= high) | (others[low] == others[high])
    return blank


def _lists(
    buffer: ByteArray, start: IntArray, end: IntArray, present: BoolArray
) -> tuple[BoolArray, Fragments, BoolArray, BoolArray]:
    """Which rows have a list; its fragments; whether it is all numbers; whether one is repeated."""
    rows = len(start)
    start, end = np.where(present, start, 0), np.where(present, end, 0)
    listed = present & ~_blank(buffer, start, end)
    index = np.flatnonzero(listed)
    commas = np.flatnonzero(buffer == _COMMA)
    low, high = np.searchsorted(commas, start[index]), np.searchsorted(commas, end[index])
    counts = high - low + 1
    row = np.repeat(index, counts)
    opens = np.cumsum(counts) - counts
    inner = np.arange(len(row)) - np.repeat(opens, counts) + np.repeat(low, counts)
    begin, stop = np.empty(len(row), np.int64), np.empty(len(row), np.int64)
    is_last = np.zeros(len(row), bool)
    is_last[opens + counts - 1] = True
    stop[~is_last] = commas[inner[~is_last]]
    stop[is_last] = end[index]
    begin[1:] = stop[:-1] + 1
    begin[opens] = start[index]
    value, good = numbers(buffer, begin, stop)
    all_numbers = np.ones(rows, bool)
    all_numbers[row[~good]] = False
    kept = all_numbers[row]
    fragments, twice = gathered(row[kept], value[kept], rows)
    return listed, fragments, all_numbers, twice


def _mentions(
    doc: IntArray, first: IntArray, last: IntArray, code: IntArray, spans: Fragments,
    listed: BoolArray,
) -> Mentions:  # fmt: skip
    """Mentions from lists, and from the first and last token where there is no list."""
    counts = np.diff(spans.offsets)
    if not np.any(counts > 1):
        return Mentions(doc, first, last + 1, code)
    counts = np.where(listed, counts, 1)
    start, end = np.repeat(first, counts), np.repeat(last + 1, counts)
    from_list = np.repeat(listed, counts)
    start[from_list], end[from_list] = spans.start, spans.end
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return Mentions(doc, first, last + 1, code, Fragments(offsets, start, end))
