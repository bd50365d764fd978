"""The Ladder: a score is shown only if it is better than the best one before by more than chance
explains. This slows whoever submits again and again to learn about gold.
"""

from __future__ import annotations

from dataclasses import dataclass

from carob.evaluate.options import Options
from carob.evaluate.score import average_statistic
from carob.infer.resampling import Sampler
from carob.recipe import Recipe
from carob_challenge.tallies import StoredTally

DIGITS = 2
"""Decimals of the scores that are shown."""


@dataclass(frozen=True, eq=False)
class Rung:
    """A submission, its score and its counts."""

    submission: int
    value: float | None
    tally: StoredTally


@dataclass(frozen=True, eq=False)
class Ladder:
    """What was shown to a team in a phase: the best submission, and how many there were."""

    best: Rung | None = None
    reveals: int = 0

    def climb(self, new: Rung, recipe: Recipe, most: int) -> Ladder:
        """The ladder after a new submission: with it, if it is shown, else as it is, and the score
        of the best one is shown again. At most this many are ever shown, the first included.

        After Blum & Hardt (2015), "The Ladder: A Reliable Leaderboard for Machine Learning
        Competitions", in the form without parameters, with documents as the units. The paired
        difference of two answers that differ in two documents has a tiny standard error; so the
        gain must also be larger than the standard error of the best score itself.
        """
        if self.best is None:
            return Ladder(new, 1)
        if self.reveals < most and is_gain(self.best, new, recipe):
            return Ladder(new, self.reveals + 1)
        return self


def is_gain(best: Rung, new: Rung, recipe: Recipe) -> bool:
    """Whether a score is better than another by more than chance explains."""
    if best.value is None or new.value is None:
        return new.value is not None
    gain = best.value - new.value if recipe.measure.lower_is_better else new.value - best.value
    # A tenth of a millionth is rounding, not a gain; most gains are none and need no jackknife.
    return gain > 1e-7 and gain > standard_error(best.tally, new.tally, recipe)


def standard_error(best: StoredTally, new: StoredTally, recipe: Recipe) -> float:
    """What a gain must exceed: the standard error of the paired difference or of the best score,
    whichever is larger, leaving out one document at a time. Without one, nothing is a gain.
    """
    options = Options()
    statistics = [average_statistic(recipe, each.tally, options.zero) for each in (best, new)]
    sampler = Sampler(statistics, best.plan(options).units)
    return max(
        float(moments.error[0]) if moments.count[0] > 1 else float("inf")
        for moments in sampler.jackknife([(0, 1), (0,)])
    )
