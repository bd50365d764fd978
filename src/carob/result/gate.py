"""Gate: may a system be released? Three answers: pass, fail, cannot tell."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from carob.corpus.problems import DataError, UsageError, nearest, plain
from carob.result.result import Part

if TYPE_CHECKING:
    from carob.result.comparison import Comparison, Difference
    from carob.result.scores import Score, Scores, Value

Verdict = Literal["pass", "fail", "cannot tell"]
EXIT_CODES: dict[Verdict, int] = {"pass": 0, "fail": 3, "cannot tell": 4}

BELOW_ONE = math.nextafter(1, 0)
"""The largest bare number that is a margin: a score that is worse by 1 is the worst there is."""

WIDE = 0.2
"""A larger margin lets nearly everything pass."""

_AMOUNT = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*(pt|%)?\s*")


def amount(
    text: str | float, what: str, *, is_count: bool = False, most: float = 1.0,
    example: str = "0.02, 2pt or 2%",
) -> float:  # fmt: skip
    """A margin, floor or difference in one of its spellings: 0.01, 1pt and 1% are one point. Counts
    have bare numbers only. Of other scores, a bare number above `most` must be meant otherwise, and
    is refused.

    >>> amount("1.5pt", "margin"), amount(0.02, "margin"), amount(12, "margin", is_count=True)
    (0.015, 0.02, 12.0)
    """
    found = _AMOUNT.fullmatch(str(text))
    if found is None or not math.isfinite(float(found[1])):
        raise UsageError(f"found {str(text)!r}, expected a {what} such as {example}")
    number, unit = found[1], found[2]
    if is_count and unit:
        raise UsageError(f"found {text!r}, expected a bare number: the {what} of a count")
    if unit:
        return float(Decimal(number) / 100)
    if not is_count and float(number) > most:
        raise UsageError(
            f"found {number}, expected a {what} with its unit: {float(number) / 100:g}, "
            f"{number}pt or {number}%"
        )
    return float(number)


@dataclass(frozen=True, slots=True)
class Check(Part):
    """One condition of a gate, what it says, and why.

    >>> Check("exact.F1", "pass", "0.9 is at least 0.85").verdict
    'pass'
    """

    what: str
    verdict: Verdict
    reason: str


@dataclass(frozen=True, slots=True)
class Gate(Part):
    """All conditions together: it fails if one fails, and passes if all pass.

    >>> gate = Gate((Check("exact.F1", "pass", "so"), Check("ts.F1", "cannot tell", "so")))
    >>> gate.verdict, gate.exit_code
    ('cannot tell', 4)
    """

    checks: tuple[Check, ...]
    conditions: Mapping[str, Any] = field(default_factory=dict)
    """What was asked: the margin, floors and what they are compared with."""
    remark: str = ""
    """What the line of the verdict says of the margin."""

    columns: ClassVar[tuple[str, ...]] = ("verdict", "exit_code", "checks", "conditions")

    @property
    def verdict(self) -> Verdict:
        """What the gate says."""
        verdicts = {check.verdict for check in self.checks}
        return "fail" if "fail" in verdicts else "pass" if verdicts <= {"pass"} else "cannot tell"

    @property
    def exit_code(self) -> int:
        """0 is pass, 3 fail, 4 cannot tell."""
        return EXIT_CODES[self.verdict]

    def joined(self, other: Gate | None) -> Gate:
        """The conditions of both."""
        if other is None:
            return self
        return Gate(
            (*self.checks, *other.checks), {**self.conditions, **other.conditions},
            self.remark or other.remark,
        )  # fmt: skip

    def sentences(self) -> list[str]:
        """A line for the gate, and one for each condition that did not pass, or for all."""
        shown = [check for check in self.checks if check.verdict != "pass"] or list(self.checks)
        lines = [f"{plain(check.what)}: {check.verdict}: {plain(check.reason)}" for check in shown]
        return [f"gate: {self.verdict}{f' ({self.remark})' if self.remark else ''}", *lines]


def margin_of(comparison: Comparison, text: str | float) -> float:
    """The margin that a caller wrote, for every score that it is for."""
    kinds = {each.is_count for each in comparison.differences}
    return max(amount(text, "margin", is_count=is_count, most=BELOW_ONE) for is_count in kinds)


def not_worse(comparison: Comparison, margin: float) -> Gate:
    """Whether the last system is not worse than the first, by more than a margin.

    A test of non-inferiority by the interval of the difference: above the margin it passes, below
    it fails, and if the margin lies within the interval, these documents cannot tell.

    >>> from carob import Corpus, compare
    >>> gold = Corpus.of(*["[Ann]PER slept"] * 6)
    >>> not_worse(compare(gold, {"a": gold, "b": gold}, "exact.F1"), 0.01).verdict
    'pass'
    """
    if not margin >= 0:
        raise UsageError(f"the margin is 0 or more, not {margin}")
    first, last = comparison.systems[0].name, comparison.systems[-1].name
    checks = (
        _not_worse(each, margin)
        for each in comparison.differences
        if (each.a, each.b) == (first, last)
    )
    if all(each.is_count for each in comparison.differences):
        return Gate(tuple(checks), {"margin": margin}, f"margin {margin:g}")
    points = f"{100 * margin:.6g}"
    remark = f"margin {points} {'point' if points == '1' else 'points'}"
    if margin > WIDE:
        remark += ", which lets nearly everything pass"
    return Gate(tuple(checks), {"margin": margin}, remark)


def _not_worse(each: Difference, margin: float) -> Check:
    what = each.recipe if each.label is None else f"{each.recipe} of {each.label}"
    if each.difference is None:
        return Check(what, "cannot tell", f"{each.a} or {each.b} has no score")
    if each.low is None or each.high is None:
        why = "; ".join(each.remarks) or "no interval was computed (resamples is 0)"
        return Check(what, "cannot tell", f"the difference is {each.difference:+.4f}, but {why}")
    # How much better the last system is: for error rates, lower is better.
    low, high = (-each.high, -each.low) if each.lower_is_better else (each.low, each.high)
    numbers = (each.difference, each.low, each.high)
    point, *ends = (_shown(number, each.is_count, "+") for number in numbers)
    interval = f"{each.b} − {each.a} is {point} [{', '.join(ends)}]"
    if low >= -margin:
        return Check(what, "pass", f"{interval}: not worse by more than {margin:g}")
    if high < -margin:
        return Check(what, "fail", f"{interval}: worse by more than {margin:g}")
    return Check(
        what, "cannot tell",
        f"{interval}: may be worse by more than {margin:g} or not; more documents would tell",
    )  # fmt: skip


def floors(scores: Scores, limits: str | float | Sequence[str | float], by: str = "value") -> Gate:
    """Whether all scores reach their floors: "0.85" for every recipe, "PER=0.8" for one label. As a
    margin, a floor is also written 85pt or 85%.

    `by` is "value", or "low" for the lower end of the interval.

    >>> from carob import Corpus, score
    >>> gold = Corpus.of("[Ann]PER slept")
    >>> floors(score(gold, gold, "exact.F1"), ["0.9", "PER=0.8"]).verdict
    'pass'
    """
    if by not in ("value", "low"):
        raise UsageError(f"by is value or low, not {by!r}")
    several = len(scores.systems) > 1
    every = [str(each) for each in ([limits] if isinstance(limits, (str, float, int)) else limits)]
    checks = []
    for limit in every:
        label, text = _limit(limit)
        for score in scores.scores:
            if score.lower_is_better:
                raise UsageError(
                    f"{score.recipe} is better the lower it is, so it has no floor; use a score "
                    "such as exact.F1"
                )
            floor = amount(
                text, "floor", is_count=score.is_count, most=score.highest,
                example="0.85, 85pt, 85% or PER=0.85",
            )  # fmt: skip
            value = score.overall if label is None else _of_label(score, label)
            what = score.recipe if label is None else f"{score.recipe} of {label}"
            checks.append(
                _floor(
                    f"{score.system}: {what}" if several else what,
                    value,
                    floor,
                    by,
                    is_count=score.is_count,
                )
            )
    return Gate(tuple(checks), {"floors": every, "by": by})


def _limit(text: str) -> tuple[str | None, str]:
    label, sign, number = text.rpartition("=")
    return (label if sign else None), number


def _of_label(score: Score, label: str) -> Value:
    if not score.by_label:
        raise DataError(f"there are too many labels for rows; --labels {label} makes one of it")
    if label not in score.by_label:
        raise DataError(f"no label is called {label!r}{nearest(label, list(score.by_label))}")
    return score.by_label[label]


def _floor(what: str, value: Value, floor: float, by: str, *, is_count: bool) -> Check:
    number = value.value if by == "value" else value.low
    name = "" if by == "value" else "the lower end of the interval is "
    if number is None:
        missing, cause = "no score", "there is nothing to score"
        if value.value is not None:
            missing, cause = (
                "no interval",
                "a single document has none, and resamples 0 asks for none",
            )
        why = "; ".join(value.remarks) or cause
        return Check(what, "cannot tell", f"{missing}: {why}")
    shown = _shown(number, is_count)
    if number >= floor:
        return Check(what, "pass", f"{name}{shown}, not below {floor:g}")
    return Check(what, "fail", f"{name}{shown}, below {floor:g}")


def _shown(number: float, is_count: bool, sign: str = "") -> str:
    """A number as tables show it."""
    if is_count:
        return f"{number:{sign}.2f}".rstrip("0").rstrip(".")
    return f"{number:{sign}.4f}"
