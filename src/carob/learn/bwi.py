"""bwi: boosted wrapper induction, patterns of tokens around boundaries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import UsageError
from carob.learn._inner import inner_split
from carob.learn._pairs import best_first, candidates, length_shares
from carob.learn.folder import read_folder, write_folder
from carob.pair.texts import Examples, Spans, Texts

WILDCARDS = (
    "any", "capitalised", "lower-case", "alphabetic", "alphanumeric", "numeric", "single",
    "punctuation",
)  # fmt: skip
LITERAL = "="
"""What a pattern writes before a word; a wildcard is its bare name."""

Pattern = tuple[str, ...]
"""The elements of a pattern, beginning with the token at the boundary."""


@dataclass(frozen=True, slots=True)
class Detector:
    """A pattern of the tokens before a boundary, one of those after it, and its confidence."""

    prefix: Pattern
    suffix: Pattern
    confidence: float


@dataclass(frozen=True, slots=True)
class Bwi:
    """Boosted wrapper induction: patterns of tokens that detect starts and ends of mentions.

    A detector is a pattern of the tokens before a boundary and one of those after it; its elements
    are words or wildcards (any, capitalised, lower-case, alphabetic, alphanumeric, numeric, single
    character, punctuation). It grows from nothing: each step is the best extension by up to `look`
    tokens on one side, by sqrt(W+) - sqrt(W-), where W+ and W- are the weights of the true and
    other boundaries that it matches. Its confidence is C = ln((W+ + e)/(W- + e)) / 2 with e = 1 /
    boundaries. Then the weights of true boundaries that it matches are multiplied by exp(-C), those
    of others by exp(C), and the next of `rounds` detectors is learned. `weights` are at first
    `uniform`, or `balanced`: half of the sum on true boundaries.

    A pair of boundaries scores F x A x H: the sums of the confidences of the detectors that match
    them, and the share of mentions that have its length. The best pair above tau is an answer,
    then the best that does not overlap it, and so on. tau gives the best oaod.F1 on three of ten
    training documents, with detectors learned from the others. Confidences are score / (score +
    tau). Each slot is learned by itself, so slots may overlap.

    Freitag & Kushmerick (2000), "Boosted Wrapper Induction", sections 3 and 4.

    >>> from carob.corpus.corpus import Corpus
    >>> corpus = Corpus.of("by [Ann Lee]who .", "by [Bo Dahl]who .", "by [Cy Roe]who .")
    >>> Bwi(rounds=2).fit(Examples.of(corpus), ("who",), 0).fore[0][0].prefix
    ('lower-case',)
    """

    name: ClassVar[str] = "bwi"
    rounds: int = 50
    look: int = 2
    weights: Literal["uniform", "balanced"] = "balanced"

    def __post_init__(self) -> None:
        if self.rounds < 1 or not 1 <= self.look <= 4:
            raise UsageError("bwi: rounds must be at least 1, and look from 1 to 4")

    def fit(self, examples: Examples, slots: tuple[str, ...], seed: int) -> BwiModel:
        """Learn detectors of all documents, and tau with those of a part of them."""
        whole = self._detectors(examples, slots)
        inner, outer = inner_split(examples, seed)
        if not len(inner) or not len(outer):
            return BwiModel(slots, *whole, (0.0,) * len(slots))
        model = BwiModel(slots, *self._detectors(examples.only(inner), slots), (0.0,) * len(slots))
        return BwiModel(slots, *whole, _best_taus(model, examples.only(outer)))

    def _detectors(
        self, examples: Examples, slots: tuple[str, ...]
    ) -> tuple[
        tuple[tuple[Detector, ...], ...], tuple[tuple[Detector, ...], ...], tuple[FloatArray, ...]
    ]:
        spans, base = examples.spans(slots), examples.texts.offsets
        elements = Elements(examples.texts)
        fore: list[tuple[Detector, ...]] = []
        aft: list[tuple[Detector, ...]] = []
        shares = []
        for slot in range(len(slots)):
            own = spans.take(np.flatnonzero(spans.slot == slot))
            for first, found in ((True, fore), (False, aft)):
                place = base[own.doc] + (own.first if first else own.last - 1)
                true = np.zeros(len(examples.texts.start), bool)
                true[place] = True
                grower = Grower(elements, first, self.look)
                found.append(boost(grower, true, self.rounds, self.weights))
            shares.append(length_shares(own))
        return tuple(fore), tuple(aft), tuple(shares)

    def load(self, folder: Path) -> BwiModel:
        """A model that was saved."""
        saved = read_folder(folder)
        slots = saved.slots()
        sides = []
        for name in ("fore", "aft"):
            every = saved.settings.get(name)
            if not isinstance(every, list) or len(every) != len(slots):
                raise saved.wrong(name, "a list of detectors for each slot")
            for own in every:
                if not isinstance(own, list) or not all(map(_is_detector, own)):
                    raise saved.wrong(name, "detectors: two patterns and a confidence")
            sides.append(tuple(tuple(Detector(tuple(p), tuple(s), float(c)) for p, s, c in own)
                               for own in every))  # fmt: skip
        shares = tuple(saved.floats(f"lengths{slot}", [None]) for slot in range(len(slots)))
        if any(len(own) < 2 or not ((own >= 0) & (own <= 1)).all() for own in shares):
            raise saved.wrong("other shares of lengths", "numbers from 0 to 1")
        taus = saved.floats("tau", [len(slots)])
        return BwiModel(slots, sides[0], sides[1], shares, tuple(taus.tolist()))


def _is_detector(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 3:
        return False
    *patterns, confidence = value
    elements = [each for pattern in patterns if isinstance(pattern, list) for each in pattern]
    return (
        all(isinstance(pattern, list) for pattern in patterns)
        and all(isinstance(e, str) and (e[:1] == LITERAL or e in WILDCARDS) for e in elements)
        and isinstance(confidence, (int, float)) and abs(confidence) < 1e6
    )  # fmt: skip


class Elements:
    """The elements that each token matches, as codes: the wildcards, then words."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.words = texts.words.values
        kinds = np.array([_wildcards(word) for word in self.words] or [[False] * len(WILDCARDS)])
        code = texts.words.codes
        names = np.where(kinds, np.arange(len(WILDCARDS)), -1)
        self.codes = np.column_stack([names[code], len(WILDCARDS) + code]).astype(np.int64)
        self.low = texts.offsets[texts.doc]
        self.high = texts.offsets[texts.doc + 1]

    def name(self, code: int) -> str:
        """How a pattern writes an element."""
        size = len(WILDCARDS)
        return WILDCARDS[code] if code < size else LITERAL + self.words[code - size]

    def at(self, tokens: IntArray, places: IntArray) -> IntArray:
        """The codes at other places of the documents of tokens; -1 beyond their ends."""
        inside = (places >= self.low[tokens]) & (places < self.high[tokens])
        return np.where(inside[:, None], self.codes[np.where(inside, places, 0)], -1)


