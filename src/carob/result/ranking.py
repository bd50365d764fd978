"""Ranking: all submissions of a shared task, the best first, and those that are set aside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from carob.corpus.problems import many, plain
from carob.result.comparison import Comparison, Rank, ordered
from carob.result.result import Result, Rows, json_data, with_checksum
from carob.result.scores import File, Scores, SetAside


@dataclass(frozen=True, repr=False)
class Ranking(Result):
    """Submissions, ranked. Prints itself as one table.

    `comparison` holds the tests from which rank ranges and clusters follow; `scores` are those of
    further recipes, None if there are none.

    >>> from carob import Corpus, rank
    >>> gold = Corpus.of(*["[Ann]PER slept"] * 5)
    >>> ranking = rank(gold, {"a": gold, "b": Corpus.of("Ann slept")})
    >>> [each.system for each in ranking], [each.name for each in ranking.set_aside]
    (['a'], ['b'])
    """

    comparison: Comparison
    set_aside: tuple[SetAside, ...] = ()
    scores: Scores | None = None

    @property
    def ranked(self) -> list[Rank]:
        """The submissions in their order."""
        return ordered(self.comparison.ranks, self.comparison.sort)

    @property
    def recipes(self) -> list[str]:
        """The recipe that ranks, and further ones."""
        first = self.comparison.ranks[0].recipe
        return [first, *(self.scores.recipes if self.scores else ())]

    @property
    def signatures(self) -> tuple[str, ...]:
        """Of the comparison, and of the further scores."""
        lines = (self.comparison.signature,)
        return lines if self.scores is None else (*lines, self.scores.signature)

    @property
    def gold(self) -> File:
        """The file of gold."""
        return self.comparison.gold

    @property
    def systems(self) -> tuple[File, ...]:
        """The files of the submissions that are ranked."""
        return self.comparison.systems

    @property
    def summary(self) -> str:
        """How many submissions there are, in a sentence."""
        ranked, aside = len(self), len(self.set_aside)
        text = f"{many(ranked + aside, 'submission')}, ranked by {plain(self.recipes[0])}"
        return text if not aside else f"{text}; {aside:,} set aside"

    def __iter__(self) -> Iterator[Rank]:
        return iter(self.ranked)

    def __len__(self) -> int:
        return len(self.comparison.ranks)

    def to_dict(self) -> dict[str, Any]:
        """Everything, as in JSON (see docs/output.md)."""
        content = self.comparison.to_dict()
        if self.scores is not None:
            content["scores"] = self.scores.to_dict()["systems"]
        return with_checksum(content | {"set_aside": json_data(self.set_aside)})

    def rows(self) -> Rows:
        """A row for each submission; those that are set aside come last, with their problem."""
        scores = self.scores
        more = [] if scores is None else list(dict.fromkeys(scores.recipes))
        rows: Rows = []
        for each in self:
            rows.append({
                "system": each.system, "recipe": each.recipe, "value": each.value,
                "low": each.low, "high": each.high, "rank_low": each.rank_low,
                "rank_high": each.rank_high, "cluster": each.cluster,
                **{recipe: scores[each.system, recipe].value for recipe in more if scores},
                "problem": None,
            })  # fmt: skip
        for aside in self.set_aside:
            rows.append(dict.fromkeys(rows[0]) | {"system": aside.name, "problem": str(aside)})
        return rows
