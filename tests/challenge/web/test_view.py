"""A page in its three forms; text of strangers is inert in each."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carob_challenge.web.view import Table, View, preferred_format, simple


@given(st.text(), st.text())
def test_no_cell_is_a_formula_and_no_row_breaks(team: str, label: str) -> None:
    text = Table("t", ("team", "label"), [{"team": team, "label": label}]).to_csv()
    rows = list(csv.reader(io.StringIO(text)))
    assert [["team", "label"], 2] == [rows[0], len(rows)]
    assert all(cell[:1] not in ("=", "+", "-", "@", "\t", "\r") for cell in rows[1])


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0"])
def test_formulas_are_defused(text: str) -> None:
    rows = csv.reader(io.StringIO(Table("t", ("a",), [{"a": text}]).to_csv()))
    assert [["a"], [f"'{text}"]] == list(rows)


def test_numbers_keep_every_digit() -> None:
    assert "a\n-0.1234567890123\n" == Table("t", ("a",), [{"a": -0.1234567890123}]).to_csv()


def test_json_has_the_tables_by_name() -> None:
    view = View("x", tables=(Table("rows", ("a",), [{"a": float("nan"), "hidden": 1}]),))
    assert {"rows": [{"a": None}]} == json.loads(view.to_json())


def test_what_is_no_data_is_refused() -> None:
    with pytest.raises(TypeError):
        simple(object())
    assert "2027-01-01T00:00:00+00:00" == simple(datetime(2027, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("expected", "query", "accept"),
    [
        ("html", None, "*/*"), ("html", "xml", ""), ("json", "json", "text/html"),
        ("csv", None, "text/csv"), ("html", None, "text/html, application/json"),
    ],
)  # fmt: skip
def test_the_form_is_the_one_asked_for(expected: str, query: str | None, accept: str) -> None:
    assert expected == preferred_format(query, accept)
