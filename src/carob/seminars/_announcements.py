"""Announcements: what each says, its text, the place of every filler in it, and gold."""

from __future__ import annotations

import datetime
import random
import re
import tomllib
from collections.abc import Iterable, Sequence
from hashlib import sha256
from importlib import resources
from typing import Any, NamedTuple, TypeVar

_T = TypeVar("_T")

DATA = tomllib.loads(
    resources.files("carob.seminars").joinpath("seminars.toml").read_text(encoding="utf-8")
)
SLOTS = tuple(dict.fromkeys(DATA["slots"].values()))
"""The slots; building and room are slots of a template that fills `location`."""

Forms = dict[str, str]
"""The different strings that may stand for one filler, by the name of the form."""

_HOLE = re.compile(r"\{(\w+)(?:\.([\w|]+))?\}")
_ONE_OR_TWO = re.compile(r"\{(speaker|affiliation)s\.([\w|]+)\}")
_THE = re.compile(r"\bthe\s\Z", re.I)
_TO = re.compile(r"\s?(?:-|to|until)\s?")
_AM_PM = re.compile(r"\s?([ap]\.?m\.?)\Z", re.I)
_TOO_LONG = re.compile(r"(?=.{73})(.{1,72}) ")


class Dice:
    """Random choices that are the same on every platform, made from a seed and names.

    Of the standard library's generator only `random()` is promised to stay as it is, so everything
    here is made from that one function.
    """

    def __init__(self, *key: int | str) -> None:
        digest = sha256("/".join(map(str, key)).encode()).digest()
        self._random = random.Random(int.from_bytes(digest[:8], "big")).random

    def below(self, end: int) -> int:
        return int(self._random() * end)

    def chance(self, share: float) -> bool:
        return self._random() < share

    def between(self, low: float, high: float) -> float:
        """A number with two decimals."""
        return round(low + (high - low) * self._random(), 2)

    def one(self, things: Sequence[_T]) -> _T:
        return things[self.below(len(things))]

    def few(self, things: Sequence[_T], number: int) -> list[_T]:
        """Different things, in random order."""
        rest = list(things)
        return [rest.pop(self.below(len(rest))) for _ in range(min(number, len(rest)))]

    def word(self, kind: str) -> str:
        words: list[str] = DATA["words"][kind]
        return self.one(words)


def _forms(kind: str, **fields: Any) -> Forms:
    forms = {name: form.format(**fields) for name, form in DATA["forms"][kind].items()}
    return {name: form for name, form in forms.items() if form}


def _of_person(dice: Dice, given: str, family: str) -> Forms:
    title = dice.word("titles")
    middle = f" {dice.one('ABCDEFGHJKLMNPRSTVW')}." if dice.chance(0.4) else ""
    degree = f", {dice.word('degrees')}" if dice.chance(0.3) else ""
    return _forms("person", title=title, given=given, middle=middle, family=family,
                  degree=degree, loud=f"{given} {family}".upper())  # fmt: skip


def _of_time(minutes: int) -> Forms:
    hour, minute = divmod(minutes, 60)
    twelve, half = hour % 12 or 12, "AP"[hour >= 12]
    this, next_ = (DATA["words"]["hours"][each % 12] for each in (hour, hour + 1))
    words = "noon" if minutes == 720 else DATA["quarters"].get(str(minute), "")
    return _forms("time", hour=hour, minute=minute, twelve=twelve, half=half,
                  short=f"{twelve}:{minute:02}" if minute else str(twelve), letter=half.lower(),
                  words=words.format(this=this, next=next_))  # fmt: skip


def _of_date(date: datetime.date) -> Forms:
    weekday = DATA["words"]["days"][date.weekday()]
    month = DATA["words"]["months"][date.month - 1]
    return _forms("date", date=date, weekday=weekday, month=month)


