"""One small value for all that leaderboards show: as long as it is the same, so are they."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import sqlalchemy as sa

from carob_challenge.challenge import Challenge
from carob_challenge.feedback import reveal_states
from carob_challenge.store import audit, jobs


class Version(NamedTuple):
    """What was done, and what may be seen."""

    done: Hashable
    visible: Hashable


def version(challenge: Challenge) -> Version:
    """Changes whenever something happens that a leaderboard can show.

    What people do is in the audit log, what workers do in the table of jobs, and what time does in
    the states of the phases. None of the three needs more than a few milliseconds.
    """
    with challenge.store.read() as connection:
        last = connection.execute(sa.select(sa.func.max(audit.c.id))).scalar()
        work = connection.execute(
            sa.select(jobs.c.state, sa.func.count(), sa.func.max(jobs.c.finished))
            .group_by(jobs.c.state).order_by(jobs.c.state)
        ).all()  # fmt: skip
        states = reveal_states(challenge, connection)
    now = challenge.now()
    phases = tuple((each.name, each.status(now)) for each in challenge.config.phases.values())
    return Version((last, tuple(map(tuple, work))), (tuple(states.items()), phases))
