"""A goal is judged by the least CPU time of whole commands, and not judged if one is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from _contenders import POLARS, REPORT, numpy_alone
from _race import Contender, Run, measure
from goals import ALONE, Goal, Results, exponent, goals, ratio


def ran(name: str, *cpu: float, peak: float = 50, code: int = 0) -> Contender:
    runs = [Run(2 * each, each, peak, code, "", "") for each in cpu]
    return Contender(name, [], runs=runs)


def judged(number: int, *contenders: Contender) -> list[tuple[float | None, bool | None]]:
    return [(goal.value, goal.met) for goal in goals(Results(contenders), {number})]


def test_a_goal_at_least_and_at_most() -> None:
    assert Goal(1, "", 60.0, 60, at_least=True).met
    assert not Goal(1, "", 59.9, 60, at_least=True).met
    assert Goal(1, "", 0.7, 0.7).met
    assert not Goal(1, "", 0.71, 0.7).met
    assert Goal(1, "", None, 0.7).met is None


def test_a_row_says_what_was_measured_and_the_limit() -> None:
    row = Goal(5, "start", 31.25, 30, unit="ms").row()
    assert ["5", "start", "at most 30 ms", "31.2 ms", "**missed**"] == row
    row = Goal(1, "less", None, 60, at_least=True).row()
    assert ["1", "less", "at least 60 x", "-", "not measured"] == row


def test_ratios_are_of_the_least_cpu_time() -> None:
    exact, alone = ran("exact", 0.5, 0.4), ran(f"exact{ALONE}", 0.48, 0.5)
    lines = judged(1, exact, alone, ran(REPORT, 30.0, 24.0), ran(POLARS, 0.5))
    assert (50.0, False) == pytest.approx(lines[0])
    assert (60.0, True) == pytest.approx(lines[1])
    assert (0.96, False) == pytest.approx(lines[2])
    assert (0.8, False) == pytest.approx(lines[3])


def test_a_command_that_failed_was_not_measured() -> None:
    lines = judged(1, ran("exact", 0.4), ran(REPORT, 24.0, code=1))
    assert [(None, None)] * 4 == lines


def test_start_up_is_what_is_above_python() -> None:
    lines = judged(5, ran("--help", 0.04), ran("--version", 0.08), ran("pass", 0.01))
    assert [30.0, 70.0] == pytest.approx([value for value, _ in lines])
    assert [True, False] == [met for _, met in lines]


def test_further_systems_are_three_of_four() -> None:
    lines = judged(8, ran("exact", 1.0), ran("exact of four", 2.5))
    assert [(0.5, True), (None, None)] == lines


def test_documents_of_any_length_cost_the_same_either_way() -> None:
    lines = judged(7, ran("every", 3.0), ran("every 1500", 2.0))
    assert (1.5, False) == lines[4]


@pytest.mark.parametrize(("small", "large", "power"), [(1, 10, 1), (1, 100, 2), (2, 2, 0)])
def test_growth_is_a_power_of_the_size(small: float, large: float, power: float) -> None:
    assert power == pytest.approx(exponent(small, large))


def test_a_ratio_that_is_not_defined_is_none() -> None:
    assert ratio(1.0, 0.0) is None
    assert ratio(None, 1.0) is None
    assert exponent(1.0, -1.0) is None


@pytest.mark.parametrize(
    ("number", "command", "limit"),
    [(1, "exact", 60), (2, "every", 40), (3, "resampled", 10), (4, "compared", 8)],
)
def test_the_goals_on_numpy_alone(number: int, command: str, limit: float) -> None:
    report = ran(REPORT, 24.0)
    just, slower = ran(f"{command}{ALONE}", 24.0 / limit), ran(f"{command}{ALONE}", 24.1 / limit)
    assert judged(number, report, just)[0][1]
    assert not judged(number, report, slower)[0][1]


def test_numpy_alone_has_no_scanner(tmp_path: Path) -> None:
    file = tmp_path / "gold.conll"
    file.write_text("Ann B-PER\n\n")
    command = numpy_alone(["carob", "score", str(file), str(file), "-m", "exact.F1"])
    probe = "from carob.arrays import scan; print(scan.compiled)"
    command[2] = command[2].replace("sys.exit(main())", f"main(); {probe}")
    run = measure(command)
    assert (0, "None") == (run.code, run.stdout.splitlines()[-1]), run.stderr


def test_a_comparison_with_more_resamples_has_no_limit() -> None:
    report, heavy = ran(REPORT, 24.0), ran("compared, more resamples", 12.0)
    assert (2.0, None) == judged(4, report, heavy)[3]
    assert ["4", "more", "none", "2.00 x", ""] == Goal(4, "more", 2.0, None).row()
