"""Corrections, rank ranges, clusters and agreement must be those of the literature and scipy."""

from __future__ import annotations

import numpy as np
import pytest

from carob.infer.ranking import (
    benjamini_hochberg,
    bonferroni,
    clusters,
    holm,
    kendall,
    ranges,
    spearman,
    swaps,
)

BENJAMINI = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
    0.6528, 0.7590, 1.0,
]  # fmt: skip


def test_the_fifteen_p_values_of_benjamini_and_hochberg() -> None:
    rejected = [
        int((adjusted(BENJAMINI) <= 0.05).sum())
        for adjusted in (bonferroni, holm, benjamini_hochberg)
    ]
    assert rejected == [3, 3, 4]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(bonferroni, "bonferroni"), (holm, "holm"), (benjamini_hochberg, "fdr_bh")],
)
@pytest.mark.slow
def test_adjusted_p_values_are_those_of_statsmodels(ours: object, theirs: str) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    rng = np.random.default_rng(0)
    for _ in range(10):  # statsmodels takes 50 ms for each of Holm
        p = rng.choice([0.001, 0.01, 0.02, 0.04, 0.2, 0.9, 1.0], size=int(rng.integers(1, 20)))
        expected = multitest.multipletests(p, method=theirs)[1]
        assert callable(ours)
        assert ours(p.tolist()) == pytest.approx(expected, abs=1e-12)


def test_no_tests_no_adjustment() -> None:
    assert [len(adjusted([])) for adjusted in (bonferroni, holm, benjamini_hochberg)] == [0, 0, 0]


def test_without_any_difference_every_rank_is_possible() -> None:
    none = [[False] * 4 for _ in range(4)]
    assert ranges(none) == [(1, 4)] * 4
    assert clusters(ranges(none)) == [1] * 4


def test_a_complete_order_has_single_ranks() -> None:
    better = [[i < k for k in range(4)] for i in range(4)]
    assert ranges(better) == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert clusters(ranges(better)) == [1, 2, 3, 4]


def test_clusters_are_connected_components() -> None:
    """Against a flood over shared ranks."""
    rng = np.random.default_rng(1)
    for _ in range(200):
        size = int(rng.integers(1, 7))
        low = rng.integers(1, size + 1, size)
        found = [(int(a), int(min(size, a + rng.integers(0, 3)))) for a in low]
        share = [[max(a, c) <= min(b, d) for c, d in found] for a, b in found]
        for middle in range(size):
            for i in range(size):
                for k in range(size):
                    share[i][k] |= share[i][middle] and share[middle][k]
        numbers = clusters(found)
        assert [[i == k for k in numbers] for i in numbers] == share
        assert set(range(1, max(numbers) + 1)) == set(numbers)


def test_agreement_is_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(2)
    for _ in range(100):
        size = int(rng.integers(3, 9))
        a, b = rng.integers(0, 6, size).tolist(), rng.integers(0, 6, size).tolist()
        if len(set(a)) == 1 or len(set(b)) == 1:
            assert (spearman(a, b), kendall(a, b)) == (None, None)
            continue
        assert spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-12)
        assert kendall(a, b) == pytest.approx(stats.kendalltau(a, b).statistic, abs=1e-12)


def test_swaps_are_the_pairs_that_two_measures_order_differently() -> None:
    assert swaps([4, 3, 2, 1], [3, 4, 1, 2]) == [(0, 1), (2, 3)]
    assert swaps([1, 1], [1, 2]) == []


def test_scores_that_differ_by_rounding_alone_tie() -> None:
    near = [0.3, 0.1 + 0.2, 0.5]
    assert spearman(near, [2, 1, 3]) == spearman([0.3, 0.3, 0.5], [2, 1, 3])
    assert kendall(near, [2, 1, 3]) == kendall([0.3, 0.3, 0.5], [2, 1, 3])
    assert [] == swaps(near, [2, 1, 3])
    assert [(0, 1)] == swaps([0.3, 0.3001, 0.5], [2, 1, 3])
