"""What a viewer may see of a score: what the phase shows before the reveal, everything after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from carob_challenge import ladder
from carob_challenge.challenge import Challenge
from carob_challenge.config import Phase
from carob_challenge.store import reveals
from carob_challenge.viewer import Viewer


def ladder_rule(phase: Phase) -> str:
    """How a phase with the Ladder works, for participants."""
    return (
        "This phase uses the Ladder: a new score is shown only if it is better than your best one "
        "by more than chance explains (by more than the standard error of the difference, and of "
        "your best score itself, over documents), in whole points, and at most "
        f"{phase.reveals} times for a team. Otherwise your best score is shown again. This slows "
        "learning the answers by trying."
    )


@dataclass(frozen=True, slots=True)
class Value:
    """A score with its interval, as far as they are shown."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    digits: int = 4
    """With how many decimals pages show it."""

    @classmethod
    def rounded(cls, name: str, value: float | None, digits: int) -> Value:
        """A score of which only so many decimals may be known.

        >>> Value.rounded("F1", 0.12345, 2).value
        0.12
        """
        return cls(name, None if value is None else round(value, digits), digits=digits)


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown of the score of a run."""

    official: Value | None
    """None: nothing is shown."""
    sentence: str
    """Why it is what it is."""
    is_own: bool = True
    """False if the ladder shows an earlier run again."""
    scores: tuple[Value, ...] = ()
    labels: tuple[Value, ...] = ()
    """The official measure of each label."""
    by_label: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    """The scores of each label, by recipe."""
    errors: Mapping[str, Mapping[str, int]] | None = None
    """How often each kind of error occurs, by label: only after the reveal."""


@dataclass(frozen=True, slots=True)
class RevealState:
    """Whether the results of a phase are revealed, and what holds them back."""

    revealed: bool
    held: bool
    at: datetime | None
    """When they are, or were; None if the organiser decides."""


def reveal_states(challenge: Challenge, connection: sa.Connection) -> dict[str, RevealState]:
    """The state of every phase."""
    decided = {row.phase: row for row in connection.execute(sa.select(reveals))}
    now, states = challenge.now(), {}
    for phase in challenge.config.phases.values():
        own = decided.get(phase.name)
        held = own is not None and own.held
        at = own.revealed if own is not None and own.revealed else phase.reveal_at
        states[phase.name] = RevealState(not held and at is not None and at <= now, held, at)
    return states


def shown(viewer: Viewer, phase: Phase, state: RevealState, team: int, row: Any) -> Shown:
    """What a viewer sees of a score (a row of `scores`) of a team."""
    if viewer.is_organiser or (state.revealed and viewer.may_see(team)):
        return _full(row, "", errors=True)
    if state.revealed:
        return _full(row, "", errors=False)
    if not viewer.may_see(team):
        return Shown(None, "the results are not revealed yet")
    kind = phase.feedback.kind
    if kind == "full":
        return _full(row, phase.feedback.sentence, errors=False)
    name = row.detail["official"]["recipe"]
    if kind == "none":
        return Shown(None, phase.feedback.sentence)
    if kind == "ladder":
        return Shown(Value.rounded(name, row.ladder, ladder.DIGITS), ladder_rule(phase),
                     row.ladder_run == row.submission)  # fmt: skip
    if kind == "rounded":
        return Shown(Value.rounded(name, row.value, phase.feedback.digits), phase.feedback.sentence)
    return Shown(Value(name, row.value), phase.feedback.sentence)


def _full(row: Any, sentence: str, *, errors: bool) -> Shown:
    official = row.detail["official"]
    return Shown(
        Value(official["recipe"], row.value, row.low, row.high), sentence, True,
        scores_of(row.detail),
        tuple(_value(label, each) for label, each in official["by_label"].items()),
        by_label(row.detail), row.detail.get("errors") if errors else None,
    )  # fmt: skip


def by_label(detail: Mapping[str, Any]) -> dict[str, tuple[Value, ...]]:
    """The scores of each label, by recipe; of recipes that have any."""
    return {
        each["recipe"]: tuple(_value(label, own) for label, own in each["by_label"].items())
        for each in detail["scores"]
        if each["by_label"]
    }


def scores_of(detail: Mapping[str, Any]) -> tuple[Value, ...]:
    """The scores of all recipes."""
    return tuple(_value(each["recipe"], each) for each in detail["scores"])


def _value(name: str, values: Mapping[str, Any]) -> Value:
    return Value(name, values["value"], values["low"], values["high"])
