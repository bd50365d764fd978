"""Ranks of a phase, computed from stored tallies as `carob compare` does: intervals, tests of every
pair, Holm's correction, rank ranges and clusters. A worker computes them; pages only read them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import sqlalchemy as sa

from carob.challenge import rounds, scoring
from carob.challenge.challenge import Challenge
from carob.challenge.store import disqualified, primaries, rankings, scores, submissions, teams
from carob.challenge.tallies import StoredTally
from carob.evaluate.compare import compare_tallies
from carob.evaluate.options import Options
from carob.infer.ranking import levels

ALIKE = 0.9
"""Runs of two teams that have this share of their answers in common are shown to organisers."""


def official_runs(challenge: Challenge, connection: sa.Connection, phase: str) -> list[Any]:
    """The official run of each approved team: its last valid one, or the one it marked as primary.

    Late and disqualified runs are none. What has no score in the active round is none yet.
    """
    current = rounds.active(challenge, connection).id
    rows = connection.execute(
        sa.select(
            submissions.c.id, submissions.c.team, submissions.c.received, submissions.c.filename,
            submissions.c.sha256, teams.c.name, teams.c.baseline, scores.c.value, scores.c.low,
            scores.c.high, scores.c.signature, primaries.c.submission.label("primary"),
        )
        .join(teams, teams.c.id == submissions.c.team)
        .join(scores, (scores.c.submission == submissions.c.id) & (scores.c.round == current))
        .outerjoin(disqualified, disqualified.c.submission == submissions.c.id)
        .outerjoin(primaries, (primaries.c.team == submissions.c.team)
                   & (primaries.c.phase == submissions.c.phase))
        .where(submissions.c.phase == phase, teams.c.state == "approved", ~submissions.c.late)
        .where(disqualified.c.submission.is_(None)).order_by(submissions.c.id)
    ).all()  # fmt: skip
    chosen: dict[int, Any] = {}
    for row in rows:
        marked = challenge.config.official == "primary" and row.team in chosen
        if not (marked and chosen[row.team].id == chosen[row.team].primary):
            chosen[row.team] = row
    return list(chosen.values())


def compute(
    challenge: Challenge, phase: str, beat: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """The ranks of the official runs of a phase, and which of them are nearly the same.

    A run without a score ranks after all others.
    """
    with challenge.store.read() as connection:
        runs = official_runs(challenge, connection, phase)
        current = rounds.active(challenge, connection).id
        blobs = {
            row.submission: row
            for row in connection.execute(
                sa.select(scores.c.submission, scores.c.tally, scores.c.sketch).where(
                    scores.c.round == current, scores.c.submission.in_([run.id for run in runs])
                )
            )
        }
    recipe = challenge.material(phase).official
    sign = 1.0 if recipe.measure.lower_is_better else -1.0
    there = [run for run in runs if run.value is not None]
    level = levels([sign * run.value for run in there]).tolist()
    ranks = {
        run.id: {"rank": 1 + sum(other < own for other in level), "rank_low": 1, "rank_high": 1,
                 "cluster": 1}
        for run, own in zip(there, level, strict=True)
    }  # fmt: skip
    pairs = []
    if len(there) > 1:
        tallies = {str(run.id): StoredTally.of_bytes(blobs[run.id].tally) for run in there}
        plan = next(iter(tallies.values())).plan(Options())
        beat()
        differences, places = compare_tallies(
            {name: each.tally for name, each in tallies.items()}, recipe, plan
        )
        for place in places:
            ranks[int(place.system)] |= {
                "rank_low": place.rank_low, "rank_high": place.rank_high, "cluster": place.cluster,
            }  # fmt: skip
        pairs = [
            {"a": int(each.a), "b": int(each.b), "difference": each.difference, "low": each.low,
             "high": each.high, "p": each.p, "p_holm": each.p_holm,
             "significant": each.significant}
            for each in differences
        ]  # fmt: skip
    last = len(there)
    clusters = max((each["cluster"] for each in ranks.values()), default=0)
    for run in runs:
        if run.value is None:
            ranks[run.id] = {"rank": last + 1, "rank_low": last + 1, "rank_high": len(runs),
                             "cluster": clusters + 1}  # fmt: skip
    near = []
    for one, other in combinations(runs, 2):
        share = scoring.likeness(blobs[one.id].sketch, blobs[other.id].sketch)
        if share is not None and share >= ALIKE:
            near.append({"a": one.id, "b": other.id, "share": share})
    return {
        "runs": [current, *(run.id for run in runs)],
        "ranks": {str(number): each for number, each in ranks.items()},
        "pairs": pairs, "near": near,
    }  # fmt: skip


def save(
    challenge: Challenge, connection: sa.Connection, phase: str, content: dict[str, Any]
) -> None:
    """Keep a ranking, in place of the one before."""
    values = {"runs": content["runs"], "content": content, "created": challenge.now()}
    challenge.store.upsert(connection, rankings, {"phase": phase, **values}, ["phase"], values)


def refresh(challenge: Challenge, phase: str) -> None:
    """Compute and keep the ranking of a phase now."""
    made = compute(challenge, phase)
    with challenge.store.write() as connection:
        save(challenge, connection, phase, made)


def stored(connection: sa.Connection, phase: str) -> dict[str, Any] | None:
    """The last ranking of a phase; None if there is none yet."""
    own = sa.select(rankings.c.content).where(rankings.c.phase == phase)
    content: dict[str, Any] | None = connection.execute(own).scalar()
    return content
