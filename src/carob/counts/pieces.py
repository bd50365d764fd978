"""A large pair in pieces of whole documents.

What a space works out on its way is several times what it counts. Document by document the counts
are the same, so a large pair is counted in pieces, and only the tallies are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from carob.corpus.tables import Documents, Mentions
from carob.pair.pair import Pair

PIECE = 1 << 17
"""A pair with more mentions, of both sides together, is counted in pieces of about this many."""


def pieces(pair: Pair) -> Iterator[Pair]:
    """The pair in pieces of whole documents, in order; the pair itself if it is small.

    Positions must be tokens: characters are moved onto tokens all at once.

    >>> from carob.corpus.corpus import Corpus
    >>> pair = Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept"))
    >>> [piece is pair for piece in pieces(pair)]
    [True]
    """
    sides = (pair.gold, pair.system)
    rows = sum(len(table) for table in sides)
    if pair.unit != "token" or rows <= PIECE:
        yield pair
        return
    bounds = np.linspace(0, pair.size, rows // PIECE + 2).astype(np.int64)
    # Bounds of the type that documents have: otherwise NumPy would copy the column of documents.
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
    """The rows from `low` to `high`, with documents counted from `doc` on."""
    part = table.take(np.arange(low, high))
    return replace(part, doc=part.doc - np.int32(doc))


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
