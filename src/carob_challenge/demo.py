"""An example challenge: a generated corpus, three teams and twelve submissions, as an organiser
sees it in the middle of a shared task. Development is over and revealed; the test phase is open,
and each team has submitted to it once.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from carob.example.generator import documents
from carob.example.generator.noise import with_noise
from carob.example.generator.pages import Mark
from carob_challenge import accept, teams, worker
from carob_challenge.challenge import Challenge
from carob_challenge.config import FILE
from carob_challenge.draft import init
from carob_challenge.viewer import ORGANISER, Viewer

TITLE = "Seminar announcements: who speaks, where and when"
TEXT = """\
Announcements of seminars were posted to bulletin boards. Mark in each of them the speaker, the
location, and the times at which the talk begins (stime) and ends (etime).

This is an example: the announcements are generated, and so are the teams and their submissions."""

BEGAN = timedelta(days=44)
"""How long ago the challenge began: in the middle of the test phase."""

DOCUMENTS = 120

Quality = tuple[float, float]
"""Which shares of mentions a system misses or confuses, and cuts wrongly."""

TEAMS: Mapping[str, tuple[Quality, ...]] = {
    "Locust Bean": ((0.30, 0.25), (0.21, 0.20), (0.15, 0.14), (0.14, 0.13)),
    "St John’s Bread": ((0.24, 0.22), (0.20, 0.18), (0.16, 0.15), (0.17, 0.14)),
    "Rote learner": ((0.45, 0.30), (0.41, 0.30), (0.38, 0.28), (0.36, 0.28)),
}
"""The systems of each team, in the order of their submission: three to development, one to test.
The last team is a baseline of the organiser."""

CONFUSED = {"stime": "etime", "etime": "stime", "speaker": "location", "location": "speaker"}


@dataclass(frozen=True, slots=True)
class Demo:
    """What was written: the folder, the tokens of the teams, and a file to submit."""

    folder: Path
    tokens: Mapping[str, str]
    example: Path


def answers(gold: Iterable[Mapping[str, Any]], quality: Quality, seed: str) -> bytes:
    """What a system of this quality answers, as jsonl.

    >>> gold = list(documents("seminars", 3))
    >>> text = answers(gold, (0.0, 0.0), "x")
    >>> [json.loads(line)["id"] for line in text.splitlines()]
    ['seminar-00001', 'seminar-00002', 'seminar-00003']
    """
    lines = []
    for each in gold:
        rng = Random(f"{seed} {each['id']}")
        marks = [Mark(m["start"], m["end"], m["label"], True) for m in each["mentions"]]
        found = with_noise(rng, each["text"], marks, CONFUSED, *quality)
        mentions = [{"start": s, "end": e, "label": label} for s, e, label in found]
        lines.append(json.dumps({"id": each["id"], "text": each["text"], "mentions": mentions}))
    return ("\n".join(lines) + "\n").encode()


def write(
    folder: str | Path, *, count: int = DOCUMENTS, seed: int = 0, now: datetime | None = None
) -> Demo:
    """Write the example into a new folder, with everything scored."""
    where, now = Path(folder), now or datetime.now(UTC)
    gold = [
        {key: each[key] for key in ("id", "text", "mentions")}
        for each in documents("seminars", count, seed)
    ]
    _draft(where, gold, now - BEGAN)
    clock = [now - BEGAN]
    challenge = Challenge.open(where, clock=lambda: clock[0])
    try:
        tokens = {}
        members = {}
        for name in TEAMS:
            made = teams.add_team(challenge, ORGANISER, name, baseline=name == [*TEAMS][-1])
            tokens[name], members[name] = made.token, Viewer("team", made.team.id, name)
        for number, phase in enumerate(("development",) * 3 + ("test",)):
            for hours, (name, qualities) in enumerate(TEAMS.items()):
                days = 18 + 8 * number if phase == "development" else 43
                clock[0] = now - BEGAN + timedelta(days=days, hours=3 * hours)
                content = answers(gold, qualities[number], f"{seed} {name} {number}")
                _submit(challenge, members[name], phase, content, f"run-{number + 1}.jsonl")
        clock[0] = now
        worker.drain(challenge)
    finally:
        challenge.close()
    example = where / "example-answer.jsonl"
    example.write_bytes(answers(gold, (0.12, 0.12), f"{seed} example"))
    return Demo(where, tokens, example)


def _draft(where: Path, gold: list[dict[str, Any]], began: datetime) -> None:
    with tempfile.TemporaryDirectory() as folder:
        inputs, answer = Path(folder) / "inputs.jsonl", Path(folder) / "gold.jsonl"
        inputs.write_text(_lines({"id": d["id"], "text": d["text"]} for d in gold), "utf-8")
        answer.write_text(_lines(gold), "utf-8")
        init(where, inputs, answer, title=TITLE, now=began)
    file = where / FILE
    text = file.read_text("utf-8")
    begin, end = text.index("text = '''"), text.index("# logo =")
    file.write_text(f"{text[:begin]}text = '''\n{TEXT}\n'''\n{text[end:]}", "utf-8")


def _lines(some: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in some)


def _submit(challenge: Challenge, viewer: Viewer, phase: str, content: bytes, name: str) -> None:
    ticket = accept.begin(challenge, viewer, phase)
    upload = accept.new_upload(challenge)
    upload.write_bytes(content)
    accept.receive(challenge, ticket, upload, name)
    worker.drain(challenge)
