"""Values that are compared in bulk get the outcomes of values compared one by one, and those of the
golden cases; a value of any size is read or refused quickly.
"""

from __future__ import annotations

import json
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carob.values.column import Column, judged
from carob.values.raw import BOOLEAN, NUMBER, OBJECT, TEXT, Raw
from carob.values.slot import typed_slot
from tests.worlds import examples

OUTCOMES = ("INC", "PAR", "COR")


def raw(text: str) -> Raw:
    value = json.loads(text)
    if isinstance(value, bool):
        return Raw(BOOLEAN, text)
    if isinstance(value, (int, float)):
        return Raw(NUMBER, text)
    return Raw(TEXT, value) if isinstance(value, str) else Raw(OBJECT, text)


def slot(**values: Any) -> Any:
    made, wrong = typed_slot(values)
    assert not wrong, wrong
    return made


def test_golden_pairs(data: Path) -> None:
    cases = json.loads((data / "records" / "values.json").read_text())["cases"]
    expected = json.loads((data / "records" / "expected.json").read_text())["values"]
    seen = 0
    for case in cases:
        outcome = expected[case["name"]]
        if outcome not in OUTCOMES:
            continue  # absent values are the business of the event space
        gold = json.loads(case["gold"])
        golds = (
            list(map(raw, map(json.dumps, gold))) if isinstance(gold, list) else [raw(case["gold"])]
        )
        column = Column(slot(**case["slot"]), [*golds, raw(case["system"])])
        rows = np.arange(len(golds))
        found = column.outcomes(rows, np.full(len(golds), len(golds))).max()
        assert outcome == OUTCOMES[found], case
        seen += 1
    assert seen == 154


SLOTS = [
    slot(type="number", match="tol(abs=0.5,rel=0.1)"),
    slot(type="number"),
    slot(type="date", match="tol(days=2)"),
    slot(type="date", precision="month"),
    slot(type="datetime", match="tol(seconds=60)"),
    slot(type="money", match="tol(abs=0.01)"),
    slot(type="quantity", match="tol(rel=0.01)"),
    slot(type="quantity"),
    slot(type="string", match="edit(cor=0.9,par=0.5)"),
    slot(type="enum", values=["a", "b", "c"], parents={"a": "b", "b": "c"}),
]
TEXTS = st.one_of(
    st.from_regex(r"\A-?[0-9]{1,2}([.,][0-9]{1,3})?( (kg|g|€|USD|%|°C|K))?\Z"),
    st.from_regex(r"\A202[34]-0[1-3](-[0-2][1-9](T1[0-2]:[0-5]0(:00)?(Z|\+01:00)?)?)?\Z"),
    st.text("abc", min_size=1, max_size=6),
)


@pytest.mark.parametrize("one", SLOTS, ids=lambda each: f"{each.type}-{each.match}")
@examples(0.5)
@given(texts=st.lists(TEXTS, min_size=1, max_size=8))
def test_bulk_equals_one_by_one(one: Any, texts: list[str]) -> None:
    column = Column(one, [Raw(TEXT, text) for text in texts])
    gold, system = (grid.ravel() for grid in np.meshgrid(*[np.arange(len(texts))] * 2))
    expected = []
    for g, s in zip(gold.tolist(), system.tolist(), strict=True):
        left, right = (one.kind.read(Raw(TEXT, texts[i])) for i in (g, s))
        expected.append(0 if left is None or right is None else judged(one, left, right))
    assert expected == column.outcomes(gold, system).tolist()


NUMBERS = st.one_of(
    st.integers().map(str), st.floats(allow_nan=False, allow_infinity=False).map(json.dumps),
    st.sampled_from(["1" * 29, "1" * 30, "1" * 301, "-0.5", "1e5", "1E300", "1e301", "-0"]),
)  # fmt: skip


@pytest.mark.parametrize("one", SLOTS, ids=lambda each: f"{each.type}-{each.match}")
@examples(0.5)
@given(texts=st.lists(NUMBERS, min_size=1, max_size=4))
def test_what_can_be_read_shows_without_reading(one: Any, texts: list[str]) -> None:
    raws = [Raw(kind, text) for text in texts for kind in (TEXT, NUMBER, OBJECT)]
    expected = [one.kind.read(raw) is not None for raw in raws]
    assert expected == Column(one, raws).readable.tolist()


