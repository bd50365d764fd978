"""accuracy, kappa, mcc and specificity are what scikit-learn and their definitions say, have no
value where they are undefined, and stay so in averages.
"""

from __future__ import annotations

import itertools
import math
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from carob import Corpus, score
from carob.counts.quantities import Quantities
from carob.measure.accuracy import Accuracy
from carob.measure.kappa import Kappa
from carob.measure.mcc import Mcc
from carob.measure.specificity import Specificity

MEASURES: tuple[Any, ...] = (Accuracy(), Kappa(), Mcc(), Specificity())
Cells = tuple[int, int, int, int]
SMALL: list[Cells] = list(itertools.product(range(4), range(4), range(4), range(4)))


def _quantities(cells: list[Cells]) -> Quantities:
    tp, fp, fn, tn = np.array(cells, np.float64).T
    return Quantities.of(
        gold_right=tp, gold_all=tp + fn, system_right=tp, system_all=tp + fp, tn=tn
    )


def _defined(name: str, cells: Cells) -> float:
    """Straight from the definitions, in fractions."""
    tp, fp, fn, tn = cells
    n = sum(cells)
    if name == "specificity":
        return tn / (tn + fp) if tn + fp else math.nan
    if n == 0:
        return math.nan
    if name == "accuracy":
        return (tp + tn) / n
    gold, system = Fraction(tp + fn, n), Fraction(tp + fp, n)
    if name == "kappa":
        chance = gold * system + (1 - gold) * (1 - system)
        agreement = Fraction(tp + tn, n)
        return float((agreement - chance) / (1 - chance)) if chance != 1 else math.nan
    spread = gold * (1 - gold) * system * (1 - system)
    return float(Fraction(tp, n) - gold * system) / math.sqrt(spread) if spread else math.nan


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_every_small_table_has_the_defined_value(measure: Any) -> None:
    expected = [_defined(measure.name, cells) for cells in SMALL]
    assert any(map(math.isnan, expected))
    np.testing.assert_allclose(measure(_quantities(SMALL)), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_scikit_learn_agrees_where_there_is_a_value(measure: Any) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    judge = {
        "accuracy": metrics.accuracy_score,
        "kappa": metrics.cohen_kappa_score,
        "mcc": metrics.matthews_corrcoef,
        "specificity": lambda gold, system: metrics.recall_score(1 - gold, 1 - system),
    }[measure.name]
    ours = measure(_quantities(SMALL))
    compared = 0
    for cells, value in list(zip(SMALL, ours.tolist(), strict=True))[::3]:
        if math.isnan(value):
            continue
        tp, fp, fn, tn = cells
        gold = np.array([1] * tp + [0] * fp + [1] * fn + [0] * tn)
        system = np.array([1] * tp + [1] * fp + [0] * fn + [0] * tn)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert judge(gold, system) == pytest.approx(value, abs=1e-12)
        compared += 1
    assert compared > 50


def test_large_tables_lose_no_digits() -> None:
    cells: Cells = (400_000_000, 30_000_000, 20_000_000, 900_000_000_000)
    for measure in MEASURES:
        expected = _defined(measure.name, cells)
        assert expected == pytest.approx(measure(_quantities([cells])).item(), rel=1e-9)


def test_what_is_undefined_has_no_value_rather_than_0() -> None:
    everything, nothing = Corpus.of("[a b]X"), Corpus.of("a b")
    for recipe, gold, system in (
        ("ts.kappa", everything, everything), ("ts.kappa", nothing, nothing),
        ("ts.mcc", everything, nothing), ("ts.mcc", everything, everything),
        ("ts.specificity", everything, nothing),
    ):  # fmt: skip
        assert score(gold, system, recipe, labels=["X"]).value is None
    assert score(everything, nothing, "ts.kappa").value == 0
    assert score(everything, nothing, "ts.accuracy").value == 0
    assert score(nothing, nothing, "ts.accuracy", labels=["X"]).value == 1


def test_a_mean_leaves_out_labels_without_a_value_and_says_so() -> None:
    gold, system = Corpus.of("[[a b]X]Y c"), Corpus.of("[[a]X b c]Y")
    found = score(gold, system, ["ts.mcc@macro", "ts.mcc@label:X"])
    assert found["ts.mcc@macro"].value == found["ts.mcc@label:X"].value
    assert found["ts.mcc@macro"].left_out == 1
