"""Files that a recipe names: token weights and invisible positions.

A file is read once. Signatures name it with its hash; such a path must have just that content.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from carob.arrays.ranges import rows_of
from carob.arrays.types import FloatArray, IntArray
from carob.corpus.problems import SHOWN, InputError, Problem, RecipeError, shown
from carob.corpus.source import Source
from carob.corpus.tables import Documents, Fragments, Mentions

_SIGNED = re.compile(r"(?P<path>.*)#sha256=(?P<hash>[0-9a-f]{8})", re.S)
_WEIGHT = re.compile(rb"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_SPAN = re.compile(rb"([^\t]+)\t *([0-9]{1,10}) *\t *([0-9]{1,10}) *\r?")

HEAVIEST = 1_000_000
"""The largest weight of a token or separator. With larger ones, sums would lose digits."""


def _read(parameter: str, text: str, what: str) -> tuple[Source, bytes]:
    """The file that a parameter names, and its content."""
    match = _SIGNED.fullmatch(text)
    path = match["path"] if match else text
    if path in ("", "-"):
        raise RecipeError(f"{parameter}: found {shown(path)}, expected a file")
    source = Source(path)
    data = source.content()
    if match and not source.sha256.startswith(match["hash"]):
        raise source.failure(
            "K903", f"sha256={source.sha256[:8]}", f"sha256={match['hash']}, {what}"
        )
    return source, data


def _signed(path: str, sha256: str) -> str:
    """The path with the hash, for signatures.

    >>> _signed("weights.txt", "0123456789abcdef")
    'weights.txt#sha256=01234567'
    """
    return f"{path}#sha256={sha256[:8]}"


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each token of gold, in the order of the gold file: one number a line."""

    path: str
    sha256: str
    values: FloatArray = field(repr=False, compare=False)

    @classmethod
    def of(cls, text: str) -> Weights:
        """The weights in the file that the parameter `token_weights` names."""
        source, data = _read("token_weights", text, "the token weights that were used")
        return cls(source.path, source.sha256, _numbers(source, data))

    @property
    def signed(self) -> str:
        """The path with the hash, for signatures."""
        return _signed(self.path, self.sha256)

    def for_tokens(self, count: int) -> FloatArray:
        """The weights, if there are just as many as there are tokens."""
        size = len(self.values)
        if size == count:
            return self.values
        line = min(size, count) + 1
        found, expected = "the end of the file", f"the weight of token {line:,}"
        if size > count:
            found, expected = expected, found
        hint = f"gold has {count:,} tokens in all its documents together"
        raise InputError([Problem("K802", self.path, line, found, expected, hint)])


def _numbers(source: Source, data: bytes) -> FloatArray:
    """One number a line. Python's `float` is fast, but takes a few words more than are meant."""
    lines = data.splitlines()
    try:
        values = np.array(list(map(float, lines)), np.float64)
        if b"_" not in data and bool(((values >= 0) & (values <= HEAVIEST)).all()):
            return values
    except ValueError:
        pass
    wrong = [
        row for row, line in enumerate(lines)
        if not (_WEIGHT.fullmatch(line) and 0 <= float(line) <= HEAVIEST)
    ]  # fmt: skip
    expected = f"the weight of a token, a number from 0 to {HEAVIEST:,}"
    problems = [Problem("K801", source.name, row + 1, shown(lines[row]), expected) for row in wrong]
    raise InputError(problems[:SHOWN], len(problems))


@dataclass(frozen=True, slots=True)
class Invisible:
    """Spans that a file makes invisible: document, start, end, and the line of the file."""

    path: str
    sha256: str
    spans: Sequence[tuple[str, int, int, int]] = field(repr=False, compare=False)

    @classmethod
    def of(cls, text: str) -> Invisible:
        """The spans in the file that the parameter `invisible` names."""
        source, data = _read("invisible", text, "the invisible positions that were used")
        spans, problems = [], []
        for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
            if not line.strip():
                continue
            match = _SPAN.fullmatch(line)
            try:
                name, start, end = (match[1].decode(), int(match[2]), int(match[3]))  # type: ignore[index]
            except (TypeError, UnicodeDecodeError):
                found, expected = shown(line), "a document, a start and an end, separated by tabs"
                problems.append(Problem("K811", source.name, number, found, expected))
                continue
            if start < end < 2**31:
                spans.append((name, start, end, number))
            else:
                found = f"the span {start}..{end}"
                expected = "a start before its end, which is exclusive"
                problems.append(Problem("K811", source.name, number, found, expected))
        if problems:
            raise InputError(problems[:SHOWN], len(problems))
        return cls(source.path, source.sha256, spans)

    @property
    def signed(self) -> str:
        """The path with the hash, for signatures."""
        return _signed(self.path, self.sha256)

    def removed_from(self, tables: Sequence[Mentions], documents: Documents) -> list[Mentions]:
        """The mentions without what is invisible, row for row; some may have nothing left.

        The visible positions move together, so that what two mentions share stays what it is.
        """
        width = np.int64(max(int(table.end.max(initial=0)) for table in tables) + 1)
        hidden = self._positions(documents, width)
        return [_squeezed(table, hidden, width) for table in tables]

    def _positions(self, documents: Documents, width: np.int64) -> IntArray:
        """The invisible positions on a line on which every document has this width, sorted."""
        row = {documents.name(i): i for i in range(len(documents))}
        problems = []
        for name, _, last, line in self.spans:
            if name not in row:
                found, expected = f"the document {shown(name)}", "a document that gold has"
            elif 0 <= (length := int(documents.length[row[name]])) < last:
                found, expected = f"an end at {last}", f"one within the {length} positions"
            else:
                continue
            problems.append(Problem("K812", self.path, line, found, expected))
        if problems:
            raise InputError(problems[:SHOWN], len(problems))
        columns = [(row[name], start, end) for name, start, end, _ in self.spans]
        doc, start, end = np.array(columns, np.int64).reshape(-1, 3).T
        # No mention reaches beyond the width, so what is hidden there does not matter.
        start, end = doc * width + np.minimum(start, width), doc * width + np.minimum(end, width)
        return np.unique(rows_of(start, np.maximum(end - start, 0)))


def _squeezed(table: Mentions, hidden: IntArray, width: np.int64) -> Mentions:
    """The mentions, each position moved to the left by the hidden positions before it."""
    pieces = table.pieces()
    mention = np.repeat(np.arange(len(table)), np.diff(pieces.offsets))
    base = table.doc[mention] * width
    start, end = (
        place - (np.searchsorted(hidden, base + place) - np.searchsorted(hidden, base))
        for place in (pieces.start, pieces.end)
    )
    visible = end > start
    counts = np.bincount(mention[visible], minlength=len(table))
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return replace(table, fragments=Fragments(offsets, start[visible], end[visible]))
