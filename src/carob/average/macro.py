"""Averages over labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from carob.plugin import Averaged, FloatArray, Measure, Rows, Tally, mean, missing, valued


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

    def __call__(
        self, measure: Measure, tally: Tally, weights: FloatArray | None = None,
        zero: float | None = None,
    ) -> Averaged:  # fmt: skip
        """The score, or one for each row of `weights` (draws x units)."""
        return self.value(measure, tally, tally.label_sums(weights), zero)

    def rows(self, measure: Measure, tally: Tally, zero: float | None) -> Rows:
        """What has to be summed over units."""
        return tally.rows

    def value(
        self, measure: Measure, tally: Tally, sums: FloatArray, zero: float | None
    ) -> Averaged:
        """The score of these sums."""
        value = valued(measure, tally.labels_of(sums), zero)
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

    def __call__(
        self, measure: Measure, tally: Tally, weights: FloatArray | None = None,
        zero: float | None = None,
    ) -> Averaged:  # fmt: skip
        """The score, or one for each row of `weights` (draws x units)."""
        return self.value(measure, tally, tally.label_sums(weights), zero)

    def rows(self, measure: Measure, tally: Tally, zero: float | None) -> Rows:
        """What has to be summed over units."""
        return tally.rows

    def value(
        self, measure: Measure, tally: Tally, sums: FloatArray, zero: float | None
    ) -> Averaged:
        """The score of these sums."""
        q = tally.labels_of(sums)
        value = valued(measure, q, zero)
        return Averaged(mean(value, q["gold_all"]), missing(value))
