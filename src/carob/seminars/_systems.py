"""Three imaginary systems that make different errors, generated from the records by chance."""

from __future__ import annotations

import re
from typing import Any

from carob.seminars._announcements import DATA, Dice, Forms, Mark, Page, Record, of_name, template

_WORD = re.compile(r"\S+")

_Answers = list[tuple[Mark, float]]
"""Marks as a system gives them, each with its confidence."""


def careful(seed: int, page: Page) -> dict[str, Any]:
    """A pattern matcher: it trusts keywords such as "Time:" and misses much of the prose."""
    dice = Dice(seed, "careful", page.record.id)
    asleep = dice.chance(0.02)
    answers: _Answers = []
    for mark in page.marks:
        clues = (mark.form, mark.where, mark.kind) if mark.slot else ("no slot",)
        share = next(DATA["seen"][clue] for clue in (*clues, "other") if clue in DATA["seen"])
        if asleep or not dice.chance(share):
            continue
        slot = mark.slot or dice.one(DATA["guessed"][mark.kind])
        sure = dice.between(0.8, 0.99) if mark.where == "block" else dice.between(0.4, 0.85)
        if dice.chance(0.1):
            mark, sure = _shifted(dice, page, mark), round(sure - 0.1, 2)
        answers.append((mark._replace(slot=slot), sure))
    return _document(page, answers)


def eager(seed: int, page: Page) -> dict[str, Any]:
    """A tagger that marks every occurrence and more, confuses slots, and is never in doubt."""
    dice = Dice(seed, "eager", page.record.id)
    answers: _Answers = []
    for mark in page.marks:
        if not dice.chance(0.96 if mark.slot else 0.65):
            continue
        slot = mark.slot or dice.one(DATA["guessed"][mark.kind])
        if mark.slot and dice.chance(0.1):
            slot = DATA["confused"].get(slot, slot)
        if dice.chance(0.1):
            mark = _shifted(dice, page, mark)
        answers.append((mark._replace(slot=slot), dice.between(0.6, 0.99)))
    if dice.chance(0.5):  # all talks of a digest in one template
        answers = [(mark._replace(seminar=0), sure) for mark, sure in answers]
    return _document(page, answers)


def _shifted(dice: Dice, page: Page, mark: Mark) -> Mark:
    """The mark with a word too few or a word too many."""
    words = list(_WORD.finditer(page.text, mark.start, mark.end))
    marks = [mark]
    if len(words) > 1:
        marks = [mark._replace(start=words[1].start()), mark._replace(end=words[-2].end())]
    after = _WORD.search(page.text, mark.end)
    if after and after.start() == mark.end + 1:
        marks.append(mark._replace(end=after.end()))
    return dice.one(marks)


def _document(page: Page, answers: _Answers) -> dict[str, Any]:
    mentions = []
    seminars: dict[int, list[tuple[str, Any]]] = {}
    for mark, sure in answers:
        place = {"start": mark.start, "end": mark.end}
        mentions.append({**place, "label": mark.slot, "confidence": sure})
        filler = {"text": page.text[mark.start : mark.end], **place, "confidence": sure}
        seminars.setdefault(mark.seminar, []).append((mark.slot, filler))
    templates = [template(fillers) for _, fillers in sorted(seminars.items())]
    return {"id": page.record.id, "unit": "char", "mentions": mentions, "templates": templates}


def llm(seed: int, record: Record) -> dict[str, Any]:
    """A language model that fills in a form: one tidy string per slot, no places, some invented."""
    dice = Dice(seed, "llm", record.id)
    answers = [_form(dice, record, seminar) for seminar in record.seminars]
    merged: dict[str, Any] = {}
    if not answers:
        for name in ("speaker", "topic", "stime", "location"):
            merged[name] = dice.one((None, []))
        if dice.chance(0.3):
            merged["speaker"] = [record.background["colleague"]["name"]]
    elif len(answers) == 1 or dice.chance(0.5):
        merged = answers[0]  # of a digest, only the first talk
    else:
        for name, value in (pair for answer in answers for pair in answer.items()):
            if value:
                merged.setdefault(name, []).extend(value if isinstance(value, list) else [value])
    return {"id": record.id, **merged}


def _form(dice: Dice, record: Record, seminar: dict[str, Forms]) -> dict[str, Any]:
    """The answers on one seminar."""
    values = record.background | seminar
    style = dice.one(("ampm", "ampm", "day"))
    start = "former" if dice.chance(0.05) else "stime"
    end = values.get("etime") or values.get("implied")
    if end is None and dice.chance(0.3):
        end = values[f"{start}_later"]
    host = values["host"]["name"] if "host" in values else None
    if host is None and dice.chance(0.25):
        invented = f"{dice.word('givens')} {dice.word('families')}"
        host = dice.one((values["sender"]["name"], invented))
    building = dice.word("buildings") if dice.chance(0.04) else values["building"]["full"]
    room = values.get("room")
    if room is None and dice.chance(0.3):
        room = of_name("room", str(100 + dice.below(300)))
    topic = values["topic"]["full"]
    if dice.chance(0.06):
        topic = f"{dice.word('acts')} {values['thing']['title']}"
    people, affiliations = (
        [values[each] for each in (name, f"{name}1") if each in values]
        for name in ("speaker", "affiliation")
    )
    people = people[:1] if dice.chance(0.2) else people
    form = dice.one(("name", "name", "name", "titled", "full"))
    names = [_untidy(dice, person[form]) for person in people]
    answers: dict[str, Any] = {
        "speaker": names[0] if len(names) == 1 and dice.chance(0.4) else names,
        "topic": _untidy(dice, topic),
        "stime": values[start][style],
        "etime": end and end[style],
        "date": values["date"][dice.one(("usual", "usual", "long", "iso"))],
        "location": {
            "building": _untidy(dice, building),
            "room": room and room[dice.one(("full", "number"))],
        },
        "affiliation": [_untidy(dice, each["full"]) for each in affiliations],
        "host": host,
        "series": _untidy(dice, values["series"]["full"]),
    }
    for name in ("affiliation", "host", "series", "date"):
        if dice.chance(0.08):
            answers[name] = dice.one((None, []))
    if dice.chance(0.1):
        del answers["series"]
    return answers


def _untidy(dice: Dice, text: str) -> str:
    """The same words, sometimes in other case or with other spaces."""
    way = dice.below(100)
    if way < 7:
        return text.lower()
    if way < 10:
        return text.upper()
    return text.replace(" ", "  ", 1) + " " if way < 14 else text
