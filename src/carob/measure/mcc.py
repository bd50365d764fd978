"""Matthews' correlation coefficient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from carob.measure._contingency import NEEDS, Contingency
from carob.plugin import FloatArray, Quantities, ratio


@dataclass(frozen=True, slots=True)
class Mcc:
    """The correlation of gold's marks with the system's: 1 is identical, 0 unrelated, -1 opposite.

    mcc = (tp tn - fp fn) / sqrt((tp + fp)(tp + fn)(tn + fp)(tn + fn)). It has no value when a
    margin is empty: gold or system marked nothing, or everything. Matthews (1975), "Comparison
    of the predicted and observed secondary structure of T4 phage lysozyme". Table 1 of Esuli &
    Sebastiani (2010), as tokens and separators:

    >>> q = Quantities.of(gold_right=5, gold_all=6, system_right=5, system_all=7, tn=9)
    >>> Mcc()(q).round(4).item()
    0.6326
    """

    name: ClassVar[str] = "mcc"
    needs: ClassVar[tuple[str, ...]] = NEEDS
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    lower_is_better: ClassVar[bool] = False
    has_no_zero: ClassVar[bool] = True

    def __call__(self, q: Quantities) -> FloatArray:
        """The correlation for each element."""
        tp, fp, fn, tn = Contingency.of(q)
        # Roots before products: four large margins multiplied would lose digits.
        margins = np.sqrt((tp + fp) * (tp + fn)) * np.sqrt((tn + fp) * (tn + fn))
        return ratio(tp * tn - fp * fn, margins)
