"""Active learning: does it help that the learner picks the documents to label?"""

from __future__ import annotations

from typing import Any

from carob.corpus.problems import plain
from carob.report.html.charts import chart
from carob.result.comparison import p_value
from carob_lab.report.experiment import RANDOM, Comparison, Experiment
from carob_lab.report.page.curves import CAPTION, curve_rows
from carob_lab.report.page.differences import note
from carob_lab.report.tables import caveats

TITLE = "Active learning"


def part(result: Experiment) -> dict[str, Any] | None:
    """For each learner a verdict on each strategy, a chart and tables."""
    if not result.active:
        return None
    tested = sum(each.p is not None for each in result.active_comparisons)
    names = list(dict.fromkeys(each.learner for each in result.active))
    return {
        "learners": [_learner(result, name) for name in names],
        "note": "A strategy is compared with random, the control, by the mean height of its "
        f"curve over the logarithm of the size. {note(tested)}",
        "caveats": caveats(result.active_comparisons),
    }  # fmt: skip


def _learner(result: Experiment, name: str) -> dict[str, Any]:
    points = [each for each in result.active if each.learner == name]
    strategies = list(dict.fromkeys(each.strategy for each in points))
    own = {(each.b, each.recipe): each for each in result.active_comparisons
           if each.a == f"{name} {RANDOM}"}  # fmt: skip
    others = [each for each in strategies if each != RANDOM]
    rows = {each: [own.get((f"{name} {each}", recipe)) for recipe in result.headline]
            for each in others}  # fmt: skip
    return {
        "name": name,
        "own": result.learners[name],
        "strategies": strategies,
        "recipes": result.headline,
        "verdicts": [verdict(each, list(filter(None, cells))) for each, cells in rows.items()],
        "rows": rows,
        "chart": chart(
            result, "curves",
            active=name,
            title=f"Active learning with {plain(name)}",
            description="A panel for each recipe, with a curve for each strategy over the number "
            "of labelled documents. The tables below have the numbers.",
        ),
        "caption": CAPTION,
        "tables": [(recipe, curve_rows(points, recipe, strategies, strategies=True))
                   for recipe in result.headline],
    }  # fmt: skip


def verdict(strategy: str, comparisons: list[Comparison]) -> str:
    """What can be said of a strategy against the control, in words."""
    if not comparisons:
        return f"{strategy} could not be compared with {RANDOM}: the steps of one of them failed."
    by_verdict: dict[str, list[str]] = {}
    for each in comparisons:
        by_verdict.setdefault(_verdict(strategy, each), []).append(each.recipe)
    if [*by_verdict] == [""]:
        least = min((each.p_holm for each in comparisons if each.p_holm is not None), default=None)
        p = "" if least is None else f" (the least corrected p is {p_value(least)})"
        return f"No difference is shown between {strategy} and {RANDOM}{p}."
    none = by_verdict.pop("", [])
    sentences = [f"{what} by {', '.join(recipes)}." for what, recipes in by_verdict.items()]
    return " ".join(sentences + [f"No difference by {', '.join(none)}."] * bool(none))


def _verdict(strategy: str, each: Comparison) -> str:
    """What one comparison shows; empty if nothing."""
    word = "better" if each.better_models == each.b else "worse"
    if each.better is not None:
        return f"{strategy} is {word} than {RANDOM}"
    if each.better_models is not None:
        return (
            f"With {strategy} the trained models are {word} than with {RANDOM}, which could come "
            "from the training sets or seeds,"
        )
    return ""
