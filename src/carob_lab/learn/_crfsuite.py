"""Training with CRFsuite (python-crfsuite): weights of features and transitions, and no more.

Its model file is read once, for the weights, and deleted. So a saved model has the files of carob,
answers need no CRFsuite, and a model of a stranger never reaches a parser written in C.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.corpus.problems import UsageError

SEEN = 2
"""How often a feature must occur. Those that occur once add nothing on the seminar corpus, and
take a third of the time.
"""


def trainer(name: str, c1: float, c2: float, iterations: int) -> Any:
    """A trainer of CRFsuite that minimises the regularised loss by L-BFGS."""
    try:
        import pycrfsuite
    except ImportError:
        how = "in a clone of carob: pip install '.[crf]'"
        raise UsageError(f"{name} needs python-crfsuite; {how}") from None
    made = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    made.set_params({"c1": c1, "c2": c2, "max_iterations": iterations, "feature.minfreq": SEEN})
    return made


def feature_lists(rows: IntArray, features: int, wanted: IntArray, tags: int) -> list[list[str]]:
    """The features of each token, as the texts that CRFsuite takes.

    A feature that no tag has `SEEN` times would get no weight, but would be looked up in every
    step: without these, training takes a sixth less time and ends with the same weights.

    >>> feature_lists(np.array([[0, 2], [1, 0], [1, 2]]), 2, np.array([1, 1, 0]), tags=2)
    [['0'], ['0'], []]
    """
    pairs = rows.astype(np.int64) * tags + wanted[:, None]
    seen = np.bincount(pairs.ravel(), minlength=(features + 1) * tags).reshape(-1, tags)
    kept: BoolArray = np.asarray((seen >= SEEN).any(1))
    kept[features] = False  # the place of features that are not known
    names = np.array([str(number) for number in range(features)], object)
    known = kept[rows]
    flat = names[rows[known]].tolist()
    ends = np.cumsum(known.sum(1)).tolist()
    return [flat[low:high] for low, high in zip([0, *ends], ends, strict=False)]


def trained_weights(trainer: Any, features: int, tags: int) -> tuple[FloatArray, FloatArray]:
    """Train, and return the weights of features x tags and of tag x next tag."""
    import pycrfsuite

    weights, moves = np.zeros((features + 1, tags)), np.zeros((tags, tags))
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "model")
        trainer.train(file)
        tagger = pycrfsuite.Tagger()
        tagger.open(file)
        found = tagger.info()
        tagger.close()
    _put(weights, found.state_features)
    _put(moves, found.transitions)
    return weights, moves


def _put(table: FloatArray, found: dict[tuple[str, str], float]) -> None:
    keys: Sequence[tuple[str, str]] = list(found)
    first = np.array([int(key[0]) for key in keys], np.int64)
    second = np.array([int(key[1]) for key in keys], np.int64)
    table[first, second] = np.array(list(found.values()), np.float64)
