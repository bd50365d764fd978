"""From characters to tokens: the tokens of each document, and mentions moved onto them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from carob.arrays.types import BoolArray, IntArray
from carob.arrays.words import CUTTERS, ZERO_WIDTH_SPACE, cut
from carob.corpus.corpus import Corpus
from carob.corpus.document import Span
from carob.corpus.problems import DataError, InputError, Problem, UsageError, nearest, shown
from carob.corpus.tables import UNKNOWN, Documents, Fragments, Mentions, int32

TOKENIZERS = ("given", *CUTTERS)
_BATCH = 1 << 20
"""About how many characters are cut at a time."""


class Borders(NamedTuple):
    """The tokens of all documents, in characters: those of document i lie between its offsets."""

    offsets: IntArray
    start: IntArray
    end: IntArray

    def snapped(self, table: Mentions) -> tuple[Mentions, BoolArray]:
        """The same mentions in tokens, row for row, and which were not at token boundaries.

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
        nowhere = pieces.end == 0  # mentions without positions stay so
        low, high = np.where(nowhere, 0, low), np.where(nowhere, 0, high)
        moved[row[nowhere]] = False
        keep = ~empty | lonely
        return _rejoined(table, row[keep], low[keep], high[keep]), moved

    def _touched(self, doc: IntArray, start: IntArray, end: IntArray) -> tuple[IntArray, IntArray]:
        """The first token that ends after `start`, and the first that begins at `end` or later."""
        if not len(doc):
            return doc, doc
        width = 1 + max(int(self.end.max(initial=0)), int(end.max(initial=0)))
        base = np.arange(len(self.offsets) - 1) * width
        here = np.repeat(base, np.diff(self.offsets))
        low = np.searchsorted(here + self.end, base[doc] + start, side="right")
        high = np.searchsorted(here + self.start, base[doc] + end, side="left")
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
    of a system never decide, so that all systems are counted in the same units.
    """

    def __init__(self, tokenizer: str = "auto") -> None:
        if tokenizer not in ("auto", *TOKENIZERS):
            there = nearest(tokenizer, TOKENIZERS)
            raise UsageError(f"no tokenizer is called {tokenizer!r}{there}")
        self.tokenizer = tokenizer
        self._known: dict[tuple[int, str], tuple[Corpus, Borders]] = {}

    def method(self, gold: Corpus) -> str:
        """The tokenizer that gold is cut with, if it is `auto`, too."""
        if self.tokenizer != "auto":
            return self.tokenizer
        return "given" if len(gold) and _own_tokens(gold, 0) is not None else "words"

    def borders(self, gold: Corpus, system: Corpus, place: IntArray) -> Borders:
        """The tokens of gold's documents; `place` maps system documents to gold's."""
        how = self.method(gold)
        key = (id(gold), how)
        if key not in self._known:
            sides = {int(ours): theirs for theirs, ours in enumerate(place) if ours != UNKNOWN}
            borders, only_gold = _cut(gold, system, sides, how)
            if not only_gold:
                return borders
            self._known[key] = (gold, borders)
        return self._known[key][1]


def _own_tokens(corpus: Corpus, row: int) -> tuple[Span, ...] | None:
    """A document's own tokens."""
    spans: tuple[Span, ...] | None = corpus.extra.get(row, {}).get("token_spans")
    if spans is not None:
        return tuple(spans)
    text, tokens = corpus.words(row)
    return None if text is None or tokens is None else _find(corpus, row, tokens, text, "gold")


