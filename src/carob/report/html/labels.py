"""Labels: the scores of every label or slot, system by system."""

from __future__ import annotations

from typing import Any

from carob.report.html.charts import chart
from carob.result.report import Report
from carob.result.scores import Score

TITLE = "Labels"

MOST = 100
"""Of more labels than this, those that gold has most often are shown."""


def part(report: Report) -> dict[str, Any] | None:
    """A chart for the first recipe, and a table for each recipe of the headline."""
    scores = {(each.system, each.recipe): each for each in report.scores}
    # The scores of labels do not depend on the average.
    recipes = {recipe.partition("@")[0]: recipe for recipe in reversed(report.headline)}
    by_recipe = {r: [scores[name, r] for name in report.order] for r in reversed(recipes.values())}
    tables = [_table(recipe, own) for recipe, own in by_recipe.items() if own[0].by_label]
    if not tables:
        return None
    what = "slot" if any(each.of_slots for each in report.errors.values()) else "label"
    recipe = tables[0]["recipe"]
    return {
        "title": f"{what.capitalize()}s",
        "what": what,
        "systems": report.order,
        "tables": tables,
        "chart": chart(
            report.scores, "labels",
            title=f"Scores of every {what} by {recipe}",
            description=f"A panel for each {what}, with a dot for each system and a line for its "
            "interval. The table below has the numbers.",
            recipe=recipe,
        ),
        "caption": f"Scores of every {what} by {recipe}, with 95% intervals; beside each name, how "
        "many items gold has.",
    }  # fmt: skip


def _table(recipe: str, scores: list[Score]) -> dict[str, Any]:
    """A row for each label, the most frequent first."""
    support = {label: value.support for score in scores for label, value in score.by_label.items()}
    labels = sorted(support, key=lambda label: (-support[label], label))
    return {
        "recipe": recipe,
        "rows": [
            {"label": label, "support": support[label],
             "values": [(score, score.by_label[label]) for score in scores]}
            for label in labels[:MOST]
        ],
        "rest": max(len(labels) - MOST, 0),
    }  # fmt: skip
