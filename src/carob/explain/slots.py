"""What became of fillers: each that counts once, and slots that were taken for each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob.arrays.greedy import greedy
from carob.arrays.join import every, packed
from carob.arrays.types import IntArray
from carob.corpus.tables import UNKNOWN
from carob.counts.events import Events
from carob.explain.confusion import Confusion
from carob.pair.filled import Filled
from carob.pair.pair import Pair

KINDS = ("COR", "PAR", "INC", "MIS", "SPU")
"""What a filler of gold, or one that is the system's alone, can be."""


@dataclass(frozen=True, eq=False)
class Judged:
    """The events of `templates` with each pair once. `gold` and `system` are rows, -1 is none."""

    kind: IntArray
    doc: IntArray
    gold: IntArray
    system: IntArray

    def __len__(self) -> int:
        return len(self.kind)

    @classmethod
    def of(cls, events: Events) -> Judged:
        """The same pairs stand in the events once more, for the row of the system: left out."""
        table = np.full(len(events.outcomes), UNKNOWN)
        table[[events.outcomes.index(kind) for kind in KINDS]] = np.arange(len(KINDS))
        kind = table[events.outcome]
        rows = np.flatnonzero(kind != UNKNOWN)
        rows = rows[np.lexsort((events.system[rows], events.gold[rows], events.doc[rows]))]
        return cls(kind[rows], events.doc[rows], events.gold[rows], events.system[rows])


def confused(pair: Pair, judged: Judged) -> Confusion:
    """Errors as a matrix of slots: which slot of gold became which slot of the system.

    A filler of gold that was not found, and a wrong answer of the same document that is the same
    string, are one right string in the wrong place: the row is gold's slot, the column the
    system's. Of what is left, two fillers that were compared and differ stand on the diagonal,
    others in the last column (missed) or row (too many).

    >>> from carob import Corpus, parse
    >>> gold = Corpus.of("[Ann]speaker met [Bo]host")
    >>> pair = Pair.of(gold, Corpus.of("[Ann]speaker met [Bo]guest"))
    >>> confused(pair, Judged.of(parse("templates.F1").space(pair))).to_dict()["host"]
    {'guest': 1, 'host': 0, 'speaker': 0, '_': 0}
    """
    filled, texts = pair.filled, pair.filled.texts
    wrong = judged.kind >= KINDS.index("INC")
    lost, extra = judged.gold[wrong], judged.system[wrong]
    ours = _texts(filled.gold, texts.gold, lost[lost >= 0])
    theirs = _texts(filled.system, texts.system, extra[extra >= 0], own=True)
    keys = packed([filled.gold.doc[ours[0]], ours[1]], [filled.system.doc[theirs[0]], theirs[1]])
    found = every(*keys, 50_000_000)
    moved = np.empty(0, np.int64), np.empty(0, np.int64)
    if found is not None:
        gold, system = ours[0][found[0]], theirs[0][found[1]]
        best = greedy(gold, system)
        moved = gold[best], system[best]
    size = len(filled.labels)
    counts = np.zeros((size + 1, size + 1))
    np.add.at(counts, (filled.gold.label[moved[0]], filled.system.label[moved[1]]), 1)
    here = judged.kind != KINDS.index("COR")
    gold, system = judged.gold[here].copy(), judged.system[here].copy()
    gold[np.isin(gold, moved[0])] = UNKNOWN
    system[np.isin(system, moved[1])] = UNKNOWN
    left = (gold != UNKNOWN) | (system != UNKNOWN)
    rows = np.append(filled.gold.label, size)[gold[left]]
    np.add.at(counts, (rows, np.append(filled.system.label, size)[system[left]]), 1)
    return Confusion(filled.labels, counts)


def _texts(
    side: Filled, codes: IntArray, fillers: IntArray, *, own: bool = False
) -> tuple[IntArray, IntArray]:
    """Fillers with each of their known texts, or with their own."""
    chosen = np.zeros(len(side), bool)
    chosen[fillers] = True
    owner = side.filler
    here = chosen[owner] & (codes != UNKNOWN)
    if own:
        here[np.delete(np.arange(len(owner)), side.realisations[:-1])] = False
    rows = np.flatnonzero(here)
    return owner[rows], codes[rows].astype(np.int64)
