"""Writes an invented gold file and the answers of invented systems, as large as you like.

The files are CoNLL (`TOKEN TAG`, IOB2, a blank line after each sentence, `-DOCSTART- O` before each
document) and resemble the English data of CoNLL-2003 in what a scorer notices: lengths of
sentences, density and lengths of mentions, skewed labels, a Zipfian vocabulary.

    python benchmarks/generate.py build/data --tokens 2000000 --labels 4 --systems 2 --seed 0

The same arguments give the same bytes (with one version of NumPy: its random streams may change
between versions).
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

LABELS = (
    *("PER", "ORG", "LOC", "MISC", "DATE", "CARDINAL", "GPE", "NORP", "MONEY"),
    *("PERCENT", "TIME", "ORDINAL", "QUANTITY", "EVENT", "FAC", "PRODUCT", "LAW", "LANGUAGE"),
)
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
LINES_AT_ONCE = 1 << 19


@dataclass(frozen=True, slots=True)
class Rates:
    """How often a system errs, each kind by itself; the defaults give an exact F1 of 0.85 to 0.90.

    miss      share of gold mentions that the system does not mark
    mislabel  share of mentions that get another label
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

    def varied(self, rng: Generator) -> Rates:
        """The same rates, each up to a fourth lower or higher."""
        factors = rng.uniform(0.75, 1.25, len(fields(self)))
        pairs = zip(fields(self), factors, strict=True)
        return Rates(**{field.name: getattr(self, field.name) * f for field, f in pairs})


@dataclass(frozen=True, slots=True)
class Mentions:
    """Mentions as columns, sorted, without overlaps; positions count tokens of the whole corpus."""

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


def generate(
    outdir: Path | str,
    tokens: int = 2_000_000,
    labels: int = 4,
    systems: int = 2,
    seed: int = 0,
    sentences_per_document: float = 15,
    rates: Rates | None = None,
) -> list[Path]:
    """Writes `gold.conll`, `system-1.conll` ... to `outdir`; returns their paths, gold first.

    The first system errs at `rates` exactly, the others at rates that vary around them.
    System k is the same whatever the number of systems.
    """
    check(tokens, labels, systems, sentences_per_document)
    rates = rates or Rates()
    rng = np.random.default_rng([seed, 0])
    vocabulary = invent_vocabulary(rng)
    text, gold = draw_corpus(rng, tokens, labels, sentences_per_document)
    outdir = Path(outdir)
    outdir.mkdir(parents=True, exist_ok=True)
    paths = [outdir / "gold.conll"]
    write(paths[0], text, gold, vocabulary, labels)
    for number in range(1, systems + 1):
        rng = np.random.default_rng([seed, number])
        system = answer(rng, text, gold, labels, rates if number == 1 else rates.varied(rng))
        paths.append(outdir / f"system-{number}.conll")
        write(paths[-1], text, system, vocabulary, labels)
    return paths


def check(tokens: int, labels: int, systems: int, sentences_per_document: float) -> None:
    """Refuses arguments that no corpus can have."""
    if tokens < 1:
        raise ValueError(f"found {tokens} tokens, expected at least 1")
    if not 4 <= labels <= len(LABELS):
        raise ValueError(f"found {labels} labels, expected 4 to {len(LABELS)}")
    if systems < 0:
        raise ValueError(f"found {systems} systems, expected 0 or more")
    if sentences_per_document < 1:
        raise ValueError(f"found {sentences_per_document} sentences a document, expected 1 or more")


# --- text and gold ---


def invent_vocabulary(rng: Generator) -> list[bytes]:
    """Punctuation, ordinary words (some numerals), then names; frequent words first and shorter."""
    words = dict.fromkeys(PUNCTUATION)
    while len(words) < ORDINARY_WORDS:
        word = str(rng.integers(1, 3000)) if rng.random() < 0.05 else syllables(rng, len(words))
        words.setdefault(word)
    while len(words) < ORDINARY_WORDS + NAME_WORDS:
        words.setdefault(syllables(rng, len(words) - ORDINARY_WORDS, foreign=0.04).capitalize())
    return [word.encode() for word in words]


