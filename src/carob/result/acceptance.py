"""Acceptance: which answers are sure enough to be accepted, and how many of these are wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from carob.corpus.problems import UsageError, nearest, plain
from carob.result.result import Part, Result, Rows, points, with_checksum
from carob.result.scores import File, SetAside, files_to_dict


@dataclass(frozen=True, slots=True)
class Accepted(Part):
    """What is accepted from a threshold on: answers whose confidence is the threshold or more.

    `automation` is the share of all answers that is accepted, `error_rate` the share of these that
    is wrong, each with its interval; None where there is none.
    """

    threshold: float
    accepted: int
    wrong: int
    automation: float
    automation_low: float | None
    automation_high: float | None
    error_rate: float
    error_low: float | None
    error_high: float | None


@dataclass(frozen=True, slots=True)
class Wanted(Part):
    """The lowest threshold at which no more than a wanted share of what is accepted is wrong.

    `point` is what it accepts, None if no threshold is high enough. `low` and `high` are the ends
    of the interval of the threshold; `high` is None if in more than 2.5 % of the resamples no
    threshold is high enough, and `unreached` is the share of resamples in which none is.
    """

    error_rate: float
    point: Accepted | None
    low: float | None
    high: float | None
    unreached: float | None

    @property
    def threshold(self) -> float | None:
        """The threshold itself."""
        return None if self.point is None else self.point.threshold


@dataclass(frozen=True, slots=True)
class Bin(Part):
    """Answers with a confidence from `low` to `high`: how many, how many are right, their mean
    confidence, and the share that is right with its interval.
    """

    low: float
    high: float
    answers: int
    right: int
    confidence: float | None
    share: float | None
    share_low: float | None
    share_high: float | None


@dataclass(frozen=True, slots=True)
class Curve(Part):
    """The answers of one system: accepted from ever lower thresholds on, and in bins."""

    system: str
    answers: int
    right: int
    without_confidence: int
    points: tuple[Accepted, ...]
    wanted: tuple[Wanted, ...]
    bins: tuple[Bin, ...]

    columns: ClassVar[tuple[str, ...]] = (
        "system", "answers", "right", "without_confidence", "ece", "points", "wanted", "bins",
    )  # fmt: skip

    @property
    def ece(self) -> float | None:
        """The expected calibration error over the bins, as the measure ECE has it."""
        known = sum(each.answers for each in self.bins)
        apart = sum(abs(each.right - each.answers * (each.confidence or 0.0)) for each in self.bins)
        return apart / known if known else None

    def at(self, error_rate: float) -> Wanted:
        """The threshold for an error rate that was asked for."""
        for each in self.wanted:
            if each.error_rate == error_rate:
                return each
        there = ", ".join(f"{each.error_rate:g}" for each in self.wanted) or "none"
        raise UsageError(f"no threshold for the error rate {error_rate:g}; there are: {there}")


@dataclass(frozen=True, repr=False)
class Acceptance(Result):
    """Which answers can be accepted by their confidence. Prints itself; has a `Curve` for each
    system.

    >>> from carob import Corpus, by_confidence
    >>> def records(*values):
    ...     return Corpus.of(
    ...         *(
    ...             {"templates": [{"slots": {"a": [value]}, "confidence": sure}]}
    ...             for value, sure in values
    ...         )
    ...     )
    >>> gold = records(("1", 1), ("2", 1), ("3", 1), ("4", 1))
    >>> system = records(("1", 0.9), ("2", 0.8), ("x", 0.8), ("4", 0.4))
    >>> result = by_confidence(gold, system, error_rates=[0.1, 0.25], resamples=0)
    >>> result["system"].at(0.1).threshold, result["system"].at(0.25).threshold
    (0.9, 0.0)
    """

    version: str
    gold: File
    systems: tuple[File, ...]
    recipe: str
    space: str
    label: str | None
    noun: str
    curves: tuple[Curve, ...]
    signature: str
    remarks: tuple[str, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
    task: Mapping[str, Any] | None = None
    """The task definition, and what it found; None without one."""

    row_columns: ClassVar[tuple[str, ...]] = (
        "system", "threshold", "accepted", "wrong", "automation", "automation_low",
        "automation_high", "error_rate", "error_low", "error_high",
    )  # fmt: skip

    @property
    def recipes(self) -> list[str]:
        """The one recipe."""
        return [self.recipe]

    def __iter__(self) -> Iterator[Curve]:
        return iter(self.curves)

    def __len__(self) -> int:
        return len(self.curves)

    def __getitem__(self, system: str) -> Curve:
        for each in self.curves:
            if each.system == system:
                return each
        names = [each.system for each in self.curves]
        raise UsageError(f"no system is called {system!r}{nearest(system, names)}")

    def nouns(self) -> str:
        """What is accepted, in the plural.

        >>> Acceptance(
        ...     "", File("", "", "", 0, 0), (), "", "", None, "object of items", (), ""
        ... ).nouns()
        'objects of items'
        """
        first, *rest = self.noun.split(" ")
        return " ".join([f"{first}s", *rest])

    def sentences(self, curve: Curve, digits: int = 1) -> list[str]:
        """For each wanted error rate, what to accept, with so many decimals of per cent."""
        return [self._sentence(each, digits) for each in curve.wanted]

    def _sentence(self, wanted: Wanted, digits: int) -> str:
        goal, point = f"{100 * wanted.error_rate:g} %", wanted.point

        def share(value: float, low: float | None, high: float | None) -> str:
            text = f"{points(value, digits)} %"
            if low is None or high is None:
                return text
            return f"{text} [{points(low, digits)}, {points(high, digits)}]"

        if point is None:
            text = f"at most {goal} wrong: no threshold is high enough"
            if wanted.unreached is not None:
                text += f", nor is one in {points(wanted.unreached, digits)} % of the resamples"
            return text
        automation = share(point.automation, point.automation_low, point.automation_high)
        wrong = share(point.error_rate, point.error_low, point.error_high)
        what = "all answers" if point.threshold == 0 else f"answers from {point.threshold:g} on"
        text = (
            f"at most {goal} wrong: accept {what}; {automation} of the {plain(self.nouns())} need "
            f"nobody, {wrong} of these are wrong"
        )
        if wanted.low is None:
            return text
        if wanted.high is None:
            return (
                f"{text}; the threshold may have to be anything from {wanted.low:g} on: in "
                f"{points(wanted.unreached or 0.0, digits)} % of the resamples none is high enough"
            )
        return f"{text}; interval of the threshold [{wanted.low:g}, {wanted.high:g}]"

    def to_dict(self) -> dict[str, Any]:
        """Everything, as in JSON (see docs/output.md)."""
        return with_checksum(
            {
                "carob": self.version,
                "signature": self.signature,
                **({} if self.task is None else {"task": dict(self.task)}),
                **files_to_dict(self.gold, self.systems, self.set_aside),
                "space": self.space,
                "label": self.label,
                "curves": [
                    each.to_dict() | {"answer": self.sentences(each)} for each in self.curves
                ],
                "remarks": list(self.remarks),
            }
        )

    def rows(self) -> Rows:
        """A row for each system and threshold."""
        return [
            {"system": curve.system} | point.to_dict()
            for curve in self.curves
            for point in curve.points
        ]

    def bin_rows(self) -> Rows:
        """A row for each system and bin of confidences, for a reliability diagram."""
        return [
            {"system": curve.system} | each.to_dict()
            for curve in self.curves
            for each in curve.bins
        ]
