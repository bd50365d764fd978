"""What correcting all errors of a type would change, and which type to correct first."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from carob import progress
from carob.explain.analysis import CorrectableErrors
from carob.pair.pair import Pair

Scores = Mapping[str, float | None]
"""The score of each recipe, None where it is undefined."""


def gains(
    analysis: CorrectableErrors, now: Scores, scored: Callable[[Pair], Scores]
) -> dict[str, Scores]:
    """By how much each score would change if all errors of one type were corrected.

    A change keeps its sign: a score that falls has a negative gain, also if lower is better.
    """
    unchanged = {name: None if score is None else 0.0 for name, score in now.items()}
    gain: dict[str, Scores] = dict.fromkeys(analysis.types, unchanged)
    for kind in progress.steps(analysis.types, "gains"):
        if analysis.of_type(kind).any():
            then = scored(analysis.corrected([kind]))
            gain[kind] = {name: _difference(then[name], now[name]) for name in now}
    return gain


def _difference(then: float | None, now: float | None) -> float | None:
    return None if then is None or now is None else then - now


def attack_order(
    analysis: CorrectableErrors, scored: Callable[[Pair], float | None], *, lower_is_better: bool
) -> list[tuple[str, float]]:
    """Which kind of error to correct first, next and so on, and the score after each step.

    Each time it is the kind that leads to the best score then; of equal ones, the first.
    """
    left = [kind for kind in analysis.kinds[1:] if analysis.of_type(kind).any()]
    order: list[tuple[str, float]] = []
    for _ in progress.steps(tuple(left), "order of attack"):
        done = [kind for kind, _ in order]
        scores = {kind: scored(analysis.corrected([*done, kind])) for kind in left}
        defined = {kind: score for kind, score in scores.items() if score is not None}
        if not defined:
            break
        best = (min if lower_is_better else max)(defined, key=lambda kind: defined[kind])
        order.append((best, defined[best]))
        left.remove(best)
    return order
