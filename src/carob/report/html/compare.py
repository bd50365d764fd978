"""Comparison: which differences are more than chance, and what one system fixed and broke."""

from __future__ import annotations

from functools import partial
from typing import Any

from carob.report.errors import MEANING, RECORD_MEANING
from carob.report.html.charts import COLUMN, chart
from carob.report.html.links import browse, has_browser
from carob.result.comparison import ALPHA, correction
from carob.result.report import Pairing, Report

TITLE = "Comparison"

FEW = 3
"""With at most this many systems, the first table of differences is open."""


def part(report: Report) -> dict[str, Any] | None:
    """The tests, and two systems side by side; None for one system."""
    comparison = report.comparison
    if comparison is None:
        return None
    return {
        "slots": any(each.of_slots for each in report.errors.values()),
        "few": len(report.systems) <= FEW,
        "differences": {
            recipe: [each for each in comparison.differences
                     if each.recipe == recipe and each.label is None]
            for recipe in report.headline
        },
        "pairings": [_pairing(report, each) for each in report.pairings],
        "agreements": comparison.agreements,
        "note": _note(report),
    }  # fmt: skip


def _note(report: Report) -> str:
    assert report.comparison is not None
    family = correction(report.comparison.differences)
    if family is None:
        return f"* is significant at {ALPHA:g}. Differences come with 95% intervals."
    return (
        f"* is significant at {ALPHA:g}, after Holm's correction for {family}. Differences come "
        "with single 95% intervals, which the correction does not widen."
    )


def _pairing(report: Report, pairing: Pairing) -> dict[str, Any]:
    """What b fixed and broke against a."""
    assert report.comparison is not None
    a, b = pairing.a, pairing.b
    fixed, broken = pairing.changes.fixed, pairing.changes.broken
    meaning = MEANING | RECORD_MEANING
    kinds = [kind for kind in meaning if kind in fixed or kind in broken]
    fixed_link = broken_link = None
    if has_browser(report):
        fixed_link = partial(browse, system=a, right_in=b)
        broken_link = partial(browse, system=b, right_in=a)
    unit = report.comparison.unit
    recipe = report.headline[0]
    return {
        "a": a,
        "b": b,
        "sentences": [
            (each.recipe, each.sentence(unit))
            for each in report.differences(pairing.a, pairing.b)
        ],
        "chart": chart(
            report.scores, "documents",
            systems=(pairing.a, pairing.b),
            recipe=recipe,
            width=COLUMN,
            title=f"Scores of documents by {recipe}",
            description="A dot for each document: to the right, the score of the first system; "
            "upwards, that of the second.",
            link=(lambda document: browse(document=document)) if has_browser(report) else None,
        ),
        "caption": f"Every document by {recipe}.",
        "changes": [
            (kind, meaning[kind], fixed.get(kind, 0), broken.get(kind, 0)) for kind in kinds
        ],
        "fixed_link": fixed_link,
        "broken_link": broken_link,
        "fixed": sum(fixed.values()),
        "broken": sum(broken.values()),
        "examples": [
            ("Fixed", pairing.changes.fixed_examples, fixed_link),
            ("Broken", pairing.changes.broken_examples, broken_link),
        ],
    }  # fmt: skip
