"""Comparison: which of several systems is ahead, by how much, and whether that is chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from carob.arrays.types import FloatArray
from carob.corpus.problems import UsageError, many, nearest, plain
from carob.result.gate import Gate, margin_of, not_worse
from carob.result.result import Part, Result, Rows, json_data, points, with_checksum
from carob.result.scores import File, SetAside, files_to_dict

ALPHA = 0.05
"""The level of significance: with a larger p, a difference may be chance."""


@dataclass(frozen=True, slots=True, eq=False)
class Difference(Part):
    """The score of b minus the score of a, under one recipe (of one label, if there is one).

    `smallest_p` is the smallest possible p, `detectable` the smallest difference that these
    documents show in four cases of five, `differing` the number of documents on which the two
    systems differ; `exact` says that every exchange was tried. `draws` are the differences in
    resamples.
    """

    a: str
    b: str
    recipe: str
    label: str | None
    measure: str
    value_a: float | None
    value_b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    smallest_p: float
    detectable: float | None
    differing: int
    exact: bool
    method: str | None
    lower_is_better: bool = False
    is_count: bool = False
    remarks: tuple[str, ...] = ()
    draws: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)
    average: str = "micro"
    tests: int = 1
    """How many tests Holm's correction is for: all pairs under this recipe (or label by label)."""
    trials: int = 0
    """How many exchanges were tried. A test stops once its decision is clear."""

    columns: ClassVar[tuple[str, ...]] = (
        "a", "b", "recipe", "label", "value_a", "value_b", "difference", "low", "high", "p",
        "p_holm", "significant", "smallest_p", "detectable", "differing", "exact", "method",
        "tests", "trials", "remarks",
    )  # fmt: skip

    @property
    def significant(self) -> bool:
        """Whether chance is unlikely, corrected for everything that was tested."""
        return self.p_holm is not None and self.p_holm <= ALPHA

    @property
    def ahead(self) -> str | None:
        """The system that is ahead, significantly or not; None if none is."""
        if self.difference is None or self.difference == 0:
            return None
        return self.b if (self.difference > 0) != self.lower_is_better else self.a

    def turned(self) -> Difference:
        """The same difference as a minus b.

        >>> one = Difference("A", "B", "exact.F1", None, "F1", 0.8, 0.812, 0.012, 0.003, 0.021,
        ...     0.004, 0.004, 2**-20, 0.013, 21, False, "bca")  # fmt: skip
        >>> one.turned().a, one.turned().high
        ('B', -0.003)
        """
        difference, low, high = (
            None if end is None else -end for end in (self.difference, self.high, self.low)
        )
        return replace(
            self, a=self.b, b=self.a, value_a=self.value_b, value_b=self.value_a,
            difference=difference, low=low, high=high, draws=-self.draws,
        )  # fmt: skip

    def sentence(self, unit: str = "document", digits: int = 1) -> str:
        """The difference in words, with this many decimals of a point.

        >>> one = Difference("A", "B", "exact.F1", None, "F1", 0.8, 0.812, 0.012, 0.003, 0.021,
        ...     0.004, 0.004, 2**-20, 0.013, 21, False, "bca")  # fmt: skip
        >>> one.sentence()
        'B is ahead of A by 1.2 F1 (0.3 to 2.1), p = .004.'
        """
        a, b, what = plain(self.a), plain(self.b), plain(self.measure)
        if self.label is not None:
            what = f"{what} of {plain(self.label)}"
        if self.difference is None or self.p is None:
            return f"{a} and {b} cannot be compared: one of them has no {what}."
        if self.differing == 0:
            return f"{b} and {a} have the same counts in every {unit}: {what} cannot differ."
        p = f"p = {p_value(self.p)}".replace("= <", "<")
        if self.p_holm is not None and p_value(self.p_holm) != p_value(self.p):
            p += f" ({p_value(self.p_holm)} after Holm)"
        best, other = (a, b) if self.ahead == self.a else (b, a)
        low, high = self.low, self.high
        within = ""
        if low is not None and high is not None:
            ends = (-high, -low) if self.difference < 0 else (low, high)
            within = "{} to {}".format(*(self._points(end, digits) for end in ends))
            # p is corrected for all tests of the family, the interval is not.
            within = f" (single 95 % interval {within})" if self.tests > 1 else f" ({within})"
        points = self._points(abs(self.difference), digits)
        ahead = f"{best} is ahead of {other} by {points} {what}{within}"
        if self.lower_is_better:
            ahead = f"{best} is ahead of {other}: {what} lower by {points}{within}"
        if self.significant:
            return f"{ahead}, {p}{self._contradiction}."
        if self.ahead:
            sentence = f"{ahead}, but this could be chance: {p}{self._contradiction}"
        else:
            sentence = f"{b} and {a} have the same {what}{within}: {p}"
        if self.smallest_p > ALPHA:
            sentence += (
                f"; they differ in {many(self.differing, unit)} only, so p cannot be smaller than "
                f"{p_value(self.smallest_p)}"
            )
        elif self.detectable:  # 0 if nothing of it ever varies
            sentence += (
                f"; the smallest difference that these {unit}s could show is about "
                f"{self._points(self.detectable, digits)}"
            )
        return sentence + "."

    @property
    def _contradiction(self) -> str:
        """That the interval says something else than the test, if it does."""
        if self.low is None or self.high is None or self.tests > 1:
            return ""
        without_zero = self.low > 0 or self.high < 0
        if without_zero == self.significant:
            return ""
        return f", although the interval {'leaves out' if without_zero else 'contains'} 0"

    def _points(self, number: float, digits: int) -> str:
        """Scores in points, a hundredth each; counts as they are."""
        text = f"{number:,.1f}" if self.is_count else points(number, digits)
        return (text if text.strip("-0.") else text.removeprefix("-")).replace("-", "−")


