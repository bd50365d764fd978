"""challenge.toml: title and text, where the files are, the phases with their rules, the limits."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from carob.corpus.problems import TaskError, UsageError, nearest, shown
from carob.corpus.source import Source
from carob.evaluate.toml_file import TomlFile, dotted, in_words, read_toml

FILE = "challenge.toml"
REGISTRATION = ("invitation", "open")
OFFICIAL = ("last", "primary")
EMPTY = ("invalid", "allowed")
_FEEDBACK = re.compile(r"(full|headline|ladder|none)|rounded\(([0-9])\)")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a phase shows of a score before its results are revealed.

    >>> str(Feedback.parse("rounded(2)")), Feedback.parse("ladder").sentence
    ('rounded(2)', 'A score is shown, in whole points, only if it beats your best by more ...')
    """

    kind: str
    digits: int = 0

    @classmethod
    def parse(cls, text: str) -> Feedback:
        """From challenge.toml."""
        match = _FEEDBACK.fullmatch(text)
        if match is None:
            raise UsageError(f"no feedback is called {text!r}")
        return cls(match[1] or "rounded", int(match[2] or 0))

    def __str__(self) -> str:
        return f"rounded({self.digits})" if self.kind == "rounded" else self.kind

    @property
    def sentence(self) -> str:
        """What participants read."""
        return {
            "full": "Scores are shown with intervals and for each label.",
            "headline": "The official score is shown.",
            "rounded": f"The official score is shown with {self.digits} decimals.",
            "ladder": "A score is shown, in whole points, only if it beats your best by more than "
            "chance explains.",
            "none": "Nothing is shown until the results are revealed.",
        }[self.kind]


@dataclass(frozen=True, slots=True)
class Limits:
    """What is refused, and when work on a submission is stopped."""

    upload_bytes: int = 50_000_000
    """The largest upload."""
    unpacked_bytes: int = 200_000_000
    """The largest content of a zip or gz file."""
    archive_entries: int = 10_000
    """How many files a zip file may hold."""
    uploads_an_hour: int = 60
    """How many uploads of a team are looked at in an hour, with those that are invalid."""
    requests_a_minute: int = 300
    """How many attempts to register or log in are taken from one address."""
    registrations_an_hour: int = 5
    """How many teams may register from one address in an hour, without an invitation."""
    upload_seconds: int = 300
    """When an upload that does not end is given up."""
    validating_seconds: int = 20
    """When validating one submission is given up."""
    validating_megabytes: int = 512
    """How much memory validating one submission may take."""
    scoring_seconds: int = 120
    """When scoring one submission is given up."""
    report_seconds: int = 600
    """When writing the report of one submission is given up."""
    memory_megabytes: int = 2048
    """How much memory scoring one submission may take."""


@dataclass(frozen=True, slots=True)
class Phase:
    """One phase, with all its rules. Times are UTC."""

    name: str
    title: str
    opens: datetime
    closes: datetime | None
    """None: it stays open."""
    reveal_at: datetime | None
    """None: the organiser decides."""
    feedback: Feedback
    grace_seconds: int = 0
    quota_a_day: int = 0
    """0: any number."""
    quota: int = 0
    reveals: int = 20
    """How many scores the ladder shows to a team, the first one included."""
    late: bool = False
    part: str = "all"
    """The part of the task that is scored; `all` is every document."""
    final: str = ""
    """With `parts`: the part whose scores are the results, from the reveal on."""
    empty: bool = False
    """Whether a file without any answer is valid."""
    reports: bool = True
    """Whether each team gets its report, with examples from gold, after the reveal."""
    inputs: str = ""
    gold: str = ""
    task: str = ""
    text: str = ""

    @property
    def deadline(self) -> datetime | None:
        """The moment before which an upload must begin."""
        return None if self.closes is None else self.closes + timedelta(seconds=self.grace_seconds)

    def moved(self, opens: datetime, closes: datetime | None) -> Phase:
        """With other times. A reveal when it opened or closed is still then."""
        new = replace(self, opens=opens, closes=closes)
        if self.reveal_at is not None and self.reveal_at == self.deadline:
            return replace(new, reveal_at=new.deadline)
        return replace(new, reveal_at=opens) if self.reveal_at == self.opens else new

    def status(self, now: datetime) -> str:
        """`coming`, `open` or `closed`."""
        if now < self.opens:
            return "coming"
        return "open" if self.deadline is None or now < self.deadline else "closed"


