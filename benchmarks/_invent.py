"""Invent a corpus: text that resembles CoNLL-2003, gold mentions, and systems that make errors."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

PUNCTUATION = (",", ".", "(", ")", '"', "-", "'s", ":", ";", "?", "--", "/", "$", "!", "&", "%")
PERIOD = PUNCTUATION.index(".")
SYLLABLES = (
    *("a", "be", "co", "da", "en", "fi", "ga", "ho", "in", "ka", "lo", "mer", "na", "or", "pel"),
    *("ra", "sto", "ti", "un", "ver", "wa", "ist", "ment", "ing", "al", "es", "tor", "ley", "os"),
)
FOREIGN_SYLLABLES = ("é", "mü", "ço", "ñar", "łó", "øst", "ßen", "ži", "ова", "ης", "東", "京")

ORDINARY_WORDS = 20_000
NAME_WORDS = 20_000
SENTENCE_MEAN, SENTENCE_SIGMA, SENTENCE_LONGEST = 14.5, 0.70, 125
MENTION_LENGTHS = np.arange(1, 9)
# A little longer than the intended 63, 29, 6 and 2 %, because ends of sentences cut some short.
MENTION_LENGTH_SHARES = np.array([0.605, 0.304, 0.068, 0.015, 0.004, 0.002, 0.001, 0.001])
MEAN_GAP = 7.5  # tokens between two mentions; gives 16 to 17 % of tokens inside mentions


@dataclass(frozen=True, slots=True)
class Mentions:
    """Mentions as columns, sorted and without overlaps; positions are token numbers."""

    start: Ints
    end: Ints
    label: Ints

    def where(self, chosen: Bools) -> Mentions:
        return Mentions(self.start[chosen], self.end[chosen], self.label[chosen])

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True, slots=True)
class Text:
    """What gold and all systems share: words, and where sentences and documents end."""

    words: NDArray[np.int32]
    sentence_ends: Ints
    document_ends: Ints

    def sentence_end(self, position: Ints) -> Ints:
        return self.sentence_ends[np.searchsorted(self.sentence_ends, position, side="right")]

    def sentence_start(self, position: Ints) -> Ints:
        before = np.searchsorted(self.sentence_ends, position, side="right") - 1
        return np.where(before < 0, 0, self.sentence_ends[before])


def joined(one: Mentions, other: Mentions) -> Mentions:
    """Both together, sorted by start."""
    start = np.concatenate([one.start, other.start])
    order = np.argsort(start, kind="stable")
    end = np.concatenate([one.end, other.end])
    return Mentions(start[order], end[order], np.concatenate([one.label, other.label])[order])


def disjoint(mentions: Mentions) -> Mentions:
    """Where mentions overlap, the earlier one keeps the tokens; empty ones are dropped."""
    taken = np.append(0, np.maximum.accumulate(mentions.end)[:-1])[: len(mentions)]
    start = np.maximum(mentions.start, taken)
    return replace(mentions, start=start).where(start < mentions.end)


def positions(mentions: Mentions) -> Ints:
    """All positions inside mentions, in order."""
    length = mentions.end - mentions.start
    first = np.cumsum(length) - length
    return np.repeat(mentions.start - first, length) + np.arange(length.sum())


# --- text and gold ---


def invent_vocabulary(rng: Generator) -> list[bytes]:
    """Punctuation, ordinary words (some numerals), then names; frequent words first and shorter."""
    words = dict.fromkeys(PUNCTUATION)
    while len(words) < ORDINARY_WORDS:
        numerals = iter(rng.integers(1, 3000, ORDINARY_WORDS).tolist())
        chosen = (rng.random(ORDINARY_WORDS) < 0.05).tolist()
        drawn = syllables(rng, len(words), ORDINARY_WORDS, foreign=0.01)
        for word, numeral in zip(drawn, chosen, strict=True):
            words.setdefault(str(next(numerals)) if numeral else word)
    ordinary = list(words)[:ORDINARY_WORDS]
    words = dict.fromkeys(ordinary)
    while len(words) < ORDINARY_WORDS + NAME_WORDS:
        drawn = syllables(rng, len(words) - ORDINARY_WORDS, NAME_WORDS, foreign=0.04)
        words |= dict.fromkeys(word.capitalize() for word in drawn)
    return [word.encode() for word in list(words)[: ORDINARY_WORDS + NAME_WORDS]]


def syllables(rng: Generator, rank: int, count: int, foreign: float) -> list[str]:
    """Words, longer at lower ranks: one syllable at the top, three or four at the bottom."""
    mean = np.minimum(2.5, np.log10(1 + rank + np.arange(count)) / 1.7)
    lengths = np.minimum(1 + rng.poisson(mean), 12)
    native = np.array(SYLLABLES, dtype=object)[rng.integers(len(SYLLABLES), size=(count, 12))]
    ends = np.where(
        rng.random(count) < foreign,
        np.array(FOREIGN_SYLLABLES, dtype=object)[rng.integers(len(FOREIGN_SYLLABLES), size=count)],
        "",
    )
    rows = zip(native.tolist(), lengths.tolist(), ends.tolist(), strict=True)
    return ["".join(row[:length]) + end for row, length, end in rows]


def draw_corpus(
    rng: Generator, tokens: int, labels: int, sentences_per_document: float
) -> tuple[Text, Mentions]:
    """Sentences and documents, then mentions, then words that fit them."""
    sentence_ends = draw_sentence_ends(rng, tokens)
    document_ends = draw_document_ends(rng, sentence_ends, sentences_per_document)
    text = Text(np.empty(0, np.int32), sentence_ends, document_ends)
    gold = draw_mentions(rng, text, tokens, labels)
    return replace(text, words=draw_words(rng, text, gold, tokens)), gold


def draw_sentence_ends(rng: Generator, tokens: int) -> Ints:
    """Lognormal lengths: many short sentences (headlines, tables) and a long tail."""
    location = np.log(SENTENCE_MEAN) - SENTENCE_SIGMA**2 / 2
    count = int(1.1 * tokens / SENTENCE_MEAN) + 100
    ends = np.zeros(0, np.int64)
    while len(ends) == 0 or ends[-1] < tokens:
        lengths = rng.lognormal(location, SENTENCE_SIGMA, count).round().astype(np.int64)
        offset = ends[-1] if len(ends) else 0
        ends = np.concatenate([ends, offset + np.cumsum(lengths.clip(1, SENTENCE_LONGEST))])
    ends = ends[: np.searchsorted(ends, tokens) + 1]
    ends[-1] = tokens
    return ends


def draw_document_ends(rng: Generator, sentence_ends: Ints, mean: float) -> Ints:
    """Geometric numbers of sentences per document; the last document takes the rest."""
    counts = rng.geometric(1 / mean, size=len(sentence_ends))
    last = np.cumsum(counts) - 1
    return np.append(sentence_ends[last[last < len(sentence_ends) - 1]], sentence_ends[-1])


def draw_lengths(rng: Generator, count: int) -> Ints:
    """Lengths of mentions, before ends of sentences cut some of them short."""
    return rng.choice(MENTION_LENGTHS, size=count, p=MENTION_LENGTH_SHARES).astype(np.int64)


def draw_labels(rng: Generator, count: int, labels: int) -> Ints:
    """Labels with Zipf-like frequencies, the first most frequent."""
    weights = 1 / np.arange(1, labels + 1) ** 0.7
    return rng.choice(labels, size=count, p=weights / weights.sum()).astype(np.int64)


def draw_mentions(rng: Generator, text: Text, tokens: int, labels: int) -> Mentions:
    """Gaps and mentions in turn; a mention does not cross the end of its sentence."""
    mean_length = float(MENTION_LENGTHS @ MENTION_LENGTH_SHARES)
    count = int(1.1 * tokens / (MEAN_GAP + mean_length)) + 100
    lengths = draw_lengths(rng, count)
    gaps = rng.geometric(1 / (1 + MEAN_GAP), size=count) - 1
    start = np.cumsum(gaps + lengths) - lengths
    start = start[start < tokens]
    end = np.minimum(start + lengths[: len(start)], text.sentence_end(start))
    return disjoint(Mentions(start, end, draw_labels(rng, len(start), labels)))


def draw_words(rng: Generator, text: Text, gold: Mentions, tokens: int) -> NDArray[np.int32]:
    """Zipfian words: names inside mentions, the rest outside, and mostly a period at the end."""
    ranks = np.arange(ORDINARY_WORDS)
    cumulated = np.cumsum(1 / (ranks + 2.7))
    drawn = rng.random(tokens) * cumulated[-1]
    words: NDArray[np.int32] = np.searchsorted(cumulated[:-1], drawn).astype(np.int32)
    last = text.sentence_ends - 1
    words[last[rng.random(len(last)) < 0.8]] = PERIOD
    inside = positions(gold)
    words[inside] = ORDINARY_WORDS + words[inside] % NAME_WORDS
    return words


# --- systems ---


@dataclass(frozen=True, slots=True)
class Rates:
    """How often a system makes each kind of error; the defaults give an exact F1 of 0.85 to 0.90.

    miss      share of gold mentions that the system does not mark
    mislabel  share of mentions that get a different label
    shift     share of mentions one of whose borders moves by one token
    split     share of the mentions of two or more tokens that become two
    merge     share of the pairs of neighbours, at most two tokens apart, that become one
    invent    mentions marked where gold has none, relative to the number of gold mentions
    """

    miss: float = 0.05
    mislabel: float = 0.03
    shift: float = 0.03
    split: float = 0.03
    merge: float = 0.03
    invent: float = 0.04

    def varied(self, rng: Generator, spread: float = 0.0) -> Rates:
        """The same rates, each up to a fourth lower or higher; then all up to 1 + `spread` times
        as high.
        """
        factors = rng.uniform(0.75, 1.25, len(fields(self)))
        factors *= rng.uniform(1, 1 + spread)
        pairs = zip(fields(self), factors, strict=True)
        return Rates(**{field.name: getattr(self, field.name) * f for field, f in pairs})


def answer(rng: Generator, text: Text, gold: Mentions, labels: int, rates: Rates) -> Mentions:
    """The mentions of a system with these error rates; the kinds of errors are made in turn."""
    system = miss(rng, gold, rates.miss)
    system = mislabel(rng, system, rates.mislabel, labels)
    system = merge(rng, system, rates.merge, text)
    system = split(rng, system, rates.split)
    system = shift(rng, system, rates.shift, text)
    occupied = disjoint(joined(gold, system))
    invented = invent(rng, occupied, round(rates.invent * len(gold)), text, labels)
    return disjoint(joined(system, invented))


def miss(rng: Generator, mentions: Mentions, rate: float) -> Mentions:
    """Leave mentions out."""
    return mentions.where(rng.random(len(mentions)) >= rate)


def mislabel(rng: Generator, mentions: Mentions, rate: float, labels: int) -> Mentions:
    """Give mentions a different label; all others are equally likely."""
    chosen = rng.random(len(mentions)) < rate
    away = rng.integers(1, labels, size=len(mentions))
    return replace(mentions, label=(mentions.label + chosen * away) % labels)


def merge(rng: Generator, mentions: Mentions, rate: float, text: Text) -> Mentions:
    """Join neighbours in a sentence, at most two tokens apart, under the label of the first."""
    if len(mentions) < 2:
        return mentions
    near = mentions.start[1:] - mentions.end[:-1] <= 2
    same_sentence = mentions.start[1:] < text.sentence_end(mentions.start[:-1])
    chosen = np.append(near & same_sentence & (rng.random(len(near)) < rate), False)
    chosen[1:] &= ~chosen[:-1]
    absorbed = np.append(False, chosen[:-1])
    end = np.where(chosen, np.append(mentions.end[1:], 0), mentions.end)
    return replace(mentions, end=end).where(~absorbed)


def split(rng: Generator, mentions: Mentions, rate: float) -> Mentions:
    """Cut mentions of two or more tokens in two, at a random place."""
    length = mentions.end - mentions.start
    chosen = (length >= 2) & (rng.random(len(mentions)) < rate)
    cut = mentions.start + 1 + (rng.random(len(mentions)) * (length - 1)).astype(np.int64)
    first = replace(mentions, end=np.where(chosen, cut, mentions.end))
    return joined(first, replace(mentions, start=cut).where(chosen))


def shift(rng: Generator, mentions: Mentions, rate: float, text: Text) -> Mentions:
    """Move one border by one token, in or out, within the sentence; no mention becomes empty."""
    chosen = rng.random(len(mentions)) < rate
    outward = (rng.random(len(mentions)) < 0.5) | (mentions.end - mentions.start == 1)
    at_start = rng.random(len(mentions)) < 0.5
    can_left = mentions.start > text.sentence_start(mentions.start)
    can_right = mentions.end < text.sentence_end(mentions.start)
    at_start = np.where(outward, (at_start & can_left) | ~can_right, at_start)
    chosen &= ~outward | can_left | can_right
    step = np.where(outward, 1, -1)
    start = mentions.start - step * (chosen & at_start)
    end = mentions.end + step * (chosen & ~at_start)
    return disjoint(Mentions(start, end, mentions.label))


def invent(rng: Generator, occupied: Mentions, count: int, text: Text, labels: int) -> Mentions:
    """New mentions where there is none yet; tries twice as many places as are needed."""
    start = rng.integers(text.sentence_ends[-1], size=2 * count)
    end = np.minimum(start + draw_lengths(rng, len(start)), text.sentence_end(start))
    before = np.searchsorted(occupied.start, end) - 1
    end_before = np.append(occupied.end, 0)[before]  # -1 (no mention before) takes the 0
    free = np.flatnonzero(end_before <= start)[:count]
    return Mentions(start[free], end[free], draw_labels(rng, len(free), labels))
