"""Teams and their tokens: added by the organiser, invited, or registered and approved."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from carob_challenge.challenge import Challenge
from carob_challenge.errors import NotAllowedError, NotFoundError, RefusedError
from carob_challenge.names import check_name, folded
from carob_challenge.secrets import new_secret, stored
from carob_challenge.store import invitations, record, sessions, teams, tokens
from carob_challenge.viewer import ORGANISER, Viewer

MOST_TEAMS = 10_000


@dataclass(frozen=True, slots=True)
class Team:
    """A team, as organisers see it."""

    id: int
    name: str
    state: str
    """pending, approved or refused."""
    baseline: bool
    contact: str
    created: datetime


@dataclass(frozen=True, slots=True)
class NewTeam:
    """A team and its token, which is shown now and never again."""

    team: Team
    token: str


def add_team(
    challenge: Challenge, viewer: Viewer, name: str, *, baseline: bool = False, contact: str = ""
) -> NewTeam:
    """A new team, by the organiser: approved at once."""
    viewer.require_organiser()
    with challenge.store.write() as connection:
        return _add(challenge, connection, viewer, name, "approved", contact, baseline=baseline)


def register(
    challenge: Challenge, name: str, *, contact: str = "", invitation: str | None = None
) -> NewTeam:
    """A new team, by itself. With an invitation it is approved at once; without one it is pending,
    if the challenge has open registration.
    """
    with challenge.store.write() as connection:
        if invitation is None:
            if challenge.config.registration != "open":
                raise NotAllowedError("teams of this challenge are invited: ask for an invitation")
            viewer = Viewer("team", None, name)
            return _add(challenge, connection, viewer, name, "pending", contact)
        key = invitations.c.sha256 == stored(invitation)
        used = connection.execute(sa.select(invitations).where(key).with_for_update()).first()
        if used is None or used.team is not None:
            raise NotAllowedError("this invitation is not known, or it was used before")
        made = _add(challenge, connection, ORGANISER, name, "approved", contact)
        connection.execute(invitations.update().where(key).values(team=made.team.id))
        return made


def _add(
    challenge: Challenge, connection: sa.Connection, viewer: Viewer, name: str, state: str,
    contact: str, *, baseline: bool = False,
) -> NewTeam:  # fmt: skip
    now, name = challenge.now(), check_name(name)
    alike = sa.select(teams.c.name).where(teams.c.folded == folded(name))
    if (other := connection.execute(alike).scalar()) is not None:
        raise RefusedError(f"a team called {other} exists: {name} looks like it")
    count = connection.execute(sa.select(sa.func.count()).select_from(teams)).scalar_one()
    if count >= MOST_TEAMS:
        raise RefusedError("this challenge takes no more teams")
    contact = contact.strip()[:200]
    try:
        made = connection.execute(teams.insert().values(
            name=name, folded=folded(name), state=state, baseline=baseline, contact=contact,
            created=now,
        ))  # fmt: skip
    except sa.exc.IntegrityError:  # at the same time
        raise RefusedError(f"a team with a name like {name} exists") from None
    [number] = made.inserted_primary_key or (None,)
    assert number is not None
    record(connection, now, viewer.actor, f"team {state}", name)
    team = Team(number, name, state, baseline, contact, now)
    return NewTeam(team, _new_token(challenge, connection, number))


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
        row = connection.execute(sa.select(teams).where(teams.c.folded == folded(name))).first()
    if row is None:
        raise NotFoundError(f"no team is called {name!r}")
    return _team(row)


def _team(row: sa.Row[tuple[object, ...]]) -> Team:
    return Team(row.id, row.name, row.state, row.baseline, row.contact, row.created)


def decide(challenge: Challenge, viewer: Viewer, team: int, state: str) -> None:
    """Approve or refuse a team (`approved`, `refused`). A refused team cannot log in."""
    viewer.require_organiser()
    if state not in ("approved", "refused"):
        raise RefusedError(f"a team is approved or refused, not {state}")
    with challenge.store.write() as connection:
        name = _name(connection, team)
        connection.execute(teams.update().where(teams.c.id == team).values(state=state))
        if state == "refused":
            connection.execute(sessions.delete().where(sessions.c.team == team))
        record(connection, challenge.now(), viewer.actor, f"team {state}", name)


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
