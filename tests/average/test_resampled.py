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
from carob.counts.rows import summed
from carob.evaluate.sampling import by_label, overall
from carob.infer._draws import Units, streams
from carob.infer._sampling import Together, bootstrap, jackknife

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
    with_gold = [x for x in each if x[1]]
    if not with_gold:
        return math.nan
    p = mean([right / system if system else 0.0 for right, _, system in with_gold])
    r = mean([right / gold for right, gold, _ in with_gold])
    return 2 * p * r / (p + r) if p + r else 0.0


AVERAGES = ["micro", "macro", "weighted", "label:B", "macro-doc", "macro-doc-pr"]


def weights_of(units: Units, resamples: int, seed: int) -> FloatArray:
    found = np.zeros((resamples, len(units)))
    for stream in streams(units, resamples, np.random.default_rng(seed)):
        for start, weights in stream.chunks(0, resamples):
            found[start : start + len(weights), stream.index] = weights
    return found


@pytest.mark.parametrize("average", AVERAGES)
def test_draws_are_the_scores_of_the_documents_drawn(average: str) -> None:
    rng = np.random.default_rng(AVERAGES.index(average))
    recipe = Recipe.parse(f"exact.F1@{average}")
    for seed in range(20):
        gold, system = corpora(int(rng.integers(2, 9)), rng)
        pair = Pair.of(gold, system, LABELS)
        tally, counts = Tally.of(recipe.space, pair), counted(gold, system)
        units = Units.of(len(gold))
        together = Together([overall(recipe, tally, None)], units)
        assert together.points[0] == pytest.approx([by_hand(average, counts)], nan_ok=True)
        drawn = bootstrap(together, 25, np.random.default_rng(seed))[0][:, 0]
        weights = weights_of(units, 25, seed)
        expected = [
            by_hand(average, [c for c, w in zip(counts, line, strict=True) for _ in range(int(w))])
            for line in weights.tolist()
        ]
        assert drawn == pytest.approx(expected, nan_ok=True)
        called = recipe.average(recipe.measure, tally, weights, None).value
        assert called == pytest.approx(expected, nan_ok=True)


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
        together = Together([overall(recipe, tally, None)], Units.of(size))
        if not len(there) or np.isnan(together.points[0][0]):
            continue
        moments = jackknife(together, [(0,)])[0]
        m = len(there)
        error = math.sqrt((m - 1) / m * float(((there - there.mean()) ** 2).sum()))
        assert len(there) == moments.count[0]
        assert moments.error[0] == pytest.approx(error, abs=1e-9)


def test_labels_are_drawn_together() -> None:
    rng = np.random.default_rng(7)
    gold, system = corpora(8, rng)
    recipe = Recipe.parse("exact.F1")
    tally, counts = Tally.of(recipe.space, Pair.of(gold, system, LABELS)), counted(gold, system)
    together = Together([by_label(recipe.measure, tally, None)], Units.of(8))
    drawn = bootstrap(together, 30, np.random.default_rng(0))[0]
    for line, values in zip(weights_of(Units.of(8), 30, 0).tolist(), drawn, strict=True):
        taken = [c for c, w in zip(counts, line, strict=True) for _ in range(int(w))]
        expected = [f1(*added(taken, (label,))) for label in LABELS]
        assert values == pytest.approx(expected, nan_ok=True)


def test_a_large_tally_is_spread_out_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    from carob.counts import rows

    gold, system = corpora(30, np.random.default_rng(3))
    tally = Tally.of(Recipe.parse("exact.F1").space, Pair.of(gold, system, LABELS))
    whole = summed(tally.rows)
    monkeypatch.setattr(rows, "BLOCK", 20)
    assert np.array_equal(whole, summed(tally.rows))
    assert np.array_equal(tally.by_label()["tp"], tally.labels_of(whole)["tp"])
    assert np.array_equal(tally.total()["system_all"],
                          tally.total_of(summed(tally.unit_rows))["system_all"])  # fmt: skip


def test_the_size_of_the_event_space_is_summed_too() -> None:
    """A space without a row for what nobody marked: total = its size, tn = size - tp."""
    tally = Tally(
        3, ("A", "B"), ("tp",), ("gold_all", "total", "tn"),
        np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 1.0]]),
        np.array([0, 2]), np.array([0, 1]), np.array([[2.0], [1.0]]), np.array([5.0, 7.0, 3.0]),
    )  # fmt: skip
    labels = tally.labels_of(summed(tally.rows))
    assert [labels["total"].tolist(), labels["tn"].tolist()] == [[15.0, 15.0], [13.0, 14.0]]
    total = tally.total_of(summed(tally.unit_rows))
    assert (total["total"].item(), total["tn"].item()) == (30.0, 27.0)
    weighted = tally.labels_of(summed(tally.rows, np.array([[0.0, 2.0, 1.0]])))
    assert weighted["tn"].tolist() == [[17.0, 16.0]]


@pytest.mark.parametrize("space", ["exact", "fair", "nugget", "semeval(mode=partial)", "token"])
def test_rows_of_units_are_the_sums_that_they_say(space: str) -> None:
    """A product multiplies the rows of labels alone, and adds them up."""
    rng = np.random.default_rng(5)
    gold, system = corpora(40, rng)
    tally = Tally.of(Recipe.parse(f"{space}.F1").space, Pair.of(gold, system, LABELS))
    for each in (tally, tally.plain):
        labels, columns = each.unit_rows.made_of
        index = rng.permutation(40)
        expected, parts = each.unit_rows.block(index), labels.block(index)
        assert len(columns) == expected.shape[1]
        for i, some in enumerate(columns):
            assert expected[:, i] == pytest.approx(parts[:, list(some)].sum(axis=1), rel=1e-15)