def of_name(kind: str, name: str, department: str = "") -> Forms:
    """The forms of the name of a place, a series or a talk."""
    words = name.split()
    return _forms(kind, name=name, department=department, head=name.rpartition(":")[0],
                  front=" ".join(words[:-1]), rest=" ".join(words[1:]),
                  code="".join(word[0] for word in words),
                  place=words[-1 if words[0] == "University" else 0])  # fmt: skip


class Record(NamedTuple):
    """What one document says, as forms by name: of usually one seminar, sometimes two or none.

    `background` fills no slot: the sender, when it was posted, tea, another room.
    """

    id: str
    seminars: list[dict[str, Forms]]
    background: dict[str, Forms]


def record(seed: int, number: int) -> Record:
    """What document `number` says, whatever the number of documents."""
    dice = Dice(seed, "truth", number)
    kind = dice.below(100)
    count = 0 if kind < 4 else 2 if kind < 11 else 1
    families, givens = (dice.few(DATA["words"][each], 8) for each in ("families", "givens"))
    people = [_of_person(dice, *names) for names in zip(givens, families, strict=True)]
    date = datetime.date(2031, 9, 1) + datetime.timedelta(dice.below(280))
    halls = dice.few(DATA["words"]["buildings"], 3)
    talks = []
    for i in range(count):
        speakers = people[3 * i : 3 * i + (2 if count == 1 and dice.chance(0.14) else 1)]
        host = people[3 * i + 2] if dice.chance(0.6) else None
        talks.append(_seminar(dice, speakers, host, date, halls[i]))
        date += datetime.timedelta(1 + dice.below(3))
    start = talks[0][1] if talks else 60 * (9 + dice.below(8))
    posted = _of_date(date - datetime.timedelta(4 + dice.below(9)))
    posted_at = _of_time(8 * 60 + dice.below(500))
    former = start + (-60 if dice.chance(0.5) else 60)
    background = {
        "sender": people[6],
        "colleague": people[7],
        "posted": posted,
        "posted_at": posted_at,
        "tea": _of_time(start - 15),
        "former": _of_time(former),
        "former_later": _of_time(former + 60),
        "hall": of_name("building", halls[2]),
        "office": {"number": str(100 + dice.below(900))},
    }
    return Record(f"seminar-{number + 1:04d}", [seminar for seminar, _ in talks], background)


