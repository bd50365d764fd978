"""Recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carob.plugin import FloatArray, Quantities


@dataclass(frozen=True, slots=True)
class Recall:
    """Of what gold marked, the share that was found.

    R = gold_right / gold_all. Undefined when gold marked nothing; an average then counts 0 if
    the system marked something. van Rijsbergen (1979), "Information Retrieval", chapter 7;
    Makhoul et al. (1999), "Performance measures for information extraction", equation 4.

    >>> Recall()(Quantities.of(gold_right=5, gold_all=7)).round(3).item()
    0.714
    """

    name: ClassVar[str] = "R"
    needs: ClassVar[tuple[str, ...]] = ("gold_right", "gold_all")
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = False
    denominator: ClassVar[tuple[str, ...]] = ("gold_all",)

    def __call__(self, q: Quantities) -> FloatArray:
        """The share for each element."""
        return q.share("gold_right", "gold_all")

    def of_means(self, precision: FloatArray, recall: FloatArray) -> FloatArray:
        """What macro-doc-pr makes of the means of P and R."""
        return recall
