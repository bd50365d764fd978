"""One-to-one assignment: of the edges between gold and system, the best set in which every mention
has at most one.

Best means most of the first gain, then of the second, and so on, and among equals the
lexicographically smallest list of (gold, system). After the edges that are alone at both ends,
what remains falls into small components. Most are chains, in which every edge shares a mention with
the next: a recurrence solves all of them at once. The others go to `optimum`, one by one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from carob.arrays.components import alone, components
from carob.arrays.optimum import TooManyStepsError, Work, optimum, ranks
from carob.arrays.types import BoolArray, IntArray

LARGE = 1 << 19
"""A component that is not a chain and has more edges than this is solved for the first two gains
only: about 700 x 700 mentions of one document that all overlap each other."""

STEPS, STEPS_EACH = 60_000, 16
"""How many steps the components that are not chains may take, all together: this many (about a
second), and this many more for each gold mention in them."""

_EXACT = 2.0**60


def assign(
    gold: IntArray, system: IntArray, gains: Sequence[IntArray], steps: int = 0, *, large: int = 0
) -> IntArray:
    """The edges that are taken, as rows of the table of edges, in order of (gold, system).

    Edges are distinct; gains are whole numbers from 0 up, the first matters most. An edge without
    any gain is never taken. If the best set is not found within STEPS (or `steps`, if more), a
    TooManyStepsError is raised; `large` may be more than LARGE.

    >>> gold, system = np.array([0, 0, 1]), np.array([0, 1, 0])
    >>> assign(gold, system, [np.array([3, 2, 2])])
    array([1, 2])
    >>> assign(gold, system, [np.array([4, 2, 2])])
    array([0])
    """
    order = np.arange(len(gold))
    if not _is_sorted(gold, system):
        order = np.lexsort((system, gold))
    useful = np.any([gain > 0 for gain in gains], axis=0)
    if not useful.all():
        order = order[useful[order]]
    if not len(order):
        return order
    kept = alone(gold[order], system[order])
    crowd = order[~kept]
    if len(crowd):
        limits = max(steps, STEPS), max(large, LARGE)
        parts = [gain[crowd] for gain in gains]
        kept[~kept] = _crowded(gold[crowd], system[crowd], parts, *limits)
    return order[kept]


def _is_sorted(gold: IntArray, system: IntArray) -> bool:
    up = gold[1:] > gold[:-1]
    up |= (gold[1:] == gold[:-1]) & (system[1:] > system[:-1])
    return bool(up.all())


def _crowded(
    gold: IntArray, system: IntArray, gains: list[IntArray], steps: int, large: int
) -> BoolArray:
    """Which edges are taken if none is alone; edges are sorted by (gold, system)."""
    one, other = ranks(gold), ranks(system)
    part = components(one, other)
    order: IntArray | slice = slice(None)
    if np.any(part[1:] < part[:-1]):
        order = np.argsort(part, kind="stable")
        one, other, part = one[order], other[order], part[order]
        gains = [gain[order] for gain in gains]
    first = _starts(part)
    size = np.diff(first, append=len(one))
    bounds = _bounds(one, first, gains)
    fits = np.prod([bound + 1.0 for bound in bounds], axis=0) < _EXACT
    chain = fits & _chains(other, first)
    taken = np.zeros(len(one), bool)
    if chain.any():
        rows = np.flatnonzero(np.repeat(chain, size))
        bases = [np.repeat(bound[chain], size[chain]) + 1 for bound in bounds[1:]]
        weight = _encoded([gain[rows] for gain in gains], bases)
        taken[rows] = _chained(size[chain], weight, one[rows])
    work = Work(steps + STEPS_EACH * (int(one.max()) + 1))
    for which in np.flatnonzero(~chain).tolist():
        edges = slice(int(first[which]), int(first[which] + size[which]))
        known = slice(None) if size[which] <= large else slice(2)
        parts = [gain[edges] for gain in gains[known]]
        tops = [int(bound[which]) for bound in bounds[known]]
        if math.prod(top + 1 for top in tops) >= _EXACT:
            parts = [gain.astype(object) for gain in parts]
        weight = _encoded(parts, [top + 1 for top in tops[1:]])
        smallest = bool(size[which] <= large)
        try:
            taken[edges] = optimum(one[edges], other[edges], weight, work, smallest=smallest)
        except TooManyStepsError as error:
            error.gold = int(gold[order][edges.start])
            raise
    in_order = np.zeros(len(one), bool)
    in_order[order] = taken
    return in_order


def _starts(values: IntArray) -> IntArray:
    """Where a run of equal values begins."""
    return np.flatnonzero(np.append(True, values[1:] != values[:-1]))


def _bounds(one: IntArray, first: IntArray, gains: Sequence[IntArray]) -> list[IntArray]:
    """For each component and gain, an upper bound: the best edge of each gold mention, summed."""
    runs = _starts(one)
    places = np.searchsorted(runs, first)
    return [
        np.add.reduceat(np.maximum.reduceat(gain, runs), places, dtype=np.int64) for gain in gains
    ]


def _encoded(gains: Sequence[IntArray], bases: Sequence[IntArray | int]) -> IntArray:
    """All gains of an edge as one number, so that sums compare as lists of sums do."""
    weight = gains[0] if gains[0].dtype == object else gains[0].astype(np.int64)
    for gain, base in zip(gains[1:], bases, strict=True):
        weight = weight * base + gain
    return weight


def _chains(other: IntArray, first: IntArray) -> BoolArray:
    """Which components are chains: the edges of each system mention are adjacent, too."""
    width, place = int(other.max()) + 1, np.arange(len(other))
    begin, end = np.empty(width, np.int64), np.empty(width, np.int64)
    end[other], begin[other[::-1]] = place, place[::-1]
    together = end - begin + 1 == np.bincount(other)
    return np.logical_and.reduceat(together[other], first)


def _chained(size: IntArray, weight: IntArray, one: IntArray) -> BoolArray:
    """Solve chains of these sizes, end to end, all at once: which edges are taken?

    From the last edge of each to the first, then forward to mark what is taken.
    `free` is the most that the edges from here on can give, `used` the same when the mention that
    this edge shares with the edge before is used already. Taking an edge whenever that loses
    nothing gives the smallest list.
    """
    order = np.argsort(-size, kind="stable")
    first, size = (np.cumsum(size) - size)[order], size[order]
    by_gold = np.append(one[1:] == one[:-1], False)
    # Does an edge share the same mention with the edge before it and the edge after it?
    same = np.append(False, by_gold[1:] == by_gold[:-1])
    worth, taken = np.zeros(len(one), bool), np.zeros(len(one), bool)
    free, used = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
    longer = np.searchsorted(-size, -np.arange(int(size[0])), side="left")
    for step in range(int(size[0]) - 1, -1, -1):
        n = int(longer[step])
        edge = first[:n] + step
        with_it = weight[edge] + used[:n]
        worth[edge] = with_it >= free[:n]
        used[:n] = np.where(same[edge], used[:n], free[:n])
        free[:n] = np.maximum(with_it, free[:n])
    blocked = np.zeros(len(first), bool)
    for step in range(int(size[0])):
        n = int(longer[step])
        edge = first[:n] + step
        taken[edge] = worth[edge] & ~blocked[:n]
        blocked[:n] = taken[edge] | (blocked[:n] & same[edge])
    return taken
