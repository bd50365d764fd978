"""Records are compared as the golden cases say; lists are aligned as the slow way over all mappings
does it; nothing hostile takes long.
"""

from __future__ import annotations

import itertools
import json
import random
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carob import Corpus, InputError, score, score_records
from carob.corpus.source import Source
from carob.counts.tally import Tally
from carob.evaluate.draft import draft
from carob.evaluate.read import read
from carob.match.fields import Fields, compared
from carob.match.record import record_units
from carob.pair.pair import Pair
from carob.recipe import Recipe
from carob.values.matches import NAMES
from carob.values.schema import Schema
from carob.values.slot import TYPES, typed_slot
from tests.carob.match._record_twin import OUTCOMES, Kind, list_counts, random_lists
from tests.worlds import times


def schema_of(slots: dict[str, dict[str, Any]], **more: Any) -> Schema:
    typed = {}
    for path, keys in slots.items():
        typed[path], wrong = typed_slot(keys)
        assert not wrong, wrong
    return Schema.of(typed, **more)


def corpus(lines: Sequence[str], format: str = "records", **parameters: Any) -> Corpus:
    source = Source.of_bytes("\n".join(lines).encode(), "file.jsonl")
    how = parameters | ({"unparsed": "empty"} if format == "records" else {})
    return read(source, format, **how)


def pair_of(case: dict[str, Any]) -> Pair:
    gold = corpus(case["gold"], case.get("gold_format", "records"))
    system = corpus(case["system"], case.get("system_format", "records"))
    return Pair.of(gold, system, schema=schema_of(case["slots"]))


def rows(tally: Tally) -> dict[str, dict[str, float]]:
    counts = tally.by_label()
    every = {
        label: {name: float(counts[name][i]) for name in tally.outcomes if counts[name][i]}
        for i, label in enumerate(tally.labels)
    }
    return {label: own for label, own in every.items() if own}


