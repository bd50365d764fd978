"""Pages: facts are drawn, lines and sentences are chosen that state them, and put together."""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from importlib import resources
from random import Random
from typing import Any, NamedTuple, TypeVar

_HOLE = re.compile(r"\{(\w+)\}")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_LONG_LINE = re.compile(r"(?=.{73})(.{1,72}) ")
_ENDS = (".", "?", "!")
_FIRST_DAY, _DAYS = date(1994, 1, 3), 730
_SPREAD = 0.5  # of the logarithm of the length of documents

_Option = TypeVar("_Option")


class Mark(NamedTuple):
    """A filler of the slot `name`; or a fact of the kind `name` that only looks like one."""

    start: int
    end: int
    name: str
    is_filler: bool


class Line(NamedTuple):
    """A line or a sentence with its marks. `before` is what separates it from the one before."""

    text: str
    marks: tuple[Mark, ...]
    before: str = "\n"
    is_padding: bool = False


class Page(NamedTuple):
    """The lines of a document, with its layout and date."""

    lines: list[Line]
    family: str
    date: date


class Phrase:
    """A phrase with holes, cut into pieces: every second piece is the name of a hole."""

    def __init__(self, text: str, slots: Mapping[str, object]) -> None:
        self.pieces = _HOLE.split(text)
        self.slots = Counter(name for name in self.pieces[1::2] if name in slots)


@dataclass(frozen=True, eq=False)
class Kind:
    """The words and phrases of a kind of corpus, from its TOML file."""

    id: str
    tokens: int
    distractors: Sequence[int]
    slots: Mapping[str, Mapping[str, Any]]
    facts: Mapping[str, Mapping[str, Any]]
    made: Mapping[str, Sequence[str]]
    words: Mapping[str, Sequence[str]]
    families: Sequence[Mapping[str, Any]]
    headers: Mapping[str, Sequence[Sequence[Phrase]]]
    sentences: Mapping[str, Sequence[Phrase]]
    confused: Mapping[str, str]
    constant: frozenset[str]

    @classmethod
    @cache
    def load(cls, name: str) -> Kind:
        """The kind of this name.

        >>> Kind.load("seminars").id
        'seminar'
        """
        file = resources.files("carob.example.generator").joinpath(f"{name}.toml")
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        slots = data["slots"]
        headers = {
            family["name"]: [
                [Phrase(version, slots) for version in line.split(" | ")]
                for line in family["header"]
            ]
            for family in data["families"]
        }
        sentences = {
            part: [Phrase(text, slots) for text in texts]
            for part, texts in data["sentences"].items()
        }
        return cls(
            data["id"], data["tokens"], data["distractors"], slots, data["facts"], data["made"],
            data["words"], data["families"], headers, sentences, data["confused"],
            frozenset(data["constant"]),
        )  # fmt: skip

    def name(self, number: int) -> str:
        """The id of a document.

        >>> Kind.load("calls").name(7)
        'call-00007'
        """
        return f"{self.id}-{number:05d}"


Fact = dict[str, str]
"""The words of one fact, drawn when they are needed: all its forms have the same."""


