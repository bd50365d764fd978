"""LaTeX tables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from carob.report.terminal import INDENT, Section, Style, Table, parts, sections, without_bars
from carob.result.result import Result

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"\textasciigrave{}",
    '"': r"{\char34}", "−": "$-$", "·": r"$\cdot$", "≤": r"$\leq$", "…": r"\dots{}", "–": "--",
    "█": "", "░": "", "\0": "{}",
}  # fmt: skip
"""Signs that mean something else in LaTeX, or that its usual fonts lack, and what to write. A
quotation mark is a command in German, and <, > and | are other signs in the oldest fonts."""

_LIGATURE = re.compile(r"(?<=-)(?=-)|(?<=,)(?=,)|(?<=')(?=')")
"""Between signs that LaTeX would join into a dash or a quotation mark."""


@dataclass(frozen=True, slots=True)
class Latex(Style):
    r"""A tabular (with booktabs) for each table, with what its marks mean below; the best of
    several systems is bold. Sentences, remarks and the signature are comments.

    >>> from carob import Corpus, score
    >>> scores = score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"), "exact.F1")
    >>> print("\n".join(Latex()(scores).splitlines()[:5]))
    \begin{tabular}{lrr}
    \toprule
    exact & F1 & gold \\
    \midrule
    system & 1.0000 & 1 \\
    """

    name: ClassVar[str] = "latex"

    def __call__(self, result: Result) -> str:
        """The text."""
        texts = [_text(section) for section in sections(result, self)]
        comments = (r"needs \usepackage{booktabs}", *result.signature_lines)
        return "\n".join(texts) + "".join(map(_comment, comments))


def _text(section: Section) -> str:
    lines = []
    if section.table is not None:
        table = without_bars(section.table)
        columns = "".join("l" if i in table.left else "r" for i in range(len(table.rows[0])))
        lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
        for number in range(len(table.rows)):
            lines += [r"\midrule"] * (number == 1 or (number == table.total and number > 1))
            lines.append(_row(table, number))
        lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\smallskip{{\footnotesize {escaped(note)}\par}}" for note in section.notes]
    comments = (*section.sentences, *section.quotes, *section.remarks)
    return "".join(f"{line}\n" for line in lines) + "".join(map(_comment, comments))


def _comment(text: str) -> str:
    return f"% {' '.join(text.splitlines())}\n"


def _row(table: Table, number: int) -> str:
    cells = []
    for i, cell in enumerate(table.rows[number]):
        text = escaped(cell.removeprefix(INDENT))
        if number > 0 and i not in table.left:
            text = _number(cell, bold=(number, i) in table.bold)
        elif i == 0 and text.startswith(("[", "*")):
            text = "{}" + text  # after a rule or the end of a row these are its arguments
        cells.append(r"\quad " * cell.startswith(INDENT) + text)
    return " & ".join(cells) + r" \\"


def _number(cell: str, *, bold: bool) -> str:
    """A cell of numbers: a hyphen before a digit is a minus, one between two a range, and one alone
    says that there is no number. The mark of a number takes no room, so that numbers stand below
    each other.
    """
    if cell == "-":
        return "--"
    number, rest = (
        re.sub(r"(?<!\S)(\[?)-(?=[.\d])", r"\1−", re.sub(r"(?<=\d)-(?=\d)", "–", part))
        for part in parts(cell)
    )
    text = rf"\textbf{{{escaped(number)}}}" if bold else escaped(number)
    if rest.startswith("*"):
        mark = "$^{*}$" if rest[1:] else r"\rlap{$^{*}$}"
        return text + mark + escaped(rest[1:])
    return text + escaped(rest)


def escaped(text: str) -> str:
    r"""Text without the meaning that its signs have in LaTeX.

    >>> escaped("a_b & c%"), escaped("a--b")
    ('a\\_b \\& c\\%', 'a-{}-b')
    """
    text = _LIGATURE.sub("\0", " ".join(text.splitlines()))
    return "".join(_SPECIAL.get(sign, sign) for sign in text)
