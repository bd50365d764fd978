"""Rendering: a text made from a record, and the place of every filler in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from carob.seminars import _forms as forms
from carob.seminars import _phrases as phrases
from carob.seminars._dice import Dice
from carob.seminars._truth import Aside, Record

_BRACES = re.compile(r"\{(\w+)(?:\.([\w|]+))?\}")
_WIDTH = 72

Values = Mapping[str, tuple[str, forms.Forms]]


@dataclass(frozen=True, slots=True)
class Mark:
    """A filler at its place. `slot` is empty and `kind` is not where it only looks like one.

    `where` is `block` behind a keyword such as "Time:", else `prose` or `subject`.
    """

    slot: str
    kind: str
    form: str
    start: int
    end: int
    where: str
    seminar: int


@dataclass(frozen=True, slots=True)
class Page:
    """A text and its marks, in the order of the text."""

    text: str
    marks: tuple[Mark, ...]


def page(seed: int, record: Record) -> Page:
    """The text of a record.

    >>> from carob.seminars._truth import record as truth
    >>> made = page(0, truth(0, 5))
    >>> [made.text[m.start : m.end] for m in made.marks if m.slot == "stime"]
    ['a quarter to eleven', '4:30 PM']
    """
    dice = Dice(seed, "text", record.id)
    writer = _Writer(dice, record)
    if len(record.seminars) == 1:
        _announcement(writer, dice)
    elif record.seminars:
        _digest(writer, dice)
    else:
        _notice(writer, dice)
    text = _wrapped("".join(writer.parts).rstrip() + "\n")
    return Page(text, tuple(writer.marks))


@cache
def _needs(phrase: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found = _BRACES.findall(phrase)
    return tuple((name, tuple(given.split("|")) if given else ()) for name, given in found)


@cache
def _joined(phrases: tuple[str, ...], speakers: bool, affiliations: bool) -> tuple[str, ...]:
    """`{speakers.x}` as `{speaker.x}`, or as `{speaker.x} and {speaker1.x}`; so affiliations."""
    for name, several in (("speaker", speakers), ("affiliation", affiliations)):
        one = rf"{{{name}.\1}}"
        more = rf"{one} and {{{name}1.\1}}" if several else one
        pattern = rf"\{{{name}s\.([\w|]+)\}}"
        phrases = tuple(re.sub(pattern, more, phrase) for phrase in phrases)
    return phrases


class _Writer:
    """A text on its way, which knows where it put what."""

    def __init__(self, dice: Dice, record: Record) -> None:
        self.dice = dice
        self.parts: list[str] = []
        self.length = 0
        self.marks: list[Mark] = []
        self.said: set[tuple[int, str]] = set()
        self.seminar = 0
        aside = _of_aside(record.aside)
        self.all: list[Values] = [aside | forms.of_seminar(each) for each in record.seminars]
        self.values: Values = self.all[0] if self.all else aside

    def of(self, seminar: int) -> None:
        """Go on with another seminar."""
        self.seminar, self.values = seminar, self.all[seminar]

    def fit(self, phrases: tuple[str, ...]) -> list[str]:
        """The phrases that need only what there is."""
        phrases = _joined(phrases, "speaker1" in self.values, "affiliation1" in self.values)
        return [phrase for phrase in phrases if self._fits(phrase)]

    def _fits(self, phrase: str) -> bool:
        return all(
            name in self.values and (not given or any(f in self.values[name][1] for f in given))
            for name, given in _needs(phrase)
        )

    def say(self, phrase: str, where: str = "prose", after: str = "") -> None:
        """Write a phrase, its fillers in one of the forms it allows."""
        at = 0
        for hole in _BRACES.finditer(phrase):
            self._put(phrase[at : hole.start()])
            at = hole.end()
            slot, there = self.values[hole[1]]
            given = hole[2].split("|") if hole[2] else list(there)
            form = self.dice.one([each for each in given if each in there])
            start = self.length
            self._put(there[form])
            self.said.add((self.seminar, hole[1]))
            if hole[1] not in ("thing", "length"):
                kind = _KINDS[hole[1].rstrip("1")]
                self.marks.append(Mark(slot, kind, form, start, self.length, where, self.seminar))
        self._put(phrase[at:])
        self._put(after)

    def _put(self, text: str) -> None:
        if text.startswith(".") and self.parts[-1].endswith("."):
            text = text[1:]  # the stop of "p.m." ends the sentence, too
        if text:
            self.parts.append(text)
            self.length += len(text)

    def end(self) -> None:
        """End a paragraph."""
        if self.parts[-1] == " ":
            self.length -= len(self.parts.pop())
        self._put("\n\n")

    def one(self, phrases: tuple[str, ...], where: str = "prose", after: str = "") -> None:
        """Write one of several phrases, whichever fits."""
        self.say(self.dice.one(self.fit(phrases)), where, after)

    def unsaid(self) -> list[str]:
        """What the seminar has and the text does not have yet."""
        return [
            phrase
            for name, phrase in phrases.LEFT.items()
            if name in self.values and (self.seminar, name) not in self.said
        ]


_KINDS = {
    "speaker": "person", "host": "person", "sender": "person", "colleague": "person",
    "stime": "time", "etime": "time", "posted_at": "time", "tea": "time", "former": "time",
    "date": "date", "posted": "date", "building": "building", "hall": "building",
    "room": "room", "office": "room", "affiliation": "organisation", "topic": "title",
    "series": "series",
}  # fmt: skip


def _of_aside(aside: Aside) -> dict[str, tuple[str, forms.Forms]]:
    return {
        "sender": ("", forms.of_person(aside.sender)),
        "colleague": ("", forms.of_person(aside.colleague)),
        "posted": ("", forms.of_date(aside.posted)),
        "posted_at": ("", forms.of_clock(aside.posted_at)),
        "tea": ("", forms.of_clock(aside.tea)),
        "former": ("", forms.of_clock(aside.former)),
        "hall": ("", forms.of_building(aside.hall)),
        "office": ("", {"number": aside.office}),
    }


def _announcement(writer: _Writer, dice: Dice) -> None:
    if dice.chance(0.8):
        writer.one(phrases.TOPS)
        writer.one(phrases.SUBJECTS, "subject", "\n\n")
    writer.one(phrases.BANNERS, "prose", "\n\n")
    block = dice.chance(0.7)
    if block:
        _block(writer, dice)
    if not block or dice.chance(0.45):
        writer.one(phrases.OPENINGS, "prose", " ")
    for phrase in dice.few(writer.fit(phrases.FOLLOWS), 1 + dice.below(3)):
        writer.say(phrase, "prose", " ")
    writer.end()
    if dice.chance(0.85):
        writer.say(dice.one(("Abstract\n\n", "ABSTRACT: ", "")))
        for phrase in dice.few(writer.fit(phrases.ABSTRACTS), 3 + dice.below(4)):
            writer.say(phrase, "prose", " ")
        writer.end()
    if dice.chance(0.4):
        writer.one(phrases.LIVES, "prose", "\n\n")
    _rest(writer)
    if dice.chance(0.5):
        writer.one(phrases.REMINDERS, "prose", "\n\n")
    writer.one(phrases.SIGNATURES)


def _block(writer: _Writer, dice: Dice) -> None:
    lines = ["speaker", "topic", "time", "place"]
    lines += [name for name in ("date", "host", "affiliation") if dice.chance(0.5)]
    for name in dice.few(lines, len(lines)):
        if fitting := writer.fit(phrases.BLOCKS[name]):
            writer.say(dice.one(fitting), "block", "\n")
    writer.say("", after="\n")


def _rest(writer: _Writer) -> None:
    """Whatever has not been said yet, so that every filler is in the text at least once."""
    unsaid = writer.unsaid()
    for phrase in unsaid:
        writer.say(phrase, "prose", " ")
    if unsaid:
        writer.end()


def _digest(writer: _Writer, dice: Dice) -> None:
    writer.one(phrases.TOPS, after="Subject: Talks\n\n")
    writer.one(phrases.DIGESTS, after="\n\n")
    for i in range(len(writer.all)):
        writer.of(i)
        writer.say(f"{i + 1}. ")
        if dice.chance(0.5):
            writer.one(phrases.OPENINGS, "prose", "\n\n")
        else:
            writer.say("{series.full}\n")
            _block(writer, dice)
        _rest(writer)
    writer.of(0)
    writer.one(phrases.SIGNATURES)


def _notice(writer: _Writer, dice: Dice) -> None:
    writer.one(phrases.TOPS, after="Subject: Notice\n\n")
    writer.one(phrases.NOTICES, after="\n\n")
    writer.one(phrases.SIGNATURES)


def _wrapped(text: str) -> str:
    """Lines of a mail, broken where a space was, so that every place stays what it is."""
    lines = []
    for line in text.split("\n"):
        while len(line) > _WIDTH and (cut := line.rfind(" ", 1, _WIDTH + 1)) > 0:
            lines.append(line[:cut])
            line = line[cut + 1 :]
        lines.append(line)
    return "\n".join(lines)
