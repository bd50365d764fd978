"""`compute_metrics` for the Trainer of transformers, which is not imported."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from carob.corpus.problems import UsageError, plain
from carob.evaluate.options import Options, ScoreOptions
from carob.evaluate.score import score
from carob.recipe import Recipe

NAMES: Mapping[str, str] = {"precision": "exact.P", "recall": "exact.R", "f1": "exact.F1"}
"""What a score is called, and its recipe."""


@dataclass(frozen=True)
class ComputeMetrics:
    """From predictions and labels of tokens to scores of mentions: `Trainer(compute_metrics=...)`.

    `id2label` is that of the model, or a list of the tags; `scores` gives each score a name, or is
    a recipe, or a list of them. Tokens with the label `ignored` do not count: they are not the
    first of their word, or they are padding. A score without a value is NaN.

    >>> tags = {0: "O", 1: "B-PER", 2: "I-PER"}
    >>> predictions, labels = [[1, 2, 0, 0]], [[1, -100, 2, 0]]
    >>> ComputeMetrics(tags)((predictions, labels))["f1"]
    0.0
    """

    id2label: Mapping[Any, str] | Sequence[str]
    scores: Mapping[str, str] | Sequence[str] = field(default_factory=lambda: NAMES)
    ignored: int = -100
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # A mistake costs no training.
        self._recipes()
        Options.of(ScoreOptions, self.options)
        tags = self._tags().values()
        if "O" not in tags:
            raise UsageError(
                f"id2label has no tag O, but {', '.join(map(str, islice(tags, 5)))}: "
                "set id2label in the model's config"
            )

    def _recipes(self) -> dict[str, Recipe]:
        scores = [self.scores] if isinstance(self.scores, str) else self.scores
        named = scores if isinstance(scores, Mapping) else dict(zip(scores, scores, strict=True))
        return {name: Recipe.parse(text) for name, text in named.items()}

    def _tags(self) -> dict[int, str]:
        names = self.id2label
        pairs = names.items() if isinstance(names, Mapping) else enumerate(names)
        return {int(number): tag for number, tag in pairs}

    def __call__(self, prediction: Any) -> dict[str, float]:
        """The scores of an `EvalPrediction`, or of a pair of predictions and labels."""
        predictions, labels = _sides(prediction)
        if len(predictions) != len(labels):
            raise UsageError(
                f"{len(predictions)} sentences are predicted, but {len(labels)} have labels"
            )
        tags = self._tags()
        gold: list[list[str]] = []
        system: list[list[str]] = []
        for row, (ours, theirs) in enumerate(zip(labels, predictions, strict=True)):
            numbers, answers = _numbers(ours, row, "labels"), _numbers(theirs, row, "predictions")
            if len(numbers) != len(answers):
                raise UsageError(
                    f"sentence {row + 1}: {len(answers)} predictions, but {len(numbers)} labels"
                )
            kept = [place for place, number in enumerate(numbers) if number != self.ignored]
            for side, each in ((gold, numbers), (system, answers)):
                side.append([_tag(tags, each[place], row, place) for place in kept])
        recipes, options = self._recipes(), {"resamples": 0, **self.options}
        values = score(gold, system, list(recipes.values()), **options)
        found = {name: values[recipe].value for name, recipe in recipes.items()}
        return {name: math.nan if value is None else value for name, value in found.items()}


def _sides(prediction: Any) -> tuple[Any, Any]:
    """What is predicted, and the labels, each sentence by sentence."""
    if hasattr(prediction, "label_ids"):
        predictions, labels = prediction.predictions, prediction.label_ids
    else:
        predictions, labels = prediction
    if isinstance(predictions, tuple):  # a model may also return hidden states
        predictions = predictions[0]
    if isinstance(labels, tuple) and len(labels) == 1 and getattr(labels[0], "ndim", 1) == 2:
        labels = labels[0]
    return predictions, labels


def _numbers(sentence: Any, row: int, what: str) -> list[Any]:
    """The numbers of the tags of a sentence; where predictions are logits, the largest counts."""
    logits = what == "predictions"
    try:
        array = np.asarray(sentence)
        if logits and array.ndim == 2:
            array = array.argmax(-1)
        if array.ndim == 1:
            numbers: list[Any] = array.tolist()
            return numbers
    except ValueError:  # lists of unequal length, or logits of nothing
        pass
    raise UsageError(
        f"sentence {row + 1}: found the {what} {plain(str(sentence)[:60])}, expected a list of "
        f"numbers of tags{', or of their logits' * logits}"
    )


def _tag(tags: Mapping[int, str], number: Any, row: int, place: int) -> str:
    if number not in tags:
        raise UsageError(
            f"sentence {row + 1}, token {place + 1}: found the label {number}, expected one of "
            f"the {len(tags)} in id2label"
        )
    return tags[number]


def compute_metrics(
    id2label: Mapping[Any, str] | Sequence[str],
    scores: Mapping[str, str] | Sequence[str] = NAMES,
    **options: Any,
) -> Callable[[Any], dict[str, float]]:
    """The same as a function; `options` are those of `carob.score`.

    >>> metrics = compute_metrics({0: "O", 1: "B-PER"}, {"macro": "exact.F1@macro"})
    >>> metrics(([[1, 0]], [[1, 0]]))
    {'macro': 1.0}
    """
    return ComputeMetrics(id2label, scores, options=options)
