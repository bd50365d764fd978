"""records: plain JSON objects, as language models return them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, ClassVar

from carob.corpus.build import of_documents
from carob.corpus.corpus import Corpus, Words
from carob.corpus.document import DEEPEST, Document, Filler, Template
from carob.corpus.problems import SHOWN, UsageError, shown
from carob.corpus.record import key
from carob.corpus.source import Source, ending
from carob.corpus.tables import Documents
from carob.formats._json import BOM, CAROB, COMMON, DECODER, keys, lines, why
from carob.formats._plain import Plain, of_plain, record_forms
from carob.formats._text import Problems, decoded, signed, unsigned
from carob.formats.capabilities import fitted, refused

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


_BLOCK = 4096
_LISTED = re.compile(rb'\s*\[\s*\{\s*["}]')


@dataclass(frozen=True, slots=True)
class Records:
    """One plain JSON object a document: its keys are slots, its values fill them.

    A text fills a slot, a list of texts fills it several times, an object is a template of its
    own; null, an empty list and an empty text fill nothing. A file holds one object a line, one
    list of objects, or one object; in a folder of ID.json files the names are the ids. The keys
    `id` and `text` are those of the document; `id=`, `text=` name others, so that a slot can be
    called so, and `label=` names the key that holds the type of a template. An empty name is no
    key at all. This is what a language model returns that was asked for JSON; the task is the
    slot filling of Lavelli et al. (2008), "Evaluation of machine learning-based information
    extraction algorithms".

    >>> source = Source.of_bytes(b'{"speaker": ["Ann", "Bo"], "place": {"room": "5"}}')
    >>> Corpus.joined(Records().read(source))[0].templates[0].slots["speaker"]
    (Filler(text='Ann'), Filler(text='Bo'))
    """

    id: str = "id"
    text: str = "text"
    label: str = ""

    name: ClassVar[str] = "records"
    extensions: ClassVar[tuple[str, ...]] = (".json",)
    holds: ClassVar[frozenset[str]] = frozenset({
        "mentions:none", "templates:nested", "document ids", "text", "units:char", "units:token",
    })  # fmt: skip

    def __post_init__(self) -> None:
        used = [word for word in (self.id, self.text, self.label) if word]
        if len(set(used)) < len(used):
            raise UsageError("id, text and label are keys of their own, and two are the same")

    @property
    def held(self) -> frozenset[str]:
        """What a record with these keys has a place for.

        >>> "templates:types" in Records.holds, "templates:types" in Records(label="kind").held
        (False, True)
        """
        lacks = {word for word, key in (("document ids", self.id), ("text", self.text)) if not key}
        return self.holds - lacks | ({"templates:types"} if self.label else set())

    @property
    def _shape(self) -> Shape:
        return Shape(self.id, self.text, self.label)

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we that these are plain objects, from 0 to 1?

        >>> [Records.sniff(line) for line in (b'{"who": "Ann"}', b'{"mentions": []}', b"Ann O")]
        [0.8, 0.0, 0.0]
        """
        start = head.removeprefix(BOM).lstrip()
        if FENCE.match(start[:3].decode("utf-8", "replace")):
            return 0.95 if re.match(rb"\S*\s*[{\[]", start[3:]) else 0.0
        if start[:1] == b"{":
            found = keys(head)
            return 0.0 if found & CAROB else 0.3 if found <= COMMON else 0.8
        return 0.95 if _LISTED.match(start) else 0.2 if start.rstrip() == b"[]" else 0.0

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of documents; texts stay in the file.

        >>> [len(block) for block in Records().read(Source.of_bytes(b'[{"a": "x"}, {"a": "y"}]'))]
        [2]
        """
        problems = Problems()
        pile = _Pile(source, problems, self._shape)
        for found in objects(source, problems):
            pile.add(found)
            yield from pile.ready
            pile.ready.clear()
            if len(pile.documents) >= _BLOCK:
                yield pile.block()
        problems.check()
        if not pile.ids:
            raise source.failure("K002", "an empty file", "at least one document")
        if pile.documents:
            yield pile.block()

    def settled(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """Which keys were those of the document, and how many texts were empty."""
        names = {"id_key": self.id, "text_key": self.text, "label_key": self.label}
        said = {key: signed(name) for key, name in names.items()}
        return said, {"empty_texts": facts.get("empty_texts", 0)}

    @staticmethod
    def told(said: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again, from what `settled` said.

        >>> Records.told({"id_key": "nr", "text_key": "text", "label_key": "-"})
        {'id': 'nr', 'text': 'text', 'label': ''}
        """
        words = ("id", "text", "label")
        return {word: unsigned(said[f"{word}_key"]) for word in words}

    def library(self, source: Source, documents: Documents) -> RecordsWords:
        """The texts, which stay in the file until somebody asks."""
        return RecordsWords(source, documents, self._shape)

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Write one object a line.

        >>> import io
        >>> out, slots = io.BytesIO(), {"speaker": ["Ann", "Bo"], "stime": ["3:30"]}
        >>> Records().write(Corpus.of({"id": "d1", "templates": [{"slots": slots}]}), out)
        >>> out.getvalue()
        b'{"id": "d1", "speaker": ["Ann", "Bo"], "stime": "3:30"}\\n'
        """
        refused("records", fitted(corpus, self.held)[1])
        for document in corpus:
            record = record_of(document, self._shape)
            try:
                line = json.dumps(record, ensure_ascii=False).encode()
            except UnicodeEncodeError:  # half of a surrogate pair: JSON can only escape it
                line = json.dumps(record).encode()
            out.write(line + b"\n")


class _Pile:
    """Documents on their way into a block."""

    def __init__(self, source: Source, problems: Problems, shape: Shape) -> None:
        self.name, self.problems, self.shape = source.name, problems, shape
        self.documents: list[Document | Plain] = []
        self.ready: list[Corpus] = []
        self.lines: list[int] = []
        self.offsets: list[int] = []
        self.ids: dict[str | None, int] = {}
        self.empty = 0
        stem, end = ending(source.inside or "")
        self.stem = stem if end == ".json" else None

    def add(self, found: Found) -> None:
        # A block in which some document is not plain goes on as such, lest blocks get small.
        sticky = self.documents and not isinstance(self.documents[0], Plain)
        simple = None if sticky or self.shape.label else self._plain(found.value, found.alone)
        if simple is not None:
            if self._fits(simple[0].id, found.line) and not self.problems.total:
                self.empty += simple[1]
                self._keep(simple[0], found.line, found.offset)
            return

        def wrong(path: Path, what: str, expected: str, hint: str) -> None:
            known = self.problems.total < SHOWN  # a search for each of a million would take days
            line = found.line_of(path) if known else found.line
            self.problems.add("K212", self.name, line, what, expected, hint)

        stem = self.stem if found.alone else None
        document, empty = self.shape.document(found.value, wrong, stem)
        self.empty += empty
        if self._fits(document.id, found.line) and not self.problems.total:
            if self.documents and not sticky:
                self.ready.append(self.block())
            self._keep(document, found.line, found.offset)

    def _plain(self, value: Mapping[str, Any], alone: bool) -> tuple[Plain, int] | None:
        """The document of an object without anything that needs a closer look."""
        name = value.get(self.shape.id) if self.shape.id else None
        text = value.get(self.shape.text) if self.shape.text else None
        if (name is not None and type(name) is not str) or type(text) not in (str, type(None)):
            return None
        found = record_forms(value, (self.shape.id, self.shape.text))
        if found is None:
            return None
        name = self.stem if alone and name is None else name
        return Plain(name, text, None, [], [], [], [], [], [], found[0]), found[1]

    def _keep(self, document: Document | Plain, line: int, offset: int) -> None:
        self.documents.append(document)
        self.lines.append(line)
        self.offsets.append(offset)

    def _fits(self, name: str | None, line: int) -> bool:
        found = expected = ""
        if name is not None and name in self.ids:
            found = f"the id {shown(name)}, also on line {self.ids[name]}"
            expected = "an id of its own for each document"
        elif self.ids and (None in self.ids) != (name is None):
            found = f"a document with{'out' if name is None else ''} an id"
            expected = "an id in every object, or in none"
        self.ids.setdefault(name, line)
        if found:
            self.problems.add("K213", self.name, line, found, expected)
        return not found

    def block(self) -> Corpus:
        simple = [each for each in self.documents if isinstance(each, Plain)]
        if simple:
            corpus = of_plain(simple, self.lines, self.offsets)
        else:
            whole = [each for each in self.documents if isinstance(each, Document)]
            corpus = of_documents(whole, self.lines, self.offsets)
        facts = {"empty_texts": self.empty}
        self.documents, self.lines, self.offsets, self.empty = [], [], [], 0
        return replace(corpus, library=None, facts=facts)


@dataclass(frozen=True, slots=True)
class RecordsWords:
    """The texts of a file, read again when asked for."""

    source: Source
    documents: Documents
    shape: Shape

    def words(self, row: int) -> Words:
        """The text of a document."""
        rest = self.documents.offset[row + 1 :]
        stop = int(rest[0]) if len(rest) else None
        return text_of(self.source.between(int(self.documents.offset[row]), stop), self.shape), None

    def line(self, row: int, place: int) -> int:
        """The line on which the object begins."""
        return int(self.documents.line[row])
