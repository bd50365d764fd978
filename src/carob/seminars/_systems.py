"""Three imaginary systems that err in different ways, made from the truth and from chance."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from carob.seminars import _forms as forms
from carob.seminars import _words as words
from carob.seminars._dice import Dice
from carob.seminars._gold import template
from carob.seminars._page import Mark, Page
from carob.seminars._truth import Record, Seminar

_WORD = re.compile(r"\S+")
_CONFUSED = {
    "speaker": "host", "host": "speaker", "stime": "etime", "etime": "stime",
    "location.building": "affiliation", "affiliation": "location.building", "series": "topic",
    "topic": "series",
}  # fmt: skip
_GUESSED = {
    "person": ("speaker", "speaker", "host"),
    "time": ("stime", "stime", "etime"),
    "date": ("date",),
    "building": ("location.building",),
    "room": ("location.room",),
}


@dataclass(frozen=True, slots=True)
class _Found:
    """An answer of a system that gives places."""

    slot: str
    start: int
    end: int
    confidence: float
    seminar: int


def careful(seed: int, record: Record, page: Page) -> dict[str, Any]:
    """A matcher of patterns: it trusts keywords such as "Time:" and overlooks much of the prose."""
    dice = Dice(seed, "careful", record.id)
    asleep = dice.chance(0.02)
    found = []
    for mark in page.marks:
        share = _seen(mark)
        if asleep or not dice.chance(share):
            continue
        slot = mark.slot or dice.one(_GUESSED[mark.kind])
        start, end = mark.start, mark.end
        sure = dice.between(0.8, 0.99) if mark.where == "block" else dice.between(0.4, 0.85)
        if dice.chance(0.1):
            start, end = _slipped(dice, page, mark)
            sure = round(sure - 0.1, 2)
        found.append(_Found(slot, start, end, sure, mark.seminar))
    return _assembled(record, page, found)


def _seen(mark: Mark) -> float:
    """How likely a matcher of patterns is to see what is there."""
    if not mark.slot:
        return 0.03
    if mark.form in ("words", "weekday", "code"):
        return 0.08  # no pattern for "half past three"
    if mark.where == "block":
        return 0.94
    return {"person": 0.4, "time": 0.6, "date": 0.6, "title": 0.5}.get(mark.kind, 0.35)


def eager(seed: int, record: Record, page: Page) -> dict[str, Any]:
    """A tagger that marks every occurrence and more, mistakes slots, and is never in doubt."""
    dice = Dice(seed, "eager", record.id)
    found = []
    for mark in page.marks:
        if not dice.chance(0.96 if mark.slot else 0.65):
            continue
        slot = mark.slot or dice.one(_GUESSED[mark.kind])
        if mark.slot and dice.chance(0.1):
            slot = _CONFUSED.get(slot, slot)
        start, end = _slipped(dice, page, mark) if dice.chance(0.1) else (mark.start, mark.end)
        found.append(_Found(slot, start, end, dice.between(0.6, 0.99), mark.seminar))
    if dice.chance(0.5):  # all talks of a digest in one template
        found = [_Found(f.slot, f.start, f.end, f.confidence, 0) for f in found]
    return _assembled(record, page, found)


def _slipped(dice: Dice, page: Page, mark: Mark) -> tuple[int, int]:
    """A span with a word too few or a word too many."""
    parts = list(_WORD.finditer(page.text, mark.start, mark.end))
    ways = [(mark.start, mark.end)]
    if len(parts) > 1:
        ways = [(parts[1].start(), mark.end), (mark.start, parts[-2].end())]
    more = _WORD.search(page.text, mark.end)
    if more and more.start() == mark.end + 1:
        ways.append((mark.start, more.end()))
    return dice.one(ways)


def _assembled(record: Record, page: Page, found: list[_Found]) -> dict[str, Any]:
    mentions = [
        {"start": f.start, "end": f.end, "label": f.slot, "confidence": f.confidence} for f in found
    ]
    templates = []
    for seminar in sorted({f.seminar for f in found}):
        fillers = [
            (f.slot, {"text": page.text[f.start : f.end], "start": f.start, "end": f.end,
                      "confidence": f.confidence})
            for f in found
            if f.seminar == seminar
        ]  # fmt: skip
        templates.append(template(fillers))
    return {"id": record.id, "unit": "char", "mentions": mentions, "templates": templates}


def llm(seed: int, record: Record, page: Page) -> dict[str, Any]:
    """A language model that fills in a form: one tidy string a slot, no places, some made up."""
    dice = Dice(seed, "llm", record.id)
    answers = [_form(dice, record, seminar) for seminar in record.seminars]
    if not answers:
        empty: dict[str, Any] = {
            name: dice.one((None, [])) for name in ("speaker", "topic", "stime", "location")
        }
        if dice.chance(0.3):
            empty["speaker"] = [forms.of_person(record.aside.colleague)["name"]]
        return {"id": record.id, **empty}
    if len(answers) == 1 or dice.chance(0.5):
        return {"id": record.id, **answers[0]}  # of a digest, only the first talk
    merged: dict[str, Any] = {}
    for answer in answers:
        for name, value in answer.items():
            if value:
                merged.setdefault(name, []).extend(value if isinstance(value, list) else [value])
    return {"id": record.id, **merged}


def _form(dice: Dice, record: Record, seminar: Seminar) -> dict[str, Any]:
    """The answers on one seminar."""
    aside = record.aside
    style = dice.one(("ampm", "ampm", "day"))
    start = aside.former if dice.chance(0.05) else seminar.start
    end = seminar.end
    if end is None and dice.chance(0.3):
        end = start + 60
    host = forms.of_person(seminar.host)["name"] if seminar.host else None
    if host is None and dice.chance(0.25):
        invented = f"{dice.one(words.GIVENS)} {dice.one(words.FAMILIES)}"
        host = dice.one((forms.of_person(aside.sender)["name"], invented))
    building = dice.one(words.BUILDINGS) if dice.chance(0.04) else seminar.building
    room = seminar.room or (str(100 + dice.below(300)) if dice.chance(0.3) else None)
    topic = seminar.topic
    if dice.chance(0.06):
        topic = f"{dice.one(words.ACTS)} {seminar.thing}"
    values: dict[str, Any] = {
        "speaker": _speakers(dice, seminar),
        "topic": _messy(dice, topic),
        "stime": forms.of_clock(start)[style],
        "etime": None if end is None else forms.of_clock(end)[style],
        "date": forms.of_date(seminar.date)[dice.one(("usual", "usual", "long", "iso"))],
        "location": {
            "building": _messy(dice, building),
            "room": room and forms.of_room(room)[dice.one(("full", "number"))],
        },
        "affiliation": [_messy(dice, name) for name in seminar.affiliations],
        "host": host,
        "series": _messy(dice, seminar.series),
    }
    for name in ("affiliation", "host", "series", "date"):
        if dice.chance(0.08):
            values[name] = dice.one((None, []))
    if dice.chance(0.1):
        del values["series"]
    return values


def _speakers(dice: Dice, seminar: Seminar) -> str | list[str]:
    people = seminar.speakers[:1] if dice.chance(0.2) else seminar.speakers
    form = dice.one(("name", "name", "name", "titled", "full"))
    names = [_messy(dice, forms.of_person(person)[form]) for person in people]
    return names[0] if len(names) == 1 and dice.chance(0.4) else names


def _messy(dice: Dice, text: str) -> str:
    """The same words in other letters or with other spaces."""
    way = dice.below(100)
    if way < 7:
        return text.lower()
    if way < 10:
        return text.upper()
    return text.replace(" ", "  ", 1) + " " if way < 14 else text
