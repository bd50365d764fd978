"""The JSON records of a file: one a line, all in one list, or one in the whole file."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from carob.corpus.problems import Problem, Problems, shown
from carob.corpus.source import Source
from carob.formats import json_text
from carob.formats._text import decoded

_SPACE = re.compile(r"[ \t\r\n]*")

Path = tuple[str | int, ...]
"""Keys of objects and places in lists that lead to a value."""


@dataclass(frozen=True, slots=True)
class Item:
    """A record of a file: its line and offset, and whether the file is this record. One that is
    `unparsed` is no JSON, or not a record; `why` says what it is.
    """

    line: int
    offset: int
    value: Any
    alone: bool = False
    text: _Text | None = None
    begin: int = 0
    unparsed: bool = False
    why: str = ""

    def line_of(self, path: Path) -> int:
        """The line of the value that this path leads to."""
        return self.line if self.text is None else self.text.line_of(self.begin, path)


def is_object(value: Any) -> bool:
    """Whether a value is a JSON object."""
    return isinstance(value, dict)


def items(
    source: Source,
    problems: Problems,
    code: str,
    is_record: Callable[[Any], bool] = is_object,
    record: str = "object",
    lines: Iterable[tuple[int, int, bytes]] | None = None,
    decoder: json.JSONDecoder = json_text.DECODER,
    *,
    keep_unparsed: bool = False,
    advice: str = "",
) -> Iterator[Item]:
    """The records of a file: one a line, all in one list, or one in the whole file; or those of
    these lines alone.

    A record is an object, unless `is_record` says what it is: a record that is a list itself is
    not taken for the list of all records. `record` is what messages call it. With `keep_unparsed`,
    a line that is no record, or a value in a list, is an item without anything in it. `advice` is
    what to do about JSON that is damaged.

    >>> [item.value for item in items(Source.of_bytes(b'[{"a": 1}, {}]'), Problems(), "K211")]
    [{'a': 1}, {}]
    """
    if lines is None and not in_lines(source, is_record):
        text = decoded(source, code, problems)
        if text is not None:
            reading = _Reading(problems, code, is_record, record, decoder, keep_unparsed, advice)
            yield from _in_whole_file(text, reading)
        return
    before: Item | None = None
    alone = True
    to = Problems(problems.file)  # of the next line that is wrong
    for number, offset, raw in json_text.lines(source) if lines is None else lines:
        if before is not None:
            alone = False
            yield before
        value = json_text.decoded_value(raw, number, code, to, is_record, record, decoder)
        alone = alone and value is not None
        before = None if value is None else Item(number, offset, value)
        if value is None:
            (problem,) = to.first()
            to = Problems(problems.file)
            if keep_unparsed:
                before = Item(number, offset, {}, unparsed=True, why=problem.found)
            else:
                problems.extend([_advised(problem, advice)])
    if before is not None:
        yield replace(before, alone=alone)


def in_lines(source: Source, is_record: Callable[[Any], bool] = is_object) -> bool:
    """Whether a file has one record a line, as far as its first lines show."""
    first = [raw.strip() for _, (_, _, raw) in zip(range(2), json_text.lines(source), strict=False)]
    if not first:
        return True
    fenced = json_text.FENCE.match(first[0][:9].decode("utf-8", "replace"))
    in_list = first[0][:1] == b"[" and (is_record is is_object or not _is(first[0], is_record))
    return not (in_list or fenced or _spans_lines(first))


def _is(raw: bytes, is_record: Callable[[Any], bool]) -> bool:
    """Whether a line is a record by itself."""
    try:
        return is_record(json_text.DECODER.decode(raw.decode("utf-8")))
    except (ValueError, RecursionError):
        return False


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is read from a file, and where its problems go."""

    problems: Problems
    code: str
    is_record: Callable[[Any], bool]
    record: str
    decoder: json.JSONDecoder = json_text.DECODER
    keep_unparsed: bool = False
    advice: str = ""


def _advised(problem: Problem, advice: str) -> Problem:
    """A problem with the advice for damaged JSON, if it has no other and is about JSON."""
    return problem if problem.hint or problem.expected == "UTF-8" else replace(problem, hint=advice)


