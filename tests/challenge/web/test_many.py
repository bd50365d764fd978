"""A challenge with ten thousand runs is as quick to look at as one with ten."""

from __future__ import annotations

import runpy
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from carob_challenge.store import scores, submissions
from tests.challenge.web.conftest import Site
from tests.challenge.world import answer, phase

pytestmark = pytest.mark.slow
LOAD = runpy.run_path(str(Path(__file__).parents[3] / "benchmarks" / "challenge.py"))
TEAMS, RUNS = 20, 500


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_boards_and_pages_of_organisers_of_ten_thousand_runs(site: Callable[..., Site]) -> None:
    own = site(phase("test", "headline", reveal='"opens"'))
    for number in range(TEAMS):
        own.submit(f"Team {'abcdefghkm'[number % 10]}{'xy'[number // 10]}",
                   answer(1 + number % 4, extra=number))  # fmt: skip
    own.work()
    LOAD["copy"](own.challenge, RUNS)
    own.work()
    with own.challenge.store.read() as connection:
        for table in (submissions, scores):
            count = connection.execute(sa.select(sa.func.count()).select_from(table)).scalar()
            assert TEAMS * RUNS == count
    organiser = own.as_organiser()
    slowest = {}
    for limit, client, paths in (
        (0.5, own.nobody(), ("/board/test", "/board/test/labels")),
        (1.0, own.nobody(), ("/board/test/history",)),
        (1.0, organiser, ("/organiser", "/organiser/runs", "/organiser/teams", "/organiser/audit",
                          "/organiser/overview/test", "/organiser/significance/test")),
    ):  # fmt: skip
        for path in paths:
            began = time.perf_counter()
            assert 200 == client.get(path).status
            slowest[path] = (time.perf_counter() - began) / limit
    assert TEAMS * RUNS == organiser.get("/organiser/runs?format=csv").text.count("\n") - 1
    # Alone on the machine it is a third of that; other work may keep it busy.
    assert max(slowest.values()) < 5, slowest  # on a machine that is busy
