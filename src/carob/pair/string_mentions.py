"""Mentions from strings: answers that say what they found, and not where it is.

A language model returns the words and the label of an entity. To be compared with the mentions of
gold, each string gets the places where it occurs in its document, whatever gold has there. The
longest strings of a label go first, and a string gets no place within one that was given to the
same label. An answer that gets no place is a mention without positions, which nothing matches.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

import numpy as np

from carob.arrays.types import IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.document import Span
from carob.corpus.tables import (
    UNKNOWN,
    UNPLACED,
    Codes,
    Documents,
    Fillers,
    Fragments,
    Mentions,
    int32,
)
from carob.pair.occurrences import LEVELS, InTokens, Occurrences, weight
from carob.pair.template_types import named, row_names, typed_as
from carob.pair.tokens import in_characters
from carob.values.raw import fold

COUNTS = ("located", "ambiguous", "repeated", "ungrounded")
"""Answers with a place, with several places to choose from, that repeat another, not in the text.
"""


def can_be_located(gold: Corpus, system: Corpus) -> bool:
    """Whether a system has strings without places, gold has mentions, and the words are known.

    >>> gold = Corpus.of("[Ann]PER slept")
    >>> can_be_located(gold, Corpus.of({"templates": [{"slots": {"PER": ["Ann"]}}]}))
    True
    """
    if len(system.mentions) or len(gold.templates) or not len(gold.mentions):
        return False
    if len(gold.relations) and system.templates.label.values:
        return False  # triples: relations between strings
    fillers = system.templates.fillers
    own = fillers.realisations[:-1]
    bare = np.diff(fillers.fragments.offsets)[own] == 0
    if gold.unit != system.unit is not None and not bare.all():
        return False
    words = _has_words(gold) or (gold.unit == system.unit and _has_words(system))
    return words and bool((bare & (fillers.text.codes[own] != UNKNOWN)).any())


def _has_words(corpus: Corpus) -> bool:
    return corpus.library is not None and bool((corpus.documents.length >= 0).all())


class Located(NamedTuple):
    """A system whose strings have places, and what users must know about that."""

    corpus: Corpus
    remark: str


def located(gold: Corpus, system: Corpus, place: IntArray, locate: str = "all") -> Located:
    """The system with mentions where its strings occur; `place` is the gold document of each
    document (-1: none). With `all` an answer has as many mentions as its string has occurrences,
    with `first` equal answers have the first, the second ..., with `once` an answer has a place if
    there is only one. The facts of the corpus have the COUNTS.

    >>> gold = Corpus.of("[Ann]PER met [Bo]PER , and Ann left")
    >>> system = Corpus.of({"templates": [{"slots": {"PER": ["Ann", "Bo", "Eve", "ANN"]}}]})
    >>> made = located(gold, system, np.array([0])).corpus
    >>> made.mentions.start, made.mentions.end
    (array([0, 0, 2, 5], dtype=int32), array([0, 1, 3, 6], dtype=int32))
    >>> made.facts
    {'located': 2, 'ambiguous': 1, 'repeated': 1, 'ungrounded': 1}
    """
    if gold.unit != system.unit is not None:
        in_characters(gold, system)  # an error if the words are others
        system = replace(system, documents=_without_words(system.documents), library=None)
    fillers, rows = system.templates.fillers, named(system.templates)[1]
    names = row_names(typed_as(gold, system), rows)
    labels = tuple(sorted(set(names)))
    label = int32([*map(labels.index, names)])[rows.codes]
    doc = system.templates.doc[fillers.template]
    counts = Counter(dict.fromkeys(COUNTS, 0))
    answers: list[_Answer] = []
    order = np.lexsort((label, doc)).tolist()  # which keeps the order of the file
    for row, some in groupby(order, doc.tolist().__getitem__):
        where = _words(gold, system, row, int(place[row]))
        for _, same in groupby(some, label.tolist().__getitem__):
            answers += _placed(list(_strings(fillers, same)), where, locate, counts)
    mentions = _mentions(answers, doc, label, fillers)
    made = replace(system, unit=gold.unit, labels=labels, mentions=mentions)
    asked = int((fillers.text.codes[fillers.realisations[:-1]] != UNKNOWN).sum())
    return Located(
        replace(made, facts={**system.facts, **counts}).ordered(), _remark(counts, asked, locate)
    )


def _without_words(documents: Documents) -> Documents:
    size = len(documents)
    return replace(
        documents, length=np.full(size, UNKNOWN, np.int32), hash=np.zeros(size, np.uint64),
        sentence_offsets=np.zeros(size + 1, np.int64), sentence_start=np.empty(0, np.int32),
    )  # fmt: skip


def _words(gold: Corpus, system: Corpus, row: int, place: int) -> Occurrences:
    """What strings of a document are looked for in: the words of gold, otherwise its own."""
    known = (gold.words(place) if place != UNKNOWN else (None, None), system.words(row))
    if gold.unit == "token":
        return InTokens(next((tokens for _, tokens in known if tokens is not None), ()))
    return Occurrences(next((text for text, _ in known if text is not None), ""))


class _Answer(NamedTuple):
    """A filler, its string, and its fragments (none: nowhere)."""

    filler: int
    string: str
    sure: float
    fragments: tuple[Span, ...] = ()


def _strings(fillers: Fillers, rows: Iterator[int]) -> Iterator[_Answer]:
    """Answers as the file has them; some may have a place already."""
    for row in rows:
        own = int(fillers.realisations[row])
        string, spans = fillers.text[own], fillers.fragments.of(own)
        if spans or string is not None:
            yield _Answer(row, string or "", float(np.nan_to_num(fillers.confidence[row])), spans)


def _placed(
    answers: Sequence[_Answer], where: Occurrences, locate: str, counts: Counter[str]
) -> Iterator[_Answer]:
    """The mentions that the answers with one label in one document are."""
    given = _Given()
    strings: dict[str, list[_Answer]] = {}
    for each in answers:
        if not each.fragments:
            strings.setdefault(fold(each.string), []).append(each)
            continue
        yield each
        for span in each.fragments:
            given.add(span)
    for folded in sorted(strings, key=_longest_first):
        same = strings[folded]
        spans = _occurrences({each.string for each in same}, where, given)
        left = [span for span in spans if span not in given.spans]
        # Answers that are the same but for case count as their surest.
        one = max(same, key=lambda each: (each.sure, each.string))
        alone = locate == "once" and len(spans) > 1
        if locate == "first":
            pairs = list(zip(same, left, strict=False))
            lost = same[len(pairs) :]
            counts["located"] += len(pairs)
            counts["ambiguous"] += len(same) if len(spans) > 1 else 0
        else:
            pairs = [] if alone else [(one, span) for span in left]
            lost = [one] if alone or not spans else []
            counts["located"] += bool(pairs)
            counts["ambiguous"] += len(spans) > 1 and bool(pairs or lost)
        if not spans and not any(where.has(each.string) for each in same):
            counts["ungrounded"] += len(same)
        elif locate != "first":
            counts["repeated"] += len(same) - bool(pairs or lost)
        yield from lost
        for each, span in pairs:
            given.add(span)
            yield each._replace(fragments=(span,))


def _longest_first(folded: str) -> tuple[int, int, int, str]:
    words, signs = weight(folded)
    return -words, -signs, -len(folded), folded


def _occurrences(strings: set[str], where: Occurrences, given: _Given) -> list[Span]:
    """Where strings that are the same but for case occur, verbatim, otherwise folded, otherwise
    word by word; what lies within a given span is no occurrence.
    """
    for level in LEVELS:
        every = {span for string in strings for span in where.of(string, level)}
        if free := sorted(span for span in every if not given.around(span)):
            return free
    return []


class _Given:
    """The spans that one label has. Those that lie in no other are kept sorted by their starts, and
    so also by their ends.
    """

    def __init__(self) -> None:
        self.spans: set[Span] = set()
        self._starts: list[int] = []
        self._ends: list[int] = []

    def around(self, span: Span) -> bool:
        """Whether a span lies within another that was given."""
        at = bisect_right(self._starts, span[0]) - 1
        return at >= 0 and self._ends[at] >= span[1] and (self._starts[at], self._ends[at]) != span

    def add(self, span: Span) -> None:
        """Give a span."""
        self.spans.add(span)
        if self.around(span):
            return
        low, high = bisect_left(self._starts, span[0]), bisect_right(self._ends, span[1])
        self._starts[low:high], self._ends[low:high] = [span[0]], [span[1]]


def _mentions(
    answers: Sequence[_Answer], doc: IntArray, label: IntArray, fillers: Fillers
) -> Mentions:
    """The answers as a table; one without a place is at 0..0, and has its string as attribute."""
    rows = np.array([each.filler for each in answers], np.int64)
    spans = Fragments.of_spans([each.fragments or ((0, 0),) for each in answers])
    lost = [None if each.fragments else each.string for each in answers]
    sure = fillers.confidence[rows]
    return Mentions(
        doc[rows], spans.start[spans.offsets[:-1]], spans.end[spans.offsets[1:] - 1], label[rows],
        fragments=spans if len(spans.start) > len(answers) else None,
        attributes={UNPLACED: Codes.of(lost)} if any(each is not None for each in lost) else {},
        confidence=None if np.isnan(sure).all() else sure,
    )  # fmt: skip


def _remark(counts: Counter[str], answers: int, locate: str) -> str:
    without = answers - counts["located"] - counts["repeated"]
    return (
        f"carob, not the system, says where {counts['located']:,} of {answers:,} answers are "
        f"(locate={locate}): {counts['ambiguous']:,} ambiguous, {counts['repeated']:,} repeated, "
        f"{counts['ungrounded']:,} not in the text; {without:,} without a place count as wrong"
    )
