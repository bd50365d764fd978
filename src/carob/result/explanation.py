"""Explanation: what other tools print for the same files, and which of their rules make the
difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from carob.corpus.problems import many
from carob.result.result import Part, Result, Rows, json_data
from carob.result.scores import File, files_to_dict

TINY = 1e-12
"""Differences below this are errors of rounding in the last digit."""


@dataclass(frozen=True, slots=True)
class Number(Part):
    """A number that a tool prints, beside carob's. A difference to no value is one to 0."""

    name: str
    recipe: str
    ours: float | None
    theirs: float | None

    @property
    def difference(self) -> float:
        """How much more the tool prints.

        >>> Number("F1", "exact.F1", 0.5, None).difference
        -0.5
        """
        return (self.theirs or 0.0) - (self.ours or 0.0)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return Part.to_dict(self) | {"difference": self.difference}


@dataclass(frozen=True, slots=True)
class Instance(Part):
    """A place where a rule matters: what is marked there before it and with it."""

    side: str
    file: str
    line: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.before} -> {self.after}"


@dataclass(frozen=True, slots=True)
class Share(Part):
    """One rule of a tool: how many mentions it touches on each side, and how much of each
    difference it makes. `labels` are those that it is about, if it is about no mention.
    """

    rule: str
    why: str
    gold: int
    system: int
    changes: Mapping[str, float]
    labels: tuple[str, ...] = ()
    examples: tuple[Instance, ...] = ()

    @property
    def matters(self) -> bool:
        """Whether it makes any difference here, beyond that it may touch mentions."""
        return any(self.changes.values())


@dataclass(frozen=True, slots=True)
class ToolExplanation(Part):
    """One tool: its numbers, and its rules. `refusal` says why it has none. `printed` is what the
    caller says that it prints, for the number `quoted`.
    """

    tool: str
    version: str
    numbers: tuple[Number, ...] = ()
    shares: tuple[Share, ...] = ()
    refusal: str = ""
    quoted: str = ""
    printed: float | None = None
    rounding: float = 0.0
    """How much a number that is printed so may differ from what it was before rounding."""

    columns: ClassVar[tuple[str, ...]] = (
        "tool", "version", "numbers", "shares", "unexplained", "refusal", "quoted", "printed",
    )  # fmt: skip

    @property
    def unexplained(self) -> dict[str, float]:
        """What is left of each difference after all rules. For a number that the caller gave, also
        how much it differs from what the tool is believed to print, beyond rounding.
        """
        left = {}
        for each in self.numbers:
            made = sum(share.changes[each.name] for share in self.shares)
            rest = each.difference - made
            if self.printed is not None and each.name == self.quoted:
                gap = self.printed - (each.theirs or 0.0)
                rest += gap if abs(gap) > self.rounding + TINY else 0.0
            left[each.name] = rest if abs(rest) > TINY else 0.0
        return left


@dataclass(frozen=True, repr=False)
class Explanation(Result):
    """Why other tools print other numbers.

    >>> from carob import explain
    >>> gold, system = [["B-A", "I-A"], ["B-B"]], [["I-A", "I-A"], ["B-B"]]
    >>> found = explain(gold, system, "seqeval(mode=strict)")
    >>> [share.rule for share in found.tools[0].shares if share.matters]
    ['tags of tokens', 'dropped']
    """

    with_intervals: ClassVar[bool] = False
    row_columns: ClassVar[tuple[str, ...]] = (
        "tool", "number", "recipe", "rule", "gold", "system", "value", "change",
    )  # fmt: skip

    version: str
    gold: File
    systems: tuple[File, ...]
    tools: tuple[ToolExplanation, ...]
    signature: str = ""
    remarks: tuple[str, ...] = ()
    recipes: tuple[str, ...] = field(default=())

    def __iter__(self) -> Iterator[ToolExplanation]:
        return iter(self.tools)

    def __len__(self) -> int:
        return len(self.tools)

    @property
    def complete(self) -> bool:
        """Whether every difference is explained.

        >>> Explanation("0", None, (), ()).complete
        True
        """
        return not any(any(each.unexplained.values()) for each in self.tools)

    @property
    def answer(self) -> str:
        """How much differs, and how much of it is explained, in a sentence."""
        numbers = [number for each in self.tools for number in each.numbers]
        unlike = sum(abs(each.difference) > TINY for each in numbers)
        left = sum(bool(v) for each in self.tools for v in each.unexplained.values())
        failed = sum(bool(each.refusal) for each in self.tools)
        text = f"{unlike} of {many(len(numbers), 'number')} of {many(len(self), 'tool')} differ"
        rest = "all explained" if not left else f"{many(left, 'difference')} not fully explained"
        refused = f"; {many(failed, 'tool')} cannot read these files" if failed else ""
        return f"{text}, {rest}{refused}"

    def to_dict(self) -> dict[str, Any]:
        """Everything, as in JSON (see docs/output.md)."""
        return {
            "carob": self.version,
            "answer": self.answer,
            **files_to_dict(self.gold, self.systems),
            "tools": json_data(self.tools),
            "signature": self.signature,
            "remarks": list(self.remarks),
        }

    def rows(self) -> Rows:
        """For each number a row with carob's value, one for each rule, what is unexplained, and the
        tool's value.
        """
        rows: Rows = []
        for each in self.tools:
            left = each.unexplained
            for number in each.numbers:
                first = {"tool": each.tool, "number": number.name, "recipe": number.recipe}
                empty = {"gold": None, "system": None, "value": None, "change": None}
                rows.append(first | {"rule": "carob"} | empty | {"value": number.ours})
                rows += [
                    first | {"rule": share.rule, "gold": share.gold, "system": share.system,
                             "value": None, "change": share.changes[number.name]}
                    for share in each.shares
                ]  # fmt: skip
                rows.append(first | {"rule": "unexplained"} | empty | {"change": left[number.name]})
                rows.append(first | {"rule": each.tool} | empty | {"value": number.theirs})
        return rows
