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
    return f"examples-{system_number(report, system)}-{kind.replace(' ', '-')}"


def has_browser(report: Report) -> bool:
    """Whether the page has an error browser, to which links can lead."""
    return report.documents is not None and report.settings.get("browser_documents") != 0


def browse(
    *,
    system: str | None = None,
    type: str | None = None,
    label: str | None = None,
    gold_label: str | None = None,
    system_label: str | None = None,
    right_in: str | None = None,
    document: str | None = None,
) -> str:
    """The fragment that opens the error browser with these filters.

    A fragment is `#browse?` and filters in the form of a query, `key=value` with `&` between them,
    encoded as in a form of HTML. Values are names as the page shows them (`visible`). Without a
    filter, everything passes.

    system        the errors of this system
    type          of this type, as `carob errors` has it; BE is all boundary errors
    label         that count under this label or slot: gold's, or else the system's
    gold_label    what is in this row of the confusion matrix; its sign for none is its last name
    system_label  what is in this column of it
    right_in      that this other system does not make: it has right what is wrong
    document      in the document with this name; if none has it, in those whose names contain it
    text          where the words of the example, or those around them, contain this
    example       the example to open: its number among all errors of the page

    The last two are written by browser.js alone.

    >>> browse(system="a b", type="LE")
    '#browse?system=a+b&type=LE'
    >>> browse(system="a", gold_label="PER", system_label="_")  # a mention that was not found
    '#browse?system=a&gold_label=PER&system_label=_'
    """
    filters = {
        "system": system, "type": type, "label": label, "gold_label": gold_label,
        "system_label": system_label, "right_in": right_in, "document": document,
    }  # fmt: skip
    named = {key: visible(value) for key, value in filters.items() if value is not None}
    return "#browse?" + urlencode(named)
