"""boundary: classifiers of starts and ends, and pairs of them (ELIE)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import UsageError
from carob.pair.texts import Examples, Spans, Texts
from carob_lab.learn._features import Features
from carob_lab.learn._pairs import best_first, candidates, length_shares
from carob_lab.learn._tagging import token_scores
from carob_lab.learn.folder import read_folder, write_folder

START, END, NEAR_START, NEAR_END = range(4)
"""The classifiers of a slot. The last two are those of level 2: a start near an end, and an end
near a start.
"""


@dataclass(frozen=True, slots=True)
class Boundary:
    """Two linear support vector machines for each slot, one for first tokens, one for last tokens.

    Starts and ends are tokens whose decision value is above `threshold`; -0.43 corresponds to an
    uneven margin of 0.4. A pair of them scores the product of their logistic decision values and
    of the share of training mentions that have its length. The best pair is an answer, then the
    best that does not overlap it, and so on; the score is its confidence.

    Level 2 adds, for each slot, a classifier of ends that is trained only on the `near` tokens
    after true starts and looks only at those after predicted starts, and one of starts in the same
    way. It finds the other half of what level 1 found half of, which raises recall.

    Each slot is learned by itself, so slots may overlap.

    Finn & Kushmerick (2004), "Multi-level Boundary Classification for Information Extraction"
    (ELIE), sections 3 and 4.

    >>> from carob.corpus.corpus import Corpus
    >>> corpus = Corpus.of("by [Ann Lee]who today", "with [Bo Dahl]who today")
    >>> Boundary().fit(Examples.of(corpus), ("who",), 0).slots
    ('who',)
    """

    name: ClassVar[str] = "boundary"
    extra: ClassVar[str] = "svm"
    level: Literal[1, 2] = 2
    threshold: float = 0.0
    c: float = 0.1
    near: int = 10

    def __post_init__(self) -> None:
        if not self.c > 0 or not 1 <= self.near <= 1000:
            raise UsageError("boundary: c must be above 0, and near from 1 to 1000")

    def fit(self, examples: Examples, slots: tuple[str, ...], seed: int) -> BoundaryModel:
        """Train the classifiers of each slot."""
        features = Features.of(examples.texts)
        rows = features.rows(examples.texts)
        matrix = _matrix(rows, len(features))
        spans, base = examples.spans(slots), examples.texts.offsets
        doc = examples.texts.doc
        weights = np.zeros((len(features) + 1, 4 * len(slots)))
        bias = np.zeros(4 * len(slots))
        shares = []
        every = np.ones(len(rows), bool)
        for slot in range(len(slots)):
            own = spans.take(np.flatnonzero(spans.slot == slot))
            first, last = base[own.doc] + own.first, base[own.doc] + own.last - 1
            start, end = (np.isin(np.arange(len(rows)), at) for at in (first, last))
            parts = {START: (start, every), END: (end, every)}
            if self.level == 2:
                parts[NEAR_START] = start, _around(last, -self.near, doc)
                parts[NEAR_END] = end, _around(first, self.near, doc)
            for kind, (wanted, where) in parts.items():
                column = 4 * slot + kind
                weights[:-1, column], bias[column] = self._separate(
                    matrix, wanted, where, len(features), seed
                )
            shares.append(length_shares(own))
        return BoundaryModel(
            slots, features, weights, bias, tuple(shares), self.level, self.threshold, self.near
        )

    def _separate(
        self, matrix: Any, wanted: BoolArray, where: BoolArray, features: int, seed: int
    ) -> tuple[FloatArray, float]:
        """The weights and the constant of one classifier."""
        from sklearn.svm import LinearSVC

        rows = np.flatnonzero(where)
        if not wanted[rows].any():
            return np.zeros(features), -1.0  # there is nothing to find
        if wanted[rows].all():
            return np.zeros(features), 1.0
        machine = LinearSVC(C=self.c, loss="hinge", random_state=seed, tol=0.01, max_iter=2000)
        machine.fit(matrix if len(rows) == len(where) else matrix[rows], wanted[rows])
        return machine.coef_[0], float(machine.intercept_[0])

    def load(self, folder: Path) -> BoundaryModel:
        """A model that was saved."""
        saved = read_folder(folder)
        slots, features = saved.slots(), Features.of_saved(saved)
        width = 4 * len(slots)
        if (len(features) + 1) * width * 8 > 1 << 33:
            raise saved.wrong(f"{len(features):,} features", "fewer")
        where = saved.integers("where", [None], 0, len(features) * width)
        weights = np.zeros((len(features) + 1) * width)
        weights[where] = saved.floats("weights", [len(where)])
        shares = tuple(saved.floats(f"lengths{slot}", [None]) for slot in range(len(slots)))
        if any(len(own) < 2 or not ((own >= 0) & (own <= 1)).all() for own in shares):
            raise saved.wrong("other shares of lengths", "numbers from 0 to 1")
        level, near = int(saved.number("level")), int(saved.number("near"))
        if level not in (1, 2) or not 1 <= near <= 1000:
            raise saved.wrong(f"level = {level}, near = {near}", "level 1 or 2, near 1 to 1000")
        return BoundaryModel(
            slots, features, weights.reshape(-1, width), saved.floats("bias", [width]), shares,
            level, saved.number("threshold"), near,
        )  # fmt: skip


def _matrix(rows: IntArray, features: int) -> Any:
    """The features of tokens as a sparse matrix of zeros and ones."""
    try:
        import sklearn  # noqa: F401 (before the work, and with a message)
        from scipy.sparse import csr_matrix
    except ImportError:
        how = "in a clone of carob: pip install '.[svm]'"
        raise UsageError(f"boundary needs scikit-learn; {how}") from None
    known = rows < features
    ends = np.concatenate([[0], np.cumsum(known.sum(1))])
    return csr_matrix((np.ones(ends[-1]), rows[known], ends), shape=(len(rows), features))


def _around(places: IntArray, near: int, doc: IntArray) -> BoolArray:
    """The tokens from each place on, `near` of them (before it, if negative), in its document."""
    where = np.zeros(len(doc), bool)
    for step in range(0, near + (1 if near > 0 else -1), 1 if near > 0 else -1):
        there = places + step
        ok = (there >= 0) & (there < len(doc))
        ok[ok] = doc[there[ok]] == doc[places[ok]]
        where[there[ok]] = True
    return where


@dataclass(frozen=True, slots=True, eq=False)
class BoundaryModel:
    """Classifiers and shares of lengths: four columns of weights for each slot."""

    slots: tuple[str, ...]
    features: Features
    weights: FloatArray
    bias: FloatArray
    shares: tuple[FloatArray, ...]
    level: int
    threshold: float
    near: int

    def answers(self, texts: Texts) -> Corpus:
        """The best pairs of starts and ends that do not overlap."""
        values = token_scores(self.weights, self.features.rows(texts)) + self.bias
        parts: list[IntArray] = []
        confidence: list[FloatArray] = []
        for slot, share in enumerate(self.shares):
            start, end, near_start, near_end = values[:, 4 * slot : 4 * slot + 4].T
            starts, ends = start > self.threshold, end > self.threshold
            if self.level == 2:
                after = _around(np.flatnonzero(starts), self.near, texts.doc)
                before = _around(np.flatnonzero(ends), -self.near, texts.doc)
                starts, start = _joined(starts, start, before, near_start, self.threshold)
                ends, end = _joined(ends, end, after, near_end, self.threshold)
            first, last = candidates(
                np.flatnonzero(starts), np.flatnonzero(ends), len(share) - 1, texts
            )
            score = _logistic(start[first]) * _logistic(end[last]) * share[last - first + 1]
            full = np.flatnonzero(score > 0)
            rows = full[best_first(first[full], last[full], score[full])]
            doc = texts.doc[first[rows]]
            base = texts.offsets[doc]
            number = np.full(len(rows), slot)
            parts.append(np.array([doc, first[rows] - base, last[rows] + 1 - base, number]))
            confidence.append(score[rows])
        columns = np.concatenate(parts, axis=1)
        return texts.answers(self.slots, Spans(*columns), np.concatenate(confidence))

    def describe(self) -> Mapping[str, Any]:
        """The number of features and of weights."""
        used = int(np.count_nonzero(self.weights))
        return {"features": len(self.features), "weights": used}

    def save(self, folder: Path) -> None:
        """Write features, weights and shares of lengths."""
        settings = {
            "slots": list(self.slots), "features": self.features.to_dict(), "level": self.level,
            "threshold": self.threshold, "near": self.near,
        }  # fmt: skip
        where = np.flatnonzero(self.weights)
        arrays: dict[str, Any] = {
            "where": where,
            "weights": self.weights.ravel()[where],
            "bias": self.bias,
        }
        arrays |= {f"lengths{slot}": share for slot, share in enumerate(self.shares)}
        write_folder(folder, settings, arrays)


def _joined(
    found: BoolArray, value: FloatArray, near: BoolArray, other: FloatArray, threshold: float
) -> tuple[BoolArray, FloatArray]:
    """Boundaries of both levels, with the larger of the decision values that found them."""
    more = near & (other > threshold)
    return found | more, np.where(more, np.maximum(other, np.where(found, value, other)), value)


def _logistic(values: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -500, 500))))
