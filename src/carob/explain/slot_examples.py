"""Examples of fillers: what gold and the system have in a slot, and the words around it."""

from __future__ import annotations

from dataclasses import dataclass

from carob.corpus.corpus import Words
from carob.corpus.document import Mention
from carob.corpus.tables import Fragments
from carob.explain.examples import marked
from carob.explain.slots import KINDS, Judged
from carob.pair.filled import Filled, FilledPair, words_at
from carob.pair.pair import Pair


@dataclass(frozen=True)
class SlotExample:
    """One error: the slot, all that would be right, what the system says, and where they stand.

    `gold_marked` and `system_marked` are the words around a filler that has a place, or that was
    found at one.
    """

    outcome: str
    document: str
    slot: str
    gold: tuple[str, ...]
    system: str | None
    gold_marked: str | None
    system_marked: str | None
    grounded: bool = True


def text_of(filled: FilledPair, side: Filled, realisation: int, words: Words) -> str:
    """What a realisation of a filler says: its text, or the words at its place."""
    raw = side.raw[realisation]
    if raw is None:
        raw = words_at(words, side.fragments.of(realisation), filled.unit)
    return "?" if raw is None else raw


def slot_example(pair: Pair, judged: Judged, row: int, *, grounded: bool = True) -> SlotExample:
    """One row of what was judged, ready to be looked at."""
    filled = pair.filled
    doc = int(judged.doc[row])
    words = filled.words(doc)
    gold, system = int(judged.gold[row]), int(judged.system[row])
    places = filled.grounded
    ours = _mention(filled, filled.gold, places.gold, gold)
    theirs = _mention(filled, filled.system, places.system, system)
    source = words[0] if filled.unit == "char" else words[1]
    around = [
        None if source is None or each is None else marked(source, each, (each, None), filled.unit)
        for each in (ours, theirs)
    ]
    side, which = (filled.gold, gold) if gold >= 0 else (filled.system, system)
    return SlotExample(
        KINDS[int(judged.kind[row])],
        filled.documents.name(doc),
        filled.labels[side.label[which]],
        _texts(filled, filled.gold, gold, words),
        (_texts(filled, filled.system, system, words) or (None,))[0],
        around[0],
        around[1],
        grounded,
    )


def _texts(filled: FilledPair, side: Filled, row: int, words: Words) -> tuple[str, ...]:
    if row < 0:
        return ()
    every = range(int(side.realisations[row]), int(side.realisations[row + 1]))
    return tuple(dict.fromkeys(text_of(filled, side, each, words) for each in every))


def _mention(filled: FilledPair, side: Filled, places: Fragments, row: int) -> Mention | None:
    """A filler that has a place, as what stands there."""
    if row < 0 or not (fragments := places.of(int(side.realisations[row]))):
        return None
    return Mention.of(filled.labels[side.label[row]], fragments)
