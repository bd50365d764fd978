"""Kill -9 at any moment of upload, validation, scoring and reveal: nothing is lost, nothing is
there twice. A database that is gone for a while is a clear answer, and is used again by itself.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from carob_challenge import jobs, runs, store, worker
from carob_challenge.challenge import Challenge
from carob_challenge.errors import UnavailableError
from carob_challenge.viewer import ORGANISER
from carob_challenge.worker import Worker
from tests.challenge.killing import QUOTA
from tests.challenge.postgres import Postgres
from tests.challenge.world import World, answer, make, phase

ROOT = Path(__file__).parents[2]
KILLS = int(os.environ.get("CAROB_KILLS", "100"))
Make = Callable[..., World]

pytestmark = pytest.mark.slow


def open_phase(quota: int = 0) -> str:
    """A phase that is open now."""
    return phase("test", "ladder", opens=-3650, closes=36500, quota=quota)


def test_whatever_is_killed_nothing_is_lost(tmp_path: Path, database: str | None) -> None:
    folder = make(tmp_path, open_phase(quota=QUOTA), limits="uploads_an_hour = 100000")
    command = [sys.executable, "-m", "tests.challenge.killing", str(folder), "--kills", str(KILLS)]
    if database is not None:
        command += ["--database", database]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=400, check=False
    )
    assert (0, "") == (done.returncode, done.stderr), done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert found["valid"] >= QUOTA, found
    assert found["taken_up_again"] > 0, found


class Gone:
    """Makes a database that does not answer for a while."""

    def __init__(self, challenge: Challenge, server: Postgres | None) -> None:
        self.challenge, self.server = challenge, server
        self.lock: sqlite3.Connection | None = None

    def __enter__(self) -> None:
        if self.server is not None:
            self.server.stop()
        else:
            path = self.challenge.store.engine.url.database
            assert path is not None
            self.lock = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self.lock.execute("BEGIN EXCLUSIVE")

    def __exit__(self, *error: object) -> None:
        if self.server is not None:
            self.server.start()
        elif self.lock is not None:
            self.lock.rollback()
            self.lock.close()


def test_a_database_that_is_gone_for_ten_seconds_comes_back(
    tmp_path: Path, database: str | None, request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(store, "PATIENCE", 1.0)
    server = None if database is None else request.getfixturevalue("postgres")
    here = World(Challenge.open(make(tmp_path, open_phase()), database), None)  # type: ignore[arg-type]
    here.team("A")
    stop = threading.Event()
    thread = threading.Thread(target=Worker(here.challenge).run, args=(stop.is_set, 0.05))
    thread.start()
    try:
        first = here.submit("A", answer())
        with Gone(here.challenge, server):
            begun = time.monotonic()
            while time.monotonic() - begun < 10:
                with pytest.raises(UnavailableError, match="the database") as error:
                    here.submit("A", answer(3))
                assert (503, store.RETRY) == (error.value.status, error.value.retry_after)
                time.sleep(0.5)
        again = here.submit("A", answer(3))
        end = time.monotonic() + 30
        while time.monotonic() < end:
            numbers = (first.submission, again.submission)
            states = {runs.run(here.challenge, ORGANISER, each).state for each in numbers}
            if states == {"scored"}:
                break
            time.sleep(0.1)
        assert {"scored"} == states
        assert [] == list(here.challenge.uploads.iterdir())
    finally:
        stop.set()
        thread.join(30)
        here.challenge.close()
    assert not thread.is_alive()


def test_a_database_without_room_is_a_clear_answer(tmp_path: Path) -> None:
    here = World(Challenge.open(make(tmp_path, open_phase())), None)  # type: ignore[arg-type]
    here.team("A")
    pages: list[int] = []

    def limit(connection: sqlite3.Connection, record: object) -> None:
        connection.execute(f"PRAGMA max_page_count={pages[0]}" if pages else "PRAGMA page_count")

    sa.event.listen(here.challenge.store.engine, "connect", limit)
    with here.challenge.store.read() as connection:
        pages.append(connection.exec_driver_sql("PRAGMA page_count").scalar_one())
    here.challenge.store.engine.dispose()

    def fill() -> None:
        for i in range(200):
            here.submit("A", answer(extra=i))

    with pytest.raises(UnavailableError, match="the database does not answer") as error:
        fill()
    assert "full" in error.value.detail
    pages[0] = 1_000_000
    here.challenge.store.engine.dispose()
    assert here.submit("A", answer(extra=500)).valid
    worker.drain(here.challenge)
    with here.challenge.store.read() as connection:
        state = jobs.queue_state(connection)
    assert (0, 0, 0) == (state.waiting, state.running, state.failed)
    here.challenge.close()
