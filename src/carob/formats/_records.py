"""Plain JSON objects: found in a file, and read as templates."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from carob.corpus.document import Document
from carob.corpus.json_checks import key
from carob.corpus.problems import UsageError, shown
from carob.corpus.source import Source
from carob.corpus.template import DEEPEST, Filler, Template
from carob.formats._json import BOM, DECODER, lines, why
from carob.formats._text import Problems, decoded

FENCE = re.compile(r"\s*(```|~~~)")
_OBJECT = "a JSON object, one document a line"
_LIST = "a list of JSON objects, one document each"
_VALUE = "a text, a list of texts, an object or null"
_DEEP = f"objects that stand in each other at most {DEEPEST} deep"
_SPACE = re.compile(r"[ \t\r\n]*")
_FENCED = "take away the lines with ``` around the JSON"
_GLUED = "put each object on a line of its own, or all of them in a list"


Path = tuple[str | int, ...]
"""Keys of objects and places in lists that lead to a value."""


@dataclass(frozen=True, slots=True)
class Found:
    """An object of a file: its line, where its bytes begin, and whether the file is this object."""

    line: int
    offset: int
    value: dict[str, Any]
    alone: bool = False
    place: _Place | None = None
    begin: int = 0

    def line_of(self, path: Path) -> int:
        """The line of the value that this path of keys and numbers leads to."""
        return self.line if self.place is None else self.place.line_of(self.begin, path)


def objects(source: Source, problems: Problems) -> Iterator[Found]:
    """The objects of a file: one a line, all in one list, or one that the whole file is."""
    first = next((raw for _, _, raw in lines(source) if raw.strip()), None)
    if first is None:
        return
    start = first.strip()
    whole = start[:1] == b"[" or FENCE.match(start[:9].decode("utf-8", "replace"))
    if whole or (start[:1] == b"{" and _goes_on(source, start)):
        text = decoded(source, "K211", problems)
        if text is not None:
            yield from _in_one(text, source.name, problems)
        return
    yield from _in_lines(source, problems)


def _goes_on(source: Source, first: bytes) -> bool:
    """Is the first line the beginning of an object that takes several lines?

    The line is no object by itself, and the next one does not begin as an object does.
    """
    try:
        DECODER.decode(first.decode("utf-8"))
    except (ValueError, RecursionError):
        rest = (raw.strip() for _, _, raw in lines(source) if raw.strip())
        next(rest)
        return next(rest, b"{")[:1] != b"{"
    return False


def _in_lines(source: Source, problems: Problems) -> Iterator[Found]:
    before: Found | None = None
    several = False
    for number, offset, raw in lines(source):
        if not raw.strip():
            continue
        wrong = problems.total
        found = _of_line(source.name, number, offset, raw, problems)
        if before is not None:
            yield before
        several |= before is not None or wrong < problems.total
        before = found
    if before is not None:
        yield before if several else Found(before.line, before.offset, before.value, alone=True)


def _of_line(file: str, number: int, offset: int, raw: bytes, problems: Problems) -> Found | None:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        found = shown(raw[error.start : error.end])
        problems.add("K211", file, number, found, "UTF-8")
        return None
    before = len(text) - len(text.lstrip(" \t\r\n"))
    text = text.strip(" \t\r\n")
    try:
        value, end = DECODER.raw_decode(text)
    except RecursionError:
        problems.add("K211", file, number, "brackets nested too deep", _OBJECT)
        return None
    except ValueError as error:
        hint = _FENCED if FENCE.match(text) else ""
        problems.add("K211", file, number, f"{shown(text)} ({why(error, before)})", _OBJECT, hint)
        return None
    if rest := text[end:].strip():
        found = f"{shown(rest)} behind an object"
        problems.add("K211", file, number, found, _OBJECT, _GLUED)
        return None
    if not isinstance(value, dict):
        problems.add("K211", file, number, shown(text), _OBJECT)
        return None
    return Found(number, offset, value)


def _in_one(text: str, file: str, problems: Problems) -> Iterator[Found]:
    """The objects of a list, or the one object, that a whole file is."""
    place = _Place(text)
    at = place.skip(1 if text.startswith("\ufeff") else 0)

    def wrong(at: int, found: str, expected: str, hint: str = "") -> None:
        problems.add("K211", file, place.line(at), found, expected, hint)

    listed = text.startswith("[", at)
    if FENCE.match(text, at):
        wrong(at, shown(text[at:].split("\n", 1)[0]), "JSON", _FENCED)
        return
    expected = _LIST if listed else _OBJECT
    at = place.skip(at + 1) if listed else at
    if listed and text.startswith("]", at):
        at = place.skip(at + 1)
        listed = False
    else:
        while True:
            begin = at
            try:
                value, at = DECODER.raw_decode(text, at)
            except RecursionError:
                wrong(begin, "brackets nested too deep", expected)
                return
            except ValueError as error:
                where = min(getattr(error, "pos", begin), len(text))
                said = getattr(error, "msg", str(error))
                found = shown(text[where : where + 60].strip() or "the end of the file")
                wrong(where, f"{found} ({said})", "JSON")
                return
            if isinstance(value, dict):
                line, byte = place.line(begin), place.byte(begin)
                yield Found(line, byte, value, not listed, place, begin)
            else:
                wrong(begin, shown(text[begin:at]), expected)
            at = place.skip(at)
            if not listed:
                break
            sign = text[at : at + 1]
            at = place.skip(at + 1)
            if sign == "]":
                break
            if sign != ",":
                wrong(min(at, len(text)), shown(sign) if sign else "the end of the file",
                      "a comma or the end of the list")  # fmt: skip
                return
    if at < len(text):
        wrong(at, f"{shown(text[at : at + 60])} behind the end", "nothing more", _GLUED)


class _Place:
    """Lines and bytes of the characters of a text, asked for in order."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = self.lines = self.bytes = 0

    def skip(self, at: int) -> int:
        found = _SPACE.match(self.text, at)
        return at if found is None else found.end()

    def _go(self, at: int) -> None:
        if at < self.at:
            self.at = self.lines = self.bytes = 0
        self.lines += self.text.count("\n", self.at, at)
        self.bytes += len(self.text[self.at : at].encode())
        self.at = at

    def line(self, at: int) -> int:
        self._go(at)
        return self.lines + 1

    def byte(self, at: int) -> int:
        self._go(at)
        return self.bytes

    def line_of(self, at: int, path: Path) -> int:
        """The line of a value inside of the object or list that begins at `at`."""
        for step in path:
            at = self._member(at, step)
        before = self.at, self.lines, self.bytes
        line = self.line(at)
        self.at, self.lines, self.bytes = before
        return line

    def _member(self, at: int, step: str | int) -> int:
        """Where a value of an object or list begins, which has been decoded before."""
        at, number = self.skip(at + 1), 0
        while True:
            name: Any = number
            if isinstance(step, str):
                name, at = DECODER.raw_decode(self.text, at)
                at = self.skip(self.skip(at) + 1)
            if name == step:
                return at
            _, at = DECODER.raw_decode(self.text, at)
            at, number = self.skip(self.skip(at) + 1), number + 1


