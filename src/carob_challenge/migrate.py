"""Bring a database to the tables that this version of carob knows, migration by migration."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from carob_challenge.errors import RefusedError
from carob_challenge.store import Store

LOCK = 0x6361726F62
"""Two processes that open a new PostgreSQL database at once wait for each other here."""


def newest() -> str:
    """The revision of this version of carob.

    >>> newest()
    '0002'
    """
    head = _scripts().get_current_head()
    assert head is not None, "there is at least one migration"
    return head


def revision(store: Store) -> str | None:
    """The revision of a database; None if it is empty."""
    with store.read() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def check(store: Store) -> None:
    """Refuse a database of another version; an empty one gets its tables."""
    found = revision(store)
    if found == newest():
        return
    if found is None:
        upgrade(store)
    elif found in {script.revision for script in _scripts().walk_revisions()}:
        raise RefusedError(
            f"the database is of an earlier version of carob (revision {found}, this one needs "
            f"{newest()}); carob challenge upgrade DIR brings it up to date, after a backup"
        )
    else:
        raise RefusedError(
            f"the database is of a later version of carob (revision {found}; this one knows "
            f"{newest()}); install that version"
        )


def upgrade(store: Store, to: str = "head") -> None:
    """Run the migrations that are missing, in one transaction."""
    scripts = _scripts()

    def missing(found: Any, context: Any) -> Sequence[Any]:
        return scripts._upgrade_revs(to, found)  # as alembic.command.upgrade does

    with store.write() as connection:
        if not store.is_sqlite:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))
        with EnvironmentContext(_config(), scripts, fn=missing, destination_rev=to) as context:
            context.configure(connection=connection, transactional_ddl=False)
            context.run_migrations()


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


@cache
def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())
