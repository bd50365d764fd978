"""A scorer for scikit-learn, which is not imported."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from carob.corpus.problems import UsageError
from carob.evaluate.options import Options, ScoreOptions
from carob.evaluate.score import score
from carob.recipe import Recipe


@dataclass(frozen=True)
class Scorer:
    """For `scoring=` of `cross_val_score`, `GridSearchCV` and the like: greater is better.

    `predict` of the estimator gives what `carob.score` takes as a list, for instance a list of tags
    for each sentence. A score of which less is better is negative, as in scikit-learn; one
    without a value is NaN.

    >>> class Tagger:
    ...     def predict(self, sentences):
    ...         return [["B-PER" if word.istitle() else "O" for word in each] for each in sentences]
    >>> make_scorer("exact.P")(Tagger(), [["Ann", "slept", "Well"]], [["B-PER", "O", "O"]])
    0.5
    """

    recipe: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # A mistake costs no training.
        Recipe.parse(self.recipe)
        Options.of(ScoreOptions, self.options)

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:  # noqa: N803 (its name there)
        """The score of what the estimator predicts."""
        gold, system = _documents(y), _documents(estimator.predict(X))
        if len(gold) != len(system):
            raise UsageError(f"{len(system)} documents are predicted, but {len(gold)} are in y")
        found = score(gold, system, self.recipe, **{"resamples": 0, **self.options}).scores[0]
        if found.value is None:
            return math.nan
        return -found.value if found.lower_is_better else found.value


def _documents(sentences: Any) -> list[Any]:
    return [each.tolist() if hasattr(each, "tolist") else each for each in sentences]


def make_scorer(recipe: str, **options: Any) -> Scorer:
    """The scorer of a recipe; `options` are those of `carob.score`.

    >>> make_scorer("ts.F1@macro")
    Scorer(recipe='ts.F1@macro', options={})
    """
    return Scorer(recipe, options)
