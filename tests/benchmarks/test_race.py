"""Contenders take turns, sit out when they must, and their scores are compared with carob's."""

from __future__ import annotations

import sys

import pytest

from _measure import Run, environment, measure
from _pages import PAGE, filled
from _race import Contender, disagreements, failures, last_line, race, rounded, spare, table


def ran(name: str, wall: float, **more: object) -> Contender:
    return Contender(name, [], runs=[Run(wall, wall / 2, 50, 0, '{"exact.F1": 0.5}', "")], **more)  # type: ignore[arg-type]


def python(name: str, code: str, needs: str | None = None) -> Contender:
    return Contender(name, [sys.executable, "-S", "-c", code], needs)


def test_everyone_runs_once_a_round_unless_failed_or_missing() -> None:
    well, wrong = python("well", "print('{}')"), python("wrong", "import sys; sys.exit('no\\nbad')")
    absent = python("absent", "pass", "no_such_package")
    race([well, wrong, absent], repeats=2, budget=60)
    assert (2, 1, 0) == (len(well.runs), len(wrong.runs), len(absent.runs))
    assert "skipped: no_such_package is not installed" == absent.sits_out
    assert ["wrong: bad"] == failures([well, wrong, absent])


def test_who_has_used_the_budget_does_not_run_again() -> None:
    well = python("well", "pass")
    race([well], repeats=3, budget=0)
    assert 1 == len(well.runs)


def test_who_would_take_too_long_sits_out() -> None:
    slow, fast, gone = (Contender(name, []) for name in ("slow", "fast", "gone"))
    smaller = [ran("slow", 14.0), ran("fast", 10.0), Contender("gone", [], sits_out="skipped")]
    spare([slow, fast, gone], smaller, times=10, budget=60)
    assert ("not run: about 70 s", "", "skipped") == (slow.sits_out, fast.sits_out, gone.sits_out)


def test_scores_that_differ_are_said() -> None:
    near, far = ran("near", 1, claims={"exact.F1": 1e-9}), ran("far", 1, claims={"exact.F1": 1e-9})
    far.runs[0] = Run(1, 1, 1, 0, '{"exact.F1": 0.25}', "")
    assert ["far finds exact.F1 0.25, carob 0.5"] == disagreements({"exact.F1": 0.5}, [near, far])


def test_the_table_has_ratios_to_the_first() -> None:
    rows = table([ran("a", 0.5), ran("b", 6.0), Contender("c", [], sits_out="skipped")])
    assert "| b | 1 | 6.00 | 3.00 |" in rows.splitlines()[3]
    assert rows.splitlines()[3].endswith("| 12.0 | 12.0 |")
    assert "| c | skipped |  |  |  |  |  |" == rows.splitlines()[4]


@pytest.mark.parametrize(("ratio", "text"), [(0.123, "0.12"), (12.34, "12.3"), (123.4, "123")])
def test_ratios_have_as_many_digits_as_they_deserve(ratio: float, text: str) -> None:
    assert text == rounded(ratio)


def test_a_process_is_measured_without_pythons_own_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert "PYTHONDONTWRITEBYTECODE" not in environment()
    run = measure([sys.executable, "-S", "-c", "import sys; print(sys.dont_write_bytecode)"])
    assert ("False\n", 0) == (run.stdout, run.code)
    assert 0 < run.cpu and 0 < run.wall and 1 < run.peak


def test_the_last_line_of_nothing() -> None:
    assert "exit 3, nothing on stderr" == last_line(Run(1, 1, 1, 3, "", ""))


def test_a_page_is_filled_between_its_marks() -> None:
    page = "a\n<!-- peers -->\nold\n<!-- /peers -->\nb\n"
    assert "a\n<!-- peers -->\n\nnew\n\n<!-- /peers -->\nb\n" == filled(page, "peers", "new\n")
    with pytest.raises(ValueError, match="expected one <!-- goals -->"):
        filled(page, "goals", "new")


@pytest.mark.parametrize("name", ["peers", "goals", "growth", "rates"])
def test_the_page_on_performance_has_room_for_every_table(name: str) -> None:
    page = filled(PAGE.read_text(encoding="utf-8"), name, "as measured")
    assert f"<!-- {name} -->\n\nas measured\n\n<!-- /{name} -->" in page
