"""What must hold: sides without types take the only ones there are, and it is always said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from carob import Corpus, score
from carob.pair.pair import Pair
from carob.pair.template_types import fills_template, loose_labels, slot_labels, typed, typed_as

NAME_THEM = (
    'name the type of each: "label" in jsonl, the key that holds it in plain JSON '
    "(--read label=KEY), TYPE.slot as the label of mentions"
)


def templates(*labels: str, slot: str = "a") -> Corpus:
    """A document of templates with these types ("": none)."""
    return Corpus.of({"templates": [{"label": each, "slots": {slot: ["x"]}} for each in labels]})


def mentions(*labels: str) -> Corpus:
    """A document of one mention for each label."""
    return Corpus.of(" ".join(f"[x]{label}" for label in labels))


@pytest.mark.parametrize(
    ("gold", "system", "rows", "remarks"),
    [
        (templates("t"), templates(""), ("t.a",),
         ("1 template names no type and counts as t, the only type of gold",)),
        (templates("t", "t"), templates("", "", "t"), ("t.a",),
         ("2 templates name no type and count as t, the only type of gold",)),
        (templates("t"), templates("", "u"), ("t.a", "u.a"),
         ("no type that the system names (u) is one of gold (t): nothing in those templates can "
          "match; give them gold's types",
          "1 template names no type and counts as t, the only type of gold")),
        (templates(""), templates("t", "u"), ("a",),
         ("gold names no type: what the system names (t, u) is left out",)),
        (templates("t"), templates("t"), ("t.a",), ()),
        (templates(""), templates(""), ("a",), ()),
        (templates("t", ""), templates(""), ("a",), ()),
        (templates("t", "u"), templates("", "t"), ("a", "t.a"),
         (f"1 template names no type, and gold has t, u: nothing in it can match; {NAME_THEM}",)),
        (templates("t", "u"), templates("", ""), ("a",),
         ("2 templates name no type, and gold has t, u: nothing in them can match; "
          f"{NAME_THEM}",)),
        (templates("t"), mentions("a", "b"), ("t.a", "t.b"),
         ("mentions count as slots of t, the only type of gold: a as t.a",)),
        (templates("t"), mentions("t.a"), ("t.a",), ()),
        (templates("t"), mentions("t.a", "b"), ("t.a", "t.b"),
         ("mentions count as slots of t, the only type of gold: b as t.b",)),
        (templates("t", "u"), mentions("t.a", "a"), ("a", "t.a"),
         (f"labels of mentions (a) name no type, and gold has t, u: none of them can match; "
          f"{NAME_THEM}",)),
        (templates(""), mentions("a"), ("a",), ()),
        (mentions("a"), templates("t"), ("a",),
         ("gold names no type: what the system names (t) is left out",)),
        (mentions("t.a"), templates("t"), ("t.a",), ()),
        (mentions("a"), templates(""), ("a",), ()),
        (mentions("a"), mentions("b"), ("b",), ()),
        (Corpus.of({"mentions": []}), templates("t"), ("t.a",), ()),
    ],
)  # fmt: skip
def test_types_are_adopted_dropped_or_kept_and_it_is_said(
    gold: Corpus, system: Corpus, rows: tuple[str, ...], remarks: tuple[str, ...]
) -> None:
    assert remarks == typed(gold, system).remarks
    assert rows == slot_labels(typed_as(gold, system))


def test_a_template_that_names_a_type_does_not_change_those_that_do_not() -> None:
    def corpus(label: str) -> Corpus:
        return Corpus.of(
            {"templates": [{"label": "talk", "slots": {"who": ["Ann"]}}]},
            {"templates": [{"label": label, "slots": {"who": ["Bo"]}}]},
        )

    gold, system = corpus("talk"), corpus("")
    for space in ("oas", "oads", "templates"):
        assert 1.0 == score(gold, system, f"{space}.F1", resamples=0).value


def test_mentions_called_as_rows_fill_a_template_of_each_type() -> None:
    """A twin: the same answers as typed templates with places, one a document and type."""
    rng = np.random.default_rng(3)
    gold, one, other = [], [], []
    types, slots = ("t", "u"), ("a", "b")
    for number in range(400):
        words = [str(rng.choice(["x", "y"])) for _ in range(6)]
        base: dict[str, Any] = {"id": str(number), "tokens": words}

        def filled(
            spans: list[tuple[str, str, int]], base: dict[str, Any] = base
        ) -> dict[str, Any]:
            found = [
                {"label": kind, "slots": {
                    slot: [{"start": at, "end": at + 1} for k, s, at in spans
                           if (k, s) == (kind, slot)] for slot in slots}}
                for kind in types
            ]  # fmt: skip
            return {**base, "mentions": [], "templates": found}

        def drawn() -> list[tuple[str, str, int]]:
            return sorted(
                {
                    (str(rng.choice(types)), str(rng.choice(slots)), int(rng.integers(6)))
                    for _ in range(int(rng.integers(5)))
                },
                key=lambda each: each[2],
            )

        gold.append(filled(drawn()))
        spans = drawn()
        one.append(filled(spans))
        other.append({**base, "mentions": [
            {"start": at, "end": at + 1, "label": f"{kind}.{slot}"} for kind, slot, at in spans
        ]})  # fmt: skip
    recipes = ["oas.PRF", "oaod.PRF", "oads.PRF", "templates.PRF", "templates.SER"]
    sides = [Corpus.of(*each) for each in (gold, one, other)]
    assert not len(sides[2].templates)
    assert () == typed(sides[0], sides[2]).remarks
    results = [score(sides[0], side, recipes, resamples=0) for side in sides[1:]]
    for first, second in zip(*results, strict=True):
        assert (first.recipe, first.value) == (second.recipe, second.value)
        assert first.by_label == second.by_label


def test_templates_in_others_take_the_types_that_gold_has_in_their_slot() -> None:
    def corpus(inner: str, outer: str = "talk") -> Corpus:
        place = {"slots": {"room": ["5"]}} | ({"label": inner} if inner else {})
        return Corpus.of({"templates": [{"label": outer, "slots": {"location": [place]}}]})

    told = "1 template that fills a slot takes the type that gold has there"
    assert (told,) == typed(corpus("place"), corpus("")).remarks
    assert (told,) == typed(corpus(""), corpus("place")).remarks
    assert () == typed(corpus("place"), corpus("site")).remarks
    for one, other in (("place", ""), ("", "place")):
        assert 1.0 == score(corpus(one), corpus(other), "templates.F1", resamples=0).value
    assert 0.0 == score(corpus("place"), corpus("site"), "templates.F1", resamples=0).value


def test_what_was_done_is_a_warning_of_the_system_where_fillers_are_counted() -> None:
    gold = Corpus.of({"text": "Ann", "mentions": [{"start": 0, "end": 3, "label": "PER"}],
                      "templates": [{"label": "talk", "slots": {"who": ["Ann"]}}]})  # fmt: skip
    system = Corpus.of({"text": "Ann", "mentions": [{"start": 0, "end": 3, "label": "PER"}],
                        "templates": [{"slots": {"who": ["Ann"]}}]})  # fmt: skip
    told = "1 template names no type and counts as talk, the only type of gold"
    assert (told,) == score(gold, system, "oas.F1").systems[0].warnings
    assert () == score(gold, system, "exact.F1").systems[0].warnings
    assert ("talk.who",) == Pair.of(gold, system).filled.labels


def test_a_new_name_for_a_row_holds_for_mentions_that_take_the_type_of_gold() -> None:
    gold = Corpus.of({"text": "Ann", "templates": [{"label": "talk", "slots": {"who": ["Ann"]}}]})
    system = Corpus.of({"text": "Ann", "mentions": [{"start": 0, "end": 3, "label": "who"}]})
    found = score(gold, system, "oads.F1", map={"talk.who": "talk.speaker"}, resamples=0)
    assert (1.0, ["talk.speaker"]) == (found.value, list(found.scores[0].by_label))


def test_a_label_is_loose_if_a_mention_of_it_fills_no_slot() -> None:
    corpus = Corpus.of({"text": "Ann Bo Cy", "mentions": [
        {"id": "1", "start": 0, "end": 3, "label": "who"},
        {"id": "2", "start": 4, "end": 6, "label": "other"},
        {"id": "3", "start": 7, "end": 9, "label": "who"},
    ], "templates": [{"slots": {"who": [{"mention": "1"}, {"mention": "3"}]}}]})  # fmt: skip
    assert [True, False, True] == fills_template(corpus).tolist()
    assert ("other",) == loose_labels(corpus)
    assert ("other", "who") == loose_labels(Corpus.of("[Ann]who [Bo]other"))
