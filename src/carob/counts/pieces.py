"""A large pair in pieces of whole documents, and their tallies together again.

What a space works out on its way is several times what it counts. Document by document it comes
to the same, so a large pair is counted in pieces, and only the counts are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import numpy as np

from carob.arrays.columns import compact
from carob.arrays.types import FloatArray, IntArray
from carob.corpus.tables import Documents, Mentions
from carob.counts._grids import Grid
from carob.counts.tally import DENSE, Tally
from carob.pair.pair import Pair

LARGE = 1 << 17
"""How many mentions, of both sides together, are counted at once; with more, there are pieces."""
PIECE = 1 << 17
"""About how many mentions a piece has."""


def pieces(pair: Pair) -> Iterator[Pair]:
    """The pair in pieces of whole documents, in order; itself, if it is small.

    Positions must be tokens: characters are moved onto tokens all at once.

    >>> from carob.corpus.corpus import Corpus
    >>> pair = Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept"))
    >>> [piece is pair for piece in pieces(pair)]
    [True]
    """
    sides = (pair.gold, pair.system)
    rows = sum(len(table) for table in sides)
    if pair.unit != "token" or rows <= LARGE:
        yield pair
        return
    bounds = np.linspace(0, pair.size, rows // PIECE + 2).astype(np.int64)
    # Bounds of the kind that documents have: else a copy of all documents would be made.
    places = [np.searchsorted(t.doc, bounds.astype(t.doc.dtype)).tolist() for t in sides]
    for k, (low, high) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        if low < high:
            gold, system = (
                _between(table, place[k], place[k + 1], low)
                for table, place in zip(sides, places, strict=True)
            )
            documents = _documents(pair.documents, low, high)
            yield replace(pair, gold=gold, system=system, documents=documents)


def _between(table: Mentions, low: int, high: int, doc: int) -> Mentions:
    """The rows from `low` to `high`, whose documents are counted from `doc` on."""
    beside = (table.fragments, table.confidence, table.id, table.place)
    if any(each is not None for each in beside) or table.attributes:
        part = table.take(np.arange(low, high))
        return replace(part, doc=part.doc - np.int32(doc))
    rows = slice(low, high)
    return Mentions(
        table.doc[rows] - np.int32(doc), table.start[rows], table.end[rows], table.label[rows]
    )


def _documents(table: Documents, low: int, high: int) -> Documents:
    first, last = table.sentence_offsets[[low, high]].tolist()
    return Documents(
        table.length[low:high],
        table.hash[low:high],
        table.sentence_offsets[low : high + 1] - first,
        table.sentence_start[first:last],
        table.line[low:high],
        table.offset[low:high],
        None if table.id is None else table.id[low:high],
        {name: codes.take(np.arange(low, high)) for name, codes in table.attributes.items()},
    )


class Gathered:
    """The tallies of neighbouring pieces as one: what `Tally.of` makes of the whole pair.

    >>> none, unit = np.zeros((0, 1)), np.arange(2)
    >>> one = Tally(2, ("A",), ("tp",), (), none, unit, unit * 0, np.array([[4.0], [5.0]]))
    >>> both = Gathered(4)
    >>> both.add(one)
    >>> both.add(one)
    >>> both.done().counts.T
    array([[4., 5., 4., 5.]])
    """

    def __init__(self, units: int) -> None:
        self.units, self.seen = units, 0
        self._first: Tally | None = None
        self._grid: list[FloatArray] | None = None
        self._rows: list[tuple[IntArray, IntArray, FloatArray]] = []
        self._sizes: list[FloatArray] = []

    def add(self, tally: Tally) -> None:
        """Put the units of a tally behind the others."""
        width, columns = len(tally.labels), len(tally.outcomes)
        if self._first is None:
            # What it says of labels and outcomes is kept, its counts are not.
            self._first = replace(tally, counts=tally.counts[:0].copy())
            if self.units * width * columns <= DENSE:
                small = [np.empty(self.units * width, np.int16) for _ in range(columns)]
                self._grid = cast(list[FloatArray], small)
        if self._grid is not None:
            some = slice(self.seen * width, (self.seen + tally.units) * width)
            for i, counts in enumerate(tally.counts.T):
                numbers = compact(counts)
                self._grid[i] = self._grid[i].astype(
                    np.promote_types(self._grid[i].dtype, numbers.dtype), copy=False
                )
                self._grid[i][some] = numbers
        else:
            there = np.flatnonzero(tally.counts.any(axis=1))
            unit, label = tally.unit[there] + self.seen, tally.label[there]
            self._rows.append((unit, label, tally.counts[there]))
        if tally.size is not None:
            self._sizes.append(tally.size)
        self.seen += tally.units

    def done(self) -> Tally:
        """The whole."""
        assert self._first is not None, "a piece has come"
        assert self.seen == self.units, "all have"
        size = np.concatenate(self._sizes) if self._sizes else None
        if self._grid is not None:
            return Grid(self._first, self.units, self._grid, size)
        unit, label, counts = (np.concatenate(part) for part in zip(*self._rows, strict=True))
        return replace(
            self._first, units=self.units, unit=unit, label=label, counts=counts, size=size
        )
