"""LaTeX tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carob.report._table import Block, blocks
from carob.result.scores import Scores

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Latex:
    r"""A tabular (with booktabs) for each event space and average, signatures as comments.

    >>> from carob import Corpus, score
    >>> scores = score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"), "exact.F1")
    >>> print("\n".join(Latex()(scores).splitlines()[:5]))
    \begin{tabular}{lrr}
    \toprule
    exact & F1 & gold \\
    \midrule
    system & 1.0000 & 1 \\
    """

    by_label: bool = False

    name: ClassVar[str] = "latex"

    def __call__(self, scores: Scores) -> str:
        """The text."""
        return "\n".join(_text(block) for block in blocks(scores, by_label=self.by_label))


def _text(block: Block) -> str:
    lines = [r"\begin{tabular}{l" + "r" * (len(block.measures) + 1) + "}", r"\toprule"]
    lines += [_row(_plain(block.title), *map(_plain, block.measures), "gold"), r"\midrule"]
    for row in block.rows:
        name = (r"\quad " if row.is_label else "") + _plain(row.name)
        lines.append(_row(name, *map(_plain, row.cells), _plain(row.support)))
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [f"% {line}" for line in (*block.remarks, *block.signatures)]
    return "\n".join(lines) + "\n"


def _row(*cells: str) -> str:
    return " & ".join(cells) + r" \\"


def _plain(text: str) -> str:
    return "".join(_SPECIAL.get(sign, sign) for sign in text)