@given(texts=st.lists(NUMBERS | st.sampled_from(["1,50", "1.5", "1.50", "-0.0", "0", "5 %"])))
def test_keys_are_equal_where_numbers_are(texts: list[str]) -> None:
    one = typed_slot({"type": "number"})[0]
    raws = [Raw(kind, text) for text in texts for kind in (TEXT, NUMBER)]
    raws = [raw for raw in raws if raw.kind == TEXT or _is_json(raw.text)]
    column = Column(one, raws)
    rows = np.flatnonzero(column.readable)
    keys = column.keys(rows).tolist()
    values = [one.kind.read(raws[row]) for row in rows.tolist()]
    for key, value in zip(keys, values, strict=True):
        assert [value == other for other in values] == [key == other for other in keys]


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), (int, float))
    except ValueError:
        return False


@pytest.mark.parametrize("kind", ["number", "date", "time", "datetime", "money", "quantity", "id",
                                  "boolean", "string"])  # fmt: skip
@pytest.mark.parametrize(
    "text",
    ["9" * 1_000_000, "1e999999999", "1e" + "9" * 100_000, "1," * 100_000, "0000-01-01",
     "99999-01-01", "1/1/99999", "-" * 100_000, "(" * 100_000, " " * 100_000 + "1", "€" * 50_000,
     "1." + "0" * 1_000_000, "5 " + "k" * 100_000, "Jan " * 30_000, "1:" * 50_000, "\0\x1b[31m"],
    ids=range(16),
)  # fmt: skip
def test_hostile_values_are_read_or_refused_quickly(kind: str, text: str) -> None:
    one = slot(type=kind)
    start = time.process_time()
    Column(one, [Raw(TEXT, text), Raw(NUMBER, text)]).outcomes(np.array([0]), np.array([1]))
    assert time.process_time() - start < 1


def test_the_limits_of_numbers_and_years() -> None:
    number, date = slot(type="number").kind, slot(type="date").kind
    assert Fraction(10**300 - 1) == number.read(Raw(NUMBER, "9" * 300))
    assert number.read(Raw(NUMBER, "9" * 301)) is None
    assert Fraction(10) ** 300 == number.read(Raw(NUMBER, "1e300"))
    assert number.read(Raw(NUMBER, "1e301")) is None
    assert (0, 2, 29) == date.read(Raw(TEXT, "0000-02-29"))
    assert date.read(Raw(TEXT, "99999-01-01")) is None


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"type": "nmber"}, "type = 'nmber'",
     "a type; did you mean number? there are: boolean, date, datetime, enum, id, money, number, "
     "object, quantity, string, time"),
    ({"type": "id", "match": "edit"}, "match = 'edit'",
     "a match for a slot of the type id: edit compares strings"),
    ({"type": "date", "match": "tol(abs=1)"}, "match = 'tol(abs=1)'",
     "tol without abs, which means nothing for the type date: use days"),
    ({"type": "date", "match": "tol(days=x)"}, "match = 'tol(days=x)'",
     "abs=NUMBER, rel=NUMBER, days=NUMBER, seconds=NUMBER"),
    ({"type": "date", "match": "exakt"}, "match = 'exakt'",
     "a match; none is called 'exakt'; did you mean exact? there are: any_of, edit, exact, norm, "
     "tol"),
    ({"type": "string", "century": 1970}, "the key 'century'",
     "a key of the type string: century belongs to date, datetime"),
    ({"type": "enum"}, "an enum without values", 'values = ["...", ...]'),
    ({"type": "money", "currency": "EURO"}, "currency = 'EURO'", "a code of ISO 4217, like EUR"),
    ({"type": "string", "weight": -1}, "weight = -1", "a number from 0 to 1e+06"),
    ({"type": "date", "months": ["Jan"]}, "months = ['Jan']", "12 names, or lists of names"),
]  # fmt: skip


@pytest.mark.parametrize(("values", "found", "expected"), WRONG)
def test_a_wrong_slot_is_refused_in_words(values: Any, found: str, expected: str) -> None:
    wrong = typed_slot(values)[1]
    assert (found, expected) == (wrong[0].found, wrong[0].expected)


@given(
    text=st.from_regex(r"\A-?[0-9]{1,4}([.,][0-9]{0,4})?\Z") | st.sampled_from(["²", "٣", "1.5 "])
)
def test_plain_numbers_are_read_as_all_others(text: str) -> None:
    for decimal in ("auto", ".", ","):
        number = slot(type="number", decimal=decimal).kind
        raw_text = Raw(TEXT, text)
        assert next(number.readings(raw_text), None) == number.read(raw_text)
