"""What correcting one kind of error would gain: the system's answer with those errors put right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from carob.arrays.types import BoolArray, IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.tables import Mentions
from carob.counts.events import Events
from carob.pair.pair import Pair


def _marked(rows: IntArray, size: int) -> BoolArray:
    """Which of `size` mentions are among the rows; -1, for none, is none of them."""
    marked = np.zeros(size + 1, bool)
    marked[rows] = True
    return marked[:size]


def corrected(pair: Pair, events: Events, outcomes: Iterable[str]) -> Pair:
    """The pair as it would be if all errors of these kinds had not been made.

    Whatever gold has in such an error is found; what the system has in it is gone, unless it also
    stands in an error of another kind, which remains.

    >>> from carob import parse
    >>> pair = Pair.of(Corpus.of("[Ann Lee]PER slept"), Corpus.of("[Ann]PER Lee [slept]LOC"))
    >>> events = parse("fair.F1").space(pair)
    >>> better = corrected(pair, events, ["BES"])
    >>> better.system.start.tolist(), better.system.end.tolist()
    ([0, 2], [2, 3])
    """
    here = np.isin(np.arange(len(events.outcomes)), [events.outcomes.index(o) for o in outcomes])
    wrong = here[events.outcome]
    gone = _marked(events.system[wrong], len(pair.system))
    gone &= ~_marked(events.system[~wrong], len(pair.system))
    found = np.flatnonzero(_marked(events.gold[wrong], len(pair.gold)))
    kept = pair.system.take(np.flatnonzero(~gone))
    answer = Mentions.joined([kept, pair.gold.take(found)])
    ordered = Corpus(None, pair.documents, answer, pair.labels).ordered().mentions
    return replace(pair, system=ordered)
