"""A table for a person at a terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carob.report._table import Block, blocks
from carob.report._width import width as _width
from carob.result.scores import Scores


@dataclass(frozen=True, slots=True)
class Terminal:
    """Aligned columns: a block for each event space and average, a row for each system.

    >>> from carob import Corpus, score
    >>> scores = score(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]PER slept"), "exact.PRF")
    >>> print("\\n".join(Terminal()(scores).splitlines()[:2]))
    exact        P       R      F1  gold
    system  1.0000  1.0000  1.0000     1
    """

    by_label: bool = False

    name: ClassVar[str] = "terminal"

    def __call__(self, scores: Scores) -> str:
        """The text."""
        return "\n".join(_text(block) for block in blocks(scores, by_label=self.by_label))


def _text(block: Block) -> str:
    names = [block.title, *(("  " if row.is_label else "") + row.name for row in block.rows)]
    columns = [names]
    for i, measure in enumerate(block.measures):
        columns.append([measure, *(row.cells[i] for row in block.rows)])
    columns.append(["gold", *(row.support for row in block.rows)])
    widths = [max(_width(cell) for cell in column) for column in columns]
    lines = []
    for cells in zip(*columns, strict=True):
        first = cells[0] + " " * (widths[0] - _width(cells[0]))
        rest = (" " * (w - _width(c)) + c for c, w in zip(cells[1:], widths[1:], strict=True))
        lines.append("  ".join((first, *rest)).rstrip())
    lines += [f"({remark})" for remark in block.remarks]
    lines += block.signatures
    return "\n".join(lines) + "\n"
