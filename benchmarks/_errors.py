"""Makes errors: what an invented system marks instead of gold."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.random import Generator

from _columns import Mentions, Text, disjoint, joined
from _invent import draw_labels, draw_lengths


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
