"""The answers of language models: texts that should be JSON objects, and sometimes are not.

An answer that cannot be read is an empty answer and is counted: no line is left out in silence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from carob.corpus.corpus import UNPARSED, Words, listed_facts
from carob.corpus.problems import Problems, UsageError, nearest, plain, shown
from carob.corpus.record import short
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.formats import json_text
from carob.formats._mend import mended
from carob.formats._objects import Item, in_lines, is_object
from carob.formats._text import FileWords, decoded, signed, unsigned

READ_RAW = "--read raw=KEY, or system.raw=KEY for one side alone"
ADVICE = "--read repair=json mends JSON that a language model has damaged"


@dataclass(frozen=True, slots=True)
class Answers:
    """How answers are read: the keys of documents, the key `raw` that holds the text of an answer
    (empty: the line itself is the answer), and whether damaged JSON is mended.

    An answer is an object, unless `is_answer` says more. `wrap` makes an object of a list that is
    an answer. `codes` are those of problems of lines and of values. With `whole_items`, an object
    in a list that is cut off is left out.
    """

    id: str
    text: str
    raw: str
    mend: bool
    is_answer: Callable[[Any], bool] = is_object
    wrap: Callable[[Any], Any] = lambda value: value
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
            count_unparsed(facts, source, item.line, item.why)
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
                    why = _why_not(text if value is None else each)
                    yield Item(1, 0, known, several is not value, why=why)
            return
        keys: dict[str, None] | None = {}  # of records, until one has the key of answers
        for number, offset, line in json_text.lines(source):
            if self.raw:
                record = json_text.decoded_object(
                    line, number, self.codes[0], problems, json_text.AS_WRITTEN
                )
                if record is not None:
                    keys = None if keys is None or self.raw in record else keys | {**record}
                    answer = self._answered(record, number, problems)
                    value = self._value(answer, facts, self.is_answer)
                    if value is None:
                        count_unparsed(facts, source, number, self._why_not(answer, facts))
                    yield Item(number, offset, self._with_document(value or {}, record))
            else:
                text = line.decode("utf-8", "surrogateescape")
                value = self._value(text, facts, self.is_answer)
                yield Item(number, offset, value, why="" if value else _why_not(text))
        if keys:
            hint = f"name the key that holds the answers: {READ_RAW}"
            problems.add(
                self.codes[1], None, f"no key {shown(self.raw)} in any record", _one_of(keys), hint
            )

    def _one_a_line(self, source: Source) -> bool:
        """Whether each line is an answer: the first one begins as an object does, or several are
        answers by themselves.
        """
        first = next(json_text.lines(source), (0, 0, b""))[2]
        if first.lstrip()[:1] == b"{":
            return in_lines(source)
        starts = (raw.strip() for _, _, raw in json_text.lines(source))
        whole = (raw for raw in starts if raw[:1] in b"{[" and is_object_line(raw, self.wrap))
        return next(whole, None) is not None and next(whole, None) is not None

    def _answered(self, record: dict[str, Any], line: int, problems: Problems) -> Any:
        """The answer of a record: a text or an object; null if there is none."""
        answer = self.wrap(record.get(self.raw))
        if answer is not None and not isinstance(answer, (str, dict)):
            found = f"{shown(self.raw)[1:-1]} = {short(answer)}"
            problems.add(self.codes[1], line, found, "the text of an answer, or an object")
            return None
        return answer

    def _with_document(self, answer: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
        """An answer with the keys of the document, which stand beside it."""
        own = {key: record[key] for key in (self.id, self.text) if key in record}
        return {key: each for key, each in answer.items() if key not in own} | own

    def _value(self, text: Any, facts: Counter[str], is_answer: Callable[[Any], bool]) -> Any:
        """The value of a text, mended if that is needed and wanted; None if it cannot be read. What
        is no text is a value by itself.
        """
        if not isinstance(text, str):
            return text if is_answer(text) else None
        try:
            value = self.wrap(json_text.AS_WRITTEN.decode(text))
        except (ValueError, RecursionError):
            value = None
        if is_answer(value):
            return value
        if not self.mend:
            return None
        value = mended(
            text, lambda value: is_answer(self.wrap(value)), whole_items=self.whole_items
        )
        facts["mended"] += value is not None
        return self.wrap(value)

    def _why_not(self, answer: Any, facts: Mapping[Any, int]) -> str:
        """Why an answer cannot be read; of the first one, also whether it can be mended."""
        why = _why_not(answer)
        if facts.get(UNPARSED) or self.mend or not isinstance(answer, str):
            return why
        value = mended(answer, lambda value: self.is_answer(self.wrap(value)))
        return why if value is None else f"{why}; --read system.repair=json mends it"

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


def _one_of(keys: Mapping[str, Any], most: int = 10) -> str:
    listed = [plain(key) for key in sorted(keys)]
    return f"one of {', '.join(listed[:most])}" + " ..." * (len(listed) > most)


def count_unparsed(facts: Counter[Any], source: Source, line: int, why: str) -> None:
    """Count an answer that cannot be read; the first of them is kept among the facts.

    >>> facts = Counter()
    >>> count_unparsed(facts, Source.of_bytes(b"null"), 1, "null")
    >>> dict(facts)
    {'unparsed': 1, 'unparsed: line 1: null': 1}
    """
    facts[UNPARSED] += 1
    if facts[UNPARSED] == 1:
        file = f"{source.inside}, " if source.inside else ""
        facts[f"{UNPARSED}: {file}line {line}: {why}"] = 1


def unparsed_facts(facts: Mapping[Any, int]) -> dict[str, int]:
    """How many answers could not be read, and which one was the first; nothing if all could."""
    return {key: facts[key] for key in (UNPARSED, *listed_facts(facts, UNPARSED)) if facts.get(key)}


def _why_not(answer: Any) -> str:
    """Why an answer cannot be read: what it is, and what is wrong with it."""
    if not isinstance(answer, str):
        return short(answer)
    problems = Problems()
    raw = answer.encode("utf-8", "surrogateescape")
    json_text.decoded_object(raw, 1, "", problems, json_text.AS_WRITTEN)
    return problems.first()[0].found if problems.total else shown(answer.strip())


def is_object_line(raw: bytes, wrap: Callable[[Any], Any] = lambda value: value) -> bool:
    """Whether a line is an object, or one that `wrap` makes an object."""
    try:
        return is_object(wrap(json_text.AS_WRITTEN.decode(raw.decode("utf-8"))))
    except (ValueError, RecursionError):
        return False


def check_repair(repair: str, format: str) -> None:
    """Refuse a way to mend that does not exist."""
    if repair not in ("none", "json"):
        raise UsageError(f"repair of {format} is none or json, not {repair!r}")


def check_locate(locate: str) -> None:
    """Refuse a way to locate strings in the text that does not exist."""
    ways = ("all", "first", "once")
    if locate not in ways:
        raise UsageError(f"locate is all, first or once, not {locate!r}{nearest(locate, ways)}")


def signed_locate(locate: str) -> dict[str, str]:
    """How strings are located, unless it is the default, which matters only if some are.

    >>> signed_locate("all"), signed_locate("once")
    ({}, {'locate': 'once'})
    """
    return {} if locate == "all" else {"locate": locate}


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
