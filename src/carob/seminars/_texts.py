"""A text for each record, the place of every filler in it, and gold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, NamedTuple

from carob.seminars._records import DATA, WORDS, Dice, Person, Record, Seminar

SLOTS = (
    "series", "topic", "speaker", "affiliation", "host", "date", "stime", "etime",
    "location.building", "location.room",
)  # fmt: skip
"""The slots; building and room are slots of a template that fills `location`."""

Forms = dict[str, str]
"""The different strings that may stand for one filler, by the name of the form."""

_PHRASES: dict[str, list[str]] = DATA["phrases"]
_HOLE = re.compile(r"\{(\w+)(?:\.([\w|]+))?\}")
_ONE_OR_TWO = re.compile(r"\{(speaker|affiliation)s\.([\w|]+)\}")
_THE = re.compile(r"\bthe\s\Z", re.I)
_TO = re.compile(r"\s?(?:-|to|until)\s?")
_HALF = re.compile(r"\s?([ap]\.?m\.?)\Z", re.I)


def _forms(kind: str, **fields: Any) -> Forms:
    return {name: form.format(**fields) for name, form in DATA["forms"][kind].items()}


def of_person(person: Person) -> Forms:
    fields = person._asdict()
    fields["middle"] = person.middle and f" {person.middle}"
    fields["degree"] = person.degree and f", {person.degree}"
    return _forms("person", **fields, loud=f"{person.given} {person.family}".upper())


def of_time(minutes: int) -> Forms:
    hour, minute = divmod(minutes, 60)
    twelve, half = hour % 12 or 12, "AP"[hour >= 12]
    short = f"{twelve}:{minute:02}" if minute else str(twelve)
    hours = {"this": WORDS["hours"][hour % 12], "next": WORDS["hours"][(hour + 1) % 12]}
    words = "noon" if minutes == 720 else DATA["quarters"].get(str(minute), "").format(**hours)
    forms = _forms(
        "time", hour=hour, minute=minute, twelve=twelve, short=short, half=half,
        letter=half.lower(), words=words,
    )  # fmt: skip
    return {name: form for name, form in forms.items() if form}


def of_date(day: date) -> Forms:
    weekday, month = WORDS["days"][day.weekday()], WORDS["months"][day.month - 1]
    return _forms(
        "date", weekday=weekday, day=day.day, month=month, year=day.year, iso=day.isoformat()
    )


def of_name(kind: str, name: str, department: str = "") -> Forms:
    words = name.split()
    forms = _forms(
        kind,
        name=name,
        head=name.split(":")[0],
        front=" ".join(words[:-1]),
        rest=" ".join(words[1:]),
        code="".join(word[0] for word in words),
        place=words[-1] if words[0] == "University" else words[0],
        department=department,
    )
    if kind == "topic" and ":" not in name:
        del forms["short"]
    return forms


def _values(record: Record, seminar: Seminar | None) -> dict[str, tuple[str, Forms]]:
    """What a phrase may name: the slot that it fills, if any, and the forms it may take."""
    aside = record.aside
    values = {
        "sender": ("", of_person(aside.sender)),
        "colleague": ("", of_person(aside.colleague)),
        "posted": ("", of_date(aside.posted)),
        "posted_at": ("", of_time(aside.posted_at)),
        "tea": ("", of_time(aside.tea)),
        "former": ("", of_time(aside.former)),
        "hall": ("", of_name("building", aside.hall)),
        "office": ("", {"number": aside.office}),
    }
    if seminar is None:
        return values
    values |= {
        "series": ("series", of_name("series", seminar.series)),
        "topic": ("topic", of_name("topic", seminar.topic)),
        "date": ("date", of_date(seminar.date)),
        "stime": ("stime", of_time(seminar.start)),
        "building": ("location.building", of_name("building", seminar.building)),
        "thing": ("", {"lower": seminar.thing.lower()}),
    }
    for i, person in enumerate(seminar.speakers):
        values[f"speaker{i or ''}"] = ("speaker", of_person(person))
    for i, name in enumerate(seminar.affiliations):
        forms = of_name("affiliation", name, seminar.department)
        values[f"affiliation{i or ''}"] = ("affiliation", forms)
    if seminar.host:
        values["host"] = ("host", of_person(seminar.host))
    if seminar.room:
        values["room"] = ("location.room", of_name("room", seminar.room))
    if seminar.end is not None and seminar.implied:
        values["length"] = ("", {"words": DATA["lengths"][str(seminar.end - seminar.start)]})
    elif seminar.end is not None:
        values["etime"] = ("etime", of_time(seminar.end))
    return values


class Mark(NamedTuple):
    """A filler at its place. `slot` is empty if the text only looks like one.

    `where` is `block` after a keyword such as "Time:", else `prose` or `subject`.
    """

    slot: str
    kind: str
    form: str
    start: int
    end: int
    where: str
    seminar: int


class Page:
    """A text while it is written, and its marks in the order of the text."""

    def __init__(self, seed: int, record: Record) -> None:
        self.dice = Dice(seed, "text", record.id)
        self.text = ""
        self.marks: list[Mark] = []
        self._values = [_values(record, each) for each in record.seminars or [None]]
        self.turn_to(0)

    def turn_to(self, seminar: int) -> None:
        self.seminar, self.values, self.used = seminar, self._values[seminar], set[str]()

    def fit(self, phrases: Iterable[str]) -> list[str]:
        """The phrases that name only what there is."""
        joined = [_ONE_OR_TWO.sub(self._one_or_two, phrase) for phrase in phrases]
        return [phrase for phrase in joined if all(map(self._has, _HOLE.finditer(phrase)))]

    def _one_or_two(self, hole: re.Match[str]) -> str:
        second = f" and {{{hole[1]}1.{hole[2]}}}" if f"{hole[1]}1" in self.values else ""
        return f"{{{hole[1]}.{hole[2]}}}{second}"

    def _has(self, hole: re.Match[str]) -> bool:
        return bool(hole[1] in self.values and self._allowed(hole))

    def _allowed(self, hole: re.Match[str]) -> list[str]:
        forms = self.values[hole[1]][1]
        return [name for name in (hole[2].split("|") if hole[2] else forms) if name in forms]

    def say(self, phrase: str, where: str = "prose", after: str = "") -> None:
        """Write a phrase, each filler in one of the forms that it allows."""
        at = 0
        for hole in _HOLE.finditer(phrase):
            self._put(phrase[at : hole.start()])
            at, start = hole.end(), len(self.text)
            slot, forms = self.values[hole[1]]
            form = self.dice.one(self._allowed(hole))
            self._put(forms[form])
            self.used.add(hole[1])
            if kind := DATA["kinds"].get(hole[1].rstrip("1")):
                mark = Mark(slot, kind, form, start, len(self.text), where, self.seminar)
                self.marks.append(mark)
        self._put(phrase[at:])
        self._put(after)

    def _put(self, text: str) -> None:
        # The stop of "p.m." ends the sentence, too.
        self.text += text[1:] if text.startswith(".") and self.text.endswith(".") else text

    def one(self, phrases: str, where: str = "prose", after: str = "") -> None:
        """Write one of the phrases that fit."""
        self.say(self.dice.one(self.fit(_PHRASES[phrases])), where, after)

    def some(self, phrases: Iterable[str], number: int) -> None:
        """Write a paragraph of several phrases."""
        for phrase in self.dice.few(self.fit(phrases), number):
            self.say(phrase, after=" ")
        self.text = self.text.removesuffix(" ") + "\n\n"

    def block(self) -> None:
        """Write lines that begin with a keyword."""
        lines = ["speaker", "topic", "time", "place"]
        lines += [name for name in ("date", "host", "affiliation") if self.dice.chance(0.5)]
        for name in self.dice.few(lines, len(lines)):
            if fitting := self.fit(DATA["blocks"][name]):
                self.say(self.dice.one(fitting), "block", "\n")
        self.text += "\n"

    def rest(self) -> None:
        """Write what has not been said yet, so that the text has every filler at least once."""
        unsaid = [name for name in DATA["rest"] if name in self.values and name not in self.used]
        for name in unsaid:
            self.say(DATA["rest"][name], after=" ")
        if unsaid:
            self.text = self.text.removesuffix(" ") + "\n\n"

    def announcement(self) -> None:
        chance = self.dice.chance
        if chance(0.8):
            self.one("tops")
            self.one("subjects", "subject", "\n\n")
        self.one("banners", after="\n\n")
        if block := chance(0.7):
            self.block()
        if not block or chance(0.45):
            self.one("openings", after=" ")
        self.some(_PHRASES["follows"], 1 + self.dice.below(3))
        if chance(0.85):
            self.say(self.dice.one(("Abstract\n\n", "ABSTRACT: ", "")))
            self.some(_PHRASES["abstracts"], 3 + self.dice.below(4))
        if chance(0.4):
            self.one("lives", after="\n\n")
        self.rest()
        if chance(0.5):
            self.one("reminders", after="\n\n")

    def digest(self) -> None:
        self.one("tops", after="Subject: Talks\n\n")
        self.one("digests", after="\n\n")
        for i in range(len(self._values)):
            self.turn_to(i)
            self.say(f"{i + 1}. ")
            if self.dice.chance(0.5):
                self.one("openings", after="\n\n")
            else:
                self.say("{series.full}\n")
                self.block()
            self.rest()
        self.turn_to(0)

    def notice(self) -> None:
        self.one("tops", after="Subject: Notice\n\n")
        self.one("notices", after="\n\n")


def page(seed: int, record: Record) -> Page:
    """The text of a record, in lines as a mail has them."""
    page = Page(seed, record)
    (page.notice, page.announcement, page.digest)[len(record.seminars)]()
    page.one("signatures")
    # A line is broken where a space was, so that every place stays what it is.
    lines = []
    for line in (page.text.rstrip() + "\n").split("\n"):
        while len(line) > 72 and (cut := line.rfind(" ", 1, 73)) > 0:
            lines.append(line[:cut])
            line = line[cut + 1 :]
        lines.append(line)
    page.text = "\n".join(lines)
    return page


def gold(record: Record, page: Page) -> dict[str, Any]:
    """The document with all its mentions, and a template for each seminar."""
    marks = {f"T{i}": mark for i, mark in enumerate((m for m in page.marks if m.slot), start=1)}
    mentions = [
        {"id": name, "start": mark.start, "end": mark.end, "label": mark.slot}
        for name, mark in marks.items()
    ]
    templates = []
    for i, seminar in enumerate(record.seminars):
        fillers = [
            (mark.slot, _filler(page, mark, name, seminar))
            for name, mark in marks.items()
            if mark.seminar == i
        ]
        if seminar.end is not None and seminar.implied:
            # The text does not have this end. It can be worked out, but need not be.
            first, *others = dict.fromkeys(of_time(seminar.end).values())
            fillers.append(("etime", {"text": first, "alternatives": others, "optional": True}))
        templates.append(template(fillers))
    return {"id": record.id, "text": page.text, "mentions": mentions, "templates": templates}


def template(fillers: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """A template of slots and their fillers, in the order of SLOTS; `location` is nested.

    >>> template([("location.room", "12"), ("topic", "Moss")])["slots"]
    {'topic': ['Moss'], 'location': [{'slots': {'room': ['12']}}]}
    """
    slots: dict[str, list[Any]] = {}
    for slot, filler in sorted(fillers, key=lambda each: SLOTS.index(each[0])):
        name, _, inner = slot.partition(".")
        if inner:
            nested = slots.setdefault(name, [{"slots": {}}])[0]["slots"]
            nested.setdefault(inner, []).append(filler)
        else:
            slots.setdefault(name, []).append(filler)
    return {"label": "seminar", "slots": slots}


def _filler(page: Page, mark: Mark, mention: str, seminar: Seminar) -> dict[str, Any]:
    filler: dict[str, Any] = {"text": page.text[mark.start : mark.end], "mention": mention}
    if alternative := _alternative(page, mark, seminar):
        filler["alternatives"] = [alternative]
    if mark.slot == "topic" and mark.form == "short":
        filler["optional"] = True  # a title that was cut short
    return filler


def _alternative(page: Page, mark: Mark, seminar: Seminar) -> Mapping[str, Any] | None:
    """Another boundary that is as right: with the article, without the degree, "3 ... pm"."""
    text, start, end = page.text, mark.start, mark.end
    if mark.kind == "building" and (the := _THE.search(text, max(start - 5, 0), start)):
        return {"text": text[the.start() : end], "start": the.start(), "end": end}
    if mark.kind == "person" and mark.form == "full" and "," in text[start:end]:
        end = text.index(",", start)
        return {"text": text[start:end], "start": start, "end": end}
    after = next((each for each in page.marks if each.start >= end), None)
    if (
        mark.slot == "stime"
        and mark.form in ("hour", "bare")
        and after is not None
        and after.slot == "etime"
        and seminar.end is not None
        and (seminar.start < 720) == (seminar.end < 720)
        and (half := _HALF.search(text, after.start, after.end))
        and _TO.fullmatch(text, end, after.start)
    ):
        fragments = [[start, end], [half.start(1), after.end]]
        return {"text": f"{text[start:end]} {half[1]}", "fragments": fragments}
    return None
