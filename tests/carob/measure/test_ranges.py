"""The declared range of a measure is its real one: both ends are reached, nothing lies outside.

No list of measures says what the ends are. Many tiny documents are measured one by one: among them
are answers that are all right and answers that are all wrong.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest

from carob import Corpus, Pair, Recipe, RecipeError, Tally, registry
from carob.plugin import FloatArray
from tests.worlds import corpora, random_pairs

SPACES = (
    "exact", "slots", "ts", "token", "nugget(attributes=type,mapping=2015)", "oads", "fields",
    "record(t=0.5)",
)  # fmt: skip
"""Together they have the quantities that all measures need."""

UNBOUNDED = 2.0
"""A measure without a largest value exceeds this in a tiny document."""


def spaces(measure: str) -> list[Any]:
    """The event spaces that the measure fits."""
    fitting = []
    for space in SPACES:
        try:
            fitting.append(Recipe.parse(f"{space}.{measure}").space)
        except RecipeError:
            continue
    return fitting


@cache
def mentions(labels: int) -> Pair:
    """Documents of up to eight tokens; with one label, answers can be opposites."""
    return Pair.of(*corpora(random_pairs(labels, 3000, labels="ABC"[:labels])))


@cache
def fillers() -> Pair:
    """Documents with up to two slots and answers, of which some are not in the text."""
    rng = random.Random(1)
    words = ("Ann", "Bo", "Rome", "Oslo", "nowhere")

    def document(number: int) -> dict[str, Any]:
        slots = {slot: [rng.choice(words)] for slot in ("who", "where") if rng.random() < 0.7}
        return {"id": str(number), "text": "Ann met Bo in Rome, not in Oslo",
                "templates": [{"label": "t", "slots": slots}]}  # fmt: skip

    gold, system = (Corpus.of(*map(document, range(500))) for _ in range(2))
    return Pair.of(gold, system)


@cache
def records() -> Pair:
    """Records with up to three fields, whose answers have confidences; some are not in the text."""
    rng = random.Random(2)
    words = ("Ann", "Bo", "nowhere")

    def document(number: int, *, sure: bool) -> dict[str, Any]:
        slots = {
            slot: [{"text": rng.choice(words)}
                   | ({"confidence": rng.choice((0.0, 0.4, 0.6, 1.0))} if sure else {})]
            for slot in "abc" if rng.random() < 0.8
        }  # fmt: skip
        return {"id": str(number), "text": "Ann met Bo", "templates": [{"slots": slots}]}

    gold, system = (
        Corpus.of(*(document(number, sure=sure) for number in range(500))) for sure in (False, True)
    )
    return Pair.of(gold, system)


def worlds(space: Any) -> list[Pair]:
    """The documents that a space can count."""
    if space.items != "filler":
        return [mentions(1), mentions(3)]
    return [records() if space.name in ("fields", "record") else fillers()]


@cache
def values(measure: str) -> FloatArray:
    """The measure of every document, where it is defined."""
    parts = []
    for space in spaces(measure):
        for pair in worlds(space):
            parts.append(registry.load("measure", measure)()(Tally.of(space, pair).by_unit()))
    every = np.concatenate(parts)
    defined: FloatArray = every[~np.isnan(every)]
    return defined


@pytest.mark.parametrize("measure", registry.builtin("measure"))
def test_both_ends_of_the_range_are_reached_and_nothing_lies_outside(measure: str) -> None:
    low, high = registry.load("measure", measure).range
    reached = values(measure)
    assert low == pytest.approx(reached.min(), abs=1e-12)
    if np.isfinite(high):
        assert high == pytest.approx(reached.max(), abs=1e-12)
    else:
        assert reached.max() > UNBOUNDED
