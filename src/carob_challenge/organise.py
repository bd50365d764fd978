"""What organisers and teams decide: reveal, hold back, disqualify, mark as primary. All of it is in
the audit log.
"""

from __future__ import annotations

import sqlalchemy as sa

from carob_challenge import jobs as queue
from carob_challenge import ranking
from carob_challenge.challenge import Challenge
from carob_challenge.errors import NotFoundError, RefusedError
from carob_challenge.feedback import reveal_states
from carob_challenge.store import disqualified, jobs, primaries, record, reveals, submissions
from carob_challenge.viewer import Viewer


def hold(challenge: Challenge, viewer: Viewer, phase: str, why: str = "") -> None:
    """Hold the results of a phase back, whatever its time of reveal; also after a reveal."""
    _set_reveal(challenge, viewer, phase, "reveal held back", why, held=True)


def release(challenge: Challenge, viewer: Viewer, phase: str, why: str = "") -> None:
    """Hold the results back no longer: they are revealed at the time of the phase."""
    _set_reveal(challenge, viewer, phase, "reveal released", why, held=False)


def reveal(challenge: Challenge, viewer: Viewer, phase: str, why: str = "") -> None:
    """Reveal the results of a phase now."""
    _set_reveal(challenge, viewer, phase, "revealed", why, held=False, now=True)
    ask_for_reports(challenge)


def _set_reveal(
    challenge: Challenge, viewer: Viewer, phase: str, action: str, why: str, *, held: bool,
    now: bool = False,
) -> None:  # fmt: skip
    viewer.require_organiser()
    name = challenge.phase(phase).name
    with challenge.store.write() as connection:
        at = connection.execute(sa.select(reveals.c.revealed).where(reveals.c.phase == name))
        before = at.scalar()
        values = {"held": held, "revealed": challenge.now() if now else before}
        challenge.store.upsert(connection, reveals, {"phase": name, **values}, ["phase"], values)
        record(connection, challenge.now(), viewer.actor, action, name, why)


def disqualify(challenge: Challenge, viewer: Viewer, submission: int, reason: str) -> None:
    """Take a run out of the ranking, with a reason that its team can read."""
    viewer.require_organiser()
    if not reason.strip():
        raise RefusedError("say why: the team can read the reason")
    with challenge.store.write() as connection:
        phase = _phase_of(connection, submission)
        why = reason.strip()[:1000]
        values = {"reason": why, "at": challenge.now()}
        new = {"submission": submission, **values}
        challenge.store.upsert(connection, disqualified, new, ["submission"], values)
        record(connection, challenge.now(), viewer.actor, "disqualified", str(submission), why)
        queue.put(challenge, connection, "rank", phase=phase)


def reinstate(challenge: Challenge, viewer: Viewer, submission: int) -> None:
    """Undo a disqualification."""
    viewer.require_organiser()
    with challenge.store.write() as connection:
        phase = _phase_of(connection, submission)
        own = disqualified.delete().where(disqualified.c.submission == submission)
        if connection.execute(own).rowcount != 1:
            raise RefusedError(f"submission {submission} is not disqualified")
        record(connection, challenge.now(), viewer.actor, "reinstated", str(submission))
        queue.put(challenge, connection, "rank", phase=phase)


def retry(challenge: Challenge, viewer: Viewer, submission: int) -> None:
    """Score a submission again that could not be scored."""
    viewer.require_organiser()
    with challenge.store.write() as connection:
        failed = jobs.update().where(jobs.c.submission == submission, jobs.c.state == "failed")
        again = {"state": "waiting", "attempts": 0, "error": None, "finished": None}
        if not connection.execute(failed.values(again)).rowcount:
            raise RefusedError(f"nothing about submission {submission} has failed")
        record(connection, challenge.now(), viewer.actor, "tried again", str(submission))


def _phase_of(connection: sa.Connection, submission: int) -> str:
    own = sa.select(submissions.c.phase).where(submissions.c.id == submission, submissions.c.valid)
    phase = connection.execute(own).scalar()
    if phase is None:
        raise NotFoundError(f"there is no valid submission {submission}")
    return str(phase)


def mark_primary(challenge: Challenge, viewer: Viewer, submission: int) -> None:
    """Make a run the official one of its team, before the phase closes."""
    team = viewer.require_team()
    with challenge.store.write() as connection:
        challenge.store.lock_team(connection, team)
        row = connection.execute(
            sa.select(submissions.c.phase, submissions.c.late).where(
                submissions.c.id == submission, submissions.c.team == team, submissions.c.valid
            )
        ).first()
        if row is None:
            raise NotFoundError(f"there is no valid submission {submission}")
        if challenge.config.official != "primary":
            raise RefusedError("in this challenge the last valid submission is the official one")
        state = reveal_states(challenge, connection)[challenge.phase(row.phase).name]
        if (
            row.late
            or state.revealed
            or challenge.phase(row.phase).status(challenge.now()) != "open"
        ):
            raise RefusedError("the official run can be chosen until the phase closes")
        new = {"team": team, "phase": row.phase, "submission": submission}
        challenge.store.upsert(
            connection, primaries, new, ["team", "phase"], {"submission": submission}
        )
        record(connection, challenge.now(), viewer.actor, "marked as primary", str(submission))
        queue.put(challenge, connection, "rank", phase=row.phase)


def ask_for_reports(challenge: Challenge) -> None:
    """Ask workers for the reports of all official runs of phases that are revealed, each once."""
    with challenge.store.write() as connection:
        there = set(
            connection.execute(
                sa.select(jobs.c.submission).where(jobs.c.kind == "report")
            ).scalars()
        )
        for name, state in reveal_states(challenge, connection).items():
            if state.revealed and challenge.phase(name).reports:
                for run in ranking.official_runs(challenge, connection, name):
                    if run.id not in there:
                        queue.put(challenge, connection, "report", submission=run.id)
