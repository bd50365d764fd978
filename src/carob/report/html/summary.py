"""Summary: what was evaluated, and how good every system is."""

from __future__ import annotations

from typing import Any

from carob.corpus.problems import many, plain
from carob.report.html.charts import chart
from carob.result.report import Report
from carob.result.scores import Score

TITLE = "Summary"

COUNTS = ("documents", "mentions", "templates", "fillers")


def part(report: Report) -> dict[str, Any]:
    """The files, the table of systems and recipes, and all remarks."""
    scores = {(each.system, each.recipe): each for each in report.scores}
    files = [report.gold, *report.systems]
    columns = [name for name in COUNTS if any(getattr(each, name) for each in files)]
    return {
        "sentence": _sentence(report),
        "headline": report.headline,
        "rows": [
            {"system": name, "cells": [_cell(report, scores[name, r]) for r in report.headline]}
            for name in report.order
        ],
        "note": _note(report),
        "chart": chart(
            report.comparison or report.scores, "intervals",
            title="Scores with intervals",
            description="A dot for the score of each system under each recipe, and a line for its "
            "interval. The table above has the numbers.",
            recipes=report.headline,
        ),
        "caption": "Scores of all systems, with their 95% intervals.",
        "details": _details(report, scores),
        "remarks": remarks(report),
        "columns": columns,
        "files": [(each, [getattr(each, name) for name in columns]) for each in files],
        "coverage": _coverage(report),
        "signatures": report.signatures,
    }  # fmt: skip


def _sentence(report: Report) -> str:
    """What was evaluated, and which system is the best, in words."""
    gold = report.gold
    items = many(gold.fillers, "filler") if gold.fillers else many(gold.mentions, "mention")
    what = (
        f"{many(len(report.systems), 'system')} against gold with "
        f"{many(gold.documents, 'document')} and {items}."
    )
    if report.comparison is None:
        return what
    recipe, first = report.headline[0], report.order[0]
    rank = report.rank(first, recipe)
    assert rank is not None
    if rank.value is None:
        return f"{what} No system has a score by {recipe}."
    if _scored(report, recipe) == 1:
        return f"{what} {plain(first)} alone has a score by {recipe}."
    if rank.rank_low == rank.rank_high == 1:
        return f"{what} {plain(first)} is significantly the best by {recipe}."
    tied = [
        name for name in report.order
        if (own := report.rank(name, recipe)) is not None and own.rank_low == 1
    ]  # fmt: skip
    return (
        f"{what} {plain(first)} has the best {recipe}, but {many(len(tied), 'system')} may be the "
        "best: the differences between them could be chance."
    )


def _note(report: Report) -> str:
    """How the table is to be read."""
    parts = []
    if any(each.low is not None for each in report.scores):
        parts.append("Below each score is its 95% interval.")
    if report.comparison is not None:
        parts.append(
            "A rank range has the ranks that a system may have, by what is significant after "
            "Holm's correction; bold is a system that is significantly better than all others."
        )
    if any(each.lower_is_better for each in report.scores if each.recipe in report.headline):
        names = dict.fromkeys(each.measure for each in report.scores if each.lower_is_better)
        parts.append(f"Of {' and '.join(names)}, less is better.")
    return " ".join(parts)


def _cell(report: Report, score: Score) -> dict[str, Any]:
    """A score with its rank range. It is the best if no other system may be first."""
    rank = report.rank(score.system, score.recipe)
    return {
        "score": score,
        "rank": rank,
        "best": rank is not None
        and rank.rank_low == rank.rank_high == 1
        and _scored(report, score.recipe) > 1,
    }


def _scored(report: Report, recipe: str) -> int:
    """How many of the compared systems have a score under this recipe."""
    ranks = report.comparison.ranks if report.comparison is not None else ()
    return sum(r.value is not None for r in ranks if (r.recipe, r.label) == (recipe, None))


def _details(report: Report, scores: dict[tuple[str, str], Score]) -> dict[str, Any] | None:
    """All measures, if the headline has only some of them."""
    every = list(dict.fromkeys(report.scores.recipes))
    if every == report.headline:
        return None
    return {
        "systems": report.order,
        "rows": [(recipe, [scores[name, recipe] for name in report.order]) for recipe in every],
    }


def remarks(report: Report) -> list[str]:
    """What there is to say about the whole report, each once."""
    parts = (report, report.scores, report.comparison, *report.errors.values())
    every = [text for each in parts if each is not None for text in each.remarks]
    every += [f"{plain(file.name)}: {text}" for file in report.systems for text in file.warnings]
    if report.comparison is not None and report.comparison.blind:
        every.insert(0, report.comparison.blind)
    return list(dict.fromkeys(every))


def _coverage(report: Report) -> dict[str, Any]:
    """How much of each system was compared: the counts that are not 0 for all systems."""
    keys = list(dict.fromkeys(key for file in report.systems for key in file.coverage))
    shown = [key for key in keys if any(file.coverage.get(key) for file in report.systems)]
    return {
        "keys": [key.replace("_", " ") for key in shown],
        "rows": [(f.name, [f.coverage.get(key, 0) for key in shown]) for f in report.systems],
    }
