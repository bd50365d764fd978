"""LaTeX tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from carob.report.terminal import INDENT, Section, sections
from carob.result.result import Result

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "−": "$-$", "·": r"$\cdot$", "█": "", "░": "",
}  # fmt: skip
"""Signs that mean something else in LaTeX, or that its usual fonts lack, and what to write."""


@dataclass(frozen=True, slots=True)
class Latex:
    r"""A tabular (with booktabs) for each table; sentences, remarks and the signature as comments.

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

    def __call__(self, result: Result) -> str:
        """The text."""
        parts = [_text(section) for section in sections(result, by_label=self.by_label)]
        return "\n".join(parts) + "".join(f"% {line}\n" for line in result.signature_lines)


def _text(section: Section) -> str:
    lines = []
    if (table := section.table) is not None:
        columns = "".join("l" if i in table.left else "r" for i in range(len(table.rows[0])))
        head, *rows = (_row(row) for row in table.rows)
        lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule"]
        lines += [*rows, r"\bottomrule", r"\end{tabular}"]
    comments = (*section.sentences, *section.quotes, *section.remarks)
    return "\n".join([*lines, *(f"% {line}" for line in comments)]) + "\n"


def _row(cells: Sequence[str]) -> str:
    name = escaped(cells[0].removeprefix(INDENT))
    if name.startswith(("[", "*")):  # after a rule or the end of a row these are its arguments
        name = "{}" + name
    indent = r"\quad " if cells[0].startswith(INDENT) else ""
    return " & ".join([indent + name, *map(escaped, cells[1:])]) + r" \\"


def escaped(text: str) -> str:
    r"""Text without the meaning that its signs have in LaTeX.

    >>> escaped("a_b & c%")
    'a\\_b \\& c\\%'
    """
    return "".join(_SPECIAL.get(sign, sign) for sign in text)
