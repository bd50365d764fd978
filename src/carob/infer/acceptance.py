"""Which answers can be accepted: what a threshold of confidence accepts, how much of it is wrong,
and which threshold keeps to an error rate.

Answers are sorted into levels, one for each different confidence, the surest first. To accept down
to a level is to accept the answers of this level and of those before it. An error rate need not
fall as a threshold rises: the threshold for an error rate is the lowest that keeps to it, so that
the most answers are accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_FLOOR, Decimal
from typing import NamedTuple

import numpy as np

from carob.arrays.types import FloatArray, IntArray
from carob.counts.judged import Judged
from carob.counts.quantities import ratio
from carob.counts.tally import Scale, Statistic, Table
from carob.infer.resampling import Units, resamples

LEVEL = 0.95
"""The share of resamples that an interval of thresholds covers."""


class Levels(NamedTuple):
    """The different confidences, the highest first, with what is accepted down to each."""

    confidence: FloatArray
    of_answer: IntArray
    accepted: IntArray
    wrong: IntArray

    @classmethod
    def of(cls, judged: Judged) -> Levels:
        """The levels of some answers.

        >>> levels = Levels.of(Judged.of([0, 1, 2], [True, True, False], [0.9, 0.5, 0.5]))
        >>> levels.accepted, levels.wrong
        (array([1, 3]), array([0, 1]))
        """
        distinct, inverse = np.unique(-judged.sure, return_inverse=True)
        every = inverse.reshape(-1).astype(np.int64)
        count = len(distinct)
        accepted, wrong = (
            np.cumsum(np.bincount(each, minlength=count)) for each in (every, every[~judged.right])
        )
        return cls(0.0 - distinct, every, accepted, wrong)

    def lowest(self, rate: float) -> int:
        """The last level down to which at most this share of what is accepted is wrong; -1: none.

        >>> levels = Levels.of(Judged.of([0, 1, 2], [True, True, False], [0.9, 0.5, 0.5]))
        >>> levels.lowest(0.1), levels.lowest(0.5)
        (0, 1)
        """
        fit = np.flatnonzero(self.wrong / self.accepted <= rate)
        return int(fit[-1]) if len(fit) else -1

    def some(self, most: int) -> IntArray:
        """All levels, or about as many as `most` that accept ever more answers by equal steps. The
        last is among them.

        >>> Levels.of(Judged.of(range(4), [True] * 4, [0.9, 0.8, 0.7, 0.6])).some(2)
        array([1, 3])
        """
        if len(self.confidence) <= most:
            return np.arange(len(self.confidence))
        goals = np.arange(1, most + 1) / most * self.accepted[-1]
        return np.unique(np.searchsorted(self.accepted, goals - 1e-9))

    def threshold(self, level: int) -> float:
        """A number, with as few decimals as can be, from which on all answers down to this level
        are accepted and no others.

        >>> levels = Levels.of(Judged.of([0, 1], [True, True], [0.83125, 0.8101]))
        >>> levels.threshold(0), levels.threshold(1)
        (0.83, 0.0)
        """
        if level + 1 == len(self.confidence):
            return 0.0
        low, high = float(self.confidence[level + 1]), float(self.confidence[level])
        written = Decimal(repr(high))
        for digits in range(1, 17):
            number = float(written.quantize(Decimal(1).scaleb(-digits), ROUND_FLOOR))
            if low < number:
                return number
        return high


def curve_statistic(judged: Judged, levels: Levels, some: IntArray) -> Statistic:
    """For each of `some` levels the share of answers that is accepted; then for each the share of
    these that is wrong.

    >>> judged = Judged.of([0, 1, 2], [True, True, False], [0.9, 0.5, 0.5])
    >>> levels = Levels.of(judged)
    >>> curve_statistic(judged, levels, levels.some(9)).point.round(3)
    array([0.333, 1.   , 0.   , 0.333])
    """
    size = len(some)
    group = np.searchsorted(some, levels.of_answer)  # the first of these levels that accepts it
    cell = (judged.doc * 2 + judged.right) * size + group
    counts = np.bincount(cell, minlength=judged.documents * 2 * size)
    table = Table.of(counts.reshape(judged.documents, 2 * size).astype(np.float64))

    def shares(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        wrong, right = np.cumsum(sums[:, :size], axis=1), np.cumsum(sums[:, size:], axis=1)
        accepted = wrong + right
        every = np.broadcast_to(accepted[:, -1:], accepted.shape)
        return np.hstack([accepted, wrong]), np.hstack([every, accepted])

    return Statistic(table, lambda sums: ratio(*shares(sums)), scale=_share_scale(shares))


def _share_scale(shares: Callable[[FloatArray], tuple[FloatArray, FloatArray]]) -> Scale:
    return Scale((0.0, 1.0), items=lambda rows: shares(rows)[1], share=shares)


class Bins(NamedTuple):
    """Answers by their confidence, in bins of equal width, the last of which includes 1: how many
    there are, how many are right, and the sum of their confidences.
    """

    answers: IntArray
    right: IntArray
    confidence: FloatArray
    shares: Statistic
    """The share in each bin that is right."""

    @classmethod
    def of(cls, judged: Judged, bins: int) -> Bins:
        """The bins; answers without a confidence are in none.

        >>> Bins.of(Judged.of([0, 1], [True, False], [0.9, 0.95]), 2).shares.point
        array([nan, 0.5])
        """
        known = np.flatnonzero(~np.isnan(judged.confidence))
        confidence, right, doc = (
            column[known] for column in (judged.confidence, judged.right, judged.doc)
        )
        edges = np.arange(bins + 1) / bins  # divided, not multiplied: 0.7 * 10 is more than 7
        own = np.minimum(np.searchsorted(edges, confidence, side="right") - 1, bins - 1)
        cell = (doc * 2 + right) * bins + own
        counts = np.bincount(cell, minlength=judged.documents * 2 * bins)
        table = Table.of(counts.reshape(judged.documents, 2 * bins).astype(np.float64))

        def shares(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
            return sums[:, bins:], sums[:, :bins] + sums[:, bins:]

        statistic = Statistic(table, lambda sums: ratio(*shares(sums)), scale=_share_scale(shares))
        return cls(
            np.bincount(own, minlength=bins), np.bincount(own[right], minlength=bins),
            np.bincount(own, confidence, bins).astype(np.float64), statistic,
        )  # fmt: skip


def unseen_share(answers: int) -> float:
    """The share of what did not occur in so many answers that cannot be ruled out. Resamples of
    answers without any error have none either, so they cannot tell. This is the upper end of the
    exact interval: Clopper & Pearson (1934), "The Use of Confidence or Fiducial Limits Illustrated
    in the Case of the Binomial".

    >>> round(unseen_share(36), 3)
    0.097
    """
    return float(1 - ((1 - LEVEL) / 2) ** (1 / answers))


def lowest_levels(
    judged: Judged, levels: Levels, rates: Sequence[float], units: Units, draws: int, seed: int
) -> IntArray:
    """In each resample of the documents, the last level that keeps to each error rate (draws x
    rates); -1 where none does.
    """
    order = np.argsort(levels.of_answer, kind="stable")
    starts = np.searchsorted(levels.of_answer[order], np.arange(len(levels.confidence)))
    rank = np.empty(len(units), np.int64)
    rank[units.order] = np.arange(len(units))
    place, wrong = rank[judged.doc[order]], ~judged.right[order]
    found = np.empty((draws, len(rates)), np.int64)
    first, last = 0, len(levels.confidence) - 1
    most = max(1, (1 << 22) // max(len(order), 1))
    for weights in resamples(units, draws, np.random.default_rng(seed)):
        for part in range(0, len(weights), most):
            taken = weights[part : part + most, place]
            counts, errors = (
                np.cumsum(np.add.reduceat(each, starts, axis=1, dtype=np.int64), axis=1)
                for each in (taken, taken * wrong)
            )
            share = ratio(errors, counts)
            for number, rate in enumerate(rates):
                fit = share[:, ::-1] <= rate  # without any answer it is NaN, which fits nothing
                best = np.where(fit.any(axis=1), last - fit.argmax(axis=1), -1)
                found[first : first + len(taken), number] = best
            first += len(taken)
    return found


def level_interval(drawn: IntArray) -> tuple[int, int]:
    """From the lowest to the highest of the levels in the middle 95 % of resamples, as
    (strictest, laxest): both are levels that were drawn.

    >>> level_interval(np.array([0, 1, 2, 3]))
    (0, 3)
    """
    ordered = np.sort(drawn)
    tail = int((1 - LEVEL) / 2 * (len(ordered) - 1))
    return int(ordered[tail]), int(ordered[-1 - tail])
