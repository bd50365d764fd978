"""Places of the page that charts and tables link to."""

from __future__ import annotations

from urllib.parse import urlencode

from carob.report.html.text import visible
from carob.result.report import Report


def system_number(report: Report, system: str) -> int:
    """The number of a system in the names of places: its place among the files, from 1."""
    return [each.name for each in report.systems].index(system) + 1


def examples_place(report: Report, system: str, kind: str) -> str:
    """The name of the place where the first examples of a type are."""
    return f"examples-{system_number(report, system)}-{kind}"


def browse(**filters: str) -> str:
    """The fragment that opens the error browser with these filters.

    >>> browse(system="a b", type="LE")
    '#browse?system=a+b&type=LE'
    """
    return "#browse?" + urlencode({key: visible(value) for key, value in filters.items()})
