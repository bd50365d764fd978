"""Automation: which answers are sure enough that nobody needs to look at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from carob.result.result import Part, Result, Rows
from carob.result.scores import File


@dataclass(frozen=True, slots=True)
class Step(Part):
    """One threshold: how many answers reach it, and how many of them are wrong."""

    threshold: float
    accepted: int
    wrong: int
    automation: float
    automation_low: float | None
    automation_high: float | None
    error: float
    error_low: float | None
    error_high: float | None


@dataclass(frozen=True, repr=False)
class Automation(Result):
    """The share of records that are accepted at each confidence, and the share of these that are
    wrong. `threshold` is the lowest at which no more than `wanted` of them are.
    """

    with_intervals: ClassVar[bool] = False

    name: str
    wanted: float
    threshold: float | None
    chosen: Step | None
    steps: tuple[Step, ...]
    reliability: tuple[tuple[float, int, float, float], ...]
    """Of ten bins of confidence: where it begins, answers, mean confidence, share that is right."""
    units: int
    systems: tuple[File, ...] = ()
    remarks: tuple[str, ...] = ()
    signature: str = ""
    recipes: Sequence[str] = field(default=("record.automation",))

    def sentence(self) -> str:
        """What to do, in words."""
        if self.chosen is None:
            return (
                f"at no confidence are {100 * self.wanted:.1f} % or fewer of the accepted records "
                "wrong: all need somebody to look"
            )
        step = self.chosen
        if step.error_low is None or step.error_high is None:
            interval = ""
        else:
            interval = f" ({100 * step.error_low:.1f} to {100 * step.error_high:.1f})"
        return (
            f"accept answers of {step.threshold:g} and above: {100 * step.automation:.0f} % of "
            f"records need nobody, {100 * step.error:.1f} % of them are wrong{interval}"
        )

    def to_dict(self) -> dict[str, Any]:
        """What the JSON report holds."""
        return {
            "system": self.name, "records": self.units, "wanted_error": self.wanted,
            "threshold": self.threshold,
            "chosen": None if self.chosen is None else self.chosen.to_dict(),
            "steps": [each.to_dict() for each in self.steps],
            "reliability": [
                dict(zip(("from", "answers", "confidence", "right"), each, strict=True))
                for each in self.reliability
            ],
            "remarks": list(self.remarks), "signature": self.signature,
        }  # fmt: skip

    def rows(self) -> Rows:
        """A row for each threshold."""
        return [each.to_dict() for each in self.steps]
