"""Migrations: which there are, and that they run in order, all or none."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.config import Config
from alembic.script import ScriptDirectory

from carob.corpus.problems import UsageError
from carob_challenge import migrate
from carob_challenge.store import Store
from tests.challenge.world import World

MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "{number}", "{before}"


def upgrade():
    op.create_table("new_{number}", sa.Column("id", sa.Integer, primary_key=True))
    {more}
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(f"sqlite:///{tmp_path / 'challenge.db'}")
    yield store
    store.close()


def add_migrations(monkeypatch: pytest.MonkeyPatch, folder: Path, more: str = "pass") -> str:
    """Two migrations after the ones there are, of which the second does more; the number before."""
    last = migrate.newest()
    shutil.copytree(migrate.FOLDER, folder)
    monkeypatch.setattr(migrate, "FOLDER", folder)
    for add, also in ((1, "pass"), (2, more)):
        number, before = (f"{int(last) + step:04}" for step in (add, add - 1))
        text = MIGRATION.format(number=number, before=before, more=also)
        (folder / "versions" / f"v{number}_new.py").write_text(text)
    return last


def tables(store: Store) -> set[str]:
    with store.read() as connection:
        return set(sa.inspect(connection).get_table_names())


def test_the_revisions_are_the_ones_of_alembic_in_their_order() -> None:
    config = Config()
    config.set_main_option("script_location", str(migrate.FOLDER))
    scripts = ScriptDirectory.from_config(config).walk_revisions()
    assert migrate.revisions() == [script.revision for script in scripts][::-1]


def test_what_is_missing_runs_in_order(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert migrate.revision(store) is None
    migrate.check(store)
    old = tables(store)
    last = add_migrations(monkeypatch, tmp_path / "migrations")
    assert last == migrate.revision(store)
    _, first, second = migrate.revisions()[-3:]
    migrate.upgrade(store, first)
    assert (first, old | {f"new_{first}"}) == (migrate.revision(store), tables(store))
    migrate.upgrade(store)
    assert second == migrate.revision(store) == migrate.newest()
    assert old | {f"new_{first}", f"new_{second}"} == tables(store)
    migrate.upgrade(store)
    migrate.check(store)


def test_a_migration_that_fails_leaves_the_database_as_it_was(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate.check(store)
    old = tables(store)
    last = add_migrations(monkeypatch, tmp_path / "migrations", "raise ValueError")
    with pytest.raises(ValueError, match=r"^$"):
        migrate.upgrade(store)
    assert (last, old) == (migrate.revision(store), tables(store))


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_alembic_is_not_loaded_to_open_a_challenge(world: Callable[..., World]) -> None:
    program = (
        "import sys; from carob_challenge.challenge import Challenge; "
        "Challenge.open(sys.argv[1]); print('sqlalchemy' in sys.modules, 'alembic' in sys.modules)"
    )
    command = [sys.executable, "-c", program, str(world().challenge.folder)]
    assert "True False\n" == subprocess.check_output(command, text=True)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql+psycopg://me@host/name",
         "psycopg is not installed; in a clone of carob: pip install '.[postgres]'"),
        ("postgresql+psycopg2://me@host/name", "psycopg2 is not installed; pip install psycopg2"),
    ],
)  # fmt: skip
def test_a_driver_that_is_missing_is_named(
    url: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("psycopg", "psycopg2"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UsageError) as refused:
        Store(url)
    assert message == str(refused.value)
