"""What is announced, before it is put into words."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Sequence
from datetime import date, timedelta
from hashlib import sha256
from importlib import resources
from typing import NamedTuple, TypeVar

_T = TypeVar("_T")

DATA = tomllib.loads(
    resources.files("carob.seminars").joinpath("seminars.toml").read_text(encoding="utf-8")
)
WORDS: dict[str, list[str]] = DATA["words"]


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
        return self.one(WORDS[kind])


class Person(NamedTuple):
    """A name and its parts."""

    title: str
    given: str
    middle: str
    family: str
    degree: str


class Seminar(NamedTuple):
    """One talk. Times are minutes after midnight; if `implied`, the text gives only the length."""

    series: str
    topic: str
    thing: str
    speakers: tuple[Person, ...]
    affiliations: tuple[str, ...]
    department: str
    host: Person | None
    date: date
    start: int
    end: int | None
    implied: bool
    building: str
    room: str | None


class Aside(NamedTuple):
    """What is in a text and fills no slot: the sender, when it was posted, tea, another room."""

    sender: Person
    colleague: Person
    posted: date
    posted_at: int
    tea: int
    former: int
    hall: str
    office: str


class Record(NamedTuple):
    """What one document says: usually one seminar, sometimes two or none."""

    id: str
    seminars: tuple[Seminar, ...]
    aside: Aside


def record(seed: int, number: int) -> Record:
    """What document `number` says, whatever the number of documents."""
    dice = Dice(seed, "truth", number)
    kind = dice.below(100)
    count = 0 if kind < 4 else 2 if kind < 11 else 1
    families, givens = dice.few(WORDS["families"], 8), dice.few(WORDS["givens"], 8)
    people = [
        Person(
            dice.word("titles"),
            given,
            dice.one("ABCDEFGHJKLMNPRSTVW") + "." if dice.chance(0.4) else "",
            family,
            dice.word("degrees") if dice.chance(0.3) else "",
        )
        for given, family in zip(givens, families, strict=True)
    ]
    day = date(2031, 9, 1) + timedelta(dice.below(280))
    halls = dice.few(WORDS["buildings"], 3)
    seminars = []
    for i in range(count):
        speakers = people[3 * i : 3 * i + (2 if count == 1 and dice.chance(0.14) else 1)]
        host = people[3 * i + 2] if dice.chance(0.6) else None
        seminars.append(_seminar(dice, tuple(speakers), host, day, halls[i]))
        day += timedelta(1 + dice.below(3))
    start = seminars[0].start if seminars else 60 * (9 + dice.below(8))
    posted = day - timedelta(4 + dice.below(9))
    posted_at = 8 * 60 + dice.below(500)
    former = start + (-60 if dice.chance(0.5) else 60)
    office = str(100 + dice.below(900))
    aside = Aside(*people[6:], posted, posted_at, start - 15, former, halls[2], office)
    return Record(f"seminar-{number + 1:04d}", tuple(seminars), aside)


def _seminar(
    dice: Dice, speakers: tuple[Person, ...], host: Person | None, day: date, hall: str
) -> Seminar:
    while day.weekday() > 4:
        day += timedelta(1)
    words = {kind: dice.word(kind) for kind in ("acts", "things", "ways", "subtitles")}
    start = 9 * 60 + 15 * dice.below(33)
    length = dice.one((45, 60, 60, 60, 75, 90, 120))
    ending = dice.below(10)
    apart = len(speakers) == 2 and dice.chance(0.6)
    number = f"{dice.word('floors')}{dice.one('0123')}{dice.below(10)}"
    return Seminar(
        series=dice.word("series"),
        topic=dice.one(DATA["titles"]).format(**words),
        thing=words["things"],
        speakers=speakers,
        affiliations=tuple(dice.few(WORDS["affiliations"], 1 + apart)),
        department=dice.word("departments"),
        host=host,
        date=day,
        start=start,
        end=start + length if ending < 8 else None,
        implied=5 <= ending < 8,
        building=hall,
        room=number if dice.chance(0.9) else None,
    )
