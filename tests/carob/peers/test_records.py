"""Records through anls_star and stickler: where they are right we agree, the rest is here, too."""

from __future__ import annotations

import random
from typing import Any

import pytest

from carob import score_records
from tests.worlds import times


def ours(gold: Any, system: Any, recipe: str = "fields.F1", schema: Any = None) -> float | None:
    return score_records([gold], [system], schema, recipe, resamples=0).value


def test_anls_star_agrees_on_texts_that_are_equal_or_have_nothing_in_common() -> None:
    anls_score = pytest.importorskip("anls_star").anls_score
    rng = random.Random(1)
    for _ in range(times(3)):
        gold = {slot: rng.choice(["aaaa", "bbbb", "cccc"]) for slot in "pqrs"}
        system = {slot: rng.choice(["aaaa", "bbbb", "cccc"]) for slot in "pqrs"}
        # All fields are there on both sides: the share of equal ones is P, R and F1.
        assert anls_score(gold, system) == pytest.approx(ours(gold, system))


def test_anls_star_gives_credit_for_likeness_of_identifiers_and_numbers() -> None:
    anls_score = pytest.importorskip("anls_star").anls_score
    assert anls_score("INV-10231", "INV-10232") == pytest.approx(8 / 9)
    assert ours({"no": "INV-10231"}, {"no": "INV-10232"}) == 0
    assert anls_score("100", "900") == pytest.approx(2 / 3)
    assert ours({"n": 100}, {"n": 900}) == 0
    schema = {"properties": {"d": {"type": "string", "format": "date"}}}
    assert anls_score("2024-01-02", "Jan 2, 2024") == 0
    assert ours({"d": "2024-01-02"}, {"d": "Jan 2, 2024"}, schema=schema) == 1


def test_anls_star_aligns_a_rotated_list_as_we_do() -> None:
    anls_score = pytest.importorskip("anls_star").anls_score
    gold, system = {"c": ["a1", "b2", "c3"]}, {"c": ["b2", "c3", "a1"]}
    assert anls_score(gold, system) == ours(gold, system) == 1


def stickler_counts(gold: dict[str, str], system: dict[str, str]) -> dict[str, Any]:
    stickler = pytest.importorskip("stickler")
    from stickler.comparators.exact import ExactComparator

    def field() -> Any:
        return stickler.ComparableField(comparator=ExactComparator(), threshold=1.0)

    body = {"__annotations__": dict.fromkeys(gold, str), **{name: field() for name in gold}}
    model = type("Fields", (stickler.StructuredModel,), body)
    result = model(**gold).compare_with(model(**system), include_confusion_matrix=True)
    counts: dict[str, Any] = result["confusion_matrix"]["overall"]
    return counts


def test_stickler_agrees_on_precision() -> None:
    rng = random.Random(2)
    for _ in range(times(1)):
        gold = {slot: rng.choice("xyz") for slot in "abcd"}
        system = {slot: rng.choice("xyz") for slot in "abcd"}
        counts = stickler_counts(gold, system)
        assert counts["tp"] == ours(gold, system, "fields.COR")
        assert counts["fd"] == ours(gold, system, "fields.INC")


def test_stickler_reports_full_recall_for_one_field_of_four() -> None:
    gold, system = dict(zip("abcd", "1234", strict=True)), dict(zip("abcd", "1xyz", strict=True))
    assert stickler_counts(gold, system)["derived"]["cm_recall"] == 1.0
    assert ours(gold, system, "fields.R") == 0.25
