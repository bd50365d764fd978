"""Markdown tables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from carob.report._table import Block, blocks
from carob.result.scores import Scores


@dataclass(frozen=True, slots=True)
class Markdown:
    """A table for each event space and average, its signatures in a code block below.

    >>> from carob import Corpus, score
    >>> scores = score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"), "exact.F1")
    >>> print("\\n".join(Markdown()(scores).splitlines()[:3]))
    | exact | F1 | gold |
    |:--|--:|--:|
    | system | 1.0000 | 1 |
    """

    by_label: bool = False

    name: ClassVar[str] = "markdown"

    def __call__(self, scores: Scores) -> str:
        """The text."""
        return "\n".join(_text(block) for block in blocks(scores, by_label=self.by_label))


def _text(block: Block) -> str:
    lines = [_row(block.title, *block.measures, "gold")]
    lines.append("|:--" + "|--:" * (len(block.measures) + 1) + "|")
    for row in block.rows:
        name = ("\u2003" if row.is_label else "") + row.name
        lines.append(_row(name, *row.cells, row.support))
    lines.append("")
    lines += [f"{_plain(remark)}\n" for remark in block.remarks]
    fence = "`" * max(3, 1 + max((len(run) for s in block.signatures for run in
                                  re.findall("`+", s)), default=0))  # fmt: skip
    return "\n".join([*lines, fence, *block.signatures, fence, ""])


def _row(*cells: str) -> str:
    return "| " + " | ".join(_plain(cell) for cell in cells) + " |"


def _plain(text: str) -> str:
    """Signs that mean something in Markdown or HTML, made to mean nothing."""
    escaped = re.sub(r"([\\`*_\[\]|#~])", r"\\\1", text)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
