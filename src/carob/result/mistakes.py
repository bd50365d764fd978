"""Mistakes: what is wrong with the values of records, field by field, with examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from carob.result.result import Part, Result, Rows
from carob.result.scores import File

KINDS = (
    "right", "partly right", "wrong value", "wrong format", "missing", "spurious", "invented",
    "wrong field", "swapped",
)  # fmt: skip
"""What may become of a value. `wrong format`: it cannot be read as the type of its slot.
`invented`: spurious, and the text does not have it. `wrong field`: gold has it in another field of
the document. `swapped`: gold has it in the same field of another record or item.
"""


@dataclass(frozen=True, slots=True)
class Mistake(Part):
    """One value that is wrong: what gold has, and what the system says."""

    kind: str
    document: str
    field: str
    gold: str | None
    system: str | None


@dataclass(frozen=True, repr=False)
class Mistakes(Result):
    """How often each kind of mistake occurs in each field, and examples."""

    with_intervals: ClassVar[bool] = False

    name: str
    counts: Mapping[str, Mapping[str, int]]
    """Field, then kind."""
    examples: Sequence[Mistake] = ()
    systems: tuple[File, ...] = ()
    remarks: tuple[str, ...] = ()
    signature: str = ""
    recipes: Sequence[str] = field(default=("fields.F1",))

    @property
    def totals(self) -> dict[str, int]:
        """How often each kind occurs in all fields."""
        return {kind: sum(row.get(kind, 0) for row in self.counts.values()) for kind in KINDS}

    def to_dict(self) -> dict[str, Any]:
        """What the JSON report holds."""
        return {
            "system": self.name,
            "counts": self.totals,
            "by_field": {name: dict(row) for name, row in self.counts.items()},
            "examples": [each.to_dict() for each in self.examples],
            "remarks": list(self.remarks),
            "signature": self.signature,
        }

    def rows(self) -> Rows:
        """A row for each field and kind."""
        return [
            {"field": name, "kind": kind, "count": row.get(kind, 0)}
            for name, row in self.counts.items()
            for kind in KINDS
        ]
