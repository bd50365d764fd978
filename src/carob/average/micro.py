"""Micro: everything in one pot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from carob.plugin import Averaged, CountTable, FloatArray, Measure, Tally, valued


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

    def table(self, measure: Measure, tally: Tally, zero: float | None) -> CountTable:
        """What has to be summed over units."""
        return tally.unit_table(measure.needs)

    def value(
        self, measure: Measure, table: CountTable, sums: FloatArray, zero: float | None
    ) -> Averaged:
        """The score of these sums."""
        return Averaged(valued(measure, table.quantities(sums), zero)[..., 0])
