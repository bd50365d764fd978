"""Semeval: the categories of MUC, in the modes of SemEval 2013, HIPE and eHealth-KD."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from carob.arrays.greedy import greedy
from carob.arrays.join import join, rest
from carob.arrays.types import BoolArray, IntArray
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

Mode = Literal["strict", "exact", "partial", "type", "fuzzy", "ehealth"]
_MODES = get_args(Mode)

Rows = tuple[IntArray, IntArray]
"""Pairs of mentions: rows of gold, rows of the system."""


@dataclass(frozen=True, slots=True)
class Semeval:
    """Mentions are correct, incorrect, partly correct, missing or spurious, as in MUC.

    Mentions are aligned as in `slots`. An aligned pair is correct (COR) if extent and label agree
    (`mode=strict`), if the extent agrees (`exact` and `partial`), or if the label agrees (`type`);
    otherwise it is incorrect (INC), or in mode `partial` partly correct (PAR, worth a half). An
    unaligned gold mention is missing (MIS), an unaligned system mention spurious (SPU). COR, INC
    and PAR count for the label of the gold mention; COR_system, INC_system and PAR_system are the
    same pairs under the label of the system mention. P = (COR + 0.5 PAR) / (COR + INC + PAR + SPU),
    R = (COR + 0.5 PAR) / (COR + INC + PAR + MIS). Of equally good alignments the first in gold
    order counts, so exchanging gold and system may, in rare ties, change COR in all modes but
    strict. Chinchor & Sundheim (1993), "MUC-5 Evaluation Metrics"; Segura-Bedmar et al. (2013),
    "SemEval-2013 Task 9".

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> gold = Corpus.of("[Ann Lee]PER visited [New York]LOC .")
    >>> system = Corpus.of("[Ann]PER Lee [visited]EVT [New York]ORG .")
    >>> def counts(mode):
    ...     tally = Tally.of(Semeval(mode), Pair.of(gold, system)).counted()
    ...     return {name: tally[name] for name in ("COR", "INC", "PAR", "MIS", "SPU")}
    >>> counts("partial")
    {'COR': 1.0, 'INC': 0.0, 'PAR': 1.0, 'MIS': 0.0, 'SPU': 1.0}

    Two modes have alignments of their own, those of published programs. Both take identical
    mentions first. In `fuzzy` each remaining system mention then takes, in document order, the
    first free gold mention that it shares a position with; a pair is correct if the labels agree,
    otherwise incorrect. Ehrmann et al. (2020), "Extended Overview of CLEF HIPE 2020", fuzzy
    regime. In `ehealth` mentions with the same extent and different labels are incorrect; then
    each remaining system mention takes, in document order, the first free gold mention of its
    label that it shares a position with, and is partly correct; all others are missing or
    spurious. Piad-Morffis et al. (2020), "Overview of the eHealth Knowledge Discovery Challenge at
    IberLEF 2020", task A.

    >>> counts("fuzzy")
    {'COR': 1.0, 'INC': 1.0, 'PAR': 0.0, 'MIS': 0.0, 'SPU': 1.0}
    >>> counts("ehealth")
    {'COR': 0.0, 'INC': 1.0, 'PAR': 1.0, 'MIS': 0.0, 'SPU': 1.0}
    """

    mode: Mode = "strict"

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
        pairs = self._pairs(pair)
        gold, system = (np.concatenate([rows[i] for rows in pairs.values()]) for i in (0, 1))
        return Events.of(
            pair,
            self.outcomes,
            gold={**pairs, "MIS": rest(len(pair.gold), gold)},
            system={
                **{f"{outcome}_system": rows for outcome, rows in pairs.items()},
                "SPU": rest(len(pair.system), system),
            },
        )

    def _pairs(self, pair: Pair) -> Mapping[str, Rows]:
        """The aligned pairs, by outcome."""
        if self.mode == "ehealth":
            return _ehealth_pairs(pair)
        if self.mode == "fuzzy":
            gold, system = _with_first_overlapping(pair, pair.identical)
            right = pair.gold.label[gold] == pair.system.label[system]
        else:
            aligned = align(pair)
            gold, system = aligned.gold, aligned.system
            right = aligned.label if self.mode == "type" else aligned.extent
            if self.mode == "strict":
                right = right & aligned.label
        wrong = "PAR" if self.mode == "partial" else "INC"
        return {"COR": (gold[right], system[right]), wrong: (gold[~right], system[~right])}


def _ehealth_pairs(pair: Pair) -> Mapping[str, Rows]:
    """Identical mentions, then those of the same extent, then those of the same label."""
    gold, system = pair.identical
    ours, theirs = rest(len(pair.gold), gold), rest(len(pair.system), system)
    left, right = pair.keys(label=False)
    one, other = join(left[ours], right[theirs])
    one, other = ours[one], theirs[other]
    taken = np.append(gold, one), np.append(system, other)
    every = _with_first_overlapping(pair, taken, pair.same_label)
    partial = every[0][len(taken[0]) :], every[1][len(taken[1]) :]
    return {"COR": (gold, system), "INC": (one, other), "PAR": partial}


def _with_first_overlapping(pair: Pair, taken: Rows, allowed: BoolArray | None = None) -> Rows:
    """These pairs, and after them those of what is left: system mentions, in document order, each
    take the first free gold mention that they overlap. `allowed` says which overlaps count.
    """
    edges = pair.overlaps
    free_gold, free_system = np.ones(len(pair.gold), bool), np.ones(len(pair.system), bool)
    free_gold[taken[0]], free_system[taken[1]] = False, False
    free = free_gold[edges.gold] & free_system[edges.system]
    if allowed is not None:
        free &= allowed
    gold, system = edges.gold[free], edges.system[free]
    order = np.lexsort((gold, system))
    gold, system = gold[order], system[order]
    first = greedy(gold, system)
    return np.append(taken[0], gold[first]), np.append(taken[1], system[first])
