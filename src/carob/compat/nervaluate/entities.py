"""What nervaluate returns: mentions, counts with their scores, and which mentions were counted."""

from __future__ import annotations

from dataclasses import dataclass

from carob.corpus.corpus import Lazy, WithLazyFields

Index = tuple[int, int]
"""The number of a document, and that of a mention in it."""


@dataclass(unsafe_hash=True)
class Entity:
    """A mention; `end` is its last position.

    >>> Entity("PER", 0, 1)
    Entity(label='PER', start=0, end=1)
    """

    label: str
    start: int
    end: int


@dataclass
class EvaluationResult:
    """Counts of mentions and the scores made of them, of one label or of all.

    >>> result = EvaluationResult(correct=1, partial=1, spurious=2)
    >>> result.compute_metrics(partial_or_type=True)
    >>> result.precision, result.recall, result.actual
    (0.375, 0.75, 4)
    """

    correct: int = 0
    incorrect: int = 0
    partial: int = 0
    missed: int = 0
    spurious: int = 0
    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    actual: int = 0
    possible: int = 0

    def compute_metrics(self, partial_or_type: bool = False) -> None:
        """Set the scores; what is partly right counts half, but only in two modes."""
        matched = self.correct + self.incorrect + self.partial
        self.actual, self.possible = matched + self.spurious, matched + self.missed
        right = self.correct + 0.5 * self.partial if partial_or_type else self.correct
        self.precision = right / self.actual if self.actual else 0
        self.recall = right / self.possible if self.possible else 0
        both = self.precision + self.recall
        self.f1 = 2 * (self.precision * self.recall) / both if both else 0


@dataclass
class EvaluationIndices(WithLazyFields):
    """The mentions that were counted: answers, and those of gold that were missed. The lists are
    made when they are read.

    >>> EvaluationIndices(missed_indices=[(0, 1)]).correct_indices
    []
    """

    correct_indices: Lazy[list[Index]] = Lazy(list)
    incorrect_indices: Lazy[list[Index]] = Lazy(list)
    partial_indices: Lazy[list[Index]] = Lazy(list)
    missed_indices: Lazy[list[Index]] = Lazy(list)
    spurious_indices: Lazy[list[Index]] = Lazy(list)
