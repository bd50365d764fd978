"""From characters to tokens: the tokens of each document, and mentions moved onto them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from carob.arrays.types import IntArray
from carob.arrays.words import CUTTERS, cut
from carob.corpus.corpus import Corpus
from carob.corpus.document import Span
from carob.corpus.problems import InputError, Problem, UsageError, nearest, shown
from carob.corpus.tables import UNKNOWN, Documents, Fragments, Mentions, int32

TOKENIZERS = ("given", *CUTTERS)
_BATCH = 1 << 20
"""About how many characters are cut at a time."""


@dataclass(frozen=True, slots=True)
class Borders:
    """The tokens of all documents, in characters: those of document i lie between its offsets."""

    offsets: IntArray
    start: IntArray
    end: IntArray

    def snapped(self, table: Mentions) -> tuple[Mentions, int]:
        """The same mentions in tokens, row for row, and how many were not at token boundaries.

        A fragment covers every token that it touches. If it touches none, such as white space, it
        is dropped if the mention has other fragments; otherwise it covers the next token (or the
        last).
        """
        pieces = table.pieces()
        row = np.repeat(np.arange(len(table)), np.diff(pieces.offsets))
        doc = table.doc[row].astype(np.int64)
        first, count = self.offsets[doc], np.diff(self.offsets)[doc]
        low, high = self._touched(doc, pieces.start, pieces.end)
        low, high = np.minimum(low - first, count), np.minimum(high - first, count)
        empty = high <= low
        full = np.flatnonzero(~empty)
        exact = np.zeros(len(row), bool)
        exact[full] = self.start[(first + low)[full]] == pieces.start[full]
        exact[full] &= self.end[(first + high)[full] - 1] == pieces.end[full]
        moved = np.bincount(row, ~exact, len(table)) > 0
        alone = np.bincount(row, ~empty, len(table)) == 0
        opening = np.concatenate([[True], row[1:] != row[:-1]]) if len(row) else empty
        lonely = alone[row] & opening
        low = np.where(lonely, np.minimum(low, count - 1), low)
        high = np.where(lonely, low + 1, high)
        keep = ~empty | lonely
        return _rejoined(table, row[keep], low[keep], high[keep]), int(np.count_nonzero(moved))

    def _touched(self, doc: IntArray, start: IntArray, end: IntArray) -> tuple[IntArray, IntArray]:
        """The first token that ends after `start`, and the first that begins at `end` or later."""
        here = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        width = 1 + max(int(self.end.max(initial=0)), int(end.max(initial=0)))
        low = np.searchsorted(here * width + self.end, doc * width + start, side="right")
        high = np.searchsorted(here * width + self.start, doc * width + end, side="left")
        return np.maximum(low, self.offsets[doc]), np.maximum(high, self.offsets[doc])

    def documents(self, table: Documents) -> Documents:
        """The documents, counted in tokens."""
        doc = np.repeat(np.arange(len(table)), np.diff(table.sentence_offsets))
        start = table.sentence_start.astype(np.int64)
        sentence, _ = self._touched(doc, start, start)
        sentence = np.minimum(sentence - self.offsets[doc], np.diff(self.offsets)[doc])
        return replace(table, length=int32(np.diff(self.offsets)), sentence_start=int32(sentence))


def _rejoined(table: Mentions, row: IntArray, low: IntArray, high: IntArray) -> Mentions:
    """Mentions from fragments in order; fragments that are now adjacent are merged."""
    fresh = np.ones(len(row), bool)
    fresh[1:] = (row[1:] != row[:-1]) | (low[1:] > high[:-1])
    first = np.flatnonzero(fresh)
    last = np.append(first[1:], len(row)) - 1 if len(row) else first
    row, low, high = row[first], int32(low[first]), int32(high[last])
    offsets = np.searchsorted(row, np.arange(len(table) + 1))
    return replace(
        table,
        start=low[offsets[:-1]],
        end=high[offsets[1:] - 1],
        fragments=None if len(row) == len(table) else Fragments(offsets, low, high),
    )


class Tokens:
    """How documents are cut into tokens; each corpus is cut only once.

    `given` takes the tokens that the documents of gold have, and `words` for a document without
    any; `auto` is `given` if the first document of gold has tokens, otherwise `words`. The tokens
    of a
    system never decide, so that all systems are counted in the same units.
    """

    def __init__(self, tokenizer: str = "auto") -> None:
        if tokenizer not in ("auto", *TOKENIZERS):
            there = nearest(tokenizer, TOKENIZERS)
            raise UsageError(f"no tokenizer is called {tokenizer!r}{there}")
        self.tokenizer = tokenizer
        self._known: dict[tuple[int, str], tuple[Corpus, Borders]] = {}

    def settled(self, gold: Corpus, system: Corpus) -> str:
        """The tokenizer that these corpora are cut with."""
        if self.tokenizer != "auto":
            return self.tokenizer
        return "given" if len(gold) and _given(gold, 0) is not None else "words"

    def borders(self, gold: Corpus, system: Corpus, place: IntArray) -> Borders:
        """The tokens of gold's documents; `place` maps system documents to gold's."""
        how = self.settled(gold, system)
        key = (id(gold), how)
        if key not in self._known:
            sides = {int(ours): theirs for theirs, ours in enumerate(place) if ours != UNKNOWN}
            found, only_gold = _cut(gold, system, sides, how)
            if not only_gold:
                return found
            self._known[key] = (gold, found)
        return self._known[key][1]


def _given(corpus: Corpus, row: int) -> tuple[Span, ...] | None:
    """A document's own tokens."""
    if row >= len(corpus):
        return None
    spans = corpus.extra.get(row, {}).get("token_spans")
    if spans is not None:
        found: tuple[Span, ...] = tuple(spans)
        return found
    text, tokens = corpus.library.words(row) if corpus.library else (None, None)
    if text is None or tokens is None:
        return None
    starts, ends = found_in(corpus, row, tokens, text)
    return tuple(zip(starts, ends, strict=True))


