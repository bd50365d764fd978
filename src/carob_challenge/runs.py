"""Runs as a viewer may see them: one submission, or all of a team with its quota."""

from __future__ import annotations

import re
import uuid
import zipfile
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from carob_challenge import ranking, rounds
from carob_challenge.accept import Quota, quota
from carob_challenge.challenge import Challenge
from carob_challenge.errors import NotFoundError
from carob_challenge.feedback import RevealState, Shown, reveal_states, shown
from carob_challenge.store import (
    details,
    disqualified,
    final_scores,
    jobs,
    primaries,
    scores,
    submissions,
    teams,
    withdrawn,
)
from carob_challenge.viewer import Viewer


@dataclass(frozen=True, slots=True)
class Run:
    """A submission, as its team or an organiser sees it."""

    id: int
    team: str
    team_id: int
    phase: str
    received: datetime
    filename: str
    size: int
    sha256: str
    late: bool
    state: str
    """invalid, waiting, scoring, scored or failed."""
    problems: Sequence[Mapping[str, Any]]
    """Each with severity, code, file, line, column, quote, found, expected, hint and message."""
    errors: int
    warnings: int
    complete: bool
    """Whether all its problems were looked for."""
    shown: Shown | None
    """What is shown of its score; None if it has none (yet)."""
    signature: str | None
    """What identifies the evaluation; None where no score is shown."""
    primary: bool
    withdrawn: bool
    about: Mapping[str, str]
    """What the team says about it: name, description, paper and code."""
    disqualified: str | None
    """The reason."""
    ahead: int
    """How many jobs are before it in the queue."""
    report: bool
    """Whether its report can be read."""
    failure: str | None = None
    """Why it could not be scored; for organisers alone."""
    earlier: Sequence[Mapping[str, Any]] = ()
    """Its scores in earlier rounds: round, value, signature, why, created."""


@dataclass(frozen=True, slots=True)
class PhaseOfTeam:
    """A phase as a team sees it: what is left, and its runs, the last one first."""

    phase: str
    title: str
    status: str
    quota: Quota
    runs: Sequence[Run]


@dataclass(frozen=True, slots=True)
class TeamPage:
    """Everything of one team."""

    team: str
    team_id: int
    baseline: bool
    affiliation: str
    phases: Sequence[PhaseOfTeam]


def run(challenge: Challenge, viewer: Viewer, number: int) -> Run:
    """One submission. Of other teams nothing is shown, not even that it exists."""
    with challenge.store.read() as connection:
        found = _runs(challenge, connection, viewer, submissions.c.id == number)
    if not found:
        raise NotFoundError(f"there is no submission {number}")
    return found[0]


def all_runs(challenge: Challenge, viewer: Viewer, most: int | None = None) -> list[Run]:
    """All submissions, or so many, the last one first."""
    viewer.require_organiser()
    with challenge.store.read() as connection:
        return _runs(challenge, connection, viewer, sa.true(), most)


def team_page(challenge: Challenge, viewer: Viewer, team: int | None = None) -> TeamPage:
    """What a team sees of itself, or an organiser of a team."""
    number = team if viewer.is_organiser and team is not None else viewer.require_team()
    now = challenge.now()
    with challenge.store.read() as connection:
        own = connection.execute(sa.select(teams).where(teams.c.id == number)).first()
        if own is None:
            raise NotFoundError(f"there is no team {number}")
        every = _runs(challenge, connection, viewer, submissions.c.team == number)
        phases = [
            PhaseOfTeam(
                phase.name, phase.title, phase.status(now),
                quota(connection, phase, number, now),
                [each for each in every if each.phase == phase.name],
            )
            for phase in challenge.config.phases.values()
        ]  # fmt: skip
    return TeamPage(own.name, own.id, own.baseline, own.affiliation, phases)


def report_path(challenge: Challenge, viewer: Viewer, number: int) -> Path:
    """The file with the report of a submission, if the viewer may read it."""
    if not run(challenge, viewer, number).report:
        raise NotFoundError("there is no report to read, or it is not written yet")
    return challenge.report_file(number)


