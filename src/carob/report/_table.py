"""What the reports for people have in common: a result is laid out as sections with tables.

The module of a kind of result (`scores`, `comparison`, ...) makes the sections; a report
(`terminal`, `markdown`, `latex`) writes them down.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module

from carob.result.result import Result

WIDTH = 100
"""The assumed width of a terminal, in columns."""

INDENT = "  "
"""What the first cell of a row begins with if the row is a part of the one above."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table:
    """Rows of cells; the first row is the head."""

    rows: Sequence[Sequence[str]]
    left: frozenset[int] = frozenset({0})
    """The columns that are aligned to the left."""
    shades: Sequence[Sequence[int]] | None = None
    """How dark each cell is, from 0 to 4."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Section:
    """A table with sentences about it. Each part may be missing."""

    table: Table | None = None
    sentences: Sequence[str] = ()
    quotes: Sequence[str] = ()
    """Lines whose spaces matter, such as examples from the text."""
    remarks: Sequence[str] = ()
    signatures: Sequence[str] = ()
    indent: str | None = None
    """If given, a terminal wraps sentences and remarks, and begins further lines with it."""


def sections(result: Result, *, by_label: bool) -> list[Section]:
    """A result as a person wants to see it. The module with the name of its class lays it out;
    only the one that is needed is imported.
    """
    layout = import_module(f"carob.report.{type(result).__name__.lower()}")
    laid_out: list[Section] = layout.sections(result, by_label=by_label)
    return laid_out


@lru_cache  # a table says the same few things again and again
def width(text: str) -> int:
    """How many places a text takes on a terminal.

    >>> width("abc"), width("東京")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return len(text) + wide - sum(unicodedata.combining(sign) > 0 for sign in text)