@dataclass(frozen=True, slots=True)
class Rank(Part):
    """The ranks that a system may have, given what is significant; systems of a cluster may be
    equally good. Without a score there is no rank.
    """

    recipe: str
    label: str | None
    system: str
    value: float | None
    rank_low: int | None
    rank_high: int | None
    cluster: int | None
    low: float | None = None
    high: float | None = None
    """The interval of the score."""
    lower_is_better: bool = False
    is_count: bool = False
    average: str = "micro"

    columns: ClassVar[tuple[str, ...]] = (
        "recipe", "label", "system", "value", "low", "high", "rank_low", "rank_high", "cluster",
    )  # fmt: skip

    @property
    def score_name(self) -> str:
        """Event space and measure, without the average or label.

        >>> Rank("exact.F1@macro", None, "a", 0.5, 1, 1, 1, average="macro").score_name
        'exact.F1'
        """
        return self.recipe.removesuffix(f"@{self.average}")


SORTS = ("score", "name", "given")
"""In which order ranked systems stand: the best first, by name, or as they were given."""


def ordered(ranks: Sequence[Rank], by: str = "score") -> list[Rank]:
    """Ranks in the order of a table.

    >>> ranks = [Rank("r", None, name, value, 1, 2, 1) for name, value in [("b", 0.5), ("a", 0.7)]]
    >>> [rank.system for rank in ordered(ranks)]
    ['a', 'b']
    """
    if by not in SORTS:
        raise UsageError(f"systems are sorted by {', '.join(SORTS)}, not by {by!r}")
    if by == "given":
        return list(ranks)
    if by == "name":
        return sorted(ranks, key=lambda rank: (rank.system.casefold(), rank.system))
    return sorted(ranks, key=lambda r: (r.value is None, _badness(r)))


def _badness(rank: Rank) -> float:
    value = rank.value or 0.0
    return value if rank.lower_is_better else -value


