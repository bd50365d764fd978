"""Methods: what the recipes mean, how the statistics were made, and how to repeat the report."""

from __future__ import annotations

from typing import Any

from carob.result.report import Report

TITLE = "Methods"

STAGES = {"match": "What is counted", "measure": "Measures", "average": "Averages"}


def part(report: Report) -> dict[str, Any]:
    """Definitions, settings and the command."""
    return {
        "groups": [
            (title, [each for each in report.definitions if each.stage == stage])
            for stage, title in STAGES.items()
        ],
        "command": report.command,
    }
