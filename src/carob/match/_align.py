"""The alignment of gold and system mentions that slots, mentions and semeval count on.

Identical mentions (label and all fragments) are aligned first, one-to-one in document order. Of
the others, two may be aligned if they share a position, and the alignment is the one with the
fewest errors S + D + I, among those with most C, then most shared positions, then the smallest list
of (gold, system) in document order. With k slots a mention, two mentions that are left alone are
2k errors, and aligned with c slots correct they are k - c: aligning them saves k + c.

In a component of more than `assign.LARGE` overlaps (some 700 mentions on each side of one document
that all overlap each other) the last two criteria are given up. C, S, D and I of the document are
the same then; which mentions are aligned, and so what a label gets of them, may not be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from carob.arrays.assign import assign
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.problems import RecipeError, UsageError, nearest, shown
from carob.corpus.tables import UNKNOWN, Codes
from carob.pair.pair import Pair


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Pairs of aligned mentions, sorted by gold: whether their labels agree, whether all their
    fragments do. `gold_rest` and `system_rest` are the mentions left alone.
    """

    gold: IntArray
    system: IntArray
    label: BoolArray
    extent: BoolArray
    gold_rest: IntArray
    system_rest: IntArray


def slots_aligned(pair: Pair, attributes: tuple[str, ...] = ()) -> Alignment:
    """The alignment of `slots`, where a mention has a slot each for label, extent and attributes.

    Attributes can change it: a pair that agrees on one more has one more slot correct.
    """
    return _remembered(pair, attributes)


def mentions_aligned(pair: Pair) -> Alignment:
    """The alignment of `mentions`, where a mention is one slot.

    Identical mentions are taken first, so no other pair is correct and all save one error: as many
    pairs as there can be, then most shared positions. In `slots` fewer pairs, with more slots
    correct, may be as good.
    """
    return _remembered(pair, None)


def _remembered(pair: Pair, attributes: tuple[str, ...] | None) -> Alignment:
    memory = pair.remembered
    key = ("alignment", attributes)
    if key not in memory:
        memory[key] = _aligned(pair, attributes)
    found: Alignment = memory[key]
    return found


def _aligned(pair: Pair, attributes: tuple[str, ...] | None) -> Alignment:
    gold, system = pair.identical
    ours, theirs = pair.keys(label=False)
    free, open_ = np.ones(len(pair.gold), bool), np.ones(len(pair.system), bool)
    free[gold], open_[system] = False, False
    met = pair.overlaps
    edges = np.flatnonzero(free[met.gold] & open_[met.system])
    one, other, shared = (
        part[edges].astype(np.int32) for part in (met.gold, met.system, met.shared)
    )
    slots, right = 1, np.zeros(len(edges), np.int32)
    if attributes is not None:
        slots = 2 + len(attributes)
        right += pair.gold.label[one] == pair.system.label[other]
        right += ours[one] == theirs[other]
        right += agreeing(pair, one, other, attributes)
    taken = assign(one, other, [slots + right, right, shared])
    one, other = one[taken], other[taken]
    # By gold mention; identical ones agree on everything.
    partner = np.full(len(pair.gold), -1)
    label, extent = np.ones(len(pair.gold), bool), np.ones(len(pair.gold), bool)
    partner[gold], partner[one] = system, other
    label[one] = pair.gold.label[one] == pair.system.label[other]
    extent[one] = ours[one] == theirs[other]
    open_[other] = False
    aligned = partner >= 0
    return Alignment(
        np.flatnonzero(aligned),
        partner.compress(aligned),
        label.compress(aligned),
        extent.compress(aligned),
        np.flatnonzero(~aligned),
        np.flatnonzero(open_),
    )


def agreeing(pair: Pair, gold: IntArray, system: IntArray, attributes: tuple[str, ...]) -> IntArray:
    """On how many of the attributes each pair of mentions agrees; absent on both sides agrees."""
    count = np.zeros(len(gold), np.int32)
    for name in attributes:
        ours, theirs = pair.gold.attributes.get(name), pair.system.attributes.get(name)
        if ours is None and theirs is None:
            raise _unknown(name, {*pair.gold.attributes, *pair.system.attributes})
        ours = ours or Codes(np.full(len(pair.gold), UNKNOWN), ())
        theirs = theirs or Codes(np.full(len(pair.system), UNKNOWN), ())
        values = tuple(sorted({*ours.values, *theirs.values}))
        count += ours.onto(values).codes[gold] == theirs.onto(values).codes[system]
    return count


def _unknown(name: str, there: set[str]) -> UsageError:
    tail = nearest(name, sorted(there)) if there else "; the mentions have no attributes"
    return UsageError(f"no attribute is called {shown(name)}{tail}")


def settled(space: str, attributes: Sequence[str]) -> tuple[str, ...]:
    """Names of attributes in one order, so that a+b and b+a are the same event space."""
    if isinstance(attributes, str) or not all(isinstance(name, str) for name in attributes):
        raise RecipeError(f"{space}(attributes=…): found {attributes!r}, expected a tuple of names")
    if len(set(attributes)) < len(attributes):
        raise RecipeError(f"{space}(attributes={'+'.join(attributes)}): a name occurs twice")
    return tuple(sorted(attributes))
