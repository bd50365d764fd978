"""The places of event nuggets: spans of characters, or tokens by their ids."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from carob.arrays.hashing import PAD, hash_tokens
from carob.arrays.types import BoolArray, ByteArray, IntArray
from carob.corpus.problems import InputError, Problem, shown
from carob.corpus.source import Source
from carob.corpus.tables import Fragments
from carob.formats._numbers import gathered, merged, numbers
from carob.formats._pieces import Problems

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
                ids, tokens, digest = table(self.file(document), document)
            except InputError as error:
                problems.total += error.total
                problems.fresh += error.problems
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


def table(path: Path, document: str) -> tuple[list[str], list[str], str]:
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
