"""Learners: how good each is, over all slots and for each, under all ways to count."""

from __future__ import annotations

from typing import Any, Literal

from carob.corpus.problems import many, plain
from carob.report.html.charts import chart
from carob_lab.report.experiment import Experiment

TITLE = "Learners"

MOST = 100
"""More slots than this are not shown."""


def part(result: Experiment) -> dict[str, Any]:
    """The table of all slots together, a chart, the tables of slots, and all remarks."""
    slots = list(dict.fromkeys(
        slot for own in result.learners.values() for by_label in own.by_label.values()
        for slot in by_label
    ))  # fmt: skip
    best = {recipe: best_by(result, recipe, "better") for recipe in result.headline}
    return {
        "sentences": _sentences(result, best),
        "failures": len(result.failures),
        "blocks": blocks(result),
        "columns": [(recipe, recipe in result.headline)
                    for own in blocks(result).values() for recipe in own],
        "learners": result.learners,
        "best": best,
        "chart": result.recipes and chart(
            result, "intervals",
            sort="given",
            title="Scores of all learners",
            description="A dot for the mean over splits of each learner under each recipe, and a "
            "line for its interval. The table above has the numbers.",
        ),
        "caption": "Means over splits of all learners, with their 95% intervals.",
        "slots": slots[:MOST],
        "rest": len(slots[MOST:]),
        "remarks": result.remarks,
    }  # fmt: skip


def blocks(result: Experiment) -> dict[str, list[str]]:
    """The recipes of each event space and average, which stand side by side."""
    found: dict[str, list[str]] = {}
    for recipe in result.recipes:
        space, _, measure = recipe.rpartition(".")
        average = measure.partition("@")[2]
        found.setdefault(f"{space}@{average}" if average else space, []).append(recipe)
    return found


def best_by(
    result: Experiment, recipe: str, winner: Literal["better", "better_models"]
) -> str | None:
    """The learner that is better (or has better models) than all others with scores, if any is."""
    wins: dict[str, int] = {}
    for each in result.comparisons:
        ahead = getattr(each, winner)
        if each.recipe == recipe and each.label is None and ahead is not None:
            wins[ahead] = wins.get(ahead, 0) + 1
    others = sum(recipe in own.scores for own in result.learners.values()) - 1
    return next((name for name, count in wins.items() if count == others), None)


def first_by(result: Experiment, recipe: str) -> str | None:
    """The learner with the best mean; of several, the first of the file."""
    lower = any(each.lower_is_better for each in result.comparisons if each.recipe == recipe)
    means = {name: own.scores[recipe].mean for name, own in result.learners.items()
             if recipe in own.scores}  # fmt: skip
    there = {name: -mean if lower else mean for name, mean in means.items() if mean is not None}
    return max(there, key=lambda name: there[name]) if there else None


def _sentences(result: Experiment, best: dict[str, str | None]) -> list[str]:
    """What was done, and who is the best by each recipe."""
    splits = list(dict.fromkeys(
        split for own in result.learners.values() for score in own.scores.values()
        for split in score.splits
    ))  # fmt: skip
    documents = many(int(result.corpus.get("documents", 0)), "document")
    sentences = [
        f"{many(len(result.learners), 'learner')}, trained and tested on "
        f"{many(len(splits), 'split')} of {documents}."
    ]
    if not result.comparisons:
        return sentences
    verdicts: dict[str, list[str]] = {}
    for recipe in result.headline:
        first = first_by(result, recipe)
        if first is not None:
            if best[recipe] == first:
                sure = "significantly better than all others"
            elif best_by(result, recipe, "better_models") == first:
                sure = (
                    "whose trained models are better than those of all others; this could come "
                    "from the training sets or seeds"
                )
            else:
                sure = "not shown to be better than all others"
            verdicts.setdefault(f"{plain(first)}, {sure}", []).append(recipe)
    return sentences + [
        f"The best by {', '.join(recipes)} is {verdict}." for verdict, recipes in verdicts.items()
    ]
