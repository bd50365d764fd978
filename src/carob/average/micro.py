"""Micro: everything in one pot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from carob.plugin import Averaged, FloatArray, Measure, Rows, Tally, valued


@dataclass(frozen=True, slots=True)
class Micro:
    """Every item weighs the same: sum quantities over labels and documents, then measure.

    Frequent labels and long documents dominate. Esuli & Sebastiani (2010), "Evaluating
    Information Extraction", section 2.2; Lewis (1991), "Evaluating text categorization".

    >>> from carob import Corpus, score
    >>> gold = Corpus.of("[Ann]PER [Bo]PER [Rome]LOC")
    >>> system = Corpus.of("[Ann]PER [Bo]PER Rome")
    >>> round(score(gold, system, "exact.R@micro").value, 4)
    0.6667
    """

    name: ClassVar[str] = "micro"
    over: ClassVar[Literal["labels", "documents"]] = "labels"

    def __call__(
        self, measure: Measure, tally: Tally, weights: FloatArray | None = None,
        zero: float | None = None,
    ) -> Averaged:  # fmt: skip
        """The score, or one for each row of `weights` (draws x units)."""
        return self.value(measure, tally, tally.unit_sums(weights), zero)

    def rows(self, measure: Measure, tally: Tally, zero: float | None) -> Rows:
        """What has to be summed over units."""
        return tally.unit_rows

    def value(
        self, measure: Measure, tally: Tally, sums: FloatArray, zero: float | None
    ) -> Averaged:
        """The score of these sums."""
        return Averaged(valued(measure, tally.total_of(sums), zero))
