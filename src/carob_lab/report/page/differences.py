"""Differences: which learner is better than which, and where none is shown to be."""

from __future__ import annotations

from typing import Any

from carob.result.comparison import ALPHA
from carob_lab.report.experiment import Comparison, Experiment
from carob_lab.report.tables import caveats

TITLE = "Differences"


def part(result: Experiment) -> dict[str, Any] | None:
    """A table of all slots together, and one with a block for each slot; None for one learner."""
    if not result.comparisons:
        return None
    labels = list(dict.fromkeys(each.label for each in result.comparisons))
    recipes = list(dict.fromkeys(each.recipe for each in result.comparisons))
    tables = {label: table([each for each in result.comparisons if each.label == label], recipes)
              for label in labels}  # fmt: skip
    tested = sum(each.p is not None for each in result.comparisons)
    return {
        "learners": result.learners,
        "recipes": recipes,
        "whole": tables.pop(None, []),
        "slots": tables,
        "note": note(tested),
        "caveats": caveats(result.comparisons),
    }  # fmt: skip


def table(
    comparisons: list[Comparison], recipes: list[str]
) -> list[tuple[str, str, list[Comparison | None]]]:
    """A row for each pair: a, b, and their comparison under each recipe."""
    cells = {(each.a, each.b, each.recipe): each for each in comparisons}
    pairs = dict.fromkeys((each.a, each.b) for each in comparisons)
    return [(a, b, [cells.get((a, b, recipe)) for recipe in recipes]) for a, b in pairs]


def note(tested: int) -> str:
    """How the tables are to be read."""
    return (
        "Below each difference are its 95% interval and three p values: of paired randomization "
        f"over documents, corrected by Holm's method for all {tested:,} tests and, in brackets, as "
        "it was; and (t) of the corrected resampled t test over splits. One is called better than "
        f"the other if the corrected p and that of the t test are at most {ALPHA:g}. That no "
        "difference is shown does not mean that there is none."
    )
