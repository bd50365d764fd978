"""Curves: how scores rise with the number of training documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from carob.corpus.problems import plain
from carob.report.html.charts import chart
from carob_lab.report.experiment import CurvePoint, Experiment

TITLE = "Learning curves"

CAPTION = (
    "Thick lines are means over splits, thin lines single splits, and bands 95% intervals over "
    "test documents. Sizes are on a logarithmic scale."
)


def part(result: Experiment) -> dict[str, Any] | None:
    """A chart, a table for each recipe, and which learner overtakes which."""
    if not result.curve:
        return None
    names = list(dict.fromkeys(each.learner for each in result.curve))
    marks = [f"{plain(name)}: with {', '.join(map(plain, own.external))}"
             for name, own in result.learners.items() if own.external]  # fmt: skip
    marks += [f"{plain(name)}: own features"
              for name, own in result.learners.items() if own.own_features]  # fmt: skip
    return {
        "chart": chart(
            result, "curves",
            title="Learning curves",
            description="A panel for each recipe, with a curve for each learner over the number "
            "of training documents. The tables below have the numbers.",
        ),
        "caption": " ".join([CAPTION, *(f"{mark}." for mark in marks)]),
        "learners": [(name, result.learners[name]) for name in names],
        "tables": [
            (recipe, curve_rows(result.curve, recipe, names),
             [_area(result, recipe, name) for name in names])
            for recipe in result.headline
        ],
        "sentences": _overtaking(result),
    }  # fmt: skip


def curve_rows(
    points: Sequence[CurvePoint], recipe: str, names: Sequence[str], *, strategies: bool = False
) -> list[tuple[str, list[CurvePoint | None]]]:
    """A row for each size, with the point of each learner, or of each strategy."""
    cells = {
        (str(each.size), each.strategy if strategies else each.learner): each
        for each in points if each.recipe == recipe
    }  # fmt: skip
    sizes = sorted(
        dict.fromkeys(size for size, _ in cells),
        key=lambda size: (not size.isdigit(), int(size) if size.isdigit() else 0),
    )
    return [(size, [cells.get((size, name)) for name in names]) for size in sizes]


def _area(result: Experiment, recipe: str, name: str) -> float | None:
    own = (each["area"] for each in result.areas
           if (each["learner"], each["recipe"]) == (name, recipe))  # fmt: skip
    return next(own, None)


def _overtaking(result: Experiment) -> list[str]:
    """Who began behind another and is ahead at the end, and from which size on."""
    found: dict[str, list[str]] = {}
    for each in result.overtaking:
        if each["recipe"] in result.headline:
            sentence = (
                f"From {each['size']} documents on, the mean of {plain(each['learner'])} is above "
                f"that of {plain(each['overtakes'])}"
            )
            found.setdefault(sentence, []).append(each["recipe"])
    if not found and len(result.learners) > 1:
        return ["No learner that began behind another one ends ahead of it."]
    return [f"{sentence} ({', '.join(recipes)})." for sentence, recipes in found.items()]
