"""Comparison: which differences are more than chance, and what one system fixed and broke."""

from __future__ import annotations

from typing import Any

from carob.report.errors import MEANING
from carob.result.comparison import p_value
from carob.result.report import Pairing, Report

TITLE = "Comparison"


def part(report: Report) -> dict[str, Any] | None:
    """The tests, and two systems side by side; None for one system."""
    comparison = report.comparison
    if comparison is None:
        return None
    differences = {
        recipe: [each for each in comparison.differences
                 if each.recipe == recipe and each.label is None]
        for recipe in report.headline
    }  # fmt: skip
    return {
        "comparison": comparison,
        "differences": differences,
        "p_value": p_value,
        "pairings": [_pairing(report, each) for each in report.pairings],
    }


def _pairing(report: Report, pairing: Pairing) -> dict[str, Any]:
    """What b fixed and broke against a."""
    fixed, broken = pairing.changes.fixed, pairing.changes.broken
    kinds = [kind for kind in MEANING if kind in fixed or kind in broken]
    return {
        "a": pairing.a,
        "b": pairing.b,
        "differences": report.differences(pairing.a, pairing.b),
        "changes": [
            (kind, MEANING[kind], fixed.get(kind, 0), broken.get(kind, 0)) for kind in kinds
        ],
        "fixed": sum(fixed.values()),
        "broken": sum(broken.values()),
    }