def _seminar(
    dice: Dice, speakers: list[Forms], host: Forms | None, date: datetime.date, hall: str
) -> tuple[dict[str, Forms], int]:
    """One talk, and the minute of the day at which it starts."""
    while date.weekday() > 4:
        date += datetime.timedelta(1)
    words = {kind: dice.word(kind) for kind in ("acts", "things", "ways", "subtitles")}
    start = 9 * 60 + 15 * dice.below(33)
    length = dice.one((45, 60, 60, 60, 75, 90, 120))
    ending = dice.below(10)
    apart = len(speakers) == 2 and dice.chance(0.6)
    room = f"{dice.word('floors')}{dice.one('0123')}{dice.below(10)}"
    seminar = {
        "series": of_name("series", dice.word("series")),
        "topic": of_name("topic", dice.one(DATA["titles"]).format(**words)),
        "thing": {"lower": words["things"].lower(), "title": words["things"]},
        "date": _of_date(date),
        "stime": _of_time(start),
        "stime_later": _of_time(start + 60),
        "building": of_name("building", hall),
    } | {f"speaker{i or ''}": person for i, person in enumerate(speakers)}
    affiliations = dice.few(DATA["words"]["affiliations"], 1 + apart)
    department = dice.word("departments")
    for i, name in enumerate(affiliations):
        seminar[f"affiliation{i or ''}"] = of_name("affiliation", name, department)
    if host:
        seminar["host"] = host
    if dice.chance(0.9):
        seminar["room"] = of_name("room", room)
    if ending < 5:
        seminar["etime"] = _of_time(start + length)
    elif ending < 8:  # the text gives only the length
        seminar["implied"] = _of_time(start + length)
        seminar["length"] = {"words": DATA["lengths"][str(length)]}
    return seminar, start


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
    """The text of a record, and its marks in the order of the text."""

    def __init__(self, seed: int, record: Record) -> None:
        self.record, self.text = record, ""
        self.marks: list[Mark] = []
        self._dice = Dice(seed, "text", record.id)
        self._turn_to(0)
        (self._notice, self._announcement, self._digest)[len(record.seminars)]()
        self._one("signatures")
        # A line is broken where a space was, so that every place stays what it is.
        self.text = _TOO_LONG.sub(r"\1\n", self.text.rstrip() + "\n")

    def _turn_to(self, seminar: int) -> None:
        seminars = self.record.seminars or [{}]
        self._seminar, self._values = seminar, self.record.background | seminars[seminar]
        self._used: set[str] = set()

    def _fit(self, phrases: Iterable[str]) -> list[str]:
        """The phrases that name only what there is."""
        joined = [_ONE_OR_TWO.sub(self._one_or_two, phrase) for phrase in phrases]
        return [phrase for phrase in joined if all(map(self._allowed, _HOLE.finditer(phrase)))]

    def _one_or_two(self, hole: re.Match[str]) -> str:
        second = f" and {{{hole[1]}1.{hole[2]}}}" if f"{hole[1]}1" in self._values else ""
        return f"{{{hole[1]}.{hole[2]}}}{second}"

    def _allowed(self, hole: re.Match[str]) -> list[str]:
        forms = self._values.get(hole[1], {})
        names = hole[2].split("|") if hole[2] else list(forms)[:1]
        return [name for name in names if name in forms]

    def _say(self, phrase: str, where: str = "prose", after: str = "") -> None:
        """Write a phrase, each filler in one of the forms that it allows."""
        at = 0
        for hole in _HOLE.finditer(phrase):
            self._put(phrase[at : hole.start()])
            at, start, name = hole.end(), len(self.text), hole[1]
            form = self._dice.one(self._allowed(hole))
            self._put(self._values[name][form])
            self._used.add(name)
            if kind := DATA["kinds"].get(name):
                slot, end = DATA["slots"].get(name, ""), len(self.text)
                self.marks.append(Mark(slot, kind, form, start, end, where, self._seminar))
        self._put(phrase[at:])
        self._put(after)

    def _put(self, text: str) -> None:
        # The stop of "p.m." ends the sentence, too.
        self.text += text[1:] if text.startswith(".") and self.text.endswith(".") else text

    def _one(self, phrases: str, where: str = "prose", after: str = "") -> None:
        """Write one of the phrases that fit, if any."""
        if fitting := self._fit(DATA["phrases"][phrases]):
            self._say(self._dice.one(fitting), where, after)

    def _paragraph(self, phrases: Iterable[str]) -> None:
        for phrase in phrases:
            self._say(phrase, after=" ")
        self.text = self.text.removesuffix(" ") + "\n\n"

    def _some(self, phrases: str, least: int, end: int) -> None:
        fitting = self._fit(DATA["phrases"][phrases])
        self._paragraph(self._dice.few(fitting, least + self._dice.below(end)))

    def _block(self) -> None:
        """Write lines that begin with a keyword."""
        lines = ["speaker", "topic", "time", "place"]
        lines += [name for name in ("date", "host", "affiliation") if self._dice.chance(0.5)]
        for name in self._dice.few(lines, len(lines)):
            self._one(f"{name}_lines", "block", "\n")
        self.text += "\n"

    def _rest(self) -> None:
        """Write what has not been said yet, so that the text has every filler at least once."""
        names = self._values.keys() - self._used
        if phrases := [phrase for name, phrase in DATA["rest"].items() if name in names]:
            self._paragraph(phrases)

    def _announcement(self) -> None:
        chance = self._dice.chance
        if chance(0.8):
            self._one("tops")
            self._one("subjects", "subject", "\n\n")
        self._one("banners", after="\n\n")
        if block := chance(0.7):
            self._block()
        if not block or chance(0.45):
            self._one("openings", after=" ")
        self._some("follows", 1, 3)
        if chance(0.85):
            self._one("abstract_titles")
            self._some("abstracts", 3, 4)
        if chance(0.4):
            self._one("lives", after="\n\n")
        self._rest()
        if chance(0.5):
            self._one("reminders", after="\n\n")

    def _digest(self) -> None:
        self._one("tops", after="Subject: Talks\n\n")
        self._one("digests", after="\n\n")
        for i in range(len(self.record.seminars)):
            self._turn_to(i)
            self._say(f"{i + 1}. ")
            if self._dice.chance(0.5):
                self._one("openings", after="\n\n")
            else:
                self._say("{series.full}\n")
                self._block()
            self._rest()
        self._turn_to(0)

    def _notice(self) -> None:
        self._one("tops", after="Subject: Notice\n\n")
        self._one("notices", after="\n\n")


