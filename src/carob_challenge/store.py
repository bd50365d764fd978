"""The database: its tables, and transactions on SQLite and PostgreSQL.

Times are stored in UTC. What is received is never changed: a submission is a row that stays as it
is, and everything that happens to it later is in other tables.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event

from carob.corpus.problems import UsageError
from carob.result.result import library
from carob_challenge.errors import UnavailableError

RETRY = 10
"""After how many seconds a database that does not answer is asked again."""

PATIENCE = 5.0
"""How many seconds a transaction waits for others."""


class Time(sa.TypeDecorator[datetime]):
    """A moment. SQLite has no zones, so they are put on again when it is read."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        """In UTC."""
        if value is None:
            return None
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        """In UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


metadata = sa.MetaData(naming_convention={
    "ix": "ix_%(column_0_label)s", "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s", "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
})  # fmt: skip

Big = sa.BigInteger().with_variant(sa.Integer, "sqlite")
"""A number of a row: SQLite counts up by itself only in columns of the type INTEGER."""

teams = sa.Table(
    "teams", metadata,
    sa.Column("id", Big, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("folded", sa.Text, nullable=False, unique=True),
    sa.Column("state", sa.Text, nullable=False),  # pending, approved, refused
    sa.Column("baseline", sa.Boolean, nullable=False),
    sa.Column("contact", sa.Text, nullable=False),
    sa.Column("affiliation", sa.Text, nullable=False, server_default=""),
    sa.Column("created", Time, nullable=False),
)  # fmt: skip
"""`folded` is the name in the form in which no two may be alike; that of a refused team is free."""

tokens = sa.Table(
    "tokens", metadata,
    sa.Column("sha256", sa.Text, primary_key=True),
    sa.Column("team", sa.ForeignKey("teams.id"), nullable=False, index=True),
    sa.Column("created", Time, nullable=False),
    sa.Column("revoked", Time),
)  # fmt: skip

invitations = sa.Table(
    "invitations", metadata,
    sa.Column("sha256", sa.Text, primary_key=True),
    sa.Column("created", Time, nullable=False),
    sa.Column("team", sa.ForeignKey("teams.id")),
)  # fmt: skip
"""An invitation is used once; then it names the team."""

logins = sa.Table(
    "logins", metadata,
    sa.Column("sha256", sa.Text, primary_key=True),
    sa.Column("expires", Time, nullable=False),
    sa.Column("used", Time),
)  # fmt: skip
"""One-time logins of organisers."""

sessions = sa.Table(
    "sessions", metadata,
    sa.Column("sha256", sa.Text, primary_key=True),
    sa.Column("team", sa.ForeignKey("teams.id")),
    sa.Column("token", sa.Text),
    sa.Column("expires", Time, nullable=False),
)  # fmt: skip
"""A session without a team is that of an organiser; one of a team ends with its token."""

limits = sa.Table(
    "limits", metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("began", Time, nullable=False),
    sa.Column("count", sa.Integer, nullable=False),
)  # fmt: skip

submissions = sa.Table(
    "submissions", metadata,
    sa.Column("id", Big, primary_key=True),
    sa.Column("team", sa.ForeignKey("teams.id"), nullable=False),
    sa.Column("phase", sa.Text, nullable=False),
    sa.Column("sha256", sa.Text, nullable=False),
    sa.Column("size", Big, nullable=False),
    sa.Column("filename", sa.Text, nullable=False),
    sa.Column("received", Time, nullable=False),
    sa.Column("late", sa.Boolean, nullable=False),
    sa.Column("valid", sa.Boolean, nullable=False),
    sa.Column("findings", sa.JSON, nullable=False),
    sa.UniqueConstraint("team", "phase", "sha256"),
    sa.Index("ix_submissions_phase_team", "phase", "team"),
)  # fmt: skip
"""Immutable. `sha256` names the file in the folder `submissions`."""

rounds = sa.Table(
    "rounds", metadata,
    sa.Column("id", Big, primary_key=True),
    sa.Column("created", Time, nullable=False),
    sa.Column("activated", Time),
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("carob", sa.Text, nullable=False),
    sa.Column("hashes", sa.JSON, nullable=False),
)  # fmt: skip
"""A round scores everything with the same gold, task and version of carob. The last one that is
activated counts; the others stay. `hashes` are those of gold and task of each phase.
"""

scores = sa.Table(
    "scores", metadata,
    sa.Column("submission", sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("round", sa.ForeignKey("rounds.id"), primary_key=True),
    sa.Column("value", sa.Float),
    sa.Column("low", sa.Float),
    sa.Column("high", sa.Float),
    sa.Column("signature", sa.Text, nullable=False),
    sa.Column("detail", sa.JSON, nullable=False),
    sa.Column("tally", sa.LargeBinary, nullable=False),
    sa.Column("sketch", sa.LargeBinary, nullable=False),
    sa.Column("ladder", sa.Float),
    sa.Column("ladder_run", sa.ForeignKey("submissions.id")),
    sa.Column("created", Time, nullable=False),
)  # fmt: skip
"""`value` is the official score; `detail` has the others. `ladder` is the best score that the
ladder has shown to the team, that of the submission `ladder_run`.
"""

final_scores = sa.Table(
    "final_scores", metadata,
    sa.Column("submission", sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("round", sa.ForeignKey("rounds.id"), primary_key=True),
    sa.Column("value", sa.Float),
    sa.Column("low", sa.Float),
    sa.Column("high", sa.Float),
    sa.Column("signature", sa.Text, nullable=False),
    sa.Column("detail", sa.JSON, nullable=False),
    sa.Column("tally", sa.LargeBinary, nullable=False),
    sa.Column("sketch", sa.LargeBinary, nullable=False),
    sa.Column("created", Time, nullable=False),
)  # fmt: skip
"""The scores of the part that counts from the reveal on, in phases with `parts`."""

jobs = sa.Table(
    "jobs", metadata,
    sa.Column("id", Big, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),  # score, rank, report
    sa.Column("key", sa.Text, nullable=False, unique=True),
    sa.Column("submission", sa.ForeignKey("submissions.id"), index=True),
    sa.Column("round", sa.ForeignKey("rounds.id")),
    sa.Column("phase", sa.Text),
    sa.Column("state", sa.Text, nullable=False),  # waiting, running, aside, done, failed
    sa.Column("again", sa.Boolean, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("worker", sa.Text),
    sa.Column("until", Time),
    sa.Column("error", sa.Text),
    sa.Column("created", Time, nullable=False),
    sa.Column("finished", Time),
    sa.Index("ix_jobs_state", "state", "id"),
)  # fmt: skip
"""A job belongs to `worker` `until` a time, which it moves on while it lives. `aside`: it cannot
be done now, for the reason in `error`, and is tried again after `until`. `again`: while the job
ran, it was asked for once more.
"""

rankings = sa.Table(
    "rankings", metadata,
    sa.Column("phase", sa.Text, primary_key=True),
    sa.Column("runs", sa.JSON, nullable=False),
    sa.Column("content", sa.JSON, nullable=False),
    sa.Column("created", Time, nullable=False),
)  # fmt: skip
"""The last ranking of a phase, of these submissions in this round."""

primaries = sa.Table(
    "primaries", metadata,
    sa.Column("team", sa.ForeignKey("teams.id"), primary_key=True),
    sa.Column("phase", sa.Text, primary_key=True),
    sa.Column("submission", sa.ForeignKey("submissions.id"), nullable=False),
)  # fmt: skip

disqualified = sa.Table(
    "disqualified", metadata,
    sa.Column("submission", sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("at", Time, nullable=False),
)  # fmt: skip

withdrawn = sa.Table(
    "withdrawn", metadata,
    sa.Column("submission", sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("at", Time, nullable=False),
)  # fmt: skip
"""Runs that their teams took back: as if they were never scored, but for their quota."""

reveals = sa.Table(
    "reveals", metadata,
    sa.Column("phase", sa.Text, primary_key=True),
    sa.Column("held", sa.Boolean, nullable=False),
    sa.Column("revealed", Time),
)  # fmt: skip
"""What the organiser decided about a phase: to hold its results back, or to reveal them already."""

schedules = sa.Table(
    "schedules", metadata,
    sa.Column("phase", sa.Text, primary_key=True),
    sa.Column("opens", Time, nullable=False),
    sa.Column("closes", Time),
)  # fmt: skip
"""When a phase opens and closes, if an organiser has moved that in the browser."""

details = sa.Table(
    "details", metadata,
    sa.Column("submission", sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("description", sa.Text, nullable=False),
    sa.Column("paper", sa.Text, nullable=False),
    sa.Column("code", sa.Text, nullable=False),
)  # fmt: skip
"""What a team says about a run."""

news = sa.Table(
    "news", metadata,
    sa.Column("id", Big, primary_key=True),
    sa.Column("at", Time, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
)  # fmt: skip

audit = sa.Table(
    "audit", metadata,
    sa.Column("id", Big, primary_key=True),
    sa.Column("at", Time, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("detail", sa.Text, nullable=False),
)  # fmt: skip

workers = sa.Table(
    "workers", metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("seen", Time, nullable=False),
)  # fmt: skip
"""When each worker said last that it lives."""

PASSING = (sessions, logins, limits, workers)
"""What is not archived: it ends by itself."""


class Store:
    """A database. `read` and `write` are transactions; whatever the database cannot do becomes an
    UnavailableError, so that whoever asked can try again.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        address = sa.make_url(url)
        self.is_sqlite = address.get_backend_name() == "sqlite"
        if self.is_sqlite:
            self.engine = sa.create_engine(address, connect_args={"timeout": PATIENCE})
            event.listen(self.engine, "connect", _set_up_sqlite)
            event.listen(self.engine, "begin", _begin_sqlite)
        elif address.get_backend_name() == "postgresql":
            driver = address.get_driver_name()
            library(driver, "postgres" if driver == "psycopg" else None)
            patience = int(PATIENCE * 1000)
            self.engine = sa.create_engine(
                address, pool_pre_ping=True, pool_timeout=PATIENCE, pool_size=10,
                connect_args={
                    "connect_timeout": int(PATIENCE),
                    "options": f"-c lock_timeout={patience} -c statement_timeout=30000 "
                    "-c idle_in_transaction_session_timeout=60000",
                },
            )  # fmt: skip
        else:
            raise UsageError(
                f"found the database {address.render_as_string()!r}, expected one of SQLite or "
                "PostgreSQL, like postgresql+psycopg://user@host/name"
            )

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A transaction that only reads."""
        with _translated(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def snapshot(self) -> Iterator[sa.Connection]:
        """A transaction that reads everything as it is at one moment."""
        with _translated(), self.engine.connect() as opened:
            same = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
            connection = opened.execution_options(**same)
            with connection.begin():
                yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """A transaction that writes: on SQLite the only one, from its beginning."""
        with _translated(), self.engine.connect() as opened:
            connection = opened.execution_options(carob_write=True)
            with connection.begin():
                yield connection

    def lock_team(self, connection: sa.Connection, team: int) -> None:
        """Make other transactions about this team wait for this one."""
        if not self.is_sqlite:
            connection.execute(sa.select(teams.c.id).where(teams.c.id == team).with_for_update())

    def upsert(
        self, connection: sa.Connection, table: sa.Table, new: dict[str, Any], key: list[str],
        more: dict[str, Any],
    ) -> None:  # fmt: skip
        """Insert a row; if its key is there, change that row instead."""
        from sqlalchemy.dialects import postgresql, sqlite

        if self.is_sqlite:
            row = sqlite.insert(table).values(new)
            connection.execute(row.on_conflict_do_update(index_elements=key, set_=more))
        else:
            again = postgresql.insert(table).values(new)
            connection.execute(again.on_conflict_do_update(index_elements=key, set_=more))

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (sa.exc.OperationalError, sa.exc.InterfaceError, sa.exc.TimeoutError) as error:
        text = str(getattr(error, "orig", None) or error).partition("\n")[0]
        raise UnavailableError("the database does not answer; try again", RETRY, text) from None
    except sa.exc.DBAPIError as error:
        if error.connection_invalidated or "read-only" in str(error.orig):
            text = str(error.orig).partition("\n")[0]
            raise UnavailableError("the database is gone; try again", RETRY, text) from None
        raise


def _set_up_sqlite(connection: sqlite3.Connection, record: Any) -> None:
    # SQLAlchemy's begin event begins transactions, so the driver must not.
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: sa.Connection) -> None:
    write = connection.get_execution_options().get("carob_write")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def mapping(connection: sa.Connection, query: sa.Select[Any]) -> dict[Any, Any]:
    """A query of two columns as a dict."""
    return {row[0]: row[1] for row in connection.execute(query)}


def default_url(folder: Path) -> str:
    """The database of a folder."""
    return f"sqlite:///{(folder / 'challenge.db').absolute()}"


def record(
    connection: sa.Connection, now: datetime, actor: str, action: str, subject: str = "",
    detail: str = "",
) -> None:  # fmt: skip
    """Add a line to the audit log, in the transaction that does what it says."""
    connection.execute(
        audit.insert().values(at=now, actor=actor, action=action, subject=subject, detail=detail)
    )
