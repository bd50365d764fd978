"""spans: FairEval's span table, one span a line; blank lines end sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, BinaryIO, ClassVar

import numpy as np

from carob.corpus.corpus import Corpus
from carob.corpus.document import Span
from carob.corpus.problems import UsageError, shown
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.formats._spans import MARKS, NOWHERE, SpanReader

_ROW = re.compile(rb"[^\t]+\t *[0-9]+ *\t *[0-9]+ *\t[0-9, ]*\r?")

_LISTED = 50_000
"""How many tokens a list may have: the longest fits a line that can be read."""


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
        """Blocks of whole documents; they have neither ids nor a length.

        >>> [len(block) for block in Spans().read(Source.of_bytes(b"A\\t1\\t1\\t1\\n\\n"))]
        [1]
        """
        return SpanReader(source).blocks()

    def settled(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """How the file was read: nothing to say."""
        return {}, {}

    def library(self, source: Source, documents: Documents) -> None:
        """There are no words in a span table."""

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Write labels and tokens; texts and tokens have no place here, the rest is refused.

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
                lines.append(f"{label}\t{spans[0][0]}\t{spans[-1][1] - 1}\t{_listed(spans)}\n")
            empty = f"{MARKS[0]}\t{NOWHERE}\t{NOWHERE}\t{NOWHERE}\n"
            out.write(("".join(lines) or empty).encode() + b"\n")


def _listed(fragments: tuple[Span, ...]) -> str:
    """The tokens of a span; a long one without gaps needs no list."""
    count = sum(end - start for start, end in fragments)
    if count > _LISTED:
        if len(fragments) == 1:
            return ""
        raise UsageError(f"spans cannot hold a discontinuous mention of {count:,} tokens")
    return ", ".join(str(token) for start, end in fragments for token in range(start, end))


def _refuse(corpus: Corpus) -> None:
    """What a span table cannot hold is refused, by name."""
    mentions, documents = corpus.mentions, corpus.documents
    if corpus.unit == "char":
        raise UsageError("spans holds tokens; this corpus counts characters")
    held = {
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
    for what, there in held.items():
        if there:
            raise UsageError(f"spans cannot hold {what}")
    for code in np.unique(mentions.label).tolist():
        label = corpus.labels[code]
        wrong = label in MARKS or not label.strip() or any(sign in label for sign in "\t\n\0")
        if wrong or not _encodes(label):
            raise UsageError(f"spans cannot hold the label {shown(label)}")
    first = corpus.labels[mentions.label[0]] if len(mentions) and not mentions.doc[0] else ""
    if first.startswith("\ufeff"):
        raise UsageError(f"spans cannot begin with the label {shown(first)}")


def _encodes(label: str) -> bool:
    try:
        label.encode()
    except UnicodeEncodeError:
        return False
    return True
