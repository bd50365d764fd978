"""What the overlap family shares: from pairs that may match to events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np

from karat.arrays.join import rest
from karat.arrays.pair_up import pair_up
from karat.nouns._types import BoolArray, IntArray
from karat.nouns.errors import RecipeError, nearest
from karat.nouns.events import Events
from karat.nouns.pair import Pair
from karat.nouns.tables import Mentions

Label = Literal["match", "ignore"]
Pairing = Literal["many", "one"]

OUTCOMES = ("tp", "tp_system", "fp", "fn")
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
    met = pair.overlaps
    gold, system, shared = met.gold, met.system, met.shared
    if label == "match":
        same: BoolArray = pair.gold.label[gold] == pair.system.label[system]
        fits = same if fits is None else fits & same
    if fits is not None and not fits.all():
        gold, system, shared = gold[fits], system[fits], shared[fits]
    if pairing == "one":
        ours = theirs = pair_up(gold, system, len(pair.gold), len(pair.system))
    else:
        best = _best(gold, shared, len(pair.gold))
        ours = gold[best], system[best]
        best = _best(system, shared, len(pair.system))
        theirs = gold[best], system[best]
    return Events.of(
        pair,
        OUTCOMES,
        gold={"tp": ours, "fn": rest(len(pair.gold), ours[0])},
        system={"tp_system": theirs, "fp": rest(len(pair.system), theirs[1])},
    )


def _best(rows: IntArray, shared: IntArray, size: int) -> IntArray:
    """For each row that is there, the place where it shares most; of several, the first."""
    count = len(rows)
    rank = shared * np.int64(count) + np.arange(count - 1, -1, -1)
    top = np.full(size, -1)
    np.maximum.at(top, rows, rank)
    return count - 1 - top[top >= 0] % max(count, 1)


def sizes(table: Mentions) -> IntArray:
    """How many positions each mention has.

    >>> from karat.nouns.corpus import Corpus
    >>> sizes(Corpus.of("[Ann Lee]PER met [Bo]PER").mentions).tolist()
    [2, 1]
    """
    if table.fragments is None:
        return table.end - table.start
    before = np.concatenate([[0], np.cumsum(table.fragments.end - table.fragments.start)])
    return np.diff(before[table.fragments.offsets])


def tokens_apart(pair: Pair) -> tuple[IntArray, IntArray]:
    """For each overlap of the pair, how many tokens only the system and only gold has."""
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
    return spurious, missing
