"""Overlap join: which mentions of two tables share positions, and how many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from carob.arrays.ranges import owners_and_rows
from carob.arrays.types import IntArray


class _Spans(Protocol):
    """The fragments of all mentions; those of mention i lie between `offsets[i]` and `[i + 1]`."""

    @property
    def offsets(self) -> IntArray: ...
    @property
    def start(self) -> IntArray: ...
    @property
    def end(self) -> IntArray: ...


class _Table(Protocol):
    """A table of mentions: document, extent and fragments of each."""

    @property
    def doc(self) -> IntArray: ...
    @property
    def end(self) -> IntArray: ...
    def __len__(self) -> int: ...
    def pieces(self) -> _Spans: ...


@dataclass(slots=True, eq=False)
class Overlaps:
    """Pairs of mentions that share positions, sorted by gold row, then system row."""

    gold: IntArray
    system: IntArray
    shared: IntArray

    def __len__(self) -> int:
        return len(self.gold)


class TooManyOverlapsError(Exception):
    """There are more overlaps than may be listed."""


def overlaps(gold: _Table, system: _Table, largest: int = 2**62) -> Overlaps:
    """All pairs of mentions, whatever their labels, that share a position of a document.

    If there are more than `largest` (of discontinuous mentions: pairs of fragments),
    TooManyOverlapsError is raised before any is listed.

    The cost is a sort of what is not sorted yet, a few binary searches a mention, and the pairs
    found; nesting, crossing and duplicates cost nothing more.

    >>> from carob.corpus.corpus import Corpus
    >>> gold = Corpus.of("The [quick brown]A fox jumps over the [lazy dog]A").mentions
    >>> system = Corpus.of("The [quick brown fox]A jumps over the [lazy]A [dog]A").mentions
    >>> overlaps(gold, system)
    Overlaps(gold=array([0, 1, 1]), system=array([0, 1, 2]), shared=array([2, 1, 1]))
    """
    # Documents are laid end to end on one line, each as wide as the widest.
    width = max(int(gold.end.max(initial=0)), int(system.end.max(initial=0)))
    (a0, a1, ours), (b0, b1, theirs) = _on_a_line(gold, width), _on_a_line(system, width)
    left, right = _met(a0, a1, b0, b1, largest)
    shared = np.minimum(a1[left], b1[right]) - np.maximum(a0[left], b0[right])
    one, other = ours[left], theirs[right]
    # A key for each pair of mentions: several pairs of fragments may have the same.
    keys = one * np.int64(len(system)) + other
    if np.any(keys[1:] <= keys[:-1]):
        order = np.argsort(keys, kind="stable")
        keys, one, other = keys[order], one[order], other[order]
        first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
        shared = np.add.reduceat(shared[order], first)
        one, other = one[first], other[first]
    return Overlaps(one, other, shared)


def count_overlaps(gold: _Table, system: _Table) -> IntArray:
    """For each gold mention, how many pairs `overlaps` would list (of discontinuous mentions, how
    many pairs of fragments): spans meet unless one ends before the other begins.

    >>> from carob.corpus.corpus import Corpus
    >>> gold = Corpus.of("The [quick brown]A fox jumps over the [lazy dog]A").mentions
    >>> system = Corpus.of("The [quick brown fox]A jumps over the [lazy]A [dog]A").mentions
    >>> count_overlaps(gold, system)
    array([1, 2])
    """
    width = max(int(gold.end.max(initial=0)), int(system.end.max(initial=0)))
    (a0, a1, ours), (b0, b1, _) = _on_a_line(gold, width), _on_a_line(system, width)
    counts = np.searchsorted(b0, a1, "left") - np.searchsorted(np.sort(b1), a0, "right")
    return np.bincount(ours, counts, len(gold)).astype(np.int64)


def _on_a_line(table: _Table, width: int) -> tuple[IntArray, IntArray, IntArray]:
    """Start, end and mention of every fragment, sorted by start."""
    pieces = table.pieces()
    row = np.repeat(np.arange(len(table)), np.diff(pieces.offsets))
    first, last = pieces.start, pieces.end
    if not last.all():  # mentions without positions meet nothing
        there = np.flatnonzero(last)
        first, last, row = first[there], last[there], row[there]
    # NumPy 1 keeps int32 when a column is multiplied by a number, and overflows.
    start = table.doc[row].astype(np.int64) * width
    end = start + last
    start += first
    if np.any(start[1:] < start[:-1]):
        order = np.argsort(start, kind="stable")
        start, end, row = start[order], end[order], row[order]
    return start, end, row


def _met(
    a0: IntArray, a1: IntArray, b0: IntArray, b1: IntArray, largest: int
) -> tuple[IntArray, IntArray]:
    """The pairs of spans that share a position; both tables are sorted by start."""
    if not np.any(b1[1:] < b1[:-1]):
        # The spans that end after a starts and start before a ends are adjacent.
        inside = np.searchsorted(b1, a0, "right"), np.searchsorted(b0, a1, "left")
        _check_count(largest, inside)
        return _windows(*inside)
    # Of two spans that meet, either b starts inside a, or a starts later inside b: never both.
    inside = np.searchsorted(b0, a0, "left"), np.searchsorted(b0, a1, "left")
    around = np.searchsorted(a0, b0, "right"), np.searchsorted(a0, b1, "left")
    _check_count(largest, inside, around)
    left, right = _windows(*inside)
    others, more = _windows(*around)
    return np.concatenate([left, more]), np.concatenate([right, others])


def _check_count(largest: int, *windows: tuple[IntArray, IntArray]) -> None:
    if sum(int((high - low).sum()) for low, high in windows) > largest:
        raise TooManyOverlapsError


def _windows(low: IntArray, high: IntArray) -> tuple[IntArray, IntArray]:
    """Every row with every place of its window [low, high)."""
    return owners_and_rows(low, high - low)
