"""Robustness: the order of systems under many reasonable ways to score them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar

from carob.corpus.problems import plain
from carob.result.result import Part, Result, Rows, json_data
from carob.result.scores import File, files_to_dict

CLOSE = 1e-12
"""Scores that are closer tie."""


@dataclass(frozen=True, slots=True)
class Choice(Part):
    """One way to score: a recipe, a repair policy (None where it cannot matter), and the scores.

    `block` is the recipe's event space and measure, `average` the rest of it.

    >>> choice = Choice(
    ...     "slots.SER", "slots.SER", "micro", None, {"a": 0.2, "b": 0.1, "c": 0.2}, True
    ... )
    >>> choice.ranks, choice.order
    ({'a': 2, 'b': 1, 'c': 2}, (('b',), ('a', 'c')))
    """

    recipe: str
    block: str
    average: str
    repair: str | None
    scores: Mapping[str, float | None]
    lower_is_better: bool = False
    is_count: bool = False

    columns: ClassVar[tuple[str, ...]] = ("recipe", "repair", "scores", "ranks", "order")

    def __str__(self) -> str:
        return self.recipe if self.repair is None else f"{self.recipe}, {self.repair}"

    def goodness(self, system: str) -> float | None:
        """The score of a system, turned so that more is better."""
        value = self.scores[system]
        return value if value is None or not self.lower_is_better else -value

    def ahead(self, one: str, other: str) -> int | None:
        """1 if the one is ahead, -1 if the other is, 0 for a tie; None without both scores."""
        a, b = self.goodness(one), self.goodness(other)
        if a is None or b is None:
            return None
        return 0 if abs(a - b) <= CLOSE else 1 if a > b else -1

    @property
    def ranks(self) -> dict[str, int | None]:
        """One and how many are ahead, for each system; None for one without a score."""
        return {
            name: None if value is None else 1 + sum(self.ahead(x, name) == 1 for x in self.scores)
            for name, value in self.scores.items()
        }

    @property
    def order(self) -> tuple[tuple[str, ...], ...]:
        """The systems from the best on, those that tie together; without those without a score."""
        ranks = self.ranks
        places = sorted({rank for rank in ranks.values() if rank is not None})
        return tuple(tuple(sorted(n for n in ranks if ranks[n] == place)) for place in places)

    @property
    def first(self) -> tuple[str, ...]:
        """The winner, or all that tie for it."""
        return self.order[0] if self.order else ()


@dataclass(frozen=True, slots=True)
class Standing(Part):
    """How a system fares under all choices: how often it is first, alone or tied, and its ranks."""

    system: str
    value: float | None
    """Its score under the first choice."""
    alone: int
    tied: int
    best: int | None
    worst: int | None

    @property
    def times_first(self) -> str:
        """How often it is first, in words.

        >>> Standing("a", 0.5, 2, 1, 1, 2).times_first
        '2 (and 1 tied)'
        """
        if not self.tied:
            return str(self.alone)
        return f"{self.alone} (and {self.tied} tied)" if self.alone else f"{self.tied} tied"


@dataclass(frozen=True, slots=True)
class Turn(Part):
    """A pair of systems, and the choices that order it differently from the first choice.

    The first choice has `ahead` ahead (if `tie`: it has them tie, and `turned` is empty).
    """

    ahead: str
    behind: str
    tie: bool
    kept: tuple[Choice, ...]
    turned: tuple[Choice, ...]
    """Where the other one is ahead."""
    parted: tuple[Choice, ...]
    """Where they tie, or if the first choice has them tie: where they do not."""

    def to_dict(self) -> dict[str, Any]:
        """As in JSON: choices are named by recipe and repair policy."""
        names = {
            key: [{"recipe": each.recipe, "repair": each.repair} for each in choices]
            for key, choices in (("turned", self.turned), ("parted", self.parted))
        }
        return {"ahead": self.ahead, "behind": self.behind, "tie": self.tie,
                "kept": len(self.kept), **names}  # fmt: skip


@dataclass(frozen=True, repr=False)
class Robustness(Result):
    """Would another scorer rank the systems differently? The order of systems under many choices.

    The first choice is the reference. Prints itself as an answer, a table and a chart.

    >>> from carob import Corpus, robust
    >>> gold = Corpus.of("[Ann Lee]PER visited [Rome]LOC and [Oslo]LOC")
    >>> short = Corpus.of("[Ann]PER Lee visited [Rome]LOC and [Oslo]LOC")
    >>> few = Corpus.of("[Ann Lee]PER visited [Rome]LOC and Oslo")
    >>> robust(gold, {"short": short, "few": few}, ["exact.F1", "overlap.F1"]).answer
    'The winner changes: few, first by exact.F1, is first under 1 of 2 choices; short under 1.'
    """

    with_intervals: ClassVar[bool] = False

    version: str
    gold: File
    systems: tuple[File, ...]
    choices: tuple[Choice, ...]
    signatures: tuple[str, ...]
    """One for each repair policy."""
    remarks: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Choice]:
        return iter(self.choices)

    def __len__(self) -> int:
        return len(self.choices)

    @property
    def recipes(self) -> list[str]:
        """The recipes of all choices."""
        return [each.recipe for each in self.choices]

    @property
    def reference(self) -> Choice:
        """The first choice, against which the others are held."""
        return self.choices[0]

    @property
    def winner(self) -> tuple[str, ...]:
        """Who is first under the first choice; several if they tie."""
        return self.reference.first

    @cached_property
    def stays(self) -> tuple[Choice, ...]:
        """The choices under which the winner is the only winner."""
        firsts = zip(self.choices, self._firsts, strict=True)
        return tuple(each for each, first in firsts if first == self.winner)

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """Every system, in the order of the first choice."""
        ranks = self.reference.ranks
        names = sorted(ranks, key=lambda name: (ranks[name] or len(ranks) + 1, name))
        return tuple(self._standing(name) for name in names)

    @cached_property
    def _ranks(self) -> list[dict[str, int | None]]:
        """The ranks under each choice, which take a while where there are many systems."""
        return [each.ranks for each in self.choices]

    @cached_property
    def _firsts(self) -> list[tuple[str, ...]]:
        return [each.first for each in self.choices]

    def _standing(self, name: str) -> Standing:
        ranks = [rank for each in self._ranks if (rank := each[name]) is not None]
        firsts = [first for first in self._firsts if name in first]
        alone = sum(len(first) == 1 for first in firsts)
        return Standing(
            name, self.reference.scores[name], alone, len(firsts) - alone,
            min(ranks, default=None), max(ranks, default=None),
        )  # fmt: skip

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """Every pair of systems that both have a score under the first choice."""
        turns = []
        for a, b in combinations([each.system for each in self.standings], 2):
            how = self.reference.ahead(a, b)
            if how is None:
                continue
            kept = tuple(c for c in self.choices if c.ahead(a, b) == how)
            turned = tuple(c for c in self.choices if how and c.ahead(a, b) == -how)
            parted = tuple(
                c for c in self.choices
                if (c.ahead(a, b) in (1, -1) if how == 0 else c.ahead(a, b) == 0)
            )  # fmt: skip
            turns.append(Turn(a, b, how == 0, kept, turned, parted))
        return tuple(turns)

    @property
    def answer(self) -> str:
        """Would another scorer rank the systems differently? In one sentence."""
        total, stays = len(self), len(self.stays)
        who = joined([plain(name) for name in self.winner])
        several = len(self.winner) > 1
        tied = " together" if several else ""
        they = "are" if several else "is"
        if total == 1:
            return f"There is only one choice, {self.reference}: {who} {they} first{tied}."
        if stays < total:
            others = [
                f"{plain(each.system)} under {each.times_first}"
                for each in self.standings
                if each.alone + each.tied and (several or each.system not in self.winner)
            ]
            times = stays if several else self.standings[0].times_first
            return (
                f"The winner changes: {who}, first{tied} by {self.reference}, {they} first{tied} "
                f"under {times} of {total} choices; {', '.join(others)}."
            )
        turned = [turn for turn in self.turns if turn.turned]
        stable = f"The winner stays: {who} {they} first{tied} under all {total} choices"
        if not turned:
            return f"{stable}."
        pairs = "1 pair of systems changes" if len(turned) == 1 else f"{len(turned)} pairs change"
        return f"{stable}; but {pairs} places."

    def to_dict(self) -> dict[str, Any]:
        """Everything, as in JSON (see docs/output.md)."""
        return {
            "carob": self.version,
            "answer": self.answer,
            **files_to_dict(self.gold, self.systems),
            "winner": list(self.winner),
            "stays": len(self.stays),
            "choices": json_data(self.choices),
            "standings": json_data(self.standings),
            "pairs": json_data(self.turns),
            "signatures": list(self.signatures),
            "remarks": list(self.remarks),
        }

    def rows(self) -> Rows:
        """A row for each choice and system."""
        return [
            {"recipe": each.recipe, "repair": each.repair, "system": name,
             "value": each.scores[name], "rank": rank}
            for each in self.choices for name, rank in each.ranks.items()
        ]  # fmt: skip


def joined(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> joined(["a"]), joined(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
