"""What FairEval prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from carob.result.errors import Confusion
from carob.result.scores import Score, Scores

SPACES = {"traditional": "exact", "fair": "fair", "weighted": "fair(weights=boundary)"}
"""The event space of each method."""

COUNTS = {
    "traditional": ("tp", "fp", "fn"),
    "fair": ("TP", "FP", "LE", "BE", "LBE", "FN"),
    "weighted": ("LE", "BES", "BEL", "BEO", "LBE", "TP", "FP", "FN"),
}
WEIGHTS = (
    "{'LE': {'TP': 0, 'FP': 0.5, 'FN': 0.5}, 'BES': {'TP': 0.5, 'FP': 0, 'FN': 0.5}, "
    "'BEL': {'TP': 0.5, 'FP': 0.5, 'FN': 0}, 'BEO': {'TP': 0.5, 'FP': 0.25, 'FN': 0.25}, "
    "'LBE': {'TP': 0, 'FP': 0.5, 'FN': 0.5}, 'TP': {'TP': 1}, 'FP': {'FP': 1}, 'FN': {'FN': 1}}"
)
SCORES = {"P": "Prec", "R": "Rec", "F1": "F1"}


@dataclass(frozen=True)
class FairEval:
    """The output of FairEval (Ortmann 2022) with the settings of its published example: all three
    methods, weights that give boundary errors half a point, pairs under the label of gold.

    >>> FairEval().recipes[:4]
    ('exact.tp', 'exact.fp', 'exact.fn', 'exact.P')
    """

    name: ClassVar[str] = "faireval"
    reads: ClassVar[str] = "scores"

    @property
    def recipes(self) -> tuple[str, ...]:
        """What it prints, as recipes."""
        return tuple(
            f"{space}.{each}" for method, space in SPACES.items()
            for each in (*COUNTS[method], *SCORES)
        )  # fmt: skip

    def __call__(self, scores: Scores, confusion: Confusion, frequencies: Mapping[str, int]) -> str:
        """The text, from the scores of `recipes`, the confusions of `fair`, and the number of gold
        mentions of each label, in the order in which labels come first in gold.
        """
        lines = [
            "### Evaluation settings:",
            f"eval_method: {list(SPACES)}",
            "exclude: ['NONE', 'EMPTY']",
            "focus: target",
            "ignore_punct: False",
            "labels: ['all']",
            f"system_in: {scores.systems[0].path}",
            f"target_in: {scores.gold.path}",
            f"weights: {WEIGHTS}",
            "",
        ]
        heads = list(SCORES.values())
        compared = []
        for method, space in SPACES.items():
            counts = [scores[f"{space}.{each}"] for each in COUNTS[method]]
            shares = [scores[f"{space}.{each}"] for each in SCORES]
            names = [each.upper() for each in COUNTS[method]]
            lines += ["", f"### {method.title()} evaluation:", _row("Label", *names, *heads)]
            for label in sorted(counts[0].by_label):
                lines.append(_numbers(label, counts, shares))
            lines.append(_numbers(None, counts, shares))
            compared.append(_row(method.title(), *(_hundredths(each.value) for each in shares)))
        lines += ["", "### Comparison:", _row("Version", *heads), *compared]
        names = sorted({*confusion.names[-1:], *(x for e in confusion.entries for x in e[:2])})
        counted = confusion.to_dict()
        lines += ["", "### Confusion matrix:", _row("Target\\System", *names)]
        for name in names:
            lines.append(_row(name, *(counted.get(name, {}).get(other, 0) for other in names)))
        total = sum(frequencies.values())
        lines += ["", "### Target data stats:", _row("Label", "Freq", "%")]
        for label, number in frequencies.items():
            lines.append(_row(label, number, f"{number / total * 100:04.2f}"))
        return "\n".join(lines) + "\n"


def _row(*cells: object) -> str:
    return "\t".join(map(str, cells))


def _numbers(label: str | None, counts: list[Score], shares: list[Score]) -> str:
    """The row of a label, or of all."""

    def value(score: Score) -> float | None:
        return score.value if label is None else score.by_label[label].value

    cells = [str(int(value(each) or 0)) for each in counts]
    return _row(label or "overall", *cells, *(_hundredths(value(each)) for each in shares))


def _hundredths(value: float | None) -> str:
    """FairEval has 0 where a score is not defined."""
    return f"{(value or 0) * 100:04.2f}"
