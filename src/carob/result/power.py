"""Power: how often a test set of some size would show a difference."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from carob.corpus.problems import UsageError, nearest
from carob.result.scores import File, library


@dataclass(frozen=True, slots=True)
class Point:
    """Of simulated studies with so many documents, the share that saw the difference.

    >>> round(Point(50, 80, 100).error, 3)
    0.04
    """

    documents: int
    seen: int
    simulations: int

    @property
    def power(self) -> float:
        """The share."""
        return self.seen / self.simulations

    @property
    def error(self) -> float:
        """The standard error of the share, which comes from simulating only so often."""
        return math.sqrt(self.power * (1 - self.power) / self.simulations)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "documents": self.documents, "power": self.power, "error": self.error,
            "simulations": self.simulations,
        }  # fmt: skip


@dataclass(frozen=True)
class Power:
    """How many documents are needed to detect a difference between two systems.

    `observed` is the difference b - a in the pilot, `difference` the size of the one looked for,
    `share` the share of documents on which the two were exchanged to get it. `documents` is the
    answer: None if no number would do. Without `simulated` it is only the normal approximation,
    which stands in `approximate` in any case.
    """

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

    @property
    def observed(self) -> float:
        """The difference b - a in the pilot."""
        return self.values[1] - self.values[0]

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def __str__(self) -> str:
        return self.to("terminal")

    def at(self, documents: int) -> Point:
        """What was simulated for so many documents."""
        for each in self.points:
            if each.documents == documents:
                return each
        there = ", ".join(str(each.documents) for each in self.points)
        raise UsageError(f"{documents} {self.unit}s were not simulated; there are: {there}")

    @property
    def answer(self) -> str:
        """How many documents are needed, in a sentence."""
        text: str = import_module("carob.report._power").answer(self)
        return text

    def to(self, report: str) -> str:
        """As text: terminal or json."""
        if report == "json":
            return self.to_json() + "\n"
        if report == "terminal":
            text: str = import_module("carob.report._power").terminal(self)
            return text
        there = nearest(report, ["json", "terminal"])
        raise UsageError(f"no report on power is called {report!r}{there}")

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON has it (see docs/output.md)."""
        a, b = self.systems
        return {
            "carob": self.version,
            "answer": self.answer,
            "signature": self.signature,
            "seed": self.seed,
            "gold": {"path": self.gold.path, "sha256": self.gold.sha256},
            "systems": [
                {"name": each.name, "path": each.path, "sha256": each.sha256} for each in (a, b)
            ],
            "recipe": self.recipe,
            "value_a": self.values[0],
            "value_b": self.values[1],
            "observed": self.observed,
            "difference": self.difference,
            "share": self.share,
            "goal": self.goal,
            "alpha": self.alpha,
            "trials": self.trials,
            "unit": self.unit,
            "pilot": self.pilot,
            "documents": self.documents,
            "simulated": self.simulated,
            "approximate": self.approximate,
            "points": self.rows(),
            "remarks": list(self.remarks),
        }

    def to_json(self) -> str:
        """The dict as JSON text, every digit kept."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each number of documents that was simulated."""
        return [each.to_dict() for each in self.points]

    def to_pandas(self) -> Any:
        """The rows as a pandas data frame (the extra `carob[pandas]`)."""
        return library("pandas").DataFrame(self.rows())

    def to_polars(self) -> Any:
        """The rows as a polars data frame (the extra `carob[polars]`)."""
        return library("polars").DataFrame(self.rows(), infer_schema_length=None)
