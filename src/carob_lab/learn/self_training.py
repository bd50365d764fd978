"""self-training: a learner labels documents for itself, and learns again from the surest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from carob.arrays.types import FloatArray, IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import DataError, UsageError
from carob.pair.texts import Examples, Texts
from carob.plugin import Learner, Model, hook
from carob_lab.learn._inner import inner_split, oaod_f1
from carob_lab.learn.folder import read_folder, write_folder
from carob_lab.learn.perceptron import Perceptron

DEFAULT = Perceptron()
"""The learner within, if none is named."""

INNER = "inner"
"""The folder, in that of a model, of the model that was learned in the end."""

CUTS = (0.75, 0.5, 0.25, 0.0)
"""The thresholds that are tried: these quantiles of the confidences of the documents."""


@dataclass(frozen=True, slots=True)
class SelfTraining:
    """Another learner, trained again on unlabelled documents with its own surest answers.

    A document is as sure as its answers are on average; documents without an answer are not used.
    The threshold is chosen within the training documents: the learner is trained on 70 % of them,
    labels the unlabelled ones, and is trained again with the surest quarter, half, three quarters
    or all of them. The threshold with the best `oaod` F1 on the other 30 % is used. If none is
    better than the learner alone, it stays alone. In all, the learner is trained up to seven times.

    Task 3a of the PASCAL challenge: Ireson et al. (2005), "Evaluating Machine Learning for
    Information Extraction".

    >>> from carob.corpus.corpus import Corpus
    >>> examples = Examples.of(Corpus.of("by [Ann]who", "by [Bo]who", "[Ann]who", "Bo by [Ann]who"))
    >>> from carob_lab.learn.rote import Rote
    >>> more = Texts.of(Corpus.of("by Ann", "by Cy"))
    >>> model = SelfTraining(Rote()).fit(replace(examples, unlabelled=more), ("who",), 0)
    >>> model.describe()["threshold"], model.describe()["unlabelled"]
    (None, 2)
    """

    name: ClassVar[str] = "self-training"
    learner: Any = DEFAULT

    @property
    def runs_programs(self) -> bool:
        """Whether the learner within does."""
        return bool(hook(self.learner, "runs_programs"))

    @property
    def knows_uncertainty(self) -> bool:
        """As the learner in it."""
        return bool(hook(self.learner, "knows_uncertainty"))

    @property
    def own_features(self) -> bool:
        """Whether the learner within has any."""
        return bool(hook(self.learner, "own_features"))

    def __post_init__(self) -> None:
        if isinstance(self.learner, SelfTraining):
            raise UsageError("self-training: found itself as its learner, expected another")

    def fit(self, examples: Examples, slots: tuple[str, ...], seed: int) -> SelfTrainedModel:
        """Choose a threshold within the training documents, then train on all of them."""
        unlabelled = examples.unlabelled
        if unlabelled is None or not len(unlabelled):
            raise DataError(
                "self-training needs unlabelled documents: --unlabelled FILE (unlabelled=...)"
            )
        examples = replace(examples, unlabelled=None)
        threshold, scores = _threshold(self.learner, examples, unlabelled, slots, seed)
        model: Model = self.learner.fit(examples, slots, seed)
        kept = 0
        if threshold is not None:
            answers = model.answers(unlabelled)
            rows = np.flatnonzero(_confidences(answers) >= threshold)
            kept = len(rows)
            model = self.learner.fit(_enriched(examples, unlabelled, answers, rows), slots, seed)
        facts = {"threshold": threshold, "unlabelled": len(unlabelled), "kept": kept, **scores}
        return SelfTrainedModel(model, facts)

    def load(self, folder: Path) -> SelfTrainedModel:
        """A model that was saved."""
        saved = read_folder(folder)
        none = [name for name in ("threshold",) if saved.settings.get(name) is None]
        facts = {name: None if name in none else saved.number(name) for name in FACTS}
        learner: Learner = self.learner
        return SelfTrainedModel(learner.load(folder / INNER), facts)


FACTS = ("threshold", "unlabelled", "kept", "inner_f1", "inner_f1_alone")
"""What a model says of itself beside what the learner's own says. `threshold` is None if none was
of use.
"""


def _threshold(
    learner: Learner, examples: Examples, unlabelled: Texts, slots: tuple[str, ...], seed: int
) -> tuple[float | None, dict[str, float]]:
    """The confidence from which documents are kept, and F1 with it and without."""
    inside, outside = inner_split(examples, seed)
    part, gold = examples.only(inside), examples.only(outside)
    known = tuple(slot for slot in slots if slot in part.slots)
    if not known or not len(outside):
        return None, {"inner_f1": 0.0, "inner_f1_alone": 0.0}
    model = learner.fit(part, known, seed)
    alone = best = oaod_f1(gold.gold, model.answers(gold.texts), slots)
    answers = model.answers(unlabelled)
    confidences = _confidences(answers)
    some = confidences[confidences >= 0]
    threshold = None
    for cut in (
        sorted(set(np.quantile(some, CUTS, method="higher").tolist()), reverse=True)
        if len(some)
        else ()
    ):
        rows = np.flatnonzero(confidences >= cut)
        again = learner.fit(_enriched(part, unlabelled, answers, rows), known, seed)
        value = oaod_f1(gold.gold, again.answers(gold.texts), slots)
        if value > best:
            threshold, best = cut, value
    return threshold, {"inner_f1": best, "inner_f1_alone": alone}


def _confidences(answers: Corpus) -> FloatArray:
    """The mean confidence of the answers of each document; -1 without answers."""
    mentions = answers.mentions
    if len(mentions) and (mentions.confidence is None or np.isnan(mentions.confidence).any()):
        raise DataError("self-training needs a learner whose answers have confidences")
    count = np.bincount(mentions.doc, minlength=len(answers))
    weight = np.zeros(0) if mentions.confidence is None else mentions.confidence
    total = np.bincount(mentions.doc, weight, len(answers))
    mean: FloatArray = np.where(count > 0, total / np.maximum(count, 1), -1.0)
    return mean


def _enriched(examples: Examples, texts: Texts, answers: Corpus, rows: IntArray) -> Examples:
    """Examples, and documents with answers as if they were gold."""
    more = Examples.of(answers.only(rows), texts.tokenizer)
    # Read again from the answers, texts would be without their layers.
    return Examples.joined([examples, replace(more, texts=texts.only(rows))])


@dataclass(frozen=True, slots=True, eq=False)
class SelfTrainedModel:
    """The model that was learned in the end, and how."""

    model: Model
    facts: Mapping[str, Any]

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots that it fills."""
        return self.model.slots

    @property
    def uncertainty(self) -> Callable[[Texts], tuple[FloatArray, FloatArray]] | None:
        """As the model within has it, or not."""
        method: Callable[[Texts], tuple[FloatArray, FloatArray]] | None
        method = hook(self.model, "uncertainty")
        return method

    def answers(self, texts: Texts) -> Corpus:
        """As the model within."""
        return self.model.answers(texts)

    def describe(self) -> Mapping[str, Any]:
        """The threshold, how many documents were kept, and facts of the model within."""
        return {**self.model.describe(), **self.facts}

    def save(self, folder: Path) -> None:
        """Write the model within into a folder of its own."""
        try:
            (folder / INNER).mkdir(exist_ok=True)
        except OSError as error:
            raise UsageError(f"cannot write {folder}: {error.strerror or error}") from None
        write_folder(folder, self.facts)
        self.model.save(folder / INNER)
