"""The share of accepted records that are right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carob.plugin import FloatArray, Quantities, ratio


@dataclass(frozen=True, slots=True)
class ExactShare:
    """Of the records that are accepted, the share in which everything is right.

    accepted_right / accepted. Undefined if none is accepted. It is 1 minus the risk of El-Yaniv &
    Wiener (2010), "On the Foundations of Noise-free Selective Classification".

    >>> ExactShare()(Quantities.of(accepted_right=3, accepted=4)).item()
    0.75
    """

    name: ClassVar[str] = "exact"
    needs: ClassVar[tuple[str, ...]] = ("accepted_right", "accepted")
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = False
    denominator: ClassVar[tuple[str, ...]] = ("accepted",)
    share: ClassVar[tuple[str, str]] = ("accepted_right", "accepted")
    has_no_zero: ClassVar[bool] = True
    hint: ClassVar[str] = "; write record.exact"

    def __call__(self, q: Quantities) -> FloatArray:
        """The share for each element."""
        return ratio(q["accepted_right"], q["accepted"])
