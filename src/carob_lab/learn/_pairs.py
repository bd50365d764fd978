"""From starts and ends to mentions: what boundary and bwi share."""

from __future__ import annotations

import numpy as np

from carob.arrays.ranges import owners_and_rows
from carob.arrays.types import FloatArray, IntArray
from carob.pair.texts import Spans, Texts


def length_shares(spans: Spans) -> FloatArray:
    """How often mentions have each length in tokens: share[length].

    >>> length_shares(Spans(*np.array([[0, 0], [0, 3], [1, 5], [0, 0]]))).tolist()
    [0.0, 0.5, 0.5]
    """
    lengths = spans.last - spans.first
    return np.bincount(lengths, minlength=2) / max(len(lengths), 1)


def candidates(
    starts: IntArray, ends: IntArray, longest: int, texts: Texts
) -> tuple[IntArray, IntArray]:
    """All pairs of a start and an end of the same document, of at most `longest` tokens. Starts are
    first tokens, ends last tokens, both in order.
    """
    low = np.searchsorted(ends, starts)
    last = (
        np.minimum(starts + longest, texts.offsets[texts.doc[starts] + 1]) if len(starts) else low
    )
    count = np.searchsorted(ends, last) - low
    first, end = owners_and_rows(low, count)
    return starts[first], ends[end]


def best_first(first: IntArray, last: IntArray, score: FloatArray) -> IntArray:
    """Pairs that do not overlap: the best, then the best of those that are left, and so on. Of
    equally good ones the first, then the shortest. Returns rows, in order of the text.
    """
    order = np.lexsort((last, first, -score))
    taken = np.zeros(int(last.max(initial=-1)) + 1, bool)
    kept = []
    for row in order.tolist():
        part = slice(int(first[row]), int(last[row]) + 1)
        if not taken[part].any():
            taken[part] = True
            kept.append(row)
    rows = np.array(kept, np.int64)
    return rows[np.argsort(first[rows])]
