"""A small challenge: eight documents with people and places, answers of any quality, a clock."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from carob_challenge import accept, teams
from carob_challenge.accept import Receipt
from carob_challenge.challenge import Challenge
from carob_challenge.draft import init
from carob_challenge.viewer import ORGANISER, Viewer

START = datetime(2027, 1, 1, tzinfo=UTC)
SECRET = "Zzyzx"
"""What is in gold alone: it may never be seen."""

TEXTS = [f"Ann met Bo in Oslo and Rome slept number {i}" for i in range(8)]
GOLD = [("PER", "Ann"), ("PER", "Bo"), ("LOC", "Oslo"), ("LOC", "Rome")]


def document(
    number: int, marks: list[tuple[str, str]] | None = None, *, secret: bool = False
) -> dict[str, Any]:
    text = TEXTS[number % len(TEXTS)]
    mentions: list[dict[str, Any]] = [
        {"start": text.index(word), "end": text.index(word) + len(word), "label": label}
        for label, word in marks or []
    ]
    if secret:
        for i, each in enumerate(mentions):
            each["id"] = f"{SECRET}{i}"
    return {"id": f"d{number}", "text": text, "mentions": mentions}


def lines(documents: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(each) + "\n" for each in documents).encode()


def answer(right: int = 4, *, size: int = 8, extra: int = 0) -> bytes:
    """An answer with so many of gold's marks in each document; `extra` makes it another file."""
    first = document(0, GOLD[:right])
    first["note"] = extra
    return lines([first, *(document(i, GOLD[:right]) for i in range(1, size))])


@dataclass
class Clock:
    now: datetime = START

    def __call__(self) -> datetime:
        return self.now

    def go(self, **delta: float) -> None:
        self.now += timedelta(**delta)


PHASE = """
[phases.{name}]
opens = {opens}
{closes}feedback = "{feedback}"
reveal_at = {reveal}
quota = {quota}
quota_a_day = {quota_a_day}
grace_seconds = {grace}
late = {late}
"""


def stamp(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def phase(
    name: str, feedback: str = "headline", *, opens: int = 0, closes: int | None = 10,
    reveal: str = '"closes"', quota: int = 0, quota_a_day: int = 0, grace: int = 0,
    late: bool = False,
) -> str:  # fmt: skip
    """A phase of challenge.toml; times are days after START."""
    end = "" if closes is None else f"closes = {stamp(START + timedelta(days=closes))}\n"
    return PHASE.format(
        name=name, opens=stamp(START + timedelta(days=opens)), closes=end, feedback=feedback,
        reveal=reveal, quota=quota, quota_a_day=quota_a_day, grace=grace, late=str(late).lower(),
    )  # fmt: skip


def make(folder: Path, *phases: str, size: int = 8, head: str = "", limits: str = "") -> Path:
    """The folder of a challenge with these phases."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "inputs.jsonl").write_bytes(lines([document(i) for i in range(size)]))
    (folder / "gold.jsonl").write_bytes(
        lines([document(i, GOLD, secret=True) for i in range(size)])
    )
    where = folder / "challenge"
    init(where, folder / "inputs.jsonl", folder / "gold.jsonl", now=START)
    text = f'title = "Test"\n{head}\n[limits]\n{limits}\n'
    (where / "challenge.toml").write_text(text + "".join(phases or (phase("test"),)))
    return where


@dataclass
class World:
    """A challenge, its clock, and teams by name."""

    challenge: Challenge
    clock: Clock
    viewers: dict[str, Viewer] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)

    def team(self, name: str, **more: Any) -> Viewer:
        if name not in self.viewers:
            made = teams.add_team(self.challenge, ORGANISER, name, **more)
            viewer = teams.viewer_of_token(self.challenge, made.token)
            assert viewer is not None
            self.viewers[name], self.tokens[name] = viewer, made.token
        return self.viewers[name]

    def submit(
        self, team: str, data: bytes, phase: str | None = None, name: str = "answer.jsonl"
    ) -> Receipt:
        ticket = accept.begin(self.challenge, self.team(team), phase)
        return self.finish(ticket, data, name)

    def finish(self, ticket: accept.Ticket, data: bytes, name: str = "answer.jsonl") -> Receipt:
        upload = accept.new_upload(self.challenge)
        upload.write_bytes(data)
        return accept.receive(self.challenge, ticket, upload, name)


def values(rows: Any) -> Mapping[str, Any]:
    """The scores of a board, by team."""
    return {row.team: row.score.value for row in rows}
