"""The Ladder: a score is shown only if it is better than the best one before by more than chance
explains. So somebody who submits again and again learns hardly anything about gold.
"""

from __future__ import annotations

from dataclasses import dataclass

from carob.evaluate.options import Options
from carob.evaluate.score import average_statistic
from carob.infer.resampling import Sampler
from carob.recipe import Recipe
from carob_challenge.tallies import StoredTally


@dataclass(frozen=True, eq=False)
class Rung:
    """A submission, its score and its counts."""

    submission: int
    value: float | None
    tally: StoredTally


def climb(best: Rung | None, new: Rung, recipe: Recipe) -> Rung:
    """The best revealed submission after a new one: the new one if it is better by more than the
    standard error of the difference, else the one before, whose score is shown again.

    Blum & Hardt (2015), "The Ladder: A Reliable Leaderboard for Machine Learning Competitions",
    in the form without parameters, with documents as the units: the standard error is that of the
    paired difference, leaving out one document at a time.
    """
    if best is None or best.value is None or new.value is None:
        return new if best is None or (best.value is None and new.value is not None) else best
    gain = new.value - best.value
    if recipe.measure.lower_is_better:
        gain = -gain
    # A tenth of a millionth is rounding, not a gain.
    return new if gain > max(standard_error(new.tally, best.tally, recipe), 1e-7) else best


def standard_error(first: StoredTally, second: StoredTally, recipe: Recipe) -> float:
    """The standard error of the difference of two runs on the same documents, by the jackknife."""
    options = Options()
    statistics = [average_statistic(recipe, each.tally, options.zero) for each in (first, second)]
    sampler = Sampler(statistics, first.plan(options).units)
    [moments] = sampler.jackknife([(0, 1)])
    error = float(moments.error[0])
    return error if error == error else float("inf")  # without one, nothing is a gain
