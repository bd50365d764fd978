"""Slots: what the slot error rate counts, and the alignment of mentions that it counts on.

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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from carob.arrays.assign import assign
from carob.arrays.join import rest
from carob.arrays.optimum import TooManyStepsError
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.problems import DataError, RecipeError, nearest, shown
from carob.corpus.tables import UNKNOWN, Codes
from carob.counts.events import Events
from carob.pair.pair import Pair

OUTCOMES = ("C", "S", "D", "C_system", "S_system", "I")
ERRORS = ("S", "D", "S_system", "I")
QUANTITIES: Mapping[str, Mapping[str, float]] = {
    "gold_right": {"C": 1},
    "gold_all": {"C": 1, "S": 1, "D": 1},
    "system_right": {"C_system": 1},
    "system_all": {"C_system": 1, "S_system": 1, "I": 1},
    "c": {"C": 1},
    "s": {"S": 1},
    "d": {"D": 1},
    "i": {"I": 1},
}


@dataclass(frozen=True, slots=True)
class Slots:
    """A mention has two slots, its type and its extent, and each is right or wrong separately.

    Mentions that share a position are aligned one-to-one, so that the fewest errors remain. A slot
    of an aligned pair is correct (C) or substituted (S); an unaligned gold mention is two
    deletions (D), an unaligned system mention two insertions (I). Each named attribute is one more
    slot; it is correct when both sides have the same value or neither has any. C and S count for
    the label of the gold mention; C_system and S_system are the same slots under the label of the
    system mention. If more than half a million overlaps of one document are connected, any of
    several equally good alignments may be chosen: the counts of the document stay exact, those of
    its labels may shift. Makhoul et al. (1999), "Performance measures for information extraction",
    section 2, who leave the alignment open. In the example one label is right and its extent is
    not, and two mentions are unaligned:

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> gold = Corpus.of("[Ann Lee]PER visited [New York]LOC .")
    >>> system = Corpus.of("[Ann]PER Lee [visited]EVT New York .")
    >>> Tally.of(Slots(), Pair.of(gold, system)).counted()
    {'C': 1.0, 'S': 1.0, 'D': 2.0, 'C_system': 1.0, 'S_system': 1.0, 'I': 2.0}
    """

    attributes: tuple[str, ...] = ()

    name: ClassVar[str] = "slots"
    items: ClassVar[Literal["mention", "filler"]] = "mention"
    symmetric: ClassVar[bool] = True
    by_document: ClassVar[bool] = True
    outcomes, errors, quantities = OUTCOMES, ERRORS, QUANTITIES

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", sorted_names(self.name, self.attributes))

    def __call__(self, pair: Pair) -> Events:
        """Align, then count the slots of each pair that agree."""
        aligned = align(pair, self.attributes)
        right = _right(pair, aligned, self.attributes)
        return _events(pair, aligned, right, 2 + len(self.attributes))


@dataclass(frozen=True, slots=True)
class WholeMentions:
    """A mention is one slot, right when its type and its extent are.

    Like `slots`, but an aligned pair is correct (C) only if label, extent and all named attributes
    agree, otherwise it is one substitution (S); an unaligned mention is one deletion (D) or
    insertion (I). Makhoul et al. (1999), "Performance measures for information extraction", section
    2: a tag consists of one or more slots.

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> gold = Corpus.of("[Ann Lee]PER visited [New York]LOC .")
    >>> system = Corpus.of("[Ann]PER Lee [visited]EVT New York .")
    >>> Tally.of(WholeMentions(), Pair.of(gold, system)).counted()
    {'C': 0.0, 'S': 1.0, 'D': 1.0, 'C_system': 0.0, 'S_system': 1.0, 'I': 1.0}
    """

    attributes: tuple[str, ...] = ()

    name: ClassVar[str] = "mentions"
    items: ClassVar[Literal["mention", "filler"]] = "mention"
    symmetric: ClassVar[bool] = True
    by_document: ClassVar[bool] = True
    outcomes, errors, quantities = OUTCOMES, ERRORS, QUANTITIES

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", sorted_names(self.name, self.attributes))

    def __call__(self, pair: Pair) -> Events:
        """Align, then see which pairs agree on everything."""
        aligned = align(pair, None)
        right = _right(pair, aligned, self.attributes)
        return _events(pair, aligned, right // (2 + len(self.attributes)), 1)


class Alignment(NamedTuple):
    """Pairs of aligned mentions, sorted by gold: whether their labels agree, whether all their
    fragments do. `gold_rest` and `system_rest` are the mentions left alone.
    """

    gold: IntArray
    system: IntArray
    label: BoolArray
    extent: BoolArray
    gold_rest: IntArray
    system_rest: IntArray


def align(pair: Pair, attributes: tuple[str, ...] | None = ()) -> Alignment:
    """The alignment of `slots`, where a mention has a slot each for label, extent and attributes:
    a pair that agrees on one more attribute has one more slot correct.

    None is the alignment of `mentions`, where a mention is one slot. Identical mentions are taken
    first, so no other pair is correct and all save one error: as many pairs as there can be, then
    most shared positions. In `slots` fewer pairs, with more slots correct, may be as good.
    """
    key = ("alignment", attributes)
    if key not in pair.remembered:
        pair.remembered[key] = _aligned(pair, attributes)
    alignment: Alignment = pair.remembered[key]
    return alignment


def _aligned(pair: Pair, attributes: tuple[str, ...] | None) -> Alignment:
    gold, system = pair.identical
    ours, theirs = pair.keys(label=False)
    free_gold, free_system = np.ones(len(pair.gold), bool), np.ones(len(pair.system), bool)
    free_gold[gold], free_system[system] = False, False
    edges = pair.overlaps
    free = np.flatnonzero(free_gold[edges.gold] & free_system[edges.system])
    one, other, shared = edges.gold[free], edges.system[free], edges.shared[free]
    slots, right = 1, np.zeros(len(free), np.int64)
    if attributes is not None:
        slots = 2 + len(attributes)
        right += pair.gold.label[one] == pair.system.label[other]
        right += ours[one] == theirs[other]
        right += _agreeing(pair, one, other, attributes)
    try:
        taken = assign(one, other, [slots + right, right, shared])
    except TooManyStepsError as error:
        raise pair.too_large(
            int(pair.gold.doc[error.gold]), "mentions that overlap in too many ways to align them",
            "at most some 300 mentions that all overlap each other", "-m exact.PRF aligns nothing",
        ) from None  # fmt: skip
    partner = np.full(len(pair.gold), -1)
    partner[gold], partner[one[taken]] = system, other[taken]
    gold = np.flatnonzero(partner >= 0)
    system = partner[gold]
    return Alignment(
        gold,
        system,
        pair.gold.label[gold] == pair.system.label[system],
        ours[gold] == theirs[system],
        np.flatnonzero(partner < 0),
        rest(len(pair.system), system),
    )


def _agreeing(
    pair: Pair, gold: IntArray, system: IntArray, attributes: tuple[str, ...]
) -> IntArray:
    """On how many of the attributes each pair of mentions agrees; absent on both sides agrees."""
    count = np.zeros(len(gold), np.int64)
    for name in attributes:
        ours, theirs = pair.gold.attributes.get(name), pair.system.attributes.get(name)
        if ours is None and theirs is None:
            names = sorted({*pair.gold.attributes, *pair.system.attributes})
            hint = nearest(name, names) if names else "; the mentions have no attributes"
            raise DataError(f"no attribute is called {shown(name)}{hint}")
        ours = ours or Codes(np.full(len(pair.gold), UNKNOWN), ())
        theirs = theirs or Codes(np.full(len(pair.system), UNKNOWN), ())
        values = tuple(sorted({*ours.values, *theirs.values}))
        count += ours.onto(values).codes[gold] == theirs.onto(values).codes[system]
    return count


def _right(pair: Pair, aligned: Alignment, attributes: tuple[str, ...]) -> IntArray:
    """How many slots of each aligned pair agree."""
    agree = _agreeing(pair, aligned.gold, aligned.system, attributes)
    return agree + aligned.label + aligned.extent


def _events(pair: Pair, aligned: Alignment, right: IntArray, slots: int) -> Events:
    """The events of aligned pairs with so many of their slots right."""
    some, wrong = right > 0, right < slots
    correct = aligned.gold[some], aligned.system[some]
    substituted = aligned.gold[wrong], aligned.system[wrong]
    c, s = right[some].astype(float), (slots - right[wrong]).astype(float)
    d, i = (np.full(len(r), float(slots)) for r in (aligned.gold_rest, aligned.system_rest))
    return Events.of(
        pair,
        OUTCOMES,
        gold={"C": correct, "S": substituted, "D": aligned.gold_rest},
        system={"C_system": correct, "S_system": substituted, "I": aligned.system_rest},
        weights={"C": c, "S": s, "D": d, "C_system": c, "S_system": s, "I": i},
    )


def sorted_names(
    space: str, names: Sequence[str], parameter: str = "attributes"
) -> tuple[str, ...]:
    """Names in one order, so that a+b and b+a are the same event space."""
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise RecipeError(f"{space}({parameter}=…): found {names!r}, expected a tuple of names")
    if len(set(names)) < len(names):
        raise RecipeError(f"{space}({parameter}={'+'.join(names)}): a name occurs twice")
    return tuple(sorted(names))
