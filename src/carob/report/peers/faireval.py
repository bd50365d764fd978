"""What FairEval prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

COUNTS = {
    "traditional": ("TP", "FP", "FN"),
    "fair": ("TP", "FP", "LE", "BE", "LBE", "FN"),
    "weighted": ("LE", "BES", "BEL", "BEO", "LBE", "TP", "FP", "FN"),
}
"""The columns of each method."""

WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "LE": {"TP": 0, "FP": 0.5, "FN": 0.5}, "BES": {"TP": 0.5, "FP": 0, "FN": 0.5},
    "BEL": {"TP": 0.5, "FP": 0.5, "FN": 0}, "BEO": {"TP": 0.5, "FP": 0.25, "FN": 0.25},
    "LBE": {"TP": 0, "FP": 0.5, "FN": 0.5}, "TP": {"TP": 1}, "FP": {"FP": 1}, "FN": {"FN": 1},
}  # fmt: skip
BOUNDARY = ("BES", "BEL", "BEO")
SCORES = ("Prec", "Rec", "F1")
NONE = "_"

Kinds = Mapping[tuple[str, str], int]
"""How often each label has each kind of result."""


class Counts(NamedTuple):
    """What FairEval counts; `frequencies` are the mentions of gold by label."""

    traditional: Kinds
    fair: Kinds
    confusion: Mapping[tuple[str, str], int]
    frequencies: Mapping[str, int]


@dataclass(frozen=True)
class FairEval:
    """The output of FairEval (Ortmann 2022) with the settings of its published example: all three
    methods, weights that give boundary errors half a point, pairs under the label of gold.

    >>> counts = Counts({("A", "FN"): 1}, {("A", "FN"): 1}, {("A", "_"): 1}, {"A": 1})
    >>> print(FairEval()(counts, "gold.tsv", "system.tsv").partition("### Fair")[0])
    ### Evaluation settings:
    ...
    ### Traditional evaluation:
    Label   TP  FP  FN  Prec    Rec F1
    A   0   0   1   0.00    0.00    0.00
    overall 0   0   1   0.00    0.00    0.00
    <BLANKLINE>
    <BLANKLINE>
    """

    name: ClassVar[str] = "faireval"

    def __call__(
        self, counts: Counts, gold: str, system: str, labels: Sequence[str] | None = None
    ) -> str:
        """The text, from the counts, the names of both files, and the labels that count."""
        lines = [
            "### Evaluation settings:",
            f"eval_method: {list(COUNTS)}",
            "exclude: ['NONE', 'EMPTY']",
            "focus: target",
            "ignore_punct: False",
            f"labels: {['all'] if labels is None else list(labels)}",
            f"system_in: {system}",
            f"target_in: {gold}",
            f"weights: {WEIGHTS}",
            "",
        ]
        names = sorted({label for label, _ in (*counts.traditional, *counts.fair)})
        compared = []
        for method, kinds in COUNTS.items():
            table = counts.traditional if method == "traditional" else _with_sums(counts.fair)
            rows = {label: {kind: table.get((label, kind), 0) for kind in kinds} for label in names}
            rows["overall"] = {kind: sum(row[kind] for row in rows.values()) for kind in kinds}
            lines += ["", f"### {method.title()} evaluation:", _row("Label", *kinds, *SCORES)]
            for label, row in rows.items():
                lines.append(_row(label, *row.values(), *_scores(row)))
            compared.append(_row(method.title(), *_scores(rows["overall"])))
        lines += ["", "### Comparison:", _row("Version", *SCORES), *compared]
        both = sorted({NONE, *names})
        lines += ["", "### Confusion matrix:", _row("Target\\System", *both)]
        for name in both:
            lines.append(_row(name, *(counts.confusion.get((name, other), 0) for other in both)))
        total = sum(counts.frequencies.values())
        lines += ["", "### Target data stats:", _row("Label", "Freq", "%")]
        for label, number in counts.frequencies.items():
            lines.append(_row(label, number, f"{number / total * 100:04.2f}"))
        return "\n".join(lines) + "\n"


def _row(*cells: object) -> str:
    return "\t".join(map(str, cells))


def _with_sums(fair: Kinds) -> Kinds:
    """The counts with the sum of boundary errors."""
    sums: dict[tuple[str, str], int] = {}
    for (label, kind), count in fair.items():
        if kind in BOUNDARY:
            sums[label, "BE"] = sums.get((label, "BE"), 0) + count
    return {**fair, **sums}


def _scores(row: Mapping[str, int]) -> list[str]:
    """Precision, recall and F1 in hundredths; 0 where they are not defined."""
    weights = {"BE": WEIGHTS["LE"], **WEIGHTS}
    right, wrong, missed = (
        sum(weights[kind].get(term, 0) * count for kind, count in row.items())
        for term in ("TP", "FP", "FN")
    )
    precision = right / (right + wrong) if right + wrong else 0.0
    recall = right / (right + missed) if right + missed else 0.0
    both = precision + recall
    f1 = 2 * (precision * recall) / both if both else 0.0
    return [f"{each * 100:04.2f}" for each in (precision, recall, f1)]
