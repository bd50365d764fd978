"""The ranking of a phase: which run of each team is official, and the ranks of these. A worker
computes them from stored tallies; pages only read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from carob_challenge import rounds
from carob_challenge.challenge import Challenge
from carob_challenge.feedback import reveal_states
from carob_challenge.ranks import Entry, rank
from carob_challenge.store import (
    details,
    disqualified,
    final_scores,
    primaries,
    rankings,
    scores,
    submissions,
    teams,
    withdrawn,
)

DETAILS = [
    details.c[name].label(f"about_{name}") for name in ("name", "description", "paper", "code")
]
"""What a team says about a run, as columns of a query."""


def about(row: Any) -> dict[str, str]:
    """What a team says about the run of a row with DETAILS."""
    return {name: getattr(row, f"about_{name}") or "" for name in details.c.keys()[1:]}


def scores_now(challenge: Challenge, connection: sa.Connection, phase: str) -> sa.Table:
    """The scores that count: in phases with `parts`, the scores of the second part from the reveal
    on.
    """
    own = challenge.phase(phase)
    is_final = own.final and reveal_states(challenge, connection)[phase].revealed
    return final_scores if is_final else scores


def identity(table: sa.Table, round: int, runs: Sequence[Any]) -> list[Any]:
    """What a ranking is of: the round, the runs, and which scores."""
    return [round, *(run.id for run in runs), *(["final"] if table is final_scores else [])]


def official_runs(challenge: Challenge, connection: sa.Connection, phase: str) -> list[Any]:
    """The official run of each approved team: its last valid one, or the one it marked as primary.

    Late and disqualified runs are none. What has no score in the active round is none yet.
    """
    table = scores_now(challenge, connection, phase)
    current = rounds.active(challenge, connection).id
    there = (
        sa.select(submissions.c.id)
        .join(table, (table.c.submission == submissions.c.id) & (table.c.round == current))
        .outerjoin(disqualified, disqualified.c.submission == submissions.c.id)
        .outerjoin(withdrawn, withdrawn.c.submission == submissions.c.id)
        .where(submissions.c.phase == phase, ~submissions.c.late)
        .where(disqualified.c.submission.is_(None), withdrawn.c.submission.is_(None))
    )  # fmt: skip
    last = there.with_only_columns(sa.func.max(submissions.c.id)).group_by(submissions.c.team)
    marked = there.join(primaries, primaries.c.submission == submissions.c.id)
    rows = connection.execute(
        sa.select(
            submissions.c.id, submissions.c.team, submissions.c.received, submissions.c.filename,
            submissions.c.sha256, teams.c.name, teams.c.baseline, table.c.value, table.c.low,
            table.c.high, table.c.signature, primaries.c.submission.label("primary"),
            teams.c.affiliation, *DETAILS,
        )
        .outerjoin(details, details.c.submission == submissions.c.id)
        .join(teams, teams.c.id == submissions.c.team)
        .join(table, (table.c.submission == submissions.c.id) & (table.c.round == current))
        .outerjoin(primaries, primaries.c.submission == submissions.c.id)
        .where(submissions.c.id.in_(last) | submissions.c.id.in_(marked))
        .where(teams.c.state == "approved").order_by(submissions.c.id)
    ).all()  # fmt: skip
    chosen: dict[int, Any] = {}
    for row in rows:
        before = chosen.get(row.team)
        keep = challenge.config.official == "primary" and before is not None and before.primary
        if not keep:
            chosen[row.team] = row
    return list(chosen.values())


def entries_of(challenge: Challenge, phase: str) -> tuple[list[Any], list[Entry]]:
    """What identifies the official runs of a phase, and these runs, to be ranked."""
    with challenge.store.read() as connection:
        table = scores_now(challenge, connection, phase)
        runs = official_runs(challenge, connection, phase)
        current = rounds.active(challenge, connection).id
        blobs = {
            row.submission: row
            for row in connection.execute(
                sa.select(table.c.submission, table.c.tally, table.c.sketch).where(
                    table.c.round == current, table.c.submission.in_([run.id for run in runs])
                )
            )
        }
    entries = [Entry(run.id, run.value, blobs[run.id][1], blobs[run.id][2]) for run in runs]
    return identity(table, current, runs), entries


def save(
    challenge: Challenge, connection: sa.Connection, phase: str, content: dict[str, Any]
) -> None:
    """Keep a ranking, in place of the one before."""
    values = {"runs": content["runs"], "content": content, "created": challenge.now()}
    challenge.store.upsert(connection, rankings, {"phase": phase, **values}, ["phase"], values)


def refresh(challenge: Challenge, phase: str) -> None:
    """Compute and keep the ranking of a phase now, in this process."""
    runs, entries = entries_of(challenge, phase)
    made = rank(entries, challenge.material(phase).official)
    with challenge.store.write() as connection:
        save(challenge, connection, phase, {"runs": runs, **made})


def stored(connection: sa.Connection, phase: str) -> dict[str, Any] | None:
    """The last ranking of a phase; None if there is none yet."""
    own = sa.select(rankings.c.content).where(rankings.c.phase == phase)
    content: dict[str, Any] | None = connection.execute(own).scalar()
    return content
