"""Announcements: the facts of each, its text, the place of every filler in it, and gold."""

from __future__ import annotations

import re
import tomllib
from importlib import resources
from random import Random
from typing import Any, NamedTuple

DATA = tomllib.loads(
    resources.files("carob.example.seminars").joinpath("seminars.toml").read_text(encoding="utf-8")
)

Forms = dict[str, str]
"""The different strings that may stand for one fact, by the name of the form."""

_PART = re.compile(r"<(\w+)>")
_HOLE = re.compile(r"\{(\w+)(?:\.([\w|]+))?\}")
_LONG_LINE = re.compile(r"(?=.{73})(.{1,72}) ")


class Mark(NamedTuple):
    """A fact at its place in the text. `slot` is empty if it only looks like a filler."""

    fact: str
    slot: str
    form: str
    start: int
    end: int
    seminar: int


class Announcement(NamedTuple):
    """A text, its marks in order, and the facts of two seminars; most texts announce only one."""

    id: str
    text: str
    marks: list[Mark]
    facts: tuple[dict[str, Forms], dict[str, Forms]]


def announcement(rng: Random, name: str) -> Announcement:
    """A document of chosen phrases, with a form of a fact in every hole."""
    facts = (_facts(rng), _facts(rng))
    text, marks, seminar = "", [], 0
    pieces = _HOLE.split(_phrase(rng, "document"))
    for before, fact, forms in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=False):
        text = _joined(text, before)
        if fact == "next":  # what follows is about the next seminar
            seminar += 1
            continue
        form = rng.choice(forms.split("|")) if forms else "full"
        start, text = len(text), text + facts[seminar][fact][form]
        if fact in DATA["slots"] or fact in DATA["mistaken"]:
            marks.append(Mark(fact, DATA["slots"].get(fact, ""), form, start, len(text), seminar))
    text = _joined(text, pieces[-1]).rstrip() + "\n"
    # A line is broken where a space was, so that no place changes.
    return Announcement(name, _LONG_LINE.sub(r"\1\n", text), marks, facts)


def _phrase(rng: Random, part: str) -> str:
    """One of the phrases of a part, in which every part is a phrase in turn."""
    phrase = rng.choice(DATA["phrases"][part])
    return _PART.sub(lambda inner: _phrase(rng, inner[1]), phrase)


def _joined(text: str, more: str) -> str:
    # The full stop of "p.m." also ends the sentence.
    return text + (more[1:] if text.endswith(".") and more.startswith(".") else more)


def _facts(rng: Random) -> dict[str, Forms]:
    """All there is to say on a seminar; the text need not say everything."""
    words = {kind: rng.sample(words, 5) for kind, words in DATA["words"].items()}
    title = f"{words['acts'][0]} {words['things'][0]}: {words['subtitles'][0]}"
    start = 15 * rng.randrange(4 * 9, 4 * 17)
    length = rng.choice(list(DATA["lengths"]))
    rooms = rng.sample(range(100, 500), 2)
    people = ("speaker", "second", "host", "sender", "colleague")
    return {
        **{name: _person(rng, words, i) for i, name in enumerate(people)},
        "topic": _named("topic", title),
        "thing": _named("word", words["things"][0].lower()),
        "date": _named("date", words["dates"][0]),
        "posted": _named("date", words["dates"][1]),
        "affiliation": _named("word", words["affiliations"][0]),
        "stime": _time(start),
        "etime": _time(start + int(length)),
        "length": _named("word", DATA["lengths"][length]),
        "tea": _time(start - 15),
        "sent": _time(15 * rng.randrange(4 * 8, 4 * 16)),
        "former": _time(start + rng.choice((-60, 60))),
        "building": _named("building", words["buildings"][0]),
        "hall": _named("building", words["buildings"][1]),
        "room": _named("room", str(rooms[0])),
        "office": _named("room", str(rooms[1])),
    }


def _forms(kind: str, **fields: Any) -> Forms:
    return {name: form.format(**fields) for name, form in DATA["forms"][kind].items()}


def _named(kind: str, name: str) -> Forms:
    words = name.split()
    return _forms(kind, name=name, head=re.split("[:,]", name)[0], front=" ".join(words[:-1]),
                  code="".join(word[0] for word in words))  # fmt: skip


def _person(rng: Random, words: dict[str, list[str]], number: int) -> Forms:
    degree = rng.choice(("", "", ", Ph.D.", ", D.Phil."))
    return _forms("person", title=words["titles"][number], given=words["givens"][number],
                  middle=rng.choice("ABEHJKLMRST"), family=words["families"][number],
                  degree=degree)  # fmt: skip


def _time(minutes: int) -> Forms:
    hour, minute = divmod(minutes, 60)
    this, following = (DATA["hours"][each % 12] for each in (hour, hour + 1))
    words = DATA["quarters"][minute // 15].format(this=this, next=following)
    twelve = hour % 12 or 12
    return _forms("time", hour=hour, minute=minute, twelve=twelve, half="ap"[hour >= 12],
                  short=f"{twelve}:{minute}" if minute else str(twelve), words=words)  # fmt: skip


def gold(page: Announcement) -> dict[str, Any]:
    """The document with its text, all its mentions, and a template for each seminar."""
    fillers = [(mark, _also_right(page, mark)) for mark in page.marks if mark.slot]
    return {"id": page.id, "text": page.text, **document(page, fillers)}


def _also_right(page: Announcement, mark: Mark) -> dict[str, Any]:
    """A name is as right without its degree, and a title cut short need not be found."""
    name, comma, _ = page.text[mark.start : mark.end].partition(",")
    if comma:
        place = {"start": mark.start, "end": mark.start + len(name)}
        return {"alternatives": [{"text": name, **place}]}
    return {"optional": True} if (mark.fact, mark.form) == ("topic", "short") else {}


def document(page: Announcement, fillers: list[tuple[Mark, dict[str, Any]]]) -> dict[str, Any]:
    """Mentions and templates of marks; a filler also has what is given with its mark."""
    mentions = []
    seminars: dict[int, dict[str, Any]] = {}
    for mark, more in fillers:
        place = {"start": mark.start, "end": mark.end}
        mentions.append({**place, "label": mark.slot})
        slots, (outer, _, inner) = seminars.setdefault(mark.seminar, {}), mark.slot.partition(".")
        if inner:
            slots = slots.setdefault(outer, [{"slots": {}}])[0]["slots"]
        filler = {"text": page.text[mark.start : mark.end], **place, **more}
        slots.setdefault(inner or outer, []).append(filler)
    templates = [{"label": "seminar", "slots": seminars[number]} for number in sorted(seminars)]
    return {"id": page.id, "unit": "char", "mentions": mentions, "templates": templates}
