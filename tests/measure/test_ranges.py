"""The declared range of a measure is its real one: both ends are reached, nothing lies outside.

That no score lies outside is a law (tests/test_laws.py); here are counts that reach the ends.
"""

from __future__ import annotations

import math

import pytest

from carob import Quantities, registry

NOTHING: dict[str, float] = {"gold_right": 0, "gold_all": 2, "system_right": 0, "system_all": 2}
EVERYTHING: dict[str, float] = {"gold_right": 2, "gold_all": 2, "system_right": 2, "system_all": 2}

ENDS: dict[str, tuple[dict[str, float], dict[str, float]]] = {
    "P": (NOTHING, EVERYTHING),
    "R": (NOTHING, EVERYTHING),
    "F": (NOTHING, EVERYTHING),
    "E": (EVERYTHING, NOTHING),
    "accuracy": (NOTHING | {"tn": 0}, EVERYTHING | {"tn": 3}),
    "specificity": (NOTHING | {"tn": 0}, EVERYTHING | {"tn": 3}),
    "kappa": (NOTHING | {"tn": 0}, EVERYTHING | {"tn": 3}),
    "mcc": (NOTHING | {"tn": 0}, EVERYTHING | {"tn": 3}),
    "attribute-accuracy": (
        {"attribute_agree": 0, "gold_all": 2},
        {"attribute_agree": 2, "gold_all": 2},
    ),
    "SER": ({"c": 1, "s": 0, "d": 0, "i": 0}, {"c": 1, "s": 0, "d": 0, "i": 1e12}),
    "ERR": ({"c": 1, "s": 0, "d": 0, "i": 0}, {"c": 0, "s": 1, "d": 1, "i": 1}),
    "SUB": ({"c": 1, "s": 0}, {"c": 0, "s": 1}),
    "UND": ({"d": 0, "gold_all": 2}, {"d": 2, "gold_all": 2}),
    "OVG": ({"i": 0, "system_all": 2}, {"i": 2, "system_all": 2}),
    "ungrounded-share": (
        {"ungrounded": 0, "system_read": 2},
        {"ungrounded": 2, "system_read": 2},
    ),
}
"""For each measure counts with its smallest and its largest value."""


def test_every_measure_is_here() -> None:
    assert set(registry.builtin("measure")) == set(ENDS)


@pytest.mark.parametrize("name", ENDS)
def test_both_ends_of_the_range_are_reached(name: str) -> None:
    measure = registry.load("measure", name)()
    low, high = (measure(Quantities.of(**counts)).item() for counts in ENDS[name])
    assert measure.range[0] == low
    assert measure.range[1] == (high if high < 1e9 else math.inf)
