"""The ranking of a phase: which run of each team is official, and the ranks of these. A worker
computes them from stored tallies; pages only read them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from carob.challenge import rounds
from carob.challenge.challenge import Challenge
from carob.challenge.ranks import Entry, rank
from carob.challenge.store import disqualified, primaries, rankings, scores, submissions, teams


def official_runs(challenge: Challenge, connection: sa.Connection, phase: str) -> list[Any]:
    """The official run of each approved team: its last valid one, or the one it marked as primary.

    Late and disqualified runs are none. What has no score in the active round is none yet.
    """
    current = rounds.active(challenge, connection).id
    rows = connection.execute(
        sa.select(
            submissions.c.id, submissions.c.team, submissions.c.received, submissions.c.filename,
            submissions.c.sha256, teams.c.name, teams.c.baseline, scores.c.value, scores.c.low,
            scores.c.high, scores.c.signature, primaries.c.submission.label("primary"),
        )
        .join(teams, teams.c.id == submissions.c.team)
        .join(scores, (scores.c.submission == submissions.c.id) & (scores.c.round == current))
        .outerjoin(disqualified, disqualified.c.submission == submissions.c.id)
        .outerjoin(primaries, (primaries.c.team == submissions.c.team)
                   & (primaries.c.phase == submissions.c.phase))
        .where(submissions.c.phase == phase, teams.c.state == "approved", ~submissions.c.late)
        .where(disqualified.c.submission.is_(None)).order_by(submissions.c.id)
    ).all()  # fmt: skip
    chosen: dict[int, Any] = {}
    for row in rows:
        marked = challenge.config.official == "primary" and row.team in chosen
        if not (marked and chosen[row.team].id == chosen[row.team].primary):
            chosen[row.team] = row
    return list(chosen.values())


def compute(
    challenge: Challenge, phase: str, beat: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """The ranks of the official runs of a phase, and which of them are nearly the same.

    A run without a score ranks after all others.
    """
    with challenge.store.read() as connection:
        runs = official_runs(challenge, connection, phase)
        current = rounds.active(challenge, connection).id
        blobs = {
            row.submission: row
            for row in connection.execute(
                sa.select(scores.c.submission, scores.c.tally, scores.c.sketch).where(
                    scores.c.round == current, scores.c.submission.in_([run.id for run in runs])
                )
            )
        }
    entries = [Entry(run.id, run.value, *blobs[run.id][1:]) for run in runs]
    made = rank(entries, challenge.material(phase).official, beat)
    return {"runs": [current, *(run.id for run in runs)], **made}


def save(
    challenge: Challenge, connection: sa.Connection, phase: str, content: dict[str, Any]
) -> None:
    """Keep a ranking, in place of the one before."""
    values = {"runs": content["runs"], "content": content, "created": challenge.now()}
    challenge.store.upsert(connection, rankings, {"phase": phase, **values}, ["phase"], values)


def refresh(challenge: Challenge, phase: str) -> None:
    """Compute and keep the ranking of a phase now."""
    made = compute(challenge, phase)
    with challenge.store.write() as connection:
        save(challenge, connection, phase, made)


def stored(connection: sa.Connection, phase: str) -> dict[str, Any] | None:
    """The last ranking of a phase; None if there is none yet."""
    own = sa.select(rankings.c.content).where(rankings.c.phase == phase)
    content: dict[str, Any] | None = connection.execute(own).scalar()
    return content
