"""Measures of confidence, worked out by hand; surer right answers are better under each."""

from __future__ import annotations

from typing import Any

import pytest

from carob import Corpus, DataError, score


def corpus(*answers: tuple[str, float]) -> Corpus:
    return Corpus.of(*(
        {"id": str(i), "templates": [{"slots": {"a": [value]}, "confidence": sure}]}
        for i, (value, sure) in enumerate(answers)
    ))  # fmt: skip


GOLD = Corpus.of(*(
    {"id": str(i), "templates": [{"slots": {"a": ["x"]}}]} for i in range(4)
))  # fmt: skip
GOOD = corpus(("x", 0.9), ("x", 0.9), ("y", 0.1), ("x", 0.8))
BAD = corpus(("x", 0.2), ("x", 0.9), ("y", 0.9), ("x", 0.8))


@pytest.mark.parametrize(
    ("recipe", "value"),
    [
        ("record(t=0.85).automation", 0.5), ("record(t=0.85).exact", 1.0),
        ("record.Brier", (0.01 + 0.01 + 0.01 + 0.04) / 4), ("record.AUROC", 1.0),
        ("record.ECE", (0.1 + 0.1 + 0.1 + 0.2) / 4), ("record(t=0.85).R", 0.5),
        ("record.ECE(bins=1)", (3 - 2.7) / 4),
    ],
)  # fmt: skip
def test_by_hand(recipe: str, value: float) -> None:
    assert value == pytest.approx(score(GOLD, GOOD, recipe, resamples=0).value)


@pytest.mark.parametrize("measure", ["AUROC", "Brier", "ECE"])
def test_the_system_that_knows_its_errors_is_better(measure: str) -> None:
    scores: Any = score(GOLD, {"good": GOOD, "bad": BAD}, f"record.{measure}", resamples=0)
    good, bad = (each.value for each in scores.scores)
    lower = scores.scores[0].lower_is_better
    assert (good < bad) == lower


def test_without_confidences_a_threshold_is_refused() -> None:
    with pytest.raises(DataError, match="no answer has one"):
        score(GOLD, GOLD, "record(t=0.5).exact", resamples=0)


@pytest.mark.parametrize("measure", ["AUROC", "Brier", "ECE"])
@pytest.mark.parametrize("average", ["micro", "macro", "macro-doc"])
def test_without_confidences_there_is_no_value(measure: str, average: str) -> None:
    found = score(GOLD, GOLD, f"record.{measure}@{average}", resamples=100)
    assert found.value is None
    assert [None] == [row.value for row in found.scores[0].by_label.values()]


def test_a_confidence_beyond_one_is_refused() -> None:
    with pytest.raises(DataError, match=r"found the confidence 1\.5, expected one from 0 to 1"):
        score(GOLD, corpus(*[("x", 1.5)] * 4), "record.Brier", resamples=0)
