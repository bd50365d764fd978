"""Experiment results: learners over splits, compared, with curves and costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from carob.corpus.problems import UsageError, nearest
from carob.result.comparison import ALPHA
from carob.result.result import Part, Result, Rows

if TYPE_CHECKING:
    from carob.report.terminal import Section, Style

RANDOM = "random"
"""The strategy of active learning that the others are compared with."""


@dataclass(frozen=True, slots=True)
class Estimate(Part):
    """A score over several splits: the mean of their scores with its standard deviation, and the
    score of all counts together, which is another number. Both have an interval.
    """

    mean: float | None
    sd: float | None = None
    pooled: float | None = None
    low: float | None = None
    high: float | None = None
    pooled_low: float | None = None
    pooled_high: float | None = None
    splits: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Comparison(Part):
    """The difference b - a of two learners (or strategies) in the mean over splits.

    `p` is of the randomization test over documents, `p_holm` corrected for all tests of the table,
    `p_corrected_t` of the corrected resampled t test over splits. The first test takes the trained
    models as they are: two seeds of one learner are two models, and may well differ. So one is
    called `better` than the other only if both tests reject. If only the first does, the difference
    is one of the models, `better_models`.
    """

    columns: ClassVar[tuple[str, ...]] = (
        "a", "b", "recipe", "label", "difference", "low", "high", "p", "p_holm", "p_corrected_t",
        "better", "better_models", "differing", "exact", "splits", "lower_is_better",
    )  # fmt: skip

    a: str
    b: str
    recipe: str
    label: str | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    p_corrected_t: float | None
    differing: int
    exact: bool
    splits: int
    lower_is_better: bool = False

    @property
    def better(self) -> str | None:
        """Who is better: documents and splits agree. None if that cannot be said."""
        over_splits = self.p_corrected_t is not None and self.p_corrected_t <= ALPHA
        return self.better_models if over_splits else None

    @property
    def better_models(self) -> str | None:
        """Whose trained models are better, by the corrected p over documents; None if
        no difference is shown.
        """
        if self.p_holm is None or self.p_holm > ALPHA or not self.difference:
            return None
        return self.b if (self.difference > 0) != self.lower_is_better else self.a


@dataclass(frozen=True, slots=True)
class CurvePoint(Part):
    """A point of a learning curve: the mean over splits for one size of the training set."""

    learner: str
    strategy: str
    """Of active learning; empty for documents in random order."""
    size: int | str
    documents: float
    """The number of training documents, as a mean over splits."""
    recipe: str
    mean: float | None
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    splits: Mapping[str, float | None] = field(default_factory=dict)


def summary(log: str) -> str:
    """What failed, and the last line of a log, which says why.

    >>> summary("command: predict failed with exit code 1: x.py\\n  Traceback\\n  KeyError: 'a'")
    "command: predict failed with exit code 1: x.py: KeyError: 'a'"
    >>> summary("Traceback\\nMemoryError: no room")
    'MemoryError: no room'
    """
    lines = log.strip().splitlines()
    if len(lines) < 2 or lines[0].startswith("Traceback"):
        return lines[-1].strip() if lines else ""
    return f"{lines[0]}: {lines[-1].strip()}"


@dataclass(frozen=True, slots=True)
class Failure(Part):
    """A cell that failed, with the last lines of its log."""

    cell: str
    reason: str

    @property
    def summary(self) -> str:
        """What failed, and the last line of the log."""
        return summary(self.reason)


@dataclass(frozen=True, slots=True)
class LearnerResult(Part):
    """What a learner reached: an estimate for each recipe, and for each recipe and slot."""

    learner: str
    """Its name with all parameters."""
    scores: Mapping[str, Estimate]
    by_label: Mapping[str, Mapping[str, Estimate]]
    cells: int
    wanted: int
    """How many cells there are, and how many there would be if none had failed."""
    external: tuple[str, ...] = ()
    own_features: bool = False
    seeds: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As in JSON: recipes by name, the slots of each below it."""
        return {
            recipe: score.to_dict()
            | {"by_label": {slot: own.to_dict()
                            for slot, own in self.by_label.get(recipe, {}).items()}}
            for recipe, score in self.scores.items()
        }  # fmt: skip


