"""records: plain JSON objects, as language models return them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, ClassVar, Literal

from carob.corpus.corpus import Corpus, Words
from carob.corpus.document import DEEPEST, Document, Filler, Template, filler_of
from carob.corpus.paths import path_of
from carob.corpus.problems import SHOWN, Problems, UsageError, shown
from carob.corpus.record import filler_value, key, short
from carob.corpus.source import Source, ending
from carob.corpus.tables import Documents
from carob.formats import _answers, json_text
from carob.formats._answers import Answers
from carob.formats._objects import Item, Path, in_lines, items
from carob.formats._plain import Blocks, Plain, plain_record
from carob.formats._text import BOM, FileWords, bytes_of, signed, unsigned
from carob.formats._typed import Lines, blocks_of_lines, plain_records
from carob.formats.capabilities import fitted, refused

_VALUE = "a text, a number, a boolean, a list of these, an object or null"
_ITEM = "a text, a number, a boolean, an object or null"
_DEEP = f"objects nested at most {DEEPEST} deep"


@dataclass(frozen=True, slots=True)
class Records:
    """One plain JSON object a document: its keys are slots, its values fill them.

    A text, a number or a boolean fills a slot, a list fills it several times, an object is a
    template of its own; null, an empty list and an empty text fill nothing. Numbers are kept as
    they are written. An answer that is no JSON object is an error; with `unparsed=empty`, as
    systems are read, it is an empty answer, and counted. A file holds one object a line, one
    list of objects, or one object; in a folder of ID.json files the names are the ids. The keys
    `id` and `text` are those of the document; `id=` and `text=` name other keys, so that slots can
    have these names, and `label=` names the key that holds the type of a template. An empty name is
    no key at all. `raw=` names the key whose text is the answer of a language model, which should
    be such an object: if it is none, the answer is empty, and counted. `repair=json` mends damaged
    answers, and counts them. Language models that are asked for JSON return such files; the task is
    the slot filling of Lavelli et al. (2008), "Evaluation of machine learning-based information
    extraction algorithms".

    >>> source = Source.of_bytes(b'{"speaker": ["Ann", "Bo"], "place": {"room": "5"}}')
    >>> Corpus.joined(Records().read(source))[0].templates[0].slots["speaker"]
    (Filler(text='Ann'), Filler(text='Bo'))
    """

    id: str = "id"
    text: str = "text"
    label: str = ""
    raw: str = ""
    repair: str = "none"
    unparsed: Literal["error", "empty"] = "error"
    locate: str = "all"

    name: ClassVar[str] = "records"
    extensions: ClassVar[tuple[str, ...]] = (".json",)
    signs: ClassVar[str] = "{ [ ``` ~~~"
    holds: ClassVar[frozenset[str]] = frozenset({
        "mentions:none", "templates:nested", "document ids", "text", "units:char", "units:token",
    })  # fmt: skip

    def __post_init__(self) -> None:
        used = [word for word in (self.id, self.text, self.label, self.raw) if word]
        if len(set(used)) < len(used):
            raise UsageError("id, text, label and raw must be different keys, and two are the same")
        _answers.check_repair(self.repair, self.name)
        if self.unparsed not in ("error", "empty"):
            raise UsageError(f"unparsed is error or empty, not {shown(self.unparsed)}")
        _answers.check_locate(self.locate)

    @property
    def held(self) -> frozenset[str]:
        """What a record with these keys has a place for.

        >>> "templates:types" in Records.holds, "templates:types" in Records(label="kind").held
        (False, True)
        """
        lacks = {word for word, key in (("document ids", self.id), ("text", self.text)) if not key}
        return self.holds - lacks | ({"templates:types"} if self.label else set())

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we that these are plain objects, from 0 to 1?

        >>> [Records.sniff(line) for line in (b'{"who": "Ann"}', b'{"mentions": []}', b"Ann O")]
        [0.8, 0.0, 0.0]
        """
        start = head.removeprefix(BOM).lstrip()
        if json_text.FENCE.match(start[:3].decode("utf-8", "replace")):
            return 0.85 if re.match(rb"\S*\s*[{\[]", start[3:]) else 0.0
        listed = json_text.is_list_of_objects(start)
        if listed or start[:1] == b"{":
            names = json_text.keys(start)
            if names & json_text.own_keys(start):
                return 0.0
            return 0.3 if names <= json_text.COMMON and not listed else 0.8
        return 0.2 if start.rstrip() == b"[]" else 0.0

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of documents; texts stay in the file.

        >>> [len(block) for block in Records().read(Source.of_bytes(b'[{"a": "x"}, {"a": "y"}]'))]
        [2]
        """
        problems = Problems(source.name)
        blocks = Blocks(problems, "K213", "in every object, or in none")
        stem, end = ending(source.inside or "")
        named = end == ".json"
        waiting: list[Item] = []  # without an id, until it shows whether the others have one
        known: dict[str, str] = {}  # texts that repeat
        whole = named or self._answers is not None or not in_lines(source)
        for lines in [None] if whole else blocks_of_lines(source):
            block = None if lines is None else self._block(lines, known)
            if block is not None and blocks.accepts_block(block):
                for each in waiting if block.documents.id is None else ():
                    yield from self._unparsed(each, blocks, problems)
                _count_unparsed(blocks.facts, source, waiting)
                if not problems.total:
                    yield from blocks.rest()
                    yield block
                continue
            for item in self._items(source, problems, lines, blocks.facts):
                if item.unparsed:
                    waiting.append(item)
                    continue
                name = stem if item.alone and named else None
                plain = self._plain(item.value, name) if blocks.take_plain else None
                document, empty = plain or self._document(item, name, problems, blocks.facts)
                for each in waiting if document.id is None else ():
                    yield from self._unparsed(each, blocks, problems)
                _count_unparsed(blocks.facts, source, waiting)
                if blocks.accepts(document.id, item.line) and not problems.total:
                    yield from blocks.add(document, item.line, item.offset)
                    blocks.facts["empty_texts"] += empty
        for each in waiting if set(blocks.ids) <= {None} else ():
            yield from self._unparsed(each, blocks, problems)
        nothing = not blocks.ids and not waiting
        _count_unparsed(blocks.facts, source, waiting)
        problems.check()
        if nothing:
            raise source.failure("K002", "an empty file", "at least one document")
        yield from blocks.rest()
        if any(blocks.facts.values()):  # of answers that no document could be made of
            yield replace(Corpus.of(), facts=blocks.facts)

    @staticmethod
    def _unparsed(item: Item, blocks: Blocks, problems: Problems) -> Iterator[Corpus]:
        """An answer that is no object: an empty document in its place."""
        if blocks.accepts(None, item.line) and not problems.total:
            yield from blocks.add(Document(extra={"unparsed": True}), item.line, item.offset)

    @property
    def _answers(self) -> Answers | None:
        """How answers of language models are read; None if the file has plain objects."""
        mend = self.repair == "json"
        return Answers(self.id, self.text, self.raw, mend) if mend or self.raw else None

    def _items(
        self, source: Source, problems: Problems, lines: Lines | None, facts: Counter[str]
    ) -> Iterator[Item]:
        if self._answers is not None:
            return self._answers.items(source, problems, facts)
        return items(
            source, problems, "K211", lines=lines, decoder=json_text.AS_WRITTEN,
            keep_unparsed=self.unparsed == "empty",
        )  # fmt: skip

    def _block(self, lines: Lines, known: dict[str, str]) -> Corpus | None:
        """The documents of objects on these lines, if none needs a closer look."""
        return None if self.label else plain_records(lines, self.id, self.text, known)

    def _plain(self, value: Mapping[str, Any], stem: str | None) -> tuple[Plain, int] | None:
        """The document of an object that needs no closer look, and its number of empty texts."""
        name = value.get(self.id) if self.id else None
        text = value.get(self.text) if self.text else None
        if self.label or not all(each is None or type(each) is str for each in (name, text)):
            return None
        template = plain_record(value, (self.id, self.text))
        if template is None:
            return None
        name = stem if name is None else name
        return Plain(name, text, None, [], [], [], [], [], [], template[0]), template[1]

    def _document(
        self, item: Item, stem: str | None, problems: Problems, facts: Counter[Any]
    ) -> tuple[Document, int]:
        """The document of an object, and how many of its texts are empty; slots with a list are
        counted among the facts.
        """
        line = item.line

        def wrong(path: Path, found: str, expected: str, hint: str = "") -> None:
            nonlocal line
            if problems.total < SHOWN:  # finding the lines of a million problems would take days
                line = item.line_of(path)
            problems.add("K212", line, found, expected, hint)

        slots = dict(item.value)
        name = slots.pop(self.id, None) if self.id else None
        if name is not None and (not isinstance(name, (str, int)) or isinstance(name, bool)):
            wrong((self.id,), f"{key(self.id)} = {short(name)}", "a text or a whole number")
            name = None
        text = slots.pop(self.text, None) if self.text else None
        if text is not None and not isinstance(text, str):
            wrong((self.text,), f"{key(self.text)} = {short(text)}", "a text or null")
            text = None
        templates = _Templates(self.label, wrong, facts)
        template = templates.of_object(slots, (), 1)
        name = stem if name is None else str(name)
        document = Document(name, text, templates=() if template is None else (template,))
        return document, templates.empty

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """Which keys were those of the document, and how many texts were empty."""
        names = {"id_key": self.id, "text_key": self.text, "label_key": self.label}
        how = {key: signed(name) for key, name in names.items()}
        how |= _answers.signature_fields(self.raw, self.repair)
        how |= _answers.signed_locate(self.locate)
        if facts.get("unparsed") and self._answers is None:
            how["unparsed"] = self.unparsed
        counts: dict[Any, int] = {"empty_texts": facts.get("empty_texts", 0)}
        counts |= {"mended": facts["mended"]} if facts.get("mended") else {}
        counts |= _answers.unparsed_facts(facts)
        lists = {key: 1 for key in facts if isinstance(key, tuple) and key[0] == "list"}
        return how, counts | lists

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again, from what `signature_fields` gives.

        >>> Records.from_signature({"id_key": "nr", "text_key": "text", "label_key": "-"})
        {'id': 'nr', 'text': 'text', 'label': ''}
        """
        found = {word: unsigned(fields[f"{word}_key"]) for word in ("id", "text", "label")}
        if fields.get("unparsed", "none") != "none":
            found["unparsed"] = fields["unparsed"]
        found |= {"locate": fields["locate"]} if "locate" in fields else {}
        return found | _answers.from_signature(fields)

    def library(self, source: Source, documents: Documents) -> FileWords:
        """The texts, which stay in the file."""
        if self._answers is not None:
            return self._answers.library(source, documents)

        def read(row: int) -> Words:
            if documents.length[row] < 0:
                return None, None
            raw = bytes_of(source, documents, row).decode("utf-8").lstrip(" \t\r\n")
            value, _ = json_text.DECODER.raw_decode(raw)
            text = value.get(self.text) if self.text else None
            return text if isinstance(text, str) else None, None

        return FileWords(read, documents)

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
            out.write(json_text.encoded_object(self._record(document)))

    def _record(self, document: Document) -> dict[str, Any]:
        """The object of a document, which has at most one template."""
        record: dict[str, Any] = {}
        for word, value in ((self.id, document.id), (self.text, document.text)):
            if value is not None:
                if not word:
                    raise UsageError("records has no key for ids or texts: id= and text= name one")
                record[word] = value
        for template in document.templates:
            slots = self._slots(template)
            for slot in slots:
                if slot in record or slot in (self.id, self.text):
                    what = "id" if slot == self.id else "text"
                    raise UsageError(
                        f"records has the key {shown(slot)} for the {what} of a document, and a "
                        f"slot has this name; {what}=NAME chooses another key"
                    )
            record |= slots
        return record

    def _slots(self, template: Template) -> dict[str, Any]:
        slots: dict[str, Any] = {}
        if self.label and template.label:
            slots[self.label] = template.label
        for slot, fillers in template.slots.items():
            if self.label and slot == self.label:
                raise UsageError(
                    f"records has the key {shown(slot)} for the type of a template, and a slot "
                    "has this name; label=NAME chooses another key"
                )
            values = [
                self._slots(f) if isinstance(f, Template) else filler_value(f) for f in fillers
            ]
            if values:
                slots[slot] = values[0] if len(values) == 1 else values
        return slots


