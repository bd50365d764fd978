"""Take a submission: one transaction decides about deadline, duplicates and quota.

The time of receipt is when the upload begins. What is in the database when the transaction ends is
accepted, for good; before that, nothing is.
"""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from errno import EDQUOT, ENOSPC
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from carob.corpus.problems import InputError, UsageError
from carob_challenge import limits, rounds, scoring
from carob_challenge.challenge import Challenge, share
from carob_challenge.child import run_limited
from carob_challenge.config import Phase
from carob_challenge.errors import (
    ClosedError,
    QuotaError,
    RateError,
    RefusedError,
    TooLargeError,
    UnavailableError,
)
from carob_challenge.store import jobs, record, submissions
from carob_challenge.validate import failed
from carob_challenge.viewer import Viewer

BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Quota:
    """How many submissions a team has left in a phase; None is any number."""

    used: int
    used_today: int
    left: int | None
    left_today: int | None

    @property
    def open(self) -> bool:
        """Whether there is any left."""
        return self.left != 0 and self.left_today != 0


@dataclass(frozen=True, slots=True)
class Ticket:
    """An upload that has begun: it counts as received now, whenever it ends."""

    team: int
    phase: str
    received: datetime
    late: bool
    actor: str
    """How the audit log calls the team."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of an upload. A duplicate is a submission of the same bytes, made before."""

    submission: int
    valid: bool
    duplicate: bool


def begin(challenge: Challenge, viewer: Viewer, phase: str | None = None) -> Ticket:
    """Begin an upload to a phase (default: the one that is open). Refuses before anything is read:
    who is no team, a phase that is closed, too many uploads, a quota that is used.
    """
    team, now = viewer.require_team(), challenge.now()
    own = _phase(challenge, phase, now)
    _require_files(challenge, own)
    late = _is_late(own, now)
    if challenge.config.limits.uploads_an_hour:
        limits.hit(challenge, f"upload {team}", challenge.config.limits.uploads_an_hour, 3600)
    return Ticket(team, own.name, now, late, viewer.actor)


def _require_files(challenge: Challenge, phase: Phase) -> None:
    """Refuse uploads while the task cannot be read: it is no fault of the file that is sent."""
    try:
        challenge.material(phase.name).task  # noqa: B018 (it is read)
    except (InputError, UsageError, OSError):
        raise UnavailableError(
            "the task of this phase cannot be read at the moment; the organiser has to mend it", 60
        ) from None


def _phase(challenge: Challenge, name: str | None, now: datetime) -> Phase:
    if name is not None:
        return challenge.phase(name)
    phase = the_open_phase(challenge, now)
    if phase is None:
        coming = [each for each in challenge.config.phases.values() if each.opens > now]
        after = f"; {coming[0].name} opens at {_time(coming[0].opens)}" if coming else ""
        raise ClosedError(f"no phase is open{after}")
    return phase


def the_open_phase(challenge: Challenge, now: datetime) -> Phase | None:
    """The phase that takes submissions; if there are several, whoever submits has to say which."""
    try:
        return challenge.config.the_open_phase(now)
    except UsageError as error:
        raise RefusedError(str(error)) from None


def _is_late(phase: Phase, now: datetime) -> bool:
    status = phase.status(now)
    if status == "coming":
        raise ClosedError(f"the phase {phase.name} opens at {_time(phase.opens)}")
    if status == "closed" and not phase.late:
        assert phase.closes is not None
        raise ClosedError(f"the phase {phase.name} closed at {_time(phase.closes)}")
    return status == "closed"


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def new_upload(challenge: Challenge) -> Path:
    """Where to write the bytes of an upload; `receive` takes the file from there."""
    return challenge.uploads / uuid.uuid4().hex


def receive(challenge: Challenge, ticket: Ticket, upload: Path, filename: str) -> Receipt:
    """Take what was uploaded. The file is gone afterwards, whatever happens."""
    try:
        return _receive(challenge, ticket, upload, filename)
    except OSError as error:
        if error.errno in (ENOSPC, EDQUOT):
            raise UnavailableError("the disk of the server is full; try again later", 60) from None
        raise
    finally:
        with suppress(OSError):
            upload.unlink(missing_ok=True)


def _receive(challenge: Challenge, ticket: Ticket, upload: Path, filename: str) -> Receipt:
    sha256, size = _digest(upload, challenge.config.limits.upload_bytes)
    phase = challenge.phase(ticket.phase)
    with challenge.store.read() as connection:
        if (before := _duplicate(connection, ticket, sha256)) is not None:
            return before
        _require_quota(challenge, connection, ticket, phase)
    name = clean_name(filename)
    with _alone(challenge, ticket.team):
        findings = validate_limited(challenge, ticket.phase, upload, name)
    if findings["valid"]:
        _keep(upload, challenge.submission_file(sha256))
    return _decide(challenge, ticket, phase, {
        "sha256": sha256, "size": size, "filename": name, "findings": findings,
        "valid": findings["valid"],
    })  # fmt: skip


@contextmanager
def _alone(challenge: Challenge, team: int) -> Iterator[None]:
    """One file of a team is validated at a time, whichever process does it. The lock ends with the
    process, however that ends.
    """
    import fcntl

    folder = challenge.folder / "locks"
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / str(team)).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sentence = "a file of your team is being validated; try again when it is"
            raise RateError(sentence, 2) from None
        yield


