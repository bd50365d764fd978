"""What organisers and teams decide: reveal, hold back, disqualify, mark as primary. All of it is in
the audit log.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

import sqlalchemy as sa

from carob.corpus.problems import shown
from carob_challenge import jobs as queue
from carob_challenge import ranking
from carob_challenge.challenge import Challenge
from carob_challenge.errors import NotFoundError, RefusedError
from carob_challenge.feedback import reveal_states
from carob_challenge.store import (
    details,
    disqualified,
    jobs,
    news,
    primaries,
    record,
    reveals,
    schedules,
    submissions,
    withdrawn,
)
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
        if challenge.phase(name).final:
            queue.put(challenge, connection, "rank", phase=name)


def move(
    challenge: Challenge, viewer: Viewer, phase: str, opens: datetime, closes: datetime | None
) -> None:
    """Move the times of a phase. What challenge.toml says counts no longer; a reveal when the
    phase opened or closed moves with it.
    """
    viewer.require_organiser()
    own = challenge.phase(phase)
    if closes is not None and closes <= opens:
        raise RefusedError("a phase closes after it opens")
    with challenge.store.write() as connection:
        values = {"opens": opens, "closes": closes}
        new = {"phase": own.name, **values}
        challenge.store.upsert(connection, schedules, new, ["phase"], values)
        detail = f"{_span(own.opens, own.closes)} became {_span(opens, closes)}"
        record(connection, challenge.now(), viewer.actor, "phase moved", own.name, detail)
    challenge.forget_times()


def _span(opens: datetime, closes: datetime | None) -> str:
    end = "open" if closes is None else f"{closes:%Y-%m-%d %H:%M}"
    return f"{opens:%Y-%m-%d %H:%M} to {end} UTC"


def withdraw(challenge: Challenge, viewer: Viewer, submission: int) -> None:
    """Take a run of one's own back, before its phase closes: it is not ranked or shown to others
    any more. Its quota stays used.
    """
    team = viewer.require_team()
    with challenge.store.write() as connection:
        challenge.store.lock_team(connection, team)
        phase = _own_run(connection, team, submission)
        if challenge.phase(phase).status(challenge.now()) != "open":
            raise RefusedError("a run can be withdrawn until the phase closes")
        new = {"submission": submission, "at": challenge.now()}
        challenge.store.upsert(
            connection, withdrawn, new, ["submission"], {"submission": submission}
        )
        connection.execute(primaries.delete().where(primaries.c.submission == submission))
        record(connection, challenge.now(), viewer.actor, "withdrawn", str(submission))
        queue.put(challenge, connection, "rank", phase=phase)


def _own_run(connection: sa.Connection, team: int, submission: int) -> str:
    """The phase of a valid run of a team."""
    own = sa.select(submissions.c.phase).where(
        submissions.c.id == submission, submissions.c.team == team, submissions.c.valid
    )
    phase = connection.execute(own).scalar()
    if phase is None:
        raise NotFoundError(f"there is no valid submission {submission}")
    return str(phase)


LONGEST = {"name": 80, "description": 2000, "paper": 300, "code": 300}
"""How many characters a team may say about a run."""


def clean_details(values: Mapping[str, str]) -> dict[str, str]:
    """What a team says about a run, as it is kept.

    >>> clean_details({"name": " big model ", "code": "https://example.org/x"})
    {'name': 'big model', 'description': '', 'paper': '', 'code': 'https://example.org/x'}
    """
    made = {}
    for key, longest in LONGEST.items():
        text = values.get(key, "").strip()
        if len(text) > longest:
            raise RefusedError(
                f"the {key} has {len(text):,} characters, and at most {longest:,} fit"
            )
        if key in ("paper", "code") and text and not _LINK.fullmatch(text):
            raise RefusedError(f"found the {key} {shown(text)}, expected a link: https://…")
        made[key] = text
    return made


_LINK = re.compile(r"https?://[^\s/@\"'<>]+(/[^\s\"'<>]*)?")


def describe(
    challenge: Challenge, viewer: Viewer, submission: int, values: Mapping[str, str]
) -> None:
    """Say what a run of one's own is: name, description, links to paper and code."""
    made, team = clean_details(values), viewer.require_team()
    with challenge.store.write() as connection:
        _own_run(connection, team, submission)
        new = {"submission": submission, **made}
        challenge.store.upsert(connection, details, new, ["submission"], made)
        record(
            connection, challenge.now(), viewer.actor, "described", str(submission), made["name"]
        )


def add_news(challenge: Challenge, viewer: Viewer, text: str) -> None:
    """Tell everybody something, in Markdown."""
    viewer.require_organiser()
    if not text.strip():
        raise RefusedError("there is no text")
    with challenge.store.write() as connection:
        now, kept = challenge.now(), text.strip()[:10_000]
        connection.execute(news.insert().values(at=now, text=kept))
        record(connection, now, viewer.actor, "news added", "", kept[:200])


def remove_news(challenge: Challenge, viewer: Viewer, number: int) -> None:
    """Remove news."""
    viewer.require_organiser()
    with challenge.store.write() as connection:
        if connection.execute(news.delete().where(news.c.id == number)).rowcount != 1:
            raise NotFoundError(f"there is no news {number}")
        record(connection, challenge.now(), viewer.actor, "news removed", str(number))


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
            if challenge.phase(name).final:
                made = ranking.stored(connection, name)
                if made is not None and ("final" in made["runs"]) != state.revealed:
                    queue.put(challenge, connection, "rank", phase=name)
            if state.revealed and challenge.phase(name).reports:
                for run in ranking.official_runs(challenge, connection, name):
                    if run.id not in there:
                        queue.put(challenge, connection, "report", submission=run.id)
