"""An example challenge: a generated corpus, three teams and twelve submissions, as an organiser
sees it in the middle of a shared task. Development is over and revealed; the test phase is open,
and each team has submitted to it once.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
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


DATA = ("mentions", "slots", "records", "relations")
"""What is marked in the announcements: spans, the slots of a template, the fields of a record, or
spans and the relations between them."""

RELATIONS = {"location": "takes place", "stime": "begins", "etime": "ends"}
"""What the speaker has to do with each of the others."""

Span = tuple[int, int, str]


def shaped(data: str, name: str, text: str, spans: Sequence[Span]) -> dict[str, Any]:
    """A document with what is marked in it, in the form of a kind of data.

    >>> shaped("records", "d1", "Ann, 3 pm", [(0, 3, "speaker"), (5, 9, "stime")])
    {'id': 'd1', 'text': 'Ann, 3 pm', 'speaker': 'Ann', 'stime': '3 pm'}
    >>> shaped("relations", "d1", "Ann, 3 pm", [(0, 3, "speaker"), (5, 9, "stime")])["relations"]
    [{'label': 'begins', 'arguments': {'who': 'm0', 'what': 'm1'}}]
    """
    made: dict[str, Any] = {"id": name, "text": text}
    by_label: dict[str, list[int]] = {}
    for place, (_, _, label) in enumerate(spans):
        by_label.setdefault(label, []).append(place)
    if data == "records":
        return made | {
            label: text[slice(*spans[places[0]][:2])] for label, places in by_label.items()
        }
    marks = [{"start": start, "end": end, "label": label} for start, end, label in spans]
    if data == "mentions":
        return made | {"mentions": marks}
    if data == "slots":
        slots = {
            label: [{"text": text[start:end], "start": start, "end": end}
                    for start, end, _ in (spans[place] for place in places)]
            for label, places in by_label.items()
        }  # fmt: skip
        return made | {"templates": [{"label": "seminar", "slots": slots}] if slots else []}
    named = [{"id": f"m{place}", **mark} for place, mark in enumerate(marks)]
    first = {label: f"m{places[0]}" for label, places in by_label.items()}
    talk = [
        {"label": relation, "arguments": {"who": first["speaker"], "what": first[label]}}
        for label, relation in RELATIONS.items()
        if {"speaker", label} <= first.keys()
    ]
    return made | {"mentions": named, "relations": talk}


def answers(
    gold: Iterable[Mapping[str, Any]], quality: Quality, seed: str, data: str = "mentions"
) -> bytes:
    """What a system of this quality answers to documents with mentions, as jsonl.

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
        lines.append(json.dumps(shaped(data, each["id"], each["text"], found)))
    return ("\n".join(lines) + "\n").encode()


def write(
    folder: str | Path, *, data: str = "mentions", count: int = DOCUMENTS, seed: int = 0,
    now: datetime | None = None,
) -> Demo:  # fmt: skip
    """Write the example into a new folder, with everything scored."""
    where, now = Path(folder), now or datetime.now(UTC)
    gold = [
        {key: each[key] for key in ("id", "text", "mentions")}
        for each in documents("seminars", count, seed)
    ]
    perfect = [
        shaped(
            data, d["id"], d["text"], [(m["start"], m["end"], m["label"]) for m in d["mentions"]]
        )
        for d in gold
    ]
    _draft(where, perfect, now - BEGAN)
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
                content = answers(gold, qualities[number], f"{seed} {name} {number}", data)
                _submit(challenge, members[name], phase, content, f"run-{number + 1}.jsonl")
        clock[0] = now
        worker.drain(challenge)
    finally:
        challenge.close()
    example = where / "example-answer.jsonl"
    example.write_bytes(answers(gold, (0.12, 0.12), f"{seed} example", data))
    return Demo(where, tokens, example)


def _draft(where: Path, gold: list[dict[str, Any]], began: datetime) -> None:
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "gold.jsonl"
        answer.write_text(_lines(gold), "utf-8")
        init(where, None, answer, title=TITLE, now=began)
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
