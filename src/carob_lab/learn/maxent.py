"""maxent: each token is classified by itself, then the best legal sequence is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from carob.arrays.types import FloatArray, IntArray
from carob.pair.texts import Examples, Texts
from carob_lab.learn._crfsuite import feature_lists, trained_weights, trainer
from carob_lab.learn._tagging import TaggingModel, Tags, fit_chains, load_chains, refuse_negative


@dataclass(frozen=True, slots=True)
class Maxent:
    """Maximum entropy: each token begins, continues, ends or is a mention, or is outside.

    The classes of tokens (begin, inside, end and single of each slot, and outside) have the
    probabilities of multinomial logistic regression, regularised by `c1` and `c2` as `crf` is, at
    most `iterations` steps of L-BFGS. Features that occur only once are left out. Of the sequences
    that are legal (an end after a begin of the same slot ...) the most probable is the answer.
    Confidences are probabilities of mentions among the legal sequences. Training has no random
    part, so the seed makes no difference.

    Slots that overlap need `per_slot=true`, a model for each slot. Otherwise the longest of
    mentions that overlap is learned from, and the others are counted.

    Chieu & Ng (2002), "A Maximum Entropy Approach to Information Extraction from Semi-Structured
    and Free Text", section 2.

    >>> from carob.corpus.corpus import Corpus
    >>> corpus = Corpus.of("by [Ann Lee]who today", "with [Bo Dahl]who today")
    >>> Maxent().fit(Examples.of(corpus), ("who",), 0).slots
    ('who',)
    """

    name: ClassVar[str] = "maxent"
    extra: ClassVar[str] = "crf"
    knows_uncertainty: ClassVar[bool] = True
    c1: float = 0.1
    c2: float = 0.1
    iterations: int = 100
    per_slot: bool = False

    def __post_init__(self) -> None:
        refuse_negative(self.name, c1=self.c1, c2=self.c2, iterations=self.iterations)

    def fit(self, examples: Examples, slots: tuple[str, ...], seed: int) -> TaggingModel:
        """Train one classifier for all slots, or one for each."""
        return fit_chains(self, examples, slots, "bies", self._weights)

    def _weights(
        self, rows: IntArray, wanted: IntArray, tags: Tags, texts: Texts, features: int
    ) -> tuple[FloatArray, FloatArray]:
        made = trainer(self.name, self.c1, self.c2, self.iterations)
        lists = feature_lists(rows, features, wanted, len(tags))
        for own, tag in zip(lists, wanted.tolist(), strict=True):
            made.append([own], [str(tag)])  # a sequence of one token has no transitions
        weights, moves = trained_weights(made, features, len(tags))
        return weights, np.zeros_like(moves)

    def load(self, folder: Path) -> TaggingModel:
        """A model that was saved."""
        return load_chains(folder)
