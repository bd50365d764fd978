"""Rounds of scoring: everything is scored with the same gold, task and version of carob.

A corrected gold, another task or another version of carob makes a new round. The scores of earlier
rounds stay. A round counts when everything is scored in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from carob._version import __version__
from carob_challenge import jobs as queue
from carob_challenge import ladder
from carob_challenge.challenge import Challenge
from carob_challenge.errors import RefusedError
from carob_challenge.store import jobs, record, rounds, scores, submissions
from carob_challenge.tallies import StoredTally


@dataclass(frozen=True, slots=True)
class Round:
    """A round of scoring."""

    id: int
    created: datetime
    activated: datetime | None
    why: str
    carob: str
    hashes: Mapping[str, Any]


def hashes(challenge: Challenge) -> dict[str, dict[str, str]]:
    """What each phase scores."""
    return {name: hashes_of(challenge, name) for name in challenge.config.phases}


def hashes_of(challenge: Challenge, phase: str) -> dict[str, str]:
    """What a phase scores: the hash of gold, as the task states it, and the hash of the task."""
    task = challenge.material(phase).task
    part, final = task.part or "all", challenge.phase(phase).final
    return {"gold": task.gold, "task": task.sha256, "part": f"{part}, {final}" if final else part}


def misfit(challenge: Challenge, round: Round, phase: str) -> str | None:
    """Why a phase cannot be scored in a round: its gold or task have changed since. A phase that
    is newer than the round can.
    """
    now = hashes_of(challenge, phase)
    return None if round.hashes.get(phase, now) == now else _CHANGED.format(phase)


_CHANGED = (
    "gold or task of {} have changed since the last round of scoring: nothing of it is scored "
    "until carob challenge rescore DIR begins a new one"
)


def admit(challenge: Challenge, connection: sa.Connection, round: int, phase: str) -> None:
    """Note in a round what a phase scores that is newer than the round."""
    own = rounds.c.id == round
    known = connection.execute(sa.select(rounds.c.hashes).where(own)).scalar_one()
    if phase not in known:
        more = {**known, phase: hashes_of(challenge, phase)}
        connection.execute(rounds.update().where(own).values(hashes=more))


def active(challenge: Challenge, connection: sa.Connection) -> Round:
    """The round that counts; the first one, which begins with the first submission, if there is
    none.
    """
    done = sa.select(rounds).where(rounds.c.activated.is_not(None))
    row = connection.execute(done.order_by(rounds.c.id.desc()).limit(1)).first()
    if row is not None:
        return _round(row)
    now = challenge.now()
    return Round(1, now, now, "first scores", __version__, hashes(challenge))


def begin_first(challenge: Challenge, connection: sa.Connection) -> Round:
    """The round that counts, which is in the database from now on."""
    first = active(challenge, connection)
    if first.id == 1:
        challenge.store.upsert(connection, rounds, asdict(first), ["id"], {"id": 1})
    return first


def pending(connection: sa.Connection) -> Round | None:
    """The round that will count when it is complete; None if there is none."""
    row = connection.execute(
        sa.select(rounds).where(rounds.c.activated.is_(None)).order_by(rounds.c.id.desc()).limit(1)
    ).first()
    return None if row is None else _round(row)


def every(connection: sa.Connection) -> list[Round]:
    """All rounds, the first one first."""
    return [_round(row) for row in connection.execute(sa.select(rounds).order_by(rounds.c.id))]


def _round(row: Any) -> Round:
    return Round(row.id, row.created, row.activated, row.why, row.carob, row.hashes)


def outdated(challenge: Challenge, last: Round) -> str | None:
    """Why a round does not fit the files and the program any more; None if it does."""
    if changed := [name for name in challenge.config.phases if misfit(challenge, last, name)]:
        return _CHANGED.format(", ".join(changed))
    if last.carob != __version__:
        return f"the last round was scored by carob {last.carob}; this is {__version__}"
    return None


def enqueue(challenge: Challenge, connection: sa.Connection, submission: int, phase: str) -> None:
    """Have a new submission scored: in the round that counts, and in the one that will."""
    current, coming = begin_first(challenge, connection), pending(connection)
    if coming is not None:
        queue.put(challenge, connection, "rescore", submission=submission, round=coming.id)
    if coming is None or misfit(challenge, current, phase) is None:
        queue.put(challenge, connection, "score", submission=submission, round=current.id)


def rescore(challenge: Challenge, actor: str, why: str) -> Round:
    """Begin a new round: every valid submission is scored again; what was scored stays."""
    now = challenge.now()
    with challenge.store.write() as connection:
        begin_first(challenge, connection)
        if (begun := pending(connection)) is not None:
            if begun.hashes == hashes(challenge) and begun.carob == __version__:
                raise RefusedError(f"round {begun.id} has begun and is not complete yet")
            # Nothing of it ever counted.
            connection.execute(
                jobs.update().where(jobs.c.round == begun.id, jobs.c.state != "done")
                .values(state="done", error="replaced by a later round", finished=now)
            )  # fmt: skip
            connection.execute(
                rounds.update().where(rounds.c.id == begun.id).values(activated=begun.created)
            )
        last = connection.execute(sa.select(sa.func.max(rounds.c.id))).scalar_one()
        connection.execute(rounds.insert().values(
            id=last + 1, created=now, why=why, carob=__version__, hashes=hashes(challenge)
        ))  # fmt: skip
        # What waits for the round before could only be scored with files that are gone.
        connection.execute(
            jobs.update().where(jobs.c.kind == "score", jobs.c.state.in_(["waiting", "aside"]))
            .values(state="done", error="replaced by a later round", finished=now)
        )  # fmt: skip
        valid = sa.select(submissions.c.id).where(submissions.c.valid).order_by(submissions.c.id)
        for number in connection.execute(valid).scalars().all():
            queue.put(challenge, connection, "rescore", submission=number, round=last + 1)
        record(connection, now, actor, "rescoring begun", f"round {last + 1}", why)
        made = pending(connection)
        assert made is not None
        activate_if_complete(challenge, connection, made.id)
    return made


def activate_if_complete(challenge: Challenge, connection: sa.Connection, round: int) -> bool:
    """Make a round count if everything is scored in it (or cannot be)."""
    waits = (jobs.c.round == round) & jobs.c.state.in_(["waiting", "running", "aside"])
    if connection.execute(sa.select(jobs.c.id).where(waits).limit(1)).first() is not None:
        return False
    now = challenge.now()
    new = rounds.update().where(rounds.c.id == round, rounds.c.activated.is_(None))
    if connection.execute(new.values(activated=now)).rowcount != 1:
        return False
    _climb_again(challenge, connection, round)
    record(connection, now, "worker", "round counts", f"round {round}")
    for phase in challenge.config.phases:
        queue.put(challenge, connection, "rank", phase=phase)
    written = sa.select(jobs.c.submission).where(jobs.c.kind == "report")
    for number in connection.execute(written).scalars().all():
        queue.put(challenge, connection, "report", submission=number)
    return True


def _climb_again(challenge: Challenge, connection: sa.Connection, round: int) -> None:
    """The ladders of all teams, from their first submission, with the scores of this round."""
    rows = connection.execute(
        sa.select(submissions.c.id, submissions.c.team, submissions.c.phase, scores.c.value,
                  scores.c.tally, scores.c.detail)
        .join(scores, scores.c.submission == submissions.c.id)
        .where(scores.c.round == round).order_by(submissions.c.id)
    )  # fmt: skip
    ladders: dict[tuple[int, str], ladder.Ladder] = {}
    for row in rows.all():
        key = row.team, row.phase
        if row.phase not in challenge.config.phases:
            continue
        recipe = challenge.material(row.phase).official
        new = ladder.Rung(row.id, row.value, StoredTally.of_bytes(row.tally))
        most = challenge.phase(row.phase).reveals
        ladders[key] = ladders.get(key, ladder.Ladder()).climb(new, recipe, most)
        best = ladders[key].best
        assert best is not None
        own = (scores.c.submission == row.id) & (scores.c.round == round)
        values = {"ladder": best.value, "ladder_run": best.submission}
        connection.execute(scores.update().where(own).values(values))
