"""Errors: what is wrong with a system, and what another one fixed and broke."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from carob.arrays.types import IntArray
from carob.corpus.document import Mention
from carob.result.result import Result, Rows
from carob.result.scores import File

RECORD_KINDS = (
    "right", "partly right", "wrong value", "wrong format", "missing", "spurious", "invented",
    "wrong field", "swapped",
)  # fmt: skip
"""What may become of a value of a record.

wrong format: it cannot be read as the type of its slot; invented: spurious, and the text does not
have it; wrong field: gold has it in another slot of the document; swapped: gold has it in the same
slot of another record or object.
"""

NONE = "_"
"""What stands for no label in a row or column, unless a label has that name."""


@dataclass(frozen=True, eq=False)
class Confusion:
    """How often a label of gold became a label of the system, for every two labels that meet.

    `gold` and `system` are places in `names`, of which the last stands for no label: what gold
    does not have, or what the system does not have.

    >>> Confusion.of(("A", "B"), np.array([0, 1, 0]), np.array([1, -1, 1])).to_dict()
    {'A': {'B': 2}, 'B': {'_': 1}}
    """

    labels: tuple[str, ...]
    gold: IntArray
    system: IntArray
    counts: IntArray

    @classmethod
    def of(cls, labels: tuple[str, ...], gold: IntArray, system: IntArray) -> Confusion:
        """Count the pairs of two columns of labels, in which -1 is none."""
        width = len(labels) + 1
        pairs, counts = np.unique(
            gold.astype(np.int64) % width * width + system % width, return_counts=True
        )
        return cls(labels, pairs // width, pairs % width, counts)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of rows and columns: the labels, and a sign for none."""
        none = NONE
        while none in self.labels:
            none += NONE
        return (*self.labels, none)

    @property
    def entries(self) -> list[tuple[str, str, int]]:
        """(gold label, system label, count) of every two that meet, by gold, then system."""
        names = self.names
        columns = (self.gold.tolist(), self.system.tolist(), self.counts.tolist())
        return [(names[i], names[k], count) for i, k, count in zip(*columns, strict=True)]

    def matrix(self) -> IntArray:
        """The counts of all rows and columns, zeros and all."""
        matrix = np.zeros((len(self.labels) + 1,) * 2, np.int64)
        matrix[self.gold, self.system] = self.counts
        return matrix

    def to_dict(self) -> dict[str, dict[str, int]]:
        """As in JSON: gold label -> system label -> count, where it is not 0."""
        rows: dict[str, dict[str, int]] = {}
        for gold, system, count in self.entries:
            rows.setdefault(gold, {})[system] = count
        return rows


Pieces = tuple[tuple[str, bool], ...]
"""Words around an item in pieces, each with whether it is a part of the item."""


@dataclass(frozen=True)
class Example:
    """One mention that is wrong: what gold and the system have, each in its context.

    `gold_marked` and `system_marked` are the words around, None if they are not known;
    `gold_pieces` and `system_pieces` are the same in pieces.
    """

    outcome: str
    document: str
    gold: Mention | None
    system: Mention | None
    gold_marked: str | None
    system_marked: str | None
    gold_pieces: Pieces = ()
    system_pieces: Pieces = ()


@dataclass(frozen=True)
class SlotExample:
    """One filler that is wrong: the slot, all that would be right, and what the system says.

    `gold_marked` and `system_marked` are the words around a filler that has a place, or that was
    found at one; `grounded` is false if the system's filler is not found in the text. `note` says
    which record of several, and which object of a list, it is in.
    """

    outcome: str
    document: str
    slot: str
    gold: tuple[str, ...]
    system: str | None
    gold_marked: str | None
    system_marked: str | None
    grounded: bool = True
    gold_pieces: Pieces = ()
    system_pieces: Pieces = ()
    note: str = ""


RelationExample = tuple[str, str | None, str | None]
"""The document, and the relation of gold and of the system as texts (None: there is none)."""


@dataclass(frozen=True)
class RelationChanges:
    """How many errors in relations of each kind are gone (`fixed`) and new (`broken`), with
    examples of the error: that of the first system if it is fixed, otherwise that of the second.
    """

    fixed: Mapping[str, int]
    broken: Mapping[str, int]
    fixed_examples: Sequence[RelationExample] = ()
    broken_examples: Sequence[RelationExample] = ()


@dataclass(frozen=True)
class RelationErrors:
    """What became of the relations: how many of each kind, of all labels and of each, examples of
    each kind of error, and what a second system changed.
    """

    counts: Mapping[str, int]
    by_label: Mapping[str, Mapping[str, int]]
    examples: Mapping[str, Sequence[RelationExample]] = field(default_factory=dict)
    changes: RelationChanges | None = None

    def to_dict(self) -> dict[str, Any]:
        """What the JSON report holds."""
        content: dict[str, Any] = {
            "counts": dict(self.counts),
            "by_label": {label: dict(row) for label, row in self.by_label.items()},
        }
        if self.changes is not None:
            content |= {"fixed": self.changes.fixed, "broken": self.changes.broken}
        return content


@dataclass(frozen=True)
class Changes:
    """How many errors of each type are gone (`fixed`) and new (`broken`), with examples."""

    fixed: Mapping[str, int]
    broken: Mapping[str, int]
    fixed_examples: Sequence[tuple[Any, Any]] = ()
    broken_examples: Sequence[tuple[Any, Any]] = ()


