"""Averages over labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from carob.plugin import Averaged, CountTable, FloatArray, Measure, Tally, mean, missing, valued


@dataclass(frozen=True, slots=True)
class Macro:
    """Every label weighs the same: measure each label, then take the plain mean.

    A label with neither gold nor system items has no value and is left out. Esuli & Sebastiani
    (2010), "Evaluating Information Extraction", section 2.2; Lewis (1991), "Evaluating text
    categorization".

    >>> from carob import Corpus, score
    >>> gold = Corpus.of("[Ann]PER [Bo]PER [Rome]LOC")
    >>> system = Corpus.of("[Ann]PER [Bo]PER Rome")
    >>> score(gold, system, "exact.R@macro").value
    0.5
    """

    name: ClassVar[str] = "macro"
    over: ClassVar[Literal["labels", "documents"]] = "labels"
    of_labels: ClassVar[bool] = True

    def table(self, measure: Measure, tally: Tally, zero: float | None) -> CountTable:
        """What has to be summed over units."""
        return tally.label_table(measure.needs)

    def value(
        self, measure: Measure, table: CountTable, sums: FloatArray, zero: float | None
    ) -> Averaged:
        """The score of these sums."""
        value = valued(measure, table.quantities(sums), zero)
        return Averaged(mean(value), missing(value))


@dataclass(frozen=True, slots=True)
class Weighted:
    """Every label weighs as much as it has gold items: the mean over labels, weighted by support.

    What scikit-learn and seqeval call "weighted avg". The weighted recall equals micro recall.

    >>> from carob import Corpus, score
    >>> gold = Corpus.of("[Ann]PER [Bo]PER [Rome]LOC")
    >>> system = Corpus.of("[Ann]PER [Bo]PER Rome")
    >>> round(score(gold, system, "exact.R@weighted").value, 4)
    0.6667
    """

    name: ClassVar[str] = "weighted"
    over: ClassVar[Literal["labels", "documents"]] = "labels"

    def table(self, measure: Measure, tally: Tally, zero: float | None) -> CountTable:
        """What has to be summed over units."""
        return tally.label_table(measure.needs)

    def value(
        self, measure: Measure, table: CountTable, sums: FloatArray, zero: float | None
    ) -> Averaged:
        """The score of these sums."""
        q = table.quantities(sums)
        value = valued(measure, q, zero)
        return Averaged(mean(value, q["gold_all"]), missing(value))
