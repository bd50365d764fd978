"""Sessions: a team comes with its token, an organiser with a login that works once."""

from __future__ import annotations

from datetime import timedelta

import sqlalchemy as sa

from carob_challenge.challenge import Challenge
from carob_challenge.errors import NotAllowedError
from carob_challenge.secrets import new_secret, stored
from carob_challenge.store import logins, record, sessions
from carob_challenge.teams import team_of_hash
from carob_challenge.viewer import NOBODY, ORGANISER, Viewer

LOGIN_LIFE = timedelta(minutes=15)
SESSION_LIFE = timedelta(hours=12)


def new_login(challenge: Challenge) -> str:
    """A secret with which an organiser can log in once, in the next quarter of an hour. Whoever can
    run a command on the machine can have one.
    """
    secret, now = new_secret(), challenge.now()
    with challenge.store.write() as connection:
        connection.execute(logins.delete().where(logins.c.expires < now - timedelta(days=1)))
        connection.execute(logins.insert().values(sha256=stored(secret), expires=now + LOGIN_LIFE))
        record(connection, now, "shell", "login made")
    return secret


def redeem(challenge: Challenge, login: str) -> str:
    """The session of an organiser, for a login that was not used before."""
    now = challenge.now()
    with challenge.store.write() as connection:
        fresh = (logins.c.sha256 == stored(login)) & logins.c.used.is_(None)
        used = logins.update().where(fresh, logins.c.expires >= now).values(used=now)
        if connection.execute(used).rowcount != 1:
            raise NotAllowedError(
                "this login was used before or has expired; carob challenge login DIR prints "
                "a new one"
            )
        record(connection, now, "organiser", "logged in")
        return _begin(challenge, connection, None, None)


def log_in(challenge: Challenge, token: str) -> str:
    """The session of a team, for its token."""
    with challenge.store.write() as connection:
        viewer = team_of_hash(connection, stored(token))
        if viewer is None:
            raise NotAllowedError("this token is not known, or its team is not approved yet")
        return _begin(challenge, connection, viewer.team, stored(token))


def _begin(
    challenge: Challenge, connection: sa.Connection, team: int | None, token: str | None
) -> str:
    session, now = new_secret(), challenge.now()
    connection.execute(sessions.delete().where(sessions.c.expires < now))
    connection.execute(sessions.insert().values(
        sha256=stored(session), team=team, token=token, expires=now + SESSION_LIFE
    ))  # fmt: skip
    return session


def viewer_of_session(challenge: Challenge, session: str) -> Viewer:
    """Who has this session; nobody if it is unknown, has expired, or its token was revoked."""
    with challenge.store.read() as connection:
        own = sa.select(sessions).where(sessions.c.sha256 == stored(session))
        row = connection.execute(own).first()
        if row is None or row.expires < challenge.now():
            return NOBODY
        if row.team is None:
            return ORGANISER
        return team_of_hash(connection, row.token) or NOBODY


def log_out(challenge: Challenge, session: str) -> None:
    """End a session."""
    with challenge.store.write() as connection:
        connection.execute(sessions.delete().where(sessions.c.sha256 == stored(session)))
