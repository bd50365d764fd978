"""Accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carob.measure._contingency import NEEDS, Contingency
from carob.plugin import FloatArray, Quantities, ratio


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Of everything there is, marked or not, the share on which gold and system agree.

    accuracy = (tp + tn) / (tp + fp + fn + tn). Undefined when there is nothing at all. If little
    is marked, a system that marks nothing has an accuracy near 1, so look at kappa as well.
    Esuli & Sebastiani (2010), "Evaluating Information Extraction", section 3, name it among the
    measures that need true negatives. Their Table 1, as tokens and separators:

    >>> q = Quantities.of(gold_right=5, gold_all=6, system_right=5, system_all=7, tn=9)
    >>> Accuracy()(q).round(4).item()
    0.8235
    """

    name: ClassVar[str] = "accuracy"
    needs: ClassVar[tuple[str, ...]] = NEEDS
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = False
    denominator: ClassVar[tuple[str, ...]] = ("gold_all", "system_all", "tn")

    def __call__(self, q: Quantities) -> FloatArray:
        """The share for each element."""
        tp, fp, fn, tn = Contingency.of(q)
        return ratio(tp + tn, tp + fp + fn + tn)
