"""Challenges on SQLite and on a real PostgreSQL server. Where there is no PostgreSQL, its tests are
skipped; with CAROB_POSTGRES=required, as in continuous integration, they fail.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy")

from carob_challenge import accept, offline, worker
from carob_challenge.challenge import Challenge
from carob_challenge.child import Reply
from carob_challenge.scoring import Done
from tests.challenge.postgres import Postgres, binaries
from tests.challenge.world import Clock, World, make

DATABASES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    programs = binaries()
    if programs is None:
        text = "there is no PostgreSQL on this machine"
        if os.environ.get("CAROB_POSTGRES") == "required":
            pytest.fail(f"{text}, and CAROB_POSTGRES=required")
        pytest.skip(text)
    server = Postgres(programs)
    try:
        server.start()
        yield server
    finally:
        server.remove()


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest) -> Iterator[str | None]:
    """The address of a new database; None is the SQLite file in the folder."""
    if request.param == "sqlite":
        yield None
        return
    server: Postgres = request.getfixturevalue("postgres")
    yield server.new_database()
    server.release()


@pytest.fixture
def world(database: str | None, tmp_path: Path) -> Iterator[Callable[..., World]]:
    """Makes challenges, with the arguments of `make`."""
    opened: list[Challenge] = []

    def new(*phases: str, **more: Any) -> World:
        clock = Clock()
        folder = make(tmp_path / str(len(opened)), *phases, **more)
        challenge = Challenge.open(folder, database, clock=clock)
        opened.append(challenge)
        return World(challenge, clock)

    yield new
    for challenge in opened:
        challenge.close()


@pytest.fixture(autouse=True)
def inline(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work of children is done in this process, which is quicker; tests about children, which have
    the marker `children`, start them.
    """
    if request.node.get_closest_marker("children") is not None:
        return

    def run(work: str, arguments: Mapping[str, Any], *limits: Any) -> Reply:
        module, _, name = work.partition(":")
        done: Done = getattr(import_module(f"carob_challenge.{module}"), name)(**arguments)
        return Reply("done", *done)

    for module in (accept, worker, offline):
        monkeypatch.setattr(module, "run_limited", run)
