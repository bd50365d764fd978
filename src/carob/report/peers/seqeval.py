"""What seqeval's classification report looks like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from carob.arrays.peer_schemes import Token, detected, scheme_of
from carob.arrays.peer_tags import LabelCounts, Sentences, read_tags, seqeval_counts
from carob.arrays.types import FloatArray
from carob.corpus.problems import DataError, UsageError


@dataclass(frozen=True)
class Seqeval:
    """The classification report of seqeval 1.2.2 as text. `mode=strict` counts only mentions that
    are legal in a scheme (IOB1, IOB2, IOE1, IOE2, IOBES or BILOU), by default the one of gold.

    >>> tool = Seqeval(digits=3)
    >>> print(tool(tool.count([["B-PER", "I-PER", "B-LOC"]], [["B-PER", "I-PER", "O"]])))
                  precision    recall  f1-score   support
    <BLANKLINE>
             LOC      0.000     0.000     0.000         1
             PER      1.000     1.000     1.000         1
    <BLANKLINE>
       micro avg      1.000     0.500     0.667         2
       macro avg      0.500     0.500     0.500         2
    weighted avg      0.500     0.500     0.500         2
    <BLANKLINE>
    """

    digits: int = 2
    mode: Literal["default", "strict"] = "default"
    scheme: str | None = None

    name: ClassVar[str] = "seqeval"

    def __post_init__(self) -> None:
        if self.scheme is not None and self.mode != "strict":
            raise UsageError("seqeval: a scheme has an effect in mode=strict only")
        if self.scheme is not None:
            try:
                scheme_of(self.scheme)
            except ValueError as error:
                raise UsageError(f"seqeval: {error}") from None
        if not 0 <= self.digits <= 20:
            raise UsageError(f"seqeval: found digits={self.digits}, expected 0 to 20")

    def count(self, gold: Sentences, system: Sentences) -> LabelCounts:
        """The counts of two lists of sentences."""
        column = read_tags([*gold, *system])
        scheme = self._scheme(gold, column.tags) if self.mode == "strict" else None
        return seqeval_counts(column, scheme=scheme)

    def _scheme(self, gold: Sentences, tags: list[str]) -> type[Token]:
        try:
            if self.scheme is not None:
                scheme = scheme_of(self.scheme)
            else:
                scheme = detected({tag[0] for tag in set().union(*gold)})
        except ValueError as error:
            raise DataError(f"seqeval, gold: {error}") from None
        for tag in tags:
            if tag[0] not in scheme.letters:
                raise DataError(
                    f"seqeval: found the tag {tag}, expected one that begins with "
                    f"{', '.join(scheme.letters)}, as in {scheme.__name__}"
                )
        return scheme

    def __call__(self, counts: LabelCounts) -> str:
        """The text."""
        columns = counts.right, counts.system, counts.gold
        by_label = _scores(*columns)
        rows = dict(zip(counts.labels, zip(*by_label, counts.gold, strict=True), strict=True))
        support = int(counts.gold.sum())
        micro = [each.item() for each in _scores(*(np.array([each.sum()]) for each in columns))]
        macro = [each.mean() if len(each) else np.nan for each in by_label]
        weights = counts.gold if support else None
        weighted = [np.average(each, weights=weights) if support else 0.0 for each in by_label]
        averages = {"micro avg": micro, "macro avg": macro, "weighted avg": weighted}
        return report(
            rows, {name: (*each, support) for name, each in averages.items()}, self.digits
        )


def _scores(right: Any, system: Any, gold: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Precision, recall and F1; 0 where they are not defined."""
    precision, recall = (right / np.maximum(every, 1) for every in (system, gold))
    both = precision + recall
    return precision, recall, 2 * precision * recall / np.where(both == 0, 1, both)


def report(rows: Mapping[str, Any], averages: Mapping[str, Any], digits: int) -> str:
    """The table: rows of precision, recall, F1 and support by label, and averages.

    >>> print(report({"PER": (1.0, 0.5, 2 / 3, 2)}, {"micro avg": (1.0, 0.5, 2 / 3, 2)}, 2))
                  precision    recall  f1-score   support
    <BLANKLINE>
             PER       1.00      0.50      0.67         2
    <BLANKLINE>
       micro avg       1.00      0.50      0.67         2
    <BLANKLINE>
    """
    width = max(*map(len, rows), len("weighted avg"), digits, 0)
    head = f"{'':>{width}s}  {'precision':>9} {'recall':>9} {'f1-score':>9} {'support':>9}\n"
    blocks = [
        "\n".join(
            f"{name:>{width}s}  {p:>9.{digits}f} {r:>9.{digits}f} {f:>9.{digits}f} {support:>9}"
            for name, (p, r, f, support) in block.items()
        )
        for block in (rows, averages)
    ]
    return "\n".join([head, *(f"{block}\n" for block in blocks)])
