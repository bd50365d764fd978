"""A tally is the sum of the ledger, by document and label; every way of summing it agrees."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from carob import Corpus, Pair, Quantities, Tally
from carob.counts.quantities import ratio
from carob.match.exact import Boundary, Exact
from tests.worlds import corpora, random_pairs


@pytest.mark.parametrize("space", [Exact(), Boundary()])
def test_a_tally_sums_the_rows_of_the_ledger(space: Exact | Boundary) -> None:
    pair = Pair.of(*corpora(random_pairs(1, 500)))
    events = space(pair)
    tally = Tally.of(space, pair)
    expected: Counter[tuple[int, int, str]] = Counter()
    for doc, label, outcome, weight in zip(
        events.doc.tolist(), events.label.tolist(), events.outcome.tolist(),
        events.weight.tolist(), strict=True,
    ):  # fmt: skip
        expected[doc, label, events.outcomes[outcome]] += weight
    actual = {
        (int(unit), int(label), outcome): float(tally.counts[row, column])
        for row, (unit, label) in enumerate(zip(tally.unit, tally.label, strict=True))
        for column, outcome in enumerate(tally.outcomes)
        if tally.counts[row, column]
    }
    assert dict(expected) == actual
    by_outcome: Counter[str] = Counter()
    for (_, _, outcome), weight in expected.items():
        by_outcome[outcome] += weight
    assert {name: by_outcome[name] for name in tally.outcomes} == tally.counted()


def test_all_sums_agree_dense_or_sparse() -> None:
    pair = Pair.of(*corpora(random_pairs(2, 300)))
    dense = Tally.of(Exact(), pair)
    kept = np.flatnonzero(dense.counts.any(axis=1))[::-1]
    sparse = replace(
        dense, unit=dense.unit[kept], label=dense.label[kept], counts=dense.counts[kept]
    )
    weights = np.random.default_rng(1).integers(0, 3, (4, dense.units)).astype(float)
    for name in (*dense.names, *dense.outcomes):
        total = dense.total()[name]
        assert total == dense.by_label()[name].sum() == dense.by_unit()[name].sum()
        assert total == sparse.total()[name]
        assert dense.by_label()[name].tolist() == sparse.by_label()[name].tolist()
        assert dense.by_unit()[name].tolist() == sparse.by_unit()[name].tolist()
        drawn = (weights * dense.by_unit()[name]).sum(axis=1)
        assert drawn.tolist() == dense.total(weights)[name].tolist()
        assert drawn.tolist() == sparse.by_label(weights)[name].sum(axis=1).tolist()


def test_a_large_tally_is_sparse_and_the_same() -> None:
    labels = [f"L{i}" for i in range(700)]
    pair = Pair.of(*corpora(random_pairs(3, 2100)), labels=[*labels, "A", "B", "C"])
    large = Tally.of(Exact(), pair)
    small = Tally.of(Exact(), Pair.of(*corpora(random_pairs(3, 2100))))
    assert len(large.counts) < large.units * len(large.labels)
    places = [large.labels.index(label) for label in small.labels]
    for name in small.names:
        assert small.total()[name] == large.total()[name]
        assert small.by_unit()[name].tolist() == large.by_unit()[name].tolist()
        assert small.by_label()[name].tolist() == large.by_label()[name][places].tolist()


def test_there_may_be_no_labels_and_no_documents() -> None:
    tally = Tally.of(Exact(), Pair.of(Corpus.of("a"), Corpus.of("a")))
    assert 0 == tally.total()["gold_all"]
    assert (2, 0) == tally.by_label(np.ones((2, 1)))["gold_all"].shape
    assert [0.0, 0.0] == tally.total(np.ones((2, 1)))["tp"].tolist()
    nothing = Tally.of(Exact(), Pair.of(Corpus.of(), Corpus.of()))
    assert (0, 0) == (nothing.units, len(nothing.by_unit()["tp"]))


def test_only_zero_divisors_give_no_number() -> None:
    with np.errstate(all="raise"):
        found = ratio(np.array([1.0, 0.0, 0.0]), np.array([2.0, 3.0, 0.0]))
    assert [0.5, 0.0] == found[:2].tolist()
    assert np.isnan(found[2])
    assert np.isnan(ratio(np.array(1.0), np.array(0.0)))


def test_quantities_are_arrays_by_name() -> None:
    q = Quantities.of(gold_all=2, system_all=np.array([1.0, 0.0]))
    assert [3.0, 2.0] == q.items_there().tolist()