def gold(page: Page) -> dict[str, Any]:
    """The document with all its mentions, and a template for each seminar."""
    marks = {f"T{i}": mark for i, mark in enumerate((m for m in page.marks if m.slot), start=1)}
    mentions = [
        {"id": name, "start": mark.start, "end": mark.end, "label": mark.slot}
        for name, mark in marks.items()
    ]
    templates = []
    for i, seminar in enumerate(page.record.seminars):
        fillers = [(m.slot, _filler(page, m, name)) for name, m in marks.items() if m.seminar == i]
        if "implied" in seminar:  # the text does not have this end; it need not be worked out
            first, *others = dict.fromkeys(seminar["implied"].values())
            fillers.append(("etime", {"text": first, "alternatives": others, "optional": True}))
        templates.append(template(fillers))
    return {"id": page.record.id, "text": page.text, "mentions": mentions, "templates": templates}


def template(fillers: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """A template of slots and their fillers, in the order of SLOTS; `location` is nested.

    >>> template([("location.room", "12"), ("topic", "Moss")])["slots"]
    {'topic': ['Moss'], 'location': [{'slots': {'room': ['12']}}]}
    """
    slots: dict[str, list[Any]] = {}
    for slot, filler in sorted(fillers, key=lambda each: SLOTS.index(each[0])):
        name, _, inner = slot.partition(".")
        into = slots.setdefault(name, [{"slots": {}}])[0]["slots"] if inner else slots
        into.setdefault(inner or name, []).append(filler)
    return {"label": "seminar", "slots": slots}


def _filler(page: Page, mark: Mark, mention: str) -> dict[str, Any]:
    filler: dict[str, Any] = {"text": page.text[mark.start : mark.end], "mention": mention}
    if alternative := _alternative(page, mark):
        filler["alternatives"] = [alternative]
    if mark.slot == "topic" and mark.form == "short":
        filler["optional"] = True  # a title that was cut short
    return filler


def _alternative(page: Page, mark: Mark) -> dict[str, Any] | None:
    """Another boundary that is as right: with the article, without the degree, "3 ... pm"."""
    text, start, end = page.text, mark.start, mark.end
    if mark.kind == "building" and (the := _THE.search(text, max(start - 5, 0), start)):
        return {"text": text[the.start() : end], "start": the.start(), "end": end}
    if mark.kind == "person" and mark.form == "full" and "," in text[start:end]:
        end = text.index(",", start)
        return {"text": text[start:end], "start": start, "end": end}
    after = next((each for each in page.marks if each.start >= end), mark)
    if mark.slot == "stime" and mark.form in ("hour", "bare") and after.slot == "etime":
        seminar = page.record.seminars[mark.seminar]
        same = seminar["stime"]["ampm"][-2] == seminar["etime"]["ampm"][-2]
        half = _AM_PM.search(text, after.start, after.end)
        if same and half and _TO.fullmatch(text, end, after.start):
            fragments = [[start, end], [half.start(1), after.end]]
            return {"text": f"{text[start:end]} {half[1]}", "fragments": fragments}
    return None