@dataclass(frozen=True)
class Config:
    """What challenge.toml says."""

    folder: Path
    title: str
    phases: Mapping[str, Phase]
    """In the order of the file."""
    text: str = ""
    organiser: str = ""
    contact: str = ""
    registration: str = "invitation"
    official: str = "last"
    logo: str = ""
    colour: str = ""
    stalled_after: int = 300
    """After how many seconds a job that waits is a reason to say that scoring stalls."""
    limits: Limits = Limits()

    @classmethod
    def read(cls, folder: str | Path) -> Config:
        """Read and check the configuration of a challenge."""
        folder = Path(folder)
        if not (folder / FILE).is_file():
            raise UsageError(
                f"{folder} is not the folder of a challenge: it has no {FILE}; "
                "carob challenge init DIR --inputs FILE --gold FILE drafts one"
            )
        file, values = read_toml(
            Source(folder / FILE),
            "the definition of a challenge",
            "carob challenge init drafts one",
        )
        _check(file, values, folder)
        if file.problems:
            raise TaskError(file.problems)
        defaults = {key: values.get(key, fallback) for key, fallback in DEFAULT_FILES.items()}
        phases = {name: _phase(name, own, defaults) for name, own in values["phases"].items()}
        return cls(
            folder, values["title"], phases,
            **{key: values[key] for key in
               ("text", "organiser", "contact", "registration", "official", "logo", "colour",
                "stalled_after")
               if key in values},
            limits=Limits(**values.get("limits", {})),
        )  # fmt: skip

    def phase(self, name: str) -> Phase:
        """A phase by its name."""
        if name not in self.phases:
            raise UsageError(f"no phase is called {name!r}{nearest(name, list(self.phases))}")
        return self.phases[name]

    def open_phases(self, now: datetime) -> list[Phase]:
        """The phases that take submissions; several are tracks."""
        return [each for each in self.phases.values() if each.status(now) == "open"]

    def current(self, now: datetime) -> Phase | None:
        """Of the phases that are open, the one that opened last."""
        return max(self.open_phases(now), key=lambda each: each.opens, default=None)

    def the_open_phase(self, now: datetime) -> Phase | None:
        """The phase that takes submissions; if there are several, whoever asks has to say which."""
        there = self.open_phases(now)
        if len(there) > 1:
            names = " and ".join(each.name for each in there)
            raise UsageError(f"{names} are open: say which with --phase")
        return there[0] if there else None

    def moved(self, times: Mapping[str, tuple[datetime, datetime | None]]) -> Config:
        """With other times for some phases: when they open and close."""
        phases = {
            name: phase.moved(*times[name]) if name in times else phase
            for name, phase in self.phases.items()
        }
        return replace(self, phases=phases)


DEFAULT_FILES = {
    "inputs": "public/inputs.jsonl", "gold": "private/gold.jsonl", "task": "task.toml",
}  # fmt: skip

Kind = tuple[Callable[[Any], object], str]

