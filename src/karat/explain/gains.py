"""What correcting one kind of error would gain: the system's answer with those errors put right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from karat.arrays.join import rest
from karat.nouns._types import IntArray
from karat.nouns.corpus import Corpus
from karat.nouns.events import Events
from karat.nouns.pair import Pair
from karat.nouns.tables import Mentions


def _rows(events: Events, outcomes: Iterable[str]) -> IntArray:
    codes = [events.outcomes.index(outcome) for outcome in outcomes]
    return np.flatnonzero(np.isin(events.outcome, codes))


def corrected(pair: Pair, events: Events, outcomes: Iterable[str]) -> Pair:
    """The pair as it would be if all errors of these kinds had not been made.

    Whatever gold has in such an error is found; what the system has in it is gone, unless it also
    stands in an error of another kind, which remains.

    >>> from karat import parse
    >>> pair = Pair.of(Corpus.of("[Ann Lee]PER slept"), Corpus.of("[Ann]PER Lee [slept]LOC"))
    >>> events = parse("fair.F1").space(pair)
    >>> better = corrected(pair, events, ["BES"])
    >>> better.system.start.tolist(), better.system.end.tolist()
    ([0, 2], [2, 3])
    """
    chosen = set(outcomes)
    here = _rows(events, chosen)
    others = _rows(events, [each for each in events.outcomes if each not in chosen])
    gone = np.setdiff1d(events.system[here], events.system[others])
    found = np.unique(events.gold[here])
    found, gone = found[found >= 0], gone[gone >= 0]
    kept = pair.system.take(rest(len(pair.system), gone))
    answer = Mentions.joined([kept, pair.gold.take(found)])
    ordered = Corpus(None, pair.documents, answer, pair.labels).ordered().mentions
    return replace(pair, system=ordered)
