"""How often something may be tried: a count for each key, which begins again after a while."""

from __future__ import annotations

from datetime import timedelta

import sqlalchemy as sa

from carob_challenge.challenge import Challenge
from carob_challenge.errors import RateError
from carob_challenge.store import limits

LONGEST = 200


def hit(challenge: Challenge, key: str, most: int, seconds: int) -> None:
    """Count an attempt, such as `login 10.0.0.1`; after `most` in this many seconds it is refused.

    All processes count together, since the counts are in the database.
    """
    now, key = challenge.now(), key[:LONGEST]
    window = timedelta(seconds=seconds)
    own = limits.c.key == key
    # Also a count that begins in the future ends: the clock was set back.
    goes_on = (limits.c.began > now - window) & (limits.c.began <= now)
    more = {
        "began": sa.case((goes_on, limits.c.began), else_=now),
        "count": sa.case((goes_on, limits.c.count + 1), else_=1),
    }
    with challenge.store.write() as connection:
        new = {"key": key, "began": now, "count": 1}
        challenge.store.upsert(connection, limits, new, ["key"], more)
        count = limits.c.count.label("attempts")
        row = connection.execute(sa.select(limits.c.began, count).where(own)).one()
        if row.attempts > most:  # and is not counted, since this transaction ends
            wait = int((row.began + window - now).total_seconds()) + 1
            raise RateError(f"too many attempts: try again in {wait} seconds", wait)


def forget(challenge: Challenge) -> None:
    """Remove counts that began more than a day ago."""
    with challenge.store.write() as connection:
        connection.execute(
            limits.delete().where(limits.c.began < challenge.now() - timedelta(days=1))
        )
