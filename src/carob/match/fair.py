"""Fair error types: what is wrong with a mention counts once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from carob.arrays.join import rest
from carob.corpus.problems import RecipeError, nearest
from carob.counts.events import Events
from carob.match._fair import error_types
from carob.match._formula import BE, TERMS, TYPES, spelled, weights_of
from carob.pair.pair import Pair


@dataclass(frozen=True, slots=True)
class Fair:
    """A wrong mention is one error, named by what is wrong: its label, its boundary, or both.

    If only exact matches count, a mention with a wrong boundary or label is two errors, one on
    each side, and a mention that was missed completely is only one. Here each is one error:

    - `TP`: label and tokens are right. `LE`, labelling error: same extent, different label.
    - `BES`, `BEL`, `BEO`, boundary errors: same label, and the system's extent is smaller than
      gold's, larger, or overlaps it; `BE` is their sum. `LBE`: overlaps, and the label differs.
    - `FN`: a gold mention of which nothing was found. `FP`: a system mention of which nothing is
      in gold.

    `weights` say how much TP, FP and FN an LE, BES, BEL, BEO and LBE is: by default 0.5 FP +
    0.5 FN. So P = TP / (TP + FP + 0.5 (LE + BE + LBE)), R likewise with FN; in general P = right /
    (right + FP + weights' FP) and R = right / (right + FN + weights' FN), where right = TP +
    weights' TP. Weights are a formula, `fair(weights="LE = FP, BE = 0.5 TP + 0.5 FN")`, in which
    types that are not named keep the default, or a name: `boundary` gives boundary errors half
    a TP, `ortmann2021` makes each error 1 FP, `read2012` 1 FN. P is undefined when the system
    has nothing of any weight, R when gold has nothing of any weight.

    If several mentions overlap, the shortest choose first, and each chooses the most similar.
    Tokens that are claimed are no longer available to others; a mention that has tokens left may
    take part in another BE or LBE. So a mention may be counted more than once, and exchanging the
    sides may change the counts. A pair counts for gold's label on both sides, or with
    `focus=system` for the system's. Tokens are compared even if positions are characters.

    Ortmann (2022), "Fine-Grained Error Analysis and Fair Evaluation of Labeled Spans", poster,
    "Error Types" and "Algorithm for Error Identification"; the details of the algorithm are
    those of its program, FairEval. The example has each of the poster's three kinds of errors once:

    >>> from carob import Corpus, score
    >>> gold = Corpus.of("[Ann]A met [Bo Lee]A in [New York]A")
    >>> system = Corpus.of("[Ann]B met [Bo]A Lee in [New]B York")
    >>> scores = score(gold, system, ["exact.fp", "exact.fn", "fair.LE", "fair.BE", "fair.LBE"])
    >>> [one.value for one in scores]
    [3.0, 3.0, 1.0, 1.0, 1.0]
    >>> score(gold, system, "fair.system_all").value
    1.5
    """

    focus: Literal["gold", "system"] = "gold"
    weights: str = "default"

    name: ClassVar[str] = "fair"
    items: ClassVar[Literal["mention", "filler"]] = "mention"
    by_document: ClassVar[bool] = True
    outcomes: ClassVar[tuple[str, ...]] = ("TP", "LE", "BES", "BEL", "BEO", "LBE", "FP", "FN")
    errors: ClassVar[tuple[str, ...]] = ("LE", "BES", "BEL", "BEO", "LBE", "FP", "FN")
    symmetric: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.focus not in ("gold", "system"):
            there = nearest(str(self.focus), ["gold", "system"])
            raise RecipeError(f"fair(focus=…): found {self.focus}{there}")
        if not isinstance(self.weights, str):
            raise RecipeError(f"fair(weights=…): found {self.weights}, expected a text")
        object.__setattr__(self, "weights", spelled(weights_of(self.weights)))

    @property
    def quantities(self) -> Mapping[str, Mapping[str, float]]:
        """Right and all on both sides, as the weights make them; and BE, all boundary errors."""
        weights = dict(zip(TYPES, weights_of(self.weights), strict=True))
        parts: dict[str, dict[str, float]] = {
            term: {term: 1.0} | {kind: each[i] for kind, each in weights.items() if each[i]}
            for i, term in enumerate(TERMS)
        }
        right = parts["TP"]
        gold_all, system_all = (
            {kind: right.get(kind, 0.0) + parts[wrong].get(kind, 0.0) for kind in self.outcomes}
            for wrong in ("FN", "FP")
        )
        return {
            "gold_right": right,
            "gold_all": gold_all,
            "system_right": right,
            "system_all": system_all,
            "BE": dict.fromkeys(BE, 1.0),
        }

    def __call__(self, pair: Pair) -> Events:
        """Name the errors, and put each under its label."""
        found = error_types(pair.in_tokens)
        gold, system = (
            rest(len(table), np.concatenate([pairs[side] for pairs in found.values()]))
            for side, table in enumerate((pair.gold, pair.system))
        )
        right = {"TP": found.pop("TP")}
        ours = found if self.focus == "gold" else {}
        theirs = found if self.focus == "system" else {}
        return Events.of(
            pair,
            self.outcomes,
            gold=right | ours | {"FN": gold},
            system=theirs | {"FP": system},
        )
