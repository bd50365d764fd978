"""Tables for a person at a terminal, and the sections that all reports for people write down.

The module of a kind of result (`scores`, `comparison`, ...) lays a result out as sections with
tables; a report (`terminal`, `markdown`, `latex`) writes them down.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import ClassVar

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


def number(value: float | None, form: str = ".4f") -> str:
    """A number in a cell.

    >>> number(0.5), number(None)
    ('0.5000', '-')
    """
    return "-" if value is None else format(value, form)


def span(low: int | None, high: int | None) -> str:
    """A range in a cell.

    >>> span(1, 3), span(2, 2), span(None, None)
    ('1-3', '2', '-')
    """
    return number(low, "d") if low == high else f"{low}-{high}"


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


_SHADES = ("", "\x1b[48;5;230m", "\x1b[48;5;223m", "\x1b[48;5;216m", "\x1b[48;5;209m")
_PLAIN = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Terminal:
    """Aligned columns, with sentences, remarks and signatures below.

    Scores have a table for each event space and average, with a row for each system, and with
    `by_label` for each label. `color` shades the cells of a confusion matrix; by default it does
    if standard output is a terminal.

    >>> from carob import Corpus, score
    >>> scores = score(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]PER slept"), "exact.PRF")
    >>> print("\\n".join(Terminal()(scores).splitlines()[:2]))
    exact        P       R      F1  gold
    system  1.0000  1.0000  1.0000     1
    """

    by_label: bool = False
    color: bool | None = None

    name: ClassVar[str] = "terminal"

    def __call__(self, result: Result) -> str:
        """The text."""
        color = sys.stdout.isatty() if self.color is None else self.color
        return "\n".join(
            _text(section, color=color) for section in sections(result, by_label=self.by_label)
        )


def _text(section: Section, *, color: bool) -> str:
    lines = [] if section.table is None else _aligned(section.table, color=color)
    lines += _wrapped(section.sentences, section.indent)
    lines += section.quotes
    lines += _wrapped([f"({remark})" for remark in section.remarks], section.indent)
    return "\n".join([*lines, *section.signatures]) + "\n"


def _aligned(table: Table, *, color: bool) -> list[str]:
    widths = [max(map(width, column)) for column in zip(*table.rows, strict=True)]
    lines = []
    for number, row in enumerate(table.rows):
        cells = []
        for i, cell in enumerate(row):
            gap = " " * (widths[i] - width(cell))
            text = cell + gap if i in table.left else gap + cell
            shade = _SHADES[table.shades[number][i]] if table.shades and color else ""
            cells.append(f"{shade}{text}{_PLAIN}" if shade else text)
        lines.append("  ".join(cells).rstrip())
    return lines


def _wrapped(texts: Sequence[str], indent: str | None) -> Iterator[str]:
    if indent is None:
        yield from texts
        return
    from textwrap import wrap

    for text in texts:
        yield from wrap(text, WIDTH, subsequent_indent=indent, break_long_words=False,
                        break_on_hyphens=False)  # fmt: skip