@dataclass(frozen=True, slots=True)
class Shape:
    """Which keys are the id and the text of a document, and the type of a template."""

    id: str
    text: str
    label: str

    def document(
        self, value: Mapping[str, Any], wrong: Any, stem: str | None
    ) -> tuple[Document, int]:
        """The document that an object is, and how many of its texts are empty.

        `wrong` is told the path to each value that cannot be; `stem` is the id of an object
        without one.
        """
        walk = _Walk(self.label, wrong)
        given = dict(value)
        name = given.pop(self.id, None) if self.id else None
        if name is not None and (not isinstance(name, (str, int)) or isinstance(name, bool)):
            wrong((self.id,), f"{key(self.id)} = {_told(name)}", "a text or a whole number", "")
            name = None
        words = given.pop(self.text, None) if self.text else None
        if words is not None and not isinstance(words, str):
            wrong((self.text,), f"{key(self.text)} = {_told(words)}", "a text or null", "")
            words = None
        template = walk.template(given, (), 1)
        document = Document(
            stem if name is None else str(name),
            words,
            templates=() if template is None else (template,),
        )
        return document, walk.empty


class _Walk:
    def __init__(self, label: str, wrong: Any) -> None:
        self.label, self.wrong, self.empty = label, wrong, 0

    def template(self, value: Mapping[str, Any], path: Path, depth: int) -> Template | None:
        """The template of an object; None if nothing fills it."""
        if depth > DEEPEST:
            self.wrong(path, shown(_where(path))[1:-1], _DEEP, "")
            return None
        label = ""
        slots: dict[str, tuple[Filler | Template, ...]] = {}
        for slot, given in value.items():
            place = (*path, slot)
            if self.label and slot == self.label:
                if given is not None and not isinstance(given, str):
                    self.wrong(place, f"{_where(place)} = {_told(given)}", "a text or null", "")
                label = given if isinstance(given, str) else ""
            elif not slot:
                inside = f" in {_where(path)}" if path else ""
                self.wrong(place, f"a key that is empty{inside}", "a name", "")
            elif isinstance(given, list):
                several = (self.filler(each, (*place, i), depth, "a text, an object or null")
                           for i, each in enumerate(given))  # fmt: skip
                slots[slot] = tuple(each for each in several if each is not None)
            else:
                one = self.filler(given, place, depth, _VALUE)
                slots[slot] = () if one is None else (one,)
        return Template(label, slots) if label or any(slots.values()) else None

    def filler(self, value: Any, path: Path, depth: int, expected: str) -> Filler | Template | None:
        if isinstance(value, str):
            if value.strip():
                return Filler(value)
            self.empty += 1
        elif isinstance(value, dict):
            return self.template(value, path, depth + 1)
        elif value is not None:
            told = _told(value)
            hint = "" if isinstance(value, list) else f'write "{told}"'
            self.wrong(path, f"{_where(path)} = {told}", expected, hint)
        return None


