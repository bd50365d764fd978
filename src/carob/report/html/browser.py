"""The error browser: documents with what gold and every system marked, to look at in a browser."""

from __future__ import annotations

from typing import Any

from carob.result.report import Report

TITLE = "Error browser"


def part(report: Report) -> dict[str, Any] | None:
    """None as long as a report carries no documents."""
    return None