def may_be_one_a_line(source: Source) -> bool:
    """Whether each line may be an answer: the first is one, or one of them is and none is a fence.

    >>> may_be_one_a_line(Source.of_bytes(b'Sorry.\\n{"who": "Ann"}'))
    True
    >>> may_be_one_a_line(Source.of_bytes(b'Sure!\\n```\\n{"who": "Ann"}\\n```'))
    False
    """
    found = False
    for number, _, raw in json_text.lines(source):
        if json_text.FENCE.match(raw[:20].decode("utf-8", "replace")):
            return False
        found = found or _answers.is_object_line(raw)
        if found and number == 1:
            break
    return found


def _count_unparsed(facts: Counter[Any], source: Source, waiting: list[Item]) -> None:
    """Count the answers that wait for others and could not be read; then none waits."""
    for item in waiting:
        _answers.count_unparsed(facts, source, item.line, item.why)
    waiting.clear()


class _Templates:
    """Makes templates of objects; counts empty texts, reports values that fill nothing."""

    def __init__(
        self, label: str, wrong: Callable[[Path, str, str, str], None], facts: Counter[Any]
    ) -> None:
        self.label, self.wrong, self.facts = label, wrong, facts
        self.empty = 0

    def of_object(self, value: Mapping[str, Any], path: Path, depth: int) -> Template | None:
        """The template of an object; None if nothing is in it."""
        if depth > DEEPEST:
            self.wrong(path, shown(_as_text(path))[1:-1], _DEEP, "")
            return None
        label = ""
        slots: dict[str, tuple[Filler | Template, ...]] = {}
        for slot, content in value.items():
            place = (*path, slot)
            if self.label and slot == self.label:
                if content is not None and not isinstance(content, str):
                    found = f"{_as_text(place)} = {short(content)}"
                    self.wrong(place, found, "a text or null", "")
                label = content if isinstance(content, str) else ""
            elif not slot:
                inside = f" in {_as_text(path)}" if path else ""
                self.wrong(place, f"a key that is empty{inside}", "a name", "")
            elif isinstance(content, list):
                self.facts["list", path_of(s for s in place if isinstance(s, str))] += 1
                several = (self._filler(each, (*place, i), depth, _ITEM)
                           for i, each in enumerate(content))  # fmt: skip
                slots[slot] = tuple(each for each in several if each is not None)
            else:
                one = self._filler(content, place, depth, _VALUE)
                slots[slot] = () if one is None else (one,)
        return Template(label, slots) if label or any(slots.values()) else None

    def _filler(
        self, value: Any, path: Path, depth: int, expected: str
    ) -> Filler | Template | None:
        if isinstance(value, dict):
            return self.of_object(value, path, depth + 1)
        if (found := filler_of(value)) is not None:
            if found[0].strip():
                return Filler(found[0], kind=found[1])
            self.empty += 1
        elif value is not None:
            self.wrong(path, f"{_as_text(path)} = {short(value)}", expected, "")
        return None


def _as_text(path: Path) -> str:
    """A path for a message: `a.b[0]`."""
    parts = (f"[{step}]" if isinstance(step, int) else f".{key(step)}" for step in path)
    return "".join(parts).removeprefix(".")
