"""Teams and their tokens: added by the organiser, invited, or registered and approved."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from carob_challenge import jobs as queue
from carob_challenge.challenge import Challenge
from carob_challenge.errors import NotAllowedError, NotFoundError, RefusedError
from carob_challenge.names import check_name, folded
from carob_challenge.secrets import new_secret, stored
from carob_challenge.store import (
    details,
    disqualified,
    final_scores,
    invitations,
    jobs,
    primaries,
    record,
    scores,
    sessions,
    submissions,
    teams,
    tokens,
    withdrawn,
)
from carob_challenge.viewer import ORGANISER, Viewer

MOST_TEAMS = 10_000

MOST_PENDING = 200
"""How many teams may wait for approval."""

LONGEST = 200
"""How many characters of a contact or an affiliation are kept."""


@dataclass(frozen=True, slots=True)
class Team:
    """A team, as organisers see it."""

    id: int
    name: str
    state: str
    """pending, approved or refused."""
    baseline: bool
    contact: str
    affiliation: str
    created: datetime


@dataclass(frozen=True, slots=True)
class NewTeam:
    """A team and its token, which is shown now and never again."""

    team: Team
    token: str


def add_team(
    challenge: Challenge, viewer: Viewer, name: str, *, baseline: bool = False, contact: str = "",
    affiliation: str = "",
) -> NewTeam:  # fmt: skip
    """A new team, by the organiser: approved at once."""
    viewer.require_organiser()
    about = {"contact": contact, "affiliation": affiliation}
    with challenge.store.write() as connection:
        return _add(challenge, connection, viewer, name, "approved", about, baseline=baseline)


def register(
    challenge: Challenge, name: str, *, contact: str = "", affiliation: str = "",
    invitation: str | None = None,
) -> NewTeam:  # fmt: skip
    """A new team, by itself. With an invitation it is approved at once; without one it is pending,
    if the challenge has open registration.
    """
    about = {"contact": contact, "affiliation": affiliation}
    with challenge.store.write() as connection:
        if invitation is None:
            if challenge.config.registration != "open":
                raise NotAllowedError("teams of this challenge are invited: ask for an invitation")
            pending = sa.select(sa.func.count()).where(teams.c.state == "pending")
            if connection.execute(pending).scalar_one() >= MOST_PENDING:
                raise RefusedError("too many teams wait for approval: try again in some days")
            viewer = Viewer("team", None, name)
            return _add(challenge, connection, viewer, name, "pending", about)
        key = invitations.c.sha256 == stored(invitation)
        used = connection.execute(sa.select(invitations).where(key).with_for_update()).first()
        if used is None or used.team is not None:
            raise NotAllowedError("this invitation is not known, or it was used before")
        made = _add(challenge, connection, ORGANISER, name, "approved", about)
        connection.execute(invitations.update().where(key).values(team=made.team.id))
        return made


def _add(
    challenge: Challenge, connection: sa.Connection, viewer: Viewer, name: str, state: str,
    about: Mapping[str, str], *, baseline: bool = False,
) -> NewTeam:  # fmt: skip
    now, name = challenge.now(), check_name(name)
    _require_free(connection, name)
    count = connection.execute(sa.select(sa.func.count()).select_from(teams)).scalar_one()
    if count >= MOST_TEAMS:
        raise RefusedError("this challenge takes no more teams")
    kept = {key: text.strip()[:LONGEST] for key, text in about.items()}
    try:
        made = connection.execute(teams.insert().values(
            name=name, folded=folded(name), state=state, baseline=baseline, created=now, **kept
        ))  # fmt: skip
    except sa.exc.IntegrityError:  # at the same time
        raise RefusedError(f"a team with a name like {name} exists") from None
    [number] = made.inserted_primary_key or (None,)
    assert number is not None
    record(connection, now, viewer.actor, f"team {state}", name)
    team = Team(number, name, state, baseline, kept["contact"], kept["affiliation"], now)
    return NewTeam(team, _new_token(challenge, connection, number))


def _require_free(connection: sa.Connection, name: str, but: int | None = None) -> None:
    """Refuse a name that looks like that of another team."""
    alike = sa.select(teams.c.name).where(teams.c.folded == folded(name), teams.c.id != but)
    if (other := connection.execute(alike).scalar()) is not None:
        raise RefusedError(f"a team called {other} exists: {name} looks like it")


def _new_token(challenge: Challenge, connection: sa.Connection, team: int) -> str:
    token = new_secret()
    values = {"sha256": stored(token), "team": team, "created": challenge.now()}
    connection.execute(tokens.insert().values(**values))
    return token


def invite(challenge: Challenge, viewer: Viewer, count: int = 1) -> list[str]:
    """Invitations, each for one team."""
    viewer.require_organiser()
    if not 1 <= count <= 1000:
        raise RefusedError("1 to 1000 invitations can be made at a time")
    secrets = [new_secret() for _ in range(count)]
    now = challenge.now()
    with challenge.store.write() as connection:
        rows = [{"sha256": stored(secret), "created": now} for secret in secrets]
        connection.execute(invitations.insert(), rows)
        record(connection, now, viewer.actor, "invitations made", str(count))
    return secrets


def all_teams(challenge: Challenge, viewer: Viewer) -> list[Team]:
    """All teams, by name."""
    viewer.require_organiser()
    with challenge.store.read() as connection:
        rows = connection.execute(sa.select(teams).order_by(teams.c.name)).all()
    return [_team(row) for row in rows]


def team_named(challenge: Challenge, viewer: Viewer, name: str) -> Team:
    """The team of this name, or of one that looks like it."""
    viewer.require_organiser()
    with challenge.store.read() as connection:
        # Several teams of one name may be refused.
        own = (teams.c.folded == folded(name)) | (teams.c.name == name)
        refused_last = sa.case((teams.c.state == "refused", 1), else_=0)
        row = connection.execute(
            sa.select(teams).where(own).order_by(refused_last, teams.c.id.desc())
        ).first()
    if row is None:
        raise NotFoundError(f"no team is called {name!r}")
    return _team(row)


def _team(row: sa.Row[tuple[object, ...]]) -> Team:
    return Team(
        row.id, row.name, row.state, row.baseline, row.contact, row.affiliation, row.created
    )


def decide(challenge: Challenge, viewer: Viewer, team: int, state: str) -> None:
    """Approve or refuse a team (`approved`, `refused`). A refused team cannot log in, and its name
    is free for others.
    """
    viewer.require_organiser()
    if state not in ("approved", "refused"):
        raise RefusedError(f"a team is approved or refused, not {state}")
    with challenge.store.write() as connection:
        name = _name(connection, team)
        free = f"refused {team}"  # no name is folded to this: it has a space
        if state == "approved":
            _require_free(connection, name, but=team)
            free = folded(name)
        new = {"state": state, "folded": free}
        connection.execute(teams.update().where(teams.c.id == team).values(new))
        if state == "refused":
            connection.execute(sessions.delete().where(sessions.c.team == team))
        record(connection, challenge.now(), viewer.actor, f"team {state}", name)


def rename(challenge: Challenge, viewer: Viewer, team: int, name: str) -> None:
    """Give a team another name, which no other team's looks like."""
    viewer.require_organiser()
    with challenge.store.write() as connection:
        before, name = _name(connection, team), check_name(name)
        _require_free(connection, name, but=team)
        own = teams.update().where(teams.c.id == team)
        refused = teams.c.state == "refused"
        new = {"name": name, "folded": sa.case((refused, teams.c.folded), else_=folded(name))}
        connection.execute(own.values(new))
        record(connection, challenge.now(), viewer.actor, "team renamed", name, f"was {before}")


