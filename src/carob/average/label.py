"""One label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from carob.plugin import (
    Averaged,
    CountTable,
    FloatArray,
    Measure,
    RecipeError,
    Tally,
    nearest,
    valued,
)


@dataclass(frozen=True, slots=True)
class Label:
    """The score of one label, after pairing with all labels. Written label:NAME.

    A label that neither gold nor any system has is an error.

    >>> from carob import Corpus, score
    >>> gold = Corpus.of("[Ann]PER [Bo]PER [Rome]LOC")
    >>> system = Corpus.of("[Ann]PER [Bo]LOC Rome")
    >>> score(gold, system, "exact.R@label:PER").value
    0.5
    """

    label: str

    name: ClassVar[str] = "label"
    colon: ClassVar[str] = "label"
    over: ClassVar[Literal["labels", "documents"]] = "labels"

    def table(self, measure: Measure, tally: Tally, zero: float | None) -> CountTable:
        """What has to be summed over units."""
        if self.label not in tally.labels:
            raise RecipeError(
                f"no label is called {self.label!r}{nearest(self.label, tally.labels)}"
            )
        return tally.one_label_table(measure.needs, self.label)

    def value(
        self, measure: Measure, table: CountTable, sums: FloatArray, zero: float | None
    ) -> Averaged:
        """The score of these sums."""
        return Averaged(valued(measure, table.quantities(sums), zero)[..., 0])
