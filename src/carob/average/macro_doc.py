"""Averages over documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from carob.plugin import (
    Averaged,
    FloatArray,
    Measure,
    Quantities,
    Table,
    Tally,
    hook,
    ratio,
    valued,
)


@dataclass(frozen=True, slots=True)
class MacroDoc:
    """Every document weighs the same: measure each over all its labels, then take the mean.

    A document with neither gold nor system items has no value and is left out. Lavelli et al.
    (2008), "Evaluation of machine learning-based information extraction algorithms".

    >>> from carob import Corpus, score
    >>> gold = Corpus.of("[Ann]PER slept", "[Bo]PER and [Cy]PER")
    >>> system = Corpus.of("[Ann]PER slept", "[Bo]PER and Cy")
    >>> score(gold, system, "exact.R@macro-doc").value
    0.75
    """

    name: ClassVar[str] = "macro-doc"
    over: ClassVar[Literal["labels", "documents"]] = "documents"

    def table(self, measure: Measure, tally: Tally, zero: float | None) -> Table:
        """What has to be summed over units: their values, and one for each that has a value."""
        value = valued(measure, tally.by_unit(), zero)
        there = ~np.isnan(value)
        return Table.of(np.stack([np.where(there, value, 0.0), there.astype(np.float64)], axis=1))

    def value(
        self, measure: Measure, table: Table, sums: FloatArray, zero: float | None
    ) -> Averaged:
        """The score of these sums."""
        count = sums[..., 1]
        return Averaged(ratio(sums[..., 0], count), _left_out(table, count))


def _left_out(table: Table, count: FloatArray) -> int:
    """How many units the mean leaves out, in the data as they are; 0 for resamples."""
    return table.units - int(count) if count.ndim == 0 else 0


def _precision(q: Quantities) -> FloatArray:
    return ratio(q["system_right"], q["system_all"])


def _recall(q: Quantities) -> FloatArray:
    return ratio(q["gold_right"], q["gold_all"])


@dataclass(frozen=True, slots=True)
class MacroDocPr:
    """F of the mean precision and the mean recall over the documents that have gold items.

    What the event nugget scorer prints as macro average. Only for P, R and F. A document with
    gold and no answer has P = 0. Liu, Mitamura & Hovy (2015), "Evaluation Algorithms for Event
    Nugget Detection".

    >>> from carob import Corpus, score
    >>> gold = Corpus.of("[Ann]PER slept", "[Bo]PER and [Cy]PER")
    >>> system = Corpus.of("[Ann]PER slept", "[Bo]PER and Cy")
    >>> round(score(gold, system, "exact.F1@macro-doc-pr").value, 4)
    0.8571
    """

    name: ClassVar[str] = "macro-doc-pr"
    over: ClassVar[Literal["labels", "documents"]] = "documents"
    measure_hook: ClassVar[str] = "of_means"
    leaves_out: ClassVar[str] = "without gold items"

    def table(self, measure: Measure, tally: Tally, zero: float | None) -> Table:
        """What has to be summed over units: P, R, and one for each that has gold."""
        q = tally.by_unit()
        there = (q["gold_all"] > 0).astype(np.float64)
        precision, recall = (np.nan_to_num(part(q)) * there for part in (_precision, _recall))
        return Table.of(np.stack([precision, recall, there], axis=1))

    def value(
        self, measure: Measure, table: Table, sums: FloatArray, zero: float | None
    ) -> Averaged:
        """The score of these sums."""
        of_means = hook(measure, self.measure_hook)
        precision, recall, count = (sums[..., i] for i in range(3))
        value = of_means(ratio(precision, count), ratio(recall, count))
        return Averaged(value, _left_out(table, count))