def syllables(rng: Generator, rank: int, foreign: float = 0.01) -> str:
    """A word that grows with its rank: one syllable at the top, three or four far down."""
    count = 1 + int(rng.poisson(min(2.5, np.log10(1 + rank) / 1.7)))
    parts = [SYLLABLES[i] for i in rng.integers(len(SYLLABLES), size=count)]
    if rng.random() < foreign:
        parts.append(FOREIGN_SYLLABLES[rng.integers(len(FOREIGN_SYLLABLES))])
    return "".join(parts)


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
    words = np.empty(tokens, np.int32)
    for begin in range(0, tokens, LINES_AT_ONCE):
        drawn = rng.random(min(LINES_AT_ONCE, tokens - begin)) * cumulated[-1]
        words[begin : begin + LINES_AT_ONCE] = np.searchsorted(cumulated[:-1], drawn)
    last = text.sentence_ends - 1
    words[last[rng.random(len(last)) < 0.8]] = PERIOD
    inside = positions(gold)
    words[inside] = ORDINARY_WORDS + words[inside] % NAME_WORDS
    return words


# --- the errors of a system ---


def answer(rng: Generator, text: Text, gold: Mentions, labels: int, rates: Rates) -> Mentions:
    """What a system with these error rates would mark; one kind of error after the other."""
    system = miss(rng, gold, rates.miss)
    system = mislabel(rng, system, rates.mislabel, labels)
    system = merge(rng, system, rates.merge, text)
    system = split(rng, system, rates.split)
    system = shift(rng, system, rates.shift, text)
    occupied = disjoint(joined(gold, system))
    invented = invent(rng, occupied, round(rates.invent * len(gold)), text, labels)
    return disjoint(joined(system, invented))


def miss(rng: Generator, mentions: Mentions, rate: float) -> Mentions:
    """Leaves mentions out."""
    return mentions.where(rng.random(len(mentions)) >= rate)


def mislabel(rng: Generator, mentions: Mentions, rate: float, labels: int) -> Mentions:
    """Gives mentions another label, each other one equally likely."""
    chosen = rng.random(len(mentions)) < rate
    away = rng.integers(1, labels, size=len(mentions))
    return replace(mentions, label=(mentions.label + chosen * away) % labels)


def merge(rng: Generator, mentions: Mentions, rate: float, text: Text) -> Mentions:
    """Joins neighbours of one sentence, at most two tokens apart, under the label of the first."""
    if len(mentions) < 2:
        return mentions
    near = mentions.start[1:] - mentions.end[:-1] <= 2
    same_sentence = mentions.start[1:] < text.sentence_end(mentions.start[:-1])
    chosen = np.append(near & same_sentence & (rng.random(len(near)) < rate), False)
    chosen[1:] &= ~chosen[:-1]
    swallowed = np.append(False, chosen[:-1])
    end = np.where(chosen, np.append(mentions.end[1:], 0), mentions.end)
    return replace(mentions, end=end).where(~swallowed)


def split(rng: Generator, mentions: Mentions, rate: float) -> Mentions:
    """Cuts mentions of two or more tokens in two, anywhere."""
    length = mentions.end - mentions.start
    chosen = (length >= 2) & (rng.random(len(mentions)) < rate)
    cut = mentions.start + 1 + (rng.random(len(mentions)) * (length - 1)).astype(np.int64)
    first = replace(mentions, end=np.where(chosen, cut, mentions.end))
    return joined(first, replace(mentions, start=cut).where(chosen))


def shift(rng: Generator, mentions: Mentions, rate: float, text: Text) -> Mentions:
    """Moves one border by one token, in or out, within the sentence and never to nothing."""
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
    """New mentions where nothing is marked yet; twice as many places are tried as are needed."""
    start = rng.integers(text.sentence_ends[-1], size=2 * count)
    end = np.minimum(start + draw_lengths(rng, len(start)), text.sentence_end(start))
    before = np.searchsorted(occupied.start, end) - 1
    end_before = np.append(occupied.end, 0)[before]  # -1, no mention before, finds the 0
    free = np.flatnonzero(end_before <= start)[:count]
    return Mentions(start[free], end[free], draw_labels(rng, len(free), labels))