def _spans_lines(first: list[bytes]) -> bool:
    """Whether the first line begins an object that takes several lines: it is no object by itself,
    and the next line does not begin as an object does.
    """
    if first[0][:1] != b"{" or len(first) < 2 or first[1][:1] == b"{":
        return False
    try:
        json_text.DECODER.decode(first[0].decode("utf-8"))
    except (ValueError, RecursionError):
        return True
    return False


def _in_whole_file(whole: str, reading: _Reading) -> Iterator[Item]:
    """The objects of a file that is one list, or one object."""
    text = _Text(whole)
    at = text.skip(1 if whole.startswith("\ufeff") else 0)

    def wrong(at: int, found: str, expected: str, hint: str = "") -> None:
        reading.problems.add(reading.code, text.line(at), found, expected, hint)

    listed = whole.startswith("[", at)
    if listed and reading.is_record is not is_object:
        listed = not _is(whole[at:].encode("utf-8", "surrogatepass"), reading.is_record)
    if json_text.FENCE.match(whole, at):
        wrong(at, shown(whole[at:].split("\n", 1)[0]), "JSON", json_text.NO_FENCE)
        return
    expected = f"a JSON {reading.record}, one document a line"
    if listed:
        article = "an" if reading.record[0] in "aeiou" else "a"
        expected = f"a list in which each value is {article} {reading.record}, one document each"
        if reading.is_record is is_object:
            expected = "a list of JSON objects, one document each"
    at = text.skip(at + 1) if listed else at
    more = not (listed and whole.startswith("]", at))
    at = at if more else text.skip(at + 1)
    known = size = 0
    while more:
        begin = at
        try:
            value, at = reading.decoder.raw_decode(whole, at)
        except RecursionError:
            wrong(begin, json_text.TOO_DEEP, expected)
            return
        except ValueError as error:
            where = min(getattr(error, "pos", begin), len(whole))
            found = shown(whole[where : where + 60].strip() or "the end of the file")
            wrong(where, f"{found} ({json_text.reason(error)})", "JSON", reading.advice)
            return
        if reading.is_record(value):
            known, size = begin, size + len(whole[known:begin].encode())
            yield Item(text.line(begin), size, value, not listed, text, begin)
        elif reading.keep_unparsed and listed:
            known, size = begin, size + len(whole[known:begin].encode())
            why = shown(whole[begin:at])
            yield Item(text.line(begin), size, {}, False, text, begin, unparsed=True, why=why)
        else:
            wrong(begin, shown(whole[begin:at]), expected)
        at = text.skip(at)
        if not listed:
            break
        sign = whole[at : at + 1]
        at = text.skip(at + 1)
        if sign not in ("]", ","):
            found = shown(sign) if sign else "the end of the file"
            expected = "a comma or the end of the list"
            wrong(min(at, len(whole)), found, expected, reading.advice)
            return
        more = sign == ","
    if at < len(whole):
        wrong(
            at, f"{shown(whole[at : at + 60])} after the end", "nothing more", json_text.ONE_A_LINE
        )


class _Text:
    """A JSON text whose values can be located."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.breaks = [each.start() for each in re.finditer("\n", text)]

    def skip(self, at: int) -> int:
        """Where the white space that begins here ends."""
        space = _SPACE.match(self.text, at)
        return at if space is None else space.end()

    def line(self, at: int) -> int:
        """The line of a character."""
        return bisect_left(self.breaks, at) + 1

    def line_of(self, at: int, path: Path) -> int:
        """The line of a value inside of the object or list that begins at `at`."""
        for step in path:
            at = self._member(at, step)
        return self.line(at)

    def _member(self, at: int, step: str | int) -> int:
        """Where a value of an object or list begins, which has been decoded before."""
        at, number = self.skip(at + 1), 0
        while True:
            name: Any = number
            if isinstance(step, str):
                name, at = json_text.DECODER.raw_decode(self.text, at)
                at = self.skip(self.skip(at) + 1)
            if name == step:
                return at
            _, at = json_text.DECODER.raw_decode(self.text, at)
            at, number = self.skip(self.skip(at) + 1), number + 1
