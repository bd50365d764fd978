"""The better system wins under every measure and count, whether more or less of it is better.

`good` makes the errors of `bad` in one document only. No list of measures says which of them are
errors: the test fails if a measure declares the wrong direction, or if nobody asks it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from carob import Corpus, Recipe, RecipeError, compare, registry, robust
from carob.plugin import FloatArray, Quantities, ratio
from carob.result.gate import not_worse

DOCUMENTS = 12
TEXT = "Ann and Bo slept in Rome ."

GOLD = "[Ann]PER and [Bo]PER slept in [Rome]LOC ."
WRONG = "Ann and [Bo]ORG [slept]PER in [Rome]LOC ."
"""A mention is missing, one has another label, one is spurious."""

GOLD_SLOTS: dict[str, list[str]] = {"who": ["Ann"], "where": ["Rome"], "how": ["slept"]}
WRONG_SLOTS: dict[str, list[str]] = {"who": ["Zoe"], "when": ["Bo"], "how": ["slept"]}
"""A filler that the text does not have, a missing one, a spurious one."""

SPACES = (
    "exact", "slots", "ts", "oads", "nugget(attributes=type,mapping=2015)", "record", "fields",
)  # fmt: skip
"""Together they have the quantities that all measures need."""


def of_mentions(*texts: str) -> Corpus:
    return Corpus.of(*texts)


def of_slots(*slots: dict[str, list[str]]) -> Corpus:
    return Corpus.of(*(
        {"id": f"{i:02}", "text": TEXT, "templates": [{"label": "t", "slots": each}]}
        for i, each in enumerate(slots)
    ))  # fmt: skip


def corpora(recipe: Recipe) -> tuple[Corpus, dict[str, Corpus]]:
    """Gold, and the two systems; the better one is named second, so that neither order wins."""
    make, right, wrong = of_mentions, GOLD, WRONG
    if recipe.space.items == "filler":
        make, right, wrong = of_slots, GOLD_SLOTS, WRONG_SLOTS  # type: ignore[assignment]
    gold = make(*[right] * DOCUMENTS)
    bad = make(*[wrong] * DOCUMENTS)
    return gold, {"bad": bad, "good": make(*[right] * (DOCUMENTS - 1), wrong)}


def recipe_of(measure: str) -> Recipe:
    """The measure under the first space that it fits."""
    for space in SPACES:
        try:
            return Recipe.parse(f"{space}.{measure}")
        except RecipeError:
            continue
    raise AssertionError(f"no space here has what {measure} needs")


def expect_good_to_win(recipe: Recipe) -> None:
    gold, systems = corpora(recipe)
    result = compare(gold, systems, recipe, interval="jackknife-t")
    (difference,) = result.differences
    assert "good" == difference.ahead
    assert difference.significant
    assert difference.sentence().startswith("good is ahead of bad")
    assert {"good": (1, 1), "bad": (2, 2)} == {
        rank.system: (rank.rank_low, rank.rank_high) for rank in result.ranks
    }
    backwards = compare(
        gold, dict(reversed(systems.items())), recipe, interval="jackknife-t"
    )  # fmt: skip
    verdicts = {each.systems[0].name: not_worse(each, 0.0).verdict for each in (result, backwards)}
    assert {"bad": "pass", "good": "fail"} == verdicts
    assert ("good",) == robust(gold, systems, [recipe]).winner


OF_CONFIDENCE = {"AUROC", "Brier", "ECE", "automation"}
"""They compare answers with confidences: tests/carob/measure/test_confidences.py."""


@pytest.mark.parametrize("measure", sorted({*registry.builtin("measure")} - OF_CONFIDENCE))
def test_the_better_system_is_ahead_by_every_measure(measure: str) -> None:
    expect_good_to_win(recipe_of(measure))


@pytest.mark.parametrize(
    "recipe",
    [
        "exact.tp", "exact.fp", "exact.fn", "exact.gold_right", "boundary.tp_system", "ts.tn",
        "slots.c", "slots.s", "slots.d", "slots.i", "slots.C", "slots.C_system", "slots.S",
        "fair.TP", "fair.LE", "fair.FP", "fair.FN", "semeval.COR", "semeval.INC", "semeval.MIS",
        "nugget.TP_system", "oads.tp", "oads.ungrounded", "templates.COR", "templates.SPU",
    ],
)  # fmt: skip
def test_the_better_system_is_ahead_by_counts(recipe: str) -> None:
    expect_good_to_win(Recipe.parse(recipe))


@dataclass(frozen=True, slots=True)
class MissRate:
    """Of what gold marked, the share that was missed."""

    name: ClassVar[str] = "miss-rate"
    needs: ClassVar[tuple[str, ...]] = ("gold_right", "gold_all")
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = True

    def __call__(self, q: Quantities) -> FloatArray:
        return ratio(q["gold_all"] - q["gold_right"], q["gold_all"])


class Entry:
    """Stands for an entry point."""

    value = "miss_rate:MissRate"

    def load(self) -> type[Any]:
        return MissRate


def test_the_better_system_is_ahead_by_the_measure_of_a_plugin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entries = {"measure": {"miss-rate": Entry()}}
    monkeypatch.setattr(registry, "plugins", lambda stage: entries.get(stage, {}))
    expect_good_to_win(Recipe.parse("exact.miss-rate"))
