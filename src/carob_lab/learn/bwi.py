"""bwi: boosted wrapper induction. Many simple patterns vote where a filler begins and ends."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import UsageError
from carob.pair.texts import Examples, Spans, Texts
from carob_lab.learn._inner import inner_folds
from carob_lab.learn.folder import Saved, read_folder, write_folder

WILDCARDS = (
    "any", "capitalised", "lower-case", "alphabetic", "alphanumeric", "numeric",
    "single-character", "punctuation",
)  # fmt: skip

DIGITS = 9
"""Scores are compared to this many decimals: patterns that match the same boundaries tie, in
whatever order their weights were added up.
"""

Element = str | int
"""What a pattern has for one token: a word, or the number of a wildcard."""

LINE = "\n"
"""A line break, which is a token here: many fillers end where a line does."""

PAD = -1
"""The word beyond either end of a document, which nothing matches."""


@dataclass(frozen=True, slots=True)
class Bwi:
    """Boosted wrapper induction: patterns of tokens before and after a boundary, many of them.

    Each slot has fore detectors, for boundaries where its fillers begin, and aft detectors, for
    those where they end. A detector has a pattern of the tokens before the boundary and one of
    those after it; their elements are words or wildcards (any, capitalised, lower-case, alphabetic,
    alphanumeric, numeric, single-character, punctuation). A line break is a token here, too. A
    detector begins empty, and is extended by the best pattern of up to `lookahead` tokens on either
    side, as long as that improves sqrt(W+) - sqrt(W-): W+ and W- are the weights of the boundaries
    that it matches, right and wrong. Ties go to the side before, then to the shorter extension,
    then to words before wildcards. Its confidence is C = 0.5 ln((W+ + e)/(W- + e)), with e = 1/(2n)
    for n boundaries. Then the weights of boundaries that it matches are multiplied by exp(-C) if
    right and exp(C) if wrong, and are made to sum to 1. There are `rounds` such detectors, or
    fewer, if no further one has C > 0. `weights` are at first `balanced`, half for the right
    boundaries, or `uniform`: then few detectors match more than they have seen.

    A stretch of tokens is an answer if F x A x H > tau: the sums of the confidences of fore and aft
    detectors that match where it begins and ends, both above 0, and the share of fillers in
    training that have its length. Of answers to one slot that overlap, the highest remains. Each
    slot has its own tau, with the best `oaod` F1 within the training documents, a fifth of which at
    a time is held out. The confidence of an answer with the score x is x / (1 + x).

    Freitag & Kushmerick (2000), "Boosted Wrapper Induction", section 3.

    >>> from carob.corpus.corpus import Corpus
    >>> corpus = Corpus.of(*(f"talk by [{name}]who at 3" for name in "Ann Bo Cy Di".split()))
    >>> model = Bwi(rounds=1).fit(Examples.of(corpus), ("who",), 0)
    >>> print(model.detectors[0].fore[0])
    [by] [], confidence 1.61
    >>> model.answers(Texts.of(Corpus.of("a talk by Ed at 5")))[0].mentions[0].start
    3
    """

    name: ClassVar[str] = "bwi"
    rounds: int = 50
    lookahead: int = 2
    weights: Literal["uniform", "balanced"] = "balanced"

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise UsageError(f"bwi: found rounds={self.rounds}, expected 1 or more")
        if not 1 <= self.lookahead <= 4:
            raise UsageError(f"bwi: found lookahead={self.lookahead}, expected one from 1 to 4")
        if self.weights not in ("uniform", "balanced"):
            raise UsageError(f"bwi: found weights={self.weights}, expected uniform or balanced")

    def fit(self, examples: Examples, slots: tuple[str, ...], seed: int) -> BwiModel:
        """Learn within the training documents to choose tau, then on all of them."""
        judged: list[list[Judged]] = [[] for _ in slots]
        for inside, outside in inner_folds(examples, seed):
            model = BwiModel(slots, self._detectors(examples.only(inside), slots))
            for own, more in zip(judged, model.judged(examples.only(outside)), strict=True):
                own.append(more)
        tau = [best_threshold(own) for own in judged]
        detectors = self._detectors(examples, slots)
        return BwiModel(
            slots,
            tuple(replace(own, tau=each) for own, each in zip(detectors, tau, strict=True)),
        )

    def _detectors(self, examples: Examples, slots: tuple[str, ...]) -> tuple[Detectors, ...]:
        tokens = Tokens.of(examples.texts)
        grams = [grams_of(tokens, size) for size in range(1, self.lookahead + 1)]
        spans = examples.spans(slots)
        base = examples.texts.offsets[spans.doc]
        first, last = tokens.places[base + spans.first], tokens.places[base + spans.last - 1] + 1
        detectors = []
        for slot in range(len(slots)):
            own = np.flatnonzero(spans.slot == slot)
            shares = np.bincount((last - first)[own]) / max(len(own), 1)
            fore, aft = (self._boost(tokens, grams, side[own]) for side in (first, last))
            detectors.append(Detectors(fore, aft, shares))
        return tuple(detectors)

    def _boost(
        self, tokens: Tokens, grams: Sequence[Sequence[Grams]], right: IntArray
    ) -> tuple[Detector, ...]:
        """The detectors of one kind of boundary; `right` are the right ones."""
        is_right = np.zeros(len(tokens.word), bool)
        is_right[right] = True
        boundaries = tokens.boundaries
        weight = np.zeros(len(tokens.word))
        weight[boundaries] = 1 / len(boundaries) if len(boundaries) else 0
        if self.weights == "balanced" and len(right):
            rights = int(is_right.sum())
            weight[boundaries] = 0.5 / max(len(boundaries) - rights, 1)
            weight[is_right] = 0.5 / rights
        smooth = 0.5 / max(len(boundaries), 1)
        detectors: list[Detector] = []
        for _ in range(self.rounds if len(right) else 0):
            before, after, matched = learn_detector(tokens, grams, boundaries, is_right, weight)
            hits, misses = matched[is_right[matched]], matched[~is_right[matched]]
            up, down = weight[hits].sum() + smooth, weight[misses].sum() + smooth
            if not up > down:
                break
            # exp(C) is the root of the ratio: unlike exp and log, it is the same on every machine.
            ratio = math.sqrt(up / down)
            weight[hits] /= ratio
            weight[misses] *= ratio
            weight /= weight.sum()
            detectors.append(Detector(tokens.named(before), tokens.named(after), math.log(ratio)))
        return tuple(detectors)

    def load(self, folder: Path) -> BwiModel:
        """A model that was saved."""
        saved = read_folder(folder)
        slots, every = saved.slots(), saved.settings.get("detectors")
        if not isinstance(every, list) or len(every) != len(slots):
            raise saved.wrong("other detectors", "those of each slot")
        return BwiModel(slots, tuple(_read_detectors(saved, own) for own in every))


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The words of all documents in one row, with a place between documents and at either end.

    A boundary is the place of the token after it. `word` is a number in `words`, `kinds` has a bit
    for each wildcard that the token matches. `places` are those of the tokens of the texts, `token`
    the token at each place (-1: none, as at a line break).
    """

    word: IntArray
    kinds: IntArray
    words: tuple[str, ...]
    places: IntArray
    token: IntArray
    boundaries: IntArray

    @classmethod
    def of(cls, texts: Texts) -> Tokens:
        """The tokens of texts.

        >>> Tokens.of(Texts.of(Corpus.of({"text": "a\\nb"}, {"text": "b"}))).word.tolist()
        [-1, 0, 2, 1, -1, 1, -1]
        """
        size = len(texts.start)
        breaks = texts.opens_line.copy()
        breaks[texts.offsets[:-1][np.diff(texts.offsets) > 0]] = False
        places = np.arange(size) + texts.doc + 1 + np.cumsum(breaks)
        words = (*texts.words.values, LINE)
        word = np.full(size + len(texts) + 1 + int(breaks.sum()), PAD, np.int64)
        word[places] = texts.words.codes
        word[places[breaks] - 1] = len(words) - 1
        token = np.full(len(word), -1, np.int64)
        token[places] = np.arange(size)
        bits = np.array([*map(kinds_of, words), 0], np.int64)
        return cls(word, bits[word], words, places, token, np.arange(1, len(word)))

    def matches(self, places: IntArray, elements: Sequence[int]) -> IntArray:
        """Of places where a pattern could begin, which do; an element below the number of words is
        a word, any other a wildcard.
        """
        kept = np.flatnonzero((places >= 0) & (places + len(elements) <= len(self.word)))
        for at, element in enumerate(elements):
            there = places[kept] + at
            if element < len(self.words):
                kept = kept[self.word[there] == element]
            else:
                kept = kept[self.kinds[there] >> (element - len(self.words)) & 1 == 1]
        return kept

    def named(self, elements: Sequence[int]) -> tuple[Element, ...]:
        """A pattern with its words, for a model."""
        size = len(self.words)
        return tuple(self.words[e] if e < size else e - size for e in elements)

    def numbered(self, pattern: Sequence[Element]) -> list[int] | None:
        """The elements of a pattern; None if a word does not occur."""
        place = {word: n for n, word in enumerate(self.words)}
        elements = [place.get(e) if isinstance(e, str) else len(place) + e for e in pattern]
        return None if None in elements else [e for e in elements if e is not None]


