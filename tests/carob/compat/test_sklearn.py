"""The scorer works in cross-validation and grid search of scikit-learn."""

from __future__ import annotations

import math
import pickle
from typing import Any

import pytest

from carob import RecipeError, UsageError, score
from carob.compat.sklearn import make_scorer

base: Any = pytest.importorskip("sklearn.base")
selection: Any = pytest.importorskip("sklearn.model_selection")

WORDS = [["Ann", "slept"], ["Rome", "is", "Big"], ["Bo", "and", "Cy"], ["nothing"]] * 3
TAGS = [["B-PER", "O"], ["B-LOC", "O", "O"], ["B-PER", "O", "B-PER"], ["O"]] * 3


class Tagger(base.BaseEstimator):  # type: ignore[misc]
    """Remembers words if it is asked to, and takes others with a capital for persons."""

    def __init__(self, remember: bool = True) -> None:
        self.remember = remember

    def fit(self, words: Any, tags: Any) -> Tagger:
        pairs = [pair for w, t in zip(words, tags, strict=True) for pair in zip(w, t, strict=True)]
        self.known_ = dict(pairs) if self.remember else {}
        return self

    def predict(self, words: Any) -> list[list[str]]:
        guess = {True: "B-PER", False: "O"}
        return [[self.known_.get(w, guess[w.istitle()]) for w in each] for each in words]


def test_scores_in_cross_validation_are_those_of_carob() -> None:
    scorer = make_scorer("exact.F1")
    folds = selection.KFold(3)
    found = selection.cross_val_score(Tagger(False), WORDS, TAGS, scoring=scorer, cv=folds)
    expected = []
    for train, test in folds.split(WORDS):
        tagger = Tagger(False).fit([WORDS[i] for i in train], [TAGS[i] for i in train])
        answers = tagger.predict([WORDS[i] for i in test])
        expected.append(score([TAGS[i] for i in test], answers, "exact.F1").value)
    assert expected == found.tolist()
    assert 0 < found.mean() < 1


def test_a_grid_search_finds_the_best() -> None:
    scoring = {"f1": make_scorer("exact.F1"), "macro": make_scorer("exact.F1@macro")}
    search = selection.GridSearchCV(
        Tagger(), {"remember": [False, True]}, scoring=scoring, refit="f1", cv=3
    ).fit(WORDS, TAGS)
    assert {"remember": True} == search.best_params_ and 1.0 == search.best_score_


def test_less_is_better_becomes_negative_and_no_value_nan() -> None:
    tagger = Tagger(False).fit(WORDS, TAGS)
    errors = make_scorer("fair.FP")(tagger, WORDS, TAGS)
    assert errors == -(score(TAGS, tagger.predict(WORDS), "fair.FP").value or 0) < 0
    assert math.isnan(make_scorer("exact.F1")(tagger, [["nothing"]], [["O"]]))
    again = pickle.loads(pickle.dumps(make_scorer("exact.F1", zero_division="0")))
    assert again == make_scorer("exact.F1", zero_division="0")


def test_mistakes_are_reported_before_training() -> None:
    with pytest.raises(RecipeError, match="no measure of exact is called 'F3'"):
        make_scorer("exact.F3")
    with pytest.raises(UsageError, match="2 documents are predicted, but 1 are in y"):
        make_scorer("exact.F1")(Tagger().fit([], []), [["a"], ["b"]], [["O"]])
