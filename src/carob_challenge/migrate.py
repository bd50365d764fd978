"""Bring a database to the tables that this version of carob knows, migration by migration."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from carob_challenge.errors import RefusedError
from carob_challenge.store import Store

FOLDER = Path(__file__).parent / "migrations"

LOCK = 0x6361726F62
"""Two processes that open a new PostgreSQL database at once wait for each other here."""


def newest() -> str:
    """The revision of this version of carob.

    >>> newest()
    '0002'
    """
    return revisions()[-1]


def revisions() -> list[str]:
    """All revisions, oldest first, by the names of their files: v0001_first.py.

    >>> revisions()[0]
    '0001'
    """
    return sorted(file.name[1:5] for file in FOLDER.glob("versions/v[0-9]*.py"))


def revision(store: Store) -> str | None:
    """The revision of a database; None if it is empty."""
    with store.read() as connection:
        if not sa.inspect(connection).has_table("alembic_version"):
            return None
        found: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
        return found


def check(store: Store) -> None:
    """Refuse a database of another version; an empty one gets its tables."""
    found = revision(store)
    if found == newest():
        return
    if found is None:
        upgrade(store)
    elif found in revisions():
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
    # A tenth of a second, which only who upgrades waits for.
    from alembic.config import Config
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    scripts = ScriptDirectory.from_config(config)
    with store.write() as connection:
        if not store.is_sqlite:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))
        context = MigrationContext.configure(connection)
        missing = list(scripts.iterate_revisions(to, context.get_current_revision()))
        with Operations.context(context):
            for script in reversed(missing):
                script.module.upgrade()
                context.stamp(scripts, script.revision)