_TEXT: Kind = (lambda value: isinstance(value, str), "a text in quotes")
_FILLED: Kind = (lambda value: isinstance(value, str) and value.strip(), "a text in quotes")
_FILE: Kind = (
    lambda value: isinstance(value, str) and value and ".." not in Path(value).parts
    and not Path(value).is_absolute(),
    "the path of a file in this folder",
)  # fmt: skip
_TIME: Kind = (
    lambda value: isinstance(value, datetime) and value.tzinfo is not None
    and 1900 <= value.year < 3000,
    "a time with its zone before the year 3000, like 2027-03-01T12:00:00Z",
)  # fmt: skip
_WHOLE: Kind = (
    lambda value: type(value) is int and 0 <= value <= 10**9,
    "a whole number from 0 to 1,000,000,000",
)
_POSITIVE: Kind = (
    lambda value: type(value) is int and 0 < value <= 10**12,
    "a whole number from 1 to 1,000,000,000,000",
)
LOGOS = {
    ".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp",
}  # fmt: skip
_LOGO: Kind = (
    lambda value: _FILE[0](value) and Path(value).suffix in LOGOS,
    f"the path of a picture in this folder: {', '.join(LOGOS)}",
)
_COLOUR: Kind = (
    lambda value: isinstance(value, str) and re.fullmatch("#[0-9a-fA-F]{6}", value),
    "a colour like #0a5c8f",
)
_SWITCH: Kind = (lambda value: isinstance(value, bool), "true or false")
_REVEAL: Kind = (
    lambda value: _TIME[0](value) or value in ("opens", "closes", "never"),
    'a time like 2027-03-01T12:00:00Z, "opens", "closes" or "never"',
)


_PARTS: Kind = (
    lambda value: isinstance(value, dict) and {*value} == {"board", "reveal"}
    and all(isinstance(each, str) and each.strip() for each in value.values())
    and value["board"] != value["reveal"],
    '{ board = "…", reveal = "…" }, two parts of the task',
)  # fmt: skip


def _one_of(choices: tuple[str, ...]) -> Kind:
    words = " or ".join(f'"{each}"' for each in choices)
    return (lambda value: value in choices, words)


KEYS: Mapping[str, Kind] = {
    "title": _FILLED, "text": _TEXT, "organiser": _TEXT, "contact": _TEXT,
    "registration": _one_of(REGISTRATION), "official": _one_of(OFFICIAL),
    "logo": _LOGO, "colour": _COLOUR, "stalled_after": _POSITIVE,
    "inputs": _FILE, "gold": _FILE, "task": _FILE,
}  # fmt: skip
PHASE_KEYS: Mapping[str, Kind] = {
    "title": _FILLED, "text": _TEXT, "opens": _TIME, "closes": _TIME, "grace_seconds": _WHOLE,
    "quota_a_day": _WHOLE, "quota": _WHOLE, "reveals": _POSITIVE,
    "feedback": (
        lambda value: isinstance(value, str) and _FEEDBACK.fullmatch(value),
        '"full", "headline", "rounded(2)", "ladder" or "none"',
    ),
    "empty": _one_of(EMPTY),
    "reveal_at": _REVEAL, "parts": _PARTS, "late": _SWITCH, "part": _FILLED, "reports": _SWITCH,
    "inputs": _FILE, "gold": _FILE, "task": _FILE,
}  # fmt: skip


def _check(file: TomlFile, values: Mapping[str, Any], folder: Path) -> None:
    _check_keys(file, (), {k: v for k, v in values.items() if k not in ("phases", "limits")}, KEYS)
    if "title" not in values:
        file.wrong("K920", (), "no title", 'title = "…"')
    if isinstance(limits := values.get("limits", {}), dict):
        known = {each.name: _POSITIVE for each in fields(Limits)}
        _check_keys(file, ("limits",), limits, known)
    else:
        file.wrong("K921", ("limits",), f"limits = {in_words(limits)}", "a table: [limits]")
    phases = values.get("phases")
    if not isinstance(phases, dict) or not phases:
        file.wrong("K920", ("phases",), "no phase", "at least one: [phases.NAME]")
        return
    before: datetime | None = None
    for name, phase in phases.items():
        path = ("phases", name)
        if not _NAME.fullmatch(name):
            expected = "small letters, digits and hyphens, at most 40: it is part of addresses"
            file.wrong("K921", path, f"a phase called {shown(name)}", expected)
        if not isinstance(phase, dict):
            file.wrong("K921", path, f"{dotted(path)} = {in_words(phase)}", "a table")
            continue
        _check_keys(file, path, phase, PHASE_KEYS)
        before = _check_times(file, path, phase, before)
    _check_gold_is_hidden(file, values)


