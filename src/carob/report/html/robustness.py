"""Robustness: does the winner stay the winner if the systems are scored in another way?"""

from __future__ import annotations

from typing import Any

from carob.result.report import Report

TITLE = "Robustness"


def part(report: Report) -> dict[str, Any] | None:
    """The answer, how every system fares, and its rank under every choice."""
    robustness = report.robustness
    if robustness is None:
        return None
    names = [each.system for each in robustness.standings]
    return {
        "robustness": robustness,
        "systems": names,
        "choices": [(each, [each.ranks[name] for name in names]) for each in robustness],
    }
