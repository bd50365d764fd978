"""CSV, long form."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import ClassVar

from carob.result.scores import Scores

COLUMNS = ("system", "recipe", "label", "value", "low", "high", "support", "signature")


@dataclass(frozen=True, slots=True)
class Csv:
    """A row for each system and recipe, and with `by_label` for each label; every digit kept.

    >>> from carob import Corpus, score
    >>> scores = score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"), "exact.F1")
    >>> Csv()(scores).splitlines()[1].rpartition(",")[0]
    'system,exact.F1,,1.0,,,1'
    """

    by_label: bool = False

    name: ClassVar[str] = "csv"

    def __call__(self, scores: Scores) -> str:
        """The text."""
        out = io.StringIO()
        table = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(r for r in scores.rows() if self.by_label or r["label"] is None)
        return out.getvalue()
