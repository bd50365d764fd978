"""`compute_metrics` for the Trainer of transformers, which is not imported."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from carob.corpus.problems import UsageError
from carob.evaluate.score import score
from carob.recipe import Recipe

NAMES: Mapping[str, str] = {"precision": "exact.P", "recall": "exact.R", "f1": "exact.F1"}
"""What a score is called, and its recipe."""


@dataclass(frozen=True)
class ComputeMetrics:
    """From predictions and labels of tokens to scores of mentions: `Trainer(compute_metrics=...)`.

    `id2label` is that of the model, or a list of the tags; `scores` gives each score a name.
    Tokens with the label `ignored` do not count: they are not the first of their word, or they are
    padding. A score without a value is NaN.

    >>> tags = {0: "O", 1: "B-PER", 2: "I-PER"}
    >>> predictions, labels = [[1, 2, 0, 0]], [[1, -100, 2, 0]]
    >>> ComputeMetrics(tags)((predictions, labels))["f1"]
    0.0
    """

    id2label: Mapping[Any, str] | Sequence[str]
    scores: Mapping[str, str] = field(default_factory=lambda: NAMES)
    ignored: int = -100
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._recipes()  # a mistake costs no training

    def _recipes(self) -> dict[str, Recipe]:
        return {name: Recipe.parse(text) for name, text in self.scores.items()}

    def __call__(self, prediction: Any) -> dict[str, float]:
        """The scores of an `EvalPrediction`, or of a pair of predictions and labels."""
        predictions, labels = _sides(prediction)
        if len(predictions) != len(labels):
            raise UsageError(
                f"{len(predictions)} sentences are predicted, but {len(labels)} have labels"
            )
        names = self.id2label
        pairs = names.items() if isinstance(names, Mapping) else enumerate(names)
        tags = {int(number): tag for number, tag in pairs}
        gold: list[list[str]] = []
        system: list[list[str]] = []
        for row, (ours, theirs) in enumerate(zip(labels, predictions, strict=True)):
            if len(ours) != len(theirs):
                raise UsageError(
                    f"sentence {row + 1}: {len(theirs)} predictions, but {len(ours)} labels"
                )
            kept = [place for place, number in enumerate(ours) if number != self.ignored]
            for side, numbers in ((gold, ours), (system, theirs)):
                side.append([_tag(tags, int(numbers[place]), row, place) for place in kept])
        recipes, options = self._recipes(), {"resamples": 0, **self.options}
        values = score(gold, system, list(recipes.values()), **options)
        found = {name: values[recipe].value for name, recipe in recipes.items()}
        return {name: math.nan if value is None else value for name, value in found.items()}


def _sides(prediction: Any) -> tuple[Any, Any]:
    """Numbers of tags for both sides; of logits, the largest counts."""
    if hasattr(prediction, "label_ids"):
        predictions, labels = prediction.predictions, prediction.label_ids
    else:
        predictions, labels = prediction
    if isinstance(predictions, tuple):  # a model may also return hidden states
        predictions = predictions[0]
    if getattr(predictions, "ndim", 2) == 3:
        predictions = np.asarray(predictions).argmax(-1)
    return predictions, labels


def _tag(tags: Mapping[int, str], number: int, row: int, place: int) -> str:
    if number not in tags:
        raise UsageError(
            f"sentence {row + 1}, token {place + 1}: found the label {number}, expected one of "
            f"the {len(tags)} in id2label"
        )
    return tags[number]


def compute_metrics(
    id2label: Mapping[Any, str] | Sequence[str], scores: Mapping[str, str] = NAMES, **options: Any
) -> Callable[[Any], dict[str, float]]:
    """The same as a function; `options` are those of `carob.score`.

    >>> metrics = compute_metrics({0: "O", 1: "B-PER"}, {"macro": "exact.F1@macro"})
    >>> metrics(([[1, 0]], [[1, 0]]))
    {'macro': 1.0}
    """
    return ComputeMetrics(id2label, scores, options=options)
