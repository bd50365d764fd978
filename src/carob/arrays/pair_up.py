"""Pair up: as many one-to-one pairs as possible, out of those that are allowed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from carob.arrays.optimum import Work
from carob.arrays.types import BoolArray, IntArray

Neighbours = dict[int, list[int]]

STEPS, STEPS_EACH = 40_000_000, 8
"""How many steps a pairing may take: this many (a few seconds), and this many more for each pair.
A thousand rows of which each can be paired with all before it may need several times as many.
"""


def pair_up(
    gold: IntArray, system: IntArray, n_gold: int, n_system: int
) -> tuple[IntArray, IntArray]:
    """A largest set of the given pairs in which every row occurs at most once, sorted by gold.

    There may be several. Which gold rows take part is decided for the first of them, then for the
    second and so on: a row takes part if it can together with those chosen before it. The system
    rows are chosen likewise and separately (a largest set for both choices always exists), so that
    exchanging the sides exchanges the choices. Last, each gold row in turn takes the first system
    row it can. The order of the input does not matter. If this takes more than STEPS,
    TooManyStepsError is raised.

    >>> pair_up(np.array([0, 0, 1, 2]), np.array([0, 1, 0, 3]), 3, 4)
    (array([0, 1, 2]), array([1, 0, 3]))
    """
    keys = gold * np.int64(max(n_system, 1)) + system
    if np.any(keys[1:] <= keys[:-1]):
        gold, system = np.divmod(np.unique(keys), max(n_system, 1))
    simple = in_stars(gold, system, n_gold, n_system)
    place = np.arange(len(gold))
    # Sorted as the pairs are, the first of a star is the one to take.
    firsts = (_first(gold, n_gold) == place) & (_first(system, n_system) == place)
    taken = np.flatnonzero(simple & firsts)
    row, partner = gold[taken], system[taken]
    if not simple.all():
        more = _matching(gold[~simple].tolist(), system[~simple].tolist())
        row = np.concatenate([row, np.array(list(more), np.int64)])
        partner = np.concatenate([partner, np.array(list(more.values()), np.int64)])
        order = np.argsort(row)
        row, partner = row[order], partner[order]
    return row, partner


def in_stars(gold: IntArray, system: IntArray, n_gold: int, n_system: int) -> BoolArray:
    """Which pairs are in a component whose pairs all have one row in common.

    >>> in_stars(np.array([0, 0, 1, 2, 2]), np.array([0, 1, 2, 3, 2]), 3, 4)
    array([ True,  True, False, False, False])
    """
    busy_gold = np.bincount(gold, minlength=n_gold) > 1
    busy_system = np.bincount(system, minlength=n_system) > 1
    no_gold_star, no_system_star = np.zeros(n_gold, bool), np.zeros(n_system, bool)
    no_gold_star[gold[busy_system[system]]] = True
    no_system_star[system[busy_gold[gold]]] = True
    stars: BoolArray = ~(no_gold_star[gold] & no_system_star[system])
    return stars


def _first(rows: IntArray, size: int) -> IntArray:
    """For each place, the first place of the same row."""
    first = np.zeros(size, np.int64)
    first[rows[::-1]] = np.arange(len(rows))[::-1]
    return first[rows]


def _matching(gold: list[int], system: list[int]) -> dict[int, int]:
    """The system row of each gold row that is paired."""
    ours, work = _grouped(gold, system), Work(STEPS + STEPS_EACH * len(gold))
    chosen = _chosen(ours, work)[0]
    pairs = [(s, g) for g in chosen for s in ours[g]]
    theirs = _grouped(*zip(*sorted(pairs), strict=True))
    partner, mate = _chosen(theirs, work)
    wanted = {g: [s for s in ours[g] if s in partner] for g in sorted(mate)}
    _first_choices(wanted, mate, partner, work)
    return mate


def _grouped(rows: Iterable[int], others: Iterable[int]) -> Neighbours:
    neighbours: Neighbours = {}
    for row, other in zip(rows, others, strict=True):
        neighbours.setdefault(row, []).append(other)
    return neighbours


def _chosen(neighbours: Neighbours, work: Work) -> tuple[dict[int, int], dict[int, int]]:
    """Pair each row in turn if it can be without leaving out one before it."""
    mate: dict[int, int] = {}
    partner: dict[int, int] = {}
    barred: set[int] = set()
    for row in neighbours:
        seen: dict[int, int] = {}
        if not _augmented(row, neighbours, mate, partner, seen, barred, work):
            # What an unsuccessful search has seen is a dead end for later ones, too.
            barred.update(seen)
    return mate, partner


def _first_choices(
    neighbours: Neighbours, mate: dict[int, int], partner: dict[int, int], work: Work
) -> None:
    """Let each row in turn take the first it can, while all stay paired."""
    fixed: set[int] = set()
    for row, wanted in neighbours.items():
        old = mate[row]
        del partner[old]
        seen: dict[int, int] = {}
        for other in wanted:
            if other in seen or other in fixed:
                continue
            seen[other] = row
            if other == old or _augmented(
                partner[other], neighbours, mate, partner, seen, fixed, work
            ):
                mate[row], partner[other] = other, row
                fixed.add(other)
                break


def _augmented(
    root: int,
    neighbours: Neighbours,
    mate: dict[int, int],
    partner: dict[int, int],
    seen: dict[int, int],
    barred: set[int],
    work: Work,
) -> bool:
    """Give the root a partner; rows that lose theirs find another. Return whether it worked.

    `seen` remembers from which row each partner was reached; `barred` partners are not tried.
    """
    waiting = [root]
    while waiting:
        row = waiting.pop()
        work.step(len(neighbours[row]))
        for other in neighbours[row]:
            if other in seen or other in barred:
                continue
            seen[other] = row
            if other in partner:
                waiting.append(partner[other])
                continue
            while True:
                row = seen[other]
                before = mate.get(row)
                mate[row], partner[other] = other, row
                if row == root:
                    return True
                assert before is not None, "only the root had no partner"
                other = before
    return False
