"""Contenders take turns, some are skipped, and their scores are compared with carob's."""

from __future__ import annotations

import sys

import pytest

from _race import (
    Contender,
    Run,
    disagreements,
    environment,
    failures,
    last_line,
    measure,
    race,
    skip_slow,
)


def ran(name: str, wall: float, **more: object) -> Contender:
    return Contender(name, [], runs=[Run(wall, wall / 2, 50, 0, '{"exact.F1": 0.5}', "")], **more)  # type: ignore[arg-type]


def python(name: str, code: str, needs: str | None = None) -> Contender:
    return Contender(name, [sys.executable, "-S", "-c", code], needs)


def test_a_contender_runs_once_a_round_unless_it_failed_or_is_missing() -> None:
    well, wrong = python("well", "print('{}')"), python("wrong", "import sys; sys.exit('no\\nbad')")
    absent = python("absent", "pass", "no_such_package")
    race([well, wrong, absent], repeats=2, budget=60)
    assert (2, 1, 0) == (len(well.runs), len(wrong.runs), len(absent.runs))
    assert "skipped: no_such_package is not installed" == absent.why_not_run
    assert ["wrong: bad"] == failures([well, wrong, absent])


def test_a_contender_that_has_used_its_budget_does_not_run_again() -> None:
    well = python("well", "pass")
    race([well], repeats=3, budget=0)
    assert 1 == len(well.runs)


def test_a_contender_that_would_take_too_long_is_skipped() -> None:
    slow, fast, gone = (Contender(name, []) for name in ("slow", "fast", "gone"))
    smaller = [ran("slow", 14.0), ran("fast", 10.0), Contender("gone", [], why_not_run="skipped")]
    skip_slow([slow, fast, gone], smaller, times=10, budget=60)
    assert ("not run: about 70 s", "", "skipped") == (
        slow.why_not_run,
        fast.why_not_run,
        gone.why_not_run,
    )


def test_scores_that_differ_are_reported() -> None:
    near, far = ran("near", 1, claims={"exact.F1": 1e-9}), ran("far", 1, claims={"exact.F1": 1e-9})
    far.runs[0] = Run(1, 1, 1, 0, '{"exact.F1": 0.25}', "")
    assert ["far has exact.F1 0.25, carob 0.5"] == disagreements({"exact.F1": 0.5}, [near, far])


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
