"""spans: FairEval's span table, one span a line; blank lines end sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import BinaryIO, ClassVar

import numpy as np

from carob.arrays.columns import label_codes
from carob.corpus.corpus import Corpus
from carob.corpus.document import Span, tidy
from carob.corpus.problems import Problems, UsageError, shown
from carob.corpus.source import Source
from carob.corpus.tables import Codes, Documents, Fragments, Mentions, int32
from carob.formats._text import lines

LARGEST = 2**31 - 2
"""The last position that is possible: its end still fits in 32 bits."""
EMPTY_LABELS = ("NONE", "EMPTY")
NO_TOKEN = 999
"""The token number in a row that marks a sentence without spans."""

_ROW = re.compile(rb"[^\t]+\t *[0-9]+ *\t *[0-9]+ *\t[0-9, ]*\r?")
_BLOCK = 1 << 14
"""How many documents a block has."""
_LONGEST_LIST = 50_000
"""How many tokens a list may have: the longest fits a line that can be read."""
_COLUMNS = "label, first token, last token and list of tokens, separated by tabs"
_NUMBER = f"a token number from 0 to {LARGEST}"
_MARK = f"{NO_TOKEN} in every column of a sentence without spans"


@dataclass(frozen=True, slots=True)
class Spans:
    """One span a line, in columns: label, first token, last token (inclusive), list of tokens.

    Tabs separate the columns. A blank line ends a sentence, and every sentence is a document; a
    row NONE or EMPTY with 999 stands for a sentence without spans. The list says which tokens a
    span has, so it may skip some; where it is empty, the span runs from the first to the last.
    Token numbers are kept as they are, whether the file counts from 0 or from 1. Ortmann (2022),
    "Fine-Grained Error Analysis and Fair Evaluation of Labeled Spans"; the format is that of its
    program, FairEval.

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
        rows = [row for row in head.split(b"\n") if row.strip()]
        if len(rows) > 1 and not head.endswith(b"\n"):
            rows.pop()
        good = sum(bool(_ROW.fullmatch(row)) for row in rows)
        return 0.95 if 2 * good > len(rows) else 0.0

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
            rows = []
            for row in range(low, high):
                label, spans = corpus.labels[table.label[row]], table.fragments_of(row)
                rows.append(f"{label}\t{spans[0][0]}\t{spans[-1][1] - 1}\t{_token_list(spans)}\n")
            empty = f"{EMPTY_LABELS[0]}\t{NO_TOKEN}\t{NO_TOKEN}\t{NO_TOKEN}\n"
            out.write(("".join(rows) or empty).encode() + b"\n")


def _token_list(fragments: tuple[Span, ...]) -> str:
    """The tokens of a span; a long one without gaps needs no list."""
    count = sum(end - start for start, end in fragments)
    if count > _LONGEST_LIST:
        if len(fragments) == 1:
            return ""
        raise UsageError(f"spans cannot hold a discontinuous mention of {count:,} tokens")
    return ", ".join(str(token) for start, end in fragments for token in range(start, end))


def _refuse(corpus: Corpus) -> None:
    """Refuse what a span table cannot hold, and name it."""
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
        wrong = (
            label in EMPTY_LABELS or not label.strip() or any(sign in label for sign in "\t\n\0")
        )
        if wrong or any("\ud800" <= sign <= "\udfff" for sign in label):
            raise UsageError(f"spans cannot hold the label {shown(label)}")
    first = corpus.labels[mentions.label[0]] if len(mentions) and not mentions.doc[0] else ""
    if first.startswith("\ufeff"):
        raise UsageError(f"spans cannot begin with the label {shown(first)}")