def kinds_of(word: str) -> int:
    """The wildcards that match a word, a bit for each.

    >>> [WILDCARDS[n] for n in range(8) if kinds_of("Ann") >> n & 1]
    ['any', 'capitalised', 'alphabetic', 'alphanumeric']
    """
    tests = (
        True, word[:1].isupper(), word.isalpha() and word.islower(), word.isalpha(),
        word.isalnum(), word.isdecimal(), len(word) == 1, not any(map(str.isalnum, word)),
    )  # fmt: skip
    return sum(1 << n for n, test in enumerate(tests) if test)


@dataclass(frozen=True, slots=True, eq=False)
class Grams:
    """The patterns of one length that match somewhere, each element a word or each a wildcard, as
    `is_word` says; and where they match, which never changes.

    The sequence of tokens at each place has a number, `key` (-1: it has none). Sequences of the
    same words, and of the same kinds where a wildcard may stand, are one. Row by row, `owner` and
    `pattern` say which pattern matches which key; None if each key is its own pattern.
    """

    size: int
    key: IntArray
    keys: int
    elements: IntArray
    owner: IntArray | None
    pattern: IntArray | None

    def sums(self, places: IntArray, weight: FloatArray) -> FloatArray:
        """For each pattern, the weights of the places where it matches."""
        # Places before the beginning would count from the end.
        key = np.where(places >= 0, self.key[np.minimum(places, len(self.key) - 1)], -1)
        known = key >= 0
        total: FloatArray = np.bincount(key[known], weight[known], self.keys).astype(np.float64)
        if self.owner is None or self.pattern is None:
            return total
        sums: FloatArray = np.bincount(self.pattern, total[self.owner], len(self.elements)).astype(
            np.float64
        )
        return sums


