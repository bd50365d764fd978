"""A score that grows batch by batch, as in TorchMetrics, which is not imported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from carob.corpus.problems import UsageError
from carob.evaluate.score import score
from carob.result.scores import Scores


class MentionScore:
    """Documents are kept by `update`, scored by `compute` and forgotten by `reset`.

    A batch is whatever `carob.score` takes as a list. The keyword arguments are those of
    `carob.score`.

    >>> metric = MentionScore("exact.F1", resamples=0)
    >>> metric.update([["B-PER", "O"]], [["B-PER", "O"]])
    >>> metric.update([["O", "O"]], [["B-PER", "O"]])
    >>> round(metric.compute().value, 3)
    0.667
    """

    def __init__(self, recipes: str | Sequence[str] | None = None, **options: Any) -> None:
        self.recipes, self.options = recipes, options
        self.reset()

    def update(self, preds: Sequence[Any], target: Sequence[Any]) -> None:
        """Keep a batch: what the system has, and gold."""
        if len(preds) != len(target):
            raise UsageError(f"{len(preds)} documents of the system, but {len(target)} of gold")
        self.system += preds
        self.gold += target

    def compute(self) -> Scores:
        """The scores of all batches together."""
        if not self.gold:
            raise UsageError("there is nothing to score: call update first")
        return score(self.gold, self.system, self.recipes, **self.options)

    def reset(self) -> None:
        """Forget all batches."""
        self.gold: list[Any] = []
        self.system: list[Any] = []
