"""perceptron: the averaged perceptron over sequences of tags. The default learner."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from carob.arrays.types import FloatArray, IntArray
from carob.corpus.problems import UsageError
from carob.pair.texts import Examples, Texts
from carob_lab.learn._tagging import TaggingModel, Tags, fit_chains, load_chains


@dataclass(frozen=True, slots=True)
class Perceptron:
    """The averaged perceptron over BIO tags, with Viterbi's algorithm; it needs no extra.

    Documents are cut into pieces of whole lines, at least 40 tokens each. For each piece, in a new
    random order in each of `epochs` rounds, the best sequence of tags under the current weights is
    compared with gold: features of gold's tags gain 1 where the two differ, features of the others
    lose 1. The model has the mean of the weights after each piece. (Whole documents give too few
    steps: on the seminar corpus oaod.F1 is 3 points lower.) Answers are the best sequences of whole
    documents. Confidences are probabilities as if the weights were those of a CRF: they rank
    answers, and are not calibrated.

    Slots that overlap need `per_slot=true`, a model for each slot. Otherwise the longest of
    mentions that overlap is learned from, and the others are counted.

    Collins (2002), "Discriminative Training Methods for Hidden Markov Models", figure 2 and section
    2.4.

    >>> from carob.corpus.corpus import Corpus
    >>> corpus = Corpus.of("by [Ann Lee]who today", "with [Bo Dahl]who today")
    >>> model = Perceptron().fit(Examples.of(corpus), ("who",), 0)
    >>> model.answers(Examples.of(Corpus.of("by Cy Roe today")).texts)[0].mentions[0].start
    1
    """

    name: ClassVar[str] = "perceptron"
    knows_uncertainty: ClassVar[bool] = True
    epochs: int = 10
    per_slot: bool = False

    def __post_init__(self) -> None:
        if self.epochs < 1:
            raise UsageError(f"perceptron: found epochs={self.epochs}, expected 1 or more")

    def fit(self, examples: Examples, slots: tuple[str, ...], seed: int) -> TaggingModel:
        """Go over the documents `epochs` times."""

        def fit(
            rows: IntArray, wanted: IntArray, tags: Tags, texts: Texts, features: int
        ) -> tuple[FloatArray, FloatArray]:
            rng = np.random.default_rng(seed)
            return averaged(rows, wanted, tags, pieces(texts, wanted), features, self.epochs, rng)

        return fit_chains(self, examples, slots, "bio", fit)

    def load(self, folder: Path) -> TaggingModel:
        """A model that was saved."""
        return load_chains(folder)


PIECE = 40
"""The least number of tokens in a piece that is not the last of its document."""


def pieces(texts: Texts, wanted: IntArray) -> IntArray:
    """The offsets of the pieces that documents are cut into: at the beginning of a line, and never
    within a mention.
    """
    inside = (wanted > 0) & (wanted % 2 == 0)
    document = np.zeros(len(wanted) + 1, bool)
    document[texts.offsets] = True
    cuts = [0]
    for place in np.flatnonzero((texts.opens_line & ~inside) | document[:-1]).tolist():
        if place - cuts[-1] >= PIECE or (document[place] and place > cuts[-1]):
            cuts.append(place)
    return np.array([*cuts, len(wanted)] if cuts[-1] < len(wanted) else cuts)


def averaged(
    rows: IntArray, wanted: IntArray, tags: Tags, offsets: IntArray, features: int,
    epochs: int, rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """The mean of the weights after each piece: of features x tags, and of transitions.

    The mean of n steps needs no sum over all weights at each step: an update of step t is in the
    n - t states after it, so the mean is the last state minus the sum of t/n times each update.
    """
    size = len(tags)
    weights = np.zeros((features + 1, size))
    moves = np.zeros((size, size))
    late_weights, late_moves = np.zeros_like(weights), np.zeros_like(moves)
    flat, late_flat = weights.ravel(), late_weights.ravel()
    illegal = np.where(tags.allowed, 0.0, -np.inf).T.copy()
    start = np.where(tags.start_allowed, 0.0, -np.inf)
    full = np.flatnonzero(np.diff(offsets))
    step = 0
    for _ in range(epochs):
        for doc in rng.permutation(full).tolist():
            low, high = int(offsets[doc]), int(offsets[doc + 1])
            gold = wanted[low:high]
            best = _best(weights[rows[low:high]].sum(1), moves.T + illegal, start)
            wrong = np.flatnonzero(best != gold)
            if wrong.size:
                places = rows[low:high][wrong].astype(np.int64) * size
                for tag, change in ((gold, 1.0), (best, -1.0)):
                    at = (places + tag[wrong][:, None]).ravel()
                    np.add.at(flat, at, change)
                    np.add.at(late_flat, at, change * step)
                    np.add.at(moves, (tag[:-1], tag[1:]), change)
                    np.add.at(late_moves, (tag[:-1], tag[1:]), change * step)
                weights[features] = late_weights[features] = 0.0  # of values that are absent
            step += 1
    total = max(step, 1)
    return weights - late_weights / total, moves - late_moves / total


def _best(scores: FloatArray, moves: FloatArray, start: FloatArray) -> IntArray:
    """The best tags of one document; `moves` is next tag x tag."""
    length, size = scores.shape
    came = np.empty((length, size), np.int64)
    every = np.arange(size)
    current = start + scores[0]
    for place in range(1, length):
        through = moves + current
        came[place] = choice = through.argmax(1)
        current = through[every, choice] + scores[place]
    best = np.empty(length, np.int64)
    best[-1] = tag = int(current.argmax())
    for place, row in zip(range(length - 1, 0, -1), came[:0:-1].tolist(), strict=True):
        tag = row[tag]
        best[place - 1] = tag
    return best