@dataclass(frozen=True, slots=True)
class Agreement(Part):
    """How far two recipes order the systems alike, and which pairs change places."""

    first: str
    second: str
    spearman: float | None
    kendall: float | None
    swaps: tuple[tuple[str, str], ...]


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Several systems against each other. Prints itself as tables with a sentence for each pair.

    >>> from carob import Corpus, compare
    >>> gold = Corpus.of("[Ann]PER slept", "[Bo]PER woke")
    >>> result = compare(gold, {"a": gold, "b": Corpus.of("Ann slept", "[Bo]PER woke")}, "exact.R")
    >>> result.differences[0].difference, result.differences[0].p
    (-0.5, 1.0)
    """

    version: str
    gold: File
    systems: tuple[File, ...]
    differences: tuple[Difference, ...]
    ranks: tuple[Rank, ...]
    agreements: tuple[Agreement, ...]
    signature: str
    seed: int
    unit: str = "document"
    remarks: tuple[str, ...] = ()
    trials: int = 9999
    gate: Gate | None = None
    """Whether the last system is not worse than the first, and reaches its floors; None if neither
    was asked.
    """
    floors: Gate | None = None
    """The part of the gate that is about floors."""
    task: Mapping[str, Any] | None = None
    """The task definition, and what it found; None without one."""
    sort: str = "score"
    """The order of ranked systems: see `SORTS`."""
    all_pairs: bool = False
    """Whether tables show every pair, also if there are more than three systems."""
    baseline: str | None = None
    """The system to which tables show the differences of all others; None for all pairs."""
    set_aside: tuple[SetAside, ...] = ()
    """The systems that were left out because of what is wrong with their files."""

    @property
    def recipes(self) -> list[str]:
        """The recipes of all differences."""
        return [each.recipe for each in self.differences if each.label is None]

    @property
    def blind(self) -> str | None:
        """Why no difference can be significant here, whatever the systems do, or how many are not
        for want of trials; None if neither is so.

        The smallest p is 1 / (1 + trials), or 2^(1-k) if k documents differ; Holm's correction
        multiplies it by the number of tests.
        """
        tested = [each for each in self.differences if each.p is not None]
        if not tested:
            return None
        least = 1 / (1 + self.trials)
        smallest = [(each.smallest_p if each.exact else least) * each.tests for each in tested]
        mend = "give more trials, or compare fewer systems or labels"
        if min(smallest) <= ALPHA:
            # Pairs that differ in few documents are tested exactly: their p may be smaller.
            lost = [e for e in tested if not (e.exact or e.significant) and e.p == least]
            which = "1 difference has" if len(lost) == 1 else f"{len(lost):,} differences have"
            most = max((each.tests for each in lost), default=0)
            what = f"{self.trials:,} trials are too few for {most:,} tests: {which}"
            what += " the smallest p possible, and could not be significant"
            return f"{what}; {mend}" if lost else None
        tests = many(min(each.tests for each in tested), "test")
        what = f"{tests} and {self.trials:,} trials"
        if all(each.exact for each in tested):
            differing = many(max(each.differing for each in tested), self.unit)
            what = f"in {tests}, systems differ in at most {differing}"
            mend = f"more {self.unit}s are needed, or fewer tests"
        return f"nothing can be significant here: {what}; {mend}"

    def with_gate(self, margin: float | str) -> Comparison:
        """The same comparison, with a release gate beside any floors: see
        `carob.result.gate.not_worse`. The margin is written 0.01, "1pt" or "1%"; that of counts is
        a bare number.
        """
        gate = not_worse(self, margin_of(self, margin))
        return replace(self, gate=gate.joined(self.floors))

    def shown_as(
        self, *, sort: str = "score", all_pairs: bool = False, baseline: str | None = None
    ) -> Comparison:
        """The same comparison, of which tables show another part. Tests and their correction for
        many tests stay the same, and JSON and data frames have all of them.
        """
        names = [each.name for each in self.systems]
        if baseline is not None and baseline not in names:
            raise UsageError(f"no system is called {baseline!r}{nearest(baseline, names)}")
        ordered((), sort)
        return replace(self, sort=sort, all_pairs=all_pairs, baseline=baseline)

    @property
    def shown(self) -> tuple[Difference, ...]:
        """The differences that tables show: all of up to three systems, otherwise those that
        `all_pairs` or `baseline` ask for. Those to a baseline are the others minus the baseline.
        """
        if self.baseline is not None:
            pairs = [each for each in self.differences if self.baseline in (each.a, each.b)]
            return tuple(d if d.a == self.baseline else d.turned() for d in pairs)
        return self.differences if self.all_pairs or len(self.systems) <= 3 else ()

    def stands_out(self, rank: Rank) -> bool:
        """Whether the score of a system is significantly different from that of the baseline;
        without one, whether it is significantly better than that of every other system.
        """
        own = self._differences_of[rank.recipe, rank.label, rank.system]
        if self.baseline is not None:
            others = {each.b if each.a == rank.system else each.a: each for each in own}
            return self.baseline in others and others[self.baseline].significant
        return all(each.significant and each.ahead == rank.system for each in own)

    @cached_property
    def _differences_of(self) -> Mapping[tuple[str, str | None, str], list[Difference]]:
        """The differences of each system to all others, by recipe, label and system."""
        own: dict[tuple[str, str | None, str], list[Difference]] = {}
        for each in self.differences:
            for system in (each.a, each.b):
                own.setdefault((each.recipe, each.label, system), []).append(each)
        return own

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the draws, as in JSON (see docs/output.md)."""
        return with_checksum({
            "carob": self.version,
            "signature": self.signature,
            "seed": self.seed,
            **({} if self.task is None else {"task": dict(self.task)}),
            **({} if self.gate is None else {"gate": self.gate.to_dict()}),
            **files_to_dict(self.gold, self.systems, self.set_aside),
            "tested": sum(each.p is not None for each in self.differences),
            "comparisons": json_data(self.differences),
            "ranks": json_data(self.ranks),
            "agreement": json_data(self.agreements),
            "remarks": list(self.remarks),
        })  # fmt: skip

    def rows(self) -> Rows:
        """A row for each pair of systems and recipe."""
        return [each.to_dict() | {"remarks": "; ".join(each.remarks)} for each in self.differences]


