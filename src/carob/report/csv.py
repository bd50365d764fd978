"""CSV, long form."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import ClassVar

from carob.result.result import Result
from carob.result.scores import Scores


@dataclass(frozen=True, slots=True)
class Csv:
    """The rows of a result, every digit kept.

    Scores have a row for each system and recipe, and with `by_label` for each label. Of several
    tables it is the one that `table` names, or the first.

    >>> from carob import Corpus, score
    >>> scores = score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"), "exact.F1")
    >>> Csv()(scores).splitlines()[1].rpartition(",")[0]
    'system,exact.F1,,1.0,,,1'
    """

    by_label: bool = False
    table: str | None = None

    name: ClassVar[str] = "csv"

    def __call__(self, result: Result) -> str:
        """The text."""
        rows = result.rows()
        if isinstance(rows, dict):
            rows = rows[self.table or next(iter(rows))]
        if isinstance(result, Scores) and not self.by_label:
            rows = [row for row in rows if row["label"] is None]
        out = io.StringIO()
        table = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
        return out.getvalue()