def _runs(
    challenge: Challenge, connection: sa.Connection, viewer: Viewer,
    which: sa.ColumnElement[bool], most: int | None = None,
) -> list[Run]:  # fmt: skip
    current = rounds.active(challenge, connection).id
    query = (
        sa.select(submissions, teams.c.name.label("team_name"),
                  primaries.c.submission.label("primary"), disqualified.c.reason,
                  withdrawn.c.submission.label("withdrawn"), *ranking.DETAILS)
        .join(teams, teams.c.id == submissions.c.team)
        .outerjoin(primaries, primaries.c.submission == submissions.c.id)
        .outerjoin(disqualified, disqualified.c.submission == submissions.c.id)
        .outerjoin(withdrawn, withdrawn.c.submission == submissions.c.id)
        .outerjoin(details, details.c.submission == submissions.c.id)
        .where(which).order_by(submissions.c.id.desc()).limit(most)
    )  # fmt: skip
    if not viewer.is_organiser:
        query = query.where(submissions.c.team == (viewer.team if viewer.team is not None else -1))
    rows = connection.execute(query).all()
    numbers = sa.select(query.subquery().c.id)  # as many as there may be: no list of numbers
    states = reveal_states(challenge, connection)
    made: dict[int, dict[int, Any]] = {row.id: {} for row in rows}
    phases = challenge.config.phases.values()
    opened = [each.name for each in phases if each.final and states[each.name].revealed]
    for table in (scores, final_scores):
        of_results = submissions.c.phase.in_(opened)
        columns = [each for each in table.c if each.name not in ("tally", "sketch")]
        own = sa.select(*columns).join(submissions, submissions.c.id == table.c.submission)
        own = own.where(of_results if table is final_scores else ~of_results)
        for row in connection.execute(own.where(table.c.submission.in_(numbers))):
            made[row.submission][row.round] = row
    work = {
        row.submission: row
        for row in connection.execute(
            sa.select(jobs.c.id, jobs.c.submission, jobs.c.state, jobs.c.error)
            .where(jobs.c.submission.in_(numbers), jobs.c.kind == "score")
        )
    }  # fmt: skip
    waiting = connection.execute(
        sa.select(jobs.c.id).where(jobs.c.kind == "score", jobs.c.state == "waiting")
        .order_by(jobs.c.id)
    ).scalars().all()  # fmt: skip
    whys = {each.id: each for each in rounds.every(connection)}
    return [
        _run(challenge, viewer, row, made[row.id], work.get(row.id), waiting, states, current, whys)
        for row in rows
    ]


def _run(
    challenge: Challenge, viewer: Viewer, row: Any, made: Mapping[int, Any],
    job: Any, waiting: Sequence[int], states: Mapping[str, RevealState], current: int,
    whys: Mapping[int, rounds.Round],
) -> Run:  # fmt: skip
    phase = challenge.config.phases.get(row.phase)
    score = made.get(current)
    visible = signature = None
    report = False
    earlier: list[dict[str, Any]] = []
    if score is not None and phase is not None:
        state = states[row.phase]
        visible = shown(viewer, phase, state, row.team, score)
        if visible.official is not None:
            signature = score.signature
        report = (phase.reports and state.revealed) or viewer.is_organiser
        report = report and challenge.report_file(row.id).is_file()
        if viewer.is_organiser or state.revealed:
            earlier = [
                {"round": number, "value": old.value, "signature": old.signature,
                 "why": whys[number].why, "created": old.created}
                for number, old in sorted(made.items())
                if number < current
            ]  # fmt: skip
    state_of_job = {"waiting": "waiting", "running": "scoring", "failed": "failed"}
    state_name = "invalid"
    if row.valid:
        state_name = "scored" if score is not None else state_of_job.get(
            job.state if job is not None else "waiting", "waiting"
        )  # fmt: skip
    return Run(
        row.id, row.team_name, row.team, row.phase, row.received, row.filename, row.size,
        row.sha256, row.late, state_name, row.findings["problems"], row.findings["errors"],
        row.findings["warnings"], row.findings.get("complete", True), visible, signature,
        row.primary is not None, row.withdrawn is not None, ranking.about(row), row.reason,
        bisect_left(waiting, job.id) if job is not None else 0, report,
        job.error if job is not None and viewer.is_organiser else None, tuple(earlier),
    )  # fmt: skip


def file_of(challenge: Challenge, viewer: Viewer, number: int) -> tuple[Path, str]:
    """The bytes of a valid submission as they were sent, and what the file was called: for its team
    and organisers. What is invalid is not kept.
    """
    own = run(challenge, viewer, number)
    path = challenge.submission_file(own.sha256)
    if own.state == "invalid" or not path.is_file():
        raise NotFoundError("this file is not kept: it is not valid")
    return path, own.filename


def pack(challenge: Challenge, viewer: Viewer) -> Path:
    """All valid submissions in a zip file, by phase and team; whoever asked removes it."""
    every = all_runs(challenge, viewer)
    target = challenge.uploads / f"{uuid.uuid4().hex}.zip"
    target.touch(mode=0o600)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
        for each in every:
            path = challenge.submission_file(each.sha256)
            if each.state != "invalid" and path.is_file():
                team = re.sub(r"[^\w-]+", "_", each.team)
                file = re.sub(r"[^\w.-]+", "_", each.filename)
                out.write(path, f"{each.phase}/{each.team_id}-{team}/{each.id}-{file}")
    return target
