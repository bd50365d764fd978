"""What a second system fixed and broke, relative to a first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carob.arrays.join import join, packed, rest
from carob.arrays.types import IntArray
from carob.corpus.corpus import Words
from carob.counts.events import Events
from carob.explain.examples import Example, example
from carob.pair.pair import Pair


@dataclass(frozen=True)
class Changes:
    """How many errors of each type are gone (`fixed`) and new (`broken`), with examples."""

    fixed: Mapping[str, int]
    broken: Mapping[str, int]
    fixed_examples: Sequence[tuple[Any, Any]] = ()
    broken_examples: Sequence[tuple[Any, Any]] = ()


def _of_gold(pair: Pair, events: Events) -> tuple[IntArray, IntArray]:
    """For each gold mention its outcome, and the first row of the ledger that says so."""
    rows = np.flatnonzero(events.gold >= 0)
    rows = rows[np.lexsort((events.system[rows], events.outcome[rows], events.gold[rows]))]
    _, first = np.unique(events.gold[rows], return_index=True)
    row = rows[first]
    outcome = np.full(len(pair.gold), -1)
    outcome[events.gold[row]] = events.outcome[row]
    return outcome, row


def _invented(pair: Pair, events: Events) -> IntArray:
    found: IntArray = events.system[events.outcome == events.outcomes.index("FP")]
    return found


def changes(
    pair: Pair, events: Events, other: Pair, others: Events, count: int,
    words: Callable[[int], Words],
) -> Changes:  # fmt: skip
    """Compare two systems on the same gold.

    A gold mention that the first has wrong and the second right is fixed, under the type of the
    error that is gone; the other way round it is broken, under the type of the new error. An
    invented mention that only the first has is a fixed FP, one that only the second has a broken
    one.

    >>> from carob import Corpus, parse
    >>> gold, space = Corpus.of("[Ann]PER met [Bo]PER"), parse("fair.F1").space
    >>> a, b = (Pair.of(gold, Corpus.of(text)) for text in ("[Ann]PER met Bo", "Ann met [Bo]PER"))
    >>> found = changes(a, space(a), b, space(b), 0, lambda row: (None, None))
    >>> found.fixed, found.broken
    ({'FN': 1}, {'FN': 1})
    """
    right = events.outcomes.index("TP")
    (before, rows), (after, other_rows) = _of_gold(pair, events), _of_gold(other, others)
    fixed = np.flatnonzero((before != right) & (after == right))
    broken = np.flatnonzero((before == right) & (after != right))
    ours, theirs = _invented(pair, events), _invented(other, others)
    left, back = _keys(pair, ours, other, theirs)
    same, again = join(left, back)
    counts = []
    for which, outcome in ((fixed, before), (broken, after)):
        kinds = np.bincount(outcome[which], minlength=len(events.outcomes))
        counts.append({events.outcomes[k]: int(kinds[k]) for k in np.flatnonzero(kinds).tolist()})
    for found, taken, total in ((counts[0], same, len(ours)), (counts[1], again, len(theirs))):
        if total - len(taken):
            found["FP"] = len(rest(total, taken))

    def shown(which: IntArray) -> list[tuple[Example, Example]]:
        some = which
        if len(which) > count:
            some = which[np.linspace(0, len(which) - 1, count).round().astype(np.int64)]
        return [
            (
                example(pair, events, int(rows[i]), words(int(pair.gold.doc[i]))),
                example(other, others, int(other_rows[i]), words(int(pair.gold.doc[i]))),
            )
            for i in some.tolist()
        ]

    return Changes(
        counts[0], counts[1], shown(fixed) if count else (), shown(broken) if count else ()
    )


def _keys(pair: Pair, ours: IntArray, other: Pair, theirs: IntArray) -> tuple[IntArray, IntArray]:
    """Document, place and label of mentions of two systems, as comparable numbers."""
    left, right = pair.system.take(ours), other.system.take(theirs)
    both = Pair(left, right, pair.labels, pair.documents, pair.unit)
    if len(ours) and len(theirs):
        return both.keys(label=True)
    return packed([left.doc], [right.doc])