class Writer:
    """Fills the holes of phrases for one document, at a time between 0 (early) and 1 (late)."""

    def __init__(self, data: Kind, rng: Random, time: float, drift: float) -> None:
        self.data, self.rng, self.time, self.drift = data, rng, time, drift
        self.left: Counter[str] = Counter()
        self.facts: dict[str, Fact] = {}
        self.stated: dict[str, str] = {}
        self.used: set[Phrase] = set()
        self.constants: Fact = {}
        for slot, about in data.slots.items():
            present, shares = rng.random() < about["presence"], about["mentions"]
            if present:
                numbers = range(1, len(shares) + 1)
                self.left[slot] = rng.choices(numbers, shares)[0]
            self.facts[slot] = self._clock(about) if about["fact"] == "clock" else {}
            usual = about.get("usual", {"share": 0.0, "facts": 1})
            if rng.random() < usual["share"]:
                self._draw_usual(slot, rng.randrange(usual["facts"]))

    def _draw_usual(self, slot: str, number: int) -> None:
        """Draw all words of a fact that several documents have."""
        rng, self.rng = self.rng, Random(f"usual {slot} {number}")
        kind = self.data.facts[self.data.slots[slot]["fact"]]
        for name in sorted({name for form in kind["first"] + kind["later"]
                            for name in _HOLE.findall(form)}):  # fmt: skip
            self._word(name, self.facts[slot])
        self.rng = rng

    def _clock(self, about: Mapping[str, Any]) -> Fact:
        """The words of a time, of a slot or of none."""
        start = self.facts.get(about.get("after", ""))
        minutes = 15 * self.rng.randrange(4 * 8, 4 * 19)
        if start is not None:
            length = self.rng.choice(self.data.facts["clock"]["lengths"])
            minutes = 60 * int(start["hour"]) + int(start["minute"]) + length
        hour, minute = divmod(minutes, 60)
        return {
            "hour": str(hour), "minute": f"{minute:02d}", "twelve": str(hour % 12 or 12),
            "half": "AP"[hour >= 12], "small": "ap"[hour >= 12],
        }  # fmt: skip

    def pick(self, options: Sequence[_Option]) -> _Option:
        """One of some options. With drift, early documents have the first, late ones the last."""
        if self.drift == 0 or len(options) == 1:
            return self.rng.choice(options)
        last = len(options) - 1
        distances = (abs(place / last - self.time) for place in range(len(options)))
        weights = [math.exp(-8 * self.drift * distance) for distance in distances]
        return self.rng.choices(options, weights)[0]

    def _word(self, name: str, fact: Fact) -> str:
        """A word of a fact, which keeps it."""
        if name not in fact:
            fact[name] = self._draw(name.rstrip("0123456789"))
            if name == "d2":  # the last day of several
                fact[name] = str(int(fact["d1"]) + self.rng.randrange(1, 4))
        return fact[name]

    def _draw(self, name: str) -> str:
        """A new word: from a list, made of others, or a number."""
        rng = self.rng
        if name in self.data.words:
            return rng.choice(self.data.words[name])
        if name in self.data.made:
            form = rng.choice(self.data.made[name])
            return _HOLE.sub(lambda hole: self._draw(hole[1]), form)
        if name == "letters":
            return "".join(rng.choices("ABCDEFGHILMNOPRSTW", k=rng.randrange(3, 7)))
        if name == "low":
            return (
                rng.choice(self.data.words["head"]) + rng.choice(self.data.words["tail"])
            ).lower()
        if name in ("year", "yy"):
            year = self.constants.setdefault("year", str(rng.randrange(1996, 2006)))
            return year if name == "year" else year[2:]
        low, high = {"n": (2, 99), "room": (100, 8400)}.get(name, (1, 28))
        return str(rng.randrange(low, high))

    def _form(self, kind: str, forms: str, fact: Fact) -> str:
        form = self.pick(self.data.facts[kind][forms])
        return _HOLE.sub(lambda hole: self._word(hole[1], fact), form)

    def sentence(self, part: str) -> Line:
        """A sentence that states only what is left to be stated. None comes again before all that
        are possible have been used.
        """
        fitting = [phrase for phrase in self.data.sentences[part] if self.fits(phrase)]
        fresh = [phrase for phrase in fitting if phrase not in self.used] or fitting
        if len(fresh) == len(fitting):
            self.used.difference_update(fitting)
        phrase = self.pick(fresh)
        self.used.add(phrase)
        return self.fill(phrase)._replace(is_padding=part == "fillers")

    def fill(self, phrase: Phrase, *, shout: bool = False) -> Line:
        """The phrase with fillers, words and facts that are no fillers in its holes."""
        text, marks = phrase.pieces[0], []
        for name, literal in zip(phrase.pieces[1::2], phrase.pieces[2::2], strict=True):
            start = len(text)
            if name in self.data.slots:
                text += self._filler(name)
                marks.append(Mark(start, len(text), name, True))
                self.left[name] -= 1
            elif name in self.data.facts:
                fact = self._clock({}) if name == "clock" else {}
                text += self._form(name, "first", fact)
                marks.append(Mark(start, len(text), name, False))
            elif name in self.data.constant:
                text += self._word(name, self.constants)
            else:
                text += self._draw(name)
            # The full stop of "p.m." also ends the sentence.
            text += literal[1:] if text.endswith(".") and literal.startswith(".") else literal
        return Line(text.upper() if shout else text, tuple(marks))

    def _filler(self, slot: str) -> str:
        kind = self.data.slots[slot]["fact"]
        first = slot not in self.stated
        if first or not self.data.facts[kind].get("same"):
            text = self._form(kind, "first" if first else "later", self.facts[slot])
            self.stated.setdefault(slot, text)
            return text
        return self.stated[slot]

    def fits(self, phrase: Phrase) -> bool:
        """Whether there are fillers left for all slots of a phrase."""
        return all(self.left[slot] >= count for slot, count in phrase.slots.items())


