"""Tables fit the terminal, colour is for terminals, and one signature stands under all tables."""

from __future__ import annotations

import io
import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carob import Corpus, score
from carob.report.terminal import LEAST, Table, broken, fitted, terminal_width, width
from tests.results import KINDS, result

WIDE = Table([
    ["exact", "P", "R", "F1"],
    *([name, *["0.5000 [0.4000, 0.6000]"] * 3] for name in ("a", "a-rather-long-name-of-a-system")),
])  # fmt: skip


class Screen(io.StringIO):
    """Standard output that is a terminal."""

    def isatty(self) -> bool:
        return True


def on_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on, standard output is a terminal."""
    for name in ("COLUMNS", "NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "stdout", Screen())


def widest(table: Table) -> int:
    columns = zip(*table.rows, strict=True)
    widths = [max(map(width, cells)) for cells in columns]
    return sum(widths) + 2 * (len(widths) - 1)


def test_a_table_that_fits_stays_as_it_is() -> None:
    assert [WIDE] == fitted(WIDE, None)
    assert [WIDE] == fitted(WIDE, widest(WIDE))


def test_long_names_are_wrapped_first() -> None:
    [made] = fitted(WIDE, widest(WIDE) - 1)
    assert "a-rather-long-name-of-a-\nsystem" == made.rows[2][0]
    assert WIDE.rows[1] == made.rows[1]


def test_then_intervals_stand_below_their_numbers() -> None:
    [made] = fitted(WIDE, 80)
    assert ["a", *["0.5000\n[0.4000, 0.6000]"] * 3] == made.rows[1]


def test_then_columns_are_spread_over_several_tables() -> None:
    made = fitted(WIDE, 60)
    assert [["exact", "P", "R"], ["exact", "F1"]] == [table.rows[0] for table in made]
    assert all(len(WIDE.rows) == len(table.rows) for table in made)


def test_long_heads_are_wrapped_and_bars_left_out() -> None:
    rows = [["gold", "seminar.location.building", ""], ["a", "12", "█" * 40]]
    [made] = fitted(Table(rows, left=frozenset({0, 2})), 20)
    assert [["gold", "seminar.\nlocation.\nbuilding"], ["a", "12"]] == made.rows


@given(
    st.lists(
        st.lists(st.text("ab-/ 東\u0e31\u200b", max_size=40), min_size=4, max_size=4), min_size=1
    ),
    st.integers(40, 120),
)
def test_every_table_fits_any_screen(rows: list[list[str]], limit: int) -> None:
    for table in fitted(Table(rows), limit):
        assert widest(table) <= limit


@pytest.mark.parametrize(
    ("text", "places"),
    [("", 0), ("ab", 2), ("東京", 4), ("cafe\u0301", 4), ("สวัสดี", 4), ("हिन्दी", 5), ("a\u200bb", 2),
     ("a\u20dd", 1), ("\ufeffa", 1), ("\u202bשלש\u202c", 3), ("か\u3099", 2), ("a\n東", 2)],
)  # fmt: skip
def test_marks_and_invisible_signs_take_no_place(text: str, places: int) -> None:
    assert places == width(text)


def test_nothing_of_a_name_is_lost_in_three_lines() -> None:
    name = "submissions/team-17/second-run.of.the.system"
    assert name == "".join(broken(name, LEAST))
    assert all(width(line) <= LEAST for line in broken(name, LEAST))
    assert ["  seminar.", "  location"] == broken("  seminar.location", 10)


def test_of_a_very_long_name_both_ends_are_shown() -> None:
    lines = broken("begin" + "x" * 200 + "end", 20)
    assert lines[0].startswith("begin") and lines[-1].endswith("end")
    assert len(lines) <= 3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("columns", [80, 120])
def test_results_fit_the_screen(kind: str, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = result(kind).to("terminal", width=columns).splitlines()
    assert max(width(line) for line in lines if not line.startswith("carob:")) <= columns


def test_the_width_is_columns_or_that_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    on_screen(monkeypatch)
    monkeypatch.setattr(Screen, "fileno", lambda self: 1)
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((77, 24)))
    assert 77 == terminal_width()
    monkeypatch.setenv("COLUMNS", "120")
    assert 120 == terminal_width()
    monkeypatch.setenv("COLUMNS", "wide")
    assert 77 == terminal_width()
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert None is terminal_width()


def test_colour_is_for_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    on_screen(monkeypatch)
    made = result("errors")
    assert "\x1b[1m" in str(made)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in str(made)
    monkeypatch.setenv("NO_COLOR", "")
    assert "\x1b" in str(made)
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in str(made)
    monkeypatch.delenv("TERM")
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert "\x1b" not in str(made)


def test_a_gate_is_coloured_by_its_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    on_screen(monkeypatch)
    gold = Corpus.of("[Ann]PER slept")
    scores = score(gold, gold, "exact.F1", resamples=0)
    assert str(scores.with_floors(["0.5"])).startswith("\x1b[32mgate: pass\x1b[0m\n")
    assert str(scores.with_floors(["200%"])).startswith("\x1b[31mgate: fail\x1b[0m\n")


@pytest.mark.parametrize("kind", KINDS)
def test_one_short_signature_stands_under_all_tables(kind: str) -> None:
    made = result(kind)
    [line] = [line for line in str(made).splitlines() if line.startswith("carob:")]
    assert made.short_signature == line == str(made).splitlines()[-1]
    full = made.to("terminal", signature=True).splitlines()
    assert list(made.signature_lines) == [each for each in full if each.startswith("carob:")]


def test_sentences_are_wrapped_on_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    made = result("power")
    on_screen(monkeypatch)
    monkeypatch.setenv("COLUMNS", "50")
    assert max(map(len, made.to("terminal", color=False).splitlines()[:-1])) <= 50
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert made.to_dict()["answer"] in str(made).splitlines()
