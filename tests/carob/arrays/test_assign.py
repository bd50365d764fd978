"""The assignment is the best there is, and the first of the best, whatever the order of the edges.

The twin tries every one-to-one set of edges; scipy is the oracle where there are too many.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pytest

from carob.arrays import assign as module
from carob.arrays.assign import assign
from carob.arrays.optimum import TooManyStepsError, Work, optimum
from tests.worlds import times

Edge = tuple[int, int]
Gain = tuple[int, ...]


def sets(edges: list[Edge]) -> Iterator[list[Edge]]:
    """Every one-to-one set of edges."""
    if not edges:
        yield []
        return
    (gold, system), rest = edges[0], edges[1:]
    yield from sets(rest)
    for others in sets([e for e in rest if e[0] != gold and e[1] != system]):
        yield [(gold, system), *others]


def slow(gains: Mapping[Edge, Gain]) -> list[Edge]:
    useful = [edge for edge in sorted(gains) if any(gains[edge])]
    totals = [
        (tuple(map(sum, zip(*(gains[e] for e in each), strict=True))), each)
        for each in sets(useful)
    ]
    most = max(total for total, _ in totals)
    return min(each for total, each in totals if total == most)


def fast(gains: Mapping[Edge, Gain], rng: np.random.Generator) -> list[Edge]:
    edges = [list(gains)[i] for i in rng.permutation(len(gains)).tolist()]
    gold, system = np.array(edges).T
    columns = np.array([gains[edge] for edge in edges]).T
    return [edges[i] for i in assign(gold, system, list(columns)).tolist()]


def graph(rng: np.random.Generator) -> list[Edge]:
    """All edges, or some of them, between at most four and four."""
    height, width = rng.integers(1, 5, 2).tolist()
    density = float(rng.choice([0.4, 0.7, 1.0]))
    some = [(g, s) for g in range(height) for s in range(width) if rng.random() < density]
    return some or [(0, 0)]


def drawn(rng: np.random.Generator, edges: list[Edge]) -> dict[Edge, Gain]:
    """Three gains for each edge, small so that there are ties; often the first alone."""
    top, used = int(rng.integers(2, 5)), int(rng.integers(1, 4))
    return {e: (*rng.integers(0, top, used).tolist(), *[0] * (3 - used)) for e in edges}


def test_it_is_the_first_of_the_best_of_all_sets() -> None:
    rng = np.random.default_rng(3)
    for _ in range(times(10)):
        gains = drawn(rng, graph(rng))
        assert slow(gains) == fast(gains, rng)


def test_chains_are_solved_like_everything_else() -> None:
    rng = np.random.default_rng(5)
    for _ in range(times(10)):
        edges, gold, system = [], 0, 0
        for _ in range(int(rng.integers(1, 10))):
            edges.append((gold, system))
            step = int(rng.choice(3, p=[0.45, 0.45, 0.1]))
            gold, system = gold + (step != 0), system + (step != 1)
        gains = drawn(rng, edges)
        assert slow(gains) == fast(gains, rng)


def test_many_components_at_once_are_what_each_is_alone() -> None:
    rng = np.random.default_rng(7)
    worlds = [drawn(rng, graph(rng)) for _ in range(200)]
    together = {
        (10 * i + g, 10 * i + s): gain
        for i, gains in enumerate(worlds)
        for (g, s), gain in gains.items()
    }
    expected = [(10 * i + g, 10 * i + s) for i, gains in enumerate(worlds) for g, s in slow(gains)]
    assert expected == fast(together, rng)


def test_numbers_that_no_machine_word_holds_change_nothing() -> None:
    rng = np.random.default_rng(9)
    for _ in range(300):
        gains = {
            edge: (a, b * 2**50, c * 2**50) for edge, (a, b, c) in drawn(rng, graph(rng)).items()
        }
        assert slow(gains) == fast(gains, rng)


@pytest.mark.parametrize("values", [3, 10**6])
def test_scipy_finds_nothing_better_in_large_dense_graphs(values: int) -> None:
    scipy = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(11)
    for height, width in ((60, 60), (40, 90), (90, 40), (1, 50), (130, 130)):
        matrix = rng.integers(0, values, (height, width))
        row, column = np.nonzero(matrix)
        taken = assign(row, column, [matrix[row, column]])
        best = matrix[scipy.linear_sum_assignment(matrix, maximize=True)].sum()
        assert len(taken) == len(set(row[taken])) == len(set(column[taken]))
        assert best == matrix[row[taken], column[taken]].sum()


def test_all_pairs_of_seven_hundred_are_solved_however_many_are_worth_the_same() -> None:
    scipy = pytest.importorskip("scipy.optimize")
    row, column = (each.reshape(-1) for each in np.indices((700, 700)))
    for top in (1, 50, 70):
        matrix = np.random.default_rng(top).integers(1, top + 1, (700, 700))
        taken = assign(row, column, [matrix.reshape(-1)])
        assert 700 == len(set(row[taken])) == len(set(column[taken])) == len(taken)
        best = matrix[scipy.linear_sum_assignment(matrix, maximize=True)].sum()
        assert best == matrix.reshape(-1)[taken].sum()


def test_the_smallest_list_costs_nothing_of_the_weight() -> None:
    rng = np.random.default_rng(13)
    for _ in range(50):
        matrix = rng.integers(0, 3, (30, 25))
        row, column = np.nonzero(matrix)
        weight = matrix[row, column]
        first, any_ = (
            optimum(row, column, weight, Work(10_000), smallest=which) for which in (True, False)
        )
        assert weight[any_].sum() == weight[first].sum()
        edges = [list(zip(row[t].tolist(), column[t].tolist(), strict=True)) for t in (first, any_)]
        assert edges[0] == min(edges)


def test_a_large_component_gives_up_the_third_gain_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(15)
    row, column = np.nonzero(np.ones((40, 40)))
    gains = [rng.integers(0, top, len(row)) for top in (3, 4, 50)]
    whole = assign(row, column, gains)
    monkeypatch.setattr("carob.arrays.assign.LARGE", 10)
    rough = assign(row, column, gains)
    assert [g[whole].sum() for g in gains[:2]] == [g[rough].sum() for g in gains[:2]]
    assert gains[2][whole].sum() > gains[2][rough].sum()


def test_a_chain_of_a_whole_document_is_no_burden() -> None:
    size = 20_000
    gold, system = np.arange(size) // 2, (np.arange(size) + 1) // 2
    taken = assign(gold, system, [np.ones(size, np.int64)])
    assert list(range(0, size, 2)) == taken.tolist()


def test_no_edges_make_no_assignment() -> None:
    nothing = np.empty(0, np.int64)
    assert assign(nothing, nothing, [nothing]).tolist() == []
    one = np.zeros(1, np.int64)
    assert assign(one, one, [one]).tolist() == []


def test_too_many_steps_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nested mentions, all of which want the first; a pair before them is not to blame."""
    gold, system = (np.append(0, each + 1) for each in np.tril_indices(40))
    gains = [np.ones(len(gold), np.int64), 1 + gold - system]
    assert 41 == len(assign(gold, system, gains))
    monkeypatch.setattr(module, "STEPS", 100)
    monkeypatch.setattr(module, "STEPS_EACH", 2)
    with pytest.raises(TooManyStepsError) as error:
        assign(gold, system, gains)
    assert 1 == error.value.gold
