"""Tokens on one side, characters and text on the other: find the tokens in the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from carob.arrays.types import IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import InputError, Problem, UsageError, shown
from carob.corpus.tables import Fragments


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
