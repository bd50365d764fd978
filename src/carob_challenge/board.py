"""The leaderboard of a phase, as a viewer may see it: read from stored scores and ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from carob.infer.ranking import levels
from carob.recipe import Recipe
from carob_challenge import ladder, ranking, rounds
from carob_challenge.challenge import Challenge
from carob_challenge.config import Phase
from carob_challenge.feedback import (
    RevealState,
    Value,
    by_label,
    ladder_rule,
    reveal_states,
    scores_of,
)
from carob_challenge.store import disqualified, mapping, scores, submissions, teams, withdrawn
from carob_challenge.viewer import Viewer


@dataclass(frozen=True, slots=True)
class Row:
    """A team on the board. What may not be seen, or is not known yet, is None."""

    team: str
    team_id: int
    submission: int | None
    """The official run; None before the reveal, unless it may be known."""
    received: datetime | None
    score: Value
    rank: int | None
    """Ties share a rank; what has no score has none."""
    rank_low: int | None
    rank_high: int | None
    cluster: int | None
    baseline: bool
    is_own: bool
    affiliation: str = ""
    about: Mapping[str, str] = field(default_factory=dict)
    """What the team says about the run: name, description, paper and code."""
    signature: str | None = None
    scores: tuple[Value, ...] = ()
    """Every official recipe, where scores are shown with intervals."""
    by_label: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    """After the reveal: the scores of each label, by recipe."""
    labels: tuple[Value, ...] = ()
    errors: Mapping[str, Mapping[str, int]] | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """A score in the history of a team."""

    team: str
    received: datetime
    value: float


@dataclass(frozen=True, slots=True)
class Change:
    """What rescoring changed for a run on the board."""

    team: str
    before: float | None
    after: float | None
    rank_before: int | None
    rank_after: int | None


@dataclass(frozen=True, slots=True)
class Board:
    """The board of a phase."""

    phase: str
    title: str
    measure: str
    recipes: Sequence[str]
    """Every recipe that is scored; the one that ranks is `measure`."""
    lower_is_better: bool
    state: RevealState
    visible: bool
    """Whether any score may be seen."""
    sentence: str
    """What is shown, and why."""
    rows: Sequence[Row]
    late: Sequence[Row]
    """Runs that came too late: scored, never ranked."""
    history: Sequence[Point]
    pending: bool
    """Whether ranks are being computed: those that are shown may be older than the scores."""
    changed: Sequence[Change]
    """What the last rescoring changed."""
    rescored: str | None
    """Why there was a rescoring, and when."""


def board(challenge: Challenge, viewer: Viewer, phase: str) -> Board:
    """The board of a phase."""
    own = challenge.phase(phase)
    recipe = challenge.material(phase).official
    with challenge.store.read() as connection:
        state = reveal_states(challenge, connection)[phase]
        everything = viewer.is_organiser or state.revealed
        base = Board(
            phase, own.title, str(recipe), _names(challenge, phase),
            recipe.measure.lower_is_better, state,
            everything or own.feedback.kind != "none", _sentence(own, state, viewer),
            (), (), (), False, (), None,
        )  # fmt: skip
        if not base.visible:
            return base
        if everything or own.feedback.kind in ("full", "headline", "rounded"):
            return _with_runs(challenge, connection, viewer, own, base, everything=everything)
        return _with_ladders(challenge, connection, viewer, base)


def sorted_by(board: Board, recipe: str) -> Board:
    """A board in the order of another recipe, the best first; the first recipe still ranks.
    A recipe that the board does not show changes nothing.
    """
    if recipe not in board.recipes or not any(row.scores for row in board.rows):
        return board
    sign = 1.0 if Recipe.parse(recipe).measure.lower_is_better else -1.0

    def key(row: Row) -> tuple[bool, float]:
        value = next((each.value for each in row.scores if each.name == recipe), None)
        return value is None, sign * (value or 0.0)

    return replace(board, rows=sorted(board.rows, key=key))


def _sentence(phase: Phase, state: RevealState, viewer: Viewer) -> str:
    if state.revealed:
        return "The results are revealed."
    when = "when the organisers decide" if state.at is None else f"at {state.at:%Y-%m-%d %H:%M} UTC"
    if state.held:
        when = "later: the organisers hold them back"
    rule = ladder_rule(phase) if phase.feedback.kind == "ladder" else phase.feedback.sentence
    if phase.final:
        rule += " Until then scores are of one part of the documents; the results are of another."
    prefix = "Only organisers see this before the reveal. " if viewer.is_organiser else ""
    return f"{prefix}The results will be revealed {when}. {rule}"


def _with_runs(
    challenge: Challenge, connection: sa.Connection, viewer: Viewer, phase: Phase, base: Board,
    *, everything: bool,
) -> Board:  # fmt: skip
    """Official runs with their scores; with intervals and rank ranges, if these may be seen."""
    kind = phase.feedback.kind
    full = everything or kind == "full"
    runs = ranking.official_runs(challenge, connection, phase.name)
    made = ranking.stored(connection, phase.name)
    current = rounds.active(challenge, connection)
    table = ranking.scores_now(challenge, connection, phase.name)
    wanted = ranking.identity(table, current.id, runs)
    # Ranks of other runs may still be shown for a moment, but not of another round or part.
    marks = (made["runs"][0], "final" in made["runs"]) if made is not None else None
    fits = marks == (current.id, "final" in wanted)
    ranks = made["ranks"] if made is not None and full and fits else {}
    rows = []
    for run in runs:
        value = Value(base.measure, run.value, *((run.low, run.high) if full else ()))
        if kind == "rounded" and not everything:
            value = Value.rounded(base.measure, run.value, phase.feedback.digits)
        own = ranks.get(str(run.id), {})
        rows.append(Row(
            run.name, run.team, run.id if everything or viewer.may_see(run.team) else None,
            run.received, value, None, own.get("rank_low"), own.get("rank_high"),
            own.get("cluster"), run.baseline, viewer.team == run.team, run.affiliation,
            ranking.about(run) if everything else {}, run.signature if full else None,
        ))  # fmt: skip
    rows = _ranked(rows, base.lower_is_better)
    late: Sequence[Row] = ()
    history: Sequence[Point] = ()
    if full:
        rows = _with_details(connection, table, runs, rows, current.id, everything=everything)
    if everything:
        scored = _scored(table, phase.name, current.id)
        late = _late(connection, viewer, scored, base)
        history = _history(connection, scored)
    pending = full and (made is None or made["runs"] != wanted)
    changed: Sequence[Change] = ()
    rescored = None
    if everything and current.id > 1:
        changed, rescored = _changes(connection, table, rows, current, base)
    return replace(
        base, rows=tuple(rows), late=late, history=history, pending=pending and bool(runs),
        changed=changed, rescored=rescored,
    )  # fmt: skip


def _with_ladders(
    challenge: Challenge, connection: sa.Connection, viewer: Viewer, base: Board
) -> Board:
    """For each team the best score that the ladder has shown to it."""
    current = rounds.active(challenge, connection).id
    found = connection.execute(
        sa.select(submissions.c.team, submissions.c.received, teams.c.name, teams.c.baseline,
                  teams.c.affiliation,
                  scores.c.ladder, scores.c.created)
        .join(teams, teams.c.id == submissions.c.team)
        .join(scores, (scores.c.submission == submissions.c.id) & (scores.c.round == current))
        .outerjoin(disqualified, disqualified.c.submission == submissions.c.id)
        .outerjoin(withdrawn, withdrawn.c.submission == submissions.c.id)
        .where(submissions.c.phase == base.phase, teams.c.state == "approved")
        .where(~submissions.c.late, disqualified.c.submission.is_(None))
        .where(withdrawn.c.submission.is_(None))
        .order_by(scores.c.created, submissions.c.id)
    ).all()  # fmt: skip
    last = {row.team: row for row in found}
    rows = [
        Row(row.name, row.team, None, row.received,
            Value.rounded(base.measure, row.ladder, ladder.DIGITS), None, None, None, None,
            row.baseline, viewer.team == row.team, row.affiliation)
        for row in last.values()
    ]  # fmt: skip
    history = [
        Point(r.name, r.received, round(r.ladder, ladder.DIGITS))
        for r in found if r.ladder is not None
    ]  # fmt: skip
    return replace(base, rows=tuple(_ranked(rows, base.lower_is_better)), history=history)


def _ranked(rows: Sequence[Row], lower_is_better: bool) -> list[Row]:
    """The best first; ties share a rank, and what has no score comes last, without one."""
    sign = 1.0 if lower_is_better else -1.0
    there = [row for row in rows if row.score.value is not None]
    level = levels([sign * (row.score.value or 0.0) for row in there]).tolist()
    ranked = [
        replace(row, rank=1 + sum(other < own for other in level))
        for row, own in zip(there, level, strict=True)
    ]
    missing = [replace(row, rank=None) for row in rows if row.score.value is None]
    return [
        *sorted(ranked, key=lambda row: (row.rank or 0, row.team.casefold())),
        *sorted(missing, key=lambda row: row.team.casefold()),
    ]


def _names(challenge: Challenge, phase: str) -> list[str]:
    """What is scored in a phase, the recipe that ranks first."""
    material = challenge.material(phase)
    names = [str(recipe) for recipe in material.recipes]
    return sorted(names, key=lambda each: each != str(material.official))


def _with_details(
    connection: sa.Connection, table: sa.Table, runs: Sequence[Any], rows: Sequence[Row],
    current: int, *, everything: bool,
) -> list[Row]:  # fmt: skip
    """Rows with all their scores; after the reveal also the scores of each label, and errors."""
    number = {run.team: run.id for run in runs}
    details = mapping(connection, sa.select(table.c.submission, table.c.detail).where(
        table.c.round == current, table.c.submission.in_(list(number.values()))
    ))  # fmt: skip
    made = []
    for row in rows:
        own = details[number[row.team_id]]
        row = replace(row, scores=scores_of(own))
        if everything:
            labels = own["official"]["by_label"]
            row = replace(
                row, errors=own.get("errors"), by_label=by_label(own),
                labels=tuple(Value(label, each["value"], each["low"], each["high"])
                             for label, each in labels.items()),
            )  # fmt: skip
        made.append(row)
    return made


def _scored(table: sa.Table, phase: str, current: int) -> sa.Select[Any]:
    return (
        sa.select(submissions.c.id, submissions.c.team, submissions.c.received, teams.c.name,
                  teams.c.baseline, teams.c.affiliation, table.c.value, table.c.low,
                  table.c.high, table.c.signature)
        .join(teams, teams.c.id == submissions.c.team)
        .join(table, (table.c.submission == submissions.c.id) & (table.c.round == current))
        .outerjoin(disqualified, disqualified.c.submission == submissions.c.id)
        .outerjoin(withdrawn, withdrawn.c.submission == submissions.c.id)
        .where(submissions.c.phase == phase, teams.c.state == "approved")
        .where(disqualified.c.submission.is_(None), withdrawn.c.submission.is_(None))
        .order_by(submissions.c.id)
    )  # fmt: skip


def _late(
    connection: sa.Connection, viewer: Viewer, scored: sa.Select[Any], base: Board
) -> list[Row]:
    rows = connection.execute(scored.where(submissions.c.late)).all()
    made = [
        Row(row.name, row.team, row.id, row.received,
            Value(base.measure, row.value, row.low, row.high), None, None, None, None,
            row.baseline, viewer.team == row.team, row.affiliation, {}, row.signature)
        for row in rows
    ]  # fmt: skip
    ordered = _ranked(made, base.lower_is_better)
    return [replace(row, rank=None) for row in ordered]


def _history(connection: sa.Connection, scored: sa.Select[Any]) -> list[Point]:
    rows = connection.execute(scored.where(~submissions.c.late)).all()
    return [Point(row.name, row.received, row.value) for row in rows if row.value is not None]


def _changes(
    connection: sa.Connection,
    table: sa.Table,
    rows: Sequence[Row],
    current: rounds.Round,
    base: Board,
) -> tuple[tuple[Change, ...], str]:
    """What the last rescoring changed for the runs of the board that were scored before."""
    before: dict[int, float | None] = mapping(
        connection,
        sa.select(table.c.submission, table.c.value)
        .where(table.c.submission.in_([row.submission for row in rows]))
        .where(table.c.round < current.id).order_by(table.c.round),
    )  # fmt: skip
    both = [row for row in rows if row.submission in before]
    old = [
        replace(row, score=replace(row.score, value=before[row.submission or 0])) for row in both
    ]
    then = {row.team: row.rank for row in _ranked(old, base.lower_is_better)}
    now = {row.team: row.rank for row in _ranked(both, base.lower_is_better)}
    changes = tuple(
        Change(row.team, before[row.submission or 0], row.score.value, then[row.team],
               now[row.team])
        for row in both
        if before[row.submission or 0] != row.score.value or then[row.team] != now[row.team]
    )  # fmt: skip
    assert current.activated is not None
    return changes, f"{current.why} ({current.activated:%Y-%m-%d %H:%M} UTC)"