@dataclass(frozen=True, repr=False)
class Experiment(Result):
    """All numbers of an experiment."""

    with_intervals: ClassVar[bool] = True
    charts: ClassVar[tuple[str, ...]] = ("curves", "intervals")

    version: str
    corpus: Mapping[str, Any]
    learners: Mapping[str, LearnerResult]
    comparisons: tuple[Comparison, ...] = ()
    curve: tuple[CurvePoint, ...] = ()
    areas: tuple[Mapping[str, Any], ...] = ()
    overtaking: tuple[Mapping[str, Any], ...] = ()
    active: tuple[CurvePoint, ...] = ()
    active_comparisons: tuple[Comparison, ...] = ()
    cost: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    leakage: Mapping[str, Any] = field(default_factory=dict)
    explicit: Mapping[str, str] = field(default_factory=dict)
    """What must be explicit so that a result can be compared (Lavelli et al., 2008)."""
    failures: tuple[Failure, ...] = ()
    remarks: tuple[str, ...] = ()
    command: str = ""
    """How to repeat it, for its page; JSON does not have it."""

    columns: ClassVar[tuple[str, ...]] = (
        "corpus", "learners", "comparisons", "curve", "areas", "overtaking", "active",
        "active_comparisons", "cost", "leakage", "explicit", "failures", "remarks",
    )  # fmt: skip

    @property
    def recipes(self) -> list[str]:
        """The recipes of the table."""
        every = (recipe for learner in self.learners.values() for recipe in learner.scores)
        return list(dict.fromkeys(every))

    @property
    def headline(self) -> list[str]:
        """The recipes without precision and recall, if there are others."""
        parts = (".P", ".R")
        return [each for each in self.recipes if not each.partition("@")[0].endswith(parts)] or (
            self.recipes
        )

    def sections(self, style: Style, *, width: int) -> list[Section]:
        """The result as tables and sentences."""
        from carob_lab.report.tables import sections

        return sections(self, style, width=width)

    def page(self) -> str:
        """The result as a page of HTML."""
        from carob_lab.report.page import experiment_page  # needs libraries that tables do not need

        return experiment_page(self)

    def interval_rows(self) -> Rows:
        """A row for each learner and recipe: the mean over splits."""
        lower = {each.recipe for each in self.comparisons if each.lower_is_better}
        return [
            {"system": name, "recipe": recipe, "value": own.mean, "low": own.low, "high": own.high,
             "lower_is_better": recipe in lower, "is_part": recipe not in self.headline}
            for name, learner in self.learners.items() for recipe, own in learner.scores.items()
        ]  # fmt: skip

    def __iter__(self) -> Iterator[str]:
        return iter(self.learners)

    def __len__(self) -> int:
        return len(self.learners)

    def __getitem__(self, learner: str) -> LearnerResult:
        if learner not in self.learners:
            raise UsageError(
                f"no learner is called {learner!r}{nearest(learner, [*self.learners])}"
            )
        return self.learners[learner]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as in JSON (see docs/experiments.md)."""
        settings = {
            name: {
                "learner": own.learner, "cells": own.cells, "wanted": own.wanted,
                "external": list(own.external), "own_features": own.own_features,
                "seeds": list(own.seeds),
            }
            for name, own in self.learners.items()
        }  # fmt: skip
        return {"carob": self.version, "settings": settings, **super().to_dict()}

    def rows(self) -> Rows:
        """A row for each learner, recipe and slot, and for each point of a curve."""
        table = [
            {"table": "scores", "learner": name, "strategy": "", "size": "all", "recipe": recipe,
             "label": label or "", **_numbers(score)}
            for name, own in self.learners.items()
            for recipe, whole in own.scores.items()
            for label, score in ((None, whole), *own.by_label.get(recipe, {}).items())
        ]  # fmt: skip
        curves = (("curve", self.curve), ("active", self.active))
        return table + [
            {"table": kind, "learner": point.learner, "strategy": point.strategy,
             "size": str(point.size), "recipe": point.recipe, "label": "", **_numbers(point)}
            for kind, points in curves for point in points
        ]  # fmt: skip


def _numbers(score: Estimate | CurvePoint) -> dict[str, float | None]:
    names = ("mean", "sd", "low", "high", "pooled", "pooled_low", "pooled_high")
    return {name: getattr(score, name, None) for name in names}
