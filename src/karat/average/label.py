"""One label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from karat.average._mean import Averaged, Measure, valued
from karat.nouns._types import FloatArray
from karat.nouns.errors import RecipeError, nearest
from karat.nouns.rows import Rows
from karat.nouns.tally import Quantities, Tally


@dataclass(frozen=True, slots=True)
class Label:
    """The row of one label, after pairing with all labels. Written label:NAME.

    A label that neither gold nor any system has is an error.

    >>> from karat import Corpus, score
    >>> gold = Corpus.of("[Ann]PER [Bo]PER [Rome]LOC")
    >>> system = Corpus.of("[Ann]PER [Bo]LOC Rome")
    >>> score(gold, system, "exact.R@label:PER").value
    0.5
    """

    label: str

    name: ClassVar[str] = "label"

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
        if self.label not in tally.labels:
            raise RecipeError(
                f"no label is called {self.label!r}{nearest(self.label, tally.labels)}"
            )
        place = tally.labels.index(self.label)
        every = tally.labels_of(sums)
        q = Quantities({name: values[..., place] for name, values in every.items()})
        return Averaged(valued(measure, q, zero))
