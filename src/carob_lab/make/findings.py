"""Audit: what is wrong in a published table of scores, and what it does not state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from carob.corpus.problems import many, plain
from carob.result.result import Part, Result, Rows, json_data

if TYPE_CHECKING:
    from carob.report.terminal import Section, Style


@dataclass(frozen=True, slots=True)
class Finding(Part):
    """One number that cannot be right, or one thing that is not stated.

    `kind` is what was checked; `low` and `high` are the values that rounding allows, if the number
    follows from others. `wrong` is False for what is only missing.

    >>> print(Finding(2, "A", "stime", "F", "F", "F 71.9", "77.5", "F may be a mean", wrong=True))
    line 2, A, stime: found F 71.9, expected 77.5; F may be a mean
    """

    line: int
    system: str
    slot: str
    column: str
    kind: str
    found: str
    expected: str
    consequence: str = ""
    low: float | None = None
    high: float | None = None
    wrong: bool = True

    def __str__(self) -> str:
        place = ", ".join(plain(each) for each in (self.system, self.slot) if each)
        where = f"line {self.line}{', ' if place else ''}{place}" if self.line else "the table"
        follows = f"; {self.consequence}" if self.consequence else ""
        return f"{where}: found {self.found}, expected {self.expected}{follows}"


@dataclass(frozen=True, repr=False)
class Audit(Result):
    """All findings about a table.

    >>> print(Audit("t.csv", "0b1c", 4, (), "carob:0.3.0").summary)
    4 rows, nothing found
    """

    path: str
    sha256: str
    table_rows: int
    findings: tuple[Finding, ...]
    signature: str

    recipes = ("audit",)
    with_intervals = False
    row_columns = tuple(each.name for each in fields(Finding))

    def sections(self, style: Style, *, width: int) -> list[Section]:
        """The result as sentences."""
        from carob_lab.make.sentences import sections

        return sections(self, style, width=width)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    @property
    def wrong(self) -> int:
        """How many numbers cannot be right."""
        return sum(each.wrong for each in self)

    @property
    def summary(self) -> str:
        """How much was found, in a sentence."""
        rows = many(self.table_rows, "row")
        if not self.findings:
            return f"{rows}, nothing found"
        cannot = f"{many(self.wrong, 'number')} that cannot be right"
        missing = f"{many(len(self) - self.wrong, 'thing')} that the table does not state"
        return f"{rows}: {cannot}, {missing}"

    def to_dict(self) -> dict[str, Any]:
        """Everything, as in JSON (see docs/experiments.md)."""
        return {
            "carob": self.signature.partition("|")[0].removeprefix("carob:"),
            "table": {"path": self.path, "sha256": self.sha256, "rows": self.table_rows},
            "wrong": self.wrong,
            "missing": len(self) - self.wrong,
            "counts": dict(Counter(each.kind for each in self)),
            "findings": json_data(self.findings),
            "signature": self.signature,
        }

    def rows(self) -> Rows:
        """A row for each finding."""
        return [each.to_dict() for each in self]
