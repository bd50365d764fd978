"""Greedy: one-to-one pairs, each taken in turn if both its rows are still free."""

from __future__ import annotations

import numpy as np

from carob.arrays.components import alone
from carob.arrays.types import BoolArray, IntArray

ROUNDS = 16
"""After this many rounds, the few remaining pairs are considered one by one."""


def greedy(gold: IntArray, system: IntArray) -> BoolArray:
    """Which pairs are taken, if they are considered in the given order.

    A pair that is the first for both of its rows is taken whatever happens elsewhere. So all such
    pairs are taken at once, and pairs with a row that is taken are removed; after a few rounds
    nothing is left.

    >>> greedy(np.array([0, 0, 1, 2]), np.array([1, 0, 1, 2]))
    array([ True, False, False,  True])
    """
    taken = alone(gold, system)
    left = np.flatnonzero(~taken)
    for _ in range(ROUNDS):
        if not left.size:
            return taken
        ours, theirs = gold[left], system[left]
        first = _stands_first(ours) & _stands_first(theirs)
        taken[left[first]] = True
        left = left[~(_among(ours, ours[first]) | _among(theirs, theirs[first]))]
    busy: tuple[set[int], set[int]] = (set(), set())
    for i, g, s in zip(left.tolist(), gold[left].tolist(), system[left].tolist(), strict=True):
        if g not in busy[0] and s not in busy[1]:
            busy[0].add(g)
            busy[1].add(s)
            taken[i] = True
    return taken


def _stands_first(rows: IntArray) -> BoolArray:
    """Where a row occurs for the first time.

    >>> _stands_first(np.array([3, 1, 3]))
    array([ True,  True, False])
    """
    first = np.empty(int(rows.max()) + 1, np.int64)
    place = np.arange(len(rows))
    first[rows[::-1]] = place[::-1]
    stands_first: BoolArray = first[rows] == place
    return stands_first


def _among(rows: IntArray, some: IntArray) -> BoolArray:
    """Which rows are among some."""
    among = np.zeros(int(rows.max()) + 1, bool)
    among[some] = True
    return among[rows]
