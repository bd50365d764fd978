"""An inner split of the training documents, on which a learner chooses a threshold for itself."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator

import numpy as np

from carob.arrays.types import IntArray
from carob.corpus.corpus import Corpus
from carob.pair.texts import Examples

SHARE = 0.7
"""The share of the training documents that is trained on within."""

FOLDS = 5
"""How many parts are held out in turn."""


def inner_split(examples: Examples, seed: int) -> tuple[IntArray, IntArray]:
    """The documents to train on and those held out, by a hash of the seed and their ids.

    A single document is not divided: nothing is then held out.

    >>> examples = Examples.of(Corpus.of("a", "b", "c", "d"))
    >>> [len(rows) for rows in inner_split(examples, 0)]
    [3, 1]
    """
    order = _order(examples, seed)
    size = max(min(round(SHARE * len(order)), len(order) - 1), min(len(order), 1))
    return np.sort(np.array(order[:size], np.int64)), np.sort(np.array(order[size:], np.int64))


def inner_folds(examples: Examples, seed: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Five such divisions: each document is held out once. Fewer with fewer documents.

    >>> examples = Examples.of(Corpus.of("a", "b", "c"))
    >>> sorted(outside.tolist() for _, outside in inner_folds(examples, 0))
    [[0], [1], [2]]
    """
    order = np.array(_order(examples, seed), np.int64)
    folds = min(FOLDS, len(order))
    for fold in range(folds if folds > 1 else 0):
        held_out = np.arange(len(order)) % folds == fold
        yield np.sort(order[~held_out]), np.sort(order[held_out])


def _order(examples: Examples, seed: int) -> list[int]:
    """The documents in the order of a hash of the seed and their ids."""
    names = examples.texts.corpus.documents

    def place(row: int) -> bytes:
        text = f"{seed}\ninner\n{names.name(row)}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()

    return sorted(range(len(examples)), key=place)


def oaod_f1(gold: Corpus, answers: Corpus, slots: tuple[str, ...]) -> float:
    """F1 of `oaod` over these slots together; 0 where it is undefined.

    >>> oaod_f1(Corpus.of("[a]x [b]x c"), Corpus.of("[a]x b c"), ("x",)).__round__(3)
    0.667
    """
    wanted, present = _places(gold, slots), _places(answers, slots)
    right = (wanted & present).total()
    return 2 * right / max(wanted.total() + present.total(), 1)


def _places(corpus: Corpus, slots: tuple[str, ...]) -> Counter[tuple[int, int, int, str]]:
    mentions = corpus.mentions
    columns = (mentions.doc.tolist(), mentions.start.tolist(), mentions.end.tolist())
    labels = [corpus.labels[code] for code in mentions.label.tolist()]
    return Counter(row for row in zip(*columns, labels, strict=True) if row[3] in slots)