def _check_gold_is_hidden(file: TomlFile, values: Mapping[str, Any]) -> None:
    """Inputs and tasks are served to everybody: none of them may be gold."""
    tables: list[tuple[tuple[str, ...], Mapping[str, Any]]] = [((), {**DEFAULT_FILES, **values})]
    for name, own in values["phases"].items():
        if isinstance(own, dict):
            tables.append((("phases", name), own))
    hidden = {Path(own["gold"]) for _, own in tables if isinstance(own.get("gold"), str)}
    for path, own in tables:
        for key in ("inputs", "task", "logo"):
            value = own.get(key)
            if isinstance(value, str) and Path(value) in hidden:
                file.wrong("K921", (*path, key), f"{key} = {shown(value)}, which is gold",
                           "another file than gold: everybody can read it")  # fmt: skip


def _check_keys(
    file: TomlFile, path: tuple[str, ...], values: Mapping[str, Any], known: Mapping[str, Kind]
) -> None:
    for key, value in values.items():
        own = (*path, key)
        if key not in known:
            where = f"a key of [{dotted(path)}]" if path else "a key"
            file.wrong("K920", own, f"the key {shown(key)}", f"{where}{nearest(key, list(known))}")
        elif not known[key][0](value):
            file.wrong("K921", own, f"{dotted(own)} = {in_words(value)}", known[key][1])


def _check_times(
    file: TomlFile, path: tuple[str, ...], phase: Mapping[str, Any], before: datetime | None
) -> datetime | None:
    """The phases follow each other; this one opens before it closes."""
    opens, closes, reveal = (phase.get(key) for key in ("opens", "closes", "reveal_at"))
    for key in ("opens", "feedback"):
        if key not in phase:
            file.wrong("K920", path, f"[{dotted(path)}] without {key}", f"{key} = …")
    if reveal == "closes" and closes is None:
        file.wrong("K921", (*path, "reveal_at"), 'reveal_at = "closes" and no closes',
                   "a phase that closes, or a time")  # fmt: skip
    if "part" in phase and "parts" in phase:
        file.wrong("K921", (*path, "parts"), "part and parts", "one of the two")
    if not _TIME[0](opens):
        return before
    assert isinstance(opens, datetime)
    if before is not None and opens < before:
        file.wrong("K921", (*path, "opens"), f"opens = {opens}, before the phase above it",
                   "phases in the order in which they open")  # fmt: skip
    if isinstance(closes, datetime) and closes.tzinfo is not None and closes <= opens:
        file.wrong("K921", (*path, "closes"), f"closes = {closes}", f"a time after {opens}")
    return opens


def _phase(name: str, values: Mapping[str, Any], files: Mapping[str, str]) -> Phase:
    own = {**files, **values}
    opens: datetime = own["opens"].astimezone(UTC)
    closes = own["closes"].astimezone(UTC) if "closes" in own else None
    reveal = own.get("reveal_at", "closes" if closes else "never")
    grace = timedelta(seconds=own.get("grace_seconds", 0))
    named = {"opens": opens, "closes": closes and closes + grace, "never": None}
    own |= {
        "opens": opens, "closes": closes, "title": own.get("title", name),
        "reveal_at": named[reveal] if isinstance(reveal, str) else reveal.astimezone(UTC),
        "feedback": Feedback.parse(own["feedback"]),
        "empty": own.get("empty") == "allowed",
        "final": own["parts"]["reveal"] if "parts" in own else "",
    }  # fmt: skip
    if "parts" in own:
        own["part"] = own.pop("parts")["board"]
    return Phase(name, **own)
