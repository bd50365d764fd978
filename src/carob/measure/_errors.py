"""Errors with weights: what ERR and SER have above the line."""

from __future__ import annotations

import math

from carob.arrays.types import FloatArray
from carob.corpus.problems import RecipeError
from carob.counts.quantities import Quantities


def check(name: str, s: float, d: float, i: float) -> None:
    """Refuse weights that are no weights.

    >>> check("SER", 1, 1, -1)
    Traceback (most recent call last):
    carob.corpus.problems.RecipeError: SER(i=-1): a weight is 0 or more
    """
    for key, weight in (("s", s), ("d", d), ("i", i)):
        if not (weight >= 0 and math.isfinite(weight)):
            raise RecipeError(f"{name}({key}={weight}): a weight is 0 or more")


def errors(q: Quantities, s: float, d: float, i: float) -> FloatArray:
    """Substitutions, deletions and insertions, each with its weight.

    >>> errors(Quantities.of(s=1, d=2, i=3), 1, 1, 0.5).item()
    4.5
    """
    return s * q["s"] + d * q["d"] + i * q["i"]
