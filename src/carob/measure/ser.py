"""The slot error rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from carob.plugin import FloatArray, Quantities, RecipeError, ratio


@dataclass(frozen=True, slots=True)
class Ser:
    """The number of errors per slot of gold: the cost of correcting the output.

    SER = (S+D+I) / N with N = C+S+D; with weights (sS+dD+iI) / N. It corresponds to the word error
    rate of speech recognition. It exceeds 1 when errors outnumber gold slots, and is never clipped.
    Undefined when gold has no slots. Makhoul et al. (1999), "Performance measures for information
    extraction", equation 11. Their Table 1: system A finds none of N slots, system B also inserts
    0.2 N.

    >>> Ser()(Quantities.of(c=0, s=0, d=100, i=[0, 20])).tolist()
    [1.0, 1.2]
    """

    s: float = 1.0
    d: float = 1.0
    i: float = 1.0

    name: ClassVar[str] = "SER"
    needs: ClassVar[tuple[str, ...]] = ("c", "s", "d", "i")
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)
    lower_is_better: ClassVar[bool] = True
    denominator: ClassVar[tuple[str, ...]] = ("c", "s", "d")
    has_no_zero: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_weights(self.name, self.s, self.d, self.i)

    def __call__(self, q: Quantities) -> FloatArray:
        """The rate for each element."""
        return ratio(weighted_errors(q, self.s, self.d, self.i), q["c"] + q["s"] + q["d"])


LARGEST_WEIGHT = 1_000_000
"""With larger weights, sums of errors would lose digits."""


def check_weights(name: str, s: float, d: float, i: float) -> None:
    """Refuse weights that are no weights.

    >>> check_weights("SER", 1, 1, -1)
    Traceback (most recent call last):
    carob.corpus.problems.RecipeError: SER(i=-1): a weight is from 0 to 1,000,000
    """
    for key, weight in (("s", s), ("d", d), ("i", i)):
        if not 0 <= weight <= LARGEST_WEIGHT:
            raise RecipeError(f"{name}({key}={weight}): a weight is from 0 to {LARGEST_WEIGHT:,}")


def weighted_errors(q: Quantities, s: float, d: float, i: float) -> FloatArray:
    """Substitutions, deletions and insertions, each with its weight.

    >>> weighted_errors(Quantities.of(s=1, d=2, i=3), 1, 1, 0.5).item()
    4.5
    """
    return s * q["s"] + d * q["d"] + i * q["i"]
