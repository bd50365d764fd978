"""How often something may be tried: a count for each key, which begins again after a while."""

from __future__ import annotations

from datetime import timedelta

import sqlalchemy as sa

from carob.challenge.challenge import Challenge
from carob.challenge.errors import RateError
from carob.challenge.store import limits

LONGEST = 200


def hit(challenge: Challenge, key: str, most: int, seconds: int) -> None:
    """Count an attempt, such as `login 10.0.0.1`; after `most` in this many seconds it is refused.

    All processes count together, since the counts are in the database.
    """
    now, key = challenge.now(), key[:LONGEST]
    with challenge.store.write() as connection:
        own = sa.select(limits.c.began, limits.c.count.label("attempts")).where(limits.c.key == key)
        row = connection.execute(own).first()
        if row is None or row.began + timedelta(seconds=seconds) <= now or row.began > now:
            # Another process may begin at the same time: then its count goes on.
            new = {"key": key, "began": now, "count": 1}
            began = limits.c.began
            goes_on = began > now - timedelta(seconds=seconds)
            more = {
                "began": sa.case((goes_on, began), else_=now),
                "count": sa.case((goes_on, limits.c.count + 1), else_=1),
            }
            challenge.store.upsert(connection, limits, new, ["key"], more)
            return
        if row.attempts >= most:
            wait = int((row.began + timedelta(seconds=seconds) - now).total_seconds()) + 1
            raise RateError(f"too many attempts: try again in {wait} seconds", wait)
        own_key = limits.c.key == key
        connection.execute(limits.update().where(own_key).values(count=limits.c.count + 1))


def forget(challenge: Challenge) -> None:
    """Remove counts that began more than a day ago."""
    with challenge.store.write() as connection:
        connection.execute(
            limits.delete().where(limits.c.began < challenge.now() - timedelta(days=1))
        )
