"""The queue: work that is to be done, in the database. A job that is not finished is never lost.

A worker that takes a job owns it for a short while, and says again and again that it lives. If it
dies, its time runs out, and another worker takes the job. What a worker has done is saved only if
the job is still its own, in one transaction with the end of the job: so nothing is counted twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from carob_challenge.challenge import Challenge
from carob_challenge.store import jobs, mapping, workers

KINDS = ("score", "rank", "rescore", "report")
"""In the order in which they are done."""

LEASE = timedelta(seconds=10)
"""For how long a job belongs to a worker that says nothing more."""

ASIDE = timedelta(seconds=30)
"""After how long a job that stepped aside is tried again."""

ALIVE = timedelta(seconds=30)
"""For how long a worker that says nothing more is taken to live."""

MOST_ATTEMPTS = 50
"""A job that so many workers took and none finished has failed: it may be what ends them."""


@dataclass(frozen=True, slots=True)
class Job:
    """A job that a worker has taken."""

    id: int
    kind: str
    submission: int | None
    round: int | None
    phase: str | None
    attempts: int


def put(
    challenge: Challenge, connection: sa.Connection, kind: str, *, submission: int | None = None,
    round: int | None = None, phase: str | None = None,
) -> None:  # fmt: skip
    """Put a job into the queue. One that waits already stays where it is; one that runs will run
    again; one that is done is done again.
    """
    key = " ".join(str(each) for each in (kind, submission, round, phase) if each is not None)
    new = {
        "kind": kind, "key": key, "submission": submission, "round": round, "phase": phase,
        "state": "waiting", "again": False, "attempts": 0, "created": challenge.now(),
    }  # fmt: skip
    runs = jobs.c.state == "running"
    waits = jobs.c.state.in_(["waiting", "aside"])
    again = {
        "state": sa.case((runs, "running"), else_="waiting"),
        "created": sa.case((waits, jobs.c.created), else_=new["created"]),
        "again": runs, "attempts": 0, "error": None, "finished": None,
    }  # fmt: skip
    challenge.store.upsert(connection, jobs, new, ["key"], again)


def take(
    challenge: Challenge, worker: str, lease: timedelta = LEASE, kinds: tuple[str, ...] = KINDS
) -> Job | None:
    """The next job, which now belongs to this worker; None if there is none."""
    now = challenge.now()
    order = sa.case({kind: place for place, kind in enumerate(KINDS)}, value=jobs.c.kind)
    late = jobs.c.state.in_(["running", "aside"]) & (jobs.c.until < now)
    free = (jobs.c.state == "waiting") | late
    # PostgreSQL passes over rows that another worker is taking; SQLite has one writer at a time.
    first = (
        sa.select(jobs.c.id).where(free, jobs.c.kind.in_(kinds)).order_by(order, jobs.c.id)
        .limit(1).with_for_update(skip_locked=True)
    )  # fmt: skip
    taken = (
        jobs.update().where(jobs.c.id == first.scalar_subquery())
        .values(state="running", worker=worker, until=now + lease, attempts=jobs.c.attempts + 1)
        .returning(jobs.c.id, jobs.c.kind, jobs.c.submission, jobs.c.round, jobs.c.phase,
                   jobs.c.attempts)
    )  # fmt: skip
    if not _any(challenge, free & jobs.c.kind.in_(kinds)):
        return None
    with challenge.store.write() as connection:
        row = connection.execute(taken).first()
    return None if row is None else Job(*row)


def waits(challenge: Challenge, kind: str) -> bool:
    """Whether a job of a kind waits."""
    return _any(challenge, (jobs.c.state == "waiting") & (jobs.c.kind == kind))


def _any(challenge: Challenge, which: sa.ColumnElement[bool]) -> bool:
    """Whether there is such a job: a look costs other writers nothing."""
    with challenge.store.read() as connection:
        return connection.execute(sa.select(jobs.c.id).where(which).limit(1)).first() is not None


def beat(challenge: Challenge, job: Job, worker: str, lease: timedelta = LEASE) -> bool:
    """Say that the worker lives; False if the job is not its own any more."""
    with challenge.store.write() as connection:
        more = jobs.update().where(_own(job, worker)).values(until=challenge.now() + lease)
        return connection.execute(more).rowcount == 1


def finish(
    challenge: Challenge, connection: sa.Connection, job: Job, worker: str, *,
    error: str | None = None,
) -> bool:  # fmt: skip
    """End a job, in the transaction that saves what was done; False if another worker has it, and
    then nothing may be saved.
    """
    values: dict[str, Any] = {
        "state": "done" if error is None else "failed", "error": error,
        "finished": challenge.now(), "worker": None, "until": None,
    }  # fmt: skip
    values["state"] = sa.case((jobs.c.again, "waiting"), else_=values["state"])
    values["again"] = False
    done = jobs.update().where(_own(job, worker)).values(values)
    return connection.execute(done).rowcount == 1


def give_back(challenge: Challenge, job: Job, worker: str, *, tried: bool = False) -> None:
    """Let another worker take a job; `tried` is whether this counts as an attempt."""
    with challenge.store.write() as connection:
        free = {
            "state": "waiting",
            "worker": None,
            "until": None,
            "attempts": jobs.c.attempts - (0 if tried else 1),
        }
        connection.execute(jobs.update().where(_own(job, worker)).values(free))


def step_aside(challenge: Challenge, job: Job, worker: str, reason: str) -> None:
    """Let other jobs go before one that cannot be done now; it is tried again after a while."""
    with challenge.store.write() as connection:
        aside = {
            "state": "aside",
            "error": reason,
            "worker": None,
            "until": challenge.now() + ASIDE,
            "attempts": jobs.c.attempts - 1,
        }
        connection.execute(jobs.update().where(_own(job, worker)).values(aside))


def _own(job: Job, worker: str) -> sa.ColumnElement[bool]:
    return (jobs.c.id == job.id) & (jobs.c.state == "running") & (jobs.c.worker == worker)


@dataclass(frozen=True, slots=True)
class QueueState:
    """How much there is to do."""

    waiting: int
    running: int
    failed: int
    aside: int
    """How many cannot be done before an organiser does something."""
    oldest: datetime | None
    """Since when the first job waits."""


def queue_state(connection: sa.Connection) -> QueueState:
    """How much there is to do."""
    states = sa.select(jobs.c.state, sa.func.count()).group_by(jobs.c.state)
    counts: dict[str, int] = mapping(connection, states)
    waits = jobs.c.state.in_(["waiting", "aside"])
    return QueueState(
        counts.get("waiting", 0), counts.get("running", 0), counts.get("failed", 0),
        counts.get("aside", 0),
        connection.execute(sa.select(sa.func.min(jobs.c.created)).where(waits)).scalar(),
    )  # fmt: skip


def say_alive(challenge: Challenge, worker: str) -> None:
    """Say that a worker lives, whether it has a job or not."""
    values = {"seen": challenge.now()}
    with challenge.store.write() as connection:
        challenge.store.upsert(connection, workers, {"name": worker} | values, ["name"], values)


def say_gone(challenge: Challenge, worker: str) -> None:
    """Say that a worker has ended, and forget those that ended without a word."""
    gone = (workers.c.name == worker) | (workers.c.seen < challenge.now() - timedelta(days=1))
    with challenge.store.write() as connection:
        connection.execute(workers.delete().where(gone))


def alive(challenge: Challenge, connection: sa.Connection) -> list[str]:
    """The workers that said a moment ago that they live."""
    fresh = workers.c.seen > challenge.now() - ALIVE
    return list(connection.execute(sa.select(workers.c.name).where(fresh)).scalars())


@dataclass(frozen=True, slots=True)
class Health:
    """Whether what waits is being done."""

    queue: QueueState
    workers: tuple[str, ...]
    """Those that live."""
    oldest_seconds: int
    """For how long the oldest job waits."""
    reasons: tuple[str, ...]
    """Why scoring stalls; none if it does not."""


def health(challenge: Challenge, connection: sa.Connection) -> Health:
    """Whether what waits is being done, and if not, why and what to do."""
    state, living = queue_state(connection), alive(challenge, connection)
    age = 0
    if state.oldest is not None:
        age = max(0, int((challenge.now() - state.oldest).total_seconds()))
    reasons = []
    if not living:
        reasons.append("no worker lives: start one with carob challenge worker DIR")
    if age > challenge.config.stalled_after:
        reasons.append(f"the oldest job waits for {age:,} seconds")
    return Health(state, tuple(living), age, tuple(reasons))
