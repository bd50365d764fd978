"""The error measure of MUC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carob.measure.ser import check_weights, weighted_errors
from carob.plugin import FloatArray, Quantities, ratio


@dataclass(frozen=True, slots=True)
class Err:
    """Of everything that is right or wrong, the share that is wrong.

    ERR = (S+D+I) / (C+S+D+I); with weights (sS+dD+iI) / (C+sS+dD+iI). Never above 1. Undefined
    when there is nothing to count. Makhoul et al. (1999), "Performance measures for information
    extraction", equation 9, after MUC. Their Table 1: system A finds none of N slots, system B
    also inserts 0.2 N, and ERR sees no difference.

    >>> Err()(Quantities.of(c=0, s=0, d=100, i=[0, 20])).tolist()
    [1.0, 1.0]
    """

    s: float = 1.0
    d: float = 1.0
    i: float = 1.0

    name: ClassVar[str] = "ERR"
    needs: ClassVar[tuple[str, ...]] = ("c", "s", "d", "i")
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = True
    denominator: ClassVar[tuple[str, ...]] = ("c", "s", "d", "i")
    has_no_zero: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_weights(self.name, self.s, self.d, self.i)

    def __call__(self, q: Quantities) -> FloatArray:
        """The share for each element."""
        wrong = weighted_errors(q, self.s, self.d, self.i)
        return ratio(wrong, q["c"] + wrong)