def validate_limited(challenge: Challenge, phase: str, file: Path, name: str) -> Mapping[str, Any]:
    """What validation says about a file, in a child process with limits."""
    own = challenge.config.limits
    seconds, megabytes = own.validating_seconds, own.validating_megabytes
    arguments = scoring.arguments(challenge.material(phase), own, file, name)
    arguments["gold"] = ""
    reply = run_limited("scoring:validated", arguments, seconds, megabytes)
    if reply.outcome == "done":
        return reply.content
    found = {
        "time": f"a file whose validation takes more than {seconds} seconds",
        "memory": f"a file whose validation needs more than {megabytes:,} MB",
    }.get(reply.outcome, "a file whose validation ends without a result")
    return failed(name, found, "a file that can be validated")


def _decide(challenge: Challenge, ticket: Ticket, phase: Phase, values: dict[str, Any]) -> Receipt:
    """The transaction."""
    store = challenge.store
    with store.write() as connection:
        store.lock_team(connection, ticket.team)
        if (before := _duplicate(connection, ticket, values["sha256"])) is not None:
            return before
        if values["valid"]:
            _require_quota(challenge, connection, ticket, phase)
        row = submissions.insert().values(
            team=ticket.team, phase=ticket.phase, received=ticket.received, late=ticket.late,
            **values,
        )  # fmt: skip
        [number] = connection.execute(row).inserted_primary_key or (None,)
        assert number is not None
        if values["valid"]:
            rounds.enqueue(challenge, connection, number, ticket.phase)
        verdict = "valid" if values["valid"] else "invalid"
        detail = f"{ticket.phase}, {verdict}{', late' if ticket.late else ''}, {values['sha256']}"
        record(connection, challenge.now(), ticket.actor, "submitted", str(number), detail)
    return Receipt(number, values["valid"], duplicate=False)


def _duplicate(connection: sa.Connection, ticket: Ticket, sha256: str) -> Receipt | None:
    row = connection.execute(
        sa.select(submissions.c.id, submissions.c.valid).where(
            submissions.c.team == ticket.team,
            submissions.c.phase == ticket.phase,
            submissions.c.sha256 == sha256,
        )
    ).first()
    return None if row is None else Receipt(row.id, row.valid, duplicate=True)


def _require_quota(
    challenge: Challenge, connection: sa.Connection, ticket: Ticket, phase: Phase
) -> None:
    own = quota(connection, phase, ticket.team, ticket.received)
    if own.left == 0:
        raise QuotaError(f"all {phase.quota} submissions of the phase {phase.name} are used")
    if own.left_today == 0:
        raise QuotaError(
            f"all {phase.quota_a_day} submissions of the phase {phase.name} for this day (UTC) "
            "are used"
        )


def quota(connection: sa.Connection, phase: Phase, team: int, now: datetime) -> Quota:
    """How many submissions a team has left. Those that are invalid, or that could not be scored,
    do not count.
    """
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    unscorable = sa.exists().where(
        jobs.c.submission == submissions.c.id, jobs.c.kind == "score", jobs.c.state == "failed"
    )
    today = (submissions.c.received >= midnight) & (
        submissions.c.received < midnight + timedelta(days=1)
    )
    used, used_today = connection.execute(
        sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(sa.case((today, 1), else_=0)), 0))
        .select_from(submissions)
        .where(submissions.c.team == team, submissions.c.phase == phase.name, submissions.c.valid)
        .where(~unscorable)
    ).one()
    return Quota(
        used, used_today,
        max(0, phase.quota - used) if phase.quota else None,
        max(0, phase.quota_a_day - used_today) if phase.quota_a_day else None,
    )  # fmt: skip


def _digest(file: Path, most: int) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    with file.open("rb") as handle:
        while block := handle.read(BLOCK):
            digest.update(block)
            size += len(block)
            if size > most:
                raise TooLargeError(f"the file has more than {most:,} bytes")
    return digest.hexdigest(), size


def _keep(upload: Path, place: Path) -> None:
    """Put a file where it stays, so that it is there before the database says so."""
    if not place.parent.is_dir():
        place.parent.mkdir(mode=0o700, exist_ok=True)
        share(place.parent, place.parent.parent)
    with upload.open("rb") as handle:
        os.fsync(handle.fileno())
    upload.replace(place)
    share(place, place.parent.parent)
    for folder in (place.parent, place.parent.parent):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def clean_name(filename: str) -> str:
    """The last part of a file name, in signs that can be printed.

    >>> clean_name("../../etc/pass\\x00wd"), clean_name("")
    ('passwd', 'submission')
    """
    last = filename.replace("\\\\", "/").rsplit("/", 1)[-1]
    kept = "".join(sign for sign in last if sign.isprintable())[-100:]
    return kept if kept.strip(". ") else "submission"


def sweep(challenge: Challenge, older: timedelta = timedelta(days=1)) -> int:
    """Remove files that belong to no submission: of uploads that broke off or were refused. How
    many there were.
    """
    with challenge.store.read() as connection:
        known = set(connection.execute(sa.select(submissions.c.sha256)).scalars())
    limit = challenge.now().timestamp() - older.total_seconds()
    removed = 0
    kept = (challenge.folder / "submissions").glob("*/*")
    for file in [*challenge.uploads.iterdir(), *kept]:
        with suppress(OSError):
            if file.name not in known and file.stat().st_mtime < limit:
                file.unlink()
                removed += 1
    return removed