def golden(data: Path, name: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    folder = data / "records"
    cases = json.loads((folder / f"{name}.json").read_text())["cases"]
    return cases, json.loads((folder / "expected.json").read_text())[name]


def test_golden_values(data: Path) -> None:
    cases, expected = golden(data, "values")
    for case in cases:
        one = {"slots": {"v": case["slot"]}, "gold": [f'{{"v": {case["gold"]}}}'],
               "system": [f'{{"v": {case["system"]}}}']}  # fmt: skip
        counts = Tally.of(Fields(), pair_of(one)).counted()
        found = {name: count for name, count in counts.items() if count}
        assert {expected[case["name"]]: 1} == found, case
    assert len(cases) == len(expected)


def test_golden_records(data: Path) -> None:
    cases, expected = golden(data, "records")
    for case in cases:
        pair, wanted = pair_of(case), expected[case["name"]]
        tally = Tally.of(Fields(), pair)
        assert wanted["rows"] == rows(tally), case["name"]
        assert wanted["total"] == {k: v for k, v in tally.counted().items() if v}, case["name"]
        assert wanted["right records"] == record_units(pair).right.sum(), case["name"]
        for measure in ("P", "R", "F1", "SER", "ERR"):
            value = Recipe.parse(f"fields.{measure}").measure(tally.total())
            assert wanted[measure] == pytest.approx(float(value), abs=1e-12), (case, measure)
    nulls = next(case for case in cases if case["name"] == "nulls")
    rewarded = Tally.of(Fields(null="reward"), pair_of(nulls)).total()
    value = float(Recipe.parse("fields.F1").measure(rewarded))
    assert expected["nulls"]["F1 with null=reward"] == pytest.approx(value, abs=1e-12)


def test_golden_confidences(data: Path) -> None:
    (case,), expected = golden(data, "confidence")
    pair = pair_of(case | {"gold_format": "jsonl", "system_format": "jsonl"})
    for space, measures in expected["five"].items():
        for measure, value in measures.items():
            recipe = Recipe.parse(f"{space}.{measure}")
            found = float(recipe.measure(Tally.of(recipe.space, pair).total()))
            if value is None:
                assert np.isnan(found)
            else:
                assert value == pytest.approx(found, abs=1e-12), recipe


# --- gold against itself ---

VALUES: dict[str, tuple[Any, ...]] = {
    "string": ("Ann", "ann  LEE", "5", 5, True, "ﬁne"),
    "number": (5, "5", "1.000,50", "-3 %", "(2)", "5."),
    "date": ("2024-01-02", "Jan 2, 2024", "2024-01", "2024", 20240102, "2024-01-02T00:00"),
    "time": ("15:30", "3:30 pm", "3pm", "15:30:00.5"),
    "datetime": ("2024-01-02T15:30Z", "2024-01-02 15:30", "2024-01-02", "2024-01",
                 "2024-01-02 16:30:00+01", "2024-01-02T15:30:00Z"),
    "money": ("5 €", "EUR 5", "$5", 5, {"amount": 5, "currency": "EUR"}, "5,-"),
    "quantity": ("5 kg", "5000 g", 5, {"value": 5, "unit": "kg"}, "5 boxes"),
    "boolean": (True, "yes", "no", False, 1),
    "enum": ("cat", "kitten", "CAT", "animal"),
    "id": ("A-1", "a1", "01", 1),
    "object": ({"s": "x"}, {"s": "x", "d": ["2024-01-02T15:30Z"]}, {"d": ["2024", "2024-01"]}),
}  # fmt: skip
"""Values of each type, some of them equal, or partly equal, to others."""
OWN_KEYS: dict[str, dict[str, Any]] = {
    "enum": {"values": {"cat": ["kitten"], "animal": []}, "parents": {"cat": "animal"}},
}
SHAPES: dict[str, dict[str, Any]] = {
    "one": {"fillers": "exactly one"}, "at most one": {}, "set": {"fillers": "any"},
    "ordered": {"fillers": "at least one", "list": "ordered"},
    "no floor": {"fillers": "any", "floor": 0}, "whole": {"fillers": "any", "floor": 1},
    "unannotated": {"fillers": "any", "missing": "unannotated"},
}  # fmt: skip
MATCHES = (None, *NAMES, "tol(abs=1)", "tol(days=1)", "tol(seconds=60)", "any_of(match=exact)",
           "any_of(match=tol)", "edit(cor=0.9,par=0.5)")  # fmt: skip


def kinds_of_slots() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every type with every match and shape that a task may give it."""
    for kind, match, shape in itertools.product(TYPES, MATCHES, SHAPES):
        keys = {"type": kind, **OWN_KEYS.get(kind, {}), **SHAPES[shape]}
        keys |= {"match": match} if match else {}
        if not typed_slot(keys)[1]:
            yield f"{kind}-{match}-{shape}", keys


KINDS_OF_SLOTS = dict(kinds_of_slots())


@pytest.mark.parametrize("kind", KINDS_OF_SLOTS)
def test_gold_against_itself_is_right_whatever_the_slot(kind: str) -> None:
    keys, rng = KINDS_OF_SLOTS[kind], random.Random(kind)
    values = [rng.choices(VALUES[keys["type"]], k=rng.randint(0, 4)) for _ in range(12)]
    inner = {"type": "datetime", "fillers": "any", "match": "exact"}
    below = {"s": {"type": "string"}, "d": inner} if keys["type"] == "object" else {}
    slots = {"v": keys, "o": {"type": "object", "fillers": "any"}, "o.v": keys}
    slots |= {f"{path}.{name}": slot for path in ("v", "o.v") for name, slot in below.items()}
    slots |= {"k": {"type": "object", "fillers": "any", "key": ["n"]}, "k.n": {"type": "number"}}
    slots |= {
        f"k.{path.removeprefix('o.')}": slot for path, slot in slots.items() if path[:2] == "o."
    }
    records = [
        {"v": each, "o": [{"v": other} for other in values[: len(each)]],
         "k": [{"n": n, "v": other} for n, other in enumerate(values[: len(each)])]}
        for each in values
    ]  # fmt: skip
    same = corpus([json.dumps(record) for record in records])
    pair = Pair.of(same, same, schema=schema_of(slots))
    total = Tally.of(Fields(), pair).total()
    assert total["gold_all"] == total["gold_right"] == total["system_right"], kind
    assert total["gold_all"] == total["system_all"] > 0
    assert record_units(pair).right.all()


def test_further_answers_that_are_right_say_nothing_more_where_gold_is_a_choice() -> None:
    answers = ['{"v": ["b", "a"]}', '{"v": ["x", "b", "A"]}', '{"v": ["x", "y"]}']
    gold = ['{"v": ["a", "b"]}'] * len(answers)
    case = {"slots": {"v": {"match": "any_of"}}, "gold": gold, "system": answers}
    assert {"v": {"COR": 2, "SPU": 2, "INC": 1}} == rows(Tally.of(Fields(), pair_of(case)))


def test_spurious_objects_are_not_judged_in_slots_that_no_object_of_gold_has() -> None:
    slots: dict[str, dict[str, Any]] = {
        "o": {"type": "object", "fillers": "any"}, "o.a": {}, "o.b": {"missing": "unannotated"},
        "o.p": {"type": "object", "missing": "unannotated"}, "o.p.q": {},
    }  # fmt: skip
    extra = {"a": "y", "b": "z", "p": {"q": "r"}}
    golds: tuple[list[Any], ...] = (
        [],
        [{"a": "x"}],
        [{"a": "x", "b": "1"}],
        [{"a": "x", "p": {"q": "1"}}],
    )
    case = {
        "slots": slots, "gold": [json.dumps({"o": gold}) for gold in golds],
        "system": [json.dumps({"o": [*gold, extra]}) for gold in golds],
    }  # fmt: skip
    pair = pair_of(case)
    found = rows(Tally.of(Fields(), pair))
    assert {"COR": 3, "SPU": 4} == found["o.a"]
    assert {"COR": 1, "SPU": 1} == found["o.b"]
    assert {"COR": 1, "SPU": 1} == found["o.p.q"]
    assert 6 == pair.records.counted["unjudged"]


# --- the slow way ---


def all_mappings(n: int, m: int, allowed: set[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Every one-to-one mapping of allowed pairs, sorted."""
    if not n:
        yield []
        return
    for rest in all_mappings(n - 1, m, allowed):
        yield rest
        for j in range(m):
            if (n - 1, j) in allowed and all(j != other for _, other in rest):
                yield [*rest, (n - 1, j)]


def item_counts(gold: dict[str, str], system: dict[str, str]) -> tuple[int, int, int, int]:
    """COR, PAR, POS and ACT of two flat objects with dates in d and strings elsewhere."""
    correct = partial = 0
    for slot in gold.keys() & system.keys():
        one, other = gold[slot], system[slot]
        if one == other:
            correct += 1
        elif slot == "d" and (one.startswith(other) or other.startswith(one)):
            partial += 1
    return correct, partial, len(gold), len(system)


def slow_alignment(
    gold: list[dict[str, str]], system: list[dict[str, str]], floor: Fraction, ordered: bool
) -> tuple[tuple[Fraction, int, int], set[tuple[int, int]]]:
    """The best mapping over all mappings; places are those of the file."""
    left, right = list(range(len(gold))), list(range(len(system)))
    if not ordered:
        left.sort(key=lambda i: json.dumps(gold[i], sort_keys=True, ensure_ascii=False))
        right.sort(key=lambda j: json.dumps(system[j], sort_keys=True, ensure_ascii=False))
    likeness, counts = {}, {}
    for i, j in itertools.product(range(len(left)), range(len(right))):
        correct, partial, pos, act = item_counts(gold[left[i]], system[right[j]])
        likeness[i, j] = Fraction(2 * correct + partial, pos + act)
        counts[i, j] = correct, partial
    allowed = {pair for pair, value in likeness.items() if value > 0 and value >= floor}
    best: Any = None
    for mapping in all_mappings(len(left), len(right), allowed):
        if ordered and [j for _, j in mapping] != sorted(j for _, j in mapping):
            continue
        key = (
            -sum((likeness[pair] for pair in mapping), Fraction(0)),
            -sum(counts[pair][0] for pair in mapping),
            -sum(counts[pair][1] for pair in mapping),
            mapping,
        )
        best = key if best is None or key < best else best
    worth = (-best[0], -best[1], -best[2])
    return worth, {(left[i], right[j]) for i, j in best[3]}


DATES = ("2024", "2024-01", "2024-01-02", "2024-01-03", "2023")


def random_item(rng: random.Random) -> dict[str, str]:
    item = {slot: rng.choice("xyz") for slot in "abc" if rng.random() < 0.8}
    if rng.random() < 0.7:
        item["d"] = rng.choice(DATES)
    return item or {"a": "x"}


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("floor", [0.0, 0.5, 0.7])
def test_lists_of_objects_are_aligned_as_over_all_mappings(ordered: bool, floor: float) -> None:
    rng = random.Random(f"{ordered}{floor}")
    slots: dict[str, dict[str, Any]] = {
        "o": {"type": "object", "fillers": "any", "floor": floor,
              "list": "ordered" if ordered else "set"},
        **{f"o.{slot}": {"type": "string"} for slot in "abc"}, "o.d": {"type": "date"},
    }  # fmt: skip
    worlds = [
        ([random_item(rng) for _ in range(rng.randint(1, 4))],
         [random_item(rng) for _ in range(rng.randint(1, 4))])
        for _ in range(times(4))
    ]  # fmt: skip
    pair = pair_of({
        "slots": slots,
        "gold": [json.dumps({"o": gold}) for gold, _ in worlds],
        "system": [json.dumps({"o": system}) for _, system in worlds],
    })  # fmt: skip
    compared(pair, 0.5, weights=True)
    partner = pair.remembered["records", 0.5, True][2]
    gold, system = pair.records.gold, pair.records.system
    places = [side.corpus.templates.place for side in (gold, system)]
    found: list[set[tuple[int, int]]] = [set() for _ in worlds]
    for row in np.flatnonzero((gold.parent >= 0) & (partner >= 0)).tolist():
        found[gold.doc[row]].add((int(places[0][row]), int(places[1][partner[row]])))
    for (ours, theirs), aligned in zip(worlds, found, strict=True):
        worth, mapping = slow_alignment(ours, theirs, Fraction(str(floor)), ordered)
        same = [sum(item_counts(ours[i], theirs[j])[k] for i, j in aligned) for k in (0, 1)]
        assert (worth[1], worth[2]) == tuple(same), (ours, theirs)
        texts = {
            (json.dumps(ours[i], sort_keys=True), json.dumps(theirs[j], sort_keys=True))
            for i, j in mapping
        }
        assert texts == {
            (json.dumps(ours[i], sort_keys=True), json.dumps(theirs[j], sort_keys=True))
            for i, j in aligned
        }, (ours, theirs)  # equal items may stand for each other


@pytest.mark.parametrize("ordered", [False, True])
def test_lists_of_values_are_aligned_as_over_all_mappings(ordered: bool) -> None:
    rng = random.Random(7)
    slots = {"d": {"type": "date", "fillers": "any", "list": "ordered" if ordered else "set"}}
    worlds = [
        tuple([rng.choice(DATES) for _ in range(rng.randint(1, 5))] for _ in range(2))
        for _ in range(times(7))
    ]
    pair = pair_of({
        "slots": slots, "gold": [json.dumps({"d": gold}) for gold, _ in worlds],
        "system": [json.dumps({"d": system}) for _, system in worlds],
    })  # fmt: skip
    counts = Tally.of(Fields(), pair).by_unit()
    for i, (gold, system) in enumerate(worlds):
        worth, _ = slow_alignment([{"d": d} for d in gold], [{"d": d} for d in system],
                                  Fraction(1, 2), ordered)  # fmt: skip
        assert (worth[1], worth[2]) == (counts["COR"][i], counts["PAR"][i]), (gold, system)


def kind_of(floor: str, weighted: bool, ordered: bool = False) -> Kind:
    two, half, one = Fraction(2), Fraction(1, 2), Fraction(1)
    if not weighted:
        two = half = one
    inner = Kind({"a": one, "x": two}, {}, {}, {}, Fraction(1, 2))
    return Kind({"a": two, "b": one, "c": half}, {"d": one}, {"t": half}, {"s": (two, inner)},
                Fraction(floor), ordered)  # fmt: skip


Lists = tuple[list[dict[str, Any]], list[dict[str, Any]]]


def against_the_twin(worlds: list[Lists], kind: Kind) -> None:
    slots = {
        "o": {"type": "object", "fillers": "any", "floor": float(kind.floor),
              "list": "ordered" if kind.ordered else "set"},
        **dict(kind.slots("o.")),
    }  # fmt: skip
    pair = pair_of({
        "slots": slots, "gold": [json.dumps({"o": gold}) for gold, _ in worlds],
        "system": [json.dumps({"o": system}) for _, system in worlds],
    })  # fmt: skip
    counts = Tally.of(Fields(), pair).by_unit()
    for i, (gold, system) in enumerate(worlds):
        expected = list_counts(gold, system, kind, Fraction(1)).by
        found = {outcome: counts[outcome][i] for outcome in OUTCOMES}
        assert {outcome: float(expected[outcome]) for outcome in OUTCOMES} == found, (gold, system)


@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize(
    ("floor", "weighted", "ordered"),
    [("0", False, False), ("0.5", False, False), ("0.5", True, False), ("0.7", True, False),
     ("0.3", True, False), ("0.5", True, True)],
)  # fmt: skip
def test_nested_and_weighted_lists_are_aligned_as_over_all_mappings(
    floor: str, weighted: bool, ordered: bool, long: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("carob.match._compare_records.LONG", -1 if long else 1 << 16)
    rng, kind = random.Random(f"{floor}{weighted}"), kind_of(floor, weighted, ordered)
    worlds = [random_lists(rng, kind) for _ in range(times(2))]
    against_the_twin(worlds, kind)


@settings(deadline=None)
@given(
    rng=st.randoms(use_true_random=False), floor=st.sampled_from(["0", "0.3", "0.5", "0.7", "1"]),
    weighted=st.booleans(),
)  # fmt: skip
def test_long_lists_are_aligned_as_over_all_mappings(
    rng: random.Random, floor: str, weighted: bool
) -> None:
    kind = kind_of(floor, weighted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("carob.match._compare_records.LONG", -1)
        against_the_twin([random_lists(rng, kind)], kind)


@pytest.mark.parametrize("key", [(), ("k",), ("k", "n")])
def test_long_lists_count_what_short_ones_count(
    key: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With every kind of value: tolerances, edits, synonyms, money, alternatives, optional ones."""
    slots: dict[str, dict[str, Any]] = {
        "o": {"type": "object", "fillers": "any", **({"key": list(key)} if key else {})},
        "o.k": {"type": "string"}, "o.n": {"type": "number"},
        "o.near": {"type": "number", "match": "tol(abs=1)"},
        "o.text": {"type": "string", "match": "edit(par=0.5)"}, "o.paid": {"type": "money"},
        "o.day": {"type": "date"}, "o.more": {"type": "string", "fillers": "any"},
        "o.in": {"type": "object"}, "o.in.k": {"type": "string"},
    }  # fmt: skip

    def item() -> dict[str, Any]:
        every = {
            "k": rng.choice("abc"), "n": rng.randint(1, 3), "near": rng.randint(1, 6),
            "text": rng.choice(("colour", "color", "cold", "old")),
            "paid": rng.choice(("$5", "5", "6 EUR")), "day": rng.choice(DATES),
            "more": [rng.choice("pqr") for _ in range(rng.randint(1, 2))],
            "in": {"k": rng.choice("xy")},
        }  # fmt: skip
        return {name: value for name, value in every.items() if rng.random() < 0.8} or {"k": "a"}

    def template(items: list[dict[str, Any]]) -> str:
        def filler(value: Any) -> Any:
            if isinstance(value, dict):
                return {"slots": {k: [filler(v)] for k, v in value.items()}}
            if isinstance(value, str) and value in "abc" and rng.random() < 0.4:
                return {"text": value, "alternatives": [rng.choice("abc")]}
            return {"text": value, "optional": True} if optional and rng.random() < 0.2 else value

        made = [
            {"slots": {k: [filler(v) for v in (value if isinstance(value, list) else [value])]
                       for k, value in each.items()}}
            for each in items
        ]  # fmt: skip
        return json.dumps({"templates": [{"slots": {"o": made}}]})

    for seed in range(times(1)):
        rng = random.Random(seed)
        optional = seed % 2 == 1
        lists = [[item() for _ in range(rng.randint(1, 9))] for _ in range(2)]
        case = {"slots": slots, "gold": [template(lists[0])], "system": [template(lists[1])],
                "gold_format": "jsonl", "system_format": "jsonl"}  # fmt: skip
        found = []
        for long in (-1, 1 << 16):
            monkeypatch.setattr("carob.match._compare_records.LONG", long)
            found.append(rows(Tally.of(Fields(), pair_of(case))))
        assert found[0] == found[1], case


def test_equal_items_are_no_pair_where_others_gain_more() -> None:
    slots = {"o": {"type": "object", "fillers": "any"}, **{f"o.{k}": {} for k in "abcde"}}
    gold, system = (
        [dict(zip("abcde", each, strict=True)) for each in side]
        for side in (("11111", "11122"), ("11111", "33111"))
    )
    pair = pair_of({"slots": slots, "gold": [json.dumps({"o": gold})],
                    "system": [json.dumps({"o": system})]})  # fmt: skip
    counts = Tally.of(Fields(), pair).counted()
    assert {"COR": 6, "INC": 4} == {name: count for name, count in counts.items() if count}


def test_keys_that_may_be_unannotated_are_not_judged_in_spurious_objects() -> None:
    slots = {
        "o": {"type": "object", "fillers": "any"}, "o.a": {}, "o.b": {"missing": "unannotated"},
        "o.c": {"missing": "unannotated"},
    }  # fmt: skip
    spurious = {"a": "q", "b": "q", "c": "q"}
    for gold, expected in (
        ([{"a": "x", "b": "y"}], {"o.a": {"COR": 1, "SPU": 1}, "o.b": {"COR": 1, "SPU": 1}}),
        ([{"a": "x"}], {"o.a": {"COR": 1, "SPU": 1}}),
        ([], {"o.a": {"SPU": 1}}),
    ):
        pair = pair_of({"slots": slots, "gold": [json.dumps({"o": gold})],
                        "system": [json.dumps({"o": [*gold, spurious]})]})  # fmt: skip
        assert expected == rows(Tally.of(Fields(), pair))


# --- hostile ---


def shuffled(size: int, wrong: float, slots: int = 8) -> Lists:
    """Rows of unique strings, and a copy in another order with one wrong string in some."""
    rng = random.Random(0)
    gold = [{f"c{j}": f"{i}-{j}" for j in range(slots)} for i in range(size)]
    system = [
        row | ({f"c{rng.randrange(slots)}": f"{i}?"} if rng.random() < wrong else {})
        for i, row in enumerate(gold)
    ]
    rng.shuffle(system)
    return gold, system


def counted_of(gold: Any, system: Any, **more: Any) -> tuple[dict[str, float], float]:
    """The counts of two lists of rows, and the seconds they took."""
    slots = {"o": {"type": "object", "fillers": "any", **more}}
    slots |= {f"o.{name}": {} for name in gold[0]}
    pair = pair_of({"slots": slots, "gold": [json.dumps({"o": gold})],
                    "system": [json.dumps({"o": system})]})  # fmt: skip
    start = time.process_time()
    counts = Tally.of(Fields(), pair).counted()
    return {name: count for name, count in counts.items() if count}, time.process_time() - start


def test_long_shuffled_lists_take_little_time() -> None:
    counts, seconds = counted_of(*shuffled(3000, 0.3))
    assert 8 * 3000 == counts["COR"] + counts["INC"]
    assert 800 < counts["INC"] < 1000
    assert seconds < 1
    counts, seconds = counted_of(*shuffled(30_000, 0.1))
    assert 8 * 30_000 == counts["COR"] + counts["INC"]
    assert seconds < 10


@pytest.mark.slow
def test_a_list_with_a_key_may_be_as_long_as_one_likes() -> None:
    gold, system = shuffled(100_000, 0, 3)
    wrong = [row | {"c1": "?"} for row in system]
    counts, seconds = counted_of(gold, wrong, key=["c0"])
    assert {"COR": 200_000, "INC": 100_000} == counts
    assert seconds < 20
    counts, seconds = counted_of(*shuffled(100_000, 0.05))
    assert 8 * 100_000 == counts["COR"] + counts["INC"]
    assert seconds < 20


def test_lists_whose_objects_are_all_alike_are_refused_with_what_to_do() -> None:
    same = [{"a": "x", "b": str(i % 2)} for i in range(20_000)]
    for key, advice in (((), "; a key for o compares only items with the same key"), (("a",), "")):
        more = {"key": list(key)} if key else {}
        with pytest.raises(InputError) as caught:
            counted_of(same, same, **more)
        assert str(caught.value) == (
            "gold and system: K309 found 400,000,000 pairs of items of 'o' to compare, "
            f"expected at most 25,000,000 in a document{advice}"
        )


def test_a_long_list_of_texts_takes_little_time() -> None:
    items = [f"item {i}" for i in range(50_000)]
    start = time.process_time()
    for ordered in ("set", "ordered"):
        pair = pair_of({
            "slots": {"a": {"type": "string", "fillers": "any", "list": ordered}},
            "gold": [json.dumps({"a": items})], "system": [json.dumps({"a": items})],
        })  # fmt: skip
        assert 50_000 == Tally.of(Fields(), pair).counted()["COR"]
    assert time.process_time() - start < 10


def test_what_would_take_too_long_is_refused() -> None:
    items = [f"item {i}" for i in range(5000)]
    pair = pair_of({
        "slots": {"a": {"type": "string", "fillers": "any", "match": "edit"}},
        "gold": [json.dumps({"a": items})], "system": [json.dumps({"a": items})],
    })  # fmt: skip
    with pytest.raises(InputError, match="K309 found 25,000,000 pairs of items of 'a' to compare"):
        Tally.of(Fields(), pair)


@pytest.mark.slow
def test_two_thousand_objects_are_aligned_in_seconds() -> None:
    rng = random.Random(0)

    def item() -> dict[str, str]:
        return {slot: str(rng.randint(0, 5)) for slot in "abcde"}

    slots: dict[str, dict[str, Any]] = {
        "o": {"type": "object", "fillers": "any"},
        **{f"o.{s}": {"type": "string"} for s in "abcde"},
    }
    pair = pair_of({
        "slots": slots, "gold": [json.dumps({"o": [item() for _ in range(2000)]})],
        "system": [json.dumps({"o": [item() for _ in range(2000)]})],
    })  # fmt: skip
    start = time.process_time()
    Tally.of(Fields(), pair)
    assert time.process_time() - start < 60


def test_values_of_gold_that_cannot_be_read_are_errors_with_their_line() -> None:
    pair = pair_of({"slots": {"n": {"type": "number"}}, "gold": ['{"n": 1}', '{"n": "one"}'],
                    "system": ["{}", "{}"]})  # fmt: skip
    with pytest.raises(InputError) as caught:
        _ = pair.records
    expected = "file.jsonl:2: K831 found n = 'one' in document '2', expected a number"
    assert expected == str(caught.value)


def test_names_with_control_characters_do_no_harm() -> None:
    lines = [json.dumps({"a\x1b[31m": "x", "\x00": 5, "b": {"\n": True}})]
    scores = score(corpus(lines), corpus(lines), "fields.F1", resamples=0)
    assert 1.0 == scores.value


@pytest.mark.parametrize(
    ("gold", "system", "correct", "gold_values", "system_values"),
    [
        ({"v.n": "x", "k": "1"}, {"v.n": "y", "k": "1"}, 1, 2, 2),
        ({"v.n": "x", "k": "1"}, {"k": "1"}, 1, 2, 1),
        ({"Dr. name": "x"}, {"Dr. name": "x"}, 1, 1, 1),
        ({"v": {"n": "x"}, "k": "1"}, {"v.n": "x", "k": "1"}, 1, 2, 2),
        ({"v.n": "x", "v": {"n": "y"}}, {"v.n": "q", "v": {"n": "y"}}, 1, 2, 2),
        ({"v.n": "x", "v": {"n": "y"}}, {"v.n": "x", "v": {"n": "z"}}, 1, 2, 2),
        ({"a": {"b.c": ["x", "y"]}}, {"a": {"b.c": ["y", "x"]}}, 2, 2, 2),
        ({"a": {"b.c": "x"}}, {"a": {"b": {"c": "x"}}}, 0, 1, 1),
        ({"a\\": {"b": "x"}}, {"a\\.b": "x"}, 0, 1, 1),
        ({"a.": "x"}, {"a.": "x"}, 1, 1, 1),
        ({"..": {".": "x"}}, {"..": {".": "y"}}, 0, 1, 1),
        ({"lines": [{"item": "pen"}]}, {"lines": [{"item": "pen"}], "lines.item": "x"}, 1, 1, 2),
    ],
)  # fmt: skip
def test_a_key_with_a_dot_is_no_path(
    gold: dict[str, Any], system: dict[str, Any], correct: int, gold_values: int, system_values: int
) -> None:
    ours, theirs = (corpus([json.dumps(each)]) for each in (gold, system))
    scores = score(ours, theirs, ["fields.P", "fields.R", "record.exact"], resamples=0)
    expected = [correct / system_values, correct / gold_values, float(gold == system)]
    if {"a": {"b.c": ["x", "y"]}} == gold:
        expected[2] = 1.0  # the order of a list does not count
    assert expected == [each.value for each in scores]


def test_slots_of_a_schema_and_of_a_task_may_have_dots(tmp_path: Path) -> None:
    gold, system = [{"v.n": 5, "k": "1"}], [{"v.n": 6, "k": "1"}]
    schema = {"properties": {"v.n": {"type": "integer"}, "k": {"type": "string"}}}
    assert 0.5 == score_records(gold, system, schema, "fields.F1", resamples=0).value
    for name, records in (("gold", gold), ("system", system)):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(records[0]), encoding="utf-8")
    ours, theirs = (str(tmp_path / f"{name}.jsonl") for name in ("gold", "system"))
    task = draft(ours)
    assert '[slots."v\\\\.n"]' in task
    (tmp_path / "task.toml").write_text(task, encoding="utf-8")
    scores = score(ours, theirs, "fields.F1", task=str(tmp_path / "task.toml"), resamples=0)
    assert 0.5 == scores.value
