"""A goal is judged by the least CPU time of whole commands, and not at all where one is missing."""

from __future__ import annotations

import pytest

from _measure import Run
from _race import Contender
from _tools import POLARS, REPORT
from goals import Goal, Results, divided, exponent, goals


def ran(name: str, *cpu: float, peak: float = 50, code: int = 0) -> Contender:
    runs = [Run(2 * each, each, peak, code, "", "") for each in cpu]
    return Contender(name, [], runs=runs)


def found(number: int, *contenders: Contender) -> list[tuple[float | None, bool | None]]:
    return [(goal.found, goal.met) for goal in goals(Results(contenders), {number})]


def test_a_goal_at_least_and_at_most() -> None:
    assert Goal(1, "", 60.0, 60, at_least=True).met
    assert not Goal(1, "", 59.9, 60, at_least=True).met
    assert Goal(1, "", 0.7, 0.7).met
    assert not Goal(1, "", 0.71, 0.7).met
    assert Goal(1, "", None, 0.7).met is None


def test_a_row_says_what_was_found_and_wanted() -> None:
    row = Goal(5, "start", 31.25, 30, unit="ms").row()
    assert ["5", "start", "31.2 ms", "at most 30 ms", "**not met**"] == row
    row = Goal(1, "less", None, 60, at_least=True).row()
    assert ["1", "less", "-", "at least 60 x", "not measured"] == row


def test_ratios_are_of_the_least_cpu_time() -> None:
    lines = found(1, ran("exact", 0.5, 0.4), ran(REPORT, 30.0, 24.0), ran(POLARS, 0.5))
    assert (60.0, True) == pytest.approx(lines[0])
    assert (0.8, False) == pytest.approx(lines[-1])


def test_a_command_that_failed_was_not_measured() -> None:
    lines = found(1, ran("exact", 0.4), ran(REPORT, 24.0, code=1))
    assert [(None, None)] * 4 == lines


def test_start_up_is_what_is_above_python() -> None:
    lines = found(5, ran("--help", 0.04), ran("--version", 0.05), ran("pass", 0.01),
                  ran("numpy", 0.1), ran("small", 0.2))  # fmt: skip
    assert [30.0, 40.0, 2.0] == pytest.approx([value for value, _ in lines])


def test_further_systems_are_three_of_four() -> None:
    lines = found(8, ran("exact", 1.0), ran("exact of four", 2.5))
    assert [(0.5, True), (None, None)] == lines


def test_documents_of_any_length_cost_the_same_either_way() -> None:
    lines = found(7, ran("every", 3.0), ran("every 1500", 2.0))
    assert (1.5, False) == lines[4]


@pytest.mark.parametrize(("small", "large", "power"), [(1, 10, 1), (1, 100, 2), (2, 2, 0)])
def test_growth_is_a_power_of_the_size(small: float, large: float, power: float) -> None:
    assert power == pytest.approx(exponent(small, large))


def test_what_cannot_be_divided_is_nothing() -> None:
    assert divided(1.0, 0.0) is None
    assert divided(None, 1.0) is None
    assert exponent(1.0, -1.0) is None
