"""What the overlap family shares: from pairs that may match to events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

import numpy as np

from carob.arrays.components import alone
from carob.arrays.join import rest
from carob.arrays.pair_up import pair_up
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.problems import RecipeError, nearest
from carob.corpus.tables import Mentions
from carob.counts.events import Events
from carob.pair.pair import Pair

Label = Literal["match", "ignore"]
Pairing = Literal["many", "one"]

OUTCOMES = ("tp", "tp_system", "fp", "fn")
ERRORS = ("fp", "fn")
QUANTITIES: Mapping[str, Mapping[str, float]] = {
    "gold_right": {"tp": 1},
    "gold_all": {"tp": 1, "fn": 1},
    "system_right": {"tp_system": 1},
    "system_all": {"tp_system": 1, "fp": 1},
}


def check(space: str, label: str, pairing: str, **whole: object) -> None:
    """Refuse parameters that mean nothing; those in `whole` are numbers of tokens."""
    for key, value, choices in (("label", label, Label), ("pairing", pairing, Pairing)):
        if value not in get_args(choices):
            there = nearest(str(value), get_args(choices))
            raise RecipeError(f"{space}({key}=…): found {value}{there}")
    for key, number in whole.items():
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise RecipeError(
                f"{space}({key}=…): found {number}, expected a whole number of tokens, 0 or more"
            )


def counted(pair: Pair, fits: BoolArray | None, label: Label, pairing: Pairing) -> Events:
    """The events of those overlaps of the pair that fit (None: all) and whose labels do."""
    every, crowd = met(pair, label)
    crowd = kept(crowd, fits)
    lone = every.gold, every.system
    if fits is not None:
        here = fits[every.rows]
        lone = every.gold.compress(here), every.system.compress(here)
    if pairing == "one":
        more = pair_up(crowd.gold, crowd.system, len(pair.gold), len(pair.system))
        ours = theirs = _with(lone, *more)
    else:
        best = _best(crowd.gold, crowd.shared, len(pair.gold))
        ours = _with(lone, crowd.gold[best], crowd.system[best])
        best = _best(crowd.system, crowd.shared, len(pair.system))
        theirs = _with(lone, crowd.gold[best], crowd.system[best])
    return Events.of(
        pair,
        OUTCOMES,
        gold={"tp": ours, "fn": rest(len(pair.gold), ours[0])},
        system={"tp_system": theirs, "fp": rest(len(pair.system), theirs[1])},
    )


class Met(NamedTuple):
    """Some overlaps of a pair: which they are, their mentions, how many positions they share."""

    rows: IntArray
    gold: IntArray
    system: IntArray
    shared: IntArray


def met(pair: Pair, label: Label = "match") -> tuple[Met, Met]:
    """The overlaps of mentions whose labels are equal (or all), found once for every space: those
    whose mentions overlap no other, which are most, and those that are not alone.
    """
    key = ("met", label)
    if key not in pair.remembered:
        every = pair.overlaps
        found = Met(np.arange(len(every)), every.gold, every.system, every.shared)
        if label == "match":
            found = kept(found, pair.gold.label[every.gold] == pair.system.label[every.system])
        single = alone(found.gold, found.system)
        lone, crowd = (Met(*(part.compress(who) for part in found)) for who in (single, ~single))
        pair.remembered[key] = lone, crowd
    both: tuple[Met, Met] = pair.remembered[key]
    return both


def kept(some: Met, fits: BoolArray | None) -> Met:
    """Those that fit; None: all do."""
    if fits is None:
        return some
    here = fits if len(fits) == len(some.rows) else fits[some.rows]
    return Met(*(part.compress(here) for part in some))


def _with(
    lone: tuple[IntArray, IntArray], gold: IntArray, system: IntArray
) -> tuple[IntArray, IntArray]:
    return np.concatenate([lone[0], gold]), np.concatenate([lone[1], system])


def _best(rows: IntArray, shared: IntArray, size: int) -> IntArray:
    """For each row that is there, the place where it shares most; of several, the first."""
    count = len(rows)
    rank = shared * np.int64(count) + np.arange(count - 1, -1, -1)
    top = np.full(size, -1)
    np.maximum.at(top, rows, rank)
    return count - 1 - top[top >= 0] % max(count, 1)


def sizes(table: Mentions) -> IntArray:
    """How many positions each mention has.

    >>> from carob.corpus.corpus import Corpus
    >>> sizes(Corpus.of("[Ann Lee]PER met [Bo]PER").mentions).tolist()
    [2, 1]
    """
    if table.fragments is None:
        return table.end - table.start
    before = np.concatenate([[0], np.cumsum(table.fragments.end - table.fragments.start)])
    return np.diff(before[table.fragments.offsets])


def tokens_apart(pair: Pair) -> tuple[IntArray, IntArray]:
    """For each overlap of the pair, how many tokens only the system and only gold has."""
    if "apart" in pair.remembered:
        known: tuple[IntArray, IntArray] = pair.remembered["apart"]
        return known
    met, tokens = pair.overlaps, pair.in_tokens
    shared = met.shared
    if tokens is not pair:
        # Two mentions may share a token and no character; only the overlaps of the pair count.
        size = np.int64(len(pair.system))
        wanted = met.gold * size + met.system
        there = tokens.overlaps.gold * size + tokens.overlaps.system
        place = np.searchsorted(there, wanted)
        found = np.append(there, -1)[place] == wanted
        shared = np.where(found, np.append(tokens.overlaps.shared, 0)[place], 0)
    spurious = sizes(tokens.system)[met.system] - shared
    missing = sizes(tokens.gold)[met.gold] - shared
    found = pair.remembered["apart"] = spurious, missing
    return found
