"""What putting errors of each type right would gain, and which to attack first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from carob.counts.tally import Tally
from carob.counts.undisputed import tally_of
from carob.pair.pair import Pair
from carob.recipe import Recipe

Corrected = Callable[[Sequence[str]], Pair]
"""The pair as it would be without the errors of some types."""


def scores_of(pair: Pair, recipes: Sequence[Recipe]) -> dict[str, float | None]:
    """The score of each recipe, None where there is none."""
    tallies: dict[Any, Tally] = {}
    found: dict[str, float | None] = {}
    for recipe in recipes:
        if recipe.space not in tallies:
            tallies[recipe.space] = tally_of(recipe.space, pair)
        value = float(recipe.average(recipe.measure, tallies[recipe.space]).value)
        found[str(recipe)] = None if np.isnan(value) else value
    return found


def gains(
    corrected: Corrected, kinds: Sequence[str], there: Sequence[str], recipes: Sequence[Recipe],
    now: Mapping[str, float | None],
) -> dict[str, dict[str, float | None]]:  # fmt: skip
    """By how much each score would change if all errors of one type were put right."""
    found: dict[str, dict[str, float | None]] = {}
    for kind in kinds:
        if kind not in there:
            found[kind] = {name: None if value is None else 0.0 for name, value in now.items()}
            continue
        better = scores_of(corrected([kind]), recipes)
        found[kind] = {
            name: None if before is None or after is None else after - before
            for (name, before), after in zip(now.items(), better.values(), strict=True)
        }
    return found


def order(corrected: Corrected, there: Sequence[str], recipe: Recipe) -> list[tuple[str, float]]:
    """Which type to put right first, next and so on, each time the one that gains most then."""
    left = list(there)
    lower = recipe.measure.name in ("SER", "ERR", "E", "UND", "OVG", "SUB", "ungrounded-share")
    done: list[str] = []
    found: list[tuple[str, float]] = []
    while left:
        best: tuple[float, str] | None = None
        for kind in left:
            value = scores_of(corrected([*done, kind]), [recipe])[str(recipe)]
            if value is not None:
                signed = -value if lower else value
                if best is None or signed > best[0]:
                    best = (signed, kind)
        if best is None:
            break
        found.append((best[1], -best[0] if lower else best[0]))
        done.append(best[1])
        left.remove(best[1])
    return found
