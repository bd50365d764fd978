"""Some documents of a corpus, with everything that belongs to them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from carob.arrays.types import IntArray
from carob.corpus.corpus import Corpus, Library, Words
from carob.corpus.tables import UNKNOWN, Groups, int32


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """The library of some documents of another: row i is its row `rows[i]`."""

    library: Library
    rows: IntArray

    def words(self, row: int) -> Words:
        """Text and tokens of a document."""
        return self.library.words(int(self.rows[row]))

    def line(self, row: int, place: int) -> int:
        """The line of the file on which a position of a document stands."""
        return self.library.line(int(self.rows[row]), place)

    def file(self, row: int) -> str:
        """The file of a document; nothing if it is that of the corpus."""
        known = getattr(self.library, "file", None)
        return str(known(int(self.rows[row]))) if known else ""


def only(corpus: Corpus, docs: IntArray) -> Corpus:
    """The documents `docs` alone (in ascending order), with all that is marked in them.

    Where the corpus came from, and what its reader counted, stays what it was: that is said of
    the file.

    >>> only(Corpus.of("[Ann]PER slept", "[Bo]PER woke"), np.array([1]))[0].mentions
    (Mention('PER', 0, 1),)
    """
    if len(docs) == len(corpus):
        return corpus
    place = np.full(len(corpus), UNKNOWN, np.int32)
    place[docs] = np.arange(len(docs))
    kept = corpus.kept(np.flatnonzero(place[corpus.mentions.doc] != UNKNOWN))

    def moved(groups: Groups) -> Groups:
        rows = np.flatnonzero(place[groups.doc] != UNKNOWN)
        taken = groups.take(rows) if len(rows) < len(groups) else groups
        return replace(taken, doc=place[taken.doc])

    return replace(
        kept,
        documents=corpus.documents.take(docs),
        mentions=replace(kept.mentions, doc=place[kept.mentions.doc]),
        relations=moved(kept.relations),
        clusters=moved(kept.clusters),
        templates=kept.templates.take(docs) if len(kept.templates) else kept.templates,
        extra={int(place[row]): rest for row, rest in corpus.extra.items() if place[row] >= 0},
        library=None if corpus.library is None else Chosen(corpus.library, int32(docs)),
    )
