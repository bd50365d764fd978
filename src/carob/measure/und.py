"""Undergeneration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carob.plugin import FloatArray, Quantities, ratio


@dataclass(frozen=True, slots=True)
class Und:
    """Undergeneration: of what gold has, the share for which the system has nothing at all.

    UND = D / N, in MUC's terms MIS / POS. Undefined without gold. Chinchor & Sundheim
    (1993), "MUC-5 Evaluation Metrics".

    >>> Und()(Quantities.of(d=2, gold_all=8)).item()
    0.25
    """

    name: ClassVar[str] = "UND"
    needs: ClassVar[tuple[str, ...]] = ("d", "gold_all")
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = True
    denominator: ClassVar[tuple[str, ...]] = ("gold_all",)
    has_no_zero: ClassVar[bool] = True

    def __call__(self, q: Quantities) -> FloatArray:
        """The share for each element."""
        return ratio(q["d"], q["gold_all"])