def _where(path: Path) -> str:
    """A path for a message: `a.b[0]`."""
    parts = (f"[{step}]" if isinstance(step, int) else f".{key(step)}" for step in path)
    return "".join(parts).removeprefix(".")


def _told(value: Any) -> str:
    """A value as JSON has it, cut when long."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):  # a number of thousands of digits
        text = type(value).__name__
    return shown(text, 40)[1:-1]


def record_of(document: Document, shape: Shape) -> dict[str, Any]:
    """The plain JSON object of a document, which has at most one template."""
    record: dict[str, Any] = {}
    for word, value in ((shape.id, document.id), (shape.text, document.text)):
        if value is not None:
            if not word:
                raise UsageError("records has no key for ids or texts: id= and text= name one")
            record[word] = value
    for template in document.templates:
        slots = _slots(template, shape.label)
        for slot in slots:
            if slot in record or slot in (shape.id, shape.text):
                what = "id" if slot == shape.id else "text"
                raise UsageError(
                    f"records has the key {shown(slot)} for the {what} of a document, and a slot "
                    f"is called so; {what}=NAME gives it another"
                )
        record |= slots
    return record


def _slots(template: Template, label: str) -> dict[str, Any]:
    found: dict[str, Any] = {label: template.label} if label and template.label else {}
    for slot, fillers in template.slots.items():
        if label and slot == label:
            raise UsageError(
                f"records has the key {shown(slot)} for the type of a template, and a slot is "
                "called so; label=NAME gives it another"
            )
        each = [_slots(f, label) if isinstance(f, Template) else f.text for f in fillers]
        if each:
            found[slot] = each[0] if len(each) == 1 else each
    return found


def text_of(raw: bytes, shape: Shape) -> str | None:
    """The text of the document whose object begins a piece of a file."""
    value, _ = DECODER.raw_decode(raw.removeprefix(BOM).decode("utf-8").lstrip(" \t\r\n"))
    text = value.get(shape.text) if shape.text else None
    return text if isinstance(text, str) else None
