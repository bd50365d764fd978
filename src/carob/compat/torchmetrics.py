"""A score that grows batch by batch, as in TorchMetrics, which is not imported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from carob.corpus.problems import UsageError
from carob.evaluate.batches import Batch, refuse_wholes
from carob.evaluate.options import Options, ScoreOptions
from carob.evaluate.run import parse_recipes
from carob.result.scores import Scores

if TYPE_CHECKING:
    from typing import Unpack


class MentionScore:
    """`update` counts a batch of documents and forgets it, `compute` scores all counts together,
    `reset` starts again, and `merge_state` adds the counts of another process.

    A batch is whatever `carob.score` takes as a list. Scores, intervals and rows of labels are
    those of all documents at once; what is kept is a few numbers for each document and label in
    it, and no text. The recipes are of event spaces that count mentions document by document, like
    `exact`, `overlap` and `ts`. The keyword arguments are those of `carob.score`, but for those
    that need all documents.

    >>> metric = MentionScore("exact.F1", resamples=0)
    >>> metric.update([["B-PER", "O"]], [["B-PER", "O"]])
    >>> metric.compute().value
    1.0
    >>> metric.update([["O", "O"]], [["B-PER", "O"]])
    >>> round(metric.compute().value, 3)
    0.667
    """

    def __init__(
        self, recipes: str | Sequence[str] = "exact.PRF", **options: Unpack[ScoreOptions]
    ) -> None:
        self.recipes = parse_recipes(recipes)
        self.options = Options.of(ScoreOptions, options)
        refuse_wholes(self.recipes, self.options)
        self.batches: list[Batch] = []

    def update(self, preds: Sequence[Any], target: Sequence[Any]) -> None:
        """Count a batch: what the system has, and gold."""
        if len(preds) != len(target):
            raise UsageError(f"{len(preds)} documents of the system, but {len(target)} of gold")
        if len(target):
            self.batches.append(Batch.of(target, preds, self.recipes, self.options))

    def compute(self) -> Scores:
        """The scores of all batches together."""
        if not self.batches:
            raise UsageError("there is nothing to score: call update first")
        self.batches = [Batch.concatenate(self.batches)]
        return self.batches[0].scores(self.recipes, self.options)

    def merge_state(self, incoming: MentionScore) -> None:
        """Add the batches of another object, which may come from another process, after one's own.

        >>> one, other = MentionScore("exact.F1"), MentionScore("exact.F1")
        >>> other.update([["B-PER", "O"]], [["B-PER", "O"]])
        >>> one.merge_state(other)
        >>> one.compute().value
        1.0
        """
        if (self.recipes, self.options) != (incoming.recipes, incoming.options):
            raise UsageError("only objects with the same recipes and options can be merged")
        self.batches += incoming.batches

    def reset(self) -> None:
        """Forget all counts."""
        self.batches = []
