"""Text and mentions as columns, and the few operations on them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Mentions:
    """Mentions as columns, sorted, without overlaps; positions count tokens of the text."""

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
    """Where mentions overlap, the earlier keeps the tokens; what is left empty is dropped."""
    taken = np.append(0, np.maximum.accumulate(mentions.end)[:-1])[: len(mentions)]
    start = np.maximum(mentions.start, taken)
    return replace(mentions, start=start).where(start < mentions.end)


def positions(mentions: Mentions) -> Ints:
    """All positions inside mentions, in order."""
    length = mentions.end - mentions.start
    first = np.cumsum(length) - length
    return np.repeat(mentions.start - first, length) + np.arange(length.sum())
