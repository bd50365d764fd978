"""Many tests at once, and what they say about the order of several systems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from carob.arrays.types import FloatArray, IntArray
from carob.infer.randomization import CLOSE


def bonferroni(p: Sequence[float]) -> FloatArray:
    """Each p times the number of tests.

    >>> bonferroni([0.01, 0.5])
    array([0.02, 1. ])
    """
    return np.minimum(np.asarray(p, np.float64) * len(p), 1.0)


def holm(p: Sequence[float]) -> FloatArray:
    """Adjusted p values that keep the chance of any false alarm in the family at the level.

    The smallest p counts times m, the next times m - 1, and so on, never less than one before it.
    Holm (1979), "A simple sequentially rejective multiple test procedure".

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    given = np.asarray(p, np.float64)
    order = np.argsort(given, kind="stable")
    factors = len(given) - np.arange(len(given))
    found = np.empty_like(given)
    found[order] = np.minimum(np.maximum.accumulate(given[order] * factors), 1.0)
    return found


def benjamini_hochberg(p: Sequence[float]) -> FloatArray:
    """Adjusted p values that keep the expected share of false alarms at the level.

    Benjamini & Hochberg (1995), "Controlling the false discovery rate".

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(3)
    array([0.03, 0.04, 0.04])
    """
    given = np.asarray(p, np.float64)
    order = np.argsort(given, kind="stable")[::-1]
    factors = len(given) / (len(given) - np.arange(len(given)))
    found = np.empty_like(given)
    found[order] = np.minimum(np.minimum.accumulate(given[order] * factors), 1.0)
    return found


def ranges(better: Sequence[Sequence[bool]]) -> list[tuple[int, int]]:
    """The ranks that each of m systems may have, from who is significantly better than whom.

    From 1 + how many are significantly better, to m - how many are significantly worse.
    `better[i][k]`: system i is significantly better than system k.

    >>> ranges([[False, True, True], [False, False, False], [False, False, False]])
    [(1, 1), (2, 3), (2, 3)]
    """
    size = len(better)
    return [
        (1 + sum(bool(better[k][i]) for k in range(size)),
         size - sum(bool(better[i][k]) for k in range(size)))
        for i in range(size)
    ]  # fmt: skip


def clusters(found: Sequence[tuple[int, int]]) -> list[int]:
    """The cluster of each system: those whose ranges share a rank, and who is linked by them.

    Numbered from the best: the cluster that holds the smallest rank is 1.

    >>> clusters([(1, 1), (2, 4), (4, 5), (2, 3)])
    [1, 2, 2, 2]
    """
    order = sorted(range(len(found)), key=lambda i: found[i])
    number, reach = 0, 0
    cluster = [0] * len(found)
    for i in order:
        low, high = found[i]
        if low > reach:
            number += 1
        reach = max(reach, high)
        cluster[i] = number
    return cluster


def levels(values: Sequence[float]) -> IntArray:
    """The values numbered from the smallest. Those that differ by rounding alone have one number.

    >>> levels([0.3, 0.1, 0.1 + 0.2])
    array([1, 0, 1])
    """
    given = np.asarray(values, np.float64)
    order = np.argsort(given, kind="stable")
    level = np.empty(len(given), np.int64)
    level[order] = np.cumsum(np.diff(given[order], prepend=given[order][:1]) > CLOSE)
    return level


def _ranks(values: Sequence[float]) -> FloatArray:
    """Ranks from 1, ties in the middle of the ranks they share."""
    level = levels(values)
    below = (level[:, None] > level).sum(axis=1)
    same = (level[:, None] == level).sum(axis=1)
    ranks: FloatArray = below + (same + 1) / 2
    return ranks


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """How far two measures order systems alike: the correlation of ranks. None if one ties all.

    >>> spearman([1, 2, 3], [1, 3, 2])
    0.5
    """
    a, b = (_ranks(each) - (len(each) + 1) / 2 for each in (first, second))
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / scale if scale else None


def kendall(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Kendall's tau-b: pairs in the same order minus pairs in the other, corrected for ties.

    >>> round(kendall([1, 2, 3], [1, 3, 2]), 4)
    0.3333
    """
    upper = np.triu_indices(len(first), 1)
    a, b = (
        np.sign(np.subtract.outer(level, level))[upper]
        for level in (levels(each).astype(np.float64) for each in (first, second))
    )
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / scale if scale else None


def swaps(first: Sequence[float], second: Sequence[float]) -> list[tuple[int, int]]:
    """The pairs that change places: one measure puts the one first, the other the other.

    >>> swaps([1, 2, 3], [1, 3, 2])
    [(1, 2)]
    """
    a, b = levels(first).tolist(), levels(second).tolist()
    return [
        (i, k)
        for i in range(len(a))
        for k in range(i + 1, len(a))
        if (a[i] - a[k]) * (b[i] - b[k]) < 0
    ]