def correction(differences: Sequence[Difference]) -> str | None:
    """For which tests Holm's method corrects; None where no family has more than one.

    >>> one = Difference("A", "B", "exact.F1", None, "F1", 0.8, 0.812, 0.012, 0.003, 0.021,
    ...     0.004, 0.012, 2**-20, 0.013, 21, False, "bca", tests=3)  # fmt: skip
    >>> correction([one, replace(one, recipe="ts.F1")])
    'the 3 tests of each recipe'
    """
    tested = [each for each in differences if each.p is not None]
    families = {each.recipe for each in tested if each.label is None}
    of_labels = sorted({each.tests for each in tested if each.label is not None})
    sizes = sorted({each.tests for each in tested if each.label is None})
    if max([*sizes, *of_labels], default=1) == 1:
        return None
    parts = [f"the {_range(sizes)} of each recipe" if len(families) > 1 else f"all {_range(sizes)}"]
    parts = parts if sizes else []
    if of_labels:
        parts.append(f"the {_range(of_labels)} of rows of labels")
    return " and ".join(parts)


def _range(sizes: Sequence[int]) -> str:
    low, high = sizes[0], sizes[-1]
    return many(low, "test") if low == high else f"{low:,} to {high:,} tests"


def p_value(p: float) -> str:
    """A p value as papers print it.

    >>> p_value(0.0042), p_value(1.0), p_value(0.00004), p_value(0.25)
    ('.004', '1', '<.0001', '.25')
    """
    if p >= 0.9995:
        return "1"
    if p < 0.0001:
        return "<.0001"
    digits = 2 if p >= 0.0995 else 3 if p >= 0.00095 else 4
    return f"{p:.{digits}f}".removeprefix("0")
