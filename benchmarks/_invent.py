"""Invents text: sentences, documents, mentions and words that resemble CoNLL-2003."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from _columns import Ints, Mentions, Text, disjoint, positions

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
# Drawn a little longer than the 63, 29, 6 and 2 % wanted, since ends of sentences cut some short.
MENTION_LENGTH_SHARES = np.array([0.605, 0.304, 0.068, 0.015, 0.004, 0.002, 0.001, 0.001])
MEAN_GAP = 7.5  # tokens between two mentions; gives 16 to 17 % of tokens inside mentions


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
    """Words that grow with their rank: one syllable at the top, three or four far down."""
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
    """Sentences and documents, then mentions, then words that suit them."""
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
        begun = ends[-1] if len(ends) else 0
        ends = np.concatenate([ends, begun + np.cumsum(lengths.clip(1, SENTENCE_LONGEST))])
    ends = ends[: np.searchsorted(ends, tokens) + 1]
    ends[-1] = tokens
    return ends


def draw_document_ends(rng: Generator, sentence_ends: Ints, mean: float) -> Ints:
    """Geometric numbers of sentences a document; the last document takes what is left."""
    counts = rng.geometric(1 / mean, size=len(sentence_ends))
    last = np.cumsum(counts) - 1
    return np.append(sentence_ends[last[last < len(sentence_ends) - 1]], sentence_ends[-1])


def draw_lengths(rng: Generator, count: int) -> Ints:
    """Lengths of mentions, before ends of sentences cut some of them."""
    return rng.choice(MENTION_LENGTHS, size=count, p=MENTION_LENGTH_SHARES).astype(np.int64)


def draw_labels(rng: Generator, count: int, labels: int) -> Ints:
    """Labels with Zipf-like frequencies, the first most frequent."""
    weights = 1 / np.arange(1, labels + 1) ** 0.7
    return rng.choice(labels, size=count, p=weights / weights.sum()).astype(np.int64)


def draw_mentions(rng: Generator, text: Text, tokens: int, labels: int) -> Mentions:
    """Gaps and mentions in turn; a mention that would cross the end of a sentence stops there."""
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
