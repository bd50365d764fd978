"""The short signature: recipes, what differs from the defaults, and a hash of the full lines."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from carob import Corpus, score
from carob.result.signature import grouped

GOLD = Corpus.of(*["[Ann]PER slept in [Rome]LOC"] * 6)


def short(**options: Any) -> list[str]:
    """The fields between the version and the id."""
    return score(GOLD, GOLD, "exact.F1", **options).short_signature.split("|")[1:-1]


def test_defaults_are_not_repeated() -> None:
    assert ["exact.F1"] == short()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"labels": ["PER"]}, "labels:PER"),
        ({"map": {"PER": "P"}}, 'map:"\\"PER=P\\""'),
        ({"zero_division": "0"}, "zero:0"),
        ({"extra_docs": "ignore"}, "extra:ignore"),
        ({"resamples": 0}, "interval:none"),
        ({"interval": "bca", "seed": 7}, "interval:bca,1000,seed=7"),
        ({"interval": "percentile"}, "interval:percentile,1000,seed=0"),
    ],
)
def test_what_differs_from_the_defaults_is_there(options: Any, expected: str) -> None:
    assert ["exact.F1", expected] == short(**options)


def test_the_id_is_the_hash_of_the_full_line() -> None:
    made = score(GOLD, {"a": GOLD, "b": GOLD}, ["exact.PRF", "ts.F1@macro"], resamples=0)
    digits = hashlib.sha256(made.signature.encode()).hexdigest()[:8]
    assert made.short_signature.endswith(f"|exact.PRF+ts.F1@macro|interval:none|id:{digits}")


def test_another_file_is_another_id() -> None:
    other = Corpus.of(*["[Ann]PER slept in Rome"] * 6)
    first, second = (score(GOLD, each, "exact.F1").short_signature for each in (GOLD, other))
    assert first != second


def test_three_recipes_that_follow_each_other_are_one() -> None:
    three = ["ts.P@macro", "ts.R@macro", "ts.F1@macro"]
    assert ["ts.PRF@macro"] == grouped(three)
    assert [*three[::-1], "exact.P"] == grouped([*three[::-1], "exact.P"])


def test_many_recipes_are_counted() -> None:
    recipes = [f"overlap.F(beta={n})" for n in range(2, 14)]
    made = score(GOLD, GOLD, recipes, resamples=0)
    assert "+".join([*recipes[:4], "8 more"]) == made.short_signature.split("|")[1]