class _Reader:
    """Reads one file: rows become mentions, stretches of rows documents."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems = Problems(source.name)
        self.labels: dict[bytes, str] = {}
        self.empty_rows: list[tuple[int, str]] = []
        self.rows = 0

    def blocks(self) -> Iterator[Corpus]:
        """Whole documents, some thousand at a time; problems come at the end."""
        block, before = _Block(), -1
        for line, offset, raw in lines(self.source):
            if line != before + 1:
                self._end_sentence()
                if len(block.lines) == _BLOCK:
                    yield block.corpus()
                    block = _Block()
                block.lines.append(line)
                block.offsets.append(offset)
            before = line
            self.rows += 1
            self._add_row(raw.removesuffix(b"\r"), line, block)
        if before < 0:
            raise self.source.failure("K002", "an empty file", "at least one document")
        self._end_sentence()
        yield block.corpus()
        self.problems.check()

    def _end_sentence(self) -> None:
        for line, mark in self.empty_rows if self.rows > 1 else ():
            found = f"{mark} beside other rows of its sentence"
            self.problems.add("K407", line, found, f"{mark} alone", "a blank line ends a sentence")
        self.empty_rows, self.rows = [], 0

    def _add_row(self, row: bytes, line: int, block: _Block) -> None:
        """Add the mention of a row; a row has at most one problem."""
        fields = row.split(b"\t")
        if len(fields) not in (3, 4):
            found = f"{len(fields)} column{'s' * (len(fields) != 1)} in {shown(row)}"
            self.problems.add("K401", line, found, _COLUMNS)
            return
        items = fields[3].split(b",") if fields[3:] and fields[3].strip() else []
        first, last, *tokens = map(_number, (*fields[1:3], *items))
        if first < 0 or last < 0 or (tokens and min(tokens) < 0):
            wrong = next(field for field in (*fields[1:3], *items) if _number(field) < 0)
            self.problems.add("K402", line, f"{shown(wrong)} in {shown(row)}", _NUMBER)
            return
        tokens.sort()
        start, end = (tokens[0], tokens[-1]) if tokens else (first, last)
        if len(set(tokens)) < len(tokens):
            found = f"a token more than once in {shown(row)}"
            self.problems.add("K403", line, found, "each token of a span once")
        elif (start, end) != (first, last) or first > last:
            expected = f"tokens from {start} to {end}, as in the list"
            if not tokens:
                expected = f"a last token that is not before {first}"
            found = f"first {first} and last {last} in {shown(row)}"
            self.problems.add("K404", line, found, expected)
        elif not (label := self._label(fields[0])):
            expected = "a label in UTF-8" if fields[0].strip() else "a label in the first column"
            self.problems.add("K406", line, f"the label {shown(fields[0])}", expected)
        elif label not in EMPTY_LABELS:
            if tokens and len(tokens) < last + 1 - first:
                block.gaps[len(block.docs)] = tidy(tuple((n, n + 1) for n in tokens))
            block.docs.append(len(block.lines) - 1)
            block.labels.append(label)
            block.starts.append(first)
            block.ends.append(last + 1)
        elif first != NO_TOKEN or last != NO_TOKEN:
            self.problems.add("K405", line, shown(row), _MARK)
        else:
            self.empty_rows.append((line, label))

    def _label(self, raw: bytes) -> str:
        """The label in these bytes; empty if they are no label."""
        if raw not in self.labels:
            try:
                name = raw.decode("utf-8")
            except UnicodeDecodeError:
                name = ""
            self.labels[raw] = name if name.strip() else ""
        return self.labels[raw]


@lru_cache(1 << 14)
def _number(field: bytes) -> int:
    """The token number in a field, -1 if it has none."""
    field = field.strip(b" ")
    if not field.isdigit() or len(field) > 10:
        return -1
    value = int(field)
    return value if value <= LARGEST else -1


class _Block:
    """Documents, and the columns of their mentions; `gaps` has the fragments of those with gaps."""

    def __init__(self) -> None:
        self.lines: list[int] = []
        self.offsets: list[int] = []
        self.docs: list[int] = []
        self.labels: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.gaps: dict[int, tuple[Span, ...]] = {}

    def corpus(self) -> Corpus:
        """The block as a corpus."""
        size, label = len(self.lines), Codes.of(self.labels)
        fragments = None
        if self.gaps:
            spans = enumerate(zip(self.starts, self.ends, strict=True))
            fragments = Fragments.of_spans([self.gaps.get(row, (span,)) for row, span in spans])
        documents = Documents(
            np.full(size, -1, np.int32), np.zeros(size, np.uint64), np.zeros(size + 1, np.int64),
            np.empty(0, np.int32), np.array(self.lines, np.int64),
            np.array(self.offsets, np.int64),
        )  # fmt: skip
        mentions = Mentions(
            int32(self.docs),
            int32(self.starts),
            int32(self.ends),
            label_codes(label.codes, len(label.values)),
            fragments,
        )
        return Corpus("token", documents, mentions, label.values).ordered()
