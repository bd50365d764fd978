"""Every average equals its definition, computed in plain Python over documents and labels; a
resample equals the documents written out as often as they were drawn.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from carob import RecipeError, Tally
from carob.arrays.types import FloatArray
from carob.average.label import Label
from carob.average.macro import Macro, Weighted
from carob.average.macro_doc import MacroDoc, MacroDocPr, MacroDocPresent
from carob.average.micro import Micro
from carob.counts.count import Count
from carob.measure.f import F
from carob.measure.precision import Precision
from carob.measure.recall import Recall
from carob.plugin import Averaged
from tests.worlds import times

LABELS = ("A", "B", "C")
OUTCOMES = ("found", "half", "right", "fp", "fn")
QUANTITIES: dict[str, dict[str, float]] = {
    "gold_right": {"found": 1, "half": 0.5},
    "gold_all": {"found": 1, "half": 1, "fn": 1},
    "system_right": {"right": 1, "half": 0.5},
    "system_all": {"right": 1, "half": 1, "fp": 1},
}

Cell = dict[str, float]
World = list[dict[str, Cell]]
"""For each document and label, the outcomes."""

Q = dict[str, float]
Slow = Callable[[Q], float | None]


def quantities(cells: list[Cell]) -> Q:
    sums = {outcome: sum(cell[outcome] for cell in cells) for outcome in OUTCOMES}
    return sums | {
        name: sum(factor * sums[outcome] for outcome, factor in parts.items())
        for name, parts in QUANTITIES.items()
    }


def slow_p(q: Q) -> float | None:
    return q["system_right"] / q["system_all"] if q["system_all"] else None


def slow_r(q: Q) -> float | None:
    return q["gold_right"] / q["gold_all"] if q["gold_all"] else None


def harmonic(p: float, r: float, beta: float) -> float:
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p and r else 0.0


def slow_f(beta: float) -> Slow:
    def f(q: Q) -> float | None:
        p, r = slow_p(q), slow_r(q)
        if p is None and r is None:
            return None
        return harmonic(p or 0.0, r or 0.0, beta)

    return f


def ruled(measure: Slow, q: Q, zero: float | None) -> float | None:
    """The zero rule of SPEC section 2."""
    value = measure(q)
    if value is not None:
        return value
    return 0.0 if q["gold_all"] + q["system_all"] > 0 else zero


def mean(terms: list[tuple[float | None, float]]) -> tuple[float | None, int]:
    there = [(value, weight) for value, weight in terms if value is not None]
    total = sum(weight for _, weight in there)
    value = sum(value * weight for value, weight in there) / total if total else None
    return value, len(terms) - len(there)


def slow_micro(world: World, measure: Slow, zero: float | None) -> tuple[float | None, int]:
    return ruled(measure, quantities([c for doc in world for c in doc.values()]), zero), 0


def of_label(world: World, label: str) -> Q:
    return quantities([doc[label] for doc in world])


def slow_macro(world: World, measure: Slow, zero: float | None) -> tuple[float | None, int]:
    return mean([(ruled(measure, of_label(world, label), zero), 1.0) for label in LABELS])


def slow_weighted(world: World, measure: Slow, zero: float | None) -> tuple[float | None, int]:
    rows = [of_label(world, label) for label in LABELS]
    return mean([(ruled(measure, q, zero), q["gold_all"]) for q in rows])


def slow_macro_doc(world: World, measure: Slow, zero: float | None) -> tuple[float | None, int]:
    return mean([(ruled(measure, quantities(list(doc.values())), zero), 1.0) for doc in world])


def slow_present(world: World, measure: Slow) -> tuple[list[float], int]:
    """The values of the documents that have what is measured, and how many have not."""
    values = []
    for doc in world:
        q = quantities(list(doc.values()))
        p, r = slow_p(q), slow_r(q)
        one_sided = {slow_p: p, slow_r: r}
        if measure in one_sided:
            wanted = one_sided[measure] is not None
        else:
            wanted = measure(q) is not None and (
                measure in COUNTS or (p is not None and r is not None)
            )
        if wanted:
            values.append(measure(q) or 0.0)
    return values, len(world) - len(values)


def slow_present_mean(world: World, measure: Slow, zero: float | None) -> tuple[float | None, int]:
    values, left_out = slow_present(world, measure)
    return (statistics.fmean(values) if values else None), left_out


def slow_present_sd(world: World, measure: Slow, zero: float | None) -> tuple[float | None, int]:
    values, left_out = slow_present(world, measure)
    return (statistics.pstdev(values) if values else None), left_out


def slow_label(world: World, measure: Slow, zero: float | None) -> tuple[float | None, int]:
    return ruled(measure, of_label(world, "B"), zero), 0


AVERAGES: list[tuple[Any, Any]] = [
    (Micro(), slow_micro),
    (Macro(), slow_macro),
    (Weighted(), slow_weighted),
    (MacroDoc(), slow_macro_doc),
    (MacroDocPresent(), slow_present_mean),
    (MacroDocPresent("sd"), slow_present_sd),
    (Label("B"), slow_label),
]
COUNTS: list[Slow] = [lambda q: q["fp"], lambda q: q["gold_right"]]
MEASURES: list[tuple[Any, Slow]] = [
    (Precision(), slow_p),
    (Recall(), slow_r),
    (F(), slow_f(1)),
    (F(beta=2), slow_f(2)),
    (F(alpha=0.8), slow_f(0.5)),
    (Count("fp"), COUNTS[0]),
    (Count("gold_right"), COUNTS[1]),
]


def random_world(rng: np.random.Generator) -> World:
    """Few documents, many empty cells: nothing to divide by happens often."""
    found = []
    for _ in range(int(rng.integers(1, 5))):
        full = rng.random()
        found.append(
            {
                label: {
                    outcome: float(rng.integers(0, 4)) if rng.random() < full * 0.7 else 0.0
                    for outcome in OUTCOMES
                }
                for label in LABELS
            }
        )
    return found


def tally_of(world: World, rng: np.random.Generator) -> Tally:
    """Sparse and in any order, as a tally may be."""
    cells = [
        (u, i) for u, doc in enumerate(world) for i, a in enumerate(LABELS) if any(doc[a].values())
    ]
    rng.shuffle(cells)
    rows = np.array(cells, np.int64).reshape(-1, 2)
    numbers = [[world[u][LABELS[i]][o] for o in OUTCOMES] for u, i in cells]
    counts = np.array(numbers, np.float64).reshape(-1, len(OUTCOMES))
    return Tally(len(world), LABELS, OUTCOMES, QUANTITIES, rows[:, 0], rows[:, 1], counts)


def of(average: Any, measure: Any, tally: Tally, zero: float | None = None) -> Averaged:
    table = average.table(measure, tally, zero)
    averaged: Averaged = average.value(measure, table, table.sums, zero)
    return averaged


def resampled(
    average: Any, measure: Any, tally: Tally, weights: FloatArray, zero: float | None = None
) -> FloatArray:
    table = average.table(measure, tally, zero)
    sums = weights @ table.rows(np.arange(tally.units))
    value: FloatArray = average.value(measure, table, sums, zero).value
    return value


def assert_same(expected: float | None, actual: Any) -> None:
    assert np.ndim(actual) == 0
    if expected is None:
        assert math.isnan(actual)
    else:
        assert math.isclose(expected, actual, abs_tol=1e-12), (expected, actual)


def repeated(world: World, weights: Any) -> World:
    return [doc for doc, times in zip(world, weights, strict=True) for _ in range(int(times))]


@pytest.mark.parametrize("zero", [None, 0.0, 1.0])
@pytest.mark.parametrize(("average", "slow"), AVERAGES, ids=lambda a: getattr(a, "name", ""))
def test_an_average_is_what_its_definition_says(
    average: Any, slow: Any, zero: float | None
) -> None:
    rng = np.random.default_rng(1)
    for _ in range(times(0.5)):
        world = random_world(rng)
        tally = tally_of(world, rng)
        weights = rng.multinomial(len(world), [1 / len(world)] * len(world), 3).astype(float)
        for measure, slowly in MEASURES:
            value, left_out = slow(world, slowly, zero)
            found = of(average, measure, tally, zero)
            assert_same(value, found.value)
            assert left_out == found.left_out
            drawn = resampled(average, measure, tally, weights, zero)
            assert (3,) == drawn.shape
            for row, number in zip(weights, drawn, strict=True):
                assert_same(slow(repeated(world, row), slowly, zero)[0], number)


def slow_means(world: World) -> tuple[list[float], list[float]]:
    rows = [quantities(list(doc.values())) for doc in world]
    rows = [q for q in rows if q["gold_all"] > 0]
    return [slow_p(q) or 0.0 for q in rows], [slow_r(q) or 0.0 for q in rows]


@pytest.mark.parametrize(
    ("measure", "of_means"),
    [
        (Precision(), lambda p, r: p),
        (Recall(), lambda p, r: r),
        (F(), lambda p, r: harmonic(p, r, 1)),
        (F(beta=2), lambda p, r: harmonic(p, r, 2)),
    ],
)
def test_macro_doc_pr_is_made_of_means_over_documents_with_gold(
    measure: Any, of_means: Any
) -> None:
    rng = np.random.default_rng(2)
    for _ in range(times(2.5)):
        world = random_world(rng)
        tally = tally_of(world, rng)
        weights = rng.multinomial(len(world), [1 / len(world)] * len(world), 2).astype(float)
        drawn = resampled(MacroDocPr(), measure, tally, weights)
        found = of(MacroDocPr(), measure, tally)
        numbers = [(world, found.value)]
        numbers += [(repeated(world, row), x) for row, x in zip(weights, drawn, strict=True)]
        for each, actual in numbers:
            p, r = slow_means(each)
            expected = of_means(sum(p) / len(p), sum(r) / len(p)) if p else None
            assert_same(expected, actual)
        assert len(world) - len(slow_means(world)[0]) == found.left_out


def test_weighted_recall_is_micro_recall() -> None:
    rng = np.random.default_rng(3)
    for _ in range(100):
        tally = tally_of(random_world(rng), rng)
        micro, weighted = (of(a, Recall(), tally).value for a in (Micro(), Weighted()))
        if tally.total()["gold_all"]:
            assert math.isclose(micro, weighted, abs_tol=1e-12)


def test_a_measure_for_which_zero_is_praise_stays_without_a_value() -> None:
    class Rate(Recall):
        has_no_zero = True

    rng = np.random.default_rng(4)
    world: World = [{label: dict.fromkeys(OUTCOMES, 0.0) for label in LABELS}]
    world[0]["A"]["fp"] = 2.0
    tally = tally_of(world, rng)
    assert_same(None, of(Micro(), Rate(), tally).value)
    assert_same(0.0, of(Micro(), Recall(), tally).value)
    assert_same(None, of(Macro(), Rate(), tally).value)
    assert 3 == of(Macro(), Rate(), tally).left_out


def test_an_unknown_label_is_refused_with_the_nearest() -> None:
    rng = np.random.default_rng(5)
    tally = tally_of(random_world(rng), rng)
    with pytest.raises(RecipeError) as caught:
        of(Label("a"), Recall(), tally)
    assert "no label is called 'a'; did you mean A? there are: A, B, C" == str(caught.value)


def test_a_statistic_that_is_none_is_refused() -> None:
    with pytest.raises(RecipeError) as refused:
        MacroDocPresent("std")  # type: ignore[arg-type]
    assert (
        str(refused.value)
        == "macro-doc-present has no statistic 'std'; did you mean sd? there are: mean, sd"
    )


def test_equal_documents_have_no_deviation() -> None:
    cell = {"found": 1.0, "half": 0.0, "right": 1.0, "fp": 2.0, "fn": 6.0}
    none = dict.fromkeys(OUTCOMES, 0.0)
    world: World = [{"A": cell, "B": none, "C": none} for _ in range(7)]
    tally = tally_of(world, np.random.default_rng(5))
    assert of(MacroDocPresent("sd"), F(), tally).value == 0
