"""Active learning: which documents to label next. Only texts are looked at, and a model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from carob.arrays.types import FloatArray, IntArray
from carob.corpus.problems import CarobError, UsageError, nearest
from carob.corpus.tables import joined_codes
from carob.pair.texts import Texts
from carob.plugin import Model, hook

STRATEGIES = ("random", "uncertainty", "sequence", "diverse")
"""`random` is the control. `uncertainty`: the model is least sure of the tokens, on average.
`sequence`: it is least sure of the whole, for its length. `diverse`: `uncertainty` times the mean
cosine distance to what is labelled.
"""


def pick(
    strategy: str,
    model: Model,
    labelled: Texts,
    pool: Texts,
    count: int,
    rng: np.random.Generator,
) -> IntArray:
    """The rows of the pool to label next, the most wanted first; at most `count`.

    Documents of equal worth are in random order, by a hash of their ids. So the order of documents
    in a file changes nothing.

    >>> from carob.corpus.corpus import Corpus
    >>> from carob_lab.learn.rote import RoteModel
    >>> pool = Texts.of(Corpus.of("a", "b", "c"))
    >>> rows = pick("random", RoteModel((), ()), pool, pool, 2, np.random.default_rng(0))
    >>> len(rows)
    2
    """
    if strategy not in STRATEGIES:
        raise UsageError(f"no strategy is called {strategy!r}{nearest(strategy, STRATEGIES)}")
    worth = np.zeros(len(pool)) if strategy == "random" else _worth(strategy, model, labelled, pool)
    draw = int(rng.integers(1 << 62))
    places = [_place(draw, pool.corpus.documents.name(row)) for row in range(len(pool))]
    order = sorted(range(len(pool)), key=lambda row: (-worth[row], places[row]))
    return np.array(order[: max(count, 0)], np.int64)


def _worth(strategy: str, model: Model, labelled: Texts, pool: Texts) -> FloatArray:
    uncertainty = hook(model, "uncertainty")
    if uncertainty is None:
        raise UsageError(
            f"the strategy {strategy} needs a learner whose models say how unsure they are, and "
            "this one's do not; take the strategy random, or a learner such as perceptron"
        )
    token, sequence = (np.asarray(each, np.float64) for each in uncertainty(pool))
    worth = sequence if strategy == "sequence" else token
    if worth.shape != (len(pool),) or np.isnan(worth).any():
        raise CarobError("the model does not give a number for each document as its uncertainty")
    return worth * distances(labelled, pool) if strategy == "diverse" else worth


def _place(draw: int, name: str) -> bytes:
    return hashlib.sha256(f"{draw}\n{name}".encode("utf-8", "surrogatepass")).digest()


def distances(labelled: Texts, pool: Texts) -> FloatArray:
    """The mean cosine distance of each document of the pool to those that are labelled.

    A document is a vector with an entry for each word, in lower case: how often it occurs there,
    times ln(n / number of documents with it), over the n documents of both. Without any word of
    weight, or if nothing is labelled, the distance is 1.

    >>> from carob.corpus.corpus import Corpus
    >>> one, two = Texts.of(Corpus.of("a b")), Texts.of(Corpus.of("A b", "c d"))
    >>> distances(one, two).round(3).tolist()
    [0.0, 1.0]
    """
    if not len(labelled):
        return np.ones(len(pool))
    doc, word, count, words = _counts([labelled, pool])
    size = len(labelled) + len(pool)
    rarity: FloatArray = np.log(size / np.bincount(word, minlength=words))
    weight = count * rarity[word]
    length = np.sqrt(np.bincount(doc, weight**2, size))
    weight /= np.where(length > 0, length, 1.0)[doc]
    # The mean of products with each vector is the product with their mean.
    known = doc < len(labelled)
    mean = np.bincount(word[known], weight[known], words) / len(labelled)
    near = np.bincount(doc, weight * mean[word], size)[len(labelled) :]
    result: FloatArray = np.clip(1.0 - near, 0.0, 1.0)
    return result


def _counts(parts: Sequence[Texts]) -> tuple[IntArray, IntArray, IntArray, int]:
    """For each document and each word that occurs in it: how often; and the number of words."""
    column = joined_codes([part.words for part in parts])
    lower = [value.lower() for value in column.values]
    number = {value: n for n, value in enumerate(sorted(set(lower)))}
    table = np.array([number[value] for value in lower], np.int64)
    first = np.cumsum([0] + [len(part) for part in parts[:-1]])
    doc = np.concatenate([part.doc + base for part, base in zip(parts, first, strict=True)])
    keys, count = np.unique(doc * len(number) + table[column.codes], return_counts=True)
    words = max(len(number), 1)
    return keys // words, keys % words, count, len(number)
