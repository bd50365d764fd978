"""Overgeneration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carob.plugin import FloatArray, Quantities, ratio


@dataclass(frozen=True, slots=True)
class Ovg:
    """Overgeneration: of what the system answered, the share for which gold has nothing at all.

    OVG = I / M, in MUC's terms SPU / ACT. Undefined without answers. Chinchor & Sundheim
    (1993), "MUC-5 Evaluation Metrics".

    >>> Ovg()(Quantities.of(i=2, system_all=8)).item()
    0.25
    """

    name: ClassVar[str] = "OVG"
    needs: ClassVar[tuple[str, ...]] = ("i", "system_all")
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = True
    denominator: ClassVar[tuple[str, ...]] = ("system_all",)
    has_no_zero: ClassVar[bool] = True

    def __call__(self, q: Quantities) -> FloatArray:
        """The share for each element."""
        return ratio(q["i"], q["system_all"])
