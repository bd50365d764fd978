"""All results convert alike: dict, JSON, data frames and every report say the same."""

from __future__ import annotations

import json
from typing import Any

import pytest

from carob import registry
from tests.results import KINDS, result


def sizes(rows: Any) -> dict[str, int]:
    """How many rows each table has."""
    return {"": len(rows)} if not isinstance(rows, dict) else {k: len(v) for k, v in rows.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_json_is_the_dict_with_every_digit(kind: str) -> None:
    made = result(kind)
    assert made.to_dict() == json.loads(made.to_json())
    assert made.to_dict() == json.loads(made.to("json"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames_have_the_rows(kind: str, library: str) -> None:
    pytest.importorskip(library)
    made = result(kind)
    rows, frames = made.rows(), getattr(made, f"to_{library}")()
    assert sizes(rows) == sizes(frames)
    for name, table in (rows if isinstance(rows, dict) else {"": rows}).items():
        frame = frames[name] if isinstance(rows, dict) else frames
        if table:
            assert list(table[0]) == list(frame.columns)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("report", registry.builtin("report"))
def test_every_report_shows_every_result(kind: str, report: str) -> None:
    assert result(kind).to(report).endswith("\n") or report == "json"


def test_a_result_prints_itself_as_on_the_command_line() -> None:
    made = result("scores")
    assert made.to("terminal") == str(made)