def _text(corpus: Corpus, row: int) -> str | None:
    return corpus.library.words(row)[0] if corpus.library else None


def _cut(gold: Corpus, system: Corpus, sides: dict[int, int], how: str) -> tuple[Borders, bool]:
    """The tokens of every document, and whether they depend on gold alone."""
    own: dict[int, tuple[Span, ...]] = {}
    only_gold = True
    if how == "given":
        for row in range(len(gold)):
            spans = _given(gold, row)
            if spans is not None:
                own[row] = _checked(gold, row, spans)
        if not own and len(gold):
            raise UsageError(
                "these documents have no tokens of their own; say --tokenizer words or whitespace"
            )
    parts: list[tuple[IntArray, IntArray, IntArray]] = []
    batch: list[str] = []
    size = 0
    for row in range(len(gold)):
        if row not in own:
            text = _text(gold, row)
            if text is None and row in sides:
                text, only_gold = _text(system, sides[row]), False
            if text is None:
                raise UsageError(
                    f"this event space counts tokens, these corpora count characters, and document "
                    f"{shown(gold.documents.name(row))} has no text to find tokens in"
                )
            batch.append(text)
            size += len(text)
        if row in own or size >= _BATCH or row == len(gold) - 1:
            if batch:
                parts.append(_whole(batch, how))
            batch, size = [], 0
        if row in own:
            spans = own[row]
            parts.append((np.array([0, len(spans)]), np.array([a for a, _ in spans], np.int64),
                          np.array([b for _, b in spans], np.int64)))  # fmt: skip
    counts = [np.diff(offsets) for offsets, _, _ in parts]
    nothing = np.empty(0, np.int64)
    return Borders(
        np.cumsum(np.concatenate([[0], *counts])),
        np.concatenate([nothing, *(start for _, start, _ in parts)]),
        np.concatenate([nothing, *(end for _, _, end in parts)]),
    ), only_gold


def _whole(texts: list[str], how: str) -> tuple[IntArray, IntArray, IntArray]:
    """The tokens of some texts; a text of only white space is one token."""
    offsets, start, end = cut(texts, "words" if how == "given" else how)
    blank = np.flatnonzero((np.diff(offsets) == 0) & np.array([len(t) > 0 for t in texts]))
    if blank.size:
        start = np.insert(start, offsets[blank], 0)
        end = np.insert(end, offsets[blank], [len(texts[row]) for row in blank.tolist()])
        offsets = offsets + np.searchsorted(blank, np.arange(len(offsets)))
    return offsets, start, end


