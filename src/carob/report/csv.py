"""CSV, long form."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any, ClassVar

from carob.corpus.problems import plain
from carob.result.errors import Errors
from carob.result.result import Result
from carob.result.scores import Scores

_FORMULA = ("=", "+", "-", "@")


@dataclass(frozen=True, slots=True)
class Csv:
    """The rows of a result, every digit kept; the last column is the signature.

    Scores have a row for each system and recipe, and with `by_label` for each label; an audit of
    them adds the columns `check`, `verdict` and `text`, and a row for each check. Errors have a row
    for each cell of the confusion matrix.

    >>> from carob import Corpus, score
    >>> scores = score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"), "exact.F1")
    >>> Csv()(scores).splitlines()[1].rpartition(",")[0]
    'system,exact.F1,,1.0,,,1'
    """

    by_label: bool = False

    name: ClassVar[str] = "csv"
    for_programs: ClassVar[bool] = True

    def __call__(self, result: Result) -> str:
        """The text."""
        rows = result.rows()
        if isinstance(result, Errors):
            rows = result.confusion_rows()
        elif isinstance(result, Scores) and not self.by_label:
            rows = [row for row in rows if row["label"] is None]
        if isinstance(result, Scores) and result.audit is not None:
            rows = [*rows, *(
                {"system": each.system or None, "check": each.name, "verdict": each.verdict,
                 "text": each.text}
                for each in result.audit
            )]  # fmt: skip
        out = io.StringIO()
        head = [*dict.fromkeys(key for row in rows for key in row), "signature"]
        table = csv.DictWriter(out, head, lineterminator="\n")
        table.writeheader()
        for row in rows:
            line = _signature(result, row)
            table.writerow({key: cell(value) for key, value in row.items()} | {"signature": line})
        return out.getvalue()


def _signature(result: Result, row: dict[str, Any]) -> str:
    if isinstance(result, Scores) and "recipe" in row:
        return result[row["system"], row["recipe"]].signature
    return " ".join(result.signature_lines)


def cell(value: Any) -> Any:
    """A value that no program that reads CSV takes for something else. Control characters and
    those that turn the direction of text are escaped; text that a spreadsheet would compute as a
    formula gets an apostrophe in front.

    >>> cell("a\\rb"), cell("=1+1"), cell(-0.5)
    ('a\\\\rb', "'=1+1", -0.5)
    """
    if not isinstance(value, str):
        return value
    text = plain(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
