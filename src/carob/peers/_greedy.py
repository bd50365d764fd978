"""How nervaluate and its relatives pair mentions: answer by answer, in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from carob.pair.readings import Spot


class Pairing(NamedTuple):
    """For each gold mention, and for each answer, what it counts; None for a mention without a
    partner.
    """

    gold: list[float | None]
    system: list[float | None]


def first_come(
    gold: Sequence[Spot], system: Sequence[Spot],
    choose: Callable[[Spot, Sequence[int]], tuple[int, float] | None],
) -> Pairing:  # fmt: skip
    """Every answer in turn takes one of the gold mentions that overlap it and are not taken:
    `choose` says which, and what the two count, or None.

    >>> gold, system = [Spot(((0, 2),), "A")], [Spot(((0, 1),), "A"), Spot(((1, 2),), "A")]
    >>> first_come(gold, system, lambda answer, free: (free[0], 1.0))
    Pairing(gold=[1.0], system=[1.0, None])
    """
    ours: list[float | None] = [None] * len(gold)
    theirs: list[float | None] = [None] * len(system)
    low = 0
    for place, answer in enumerate(system):
        # The starts and the ends of one side grow, so what an answer reaches is in one row.
        while low < len(gold) and gold[low].end <= answer.start:
            low += 1
        free, at = [], low
        while at < len(gold) and gold[at].start < answer.end:
            if ours[at] is None:
                free.append(at)
            at += 1
        chosen = choose(answer, free) if free else None
        if chosen is not None:
            taken, value = chosen
            ours[taken] = theirs[place] = value
    return Pairing(ours, theirs)
