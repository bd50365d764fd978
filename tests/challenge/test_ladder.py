"""The Ladder: it shows gains that are no chance, and who tries again and again learns nothing."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import numpy as np
import pytest

from carob.counts.tally import Tally
from carob.recipe import Recipe
from carob_challenge.ladder import Rung, climb, standard_error
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


def test_the_standard_error_is_that_of_leaving_out_documents() -> None:
    rng = np.random.default_rng(0)
    first, second = (
        [(int(a), int(b), int(c)) for a, b, c in rng.integers(0, 5, (12, 3))] for _ in range(2)
    )
    left_out = [
        f1(first[:i] + first[i + 1 :]) - f1(second[:i] + second[i + 1 :]) for i in range(12)
    ]
    mean = sum(left_out) / 12
    expected = math.sqrt(11 / 12 * sum((each - mean) ** 2 for each in left_out))
    whole = f1(first) - f1(second)
    around_point = math.sqrt(11 / 12 * sum((each - whole) ** 2 for each in left_out))
    found = standard_error(stored(first), stored(second), RECIPE)
    assert math.isclose(found, expected, rel_tol=1e-9) or math.isclose(found, around_point)


def rung(number: int, rows: list[tuple[int, int, int]], value: float | None = -1.0) -> Rung:
    return Rung(number, f1(rows) if value == -1.0 else value, stored(rows))


def test_a_gain_within_the_standard_error_is_not_shown() -> None:
    base = rung(1, [(5, 5, 5)] * 20)
    slightly = rung(2, [(6, 4, 4), *[(5, 5, 5)] * 19])
    clearly = rung(3, [(7, 3, 3)] * 20)
    assert [1, 3, 3] == [
        climb(base, slightly, RECIPE).submission, climb(base, clearly, RECIPE).submission,
        climb(clearly, base, RECIPE).submission,
    ]  # fmt: skip
    assert 1 == climb(None, base, RECIPE).submission
    assert 1 == climb(base, rung(4, [(5, 5, 5)] * 20), RECIPE).submission, "the same is no gain"


def test_a_score_that_does_not_exist_is_no_gain() -> None:
    base, nothing = rung(1, [(5, 5, 5)] * 20), rung(2, [(0, 0, 5)] * 20, None)
    assert 1 == climb(base, nothing, RECIPE).submission
    assert 2 == climb(None, nothing, RECIPE).submission
    assert 1 == climb(nothing, base, RECIPE).submission


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
    assert (2, 2) == (
        climb(worse, better, recipe).submission,
        climb(better, worse, recipe).submission,
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_the_ladder_holds_an_attacker_whom_other_feedback_lets_pass(seed: int) -> None:
    attack = SIMULATION["attack"]
    assert attack("full", seed) > 0.70
    assert attack("rounded(2)", seed) > 0.70
    assert attack("ladder", seed) < 0.55
