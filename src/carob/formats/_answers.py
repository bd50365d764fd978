"""The answers of language models: texts that should be JSON objects, and sometimes are not.

An answer that cannot be read is an empty answer and is counted: no line is left out in silence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from carob.corpus.problems import Problems, shown
from carob.corpus.source import Source
from carob.formats import json_text
from carob.formats._mend import mended
from carob.formats._objects import Item, in_lines, is_object
from carob.formats._text import decoded


@dataclass(frozen=True, slots=True)
class Answers:
    """How answers are read: the keys of documents, the key `raw` that holds the text of an answer
    (empty: the line itself is the answer), and whether damaged JSON is mended.
    """

    id: str
    text: str
    raw: str
    mend: bool

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
            text = decoded(source, "K211", problems)
            value = None if text is None else self._value(text, facts, _is_answer)
            if text is not None:
                several = value if isinstance(value, list) else [value]
                yield from (Item(1, 0, each, several is not value) for each in several)
            return
        for number, offset, line in json_text.lines(source):
            if self.raw:
                record = json_text.decoded_object(
                    line, number, "K211", problems, json_text.AS_WRITTEN
                )
                if record is not None:
                    yield Item(number, offset, self._answered(record, number, problems, facts))
            else:
                text = line.decode("utf-8", "surrogateescape")
                yield Item(number, offset, self._value(text, facts, is_object))

    def _one_a_line(self, source: Source) -> bool:
        """Whether each line is an answer: the first one begins as an object does."""
        first = next(json_text.lines(source), (0, 0, b""))[2]
        return in_lines(source) and first.lstrip()[:1] == b"{"

    def _answered(
        self, record: dict[str, Any], line: int, problems: Problems, facts: Counter[str]
    ) -> dict[str, Any]:
        """The answer of a record that holds it as a text, with the keys of the document."""
        answer = record.get(self.raw)
        if isinstance(answer, str):
            answer = self._value(answer, facts, is_object)
        elif answer is not None and not isinstance(answer, dict):
            found = f"{shown(self.raw)[1:-1]} = {shown(str(answer), 40)[1:-1]}"
            problems.add("K212", line, found, "the text of an answer, or an object")
        if not isinstance(answer, dict):
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
        value = mended(text, is_answer) if self.mend else None
        facts["mended"] += value is not None
        return value


def _is_answer(value: Any) -> bool:
    """Whether a value is an object, or a list of objects."""
    listed = isinstance(value, list) and value and all(map(is_object, value))
    return is_object(value) or bool(listed)
