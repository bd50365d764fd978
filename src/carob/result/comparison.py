"""Comparison: which of several systems is ahead, by how much, and whether that is chance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from carob.arrays.types import FloatArray
from carob.corpus.problems import UsageError, nearest
from carob.result.scores import File, library

ALPHA = 0.05
"""A p that is larger is chance."""

COLUMNS = (
    "a", "b", "recipe", "label", "value_a", "value_b", "difference", "low", "high", "p", "p_holm",
    "significant", "smallest_p", "detectable", "differing", "exact", "method", "remarks",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """The score of b minus the score of a, under one recipe (of one label, if there is one).

    `smallest_p` is the smallest p that could have come out, `detectable` the smallest difference
    that these documents would have shown in four cases of five, `differing` on how many of them
    the two systems differ at all; `exact` says that every exchange was tried. `draws` are the
    differences in resamples, `trials` those that chance alone gave, where exchanges were drawn.
    """

    a: str
    b: str
    recipe: str
    label: str | None
    measure: str
    value_a: float | None
    value_b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    smallest_p: float
    detectable: float | None
    differing: int
    exact: bool
    method: str | None
    lower_is_better: bool = False
    is_count: bool = False
    remarks: tuple[str, ...] = ()
    draws: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)
    trials: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)

    @property
    def significant(self) -> bool:
        """Whether chance is ruled out, with everything that was tested beside it."""
        return self.p_holm is not None and self.p_holm <= ALPHA

    @property
    def ahead(self) -> str | None:
        """The system that is ahead, significantly or not; None if none is."""
        if self.difference is None or self.difference == 0:
            return None
        return self.b if (self.difference > 0) != self.lower_is_better else self.a

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        found = {name: getattr(self, name) for name in COLUMNS}
        return found | {"remarks": list(self.remarks)}


@dataclass(frozen=True, slots=True)
class Rank:
    """The ranks that a system may have, given what is significant; systems of a cluster may be
    equally good.
    """

    recipe: str
    label: str | None
    system: str
    value: float | None
    rank_low: int
    rank_high: int
    cluster: int

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        names = ("recipe", "label", "system", "value", "rank_low", "rank_high", "cluster")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two recipes order the systems alike, and which pairs change places."""

    first: str
    second: str
    spearman: float | None
    kendall: float | None
    swaps: tuple[tuple[str, str], ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "first": self.first, "second": self.second, "spearman": self.spearman,
            "kendall": self.kendall, "swaps": [list(pair) for pair in self.swaps],
        }  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """Several systems against each other. Prints itself as tables with a sentence for each pair.

    >>> from carob import Corpus, compare
    >>> gold = Corpus.of("[Ann]PER slept", "[Bo]PER woke")
    >>> found = compare(gold, {"a": gold, "b": Corpus.of("Ann slept", "[Bo]PER woke")}, "exact.R")
    >>> found.differences[0].difference, found.differences[0].p
    (-0.5, 1.0)
    """

    version: str
    gold: File
    systems: tuple[File, ...]
    differences: tuple[Difference, ...]
    ranks: tuple[Rank, ...]
    agreements: tuple[Agreement, ...]
    signature: str
    seed: int
    unit: str = "document"
    remarks: tuple[str, ...] = ()
    trials: int = 9999

    @property
    def blind(self) -> bool:
        """Are there so many tests that no p from so few trials could be significant after Holm?"""
        approximate = any(not each.exact for each in self.differences)
        return approximate and len(self.differences) > 0.05 * (1 + self.trials)

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    def __str__(self) -> str:
        return self.to("terminal")

    def worse(self, margin: float = 0.0) -> list[Difference]:
        """Where the last system is significantly worse than the first, by more than a margin.

        >>> from carob import Corpus, compare
        >>> gold = Corpus.of("[Ann]PER slept", "[Bo]PER woke")
        >>> compare(gold, {"a": gold, "b": gold}, "exact.F1").worse()
        []
        """
        if not margin >= 0:
            raise UsageError(f"the margin is 0 or more, not {margin}")
        if self.blind:
            raise UsageError(
                f"with {len(self.differences):,} tests and {self.trials:,} trials nothing can be "
                "significant after Holm, so the gate could not say no: "
                "give more trials or fewer tests"
            )
        first, last = self.systems[0].name, self.systems[-1].name
        return [
            each for each in self.differences
            if (each.a, each.b) == (first, last) and each.significant and each.ahead == first
            and abs(each.difference or 0.0) > margin
        ]  # fmt: skip

    def to(self, report: str) -> str:
        """The comparison as text: terminal, json, csv or markdown.

        >>> from carob import Corpus, compare
        >>> gold = Corpus.of("[Ann]PER slept")
        >>> compare(gold, {"a": gold, "b": gold}, "exact.F1").to("csv").splitlines()[1][:15]
        'a,b,exact.F1,,1'
        """
        if report == "json":
            return self.to_json() + "\n"
        if report == "csv":
            return _csv(self.rows())
        reports = import_module("carob.report._comparison").REPORTS
        if report not in reports:
            there = nearest(report, ["csv", "json", *reports])
            raise UsageError(f"no report on comparisons is called {report!r}{there}")
        text: str = reports[report](self)
        return text

    def to_dict(self) -> dict[str, Any]:
        """Everything but the draws, as JSON has it (see docs/output.md)."""
        return {
            "carob": self.version,
            "signature": self.signature,
            "seed": self.seed,
            "gold": {"path": self.gold.path, "sha256": self.gold.sha256},
            "systems": [
                {"name": each.name, "path": each.path, "sha256": each.sha256}
                for each in self.systems
            ],
            "tested": sum(each.p is not None for each in self.differences),
            "comparisons": [each.to_dict() for each in self.differences],
            "ranks": [each.to_dict() for each in self.ranks],
            "agreement": [each.to_dict() for each in self.agreements],
            "remarks": list(self.remarks),
        }

    def to_json(self) -> str:
        """The dict as JSON text, every digit kept."""
        import json

        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each pair of systems and recipe."""
        return [each.to_dict() | {"remarks": "; ".join(each.remarks)} for each in self.differences]

    def to_pandas(self) -> Any:
        """The rows as a pandas data frame (the extra `carob[pandas]`)."""
        return library("pandas").DataFrame(self.rows())

    def to_polars(self) -> Any:
        """The rows as a polars data frame (the extra `carob[polars]`)."""
        return library("polars").DataFrame(self.rows(), infer_schema_length=None)


def _csv(rows: list[dict[str, Any]]) -> str:
    import csv
    import io

    out = io.StringIO()
    table = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return out.getvalue()