def set_affiliation(challenge: Challenge, viewer: Viewer, affiliation: str) -> None:
    """Say where a team is from: by itself."""
    team = viewer.require_team()
    text = affiliation.strip()[:LONGEST]
    with challenge.store.write() as connection:
        connection.execute(teams.update().where(teams.c.id == team).values(affiliation=text))
        record(connection, challenge.now(), viewer.actor, "affiliation", viewer.name, text)


def merge(challenge: Challenge, viewer: Viewer, team: int, into: int) -> None:
    """Make two teams one, which has the name of the second: runs, tokens and sessions of the first
    are its own from now on. Of runs with the same bytes in a phase the second team's stays.
    """
    viewer.require_organiser()
    if team == into:
        raise RefusedError("a team cannot be merged with itself")
    with challenge.store.write() as connection:
        name, other = _name(connection, team), _name(connection, into)
        ours, theirs = submissions.alias(), submissions.alias()
        same = sa.select(ours.c.id).join(
            theirs, (theirs.c.phase == ours.c.phase) & (theirs.c.sha256 == ours.c.sha256)
        ).where(ours.c.team == team, theirs.c.team == into)  # fmt: skip
        _remove_runs(connection, list(connection.execute(same).scalars()))
        # Which run counts is the second team's decision.
        connection.execute(primaries.delete().where(primaries.c.team == team))
        for table in (submissions, tokens, sessions, invitations):
            connection.execute(table.update().where(table.c.team == team).values(team=into))
        connection.execute(teams.delete().where(teams.c.id == team))
        record(connection, challenge.now(), viewer.actor, "teams merged", other, f"with {name}")
        _rank_again(challenge, connection)


