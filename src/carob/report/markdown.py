"""Markdown tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from carob.report.terminal import INDENT, Section, Style, Table, parts, sections
from carob.result.result import Result


@dataclass(frozen=True, slots=True)
class Markdown(Style):
    """A table for each section, sentences as a list, the full signature in a code block at the end.
    The best of several systems is bold.

    >>> from carob import Corpus, score
    >>> scores = score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"), "exact.F1")
    >>> print("\\n".join(Markdown()(scores).splitlines()[:3]))
    | exact | F1 | gold |
    |:--|--:|--:|
    | system | 1.0000 | 1 |
    """

    name: ClassVar[str] = "markdown"

    def __call__(self, result: Result) -> str:
        """The text."""
        parts = [_text(section) for section in sections(result, self)]
        if result.signature_lines:
            parts.append("\n".join(_fenced(result.signature_lines)) + "\n")
        return "\n".join(parts)


def _text(section: Section) -> str:
    texts = []
    if (table := section.table) is not None:
        head, *rows = (_row(table, number) for number in range(len(table.rows)))
        rule = "".join("|:--" if i in table.left else "|--:" for i in range(len(table.rows[0])))
        texts.append([head, f"{rule}|", *rows])
    if section.sentences:
        texts.append([f"- {escaped(sentence)}" for sentence in section.sentences])
    texts += [_fenced(lines) for lines in (section.quotes,) if lines]
    texts += [[escaped(remark)] for remark in (*section.notes, *section.remarks)]
    return "\n\n".join("\n".join(lines) for lines in texts) + "\n"


def _row(table: Table, number: int) -> str:
    cells = []
    for i, cell in enumerate(table.rows[number]):
        if cell.startswith(INDENT):  # spaces alone would be dropped
            cell = "\u2003" + cell.removeprefix(INDENT)
        text = escaped(cell)
        if (number, i) in table.bold:
            best, rest = parts(cell)
            text = f"**{escaped(best)}**{escaped(rest)}"
        cells.append(text)
    return f"| {' | '.join(cells)} |"


def _fenced(lines: Sequence[str]) -> list[str]:
    """A code block, with a fence that is longer than any in the lines."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, 1 + longest)
    return [fence, *lines, fence]


def escaped(text: str) -> str:
    """Text without the meaning that its signs have in Markdown or HTML.

    >>> escaped("a_b | <c>")
    'a\\\\_b \\\\| &lt;c&gt;'
    """
    text = re.sub(r"([\\`*_\[\]|#~])", r"\\\1", " ".join(text.splitlines()))
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
