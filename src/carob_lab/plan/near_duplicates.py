"""Documents that say nearly the same: a repost in the training part gives a test away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from carob.arrays.near_duplicates import BATCH, gram_sets, near_duplicates
from carob.arrays.types import HashArray, IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import RecipeError

_CHARACTERS = 1 << 22
"""Texts are cut in batches of about this many characters."""


@dataclass(frozen=True, slots=True)
class NearDuplicates:
    """Documents whose sets of word 5-grams have a Jaccard index of at least t, and all that a
    chain of such pairs connects.

    Words are in lower case, and separated by everything that is no letter, digit or underscore.
    Compared are documents that share a 5-gram found in at most 50 documents, and documents with
    equal sets.

    >>> texts = "one two three four five six seven", "one two three four five six", "another text"
    >>> NearDuplicates(t=0.5)(Corpus.of(*texts))
    [[0, 1]]
    """

    t: float = 0.5

    name: ClassVar[str] = "near-duplicates"

    def __post_init__(self) -> None:
        if not 0 < self.t <= 1:
            raise RecipeError(f"near-duplicates(t=…): found {self.t:g}, expected 0 < t <= 1")

    def __call__(self, corpus: Corpus) -> list[list[int]]:
        """The groups of two documents or more, as rows of the corpus."""
        grams, offsets = _grams(corpus)
        group = near_duplicates(grams, offsets, self.t)
        order = np.argsort(group, kind="stable")
        bounds = np.flatnonzero(np.diff(group[order])) + 1
        return [part.tolist() for part in np.split(order, bounds) if len(part) > 1]


def _grams(corpus: Corpus) -> tuple[HashArray, IntArray]:
    """The grams of all documents, and offsets."""
    columns, counts = [np.empty(0, np.uint64)], [np.zeros(1, np.int64)]
    batch: list[str] = []
    characters = 0
    for row in range(len(corpus)):
        text, tokens = corpus.words(row)
        batch.append(" ".join(tokens or ()) if text is None else text)
        characters += len(batch[-1])
        if len(batch) == BATCH or characters > _CHARACTERS or row + 1 == len(corpus):
            grams, offsets = gram_sets(batch)
            columns.append(grams)
            counts.append(np.diff(offsets))
            batch, characters = [], 0
    return np.concatenate(columns), np.cumsum(np.concatenate(counts))
