"""An assertion for tests of a system; pytest itself is not needed."""

from __future__ import annotations

from typing import Any

from carob.corpus.problems import UsageError
from carob.evaluate.read import Scorable
from carob.evaluate.score import score
from carob.result.scores import Score


def assert_score(
    gold: Scorable,
    system: Scorable,
    recipe: str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    surely: bool = False,
    **options: Any,
) -> Score:
    """Assert that a score is at least, or at most, a number; with `surely`, that all of its
    interval is. The other keyword arguments are those of `carob.score`.

    >>> gold, system = [["B-PER", "O"], ["B-LOC"]], [["B-PER", "O"], ["O"]]
    >>> assert_score(gold, system, "exact.P", at_least=0.9).value
    1.0
    >>> assert_score(gold, system, "exact.R", at_least=0.9)
    Traceback (most recent call last):
    AssertionError: exact.R is 0.5000, expected at least 0.9
    """
    if at_least is None and at_most is None:
        raise UsageError("give at_least or at_most")
    if surely and options.get("resamples") == 0:
        raise UsageError("surely needs an interval: resamples must not be 0")
    scores = score(gold, system, recipe, **({} if surely else {"resamples": 0}) | options)
    if len(scores) != 1:
        raise UsageError(f"{recipe} is {len(scores)} scores, expected one system and one recipe")
    found = scores.scores[0]
    low, high = (found.low, found.high) if surely else (found.value, found.value)
    if surely and found.value is not None and (low is None or high is None):
        raise UsageError(
            "surely needs an interval, and there is none: " + "; ".join(scores.remarks)
        )
    limits = [f"at least {at_least}"] if at_least is not None else []
    limits += [f"at most {at_most}"] if at_most is not None else []
    expected = f"expected {'surely ' if surely else ''}{' and '.join(limits)}"
    if low is None or high is None:
        raise AssertionError(f"{recipe} is undefined, {expected}")

    def fits(low: float, high: float) -> bool:
        # Nothing is at least, or at most, NaN.
        return (at_least is None or low >= at_least) and (at_most is None or high <= at_most)

    if not fits(low, high):
        # As many digits as it takes to see it: 2/3 would be 0.6667.
        digits = next((n for n in range(4, 17) if not fits(round(low, n), round(high, n))), 17)
        interval = f" [{low:.{digits}f}, {high:.{digits}f}]" if surely else ""
        raise AssertionError(f"{recipe} is {found.value:.{digits}f}{interval}, {expected}")
    return found