def grams_of(tokens: Tokens, size: int) -> list[Grams]:
    """The patterns of a length, those with the most words first."""
    places = np.arange(len(tokens.word) - size + 1)
    windows = places[:, None] + np.arange(size)
    whole = (tokens.word[windows] != PAD).all(1)
    masks = sorted(product((True, False), repeat=size), key=lambda mask: (-sum(mask), mask))
    grams = []
    for mask in masks:
        columns = np.where(mask, tokens.word[windows[whole]], tokens.kinds[windows[whole]])
        rows, number = np.unique(columns, axis=0, return_inverse=True)
        key = np.full(len(tokens.word), -1, np.int64)
        key[: len(places)][whole] = number.ravel()
        if all(mask):
            grams.append(Grams(size, key, len(rows), rows, None, None))
            continue
        owner, elements = _expanded(rows, mask, len(tokens.words))
        patterns, pattern = np.unique(elements, axis=0, return_inverse=True)
        grams.append(Grams(size, key, len(rows), patterns, owner, pattern.ravel()))
    return grams


def _expanded(rows: IntArray, mask: Sequence[bool], words: int) -> tuple[IntArray, IntArray]:
    """Each row once for every choice of wildcards in the columns of kinds."""
    owner, elements = np.arange(len(rows)), rows
    for column, is_word in enumerate(mask):
        if is_word:
            continue
        bits = elements[:, column, None] >> np.arange(len(WILDCARDS)) & 1
        row, wildcard = np.nonzero(bits)
        owner, elements = owner[row], elements[row]
        elements[:, column] = words + wildcard
    return owner, elements


class _Best(NamedTuple):
    score: float
    elements: tuple[int, ...]
    before: bool


def learn_detector(
    tokens: Tokens, grams: Sequence[Sequence[Grams]], boundaries: IntArray, is_right: BoolArray,
    weight: FloatArray,
) -> tuple[tuple[int, ...], tuple[int, ...], IntArray]:  # fmt: skip
    """The patterns of one detector, and the boundaries that it matches."""
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    matched = boundaries
    score = _score(
        weight[matched[is_right[matched]]].sum(), weight[matched[~is_right[matched]]].sum()
    )
    while True:
        best = _Best(float(score), (), True)
        right = is_right[matched]
        sides = ((True, matched - len(before)), (False, matched + len(after)))
        for (is_before, at), each in product(sides, (g for own in grams for g in own)):
            start = at - each.size if is_before else at
            best = _better(best, each, start, right, weight[matched], is_before)
        if not best.elements:
            return before, after, matched
        if best.before:
            kept = tokens.matches(matched - len(before) - len(best.elements), best.elements)
            before = best.elements + before
        else:
            kept = tokens.matches(matched + len(after), best.elements)
            after = after + best.elements
        matched, score = matched[kept], best.score


