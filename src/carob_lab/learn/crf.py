"""crf: a conditional random field over sequences of tags."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

from carob.arrays.types import FloatArray, IntArray
from carob.pair.texts import Examples, Texts
from carob_lab.learn._crfsuite import feature_lists, trained_weights, trainer
from carob_lab.learn._tagging import TaggingModel, Tags, fit_chains, load_chains, refuse_negative


@dataclass(frozen=True, slots=True)
class Crf:
    """A linear-chain conditional random field over BIO tags, trained by CRFsuite.

    The weights maximise the probability of gold's tags, less `c1` times the sum of their absolute
    values and `c2` times the sum of their squares; L-BFGS, at most `iterations` steps. Features
    that occur only once are left out. Confidences are probabilities of mentions. Training has no
    random part, so the seed makes no difference.

    Slots that overlap need `per_slot=true`, a model for each slot. Otherwise the longest of
    mentions that overlap is learned from, and the others are counted.

    Lafferty, McCallum & Pereira (2001), "Conditional Random Fields"; Okazaki (2007), "CRFsuite: a
    fast implementation of Conditional Random Fields".

    >>> from carob.corpus.corpus import Corpus
    >>> corpus = Corpus.of("by [Ann Lee]who today", "with [Bo Dahl]who today")
    >>> Crf(c1=0.5).fit(Examples.of(corpus), ("who",), 0).slots
    ('who',)
    """

    name: ClassVar[str] = "crf"
    extra: ClassVar[str] = "crf"
    knows_uncertainty: ClassVar[bool] = True
    c1: float = 0.1
    c2: float = 0.1
    iterations: int = 100
    per_slot: bool = False

    def __post_init__(self) -> None:
        refuse_negative(self.name, c1=self.c1, c2=self.c2, iterations=self.iterations)

    def fit(self, examples: Examples, slots: tuple[str, ...], seed: int) -> TaggingModel:
        """Train one CRF for all slots, or one for each."""
        return fit_chains(self, examples, slots, "bio", self._weights)

    def _weights(
        self, rows: IntArray, wanted: IntArray, tags: Tags, texts: Texts, features: int
    ) -> tuple[FloatArray, FloatArray]:
        made = trainer(self.name, self.c1, self.c2, self.iterations)
        lists = feature_lists(rows, features, wanted, len(tags))
        names = [str(tag) for tag in wanted.tolist()]
        ends = texts.offsets.tolist()
        for low, high in pairwise(ends):
            if high > low:
                made.append(lists[low:high], names[low:high])
        return trained_weights(made, features, len(tags))

    def load(self, folder: Path) -> TaggingModel:
        """A model that was saved."""
        return load_chains(folder)
