"""Slots: what the slot error rate counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from carob.arrays.types import FloatArray, IntArray
from carob.counts.events import Events
from carob.match._align import Alignment, agreeing, mentions_aligned, settled, slots_aligned
from carob.pair.pair import Pair

_OUTCOMES = ("C", "S", "D", "C_system", "S_system", "I")
_QUANTITIES: Mapping[str, Mapping[str, float]] = {
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
    outcomes: ClassVar[tuple[str, ...]] = _OUTCOMES
    errors: ClassVar[tuple[str, ...]] = ("S", "D", "S_system", "I")
    quantities: ClassVar[Mapping[str, Mapping[str, float]]] = _QUANTITIES

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", settled(self.name, self.attributes))

    def __call__(self, pair: Pair) -> Events:
        """Align, then count the slots of each pair that agree."""
        found = slots_aligned(pair, self.attributes)
        slots = 2 + len(self.attributes)
        return _counted(pair, found, _right(pair, found, self.attributes), slots)


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
    outcomes: ClassVar[tuple[str, ...]] = _OUTCOMES
    errors: ClassVar[tuple[str, ...]] = ("S", "D", "S_system", "I")
    quantities: ClassVar[Mapping[str, Mapping[str, float]]] = _QUANTITIES

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", settled(self.name, self.attributes))

    def __call__(self, pair: Pair) -> Events:
        """Align, then see which pairs agree on everything."""
        found = mentions_aligned(pair)
        right = _right(pair, found, self.attributes)
        return _counted(pair, found, right // (2 + len(self.attributes)), 1)


def _right(pair: Pair, found: Alignment, attributes: tuple[str, ...]) -> IntArray:
    """How many slots of each aligned pair agree."""
    right = agreeing(pair, found.gold, found.system, attributes)
    right += found.label
    right += found.extent
    return right


def _counted(pair: Pair, found: Alignment, right: IntArray, slots: int) -> Events:
    """The events of aligned pairs with so many of their slots right."""
    some, wrong = right > 0, right < slots
    correct = found.gold.compress(some), found.system.compress(some)
    substituted = found.gold.compress(wrong), found.system.compress(wrong)
    c: FloatArray = right.compress(some).astype(float)
    s: FloatArray = (slots - right.compress(wrong)).astype(float)
    d: FloatArray = (0 * found.gold_rest + slots).astype(float)
    i: FloatArray = (0 * found.system_rest + slots).astype(float)
    return Events.of(
        pair,
        _OUTCOMES,
        gold={"C": correct, "S": substituted, "D": found.gold_rest},
        system={"C_system": correct, "S_system": substituted, "I": found.system_rest},
        weights={"C": c, "S": s, "D": d, "C_system": c, "S_system": s, "I": i},
    )
