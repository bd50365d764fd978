"""Substitution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carob.plugin import FloatArray, Quantities, ratio


@dataclass(frozen=True, slots=True)
class Sub:
    """Substitution: of what gold and system both have, the share on which they differ.

    SUB = S / (C + S), in MUC's terms (INC + 0.5 PAR) / (COR + INC + PAR). Undefined when nothing is
    aligned. Chinchor & Sundheim (1993), "MUC-5 Evaluation Metrics".

    >>> Sub()(Quantities.of(c=6, s=2)).item()
    0.25
    """

    name: ClassVar[str] = "SUB"
    needs: ClassVar[tuple[str, ...]] = ("c", "s")
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = True
    denominator: ClassVar[tuple[str, ...]] = ("c", "s")
    has_no_zero: ClassVar[bool] = True

    def __call__(self, q: Quantities) -> FloatArray:
        """The share for each element."""
        return ratio(q["s"], q["c"] + q["s"])
