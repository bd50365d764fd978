"""Averages over documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from carob.plugin import (
    Averaged,
    FloatArray,
    Measure,
    Quantities,
    RecipeError,
    Table,
    Tally,
    hook,
    nearest,
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

    def items(self, rows: FloatArray) -> FloatArray:
        """Whether each document counts in the mean."""
        return rows[..., -1:]

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

    def items(self, rows: FloatArray) -> FloatArray:
        """Whether each document counts in the mean."""
        return rows[..., -1:]

    def value(
        self, measure: Measure, table: Table, sums: FloatArray, zero: float | None
    ) -> Averaged:
        """The score of these sums."""
        of_means = hook(measure, self.measure_hook)
        precision, recall, count = (sums[..., i] for i in range(3))
        value = of_means(ratio(precision, count), ratio(recall, count))
        return Averaged(value, _left_out(table, count))


Statistic = Literal["mean", "sd"]


@dataclass(frozen=True, slots=True)
class MacroDocPresent:
    """The mean over the documents that have what is measured.

    P is the mean over the documents with an answer, R over those with gold, F over those with
    both: every document in which a quantity that the measure is a share of (`gold_all`,
    `system_all`) is 0 is left out, as is one in which the measure is undefined. So a document with
    gold and no answer lowers R, but neither P nor F. `statistic=sd` is the standard deviation over
    these documents, sqrt(sum (x - mean)^2 / n), instead of their mean. Ehrmann et al. (2020),
    "Extended Overview of CLEF HIPE 2020", document-level macro averages. In the example the system
    is silent in one of three documents:

    >>> from carob import Corpus, score
    >>> gold = Corpus.of("[Ann]PER slept", "[Bo]PER and [Cy]PER", "[Di]PER")
    >>> system = Corpus.of("[Ann]PER slept", "[Bo]PER and Cy", "Di")
    >>> [score(gold, system, f"exact.{m}@macro-doc-present").value for m in ("P", "R")]
    [1.0, 0.5]
    >>> round(score(gold, system, "exact.F1@macro-doc-present").value, 4)
    0.8333
    >>> round(score(gold, system, "exact.F1@macro-doc-present(statistic=sd)").value, 4)
    0.1667
    """

    statistic: Statistic = "mean"

    name: ClassVar[str] = "macro-doc-present"
    over: ClassVar[Literal["labels", "documents"]] = "documents"
    leaves_out: ClassVar[str] = "without what is measured"

    def __post_init__(self) -> None:
        known = get_args(Statistic)
        if self.statistic not in known:
            raise RecipeError(
                f"macro-doc-present has no statistic {self.statistic!r}"
                f"{nearest(str(self.statistic), known)}"
            )

    def table(self, measure: Measure, tally: Tally, zero: float | None) -> Table:
        """What has to be summed over units: their values, the squares of these, and one for each
        that has a value.
        """
        q = tally.by_unit()
        value = measure(q)
        there = ~np.isnan(value)
        for name in measure.needs:
            if name in ("gold_all", "system_all"):
                there &= q[name] > 0
        value = np.where(there, value, 0.0)
        return Table.of(np.stack([value, value * value, there.astype(np.float64)], axis=1))

    def items(self, rows: FloatArray) -> FloatArray:
        """Whether each document counts in the mean."""
        return rows[..., -1:]

    def value(
        self, measure: Measure, table: Table, sums: FloatArray, zero: float | None
    ) -> Averaged:
        """The score of these sums."""
        total, squares, count = (sums[..., i] for i in range(3))
        value = ratio(total, count)
        if self.statistic == "sd":
            square = ratio(squares, count)
            variance = square - value * value
            # Of equal values the difference is nothing but rounding, and its root would be visible.
            value = np.sqrt(np.where(variance <= 1e-12 * square, 0.0, variance))
        return Averaged(value, _left_out(table, count))
