"""Ranks of runs from their tallies, as `carob compare` finds them: intervals, tests of every pair,
Holm's correction, rank ranges and clusters; and which runs are nearly the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from carob.evaluate.compare import compare_tallies
from carob.evaluate.options import Options
from carob.infer.ranking import levels
from carob.recipe import Recipe
from carob_challenge.scoring import Done, likeness
from carob_challenge.tallies import StoredTally

ALIKE = 0.9
"""Runs of two teams that have this share of their answers in common are shown to organisers."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A run to be ranked: its number, its official score, its tally and sketch as stored."""

    id: int
    value: float | None
    tally: bytes
    sketch: bytes


def ranked(entries: list[tuple[Any, ...]], recipe: str) -> Done:
    """What `rank` finds, for a child process: many tests take a while."""
    return rank([Entry(*each) for each in entries], Recipe.parse(recipe)), ()


def rank(entries: Sequence[Entry], recipe: Recipe) -> dict[str, Any]:
    """`ranks` by run, `pairs` with their tests, and `near`, the runs that are nearly the same; as
    JSON has it. A run without a score has no rank.
    """
    sign = 1.0 if recipe.measure.lower_is_better else -1.0
    there = [each for each in entries if each.value is not None]
    level = levels([sign * (each.value or 0.0) for each in there]).tolist()
    ranks: dict[int, dict[str, Any]] = {
        each.id: {"rank": 1 + sum(other < own for other in level), "rank_low": 1, "rank_high": 1,
                  "cluster": 1}
        for each, own in zip(there, level, strict=True)
    }  # fmt: skip
    pairs = []
    if len(there) > 1:
        tallies = {str(each.id): StoredTally.of_bytes(each.tally) for each in there}
        plan = next(iter(tallies.values())).plan(Options())
        differences, places = compare_tallies(
            {name: each.tally for name, each in tallies.items()}, recipe, plan
        )
        for place in places:
            ranks[int(place.system)] |= {
                "rank_low": place.rank_low, "rank_high": place.rank_high, "cluster": place.cluster,
            }  # fmt: skip
        pairs = [
            {"a": int(each.a), "b": int(each.b), "difference": each.difference, "low": each.low,
             "high": each.high, "p": each.p, "p_holm": each.p_holm,
             "significant": each.significant}
            for each in differences
        ]  # fmt: skip
    none = dict.fromkeys(("rank", "rank_low", "rank_high", "cluster"))
    return {
        "ranks": {str(each.id): ranks.get(each.id, none) for each in entries}, "pairs": pairs,
        "near": _near(entries),
    }  # fmt: skip


def _near(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    near = []
    for one, other in combinations(entries, 2):
        share = likeness(one.sketch, other.sketch)
        if share is not None and share >= ALIKE:
            near.append({"a": one.id, "b": other.id, "share": share})
    return near