def _score(right: Any, wrong: Any) -> Any:
    return np.round(np.sqrt(right) - np.sqrt(wrong), DIGITS)


def _better(
    best: _Best, grams: Grams, places: IntArray, right: BoolArray, weight: FloatArray,
    is_before: bool,
) -> _Best:  # fmt: skip
    """The best of these patterns, if it is better than the best so far."""
    ups = grams.sums(places[right], weight[right])
    some = np.flatnonzero(ups)
    if not len(some):
        return best
    downs = grams.sums(places[~right], weight[~right])
    scores = _score(ups[some], downs[some])
    top = int(scores.argmax())
    if not scores[top] > best.score:
        return best
    return _Best(float(scores[top]), tuple(grams.elements[some[top]].tolist()), is_before)


@dataclass(frozen=True, slots=True)
class Detector:
    """Patterns of the tokens before and after a boundary, with a confidence."""

    before: tuple[Element, ...]
    after: tuple[Element, ...]
    confidence: float

    def __str__(self) -> str:
        sides = (
            " ".join(e if isinstance(e, str) else f"<{WILDCARDS[e]}>" for e in side)
            for side in (self.before, self.after)
        )
        return "[{}] [{}], confidence {:.2f}".format(*sides, self.confidence)

    def matched(self, tokens: Tokens) -> IntArray:
        """The boundaries that it matches."""
        before, after = tokens.numbered(self.before), tokens.numbered(self.after)
        if before is None or after is None:
            return np.empty(0, np.int64)
        places = tokens.boundaries
        places = places[tokens.matches(places - len(before), before)]
        return places[tokens.matches(places, after)]


@dataclass(frozen=True, slots=True, eq=False)
class Detectors:
    """What a slot has: detectors of its beginnings and ends, the share of its fillers that have
    each length, and the score from which an answer is given.
    """

    fore: tuple[Detector, ...]
    aft: tuple[Detector, ...]
    shares: FloatArray
    tau: float = 0.0

    def candidates(self, tokens: Tokens) -> tuple[IntArray, IntArray, FloatArray]:
        """Boundaries between which an answer may lie, and scores; none overlap, best first."""
        fore, aft = (_votes(tokens, own) for own in (self.fore, self.aft))
        begins = np.flatnonzero((fore > 0) & (tokens.token >= 0))
        lengths = np.flatnonzero(self.shares)
        first = np.repeat(begins, len(lengths))
        last = first + np.tile(lengths, len(begins))
        inside = last < len(aft)
        first, last = first[inside], last[inside]
        # The places before two boundaries of one document count the same number of documents.
        document = np.cumsum(tokens.word == PAD)
        same = (document[first] == document[last - 1]) & (aft[last] > 0)
        same &= tokens.token[last - 1] >= 0
        first, last = first[same], last[same]
        score = fore[first] * aft[last] * self.shares[last - first]
        order = np.lexsort((last, first, -np.round(score, DIGITS)))
        taken = np.zeros(len(tokens.word), bool)
        kept = []
        for row in order.tolist():
            if not taken[first[row] : last[row]].any():
                taken[first[row] : last[row]] = True
                kept.append(row)
        return first[kept], last[kept], score[kept]


def _votes(tokens: Tokens, detectors: Sequence[Detector]) -> FloatArray:
    total = np.zeros(len(tokens.word))
    for detector in detectors:
        total[detector.matched(tokens)] += detector.confidence
    return total


