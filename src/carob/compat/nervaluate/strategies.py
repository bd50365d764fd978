"""The four modes of nervaluate.

Answers choose in the order in which they are given, each one among the gold mentions that it
overlaps and that no answer before it has chosen. That is greedy matching of pairs which are sorted
by answer, then by preference, then by gold mention: a mode says only which pairs are right, and
which ones an answer prefers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from carob.arrays.components import alone
from carob.arrays.greedy import greedy
from carob.arrays.overlaps import TooManyOverlapsError, overlaps
from carob.arrays.types import BoolArray, IntArray
from carob.compat.nervaluate._mentions import GivenMentions, indices, indices_of_label
from carob.compat.nervaluate.entities import Entity, EvaluationIndices, EvaluationResult, Index
from carob.corpus.tables import Mentions

Counted = tuple[EvaluationResult, EvaluationIndices]

MOST_PAIRS = 50_000_000
"""How many pairs of overlapping mentions are compared."""


class Pairs(NamedTuple):
    """Gold mentions and answers that overlap enough: rows, and what is the same in each pair."""

    true: IntArray
    pred: IntArray
    same_label: BoolArray
    distance: IntArray
    crowded: IntArray
    """The pairs with a mention that is in another pair, too: only there answers have a choice."""

    @classmethod
    def of(cls, true: Mentions, pred: Mentions, min_overlap_percentage: float) -> Pairs:
        """The pairs of two tables, whose labels have the same numbers."""
        lowest = min(int(true.start.min(initial=0)), int(pred.start.min(initial=0)))
        ours, theirs = (Mentions(t.doc, t.start - lowest, t.end - lowest, t.label)
                        for t in (true, pred))  # fmt: skip
        try:
            found = overlaps(ours, theirs, MOST_PAIRS)
        except TooManyOverlapsError:
            raise ValueError(
                f"more than {MOST_PAIRS:,} pairs of mentions overlap, which is too many"
            ) from None
        size = (true.end - true.start)[found.gold]
        enough = found.shared / size * 100.0 >= min_overlap_percentage
        one, other = found.gold[enough], found.system[enough]
        distance = np.abs(true.start[one] - pred.start[other])
        distance += np.abs(true.end[one] - pred.end[other])
        return cls._of(one, other, true.label[one] == pred.label[other], distance)

    @classmethod
    def _of(
        cls, true: IntArray, pred: IntArray, same_label: BoolArray, distance: IntArray
    ) -> Pairs:
        return cls(true, pred, same_label, distance, np.flatnonzero(~alone(true, pred)))

    def of_one_label(self) -> Pairs:
        """The pairs whose mentions have the same label."""
        keep = self.same_label
        return Pairs._of(self.true[keep], self.pred[keep], keep[keep], self.distance[keep])


class Matched(NamedTuple):
    """For each answer whether it is right, and whether it has a pair; for each gold mention
    whether it has one.
    """

    right: BoolArray
    paired: BoolArray
    found: BoolArray


@dataclass(frozen=True)
class EvaluationStrategy:
    """A mode. `evaluate` counts one document."""

    min_overlap_percentage: float = 1.0

    other: ClassVar[str] = "incorrect"
    """What a pair is that is not right."""
    partial_or_type: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not 1.0 <= self.min_overlap_percentage <= 100.0:
            raise ValueError("min_overlap_percentage must be between 1.0 and 100.0")

    def right(self, pairs: Pairs) -> BoolArray:
        """Which pairs are right."""
        raise NotImplementedError

    def preference(self, pairs: Pairs, right: BoolArray) -> IntArray:
        """What an answer prefers: the lowest number, and among equal ones the first in gold."""
        return (~right).astype(np.int64)

    def matched(self, pairs: Pairs, true: int, pred: int) -> Matched:
        """What each mention is; `true` and `pred` are the numbers of mentions."""
        right, ours, theirs = self.right(pairs), pairs.true, pairs.pred
        if (some := pairs.crowded).size:
            keys = ours[some], self.preference(pairs, right)[some], theirs[some]
            order = some[np.lexsort(keys)]
            taken = np.ones(len(right), bool)
            taken[order] = greedy(ours[order], theirs[order])
            right, ours, theirs = right[taken], ours[taken], theirs[taken]
        result = Matched(np.zeros(pred, bool), np.zeros(pred, bool), np.zeros(true, bool))
        result.right[theirs] = right
        result.paired[theirs] = True
        result.found[ours] = True
        return result

    def counted(self, matched: Matched, true: Mentions, pred: Mentions) -> Counted:
        """Counts, and the mentions behind them."""
        outcomes = self._outcomes(matched, true, pred)
        return self._counted(
            {name: int(np.count_nonzero(each)) for name, (_, each) in outcomes.items()},
            {name: partial(indices, table.doc, each) for name, (table, each) in outcomes.items()},
        )

    def counted_by_label(
        self, matched: Matched, true: Mentions, pred: Mentions, labels: int
    ) -> list[Counted]:
        """The same for each label: of these mentions alone."""
        outcomes = self._outcomes(matched, true, pred)
        counts = {
            name: np.bincount(table.label[each], minlength=labels).tolist()
            for name, (table, each) in outcomes.items()
        }
        return [
            self._counted(
                {name: own[label] for name, own in counts.items()},
                {name: partial(indices_of_label, table, each, label)
                 for name, (table, each) in outcomes.items()},
            )
            for label in range(labels)
        ]  # fmt: skip

    def _outcomes(
        self, matched: Matched, true: Mentions, pred: Mentions
    ) -> dict[str, tuple[Mentions, BoolArray]]:
        """What may become of a mention, and of which mentions of which side it did."""
        return {
            "correct": (pred, matched.right),
            self.other: (pred, matched.paired & ~matched.right),
            "spurious": (pred, ~matched.paired),
            "missed": (true, ~matched.found),
        }

    def _counted(
        self, counts: Mapping[str, int], lists: Mapping[str, Callable[[], list[Index]]]
    ) -> Counted:
        result = EvaluationResult(**counts)
        result.compute_metrics(self.partial_or_type)
        return result, EvaluationIndices(**{f"{name}_indices": x for name, x in lists.items()})

    def evaluate(
        self,
        true_entities: Sequence[Entity],
        pred_entities: Sequence[Entity],
        tags: Sequence[str],
        instance_index: int = 0,
    ) -> Counted:
        """The counts of one document; as in nervaluate, `tags` has no effect."""
        labels = dict.fromkeys(each.label for each in (*true_entities, *pred_entities))
        empty: list[list[Entity]] = [[]] * instance_index
        true, pred = (GivenMentions.of([*empty, list(side)]).only(labels).table
                      for side in (true_entities, pred_entities))  # fmt: skip
        pairs = Pairs.of(true, pred, self.min_overlap_percentage)
        return self.counted(self.matched(pairs, len(true), len(pred)), true, pred)


class StrictEvaluation(EvaluationStrategy):
    """An answer is right if its place and its label are.

    >>> gold, answer = [Entity("PER", 0, 1)], [Entity("LOC", 0, 1)]
    >>> StrictEvaluation().evaluate(gold, answer, ["PER", "LOC"])[0].incorrect
    1
    """

    def right(self, pairs: Pairs) -> BoolArray:
        """The same place and label."""
        same: BoolArray = pairs.same_label & (pairs.distance == 0)
        return same


class ExactEvaluation(EvaluationStrategy):
    """An answer is right if its place is, whatever its label.

    >>> gold, answer = [Entity("PER", 0, 1)], [Entity("LOC", 0, 1)]
    >>> ExactEvaluation().evaluate(gold, answer, ["PER", "LOC"])[0].correct
    1
    """

    def right(self, pairs: Pairs) -> BoolArray:
        """The same place."""
        same: BoolArray = pairs.distance == 0
        return same


class PartialEvaluation(ExactEvaluation):
    """The same, and an answer that overlaps is half right.

    >>> gold, answer = [Entity("PER", 0, 1)], [Entity("LOC", 1, 1)]
    >>> PartialEvaluation().evaluate(gold, answer, ["PER", "LOC"])[0].precision
    0.5
    """

    other: ClassVar[str] = "partial"
    partial_or_type: ClassVar[bool] = True


class EntityTypeEvaluation(EvaluationStrategy):
    """An answer is right if it overlaps a gold mention of its label; it takes the nearest.

    >>> gold, answer = [Entity("PER", 0, 1)], [Entity("PER", 1, 4)]
    >>> EntityTypeEvaluation().evaluate(gold, answer, ["PER"])[0].correct
    1
    """

    partial_or_type: ClassVar[bool] = True

    def right(self, pairs: Pairs) -> BoolArray:
        """The same label."""
        return pairs.same_label

    def preference(self, pairs: Pairs, right: BoolArray) -> IntArray:
        """Those with the same label, the nearest first."""
        return np.where(right, pairs.distance, pairs.distance.max(initial=0) + 1)
