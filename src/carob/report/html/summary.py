"""Summary: what was evaluated, and how good every system is."""

from __future__ import annotations

from typing import Any

from carob.result.report import Report
from carob.result.scores import Score

TITLE = "Summary"


def part(report: Report) -> dict[str, Any]:
    """The files, the table of systems and recipes, and all remarks."""
    scores = {(each.system, each.recipe): each for each in report.scores}
    return {
        "files": [report.gold, *report.systems],
        "headline": report.headline,
        "rows": [
            {"system": name, "cells": [_cell(report, scores[name, r]) for r in report.headline]}
            for name in report.order
        ],
        "details": _details(report, scores),
        "remarks": remarks(report),
        "signatures": report.signatures,
        "coverage": _coverage(report),
    }


def _cell(report: Report, score: Score) -> dict[str, Any]:
    """A score with its rank range. It is the best if no other system may be first."""
    rank = report.rank(score.system, score.recipe)
    return {
        "score": score,
        "rank": rank,
        "best": rank is not None and rank.rank_low == rank.rank_high == 1,
    }


def _details(report: Report, scores: dict[tuple[str, str], Score]) -> dict[str, Any] | None:
    """All measures, if the headline has only some of them."""
    every = list(dict.fromkeys(report.scores.recipes))
    if every == report.headline:
        return None
    return {
        "recipes": every,
        "rows": [(name, [scores[name, recipe] for recipe in every]) for name in report.order],
    }


def remarks(report: Report) -> list[str]:
    """What there is to say about the whole report, each once."""
    parts = (report, report.scores, report.comparison, report.robustness)
    every = [text for each in parts if each is not None for text in each.remarks]
    every += [f"{file.name}: {text}" for file in report.systems for text in file.warnings]
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
