"""Semeval: the categories of MUC, in the four modes of SemEval 2013."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from carob.corpus.problems import RecipeError, nearest
from carob.counts.events import Events
from carob.match._align import slots_aligned
from carob.match._muc import ERRORS, OUTCOMES, QUANTITIES
from carob.pair.pair import Pair

_MODES = ("strict", "exact", "partial", "type")


@dataclass(frozen=True, slots=True)
class Semeval:
    """Mentions are correct, incorrect, partly correct, missing or spurious, as in MUC.

    Mentions are aligned as in `slots`. An aligned pair is correct (COR) if extent and label agree
    (`mode=strict`), if the extent agrees (`exact` and `partial`), or if the label agrees (`type`);
    otherwise it is incorrect (INC), or in mode `partial` partly correct (PAR, worth a half). An
    unaligned gold mention is missing (MIS), an unaligned system mention spurious (SPU). COR, INC
    and PAR count for the label of the gold mention; COR_system, INC_system and PAR_system are the
    same pairs under the label of the system mention. Of equally good alignments the first in gold
    order counts, so exchanging gold and system may, in rare ties, change COR in all modes but
    strict. Chinchor & Sundheim (1993), "MUC-5 Evaluation Metrics"; Segura-Bedmar et al. (2013),
    "SemEval-2013 Task 9".

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> gold = Corpus.of("[Ann Lee]PER visited [New York]LOC .")
    >>> system = Corpus.of("[Ann]PER Lee [visited]EVT [New York]ORG .")
    >>> counts = Tally.of(Semeval(mode="partial"), Pair.of(gold, system)).counted()
    >>> {name: counts[name] for name in ("COR", "INC", "PAR", "MIS", "SPU")}
    {'COR': 1.0, 'INC': 0.0, 'PAR': 1.0, 'MIS': 0.0, 'SPU': 1.0}
    """

    mode: Literal["strict", "exact", "partial", "type"] = "strict"

    name: ClassVar[str] = "semeval"
    items: ClassVar[Literal["mention", "filler"]] = "mention"
    by_document: ClassVar[bool] = True
    outcomes: ClassVar[tuple[str, ...]] = OUTCOMES
    errors: ClassVar[tuple[str, ...]] = ERRORS
    quantities: ClassVar[Mapping[str, Mapping[str, float]]] = QUANTITIES

    def __post_init__(self) -> None:
        if self.mode not in _MODES:
            raise RecipeError(f"semeval has no mode {self.mode!r}{nearest(str(self.mode), _MODES)}")

    @property
    def symmetric(self) -> bool:
        """Whether exchanging the sides exchanges P and R; ties may move COR in other modes."""
        return self.mode == "strict"

    def __call__(self, pair: Pair) -> Events:
        """Align, then judge each pair."""
        found = slots_aligned(pair)
        right = found.label if self.mode == "type" else found.extent
        if self.mode == "strict":
            right = right & found.label
        good = found.gold.compress(right), found.system.compress(right)
        bad = found.gold.compress(~right), found.system.compress(~right)
        none = np.empty(0, np.int64), np.empty(0, np.int64)
        incorrect, partial = (none, bad) if self.mode == "partial" else (bad, none)
        return Events.of(
            pair,
            self.outcomes,
            gold={"COR": good, "INC": incorrect, "PAR": partial, "MIS": found.gold_rest},
            system={
                "COR_system": good,
                "INC_system": incorrect,
                "PAR_system": partial,
                "SPU": found.system_rest,
            },
        )
