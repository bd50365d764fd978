"""Semeval: the categories of MUC, in the four modes of SemEval 2013."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from carob.corpus.problems import RecipeError, nearest
from carob.counts.events import Events
from carob.match.slots import align
from carob.pair.pair import Pair

OUTCOMES = ("COR", "INC", "PAR", "MIS", "COR_system", "INC_system", "PAR_system", "SPU")
ERRORS = ("INC", "MIS", "INC_system", "SPU", "s")
QUANTITIES: Mapping[str, Mapping[str, float]] = {
    "gold_right": {"COR": 1, "PAR": 0.5},
    "gold_all": {"COR": 1, "INC": 1, "PAR": 1, "MIS": 1},
    "system_right": {"COR_system": 1, "PAR_system": 0.5},
    "system_all": {"COR_system": 1, "INC_system": 1, "PAR_system": 1, "SPU": 1},
    "c": {"COR": 1, "PAR": 0.5},
    "s": {"INC": 1, "PAR": 0.5},
    "d": {"MIS": 1},
    "i": {"SPU": 1},
}

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
    outcomes, errors, quantities = OUTCOMES, ERRORS, QUANTITIES

    def __post_init__(self) -> None:
        if self.mode not in _MODES:
            raise RecipeError(f"semeval has no mode {self.mode!r}{nearest(str(self.mode), _MODES)}")

    @property
    def symmetric(self) -> bool:
        """Whether exchanging the sides exchanges P and R; ties may move COR in other modes."""
        return self.mode == "strict"

    def __call__(self, pair: Pair) -> Events:
        """Align, then judge each pair."""
        aligned = align(pair)
        right = aligned.label if self.mode == "type" else aligned.extent
        if self.mode == "strict":
            right = right & aligned.label
        good = aligned.gold[right], aligned.system[right]
        bad = aligned.gold[~right], aligned.system[~right]
        wrong = "PAR" if self.mode == "partial" else "INC"
        return Events.of(
            pair,
            self.outcomes,
            gold={"COR": good, wrong: bad, "MIS": aligned.gold_rest},
            system={"COR_system": good, f"{wrong}_system": bad, "SPU": aligned.system_rest},
        )