# --- columns ---


def joined(one: Mentions, other: Mentions) -> Mentions:
    """Both together, sorted by start."""
    start = np.concatenate([one.start, other.start])
    order = np.argsort(start, kind="stable")
    end = np.concatenate([one.end, other.end])
    return Mentions(start[order], end[order], np.concatenate([one.label, other.label])[order])


def disjoint(mentions: Mentions) -> Mentions:
    """Where mentions overlap, the earlier keeps the tokens; what is left empty is dropped."""
    taken = np.append(0, np.maximum.accumulate(mentions.end)[:-1])[: len(mentions)]
    start = np.maximum(mentions.start, taken)
    return replace(mentions, start=start).where(start < mentions.end)


def positions(mentions: Mentions) -> Ints:
    """All positions inside mentions, in order."""
    length = mentions.end - mentions.start
    first = np.cumsum(length) - length
    return np.repeat(mentions.start - first, length) + np.arange(length.sum())


# --- files ---


def write(path: Path, text: Text, mentions: Mentions, vocabulary: list[bytes], labels: int) -> None:
    """Writes one CoNLL file: each line is two ready-made pieces, the word and what follows it."""
    words = np.array([word + b" " for word in vocabulary], dtype=object)
    endings = np.array(line_endings(labels), dtype=object)
    codes = ending_codes(text, mentions, labels)
    with path.open("wb") as file:
        file.write(b"-DOCSTART- O\n\n")
        for begin in range(0, len(codes), LINES_AT_ONCE):
            lines = slice(begin, begin + LINES_AT_ONCE)
            pieces = np.empty((len(codes[lines]), 2), dtype=object)
            pieces[:, 0] = words[text.words[lines]]
            pieces[:, 1] = endings[codes[lines]]
            file.write(b"".join(pieces.ravel().tolist()))


def tags(labels: int) -> list[str]:
    """The tags, indexed by 0 for O, 1 + 2 label for B-, 2 + 2 label for I-."""
    return ["O"] + [f"{prefix}-{label}" for label in LABELS[:labels] for prefix in "BI"]


def line_endings(labels: int) -> list[bytes]:
    """Every tag inside a sentence, then at the end of a sentence, then at the end of a document."""
    breaks = ("\n", "\n\n", "\n\n-DOCSTART- O\n\n")
    return [(tag + after).encode() for after in breaks for tag in tags(labels)]


def ending_codes(text: Text, mentions: Mentions, labels: int) -> NDArray[np.uint8]:
    """For each token, which of `line_endings` follows its word."""
    codes = np.zeros(len(text.words), np.uint8)
    codes[positions(mentions)] = np.repeat(
        2 + 2 * mentions.label, mentions.end - mentions.start
    ).astype(np.uint8)
    codes[mentions.start] -= 1
    codes[text.sentence_ends - 1] += 1 + 2 * labels
    codes[text.document_ends[:-1] - 1] += 1 + 2 * labels
    return codes


# --- command line ---


def parser() -> argparse.ArgumentParser:
    """The options, with the defaults of `generate` and `Rates`."""
    options = argparse.ArgumentParser(description="Writes invented gold and system files.")
    options.add_argument("outdir", type=Path)
    options.add_argument("--tokens", type=int, default=2_000_000)
    options.add_argument("--labels", type=int, default=4, help=f"4 to {len(LABELS)}")
    options.add_argument("--systems", type=int, default=2)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--sentences-per-document", type=float, default=15, metavar="MEAN")
    for field in fields(Rates):
        options.add_argument(f"--{field.name}", type=float, default=field.default, metavar="RATE")
    return options


def main() -> None:
    """Generates what the command line asks for and prints the paths."""
    options = parser()
    given = vars(options.parse_args())
    rates = Rates(**{field.name: given.pop(field.name) for field in fields(Rates)})
    try:
        paths = generate(rates=rates, **given)
    except ValueError as error:
        options.error(str(error))
    print(*paths, sep="\n")


if __name__ == "__main__":
    main()
