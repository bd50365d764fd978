"""Exact matching: the same place, and (exact) the same label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from carob.arrays.join import join, rest
from carob.counts.events import Events
from carob.pair.pair import Pair


@dataclass(frozen=True, slots=True)
class Exact:
    """A mention is found when its label and all its boundaries are.

    One-to-one and as multisets: a mention that the system gives twice is right at most as often
    as gold has it. There are no true negatives: unmarked text is no event. This is what conlleval
    counts. Tjong Kim Sang & De Meulder (2003), "Introduction to the CoNLL-2003
    Shared Task", section 2.3; called the exact model by Esuli & Sebastiani (2010), "Evaluating
    Information Extraction".

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> gold = Corpus.of("[Ann Lee]PER visited [New York]LOC .")
    >>> system = Corpus.of("[Ann]PER Lee visited [New York]LOC .")
    >>> Tally.of(Exact(), Pair.of(gold, system)).counted()
    {'tp': 1.0, 'fp': 1.0, 'fn': 1.0}
    """

    name: ClassVar[str] = "exact"
    items: ClassVar[Literal["mention", "filler"]] = "mention"
    symmetric: ClassVar[bool] = True
    by_document: ClassVar[bool] = True
    outcomes: ClassVar[tuple[str, ...]] = ("tp", "fp", "fn")
    errors: ClassVar[tuple[str, ...]] = ("fp", "fn")
    quantities: ClassVar[Mapping[str, Mapping[str, float]]] = {
        "gold_right": {"tp": 1},
        "gold_all": {"tp": 1, "fn": 1},
        "system_right": {"tp": 1},
        "system_all": {"tp": 1, "fp": 1},
    }

    def __call__(self, pair: Pair) -> Events:
        """Join on document, fragments and label."""
        gold, system = pair.identical
        return Events.of(
            pair,
            self.outcomes,
            gold={"tp": (gold, system), "fn": rest(len(pair.gold), gold)},
            system={"fp": rest(len(pair.system), system)},
        )


@dataclass(frozen=True, slots=True)
class Boundary:
    """A mention is found when all its boundaries are, whatever its label.

    Exact matching with labels ignored. If several mentions have the same boundaries, those with
    equal labels pair first, then the rest in document order. A pair with different labels is
    right on both sides, on each under its own label: `tp` counts gold mentions, `tp_system`
    system mentions. Esuli & Sebastiani (2010), "Evaluating Information Extraction", discuss
    the exact model that this relaxes; nervaluate calls it "exact".

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> gold = Corpus.of("[Ann Lee]PER visited [New York]LOC .")
    >>> system = Corpus.of("[Ann Lee]ORG visited [New York]LOC .")
    >>> Tally.of(Boundary(), Pair.of(gold, system)).counted()
    {'tp': 2.0, 'tp_system': 2.0, 'fp': 0.0, 'fn': 0.0}
    """

    name: ClassVar[str] = "boundary"
    items: ClassVar[Literal["mention", "filler"]] = "mention"
    symmetric: ClassVar[bool] = True
    by_document: ClassVar[bool] = True
    outcomes: ClassVar[tuple[str, ...]] = ("tp", "tp_system", "fp", "fn")
    errors: ClassVar[tuple[str, ...]] = ("fp", "fn")
    quantities: ClassVar[Mapping[str, Mapping[str, float]]] = {
        "gold_right": {"tp": 1},
        "gold_all": {"tp": 1, "fn": 1},
        "system_right": {"tp_system": 1},
        "system_all": {"tp_system": 1, "fp": 1},
    }

    def __call__(self, pair: Pair) -> Events:
        """Join on everything first, then what is left without the label."""
        gold, system = pair.identical
        ours, theirs = rest(len(pair.gold), gold), rest(len(pair.system), system)
        left, right = pair.keys(label=False)
        more, others = join(left[ours], right[theirs])
        gold = np.concatenate([gold, ours[more]])
        system = np.concatenate([system, theirs[others]])
        return Events.of(
            pair,
            self.outcomes,
            gold={"tp": (gold, system), "fn": rest(len(pair.gold), gold)},
            system={"tp_system": (gold, system), "fp": rest(len(pair.system), system)},
        )
