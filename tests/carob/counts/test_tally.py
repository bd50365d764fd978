"""A tally is the sum of the ledger, by document and label; every way of summing it agrees."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from carob import Corpus, Pair, Quantities, Tally
from carob.arrays.types import FloatArray
from carob.counts import tally as tally_module
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


def resampled(tally: Tally, weights: FloatArray) -> tuple[Quantities, Quantities]:
    """Total and labels of each draw, by the product of weights and tables."""
    names = tuple(tally.factors) + tally.outcomes
    every = np.arange(tally.units)
    units, labels = tally.unit_table(names), tally.label_table(names)
    return (
        units.quantities(weights @ units.rows(every)),
        labels.quantities(weights @ labels.rows(every)),
    )


def test_a_table_is_the_same_however_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = Pair.of(*corpora(random_pairs(2, 300)))
    one = Tally.of(Exact(), pair)
    monkeypatch.setattr(tally_module, "DENSE", 0)
    for full in (0, 1000):
        monkeypatch.setattr(tally_module, "FULL", full)
        other = Tally.of(Exact(), pair)
        for name in ("unit", "label", "counts"):
            assert getattr(one, name).tolist() == getattr(other, name).tolist()
            assert getattr(one, name).dtype == getattr(other, name).dtype


@pytest.mark.parametrize("dense", [1 << 22, 0])
def test_all_sums_agree_dense_or_sparse(dense: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tally_module, "DENSE", dense)
    monkeypatch.setattr(tally_module, "GROUP", 2)
    pair = Pair.of(*corpora(random_pairs(2, 300)))
    tally = Tally.of(Exact(), pair)
    order = np.random.default_rng(2).permutation(len(tally.unit))
    mixed = replace(
        tally, unit=tally.unit[order], label=tally.label[order], counts=tally.counts[order]
    )
    weights = np.random.default_rng(1).integers(0, 3, (4, tally.units)).astype(float)
    for each in (tally, mixed):
        total, labels = resampled(each, weights)
        for name in (*each.factors, *each.outcomes):
            whole = tally.total()[name]
            assert whole == each.total()[name]
            assert whole == each.by_label()[name].sum() == each.by_unit()[name].sum()
            assert tally.by_label()[name].tolist() == each.by_label()[name].tolist()
            assert tally.by_unit()[name].tolist() == each.by_unit()[name].tolist()
            drawn = (weights * tally.by_unit()[name]).sum(axis=1)
            assert drawn.tolist() == total[name][:, 0].tolist()
            assert drawn.tolist() == labels[name].sum(axis=1).tolist()


def test_many_labels_do_not_change_the_counts() -> None:
    labels = [f"L{i}" for i in range(700)]
    pair = Pair.of(*corpora(random_pairs(3, 2100)), labels=[*labels, "A", "B", "C"])
    large = Tally.of(Exact(), pair)
    small = Tally.of(Exact(), Pair.of(*corpora(random_pairs(3, 2100))))
    places = [large.labels.index(label) for label in small.labels]
    for name in small.factors:
        assert small.total()[name] == large.total()[name]
        assert small.by_unit()[name].tolist() == large.by_unit()[name].tolist()
        assert small.by_label()[name].tolist() == large.by_label()[name][places].tolist()
    table = large.label_table(("tp",))
    cells = sum(part.values.size for part in table.parts)
    assert len(table.parts) == 44 and cells < 2100 * table.width / 8
    assert large.by_label()["tp"].tolist() == table.quantities(table.sums)["tp"].tolist()


def test_tables_of_one_label_have_its_counts() -> None:
    tally = Tally.of(Boundary(), Pair.of(*corpora(random_pairs(4, 50))))
    for i, label in enumerate(tally.labels):
        table = tally.one_label_table(("fp",), label)
        assert (tally.units, 5) == (table.units, table.width)
        assert tally.by_label()["fp"][i] == table.quantities(table.sums)["fp"].item()


def test_there_may_be_no_labels_and_no_documents() -> None:
    tally = Tally.of(Exact(), Pair.of(Corpus.of("a"), Corpus.of("a")))
    assert 0 == tally.total()["gold_all"]
    total, labels = resampled(tally, np.ones((2, 1)))
    assert (2, 0) == labels["gold_all"].shape
    assert [[0.0], [0.0]] == total["tp"].tolist()
    nothing = Tally.of(Exact(), Pair.of(Corpus.of(), Corpus.of()))
    assert (0, 0) == (nothing.units, len(nothing.by_unit()["tp"]))
    assert 0 == nothing.total()["tp"]


def test_only_zero_divisors_give_no_number() -> None:
    with np.errstate(all="raise"):
        found = ratio(np.array([1.0, 0.0, 0.0]), np.array([2.0, 3.0, 0.0]))
    assert [0.5, 0.0] == found[:2].tolist()
    assert np.isnan(found[2])
    assert np.isnan(ratio(np.array(1.0), np.array(0.0)))


def test_quantities_are_arrays_by_name() -> None:
    q = Quantities.of(gold_all=2, system_all=np.array([1.0, 0.0]))
    assert [3.0, 2.0] == q.items_there().tolist()


def test_counts_move_onto_more_labels_than_a_byte_can_number() -> None:
    tally = Tally.of(Exact(), Pair.of(Corpus.of("[Ann]L150"), Corpus.of("[Ann]L150")))
    labels = tuple(sorted(f"L{number}" for number in range(200)))
    moved = tally.onto(labels)
    assert {"L150": 1.0} == {
        label: count
        for label, count in zip(labels, moved.by_label()["tp"].tolist(), strict=True)
        if count
    }
