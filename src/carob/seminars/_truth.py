"""The truth: what is announced, before anybody has found words for it."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from carob.seminars import _words as words
from carob.seminars._dice import Dice


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a name."""

    title: str
    given: str
    middle: str
    family: str
    degree: str


@dataclass(frozen=True, slots=True)
class Seminar:
    """One talk: who, what, where and when. Times are minutes after midnight.

    `end` is None where nobody said when it ends; `implied` says that the text gives only its
    length.
    """

    series: str
    topic: str
    thing: str
    speakers: tuple[Person, ...]
    affiliations: tuple[str, ...]
    department: str
    host: Person | None
    date: datetime.date
    start: int
    end: int | None
    implied: bool
    building: str
    room: str | None


@dataclass(frozen=True, slots=True)
class Aside:
    """What is in a text and fills no slot: the sender, when it was posted, tea, another room."""

    sender: Person
    colleague: Person
    posted: datetime.date
    posted_at: int
    tea: int
    former: int
    hall: str
    office: str


@dataclass(frozen=True, slots=True)
class Record:
    """What one document says: usually one seminar, sometimes two, now and then none."""

    id: str
    seminars: tuple[Seminar, ...]
    aside: Aside


def record(seed: int, number: int) -> Record:
    """The truth behind document `number`, whatever the number of documents.

    >>> record(0, 5) == record(0, 5) != record(1, 5)
    True
    """
    dice = Dice(seed, "truth", number)
    kind = dice.below(100)
    count = 0 if kind < 4 else 2 if kind < 11 else 1
    families = dice.few(words.FAMILIES, 8)
    givens = dice.few(words.GIVENS, 8)
    people = [
        Person(
            dice.one(words.TITLES),
            given,
            dice.one("ABCDEFGHJKLMNPRSTVW") + "." if dice.chance(0.4) else "",
            family,
            dice.one(words.DEGREES) if dice.chance(0.3) else "",
        )
        for given, family in zip(givens, families, strict=True)
    ]
    day = datetime.date(2031, 9, 1) + datetime.timedelta(dice.below(280))
    halls = dice.few(words.BUILDINGS, 3)
    seminars = []
    for i in range(count):
        speaking = people[3 * i : 3 * i + (2 if count == 1 and dice.chance(0.14) else 1)]
        host = people[3 * i + 2] if dice.chance(0.6) else None
        seminars.append(_seminar(dice, tuple(speaking), host, day, halls[i]))
        day += datetime.timedelta(1 + dice.below(3))
    start = seminars[0].start if seminars else 60 * (9 + dice.below(8))
    aside = Aside(
        people[6],
        people[7],
        day - datetime.timedelta(4 + dice.below(9)),
        8 * 60 + dice.below(500),
        start - 15,
        start + (-60 if dice.chance(0.5) else 60),
        halls[2],
        str(100 + dice.below(900)),
    )
    return Record(f"seminar-{number + 1:04d}", tuple(seminars), aside)


def _seminar(
    dice: Dice, speakers: tuple[Person, ...], host: Person | None, day: datetime.date, hall: str
) -> Seminar:
    while day.weekday() > 4:
        day += datetime.timedelta(1)
    act, thing, way = dice.one(words.ACTS), dice.one(words.THINGS), dice.one(words.WAYS)
    subtitle = dice.one(words.SUBTITLES)
    shapes = (
        f"{act} {thing} {way}",
        f"{act} {thing}: {subtitle}",
        f"{thing} {way}: {subtitle}",
        f"{act} {thing}",
        f"On {thing} {way}",
    )
    start = 9 * 60 + 15 * dice.below(33)
    length = dice.one((45, 60, 60, 60, 75, 90, 120))
    ending = dice.below(10)
    apart = len(speakers) == 2 and dice.chance(0.6)
    number = f"{dice.one(words.FLOORS)}{dice.one('0123')}{dice.below(10)}"
    return Seminar(
        dice.one(words.SERIES),
        dice.one(shapes),
        thing,
        speakers,
        tuple(dice.few(words.AFFILIATIONS, 1 + apart)),
        dice.one(words.DEPARTMENTS),
        host,
        day,
        start,
        start + length if ending < 8 else None,
        5 <= ending < 8,
        hall,
        number if dice.chance(0.9) else None,
    )
