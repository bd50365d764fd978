"""Power: how often a test set of some size would show a difference."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from carob.corpus.problems import UsageError, plain
from carob.result.result import Part, Result, Rows
from carob.result.scores import File, files_to_dict


@dataclass(frozen=True, slots=True)
class Point(Part):
    """Of simulated studies with this many documents, the share that saw the difference.

    >>> round(Point(50, 80, 100).error, 3)
    0.04
    """

    documents: int
    seen: int
    simulations: int

    columns: ClassVar[tuple[str, ...]] = ("documents", "power", "error", "simulations")

    @property
    def power(self) -> float:
        """The share."""
        return self.seen / self.simulations

    @property
    def error(self) -> float:
        """The standard error of the share, from the limited number of simulations."""
        return math.sqrt(self.power * (1 - self.power) / self.simulations)


@dataclass(frozen=True, repr=False)
class Power(Result):
    """How many documents are needed to detect a difference between two systems.

    `observed` is the difference b - a in the pilot, `difference` the size of the one looked for,
    `share` the share of documents on which the two were exchanged to get it. `documents` is the
    answer: None if no number would do. Without `simulated` it is only the normal approximation,
    which stands in `approximate` in any case.
    """

    with_intervals: ClassVar[bool] = False

    version: str
    gold: File
    systems: tuple[File, ...]
    recipe: str
    measure: str
    values: tuple[float, float]
    difference: float
    share: float
    goal: float
    alpha: float
    trials: int
    documents: int | None
    simulated: bool
    approximate: int | None
    pilot: int
    points: tuple[Point, ...]
    signature: str
    seed: int
    unit: str = "document"
    remarks: tuple[str, ...] = ()

    columns: ClassVar[tuple[str, ...]] = (
        "observed", "difference", "share", "goal", "alpha", "trials", "unit", "pilot", "documents",
        "simulated", "approximate", "points", "remarks",
    )  # fmt: skip

    @property
    def recipes(self) -> list[str]:
        """The one recipe."""
        return [self.recipe]

    @property
    def observed(self) -> float:
        """The difference b - a in the pilot."""
        return self.values[1] - self.values[0]

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def at(self, documents: int) -> Point:
        """What was simulated for this many documents."""
        for each in self.points:
            if each.documents == documents:
                return each
        sizes = ", ".join(str(each.documents) for each in self.points)
        raise UsageError(f"{documents} {self.unit}s were not simulated; there are: {sizes}")

    @property
    def answer(self) -> str:
        """How many documents are needed, in a sentence."""
        return self.sentence()

    def sentence(self, digits: int = 1) -> str:
        """The answer, with this many decimals of a point."""
        a, b = (plain(each.name) for each in self.systems)
        what = f"a difference of {100 * self.difference:.{digits}f} {plain(self.recipe)}"
        own = next((each for each in self if each.documents == self.pilot), None)
        pilot = f"the {self.pilot:,} of the pilot show it in {_percent(own.power)}" if own else ""
        if self.documents is None:
            return (
                f"No number of {self.unit}s shows {what} between {a} and {b} more often than "
                f"chance does; {pilot}."
            )
        count = self.documents if self.simulated else _rounded(self.documents)
        text = (
            f"About {count:,} {self.unit}s are needed to detect {what} between {a} and {b} in "
            f"{_percent(self.goal)} of cases (p <= {self.alpha:g})"
        )
        if not self.simulated:
            text += ", by the normal approximation: that is too many to simulate"
        return text + (f"; {pilot}." if pilot else ".")

    def to_dict(self) -> dict[str, Any]:
        """Everything, as in JSON (see docs/output.md)."""
        return {
            "carob": self.version,
            "answer": self.answer,
            "signature": self.signature,
            "seed": self.seed,
            **files_to_dict(self.gold, self.systems),
            "recipe": self.recipe,
            "value_a": self.values[0],
            "value_b": self.values[1],
            **super().to_dict(),
        }

    def rows(self) -> Rows:
        """A row for each number of documents that was simulated."""
        return [each.to_dict() for each in self.points]


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _rounded(number: int) -> int:
    """Two digits, rounded up: an approximation is no better than that.

    >>> _rounded(56243), _rounded(7)
    (57000, 7)
    """
    step = int(10 ** max(len(str(number)) - 2, 0))
    return -(-number // step) * step
