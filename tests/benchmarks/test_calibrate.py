"""Many worlds at a time must give the coverage that the worlds give one by one."""

from __future__ import annotations

import numpy as np
import pytest

import calibrate
from carob.infer.effective import Effective


@pytest.fixture(scope="module")
def tallied() -> calibrate.Tallied:
    return calibrate.Tallied.of(calibrate.Population(60, np.random.default_rng(0)))


def test_many_worlds_are_those_of_one_by_one(
    tallied: calibrate.Tallied, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = calibrate.simulate(tallied, Effective(), [12], range(6), 0)
    monkeypatch.setattr(calibrate, "TOGETHER", 1)
    alone = calibrate.simulate(tallied, Effective(), [12], range(6), 0)
    assert together.keys() == alone.keys()
    for key, cell in together.items():
        assert (cell.made, cell.held) == (alone[key].made, alone[key].held)
        assert cell.width == pytest.approx(alone[key].width)


def test_the_table_has_every_measure_and_its_difference(tallied: calibrate.Tallied) -> None:
    found = calibrate.simulate(tallied, Effective(), [12], range(2), 0)
    lines = calibrate.table(found, [12], ["effective"]).splitlines()
    assert "| measure | effective 12 |" == lines[0]
    assert 2 + 2 * len(calibrate.MEASURES) == len(lines)


def test_what_falls_short_is_more_than_chance() -> None:
    key = ("exact P R F1", 10, "effective", "fair", "exact.F1")
    enough, short = calibrate.Coverage(910, 1000, 1.0), calibrate.Coverage(900, 1000, 1.0)
    assert [] == calibrate.shortfalls({key: enough})
    assert calibrate.shortfalls({key: short}) == [
        "- exact.F1 of fair, 10 documents: 90.0 % of 1,000 worlds"
    ]