def _cut(gold: Corpus, system: Corpus, sides: dict[int, int], how: str) -> tuple[Borders, bool]:
    """The tokens of every document, and whether they depend on gold alone."""
    own: dict[int, tuple[Span, ...]] = {}
    if how == "given":
        for row in range(len(gold)):
            if (spans := _own_tokens(gold, row)) is not None:
                _require_cover(gold, row, spans)
                own[row] = spans
        if not own and len(gold):
            raise DataError(
                "these documents have no tokens of their own; say --tokenizer words or whitespace"
            )
    parts: list[tuple[IntArray, IntArray, IntArray]] = []
    batch: list[str] = []
    size = 0
    only_gold = True
    for row in range(len(gold)):
        if row in own:
            tokens = Fragments.of_spans([own[row]])
            parts += [_whole(batch, how), (tokens.offsets, tokens.start, tokens.end)]
            batch, size = [], 0
            continue
        text = gold.words(row)[0]
        if text is None and row in sides:
            text, only_gold = system.words(sides[row])[0], False
        if text is None:
            raise DataError(
                f"this event space counts tokens, these corpora count characters, and document "
                f"{shown(gold.documents.name(row))} has no text to find tokens in"
            )
        batch.append(text)
        size += len(text)
        if size >= _BATCH:
            parts.append(_whole(batch, how))
            batch, size = [], 0
    offsets, start, end = zip(*parts, _whole(batch, how), strict=True)
    counts = np.concatenate([np.diff(each) for each in offsets])
    borders = Borders(np.append(0, np.cumsum(counts)), np.concatenate(start), np.concatenate(end))
    return borders, only_gold


def _whole(texts: list[str], how: str) -> tuple[IntArray, IntArray, IntArray]:
    """The tokens of some texts; a text of only white space is one token."""
    offsets, start, end = cut(texts, "words" if how == "given" else how)
    blank = np.flatnonzero((np.diff(offsets) == 0) & np.array([len(t) > 0 for t in texts], bool))
    if blank.size:
        start = np.insert(start, offsets[blank], 0)
        end = np.insert(end, offsets[blank], [len(texts[row]) for row in blank.tolist()])
        offsets = offsets + np.searchsorted(blank, np.arange(len(offsets)))
    return offsets, start, end


def _require_cover(corpus: Corpus, row: int, spans: tuple[Span, ...]) -> None:
    """Check that tokens are in order and leave out only white space."""
    text = corpus.words(row)[0]
    final = [] if text is None else [(len(text), len(text) + 1)]
    before = 0
    for start, end in (*spans, *final):
        left = "" if text is None else _without_space(text[before:start])
        if left or not before <= start < end:
            found = f"tokens that leave out {shown(left)}" if left else f"the token {start}..{end}"
            expected = "tokens that follow one another and cover the text"
            line = int(corpus.documents.line[row])
            raise InputError([Problem("K307", corpus.file_name("gold"), line, found, expected)])
        before = end


def in_characters(gold: Corpus, system: Corpus) -> tuple[Corpus, Corpus]:
    """Both corpora in characters; tokens are found in order in the other side's text."""
    if gold.unit == "char":
        return gold, _in_characters(system, gold, "system")
    return _in_characters(gold, system, "gold"), system


def cut_mentions(gold: Corpus, system: Corpus, ours: IntArray, theirs: IntArray) -> int:
    """How many mentions of gold begin or end inside a token of a system that was moved to
    characters; `theirs` are its documents that have one of gold, which are `ours`.
    """
    spans: list[Sequence[Span]] = [()] * len(gold)
    for row, other in zip(ours.tolist(), theirs.tolist(), strict=True):
        spans[row] = system.extra[other]["token_spans"]
    tokens = Fragments.of_spans(spans)
    answered = gold.mentions.take(np.flatnonzero(np.isin(gold.mentions.doc, ours)))
    borders = Borders(tokens.offsets, tokens.start, tokens.end)
    return int(borders.snapped(answered)[1].sum())


