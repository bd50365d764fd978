"""The charts of the page: figures as SVG, with a title and a description for readers of screens."""

from __future__ import annotations

from typing import Any

from carob.report.charts import figure, svg
from carob.result.result import library

WIDTH = 6.75
"""The width of a chart, in inches. The page shows it larger, so that its text is as large as in
tables."""

COLUMN = 3.9
"""The width of a chart beside which something else stands."""


def chart(
    result: Any, kind: str, *, title: str, description: str, width: float = WIDTH, **parameters: Any
) -> Any:
    """A chart as markup for a template. With a `link`, its parts lead to the error browser."""
    if parameters.get("link") is not None:
        description += " Its parts link to examples."
    made = figure(result, kind, width=width, **parameters)
    return library("markupsafe", "report").Markup(svg(made, title=title, description=description))