def page(data: Kind, rng: Random, families: int | None = None, drift: float = 0.0) -> Page:
    """A document: the header of its layout, sentences that state what is left, and padding.

    >>> made = page(Kind.load("seminars"), Random(1))
    >>> sorted({mark.name for line in made.lines for mark in line.marks if mark.is_filler})
    ['etime', 'location', 'stime']
    """
    time = rng.random()
    writer = Writer(data, rng, time, drift)
    family = writer.pick(data.families[:families])
    tokens = data.tokens * math.exp(rng.gauss(-(_SPREAD**2) / 2, _SPREAD))
    shout = family.get("shout", False)
    lines = [
        writer.fill(version, shout=shout)
        for versions in data.headers[family["name"]]
        if (version := next(filter(writer.fits, versions), None)) is not None
    ]
    carriers = []
    while writer.left.total():
        carriers.append(writer.sentence("carriers"))
    opening = rng.randrange(len(carriers) + 1)
    rng.shuffle(carriers)
    distractors = [writer.sentence("distractors") for _ in range(rng.randrange(*data.distractors))]
    closing = [*carriers[opening:], *distractors]
    rng.shuffle(closing)
    count = sum(len(_TOKEN.findall(line.text)) for line in (*lines, *carriers, *distractors))
    padding: list[Line] = []
    while count < tokens - 7:  # half a sentence
        padding.append(writer.sentence("fillers"))
        count += len(_TOKEN.findall(padding[-1].text))
    middle = rng.randrange(len(padding) + 1)
    for paragraph in (carriers[:opening], padding[:middle], padding[middle:], closing):
        lines += _paragraph(paragraph)
    return Page(lines, family["name"], _FIRST_DAY + timedelta(days=int(time * _DAYS)))


def _paragraph(lines: Sequence[Line]) -> list[Line]:
    """Sentences after each other; what is no sentence stands on a line of its own."""
    made: list[Line] = []
    for line in lines:
        prose = made and made[-1].text.endswith(_ENDS) and line.text.endswith(_ENDS)
        made.append(line._replace(before=" " if prose else "\n" if made else "\n\n"))
    return made


def repost(data: Kind, rng: Random, made: Page) -> tuple[date, list[Line]]:
    """The same page some days later: a line on top, and a few other sentences."""
    writer = Writer(data, rng, 0.0, 0.0)
    writer.left.clear()
    lines = [writer.sentence("reposts")]
    for line in made.lines:
        if line.is_padding and rng.random() < 0.1:
            lines.append(writer.sentence("fillers")._replace(before=line.before))
        else:
            lines.append(line)
    return made.date + timedelta(days=rng.randrange(1, 8)), lines


def joined(lines: Sequence[Line]) -> tuple[str, list[Mark]]:
    """The text, and all marks where they are in it. A line is broken where a space was."""
    text, marks = "", []
    for line in lines:
        text += line.before if text else ""
        marks += [mark._replace(start=mark.start + len(text), end=mark.end + len(text))
                  for mark in line.marks]  # fmt: skip
        text += line.text
    return _LONG_LINE.sub(r"\1\n", text) + "\n", marks