def _in_characters(tokens: Corpus, chars: Corpus, side: str) -> Corpus:
    """A corpus in tokens, moved to the characters of the other."""
    pairs = _same_documents(tokens, chars)
    spans: list[tuple[Span, ...]] = []
    for row in range(len(tokens)):
        if row in pairs:
            words, text = tokens.words(row)[1], chars.words(pairs[row])[0]
            if words is None or text is None:
                raise DataError(
                    "one side counts tokens, the other characters, and document "
                    f"{shown(tokens.documents.name(row))} lacks the tokens or the text that could "
                    "align the two; oas, oads and templates compare strings and do not need it"
                )
            spans.append(_find(tokens, row, words, text, side))
        else:  # there is no text to search: count every token as one character
            size = int(tokens.documents.length[row])
            spans.append(tuple((place, place + 1) for place in range(0, 2 * size, 2)))
    lengths = np.full(len(tokens), UNKNOWN, np.int32)
    if side == "gold":
        lengths[list(pairs)] = chars.documents.length[list(pairs.values())]
    return replace(
        moved_to(tokens, Fragments.of_spans(spans)),
        documents=replace(
            tokens.documents,
            length=lengths,
            hash=np.zeros(len(tokens), np.uint64),
            sentence_offsets=np.zeros(len(tokens) + 1, np.int64),
            sentence_start=np.empty(0, np.int32),
        ),
        extra={
            row: {**tokens.extra.get(row, {}), "token_spans": own} for row, own in enumerate(spans)
        },
    )


def moved_to(corpus: Corpus, places: Fragments) -> Corpus:
    """Mentions and fillers in characters, once it is known where the tokens of each document are.

    >>> places = Fragments.of_spans([((0, 3), (4, 7), (8, 11))])
    >>> corpus = moved_to(Corpus.of("met [Ann Lee]PER"), places)
    >>> corpus.mentions.start.item(), corpus.mentions.end.item()
    (4, 11)
    """

    def moved(pieces: Fragments, doc: IntArray) -> Fragments:
        first = places.offsets[np.repeat(doc, np.diff(pieces.offsets))]
        start, end = places.start[first + pieces.start], places.end[first + pieces.end - 1]
        return Fragments(pieces.offsets, start, end)

    table, fillers = corpus.mentions, corpus.templates.fillers
    pieces = moved(table.pieces(), table.doc)
    filler_doc = corpus.templates.doc[fillers.template][fillers.filler]
    fillers = replace(fillers, fragments=moved(fillers.fragments, filler_doc))
    return replace(
        corpus,
        unit="char",
        mentions=replace(
            table,
            start=pieces.start[pieces.offsets[:-1]],
            end=pieces.end[pieces.offsets[1:] - 1],
            fragments=None if table.fragments is None else pieces,
            head=None if table.head is None else _moved_heads(table, places),
        ),
        templates=replace(corpus.templates, fillers=fillers),
    )


def _moved_heads(table: Mentions, places: Fragments) -> IntArray:
    """The heads of mentions in characters."""
    assert table.head is not None
    known = np.flatnonzero(table.head[:, 0] != UNKNOWN)
    first = places.offsets[table.doc[known]]
    head = table.head.copy()
    head[known, 0] = places.start[first + table.head[known, 0]]
    head[known, 1] = places.end[first + table.head[known, 1] - 1]
    return head


def _same_documents(tokens: Corpus, chars: Corpus) -> dict[int, int]:
    ids, others = tokens.documents.id, chars.documents.id
    if ids is None or others is None:
        return {row: row for row in range(min(len(tokens), len(chars)))}
    place = {name: row for row, name in enumerate(others)}
    return {row: place[name] for row, name in enumerate(ids) if name in place}


def _find(corpus: Corpus, row: int, words: Sequence[str], text: str, side: str) -> tuple[Span, ...]:
    """The places of a document's tokens in its text, in order; only white space is between."""
    spans, at = [], 0
    for place, word in enumerate((*words, None)):
        where = len(text) if word is None else text.find(word, at)
        if where < 0 or _without_space(text[at:where]):
            found = "the end of the tokens" if word is None else f"the token {shown(word)}"
            rest = text[at : at + 20]
            rest = _without_space(rest) if word is None else rest
            expected = f"the text {shown(rest)} at character {at}"
            line = corpus.line(row, min(place, max(len(words) - 1, 0)))
            raise InputError([Problem("K305", corpus.file_name(side), line, found, expected)])
        if word is not None:
            at = where + len(word)
            spans.append((where, at))
    return tuple(spans)


def _without_space(part: str) -> str:
    """What is left of a part of a text without the white space around it. A zero-width space is
    white space, as it is where texts are cut into words.
    """
    return part.replace(chr(ZERO_WIDTH_SPACE), " ").strip()
