"""The four cells that measures with true negatives are made of."""

from __future__ import annotations

from typing import NamedTuple

from carob.arrays.types import FloatArray
from carob.counts.quantities import Quantities

NEEDS = ("gold_right", "gold_all", "system_right", "system_all", "tn")


class Contingency(NamedTuple):
    """What gold marked or not, against what the system marked or not."""

    tp: FloatArray
    fp: FloatArray
    fn: FloatArray
    tn: FloatArray

    @classmethod
    def of(cls, q: Quantities) -> Contingency:
        """The cells.

        >>> q = Quantities.of(gold_right=5, gold_all=6, system_right=5, system_all=7, tn=9)
        >>> [cell.item() for cell in Contingency.of(q)]
        [5.0, 2.0, 1.0, 9.0]
        """
        fp = q["system_all"] - q["system_right"]
        return cls(q["gold_right"], fp, q["gold_all"] - q["gold_right"], q["tn"])
