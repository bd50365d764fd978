"""What pages show beside runs and boards: the home page, and the dashboard of organisers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from carob.corpus.problems import many
from carob_challenge import jobs as queue
from carob_challenge import ranking, rounds
from carob_challenge.challenge import Challenge
from carob_challenge.config import Phase
from carob_challenge.errors import NotFoundError
from carob_challenge.feedback import RevealState, reveal_states
from carob_challenge.store import audit, jobs, mapping, news, submissions, teams
from carob_challenge.teams import Team, all_teams
from carob_challenge.viewer import Viewer


@dataclass(frozen=True, slots=True)
class PhaseInfo:
    """A phase on the home page."""

    name: str
    title: str
    text: str
    status: str
    """coming, open or closed."""
    opens: datetime
    closes: datetime | None
    grace_seconds: int
    reveal: RevealState
    feedback: str
    quota_a_day: int
    quota: int
    late: bool
    part: str
    documents: int
    takes: bool
    """Whether it is open: there may be several."""
    is_current: bool


@dataclass(frozen=True, slots=True)
class Home:
    """What everybody may know about a challenge."""

    title: str
    text: str
    organiser: str
    contact: str
    registration: str
    official: str
    task_name: str
    task_version: str
    recipes: Sequence[str]
    ranking_recipe: str
    labels: Sequence[str]
    command: str
    """The command that scores, for somebody who has gold."""
    check_command: str
    files: Mapping[str, str]
    """Public files by their names: what each is."""
    phases: Sequence[PhaseInfo]
    news: Sequence[News]
    """The last three."""
    now: datetime
    upload_bytes: int


@dataclass(frozen=True, slots=True)
class News:
    """News of the organisers for everybody, in Markdown."""

    id: int
    at: datetime
    text: str


def all_news(challenge: Challenge) -> list[News]:
    """All news, the last one first."""
    with challenge.store.read() as connection:
        rows = connection.execute(sa.select(news).order_by(news.c.id.desc())).all()
    return [News(row.id, row.at, row.text) for row in rows]


def texts(challenge: Challenge) -> dict[str, Path]:
    """The pages that organisers wrote, by name: each file in the folder `pages`. Rules, data,
    questions and terms come first.
    """
    files = {path.stem: path for path in (challenge.folder / "pages").glob("*.md")}
    names = sorted(files, key=lambda each: (_FIRST.get(each, len(_FIRST)), each))
    return {name: files[name] for name in names if _TEXT_NAME.fullmatch(name)}


_FIRST = {name: place for place, name in enumerate(("rules", "data", "faq", "terms"))}
_TEXT_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


def text_of(challenge: Challenge, name: str) -> str:
    """A page that organisers wrote, in Markdown."""
    found = texts(challenge)
    if name not in found:
        raise NotFoundError(f"there is no page {name!r}")
    return found[name].read_text(encoding="utf-8", errors="replace")


def home(challenge: Challenge) -> Home:
    """The home page."""
    now, config = challenge.now(), challenge.config
    with challenge.store.read() as connection:
        states = reveal_states(challenge, connection)
    current = config.current(now)
    shown = current or next(iter(config.phases.values()))
    material = challenge.material(shown.name)
    task = material.task
    phases = [_phase(challenge, each, states[each.name], now, current) for each in
              config.phases.values()]  # fmt: skip
    names = public_files(challenge)
    task_file = next(key for key, path in names.items() if path == material.task_file)
    return Home(
        config.title, config.text, config.organiser, config.contact, config.registration,
        config.official, task.name, task.version, [str(each) for each in task.recipes],
        str(material.official), sorted(task.slots),
        f"carob score --task {task_file} --part {material.part} GOLD SYSTEM",
        f"carob check FILE --challenge URL --phase {shown.name}",
        {name: _what(challenge, path) for name, path in names.items()}, phases,
        all_news(challenge)[:3], now,
        config.limits.upload_bytes,
    )  # fmt: skip


def _what(challenge: Challenge, path: Path) -> str:
    inputs = {challenge.material(name).inputs for name in challenge.config.phases}
    return "the documents to answer" if path in inputs else "the definition of the task"


def _phase(
    challenge: Challenge, phase: Phase, state: RevealState, now: datetime, current: Phase | None
) -> PhaseInfo:
    task = challenge.material(phase.name).task
    documents = len(task.parts[task.part]) if task.part else task.documents
    if phase.final:
        documents += len(task.parts[phase.final])
    return PhaseInfo(
        phase.name, phase.title, phase.text, phase.status(now), phase.opens, phase.closes,
        phase.grace_seconds, state, phase.feedback.sentence, phase.quota_a_day, phase.quota,
        phase.late, phase.part, documents, phase.status(now) == "open",
        current is not None and phase.name == current.name,
    )  # fmt: skip


def public_files(challenge: Challenge) -> dict[str, Path]:
    """The files that everybody may have, by their names: inputs and tasks, never gold."""
    files: dict[str, Path] = {}
    for name in challenge.config.phases:
        material = challenge.material(name)
        for path in (material.inputs, material.task_file):
            files.setdefault(path.name if files.get(path.name, path) == path
                             else f"{name}-{path.name}", path)  # fmt: skip
    return files


def public_file(challenge: Challenge, name: str) -> Path:
    """One of the public files; any other name is not found."""
    files = public_files(challenge)
    if name not in files:
        raise NotFoundError(f"no public file is called {name!r}")
    return files[name]


def phase_files(challenge: Challenge, phase: str) -> tuple[str, str, str]:
    """What a validator needs elsewhere: the names of the inputs and the task among the public
    files, and the part.
    """
    material = challenge.material(phase)
    names = {path: name for name, path in public_files(challenge).items()}
    return names[material.inputs], names[material.task_file], material.part


@dataclass(frozen=True, slots=True)
class FailedJob:
    """A job that could not be done."""

    kind: str
    submission: int | None
    error: str
    finished: datetime | None


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """A line of the audit log."""

    id: int
    at: datetime
    actor: str
    action: str
    subject: str
    detail: str


@dataclass(frozen=True, slots=True)
class Pairwise:
    """The difference of two official runs: b minus a."""

    team_a: str
    team_b: str
    run_a: int
    run_b: int
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    significant: bool


@dataclass(frozen=True, slots=True)
class NearlySame:
    """Two official runs of different teams that have most of their answers in common."""

    team_a: str
    team_b: str
    run_a: int
    run_b: int
    share: float


@dataclass(frozen=True, slots=True)
class Dashboard:
    """What organisers see."""

    queue: queue.QueueState
    workers: Sequence[str]
    """Those that live."""
    failed: Sequence[FailedJob]
    teams: Sequence[Team]
    submissions: int
    invalid: int
    rounds: Sequence[rounds.Round]
    notices: Sequence[str]
    """What an organiser should do."""
    reveals: Mapping[str, RevealState]
    audit: Sequence[AuditEntry]


def dashboard(challenge: Challenge, viewer: Viewer) -> Dashboard:
    """The page of organisers."""
    viewer.require_organiser()
    with challenge.store.read() as connection:
        valid = sa.select(submissions.c.valid, sa.func.count()).group_by(submissions.c.valid)
        counts: dict[bool, int] = mapping(connection, valid)
        failed = [
            FailedJob(row.kind, row.submission, row.error, row.finished)
            for row in connection.execute(
                sa.select(jobs).where(jobs.c.state == "failed").order_by(jobs.c.id.desc()).limit(50)
            )
        ]
        aside = sa.select(jobs.c.error, sa.func.count()).where(jobs.c.state == "aside")
        stuck: dict[str, int] = mapping(connection, aside.group_by(jobs.c.error))
        state = queue.health(challenge, connection)
        every = rounds.every(connection)
        states = reveal_states(challenge, connection)
    groups = all_teams(challenge, viewer)
    notices = [*state.reasons]
    notices += [f"{many(count, 'job')} stepped aside: {why}" for why, count in stuck.items()]
    if every and (why := rounds.outdated(challenge, every[-1])) is not None:
        notices.append(why)
    if pending := [each.name for each in groups if each.state == "pending"]:
        notices.append(f"teams wait for approval: {', '.join(pending)}")
    if failed:
        what = many(len(failed), "job")
        notices.append(f"{what} failed; the reason is below, and the run can be scored again")
    return Dashboard(
        state.queue, state.workers, failed, groups, counts.get(True, 0), counts.get(False, 0),
        every, notices, states, audit_log(challenge, viewer, most=50),
    )  # fmt: skip


def audit_log(
    challenge: Challenge, viewer: Viewer, *, before: int | None = None, most: int | None = 200
) -> list[AuditEntry]:
    """The audit log, the last line first; `before` the line with this number."""
    viewer.require_organiser()
    query = sa.select(audit).order_by(audit.c.id.desc()).limit(most)
    if before is not None:
        query = query.where(audit.c.id < before)
    with challenge.store.read() as connection:
        return [AuditEntry(*row) for row in connection.execute(query)]


def count_runs(challenge: Challenge) -> int:
    """How many submissions there are."""
    with challenge.store.read() as connection:
        count: int = connection.execute(
            sa.select(sa.func.count()).select_from(submissions)
        ).scalar_one()
    return count


def pairwise(challenge: Challenge, viewer: Viewer, phase: str) -> list[Pairwise]:
    """The tests of all pairs of official runs."""
    made, names = _stored_ranking(challenge, viewer, phase)
    return [
        Pairwise(names[each["a"]], names[each["b"]], each["a"], each["b"], *(
            each[key] for key in ("difference", "low", "high", "p", "p_holm", "significant")))
        for each in made["pairs"]
        if each["a"] in names and each["b"] in names
    ]  # fmt: skip


def near_identical(challenge: Challenge, viewer: Viewer, phase: str) -> list[NearlySame]:
    """Official runs of two teams that are nearly the same, the most alike first."""
    made, names = _stored_ranking(challenge, viewer, phase)
    found = [
        NearlySame(names[each["a"]], names[each["b"]], each["a"], each["b"], each["share"])
        for each in made["near"]
        if each["a"] in names and each["b"] in names
    ]
    return sorted(found, key=lambda each: -each.share)


def _stored_ranking(
    challenge: Challenge, viewer: Viewer, phase: str
) -> tuple[dict[str, Any], dict[int, str]]:
    viewer.require_organiser()
    challenge.phase(phase)
    with challenge.store.read() as connection:
        made = ranking.stored(connection, phase) or {"pairs": [], "near": []}
        names = sa.select(submissions.c.id, teams.c.name).join(
            teams, teams.c.id == submissions.c.team
        )
        return made, mapping(connection, names.where(submissions.c.phase == phase))


def health(challenge: Challenge) -> queue.Health:
    """Whether the database answers, and whether what waits is being done."""
    with challenge.store.read() as connection:
        return queue.health(challenge, connection)
