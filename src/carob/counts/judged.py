"""Judged: answers, whether they are right, and how sure the system was of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.corpus.problems import DataError


@dataclass(eq=False, repr=False)
class Judged:
    """The answers of a system, for those who accept some of them: document, row, whether right, and
    the confidence (NaN: none).

    >>> Judged.of(doc=[0, 1], right=[True, False], confidence=[0.9, np.nan]).sure
    array([0.9, 0. ])
    """

    doc: IntArray
    label: IntArray
    right: BoolArray
    confidence: FloatArray
    labels: tuple[str, ...]
    documents: int
    noun: str
    """What an answer is, in the singular: record, value."""
    unsure: int = 0
    """How many answers have no confidence."""

    def __post_init__(self) -> None:
        outside = self.confidence[(self.confidence < 0) | (self.confidence > 1)]
        if len(outside):
            raise DataError(f"found the confidence {outside[0]:g}, expected one from 0 to 1")

    @classmethod
    def of(cls, doc: object, right: object, confidence: object) -> Judged:
        """Answers of one row."""
        docs = np.asarray(doc, np.int64)
        return cls(
            docs, np.zeros(len(docs), np.int64), np.asarray(right, bool),
            np.asarray(confidence, np.float64), ("record",), int(docs.max(initial=-1)) + 1,
            "record", int(np.isnan(np.asarray(confidence, np.float64)).sum()),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.doc)

    @cached_property
    def sure(self) -> FloatArray:
        """The confidence that decides: 0 where there is none."""
        sure: FloatArray = np.nan_to_num(self.confidence)
        return sure

    def only(self, label: int) -> Judged:
        """The answers of one row.

        >>> len(Judged.of([0], [True], [0.5]).only(0))
        1
        """
        kept = self.label == label
        return Judged(
            self.doc[kept], self.label[kept], self.right[kept], self.confidence[kept],
            self.labels, self.documents, self.noun, int(np.isnan(self.confidence[kept]).sum()),
        )  # fmt: skip
