"""Every average under resampling weights must be what scoring the resampled documents one by one
gives, and the score itself what it was without statistics.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from carob import Corpus, Document, Mention, Pair, Recipe, Tally
from carob.arrays.types import FloatArray
from carob.counts import tally as tally_module
from carob.evaluate.score import average_statistic, label_statistic
from carob.infer.resampling import Sampler, Units, resamples

LABELS = ("A", "B", "C")
Counts = dict[str, tuple[int, int, int]]
"""Of one document: label -> (right, gold, system)."""


def corpora(size: int, rng: np.random.Generator) -> tuple[Corpus, Corpus]:
    sides = []
    for _ in range(2):
        documents = []
        for i in range(size):
            count = int(rng.integers(0, 4)) if rng.random() < 0.8 else 0
            mentions = [
                Mention(LABELS[int(rng.choice(3, p=[0.6, 0.3, 0.1]))], s, s + 1)
                for s in rng.integers(0, 3, count).tolist()
            ]
            documents.append(Document(f"d{i:03}", tokens=tuple("abc"), mentions=tuple(mentions)))
        sides.append(Corpus.of(*documents))
    return sides[0], sides[1]


def counted(gold: Corpus, system: Corpus) -> list[Counts]:
    found = []
    for ours, theirs in zip(gold, system, strict=True):
        own: Counts = {}
        for label in LABELS:
            a, b = (
                Counter((m.start, m.end) for m in side.mentions if m.label == label)
                for side in (ours, theirs)
            )
            own[label] = (sum((a & b).values()), sum(a.values()), sum(b.values()))
        found.append(own)
    return found


def f1(right: float, gold: float, system: float) -> float:
    return 2 * right / (gold + system) if gold + system else math.nan


def added(counts: list[Counts], labels: tuple[str, ...]) -> tuple[int, int, int]:
    picked = [each[label] for each in counts for label in labels]
    return (sum(x[0] for x in picked), sum(x[1] for x in picked), sum(x[2] for x in picked))


def mean(values: list[float], weights: list[float] | None = None) -> float:
    pairs = [
        (v, w) for v, w in zip(values, weights or [1.0] * len(values), strict=True)
        if not math.isnan(v)
    ]  # fmt: skip
    total = sum(w for _, w in pairs)
    return sum(v * w for v, w in pairs) / total if total else math.nan


def by_hand(average: str, counts: list[Counts]) -> float:
    """F1 of a list of documents, in which a document may stand several times."""
    every = {label: added(counts, (label,)) for label in LABELS}
    if average == "micro":
        return f1(*added(counts, LABELS))
    if average == "macro":
        return mean([f1(*x) for x in every.values()])
    if average == "weighted":
        return mean([f1(*x) for x in every.values()], [float(x[1]) for x in every.values()])
    if average == "label:B":
        return f1(*every["B"])
    each = [added([one], LABELS) for one in counts]
    if average == "macro-doc":
        return mean([f1(*x) for x in each])
    if average == "macro-doc-present":
        return mean([f1(*x) for x in each if x[1] and x[2]])
    with_gold = [x for x in each if x[1]]
    if not with_gold:
        return math.nan
    p = mean([right / system if system else 0.0 for right, _, system in with_gold])
    r = mean([right / gold for right, gold, _ in with_gold])
    return 2 * p * r / (p + r) if p + r else 0.0


AVERAGES = ["micro", "macro", "weighted", "label:B", "macro-doc", "macro-doc-pr",
            "macro-doc-present"]  # fmt: skip


def weights_of(units: Units, count: int, seed: int) -> FloatArray:
    parts = list(resamples(units, count, np.random.default_rng(seed)))
    return np.concatenate(parts).astype(np.float64)


@pytest.mark.parametrize("average", AVERAGES)
def test_draws_are_the_scores_of_the_documents_drawn(average: str) -> None:
    rng = np.random.default_rng(AVERAGES.index(average))
    recipe = Recipe.parse(f"exact.F1@{average}")
    for seed in range(20):
        gold, system = corpora(int(rng.integers(2, 9)), rng)
        pair = Pair.of(gold, system, LABELS)
        tally, counts = Tally.of(recipe.space, pair), counted(gold, system)
        units = Units.of(len(gold))
        sampler = Sampler([average_statistic(recipe, tally, None)], units)
        assert sampler.statistics[0].point == pytest.approx([by_hand(average, counts)], nan_ok=True)
        drawn = sampler.bootstrap(25, np.random.default_rng(seed))[0][:, 0]
        weights = weights_of(units, 25, seed)
        expected = [
            by_hand(average, [c for c, w in zip(counts, line, strict=True) for _ in range(int(w))])
            for line in weights.tolist()
        ]
        assert drawn == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("average", AVERAGES)
def test_leave_one_out_is_the_score_of_the_others(average: str) -> None:
    rng = np.random.default_rng(50 + AVERAGES.index(average))
    recipe = Recipe.parse(f"exact.F1@{average}")
    for _ in range(20):
        gold, system = corpora(int(rng.integers(3, 9)), rng)
        tally = Tally.of(recipe.space, Pair.of(gold, system, LABELS))
        counts, size = counted(gold, system), len(gold)
        left = [by_hand(average, counts[:i] + counts[i + 1 :]) for i in range(size)]
        there = np.array([x for x in left if not math.isnan(x)])
        sampler = Sampler([average_statistic(recipe, tally, None)], Units.of(size))
        if not len(there) or np.isnan(sampler.statistics[0].point[0]):
            continue
        moments = sampler.jackknife()[0]
        m = len(there)
        error = math.sqrt((m - 1) / m * float(((there - there.mean()) ** 2).sum()))
        assert len(there) == moments.count[0]
        assert moments.error[0] == pytest.approx(error, abs=1e-9)


def test_labels_are_drawn_together() -> None:
    rng = np.random.default_rng(7)
    gold, system = corpora(8, rng)
    recipe = Recipe.parse("exact.F1")
    tally, counts = Tally.of(recipe.space, Pair.of(gold, system, LABELS)), counted(gold, system)
    sampler = Sampler([label_statistic(recipe.measure, tally, None)], Units.of(8))
    drawn = sampler.bootstrap(30, np.random.default_rng(0))[0]
    for line, values in zip(weights_of(Units.of(8), 30, 0).tolist(), drawn, strict=True):
        taken = [c for c, w in zip(counts, line, strict=True) for _ in range(int(w))]
        expected = [f1(*added(taken, (label,))) for label in LABELS]
        assert values == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("dense", [1 << 22, 0])
def test_a_sparse_table_is_resampled_as_a_dense_one(
    dense: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tally_module, "DENSE", dense)
    monkeypatch.setattr(tally_module, "GROUP", 2)
    gold, system = corpora(30, np.random.default_rng(3))
    recipe = Recipe.parse("exact.F1@macro")
    tally, counts = Tally.of(recipe.space, Pair.of(gold, system, LABELS)), counted(gold, system)
    statistics = [average_statistic(recipe, tally, None),
                  label_statistic(recipe.measure, tally, None)]  # fmt: skip
    assert (2 if dense == 0 else 1) == len(statistics[1].table.parts)
    macro, labels = Sampler(statistics, Units.of(30)).bootstrap(40, np.random.default_rng(4))
    for line, one, several in zip(
        weights_of(Units.of(30), 40, 4).tolist(), macro[:, 0], labels, strict=True
    ):
        taken = [c for c, w in zip(counts, line, strict=True) for _ in range(int(w))]
        assert one == pytest.approx(by_hand("macro", taken))
        expected = [f1(*added(taken, (label,))) for label in LABELS]
        assert several == pytest.approx(expected, nan_ok=True)


def test_the_size_of_the_event_space_is_summed_too() -> None:
    """A space without a row for what is not marked: total = its size, tn = size - tp."""
    factors = {"gold_all": {"tp": 1.0}, "total": {"total": 1.0}, "tn": {"total": 1.0, "tp": -1.0}}
    tally = Tally(
        3, ("A", "B"), ("tp",), factors, np.array([0, 2]), np.array([0, 1]),
        np.array([[2.0], [1.0]]), np.array([5.0, 7.0, 3.0]),
    )  # fmt: skip
    table = tally.label_table(("total", "tn"))
    for labels in (tally.by_label(), table.quantities(table.sums)):
        assert [labels["total"].tolist(), labels["tn"].tolist()] == [[15.0, 15.0], [13.0, 14.0]]
    weighted = table.quantities(np.array([[0.0, 2.0, 1.0]]) @ table.rows(np.arange(3)))
    assert weighted["tn"].tolist() == [[17.0, 16.0]]
    table = tally.unit_table(("total", "tn"))
    for total in (tally.total(), table.quantities(table.sums)):
        assert (total["total"].item(), total["tn"].item()) == (30.0, 27.0)
