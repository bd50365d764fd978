"""Types are guessed from all values of gold; gold can always be read as what was guessed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carob.corpus.corpus import Corpus
from carob.counts.tally import Tally
from carob.match.fields import Fields
from carob.pair.guessed_types import guess_remark, guessed, guessed_slots, guessed_type
from carob.pair.pair import Pair
from carob.values.raw import BOOLEAN, NUMBER, TEXT, Raw, Raws
from tests.worlds import examples


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("boolean", ["yes", "no"]), ("boolean", ["true", "1"]), ("number", ["1", "0"]),
        ("number", ["1.000,50", "(5)", "5 %"]), ("number", ["0", "0.5", "1500"]),
        ("number", ["4711", "12"]), ("number", ["1500", "9000"]), ("string", ["007", "12"]),
        ("string", ["0815"]), ("string", ["02134", "10001"]), ("date", ["2024", "1999"]),
        ("date", ["2024-01-02", "Jan 2, 2024", "2024"]), ("date", ["2024-01-02T00:00:00"]),
        ("string", ["01/02/2024"]), ("datetime", ["2024-01-02", "2024-01-02T15:30Z"]),
        ("time", ["15:30", "3 pm"]), ("money", ["EUR 5", "5 €", "5,-"]), ("money", ["$5", "6"]),
        ("string", ["5 May"]), ("string", ["Ann", "5"]), ("string", ["5", "n/a"]),
        ("string", ["$5 EUR"]), ("string", [" "]),
    ],
)  # fmt: skip
def test_a_type_is_guessed_if_all_values_can_be_read_as_it(kind: str, texts: list[str]) -> None:
    assert kind == guessed_type(Raws.of([Raw(TEXT, text) for text in texts]))
    # What the first values show is not enough.
    many = [Raw(TEXT, text) for text in texts] * 20
    assert "string" == guessed_type(Raws.of([*many, Raw(TEXT, "?")]))


def test_what_json_says_is_a_number_is_one() -> None:
    assert "number" == guessed_type(Raws.of([Raw(NUMBER, "2024"), Raw(NUMBER, "1")]))
    assert "number" == guessed_type(Raws.of([Raw(NUMBER, "2024"), Raw(TEXT, "2023")]))
    assert "boolean" == guessed_type(Raws.of([Raw(BOOLEAN, "true"), Raw(TEXT, "no")]))
    assert "string" == guessed_type(Raws.of([Raw(NUMBER, "1e999")]))
    assert "string" == guessed_type(Raws.of([Raw(BOOLEAN, "true"), Raw(NUMBER, "5")]))
    assert "string" == guessed_type(Raws.of([]))


def corpus(*rows: dict[str, Any]) -> Corpus:
    return Corpus.of(*({"templates": [{"slots": row}]} for row in rows))


def test_the_remark_names_what_was_guessed() -> None:
    gold = corpus({"n": [5], "due": ["2024-01-02"], "sum": ["5 €"], "who": ["Ann", "Bo"]})
    assert guessed(gold).guessed
    assert (
        "types of slots are guessed from gold (number: n; date: due; money: sum; all others are "
        "strings; lists: who)"
    ) == guess_remark(guessed_slots(gold))


VALUES = st.sampled_from(
    ["5", "007", "2024", "2024-01-02", "2024-01-02 15:30+01", "15:30", "$5", "$5 EUR", "yes",
     "1e999", "5.", "", " ", "Ann", "01/02/2024", "0815", "½"],
) | st.text("0123456789.,-€$ :T", max_size=6)  # fmt: skip


@examples(2)
@given(st.lists(st.lists(VALUES, max_size=3), min_size=1, max_size=4))
def test_gold_can_be_read_as_what_was_guessed(rows: list[list[str]]) -> None:
    gold = corpus(*({"v": [value for value in row if value.strip()]} for row in rows))
    total = Tally.of(Fields(), Pair.of(gold, gold)).total()
    assert total["gold_all"] == total["gold_right"] == total["system_right"] == total["system_all"]
