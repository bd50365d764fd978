"""SelfAudit: checks of an evaluation that do not depend on how good a system is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from carob.corpus.problems import many, plain
from carob.result.result import Part, Rows, Tabular, json_data

VERDICTS = ("ok", "look", "wrong", "skipped")
"""Nothing is wrong; something is unusual, and may be right; something cannot be right; the check
does not apply.
"""


@dataclass(frozen=True, slots=True)
class AuditCheck(Part):
    """One check: what was checked, its verdict, and why. `system` is empty if it is about gold.

    >>> print(AuditCheck("duplicates", "look", "2 mentions are given twice", "a"))
    look     duplicates, a: 2 mentions are given twice
    """

    name: str
    verdict: str
    text: str
    system: str = ""

    def __str__(self) -> str:
        about = f", {plain(self.system)}" if self.system else ""
        return f"{self.verdict:<8} {self.name}{about}: {self.text}"


@dataclass(frozen=True, repr=False)
class SelfAudit(Tabular):
    """All checks of an evaluation.

    >>> SelfAudit((AuditCheck("duplicates", "ok", "no mention is given twice"),)).summary
    '1 check: 1 ok'
    """

    checks: tuple[AuditCheck, ...]

    row_columns: ClassVar[tuple[str, ...]] = tuple(each.name for each in fields(AuditCheck))

    def __iter__(self) -> Iterator[AuditCheck]:
        return iter(self.checks)

    def __len__(self) -> int:
        return len(self.checks)

    def __str__(self) -> str:
        return "\n".join([f"audit: {self.summary}", *map(str, self)])

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong or unusual."""
        return all(each.verdict in ("ok", "skipped") for each in self)

    @property
    def summary(self) -> str:
        """How many checks have which verdict."""
        counts = Counter(each.verdict for each in self)
        parts = [f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict]]
        return f"{many(len(self), 'check')}: {', '.join(parts)}"

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {"passed": self.passed, "checks": json_data(self.checks)}

    def rows(self) -> Rows:
        """A row for each check."""
        return [each.to_dict() for each in self]
