"""The answers of language models: texts that should be JSON objects, and sometimes are not.

An answer that cannot be read is an empty answer and is counted: no line is left out in silence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from carob.corpus.corpus import Words
from carob.corpus.problems import Problems, UsageError, shown
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.formats import json_text
from carob.formats._mend import mended
from carob.formats._objects import Item, in_lines, is_object
from carob.formats._text import FileWords, decoded, signed, unsigned


@dataclass(frozen=True, slots=True)
class Answers:
    """How answers are read: the keys of documents, the key `raw` that holds the text of an answer
    (empty: the line itself is the answer), and whether damaged JSON is mended.

    An answer is an object, unless `is_answer` says more. `codes` are those of problems of lines
    and of values. With `whole_items`, an object in a list that is cut off is left out.
    """

    id: str
    text: str
    raw: str
    mend: bool
    is_answer: Callable[[Any], bool] = is_object
    codes: tuple[str, str] = ("K211", "K212")
    whole_items: bool = False

    def items(self, source: Source, problems: Problems, facts: Counter[str]) -> Iterator[Item]:
        """The answers of a file, one a line or one in the whole file.

        An answer that cannot be read has no id. If others have ids, its document has no answer;
        if they have none, it is an empty document in its place.
        """
        waiting: list[Item] = []
        ids: bool | None = None
        for item in self._read(source, problems, facts):
            if item.value is not None and ids is None:
                ids = self.id in item.value
                yield from [] if ids else waiting
            if item.value is not None:
                yield item
                continue
            facts["unparsed"] += 1
            empty = Item(item.line, item.offset, {}, item.alone)
            if ids is None:
                waiting.append(empty)
            elif not ids:
                yield empty
        if ids is None:
            yield from waiting

    def _read(self, source: Source, problems: Problems, facts: Counter[str]) -> Iterator[Item]:
        """The answers; a value is None if it cannot be read."""
        if not self.raw and not self._one_a_line(source):
            text = decoded(source, self.codes[0], problems)
            value = None if text is None else self._value(text, facts, self._has_answer)
            if text is not None:
                several = value if isinstance(value, list) else [value]
                for each in several:
                    known = each if self.is_answer(each) else None
                    yield Item(1, 0, known, several is not value)
            return
        for number, offset, line in json_text.lines(source):
            if self.raw:
                record = json_text.decoded_object(
                    line, number, self.codes[0], problems, json_text.AS_WRITTEN
                )
                if record is not None:
                    yield Item(number, offset, self._answered(record, number, problems, facts))
            else:
                text = line.decode("utf-8", "surrogateescape")
                yield Item(number, offset, self._value(text, facts, self.is_answer))

    def _one_a_line(self, source: Source) -> bool:
        """Whether each line is an answer: the first one begins as an object does, or several are
        objects by themselves.
        """
        first = next(json_text.lines(source), (0, 0, b""))[2]
        if first.lstrip()[:1] == b"{":
            return in_lines(source)
        starts = (raw.strip() for _, _, raw in json_text.lines(source))
        whole = (raw for raw in starts if raw[:1] == b"{" and _is_object(raw))
        return next(whole, None) is not None and next(whole, None) is not None

    def _answered(
        self, record: dict[str, Any], line: int, problems: Problems, facts: Counter[str]
    ) -> dict[str, Any]:
        """The answer of a record that holds it as a text, with the keys of the document."""
        answer = record.get(self.raw)
        if isinstance(answer, str):
            answer = self._value(answer, facts, self.is_answer)
        elif answer is not None and not isinstance(answer, dict):
            found = f"{shown(self.raw)[1:-1]} = {shown(str(answer), 40)[1:-1]}"
            problems.add(self.codes[1], line, found, "the text of an answer, or an object")
        if not isinstance(answer, dict) or not self.is_answer(answer):
            facts["unparsed"] += 1
            answer = {}
        own = {key: record[key] for key in (self.id, self.text) if key in record}
        return {key: each for key, each in answer.items() if key not in own} | own

    def _value(self, text: str, facts: Counter[str], is_answer: Callable[[Any], bool]) -> Any:
        """The value of a text, mended if that is needed and wanted; None if it cannot be read."""
        try:
            value = json_text.AS_WRITTEN.decode(text)
        except (ValueError, RecursionError):
            value = None
        if is_answer(value):
            return value
        if not self.mend:
            return None
        value = mended(text, is_answer, whole_items=self.whole_items)
        facts["mended"] += value is not None
        return value

    def _has_answer(self, value: Any) -> bool:
        """Whether a value is an answer, or a list with one."""
        return self.is_answer(value) or (
            isinstance(value, list) and any(map(self.is_answer, value))
        )

    def library(self, source: Source, documents: Documents) -> FileWords:
        """The texts of the documents, which stay in the file."""

        @cache
        def texts() -> list[Any]:
            found = self.items(source, Problems(source.name), Counter())
            return [item.value.get(self.text) if self.text else None for item in found]

        def read(row: int) -> Words:
            return (None if documents.length[row] < 0 else texts()[row]), None

        return FileWords(read, documents)


def _is_object(raw: bytes) -> bool:
    """Whether a line is an object."""
    try:
        return is_object(json_text.AS_WRITTEN.decode(raw.decode("utf-8")))
    except (ValueError, RecursionError):
        return False


def check_repair(repair: str, format: str) -> None:
    """Refuse a way to mend that does not exist."""
    if repair not in ("none", "json"):
        raise UsageError(f"repair of {format} is none or json, not {repair!r}")


def signature_fields(raw: str, repair: str) -> dict[str, str]:
    """The key of answers and whether they are mended, if that is so.

    >>> signature_fields("out", "json"), signature_fields("", "none")
    ({'raw_key': 'out', 'mend': 'json'}, {})
    """
    key = {"raw_key": signed(raw)} if raw else {}
    return key | ({"mend": repair} if repair != "none" else {})


def from_signature(fields: Mapping[str, str]) -> dict[str, str]:
    """The parameters again.

    >>> from_signature({"raw_key": "out", "mend": "json"}), from_signature({"raw_key": "none"})
    ({'raw': 'out', 'repair': 'json'}, {})
    """
    found = {}
    if fields.get("raw_key", "none") != "none":
        found["raw"] = unsigned(fields["raw_key"])
    return found | ({"repair": "json"} if fields.get("mend") == "json" else {})
