"""Components are what walking from pair to pair through common mentions reaches."""

from __future__ import annotations

import numpy as np
import pytest

from carob.arrays.components import alone, components

Edges = list[tuple[int, int]]


def walked(edges: Edges) -> list[int]:
    """The component of each pair, numbered by smallest gold row."""
    groups: list[set[int]] = []
    left = set(range(len(edges)))
    while left:
        group = {left.pop()}
        grown = True
        while grown:
            near = {
                i
                for i in left
                for k in group
                if edges[i][0] == edges[k][0] or edges[i][1] == edges[k][1]
            }
            grown = bool(near)
            group |= near
            left -= near
        groups.append(group)
    groups.sort(key=lambda group: min(edges[i][0] for i in group))
    return [next(n for n, group in enumerate(groups) if i in group) for i in range(len(edges))]


def found(edges: Edges) -> list[int]:
    columns = np.array(edges, np.int32).reshape(-1, 2)
    return [int(number) for number in components(columns[:, 0], columns[:, 1])]


@pytest.mark.parametrize("size", [3, 6, 12])
def test_they_are_what_walking_reaches(size: int) -> None:
    rng = np.random.default_rng(size)
    for _ in range(700):
        count = int(rng.integers(0, size + 2))
        edges = [(int(a), int(b)) for a, b in rng.integers(0, size, size=(count, 2))]
        assert walked(edges) == found(edges)


def test_a_long_chain_is_one_component_in_any_order() -> None:
    rows = np.arange(20_000)
    gold, system = np.repeat(rows, 2), np.append(0, np.repeat(rows, 2)[:-1])
    order = np.random.default_rng(0).permutation(len(gold))
    assert not components(gold, system).any()
    assert not components(gold[order], system[order]).any()


def test_pairs_alone_at_both_ends_are_told_from_the_others() -> None:
    expected = [False, False, True]
    assert expected == alone(np.array([0, 2, 5]), np.array([1, 1, 0])).tolist()
    assert not alone(np.empty(0, np.int64), np.empty(0, np.int64)).size
