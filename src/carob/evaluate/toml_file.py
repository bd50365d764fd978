"""TOML that people write by hand: read with limits, and every problem reported with its line."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from carob.corpus.problems import SHOWN, InputError, Problem, shown
from carob.corpus.source import Source

LARGEST = 1 << 23
"""The largest file, in bytes: some hundred thousand ids of documents."""

_LONG_KEY = re.compile(r"^[^\n#=\"'\[]{1000}", re.M)
_HEADER = re.compile(r"\s*\[[^\[].*\]\s*(#.*)?")
_KEY = re.compile(r"\s*((?:[A-Za-z0-9_.\s-]|\"(?:[^\"\\]|\\.)*\"|'[^']*')+?)\s*=")

Path = tuple[str, ...]


@dataclass
class TomlFile:
    """The text of a TOML file: where its keys are, and what is wrong with it."""

    name: str
    text: str
    problems: list[Problem] = field(default_factory=list)

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def _line_of_key(self) -> dict[Path, int]:
        """The line of every table and key: what each line alone would mean in TOML."""
        numbers: dict[Path, int] = {}
        table: Path = ()
        for number, line in enumerate(self._lines, 1):
            header = _HEADER.fullmatch(line)
            pair = None if header else _KEY.match(line)
            if header is None and pair is None:
                continue
            try:
                path = _only_path(tomllib.loads(line if pair is None else f"{pair[1]} = 0"))
            except (ValueError, RecursionError):
                continue
            if pair is None:
                table = path
            else:
                path = (*table, *path)
            for size in range(1, len(path) + 1):
                numbers.setdefault(path[:size], number)
        return numbers

    def line(self, path: Path) -> int | None:
        """The line of a key, or else that of the table it is in."""
        while path and path not in self._line_of_key:
            path = path[:-1]
        return self._line_of_key.get(path)

    def line_of(self, path: Path, item: str, skip: int = 0) -> int | None:
        """The line of an item of a list, the one after `skip` others like it."""
        if len(self.problems) >= SHOWN:
            return None  # it will not be shown
        first = self.line(path)
        for number in range(first or 1, len(self._lines) + 1):
            line = self._lines[number - 1]
            skip -= line.count(f'"{item}"') + line.count(f"'{item}'")
            if skip < 0:
                return number
        return first

    def wrong(
        self, code: str, path: Path, found: str, expected: str, hint: str = "",
        line: int | None = None,
    ) -> None:  # fmt: skip
        """Add a problem."""
        at = self.line(path) if line is None and path else line
        self.problems.append(Problem(code, self.name, at, found, expected, hint))


def _only_path(value: Any) -> Path:
    """The keys that lead to the only value of nested tables."""
    path: list[str] = []
    while isinstance(value, dict) and value:
        [(key, value)] = value.items()
        path.append(key)
    return tuple(path)


def dotted(path: Path) -> str:
    """A key as the file writes it.

    >>> dotted(("slots", "talk.speaker", "fillers"))
    'slots."talk.speaker".fillers'
    """
    return ".".join(part if re.fullmatch(r"[\w-]+", part, re.A) else f'"{part}"' for part in path)


def read_toml(source: Source, what: str, hint: str) -> tuple[TomlFile, dict[str, Any]]:
    """The text of a file, and its values. `what` it is, and how to get one (`hint`), is for errors.

    >>> read_toml(Source.of_bytes(b"[corpus]"), "a task definition", "write one")[1]
    {'corpus': {}}
    """
    text = _decode(source, what, hint)
    if long := _LONG_KEY.search(text):  # tomllib would take very long
        line = text.count("\n", 0, long.start()) + 1
        found = "a key of more than 1,000 characters"
        raise InputError([Problem("K821", source.name, line, found, "a shorter one")])
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError([_invalid_toml(source.name, what, error)]) from None
    return TomlFile(source.name, text), values


def _decode(source: Source, what: str, hint: str) -> str:
    data = source.head(LARGEST + 1)
    if len(data) > LARGEST:
        raise source.failure("K010", f"a file of more than {LARGEST >> 20} MiB", what)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"the byte {data[error.start]:#04x}"
        raise InputError([Problem("K821", source.name, line, found, "TOML in UTF-8")]) from None
    if not text.strip():
        raise source.failure("K002", "an empty file", what, hint)
    return text.replace("\r\n", "\n")


def _invalid_toml(name: str, what: str, error: Exception) -> Problem:
    text = str(error) if isinstance(error, ValueError) else "it nests too deep"
    where = re.search(r" \(at line (\d+), column \d+\)$", text)
    line = int(where[1]) if where else None
    text = text[: where.start()] if where else text.replace(" (at end of document)", " at the end")
    return Problem("K821", name, line, f"invalid TOML ({text})", what,
                   "texts are in quotes, tables in brackets")  # fmt: skip


def in_words(value: Any) -> str:
    """A value in a message: short ones as they are, others by what they are. Of a list, it is the
    first item that is no text, or else the first.

    >>> in_words(True), in_words([]), in_words(["a", 5, "b"]), in_words([["a"]])
    ('true', '[]', '[…, 5, …]', '[a list]')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        if not value:
            return "[]"
        at = next((i for i, each in enumerate(value) if not isinstance(each, str)), 0)
        one = "a list" if isinstance(value[at], list) else in_words(value[at])
        return f"[{'…, ' if at else ''}{one}{', …' if at + 1 < len(value) else ''}]"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, (int, float)):
        return shown(repr(value))[1:-1] if abs(value) < 1e18 else "a number that is too large"
    return f"the {type(value).__name__} {value}"
