"""Which pairs are taken: of fillers within every pair of templates, then of templates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from carob.arrays.assign import assign
from carob.arrays.types import BoolArray, IntArray
from carob.match._templates_both import Both
from carob.match._templates_graph import Graph
from carob.match._templates_order import Order

_SAFE = 2**60


def filler_pairs(both: Both, found: Graph) -> IntArray:
    """The pairs of fillers that count if their templates are aligned, as rows of the graph.

    Most are right, then most are partly right, then most are not optional. Each pair of fillers
    belongs to one pair of templates, so all of these are solved together.
    """
    one = _nodes(found.gold, both.template[found.system])
    other = _nodes(found.system, both.template[found.gold])
    right = found.right.astype(np.int64)
    needed = ~both.optional[found.gold]
    return _chosen(one, other, [right, (1 - right) * (_top(one) + 1) + needed])


def aligned_forms(
    both: Both, order: Order, gold: IntArray, system: IntArray, right: BoolArray
) -> IntArray:
    """For each template of gold the system's (-1: none, as for those of the system).

    `gold` and `system` are the pairs of fillers that count where templates are aligned. What
    templates share is counted from the deepest up: a pair of templates has what its fillers
    share, and what the templates in it do, in their best alignment.
    """
    one, other = both.template[gold], both.template[system]
    deep = both.depth[one]
    ours, theirs = np.empty(0, np.int64), np.empty(0, np.int64)
    cor, par = ours, ours
    taken = []
    for depth in range(int(deep.max(initial=-1)), -1, -1):
        here = np.flatnonzero(deep == depth)
        ours, theirs, (cor, par) = _summed(
            np.concatenate([ours, one[here]]),
            np.concatenate([theirs, other[here]]),
            [np.concatenate([cor, right[here]]), np.concatenate([par, ~right[here]])],
            len(both.doc),
        )
        equal = order.content[ours] == order.content[theirs]
        left = _nodes(order.place[ours], both.parent[theirs] + 1)
        best = _chosen(
            left, _nodes(order.place[theirs], both.parent[ours] + 1),
            [cor, par * (_top(left) + 1) + equal],
        )  # fmt: skip
        ours, theirs, cor, par = ours[best], theirs[best], cor[best], par[best]
        taken.append((ours, theirs))
        ours, theirs = both.parent[ours], both.parent[theirs]
    partner = np.full(len(both.doc), -1, np.int64)
    for inner, others in reversed(taken):
        above = both.parent[inner]
        sure = (above < 0) | (partner[above] == both.parent[others])
        partner[inner[sure]] = others[sure]
    return partner


def _nodes(row: IntArray, among: IntArray) -> IntArray:
    """Numbers without gaps for rows, a row being another one for each of those it is among."""
    width = np.int64(int(among.max(initial=0)) + 1)
    numbers: IntArray = np.unique(row * width + among, return_inverse=True)[1].reshape(-1)
    return numbers


def _top(numbers: IntArray) -> int:
    return int(numbers.max(initial=-1)) + 1


def _summed(
    one: IntArray, other: IntArray, columns: Sequence[IntArray], width: int
) -> tuple[IntArray, IntArray, list[IntArray]]:
    """Each pair once, with the sums of its columns."""
    keys, inverse = np.unique(one * np.int64(width) + other, return_inverse=True)
    sums = [np.bincount(inverse.reshape(-1), column, len(keys)) for column in columns]
    return keys // width, keys % width, [total.astype(np.int64) for total in sums]


def _chosen(one: IntArray, other: IntArray, gains: list[IntArray]) -> IntArray:
    """The pairs that are taken: first those that outweigh any two that they exclude.

    Such a pair is in every best assignment, and what remains without it is small, as a rule.
    """
    most = [int(gain.sum()) for gain in gains]
    if (most[0] + 1) * (most[1] + 1) >= _SAFE:
        return assign(one, other, gains)
    weight = gains[0] * np.int64(most[1] + 1) + gains[1]
    live = np.arange(len(one))
    taken = []
    while live.size:
        ours, theirs, value = one[live], other[live], weight[live]
        sure = value > _rival(ours, value) + _rival(theirs, value)
        if not sure.any():
            break
        taken.append(live[sure])
        gone = np.zeros(_top(one), bool), np.zeros(_top(other), bool)
        gone[0][ours[sure]] = gone[1][theirs[sure]] = True
        live = live[~(gone[0][ours] | gone[1][theirs])]
    rest = live[assign(one[live], other[live], [gain[live] for gain in gains])]
    return np.concatenate([*taken, rest])


def _rival(node: IntArray, value: IntArray) -> IntArray:
    """The largest value of another edge at the node of each edge (0: there is none)."""
    best = np.zeros(_top(node), np.int64)
    np.maximum.at(best, node, value)
    top = value == best[node]
    second = np.zeros(len(best), np.int64)
    np.maximum.at(second, node[~top], value[~top])
    several = np.bincount(node[top], minlength=len(best)) > 1
    return np.where(top & ~several[node], second[node], best[node])
