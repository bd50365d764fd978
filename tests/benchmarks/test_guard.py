"""The guard sees half again as much work in any stage, and does not see another Python or NumPy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from _guard_work import parts
from guard import BASELINE, LIMIT, STAGES, Stage, instructions, judge, total

RECORDED: dict[str, int] = json.loads(BASELINE.read_text(encoding="utf-8"))["instructions"]
NAMES = [stage.name for stage in STAGES]


def grown_by(stage: Stage, times: float) -> dict[str, int]:
    """The recorded counts, with that stage (and what its last part adds to) made dearer."""
    extra = round((times - 1) * stage.cost(RECORDED))
    return RECORDED | {stage.adds[0]: RECORDED[stage.adds[0]] + extra}


def leave(folder: Path, count: int) -> None:
    """What callgrind leaves: a file for each dump, and one for what came after the last."""
    for number in range(1, count + 1):
        text = f"version: 1\npid: 7\npart: {number}\n\nsummary: {10 * number}\n\nfn=(1)\n1 5\n"
        (folder / f"out.7.{number}").write_text(text)
    (folder / "out.7").write_text("summary: 3\n")


def test_the_baseline_knows_every_part() -> None:
    assert list(parts("")) == list(RECORDED)
    assert all(stage.cost(RECORDED) > 1_000_000 for stage in STAGES)


def test_nothing_has_grown_since_the_baseline_itself() -> None:
    assert ([], []) == judge(RECORDED, RECORDED, LIMIT)[1:]


@pytest.mark.parametrize("stage", STAGES, ids=NAMES)
def test_half_again_is_caught_in_every_stage(stage: Stage) -> None:
    table, grown, _ = judge(grown_by(stage, 1.5), RECORDED, LIMIT)
    assert f"{stage.name}: 1.50 times the recorded work" in grown
    assert f"| {stage.name} | GROWN |" in table


@pytest.mark.parametrize("stage", STAGES, ids=NAMES)
def test_a_tenth_more_is_not(stage: Stage) -> None:
    assert [] == judge(grown_by(stage, 1.1), RECORDED, LIMIT)[1]


def test_a_python_that_needs_more_for_everything_is_not_a_regression() -> None:
    everything = {part: round(1.6 * count) for part, count in RECORDED.items()}
    assert [] == judge(everything, RECORDED, LIMIT)[1]


def test_a_python_that_only_makes_the_yardsticks_faster_is_not_either() -> None:
    faster = RECORDED | {name: RECORDED[name] // 2 for name in ("interpreter", "arrays")}
    assert [] == judge(faster, RECORDED, LIMIT)[1]


def test_what_has_shrunk_is_reported() -> None:
    stage = STAGES[0]
    assert ([], [stage.name]) == judge(grown_by(stage, 0.5), RECORDED, LIMIT)[1:]


def test_counts_are_read_in_order_of_the_marks(tmp_path: Path) -> None:
    leave(tmp_path, len(parts("")))
    counts = instructions(tmp_path)
    assert list(parts("")) == list(counts)
    assert [10 * number for number in range(1, len(counts) + 1)] == list(counts.values())


def test_a_mark_too_few_is_an_error(tmp_path: Path) -> None:
    count = len(parts(""))
    leave(tmp_path, count - 1)
    with pytest.raises(
        ValueError, match=f"found {count - 1} counts of callgrind, expected {count}"
    ):
        instructions(tmp_path)


def test_a_file_without_a_total_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "out.7.1"
    file.write_text("version: 1\n")
    with pytest.raises(ValueError, match=r"out\.7\.1 has no total"):
        total(file)
