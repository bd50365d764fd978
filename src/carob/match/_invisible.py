"""Invisible positions: a file with what no mention is credited for, as if it were not there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from carob.arrays.types import IntArray
from carob.corpus.problems import SHOWN, InputError, Problem, shown
from carob.corpus.source import Source
from carob.corpus.tables import Documents, Fragments, Mentions
from carob.match._sealed import sealed, unsealed

_LINE = re.compile(rb"([^\t]+)\t *([0-9]{1,10}) *\t *([0-9]{1,10}) *\r?")
_EXPECTED = "a document, a start and an end, separated by tabs"


@dataclass(frozen=True, slots=True)
class Invisible:
    """Spans that a file makes invisible, each with its document and line."""

    path: str
    sha256: str
    spans: Sequence[tuple[str, int, int, int]] = field(repr=False, compare=False)

    @classmethod
    def of(cls, text: str) -> Invisible:
        """From a path; one that ends in #sha256=… must have just that content."""
        source, data = unsealed("invisible", text, "the invisible positions that were used")
        return cls(source.path, source.sha256, _spans(source, data))

    @property
    def sealed(self) -> str:
        """The path with the hash, for signatures."""
        return sealed(self.path, self.sha256)

    def removed_from(self, tables: Sequence[Mentions], documents: Documents) -> list[Mentions]:
        """The mentions without what is invisible, row for row; some may have nothing left.

        The visible positions move together, so that what two mentions share stays what it is.
        """
        doc, start, end = self._placed(documents)
        ends = [table.end for table in tables]
        width = np.int64(max(int(each.max(initial=0)) for each in (*ends, end)) + 1)
        hidden = _Hidden.of(doc * width + start, doc * width + end)
        return [_squeezed(table, hidden, width) for table in tables]

    def _placed(self, documents: Documents) -> tuple[IntArray, IntArray, IntArray]:
        row = {documents.name(i): i for i in range(len(documents))}
        problems = []
        for name, _, end, line in self.spans:
            if name not in row:
                found, expected = f"the document {shown(name)}", "a document that gold has"
            elif 0 <= (length := int(documents.length[row[name]])) < end:
                found, expected = f"an end at {end}", f"one within the {length} positions"
            else:
                continue
            problems.append(Problem("K812", self.path, line, found, expected))
        if problems:
            raise InputError(problems[:SHOWN], len(problems))
        columns = [(row[name], start, end) for name, start, end, _ in self.spans]
        found_ = np.array(columns, np.int64).reshape(-1, 3)
        return found_[:, 0], found_[:, 1], found_[:, 2]


@dataclass(frozen=True, slots=True)
class _Hidden:
    """Stretches of a line that do not overlap, and how much all before each of them hide."""

    start: IntArray
    end: IntArray
    before: IntArray

    @classmethod
    def of(cls, start: IntArray, end: IntArray) -> _Hidden:
        order = np.argsort(start, kind="stable")
        start, end = start[order], np.maximum.accumulate(end[order])
        # What lies within an earlier stretch begins where that one ends, and hides what is left.
        start = np.maximum(start, np.append(start[:1], end[:-1]))
        before = np.concatenate([[0], np.cumsum(end - start)])
        return cls(start, end, before)

    def until(self, place: IntArray) -> IntArray:
        """How many hidden positions come before each place."""
        k = np.searchsorted(self.start, place, "left")
        last = np.append(self.end, 0)[k - 1] if len(self.end) else np.zeros_like(place)
        return self.before[k] - np.where(k > 0, np.maximum(last - place, 0), 0)


def _squeezed(table: Mentions, hidden: _Hidden, width: np.int64) -> Mentions:
    pieces = table.pieces()
    mention = np.repeat(np.arange(len(table)), np.diff(pieces.offsets))
    base = table.doc[mention].astype(np.int64) * width
    ahead = hidden.until(base)
    start, end = (
        place - hidden.until(base + place) + ahead
        for place in (pieces.start.astype(np.int64), pieces.end.astype(np.int64))
    )
    there = end > start
    counts = np.bincount(mention[there], minlength=len(table))
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return replace(table, fragments=Fragments(offsets, start[there], end[there]))


def _spans(source: Source, data: bytes) -> list[tuple[str, int, int, int]]:
    found, problems = [], []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        match = _LINE.fullmatch(line)
        try:
            name = match[1].decode("utf-8") if match else ""
        except UnicodeDecodeError:
            match = None
        if match is None:
            problems.append(Problem("K811", source.name, number, shown(line), _EXPECTED))
        elif not int(match[2]) < int(match[3]) < 2**31:
            told = f"the span {int(match[2])}..{int(match[3])}"
            expected = "a start before its end, which is exclusive"
            problems.append(Problem("K811", source.name, number, told, expected))
        else:
            found.append((name, int(match[2]), int(match[3]), number))
    if problems:
        raise InputError(problems[:SHOWN], len(problems))
    return found
