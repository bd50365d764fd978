"""Averages over documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from karat.average._mean import Averaged, Means, Measure, mean, missing, valued
from karat.nouns._types import FloatArray
from karat.nouns.tally import Quantities, Tally, ratio


@dataclass(frozen=True, slots=True)
class MacroDoc:
    """Every document weighs the same: measure each over all its labels, then take the mean.

    A document with neither gold nor system items has no value and is left out. Lavelli et al.
    (2008), "Evaluation of machine learning-based information extraction algorithms".

    >>> from karat import Corpus, score
    >>> gold = Corpus.of("[Ann]PER slept", "[Bo]PER and [Cy]PER")
    >>> system = Corpus.of("[Ann]PER slept", "[Bo]PER and Cy")
    >>> score(gold, system, "exact.R@macro-doc").value
    0.75
    """

    name: ClassVar[str] = "macro-doc"

    def __call__(
        self, measure: Measure, tally: Tally, weights: FloatArray | None = None,
        zero: float | None = None,
    ) -> Averaged:  # fmt: skip
        """The score, or one for each row of `weights` (draws x units)."""
        value = valued(measure, tally.by_unit(), zero)
        if weights is None:
            return Averaged(mean(value, np.ones(len(value))), missing(value))
        there = ~np.isnan(value)
        drawn = ratio(weights @ np.where(there, value, 0.0), weights @ there.astype(np.float64))
        return Averaged(drawn, missing(value))


def _precision(q: Quantities) -> FloatArray:
    return ratio(q["system_right"], q["system_all"])


def _recall(q: Quantities) -> FloatArray:
    return ratio(q["gold_right"], q["gold_all"])


@dataclass(frozen=True, slots=True)
class MacroDocPr:
    """F of the mean precision and the mean recall over the documents that have gold items.

    What the event nugget scorer prints as macro average. Only for P, R and F. A document with
    gold and no answer has P = 0. Liu, Mitamura & Hovy (2015), "Evaluation Algorithms for Event
    Nugget Detection".

    >>> from karat import Corpus, score
    >>> gold = Corpus.of("[Ann]PER slept", "[Bo]PER and [Cy]PER")
    >>> system = Corpus.of("[Ann]PER slept", "[Bo]PER and Cy")
    >>> round(score(gold, system, "exact.F1@macro-doc-pr").value, 4)
    0.8571
    """

    name: ClassVar[str] = "macro-doc-pr"
    of: ClassVar[str] = "of_means"

    def __call__(
        self, measure: Measure, tally: Tally, weights: FloatArray | None = None,
        zero: float | None = None,
    ) -> Averaged:  # fmt: skip
        """The score, or one for each row of `weights` (draws x units)."""
        of_means = cast(Means, getattr(measure, self.of))
        q = tally.by_unit()
        there = (q["gold_all"] > 0).astype(np.float64)
        precision, recall = (np.nan_to_num(part(q)) * there for part in (_precision, _recall))
        each = np.ones((1, len(there))) if weights is None else weights
        count = each @ there
        found = of_means(ratio(each @ precision, count), ratio(each @ recall, count))
        return Averaged(found[0] if weights is None else found, int((there == 0).sum()))
