"""Tables for a person at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from carob.report._table import WIDTH, Section, Table, sections, width
from carob.result.result import Result

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
