"""The size of an event space and the true negatives come out right on every choice of axes."""

from __future__ import annotations

import numpy as np
import pytest

from carob import Corpus, Pair
from carob.counts.quantities import Quantities
from carob.counts.tally import Tally
from carob.match.exact import Exact
from carob.match.units import Ts

GOLD = ("[a b]X c", "d", "[e]Y [f g]X h", "")
SYSTEM = ("[a]X b [c]Z", "[d]Y", "[e f]Y [g]X h", "")
SIZES = (5, 1, 7, 0)
PAIR = Pair.of(Corpus.of(*GOLD), Corpus.of(*SYSTEM))
TALLY = Tally.of(Ts(), PAIR)


def _times(times: tuple[int, ...]) -> Tally:
    """The tally of a corpus in which each document stands so many times."""
    gold, system = (
        Corpus.of(*(text for text, n in zip(side, times, strict=True) for _ in range(n)))
        for side in (GOLD, SYSTEM)
    )
    return Tally.of(Ts(), Pair.of(gold, system, PAIR.labels))


def _same(expected: Quantities, actual: Quantities, row: int) -> None:
    assert {"total", "tn", "tp"} <= set(actual)
    for name, values in actual.items():
        assert np.atleast_1d(expected[name]).tolist() == values[row].tolist()


def test_each_label_has_the_whole_text_and_a_document_has_it_for_each_label() -> None:
    assert TALLY.labels == ("X", "Y", "Z")
    assert TALLY.by_label()["total"].tolist() == [sum(SIZES)] * 3
    assert TALLY.by_unit()["total"].tolist() == [3 * size for size in SIZES]
    assert TALLY.total()["total"] == 3 * sum(SIZES)
    for q in (TALLY.by_label(), TALLY.by_unit(), TALLY.total()):
        assert q["tn"].tolist() == (q["total"] - q["tp"] - q["fp"] - q["fn"]).tolist()
    assert TALLY.by_unit()["tn"].tolist() == [11, 2, 15, 0]


def test_a_resample_is_the_tally_of_the_resampled_documents() -> None:
    draws = [(1, 1, 1, 1), (2, 0, 1, 1), (0, 4, 0, 0), (0, 0, 3, 1)]
    weights = np.array(draws, np.float64)
    names, every = (*TALLY.factors, *TALLY.outcomes), np.arange(4)
    total, by_label = (
        table.quantities(weights @ table.rows(every))
        for table in (TALLY.unit_table(names), TALLY.label_table(names))
    )
    for row, draw in enumerate(draws):
        _same(_times(draw).total(), total, row)
        _same(_times(draw).by_label(), by_label, row)


def test_a_space_without_a_size_has_no_total() -> None:
    tally = Tally.of(Exact(), PAIR)
    for q in (tally.total(), tally.by_label(), tally.by_unit()):
        assert "total" not in q
        assert "tn" not in q
    assert len(tally.factors) == tally.unit_table(tuple(tally.factors)).width


def test_a_large_tally_is_sparse_and_the_same() -> None:
    """Many documents and labels: only the cells that have something are kept."""
    labels = [f"L{i}" for i in range(2000)]
    texts = [f"[a]{labels[i % 2000]} b" for i in range(1500)]
    pair = Pair.of(Corpus.of(*texts), Corpus.of(*texts), labels)
    tally = Tally.of(Ts(), pair)
    assert len(tally.counts) == 1500
    assert tally.total()["total"] == 3 * 1500 * 2000
    assert tally.total()["tn"] == 3 * 1500 * 2000 - 1500
    assert tally.by_label()["tn"][0] == pytest.approx(3 * 1500 - 1)