def _wildcards(word: str) -> list[bool]:
    return [
        True, word[:1].isupper(), word.islower() and word.isalpha(), word.isalpha(),
        word.isalnum(), word.isnumeric(), len(word) == 1,
        not any(c.isalnum() or c.isspace() for c in word),
    ]  # fmt: skip


class Grower:
    """Extends patterns around boundaries: before first tokens (`first`), or after last tokens.

    A boundary is known by the token that begins there, or that ends there. Which patterns match the
    tokens next to each boundary never changes: this index is kept, and each round only adds up
    weights.
    """

    def __init__(self, elements: Elements, first: bool, look: int) -> None:
        self.elements, self.look = elements, look
        self._before = -1 if first else 0
        self._known: dict[tuple[bool, bytes], list[tuple[IntArray, IntArray]]] = {}

    def place(self, tokens: IntArray, suffix: bool, step: int) -> IntArray:
        """The token `step` places from a boundary, on one side."""
        return tokens + (self._before + 1 + step if suffix else self._before - step)

    def best(
        self, tokens: IntArray, true: BoolArray, weight: FloatArray, size: tuple[int, int]
    ) -> tuple[float, bool, tuple[int, ...], BoolArray] | None:
        """The best extension of a detector that matches at these boundaries: its score, its side,
        its elements, and which of the boundaries it still matches. Of equally good ones, the
        prefix, then the shortest, then the one with the smallest codes, so wildcards before words.
        """
        top: tuple[float, bool, tuple[int, ...], BoolArray] | None = None
        for suffix in (False, True):
            for codes, ids in self._extensions(tokens, true, suffix, size[suffix]):
                flat = ids.ravel()
                good = flat >= 0
                each = np.repeat(np.arange(len(tokens)), ids.shape[1])[good]
                flat = flat[good]
                plus = np.bincount(flat, weight[each] * true[each], len(codes))
                minus = np.bincount(flat, weight[each] * ~true[each], len(codes))
                score = np.sqrt(plus) - np.sqrt(minus)
                row = int(score.argmax())
                if top is None or score[row] > top[0]:
                    matched = (ids == row).any(1)
                    top = float(score[row]), suffix, tuple(codes[row].tolist()), matched
        return top

    def _extensions(
        self, tokens: IntArray, true: BoolArray, suffix: bool, start: int
    ) -> list[tuple[IntArray, IntArray]]:
        """For each length up to `look`: the patterns that match at a true boundary (in order of
        their codes), and at each boundary the numbers of those that match there.
        """
        whole = len(tokens) == len(self.elements.codes)
        key = (suffix, true.tobytes())
        if whole and start == 0 and key in self._known:
            return self._known[key]
        found: list[tuple[IntArray, IntArray]] = []
        codes, ids = np.zeros((1, 0), np.int64), np.zeros((len(tokens), 1), np.int64)
        for step in range(self.look):
            here = self.elements.at(tokens, self.place(tokens, suffix, start + step))
            width = int(self.elements.codes.max(initial=0)) + 1
            both = (ids >= 0)[:, :, None] & (here >= 0)[:, None, :]
            packed = np.where(both, ids[:, :, None] * width + here[:, None, :], -1)
            packed = packed.reshape(len(tokens), -1)
            values = np.unique(packed[true])
            values = values[values >= 0]
            if not len(values):
                break
            place = np.searchsorted(values, packed)
            place = np.minimum(place, len(values) - 1)
            ids = np.where(values[place] == packed, place, -1)
            ids = ids[:, (ids >= 0).any(0)]
            codes = np.column_stack([codes[values // width], values % width])
            found.append((codes, ids))
        if whole and start == 0:
            self._known[key] = found
        return found


def boost(grower: Grower, true: BoolArray, rounds: int, weights: str) -> tuple[Detector, ...]:
    """Detectors by confidence-rated boosting."""
    size = len(true)
    if not true.any():
        return ()
    weight = np.full(size, 1 / size)
    if weights == "balanced" and not true.all():
        weight = np.where(true, 0.5 / true.sum(), 0.5 / (~true).sum())
    found: list[Detector] = []
    for _ in range(rounds):
        prefix, suffix, tokens = grow(grower, true, weight)
        matched = weight[tokens]
        plus = float(matched[true[tokens]].sum())
        minus = float(matched[~true[tokens]].sum())
        confidence = 0.5 * float(np.log((plus + 1 / size) / (minus + 1 / size)))
        if confidence <= 0:
            break
        found.append(Detector(prefix, suffix, confidence))
        weight[tokens] *= np.exp(np.where(true[tokens], -confidence, confidence))
        weight /= weight.sum()
    return tuple(found)


def grow(grower: Grower, true: BoolArray, weight: FloatArray) -> tuple[Pattern, Pattern, IntArray]:
    """One detector, grown while its score gets better; and the boundaries that it matches."""
    tokens = np.arange(len(true))
    plus, minus = float(weight[true].sum()), float(weight[~true].sum())
    score = plus**0.5 - minus**0.5
    sides: tuple[list[str], list[str]] = ([], [])
    while True:
        size = len(sides[0]), len(sides[1])
        step = grower.best(tokens, true[tokens], weight[tokens], size)
        if step is None or step[0] <= score + 1e-12:
            return tuple(sides[0]), tuple(sides[1]), tokens
        score, suffix, codes, matched = step
        sides[suffix].extend(grower.elements.name(code) for code in codes)
        tokens = tokens[matched]


def detected(texts: Texts, detectors: tuple[Detector, ...], first: bool) -> FloatArray:
    """The sum of the confidences of the detectors that match at each boundary."""
    elements = Elements(texts)
    grower = Grower(elements, first, 1)
    word = {value: code + len(WILDCARDS) for code, value in enumerate(texts.words.values)}
    known = dict(zip(WILDCARDS, range(len(WILDCARDS)), strict=True))
    sums = np.zeros(len(texts.start))
    for detector in detectors:
        tokens = np.arange(len(texts.start))
        for suffix, pattern in ((False, detector.prefix), (True, detector.suffix)):
            for step, element in enumerate(pattern):
                literal = element.startswith(LITERAL)
                code = word.get(element[1:], -2) if literal else known[element]
                here = elements.at(tokens, grower.place(tokens, suffix, step))
                tokens = tokens[(here[:, -1 if literal else code] == code)]
        sums[tokens] += detector.confidence
    return sums


@dataclass(frozen=True, slots=True, eq=False)
class BwiModel:
    """The detectors, shares of lengths and thresholds of each slot."""

    slots: tuple[str, ...]
    fore: tuple[tuple[Detector, ...], ...]
    aft: tuple[tuple[Detector, ...], ...]
    shares: tuple[FloatArray, ...]
    tau: tuple[float, ...]

    def _found(self, texts: Texts, slot: int) -> tuple[IntArray, IntArray, FloatArray]:
        """The pairs above tau that do not overlap: first and last tokens, and scores."""
        share = self.shares[slot]
        fore, aft = detected(texts, self.fore[slot], True), detected(texts, self.aft[slot], False)
        first, last = candidates(
            np.flatnonzero(fore > 0), np.flatnonzero(aft > 0), len(share) - 1, texts
        )
        score = fore[first] * aft[last] * share[last - first + 1]
        full = np.flatnonzero(score > self.tau[slot])
        rows = full[best_first(first[full], last[full], score[full])]
        return first[rows], last[rows], score[rows]

    def answers(self, texts: Texts) -> Corpus:
        """The best pairs of boundaries that do not overlap."""
        parts: list[IntArray] = []
        confidence: list[FloatArray] = []
        for slot in range(len(self.slots)):
            first, last, score = self._found(texts, slot)
            doc = texts.doc[first]
            base = texts.offsets[doc]
            parts.append(np.array([doc, first - base, last + 1 - base, np.full(len(doc), slot)]))
            confidence.append(score / (score + self.tau[slot]))
        columns = np.concatenate(parts, axis=1)
        return texts.answers(self.slots, Spans(*columns), np.concatenate(confidence))

    def describe(self) -> Mapping[str, Any]:
        """The number of different detectors."""
        lists = (*self.fore, *self.aft)
        return {"detectors": sum(len({(d.prefix, d.suffix) for d in own}) for own in lists)}

    def save(self, folder: Path) -> None:
        """Write detectors, shares of lengths and thresholds."""
        settings: dict[str, Any] = {"slots": list(self.slots)}
        for name, every in (("fore", self.fore), ("aft", self.aft)):
            settings[name] = [
                [[list(d.prefix), list(d.suffix), d.confidence] for d in own] for own in every
            ]
        arrays = {f"lengths{slot}": share for slot, share in enumerate(self.shares)}
        write_folder(folder, settings, arrays | {"tau": np.array(self.tau)})


def _best_taus(model: BwiModel, examples: Examples) -> tuple[float, ...]:
    """For each slot, the threshold with the best F1 on these documents; the middle between two
    scores. Pairs are chosen best first, so a higher threshold only removes the last ones.
    """
    spans, base = examples.spans(model.slots), examples.texts.offsets
    taus = []
    for slot in range(len(model.slots)):
        own = spans.take(np.flatnonzero(spans.slot == slot))
        gold = set(zip((base[own.doc] + own.first).tolist(),
                       (base[own.doc] + own.last - 1).tolist(), strict=True))  # fmt: skip
        first, last, score = model._found(examples.texts, slot)
        order = np.argsort(-score, kind="stable")
        pairs = zip(first[order].tolist(), last[order].tolist(), strict=True)
        right = np.cumsum([pair in gold for pair in pairs])
        score = score[order]
        if not len(score) or not len(gold):
            taus.append(0.0)
            continue
        quality = 2 * right / (np.arange(1, len(score) + 1) + len(gold))
        quality[:-1][score[1:] == score[:-1]] = -1  # equal scores are accepted together
        row = int(quality.argmax())
        below = float(score[row + 1]) if row + 1 < len(score) else 0.0
        taus.append((float(score[row]) + below) / 2)
    return tuple(taus)
