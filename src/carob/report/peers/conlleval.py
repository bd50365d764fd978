"""What conlleval prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from carob.arrays.peer_tags import Sentences, TagCounts, conlleval_counts


@dataclass(frozen=True)
class Conlleval:
    """The output of conlleval: by default of the original, a program in Perl (version of
    2004-01-26); with `script=python` of the package `conlleval` 0.2. `latex` and `raw` are the
    options -l and -r of the original: a table in LaTeX, and tags that are labels of one token each.

    >>> tool = Conlleval()
    >>> print(tool(tool.count([["B-PER", "O"]], [["B-PER", "B-LOC"]])))
    processed 2 tokens with 1 phrases; found: 2 phrases; correct: 1.
    accuracy:  50.00%; precision:  50.00%; recall: 100.00%; FB1:  66.67
                  LOC: precision:   0.00%; recall:   0.00%; FB1:   0.00  1
                  PER: precision: 100.00%; recall: 100.00%; FB1: 100.00  1
    <BLANKLINE>
    """

    script: Literal["perl", "python"] = "perl"
    latex: bool = False
    raw: bool = False

    name: ClassVar[str] = "conlleval"

    def count(self, gold: Sentences, system: Sentences) -> TagCounts:
        """The counts of two lists of sentences."""
        return conlleval_counts(gold, system, version=self.script, raw=self.raw)

    def __call__(self, counts: TagCounts) -> str:
        """The text."""
        mentions = counts.mentions
        columns = (mentions.right.tolist(), mentions.system.tolist(), mentions.gold.tolist())
        rows = dict(zip(mentions.labels, zip(*columns, strict=True), strict=True))
        right, system, gold = (sum(column) for column in columns)
        overall = self._scores(right, system, gold)
        if self.latex:
            lines = [r"        & Precision &  Recall  & F$_{\beta=1} \\\hline"]
            lines += [_latex_row(label, self._scores(*rows[label])) for label in self._labels(rows)]
            lines[-1] += r"\hline"
            return "\n".join([*lines, _latex_row("Overall", overall) + "\\hline\n"])
        text = (
            f"processed {counts.tokens} tokens with {gold} phrases; "
            f"found: {system} phrases; correct: {right}.\n"
        )
        if counts.tokens:
            right, size = counts.right_tokens, counts.tokens
            share = right / size * 100 if self.script == "python" else 100 * right / size
            text += f"accuracy: {share:6.2f}%; {_row(overall)}\n"
        for label in self._labels(rows):
            name = label.rjust(17) if self.script == "python" else _padded(label, 17)
            text += f"{name}: {_row(self._scores(*rows[label]))}  {rows[label][1]}\n"
        return text

    def _scores(self, right: int, system: int, gold: int) -> tuple[float, float, float]:
        """Precision, recall and F1 in hundredths; without answers the package gives full marks."""
        if self.script == "python":
            p, r = right / system if system else 1, right / gold if gold else 0
            return p * 100, r * 100, (2 * p * r / (p + r) if p + r else 0) * 100
        p, r = 100 * right / system if system else 0, 100 * right / gold if gold else 0
        return p, r, 2 * p * r / (p + r) if p + r else 0

    def _labels(self, rows: dict[str, tuple[int, int, int]]) -> list[str]:
        """The order of rows. In Perl no label is false, so that a row without one stands there
        once for each side; the package leaves it out.
        """
        if self.script == "python":
            return sorted(label for label in rows if label)
        labels = sorted((label for label in rows if any(rows[label][1:])), key=_bytes)
        twice = [label for label in labels if not label and all(rows[label][1:])]
        return [*twice, *labels]


def _bytes(label: str) -> bytes:
    return label.encode("utf-8", "surrogateescape")


def _padded(label: str, width: int) -> str:
    """To Perl, a byte is a character."""
    return " " * (width - len(_bytes(label))) + label


def _row(scores: tuple[float, float, float]) -> str:
    return "precision: {:6.2f}%; recall: {:6.2f}%; FB1: {:6.2f}".format(*scores)


def _latex_row(label: str, scores: tuple[float, float, float]) -> str:
    name = label + " " * (7 - len(_bytes(label)))
    return rf"{name} &  {scores[0]:6.2f}\% & {scores[1]:6.2f}\% & {scores[2]:6.2f} \\"
