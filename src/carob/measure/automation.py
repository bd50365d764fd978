"""The share of records that are accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carob.plugin import FloatArray, Quantities, ratio


@dataclass(frozen=True, slots=True)
class Automation:
    """Of all records, the share whose answer is sure enough to be accepted: nobody needs to look.

    accepted / units. Undefined if there are no records. It is the coverage of El-Yaniv & Wiener
    (2010), "On the Foundations of Noise-free Selective Classification".

    >>> Automation()(Quantities.of(accepted=3, units=4)).item()
    0.75
    """

    name: ClassVar[str] = "automation"
    needs: ClassVar[tuple[str, ...]] = ("accepted", "units")
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = False
    denominator: ClassVar[tuple[str, ...]] = ("units",)
    share: ClassVar[tuple[str, str]] = ("accepted", "units")
    hint: ClassVar[str] = "; write record.automation"

    def __call__(self, q: Quantities) -> FloatArray:
        """The share for each element."""
        return ratio(q["accepted"], q["units"])
