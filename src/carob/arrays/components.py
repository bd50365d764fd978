"""Components: which pairs of a table are connected through mentions they have in common."""

from __future__ import annotations

import numpy as np

from carob.arrays.types import BoolArray, IntArray


def alone(gold: IntArray, system: IntArray) -> BoolArray:
    """Which pairs are alone at both ends: neither mention is in another pair.

    >>> alone(np.array([0, 1, 1]), np.array([0, 1, 2]))
    array([ True, False, False])
    """
    crowd: BoolArray = np.bincount(gold)[gold] + np.bincount(system)[system] == 2
    return crowd


def components(gold: IntArray, system: IntArray) -> IntArray:
    """For each pair the number of its component, from 0 in the order of their first gold rows.

    Two pairs with a mention in common are in one component, and so are all that a chain of such
    pairs connects. Components that touch join in rounds, and each round at least halves the
    number of those that still touch.

    >>> components(np.array([0, 0, 1, 3, 5]), np.array([0, 1, 1, 2, 0]))
    array([0, 0, 0, 1, 0])
    """
    if not len(gold):
        return np.empty(0, np.int64)
    first_system = int(gold.max()) + 1
    root = np.arange(first_system + int(system.max()) + 1)
    crowded = ~alone(gold, system)
    ours, theirs = gold[crowded].astype(np.int64), system[crowded].astype(np.int64) + first_system
    while len(ours):
        np.minimum.at(root, np.maximum(ours, theirs), np.minimum(ours, theirs))
        while np.any((higher := root[root]) != root):
            root = higher
        ours, theirs = root[ours], root[theirs]
        apart = ours != theirs
        ours, theirs = ours[apart], theirs[apart]
    # The root of a component is its smallest node, and gold rows come first.
    own_root = root[gold]
    is_root = np.zeros(first_system, np.int64)
    is_root[own_root] = 1
    return (np.cumsum(is_root) - 1)[own_root]
