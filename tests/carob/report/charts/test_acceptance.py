"""Charts of answers by confidence: of one answer, of many systems, of names that are no names."""

from __future__ import annotations

from typing import Any

import pytest

from carob import Acceptance, Corpus, UsageError, by_confidence
from tests.carob.report.charts.test_extremes import HOSTILE, as_svg

pytestmark = pytest.mark.slow

KINDS = ("acceptance", "reliability")


def records(*answers: tuple[str, float]) -> Corpus:
    return Corpus.of(*(
        {"templates": [{"slots": {"a": [value]}, "confidence": sure}]} for value, sure in answers
    ))  # fmt: skip


def result(names: list[str], *answers: tuple[str, float]) -> Acceptance:
    gold = records(*[("x", 1.0)] * len(answers))
    return by_confidence(gold, dict.fromkeys(names, records(*answers)))


@pytest.mark.parametrize("kind", KINDS)
def test_names_of_systems_are_text(kind: str) -> None:
    names = [name or "(no name)" for name in HOSTILE]
    as_svg(kind, result(names, ("x", 0.9), ("y", 0.8)))
    as_svg(kind, result(names[:1], ("x", 0.9), ("y", 0.8)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("answers", [[("x", 0.9)], [("y", 0.0)], [("y", 1.0), ("x", 0.0)]])
def test_few_answers_are_a_chart_too(kind: str, answers: list[tuple[str, float]]) -> None:
    as_svg(kind, result(["a"], *answers))


def test_of_many_systems_some_are_shown_and_the_others_counted() -> None:
    made = result([f"s{i}" for i in range(14)], ("x", 0.9), ("y", 0.8))
    for kind, shown in (("acceptance", 6), ("reliability", 12)):
        chart: Any = made.plot(kind)
        words = " ".join(text.get_text() for text in chart.texts)
        assert f"{14 - shown} more systems not shown" in words
        chart = made.plot(kind, systems=["s13"])
        with pytest.raises(UsageError, match="no system is called 's14'"):
            made.plot(kind, systems=["s14"])