@dataclass(frozen=True, repr=False)
class Errors(Result):
    """Where the errors of a system are. Prints itself; `to_dict` is what the JSON report holds.

    Every error is of one of the `kinds`. A gain is what a score would change by if all errors of
    a type were corrected, so a lower-is-better score has negative gains. `order` says which type
    to correct first, and the first score after each step. `near` counts boundary errors of one
    token, `unseen` missed mentions that nothing of the system touches.

    >>> from carob import Corpus, errors
    >>> gold = Corpus.of("[Ann Lee]PER met [Bo]PER in [Rome]LOC")
    >>> system = Corpus.of("[Ann]PER Lee met [Bo]LOC in Rome")
    >>> result = errors(gold, system, recipes=["exact.F1"])
    >>> {kind: count for kind, count in result.counts.items() if count}
    {'LE': 1, 'BES': 1, 'FN': 1}
    >>> result.gains["FN"]
    {'exact.F1': 0.3333333333333333}
    """

    with_intervals: ClassVar[bool] = False

    name: str
    kinds: tuple[str, ...]
    counts: Mapping[str, int]
    by_label: Mapping[str, Mapping[str, int]]
    confusion: Confusion
    gains: Mapping[str, Mapping[str, float | None]]
    scores: Mapping[str, float | None]
    order: Sequence[tuple[str, float]]
    items: Literal["mention", "filler", "value"] = "mention"
    near: int | None = None
    unseen: int | None = None
    examples: Mapping[str, Sequence[Example | SlotExample]] = field(default_factory=dict)
    changes: Changes | None = None
    systems: tuple[File, ...] = ()
    remarks: tuple[str, ...] = ()
    signature: str = ""
    count_recipes: frozenset[str] = frozenset()
    """The recipes whose values are counts."""
    relations: RelationErrors | None = None
    """What is wrong with relations, if gold has some."""

    @property
    def recipes(self) -> list[str]:
        """The recipes whose gains are shown."""
        return list(self.scores)

    @property
    def of_slots(self) -> bool:
        """Whether these are errors in the slots of templates or records."""
        return self.items != "mention"

    @property
    def of_records(self) -> bool:
        """Whether these are errors in the values of records, which have no gains."""
        return self.items == "value"

    @property
    def shares(self) -> dict[str | None, dict[str, float | None]]:
        """Of all errors (None) and of those of each label, the share of each type."""
        shares: dict[str | None, dict[str, float | None]] = {}
        for label, row in ({None: self.counts} | dict(self.by_label)).items():
            wrong = sum(row[kind] for kind in self.kinds)
            shares[label] = {kind: row[kind] / wrong if wrong else None for kind in self.kinds}
        return shares

    @property
    def confusions(self) -> list[tuple[str, str, int]]:
        """(gold label, system label, count) of labels taken for others, most frequent first."""
        none = self.confusion.names[-1]
        pairs = [each for each in self.confusion.entries if none not in each and each[0] != each[1]]
        return sorted(pairs, key=lambda pair: (-pair[2], pair[0], pair[1]))

    def to_dict(self) -> dict[str, Any]:
        """What the JSON report holds."""
        content: dict[str, Any] = {
            "counts": dict(self.counts),
            "by_label": {label: dict(row) for label, row in self.by_label.items()},
            "confusion": self.confusion.to_dict(),
            "gains": {kind: dict(row) for kind, row in self.gains.items()},
            "order": [{"type": kind, "score": score} for kind, score in self.order],
            **({} if self.of_slots else {"near_misses": self.near, "unseen": self.unseen}),
            "shares": self.shares[None],
            "remarks": list(self.remarks),
            "signature": self.signature,
        }
        if self.relations is not None:
            content["relations"] = self.relations.to_dict()
        if self.changes is not None:
            content |= {"fixed": self.changes.fixed, "broken": self.changes.broken}
        return content

    def rows(self) -> Rows:
        """A row for each type of error with all labels, and with each label; the rows of all labels
        have what correcting the type would gain.

        >>> from carob import Corpus, errors
        >>> gold, system = Corpus.of("[Ann]PER"), Corpus.of("[Ann]LOC")
        >>> errors(gold, system, recipes=["exact.F1"]).rows()[1]
        {'label': None, 'type': 'LE', 'count': 1, 'share': 1.0, 'exact.F1': 1.0}
        """
        shares = self.shares
        return [
            {"label": label, "type": kind, "count": count, "share": shares[label].get(kind)}
            | {r: self.gains.get(kind, {}).get(r) if label is None else None for r in self.scores}
            for label, row in ({None: self.counts} | dict(self.by_label)).items()
            for kind, count in row.items()
        ]

    def confusion_rows(self) -> Rows:
        """A row for each label of gold that became a label of the system, with how often.

        >>> from carob import Corpus, errors
        >>> gold, system = Corpus.of("[Ann]PER"), Corpus.of("[Ann]LOC")
        >>> errors(gold, system, recipes=["exact.F1"]).confusion_rows()[0]
        {'gold': 'PER', 'system': 'LOC', 'count': 1}
        """
        return [
            {"gold": gold, "system": system, "count": count}
            for gold, system, count in self.confusion.entries
        ]
