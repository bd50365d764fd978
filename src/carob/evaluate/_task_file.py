"""A task definition as a file: TOML, read and checked; every problem is told with its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from carob.corpus.problems import SHOWN, InputError, Problem, TaskError, nearest, shown
from carob.corpus.source import Source

LARGEST = 1 << 23
"""The largest task definition, in bytes: some hundred thousand ids of documents."""

FILLERS = ("exactly one", "at most one", "at least one", "any")
REALISATIONS = ("one", "many")
TOKENIZERS = ("given", "words", "whitespace", "auto")
MATCH = "exact, overlap or contains(k=N)"

_KEYS: Mapping[str, Mapping[str, str]] = {
    "corpus": {
        "name": "text", "version": "text", "sha256": "hash", "documents": "count",
        "format": "text", "source": "text", "note": "text",
    },
    "scoring": {"recipes": "texts", "match": "match", "tokenizer": "tokenizer"},
}  # fmt: skip
_NEEDED = {"corpus": ("name", "version", "sha256", "documents"), "scoring": ("recipes",)}
_SLOT = {"fillers": FILLERS, "realisations": REALISATIONS}
_TABLES = ("corpus", "scoring", "slots", "parts")
_LONG_KEY = re.compile(r"^[^\n#=\"'\[]{1000}", re.M)
_HEADER = re.compile(r"\s*\[[^\[].*\]\s*(#.*)?")
_KEY = re.compile(r"\s*((?:[A-Za-z0-9_.\s-]|\"(?:[^\"\\]|\\.)*\"|'[^']*')+?)\s*=")

Path = tuple[str, ...]


@dataclass()
class Text:
    """The text of a task definition: where its keys are, and what is wrong with it."""

    name: str
    text: str
    problems: list[Problem] = field(default_factory=list)
    _lines: dict[Path, int] | None = None
    _text: list[str] | None = None

    def line(self, path: Path) -> int | None:
        """The line on which a key stands, else that of the table it is in."""
        if self._lines is None:
            self._lines = _found(self.text)
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path)

    def line_of(self, path: Path, item: str, skip: int = 0) -> int | None:
        """The line on which an item of a list stands, the one after `skip` others like it."""
        if len(self.problems) >= SHOWN:
            return None  # nobody will see it
        first = self.line(path)
        if self._text is None:
            self._text = self.text.split("\n")
        for number in range(first or 1, len(self._text) + 1):
            line = self._text[number - 1]
            skip -= line.count(f'"{item}"') + line.count(f"'{item}'")
            if skip < 0:
                return number
        return first

    def wrong(
        self, code: str, path: Path, found: str, expected: str, hint: str = "",
        line: int | None = None,
    ) -> None:  # fmt: skip
        """Remember a problem."""
        at = self.line(path) if line is None and path else line
        self.problems.append(Problem(code, self.name, at, found, expected, hint))


def _found(text: str) -> dict[Path, int]:
    """The line of every table and key, by asking TOML what each line alone would mean."""
    lines: dict[Path, int] = {}
    table: Path = ()
    for number, line in enumerate(text.split("\n"), 1):
        header = _HEADER.fullmatch(line)
        pair = None if header else _KEY.match(line)
        if header is None and pair is None:
            continue
        try:
            path = _path(tomllib.loads(line if pair is None else f"{pair[1]} = 0"))
        except (ValueError, RecursionError):
            continue
        if pair is None:
            table = path
        else:
            path = (*table, *path)
        for size in range(1, len(path) + 1):
            lines.setdefault(path[:size], number)
    return lines


def _path(value: Any) -> Path:
    path: list[str] = []
    while isinstance(value, dict) and value:
        key = next(iter(value))
        path.append(key)
        value = value[key]
    return tuple(path)


def dotted(path: Path) -> str:
    """A key as the file writes it.

    >>> dotted(("slots", "talk.speaker", "fillers"))
    'slots."talk.speaker".fillers'
    """
    return ".".join(part if re.fullmatch(r"[\w-]+", part, re.A) else f'"{part}"' for part in path)


def loaded(source: Source) -> tuple[Text, dict[str, Any]]:
    """The text and the values of a file, with every table and every type as it should be."""
    text = _text(source)
    file = Text(source.name, text)
    if long := _LONG_KEY.search(text):
        line = text.count("\n", 0, long.start()) + 1
        found = "a key of more than 1,000 characters"
        raise InputError([Problem("K821", source.name, line, found, "a shorter one")])
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError([_no_toml(source.name, error)]) from None
    _tables(file, values)
    for table, keys in _KEYS.items():
        if isinstance(values.get(table), dict):
            _keys(file, table, values[table], keys)
    _slots(file, values.get("slots"))
    _parts(file, values.get("parts"))
    if file.problems:
        raise TaskError(file.problems)
    return file, values


def _text(source: Source) -> str:
    data = source.head(LARGEST + 1)
    if len(data) > LARGEST:
        raise source.failure("K010", f"a file of more than {LARGEST >> 20} MiB",
                             "a task definition")  # fmt: skip
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"the byte {data[error.start]:#04x}"
        raise InputError([Problem("K821", source.name, line, found, "TOML in UTF-8")]) from None
    if not text.strip():
        hint = "carob task init GOLD writes one"
        raise source.failure("K002", "an empty file", "a task definition", hint)
    return text.replace("\r\n", "\n")


def _no_toml(name: str, error: Exception) -> Problem:
    told = str(error) if isinstance(error, ValueError) else "it nests too deep"
    where = re.search(r" \(at line (\d+), column \d+\)$", told)
    line = int(where[1]) if where else None
    told = told[: where.start()] if where else told.replace(" (at end of document)", " at the end")
    return Problem("K821", name, line, f"invalid TOML ({told})", "a task definition",
                   "texts are in quotes, tables in brackets")  # fmt: skip


def _tables(file: Text, values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if key not in _TABLES:
            file.wrong("K822", (key,), f"the key {shown(key)}", f"a table{nearest(key, _TABLES)}")
        elif not isinstance(value, dict):
            file.wrong("K823", (key,), f"{key} = {kind(value)}", f"a table: [{key}]")
    for key in _TABLES[:3]:
        if key not in values:
            file.wrong("K822", (), f"no table [{key}]", f"the tables {', '.join(_TABLES[:3])}")


def _keys(file: Text, table: str, values: Mapping[str, Any], keys: Mapping[str, str]) -> None:
    for key, value in values.items():
        path = (table, key)
        if key not in keys:
            there = f"a key of [{table}]{nearest(key, list(keys))}"
            file.wrong("K822", path, f"the key {shown(key)}", there)
        elif (expected := _expected(keys[key], value)) is not None:
            file.wrong("K823", path, f"{key} = {kind(value)}", expected)
    for key in _NEEDED[table]:
        if key not in values:
            file.wrong("K822", (table,), f"[{table}] without {key}", f"{key} = …")


def _expected(what: str, value: Any) -> str | None:
    """What a value should have been; None if it is."""
    text = isinstance(value, str)
    fine: Any
    if what == "text":
        return None if text and value.strip() else "a text in quotes"
    if what == "hash":
        fine = text and re.fullmatch(r"[0-9a-f]{64}", value)
        return None if fine else "64 hexadecimal digits in quotes, the SHA-256 of gold"
    if what == "count":
        whole = isinstance(value, int) and not isinstance(value, bool) and value > 0
        return None if whole else "a whole number of 1 or more"
    if what == "texts":
        fine = isinstance(value, list) and value and all(isinstance(each, str) for each in value)
        return None if fine else 'a list of texts, at least one, like ["exact.F1"]'
    if what == "match":
        fine = text and re.fullmatch(r"exact|overlap|contains(\(k=\d{1,9}\))?", value)
        return None if fine else MATCH
    return None if value in TOKENIZERS else f"one of {', '.join(TOKENIZERS)}"


def _slots(file: Text, values: Any) -> None:
    if not isinstance(values, dict):
        return
    if not values:
        file.wrong("K822", ("slots",), "[slots] without any slot", "at least one: [slots.NAME]")
    for slot, value in values.items():
        path = ("slots", slot)
        if not isinstance(value, dict):
            expected = f"a table: [{dotted(path)}]"
            file.wrong("K823", path, f"{dotted(path)} = {kind(value)}", expected)
            continue
        if not slot:
            file.wrong("K823", path, "a slot without a name", "a name for each slot")
        for key, each in value.items():
            where = f"{dotted((*path, key))} = {kind(each)}"
            if key not in _SLOT and isinstance(each, dict):
                whole = dotted(("slots", f"{slot}.{key}"))
                hint = f"a name with a dot needs quotes: [{whole}]"
                file.wrong("K822", (*path, key), f"the table [{dotted((*path, key))}]",
                           "a name without a dot", hint)  # fmt: skip
            elif key not in _SLOT:
                expected = f"a key of a slot{nearest(key, list(_SLOT))}"
                file.wrong("K822", (*path, key), f"the key {shown(key)}", expected)
            elif each not in _SLOT[key]:
                choices = [f'"{choice}"' for choice in _SLOT[key]]
                expected = f"{', '.join(choices[:-1])} or {choices[-1]}"
                file.wrong("K823", (*path, key), where, expected)
        for key in _SLOT:
            if key not in value and not any(isinstance(each, dict) for each in value.values()):
                file.wrong("K822", path, f"[{dotted(path)}] without {key}", f"{key} = …")


def _parts(file: Text, values: Any) -> None:
    if not isinstance(values, dict):
        return
    home: dict[str, str] = {}
    for part, ids in values.items():
        path = ("parts", part)
        if part == "all" or not part:
            found = f"a part called {part}" if part else "a part without a name"
            file.wrong("K823", path, found, "another name", "all is every document of gold")
        if not isinstance(ids, list) or not all(isinstance(each, str) for each in ids):
            found = f"{dotted(path)} = {kind(ids)}"
            file.wrong("K823", path, found, 'a list of ids in quotes, like ["d1", "d2"]')
            continue
        if not ids:
            file.wrong("K824", path, f"the part {part} without documents", "at least one id")
        for each in ids:
            if each in home:
                where = f"{part} twice" if home[each] == part else f"{home[each]} and in {part}"
                line = file.line_of(path, each, skip=int(home[each] == part))
                file.wrong("K824", path, f"the document {shown(each)} in {where}",
                           "each document in one part, once", line=line)  # fmt: skip
            home.setdefault(each, part)


def kind(value: Any) -> str:
    """A value in a message: short ones as they are, others by what they are."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return _list(value)
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, (int, float)):
        return shown(repr(value))[1:-1] if abs(value) < 1e18 else "a number that is too large"
    return f"the {type(value).__name__} {value}"


def _list(values: list[Any]) -> str:
    """A list in a message: the first item that is no text, else the first.

    >>> _list([]), _list(["a", 5, "b"]), _list([["a"]])
    ('[]', '[…, 5, …]', '[a list]')
    """
    if not values:
        return "[]"
    at = next((i for i, each in enumerate(values) if not isinstance(each, str)), 0)
    one = "a list" if isinstance(values[at], list) else kind(values[at])
    return f"[{'…, ' if at else ''}{one}{', …' if at + 1 < len(values) else ''}]"
