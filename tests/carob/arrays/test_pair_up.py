"""Pairing up takes as many pairs as there can be, and the same ones in whatever order they come."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from carob.arrays.pair_up import pair_up

Edges = list[tuple[int, int]]


def every_largest(edges: Edges) -> list[Edges]:
    """All the largest one-to-one subsets, by trying all subsets."""
    for size in range(len(edges), -1, -1):
        found = [
            sorted(some)
            for some in combinations(sorted(set(edges)), size)
            if len({g for g, _ in some}) == len({s for _, s in some}) == size
        ]
        if found:
            return found
    return [[]]


def preferred(edges: Edges) -> Edges:
    """First gold rows, then first system rows, then first pairs, out of all that are largest."""
    every = every_largest(edges)
    gold = min(sorted(g for g, _ in some) for some in every)
    system = min(sorted(s for _, s in some) for some in every)
    return min(
        some
        for some in every
        if gold == sorted(g for g, _ in some) and system == sorted(s for _, s in some)
    )


def paired(edges: Edges, size: int) -> Edges:
    columns = np.array(edges, np.int32).reshape(-1, 2)
    gold, system = pair_up(columns[:, 0], columns[:, 1], size, size)
    return list(zip(gold.tolist(), system.tolist(), strict=True))


@pytest.mark.parametrize("size", [2, 3, 4, 6])
def test_it_is_the_preferred_of_all_largest_pairings(size: int) -> None:
    rng = np.random.default_rng(size)
    for _ in range(600):
        count = int(rng.integers(0, 10))
        edges = [(int(a), int(b)) for a, b in rng.integers(0, size, size=(count, 2))]
        expected = preferred(edges)
        assert expected == paired(edges, size)
        assert expected == paired(edges[::-1], size)


def test_exchanging_the_sides_chooses_the_same_rows() -> None:
    rng = np.random.default_rng(9)
    for _ in range(500):
        edges = [(int(a), int(b)) for a, b in rng.integers(0, 7, size=(12, 2))]
        one, other = paired(edges, 7), paired([(s, g) for g, s in edges], 7)
        assert {g for g, _ in one} == {g for _, g in other}
        assert {s for _, s in one} == {s for s, _ in other}


def test_larger_tables_reach_the_size_that_scipy_reaches() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    csgraph = pytest.importorskip("scipy.sparse.csgraph")
    rng = np.random.default_rng(10)
    for count in (100, 300, 1000, 3000):
        gold, system = rng.integers(0, 400, size=count), rng.integers(0, 400, size=count)
        table = sparse.csr_matrix((np.ones(count), (gold, system)), shape=(400, 400))
        expected = int((csgraph.maximum_bipartite_matching(table) >= 0).sum())
        found, partner = pair_up(gold, system, 400, 400)
        assert expected == len(found) == len(set(found.tolist())) == len(set(partner.tolist()))
        assert {*zip(found.tolist(), partner.tolist(), strict=True)} <= {
            *zip(gold.tolist(), system.tolist(), strict=True)
        }


def test_a_chain_longer_than_the_recursion_limit_is_no_trouble() -> None:
    rows = np.arange(20_000)
    gold, system = np.repeat(rows, 2)[1:], np.repeat(rows, 2)[:-1]
    found, partner = pair_up(gold, system, len(rows), len(rows))
    assert rows.tolist() == found.tolist() == partner.tolist()


def test_everything_with_everything_pairs_in_order() -> None:
    rows = np.arange(300)
    found, partner = pair_up(np.repeat(rows, 300), np.tile(rows, 300), 300, 300)
    assert rows.tolist() == found.tolist() == partner.tolist()