def delete(challenge: Challenge, viewer: Viewer, team: int, name: str) -> None:
    """Remove a team and all its runs, for good; its name has to be said again. What the audit log
    says about it stays.
    """
    viewer.require_organiser()
    with challenge.store.write() as connection:
        if _name(connection, team) != name.strip():
            raise RefusedError("write the name of the team to delete it: this cannot be undone")
        own = sa.select(submissions.c.id, submissions.c.sha256).where(submissions.c.team == team)
        rows = connection.execute(own).all()
        _remove_runs(connection, [row.id for row in rows])
        for table in (primaries, tokens, sessions):
            connection.execute(table.delete().where(table.c.team == team))
        used = invitations.update().where(invitations.c.team == team)
        connection.execute(
            used.values(team=None, sha256=sa.literal("used ") + invitations.c.sha256)
        )
        connection.execute(teams.delete().where(teams.c.id == team))
        left = sa.select(submissions.c.sha256).where(
            submissions.c.sha256.in_([row.sha256 for row in rows])
        )
        shared = set(connection.execute(left).scalars())
        record(connection, challenge.now(), viewer.actor, "team deleted", name)
        _rank_again(challenge, connection)
    for row in rows:
        challenge.report_file(row.id).unlink(missing_ok=True)
        if row.sha256 not in shared:
            challenge.submission_file(row.sha256).unlink(missing_ok=True)


def _remove_runs(connection: sa.Connection, numbers: Sequence[int]) -> None:
    """Remove runs, and everything that is about them."""
    of_others = scores.c.ladder_run.in_(numbers)
    connection.execute(scores.update().where(of_others).values(ladder_run=scores.c.submission))
    for table in (scores, final_scores, jobs, primaries, disqualified, withdrawn, details):
        connection.execute(table.delete().where(table.c.submission.in_(numbers)))
    connection.execute(submissions.delete().where(submissions.c.id.in_(numbers)))


def _rank_again(challenge: Challenge, connection: sa.Connection) -> None:
    for phase in challenge.config.phases:
        queue.put(challenge, connection, "rank", phase=phase)


def new_token(challenge: Challenge, viewer: Viewer, team: int) -> str:
    """A new token for a team; those before it, and their sessions, end."""
    viewer.require_organiser()
    with challenge.store.write() as connection:
        _revoke(challenge, connection, viewer, team)
        return _new_token(challenge, connection, team)


def revoke(challenge: Challenge, viewer: Viewer, team: int) -> None:
    """End all tokens and sessions of a team."""
    viewer.require_organiser()
    with challenge.store.write() as connection:
        _revoke(challenge, connection, viewer, team)


def _revoke(challenge: Challenge, connection: sa.Connection, viewer: Viewer, team: int) -> None:
    name, now = _name(connection, team), challenge.now()
    own = (tokens.c.team == team) & tokens.c.revoked.is_(None)
    connection.execute(tokens.update().where(own).values(revoked=now))
    connection.execute(sessions.delete().where(sessions.c.team == team))
    record(connection, now, viewer.actor, "tokens revoked", name)


def _name(connection: sa.Connection, team: int) -> str:
    name = connection.execute(sa.select(teams.c.name).where(teams.c.id == team)).scalar()
    if name is None:
        raise NotFoundError(f"there is no team {team}")
    return str(name)


def viewer_of_token(challenge: Challenge, token: str) -> Viewer | None:
    """The team of a token; None if it is unknown or revoked, or the team is not approved."""
    with challenge.store.read() as connection:
        return team_of_hash(connection, stored(token))


def team_of_hash(connection: sa.Connection, sha256: str) -> Viewer | None:
    """The team of a stored token."""
    row = connection.execute(
        sa.select(teams.c.id, teams.c.name, tokens.c.sha256)
        .join(tokens, tokens.c.team == teams.c.id)
        .where(tokens.c.sha256 == sha256, tokens.c.revoked.is_(None))
        .where(teams.c.state == "approved")
    ).first()
    if row is None or not hmac.compare_digest(row.sha256, sha256):
        return None
    return Viewer("team", row.id, row.name)