@dataclass(frozen=True, slots=True, eq=False)
class BwiModel:
    """The detectors of each slot."""

    slots: tuple[str, ...]
    detectors: tuple[Detectors, ...]

    def _candidates(self, texts: Texts) -> Iterator[tuple[int, Spans, FloatArray]]:
        tokens = Tokens.of(texts)
        for slot, own in enumerate(self.detectors):
            first, last, score = own.candidates(tokens)
            begin, end = tokens.token[first], tokens.token[last - 1] + 1
            doc = texts.doc[begin]
            base = texts.offsets[doc]
            spans = Spans(doc, begin - base, end - base, np.full(len(doc), slot))
            yield slot, spans, score

    def answers(self, texts: Texts) -> Corpus:
        """The candidates above tau."""
        parts, scores = [], []
        for slot, spans, score in self._candidates(texts):
            rows = np.flatnonzero(score > self.detectors[slot].tau)
            parts.append(spans.take(rows))
            scores.append(score[rows])
        columns = (
            np.concatenate([getattr(part, name) for part in parts]).astype(np.int64)
            for name in ("doc", "first", "last", "slot")
        )
        score = np.concatenate(scores)
        return texts.answers(self.slots, Spans(*columns), score / (1 + score))

    def judged(self, examples: Examples) -> Iterator[Judged]:
        """For each slot, its candidates in documents that were not learned from."""
        gold = examples.spans(self.slots)
        for slot, spans, score in self._candidates(examples.texts):
            wanted = set(_places(gold.take(np.flatnonzero(gold.slot == slot))))
            right = np.array([place in wanted for place in _places(spans)], bool)
            yield Judged(score, right, len(wanted))

    def describe(self) -> Mapping[str, Any]:
        """The number of detectors, and tau of each slot."""
        count = sum(len(own.fore) + len(own.aft) for own in self.detectors)
        tau = {slot: own.tau for slot, own in zip(self.slots, self.detectors, strict=True)}
        return {"detectors": count, "tau": tau}

    def save(self, folder: Path) -> None:
        """Write the patterns."""
        write_folder(folder, {"slots": list(self.slots), "detectors": [
            {"fore": _records(own.fore), "aft": _records(own.aft), "shares": own.shares.tolist(),
             "tau": own.tau}
            for own in self.detectors
        ]})  # fmt: skip


def _places(spans: Spans) -> list[tuple[int, int, int]]:
    columns = (spans.doc.tolist(), spans.first.tolist(), spans.last.tolist())
    return list(zip(*columns, strict=True))


class Judged(NamedTuple):
    """The scores of candidates, which of them are right, and how many would be."""

    score: FloatArray
    right: BoolArray
    wanted: int


def best_threshold(parts: Sequence[Judged]) -> float:
    """The threshold with the best F1 above it: half-way between two scores.

    >>> parts = [Judged(np.array([8.0, 2.0]), np.array([True, False]), 1)]
    >>> best_threshold([*parts, Judged(np.array([4.0]), np.array([True]), 1)])
    3.0
    """
    if not any(part.right.any() for part in parts):
        return 0.0
    score, right = (np.concatenate([part[n] for part in parts]) for n in (0, 1))
    order = np.argsort(-score, kind="stable")
    score, right = score[order], right[order]
    wanted = sum(part.wanted for part in parts)
    f1 = 2 * np.cumsum(right) / (np.arange(1, len(right) + 1) + wanted)
    # Equal scores are kept or dropped together.
    f1[:-1][score[:-1] == score[1:]] = -1
    last = int(np.round(f1, DIGITS).argmax())
    return float((score[last] + (score[last + 1] if last + 1 < len(score) else 0)) / 2)


def _records(detectors: Sequence[Detector]) -> list[Any]:
    def side(pattern: Sequence[Element]) -> list[Any]:
        return [e if isinstance(e, str) else {"wildcard": WILDCARDS[e]} for e in pattern]

    return [[side(each.before), side(each.after), each.confidence] for each in detectors]


def _read_detectors(saved: Saved, own: Any) -> Detectors:
    def wrong(found: Any) -> Exception:
        expected = 'fore, aft, shares and tau; a detector is like [["by"], [], 0.7]'
        return saved.wrong(f"the detectors {str(found)[:60]!r}", expected)

    def number(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e9:
            raise wrong(value)
        return float(value)

    def element(value: Any) -> Element:
        if isinstance(value, str):
            return value
        if not isinstance(value, dict) or value.get("wildcard") not in WILDCARDS:
            raise wrong(value)
        return WILDCARDS.index(value["wildcard"])

    def detector(value: Any) -> Detector:
        if not isinstance(value, list) or len(value) != 3:
            raise wrong(value)
        if not isinstance(value[0], list) or not isinstance(value[1], list):
            raise wrong(value)
        before, after = (tuple(map(element, side)) for side in value[:2])
        return Detector(before, after, number(value[2]))

    parts = own if isinstance(own, dict) else {}
    lists = [parts.get(name) for name in ("fore", "aft", "shares")]
    if not all(isinstance(each, list) for each in lists):
        raise wrong(own)
    fore, aft, shares = (list(each or ()) for each in lists)
    lengths = np.array([number(each) for each in shares])
    if len(lengths) and lengths[0]:
        raise wrong(shares)
    return Detectors(
        tuple(map(detector, fore)), tuple(map(detector, aft)), lengths, number(parts.get("tau"))
    )
