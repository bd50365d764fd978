"""The Ladder: it shows gains that are no chance, and who tries again and again learns little."""

from __future__ import annotations

import math
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from carob.counts.tally import Tally
from carob.evaluate.score import average_statistic
from carob.infer.resampling import Sampler, Units
from carob.recipe import Recipe
from carob_challenge.ladder import Ladder, Rung, is_gain, standard_error
from carob_challenge.tallies import StoredTally

RECIPE = Recipe.parse("exact.F1")
SIMULATION = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "ladder.py"))


def stored(rows: list[tuple[int, int, int]]) -> StoredTally:
    """One document each: tp, fp and fn."""
    size = len(rows)
    tally = Tally(
        size, ("X",), ("tp", "fp", "fn"), RECIPE.space.quantities, np.arange(size),
        np.zeros(size, np.int64), np.array(rows, np.float64),
    )  # fmt: skip
    return StoredTally(tally, np.arange(size))


def f1(rows: list[tuple[int, int, int]]) -> float:
    tp, fp, fn = (sum(column) for column in zip(*rows, strict=True))
    return float(2 * tp / (2 * tp + fp + fn))


def left_out(value: Callable[[int], float], size: int) -> float:
    """The standard error of a value by leaving out one document at a time."""
    values = [value(i) for i in range(size)]
    mean = sum(values) / size
    return math.sqrt((size - 1) / size * sum((each - mean) ** 2 for each in values))


@pytest.mark.parametrize("seed", range(4))
def test_the_standard_error_is_the_larger_of_two_by_leaving_out_documents(seed: int) -> None:
    rng = np.random.default_rng(seed)
    best, new = (
        [(int(a), int(b), int(c)) for a, b, c in rng.integers(0, 5, (12, 3))] for _ in range(2)
    )
    if seed % 2:  # hardly any difference: then the error of the best score counts
        new = [new[0], *best[1:]]
    without = [lambda i, rows=rows: f1(rows[:i] + rows[i + 1 :]) for rows in (best, new)]
    difference = left_out(lambda i: without[1](i) - without[0](i), 12)
    own = left_out(without[0], 12)
    assert (difference > own) == (seed % 2 == 0)
    assert math.isclose(
        max(difference, own), standard_error(stored(best), stored(new), RECIPE), rel_tol=1e-9
    )


def test_without_a_standard_error_nothing_is_a_gain() -> None:
    assert math.inf == standard_error(stored([(1, 1, 1)]), stored([(3, 0, 0)]), RECIPE)


def rung(number: int, rows: list[tuple[int, int, int]], value: float | None = -1.0) -> Rung:
    return Rung(number, f1(rows) if value == -1.0 else value, stored(rows))


def test_a_gain_within_the_standard_error_is_not_shown() -> None:
    base = rung(1, [(5, 5, 5)] * 20)
    slightly = rung(2, [(6, 4, 4), *[(5, 5, 5)] * 19])
    clearly = rung(3, [(7, 3, 3)] * 20)
    assert not is_gain(base, slightly, RECIPE)
    assert is_gain(base, clearly, RECIPE)
    assert not is_gain(clearly, base, RECIPE)
    assert not is_gain(base, rung(4, [(5, 5, 5)] * 20), RECIPE), "the same is no gain"


def test_two_answers_that_hardly_differ_must_differ_by_more_than_the_best_score_can() -> None:
    rows = [(i % 7, 3, i % 5) for i in range(20)]
    better = [(tp + 1, fp, fn) if i < 2 else (tp, fp, fn) for i, (tp, fp, fn) in enumerate(rows)]
    both = [average_statistic(RECIPE, stored(each).tally, None) for each in (rows, better)]
    [paired] = Sampler(both, Units.of(20)).jackknife([(0, 1)])
    gain = f1(better) - f1(rows)
    assert float(paired.error[0]) < gain < standard_error(stored(rows), stored(better), RECIPE)
    assert not is_gain(rung(1, rows), rung(2, better), RECIPE)


def test_a_score_that_does_not_exist_is_no_gain() -> None:
    base, nothing = rung(1, [(5, 5, 5)] * 20), rung(2, [(0, 0, 5)] * 20, None)
    assert not is_gain(base, nothing, RECIPE)
    assert not is_gain(nothing, nothing, RECIPE)
    assert is_gain(nothing, base, RECIPE)
    assert nothing is Ladder().climb(nothing, RECIPE, 20).best, "the first is shown"


def test_a_lower_score_is_a_gain_if_lower_is_better() -> None:
    recipe = Recipe.parse("slots.SER")
    outcomes = tuple(recipe.space.outcomes)
    assert recipe.measure.lower_is_better
    tallies = []
    for errors in (4.0, 1.0):
        counts = np.ones((10, len(outcomes)))
        counts[:, list(outcomes).index("fn") if "fn" in outcomes else -1] = errors
        tally = Tally(10, ("X",), outcomes, recipe.space.quantities, np.arange(10),
                      np.zeros(10, np.int64), counts)  # fmt: skip
        tallies.append(StoredTally(tally, np.arange(10)))
    worse, better = Rung(1, 0.9, tallies[0]), Rung(2, 0.5, tallies[1])
    assert is_gain(worse, better, recipe)
    assert not is_gain(better, worse, recipe)


def test_no_more_than_so_many_scores_are_shown() -> None:
    ladder = Ladder()
    shown = []
    for right in range(1, 8):
        ladder = ladder.climb(rung(right, [(right, 10 - right, 10 - right)] * 20), RECIPE, 3)
        assert ladder.best is not None
        shown.append(ladder.best.submission)
    assert ([1, 2, 3, 3, 3, 3, 3], 3) == (shown, ladder.reveals)


@pytest.mark.slow
@pytest.mark.parametrize("attack", list(SIMULATION["attacks"]()), ids=str)
def test_the_ladder_slows_attackers_whom_other_feedback_lets_pass(attack: Any) -> None:
    assert sum(attack("ladder", seed) for seed in range(3)) / 3 < 0.55, "answering all gives .50"


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["headline", "rounded(2)"])
def test_the_attackers_are_real(rule: str) -> None:
    kinds = [SIMULATION["Attack"](kind, 14) for kind in ("climbs", "averages")]
    assert all(attack(rule, 0) > 0.57 for attack in kinds)
