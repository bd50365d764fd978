"""Robustness: does the winner stay the winner if the systems are scored in another way?"""

from __future__ import annotations

from typing import Any

from carob.report.html.charts import chart
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
        "reference": str(robustness.reference),
        "standings": robustness.standings,
        "systems": names,
        "choices": [
            (str(each), [(name, ranks[name], each.scores[name]) for name in names])
            for each in robustness
            for ranks in [each.ranks]
        ],
        "remarks": [each for each in robustness.remarks if each not in report.scores.remarks],
        "chart": chart(
            robustness, "robustness",
            title="Ranks under every choice",
            description="A row for each choice, a line for each system from its rank in one row to "
            "that in the next. The table below has the numbers.",
        ),
        "caption": "The rank of every system under every choice; the first row is the reference.",
    }  # fmt: skip
