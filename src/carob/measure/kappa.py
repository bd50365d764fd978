"""Cohen's kappa."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carob.measure._contingency import NEEDS, Contingency
from carob.plugin import FloatArray, Quantities, ratio


@dataclass(frozen=True, slots=True)
class Kappa:
    """How far gold and system agree beyond chance: 1 is full agreement, 0 is chance agreement.

    kappa = (o - e) / (1 - e), where o = (tp + tn) / n is the observed agreement, and
    e = ((tp + fn)(tp + fp) + (fp + tn)(fn + tn)) / n^2 the one expected by chance, n being the
    sum of all four. It is the same, with one division, as
    2 (tp tn - fp fn) / ((tp + fp)(fp + tn) + (tp + fn)(fn + tn)). It has no value when chance
    agreement is 1: both marked everything, or both nothing. Cohen (1960), "A coefficient of
    agreement for nominal scales"; Esuli & Sebastiani (2010), "Evaluating Information
    Extraction", section 3, name it among the measures that need true negatives. Their Table 1,
    as tokens and separators:

    >>> q = Quantities.of(gold_right=5, gold_all=6, system_right=5, system_all=7, tn=9)
    >>> Kappa()(q).round(4).item()
    0.6277
    """

    name: ClassVar[str] = "kappa"
    needs: ClassVar[tuple[str, ...]] = NEEDS
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    lower_is_better: ClassVar[bool] = False
    has_no_zero: ClassVar[bool] = True

    def __call__(self, q: Quantities) -> FloatArray:
        """Kappa for each element."""
        tp, fp, fn, tn = Contingency.of(q)
        return ratio(2 * (tp * tn - fp * fn), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))