def _checked(corpus: Corpus, row: int, spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Check that tokens are in order and leave out only white space."""
    text = _text(corpus, row)
    before = 0
    for start, end in (*spans, (len(text or ""), len(text or "") + 1)):
        wrong = start < before if text is None else not before <= start
        if start >= end or wrong or (text is not None and text[before:start].strip()):
            file = corpus.origin.path if corpus.origin else "gold"
            left = "" if text is None else text[before:start].strip()
            found = f"tokens that leave out {shown(left)}" if left else f"the token {start}..{end}"
            expected = "tokens that follow one another and cover the text"
            line = int(corpus.documents.line[row])
            raise InputError([Problem("K307", file, line, found, expected)])
        before = end
        if text is None and end == spans[-1][1]:
            break
    return spans


def in_characters(gold: Corpus, system: Corpus) -> tuple[Corpus, Corpus]:
    """Both corpora in characters; tokens are found in order in the other side's text."""
    if gold.unit == "char":
        return gold, _moved(system, gold, "system")
    return _moved(gold, system, "gold"), system


def _moved(tokens: Corpus, chars: Corpus, side: str) -> Corpus:
    pairs = _rows(tokens, chars)
    starts: list[int] = []
    ends: list[int] = []
    first = [0]
    extra = dict(tokens.extra)
    for row in range(len(tokens)):
        if row in pairs:
            found = _found(tokens, chars, row, pairs[row], side)
        else:  # there is no text to search: count every token as one character
            places = range(0, 2 * int(tokens.documents.length[row]), 2)
            found = list(places), [place + 1 for place in places]
        starts += found[0]
        ends += found[1]
        first.append(len(starts))
        spans = tuple(zip(*found, strict=True))
        extra[row] = {**extra.get(row, {}), "token_spans": spans}
    begin, end = np.array(starts, np.int32), np.array(ends, np.int32)
    base = np.array(first[:-1])
    table = tokens.mentions
    pieces = table.pieces()
    doc = np.repeat(table.doc, np.diff(pieces.offsets))
    moved = Fragments(
        pieces.offsets, begin[base[doc] + pieces.start], end[base[doc] + pieces.end - 1]
    )
    mentions = replace(
        table,
        start=moved.start[moved.offsets[:-1]],
        end=moved.end[moved.offsets[1:] - 1],
        fragments=None if table.fragments is None else moved,
    )
    documents = replace(
        tokens.documents,
        length=np.full(len(tokens), -1, np.int32),
        hash=np.zeros(len(tokens), np.uint64),
        sentence_offsets=np.zeros(len(tokens) + 1, np.int64),
        sentence_start=np.empty(0, np.int32),
    )
    if side == "gold":
        rows: IntArray = np.array([pairs.get(row, -1) for row in range(len(tokens))])
        lengths = np.append(chars.documents.length, -1)
        documents = replace(documents, length=lengths[rows])
    fillers = tokens.templates.fillers
    pieces = fillers.fragments
    doc = tokens.templates.doc[fillers.template][fillers.filler]
    doc = np.repeat(doc, np.diff(pieces.offsets))
    moved = Fragments(
        pieces.offsets, begin[base[doc] + pieces.start], end[base[doc] + pieces.end - 1]
    )
    templates = replace(tokens.templates, fillers=replace(fillers, fragments=moved))
    return replace(
        tokens, unit="char", mentions=mentions, documents=documents, extra=extra,
        templates=templates,
    )  # fmt: skip


def _rows(tokens: Corpus, chars: Corpus) -> dict[int, int]:
    ids, others = tokens.documents.id, chars.documents.id
    if ids is None or others is None:
        return {row: row for row in range(min(len(tokens), len(chars)))}
    place = {name: row for row, name in enumerate(others)}
    return {row: place[name] for row, name in enumerate(ids) if name in place}


def _found(
    tokens: Corpus, chars: Corpus, row: int, other: int, side: str
) -> tuple[list[int], list[int]]:
    words = tokens.library.words(row)[1] if tokens.library else None
    text = chars.library.words(other)[0] if chars.library else None
    name = tokens.documents.name(row)
    if words is None or text is None:
        raise UsageError(
            f"one side counts tokens, the other characters, and document {shown(name)} lacks the "
            "tokens or the text that could align the two"
        )
    return found_in(tokens, row, words, text, side)


def found_in(
    corpus: Corpus, row: int, words: Sequence[str], text: str, side: str = "gold"
) -> tuple[list[int], list[int]]:
    """The positions of a document's tokens in its text, in order; only white space is between."""
    starts, ends, at = [], [], 0
    for place, word in enumerate(words):
        where = text.find(word, at)
        if where < 0 or text[at:where].strip():
            file = corpus.origin.path if corpus.origin else side
            expected = f"the text {shown(text[at : at + 20])} at character {at}"
            line = corpus.library.line(row, place) if corpus.library else row + 1
            found = f"the token {shown(word)}"
            raise InputError([Problem("K305", file, line, found, expected)])
        starts.append(where)
        at = where + len(word)
        ends.append(at)
    if text[at:].strip():
        file = corpus.origin.path if corpus.origin else side
        last = max(len(words) - 1, 0)
        line = corpus.library.line(row, last) if corpus.library else row + 1
        expected = f"the text {shown(text[at : at + 20].strip())} at character {at}"
        raise InputError([Problem("K305", file, line, "the end of the tokens", expected)])
    return starts, ends
