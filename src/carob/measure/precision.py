"""Precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carob.plugin import FloatArray, Quantities


@dataclass(frozen=True, slots=True)
class Precision:
    """Of what the system marked, the share that is right.

    P = system_right / system_all. Undefined when the system marked nothing; an average then
    counts 0 if there was gold to find. van Rijsbergen (1979), "Information Retrieval", chapter 7;
    Makhoul et al. (1999), "Performance measures for information extraction", equation 3.

    >>> Precision()(Quantities.of(system_right=5, system_all=7)).round(3).item()
    0.714
    """

    name: ClassVar[str] = "P"
    needs: ClassVar[tuple[str, ...]] = ("system_right", "system_all")
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = False
    denominator: ClassVar[tuple[str, ...]] = ("system_all",)

    def __call__(self, q: Quantities) -> FloatArray:
        """The share for each element."""
        return q.share("system_right", "system_all")

    def of_means(self, precision: FloatArray, recall: FloatArray) -> FloatArray:
        """What macro-doc-pr makes of the means of P and R."""
        return precision
