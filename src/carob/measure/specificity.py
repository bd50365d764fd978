"""Specificity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carob.measure._contingency import NEEDS, Contingency
from carob.plugin import FloatArray, Quantities, ratio


@dataclass(frozen=True, slots=True)
class Specificity:
    """Of what gold left unmarked, the share that the system left unmarked too.

    specificity = tn / (tn + fp): the recall of the unmarked. It has no value when gold marked
    everything. Yerushalmy (1947), "Statistical problems in assessing methods of medical
    diagnosis". Table 1 of Esuli & Sebastiani (2010), as tokens and separators:

    >>> q = Quantities.of(gold_right=5, gold_all=6, system_right=5, system_all=7, tn=9)
    >>> Specificity()(q).round(4).item()
    0.8182
    """

    name: ClassVar[str] = "specificity"
    needs: ClassVar[tuple[str, ...]] = NEEDS
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = False
    denominator: ClassVar[tuple[str, ...]] = ("system_all", "tn")
    has_no_zero: ClassVar[bool] = True

    def __call__(self, q: Quantities) -> FloatArray:
        """The share for each element."""
        _, fp, _, tn = Contingency.of(q)
        return ratio(tn, tn + fp)
