"""brat: a text in one file, its annotations in another, by character offsets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Literal

import numpy as np

from carob.arrays.types import IntArray
from carob.corpus.build import of_documents
from carob.corpus.corpus import LEFT_OUT, Corpus, Words
from carob.corpus.document import Document, Group, Mention, Span, tidy
from carob.corpus.problems import Problems, UsageError, nearest, shown
from carob.corpus.source import Source, ending
from carob.corpus.tables import ATTRIBUTES, Documents, too_many_attributes
from carob.formats._text import FileWords, decoded, encoded
from carob.formats.folders import file_names, write_files

_BLOCK = 1024
_FIRST = re.compile(
    rb"\s*(T[^\s:]+\t\S+ [0-9]+ [0-9]+[;\t]|E[0-9]+\t\S+:T|R[0-9]+\t\S+ \S+:[TE]"
    rb"|[AMN#][0-9]+\t\S+ [TERA][0-9]|\*\t\S+ [TE][0-9])"
)
_FACTS = ("unplaced_attributes", "without_ann", "other_files", "hidden_files", "without_returns",
          "touching_fragments", LEFT_OUT)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Brat:
    """Standoff: x.txt holds a text, x.ann the mentions in it, by character offsets.

    Reads a folder of such pairs, with the folders in it, or one pair by the name of either file.
    A document's id is its name within the folder, without .txt; a pair alone has none. Every T
    line is a mention, events and R lines are relations, `*` lines are clusters, attributes belong
    to mentions. What a corpus has no place for is kept as it is and written again. A .txt without
    .ann is an error; `missing=empty` reads it as a document without mentions. With `lenient`, lines
    that are wrong are left out, counted and listed. If the offsets of a text do not fit and would
    without its carriage returns, it is read without them, and so are the texts beside it whose
    offsets fit either way. The format is that of the brat rapid annotation tool, Stenetorp et al.
    (2012).

    >>> pair = {"a.txt": b"Ann slept", "a.ann": b"T1\\tPER 0 3\\tAnn\\n"}
    >>> Corpus.joined(Brat().read(Source.of_files(pair)))[0].mentions
    (Mention('PER', 0, 3, id='T1'),)
    """

    missing: Literal["error", "empty"] = "error"
    lenient: bool = False

    name: ClassVar[str] = "brat"
    extensions: ClassVar[tuple[str, ...]] = (".ann",)
    signs: ClassVar[str] = "text"
    holds: ClassVar[frozenset[str]] = frozenset({
        "overlaps", "crossing", "discontinuous", "across sentences", "attributes", "ids:T",
        "relations", "clusters", "group ids:E", "group ids:R", "document ids", "text",
        "extra:brat", "units:char",
    })  # fmt: skip
    needs: ClassVar[frozenset[str]] = frozenset({"text"})
    folders: ClassVar[bool] = True
    write_parameters: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "lenient", self.lenient in (True, "yes", "true", "1"))
        if self.missing not in ("error", "empty"):
            choices = nearest(self.missing, ("error", "empty"))
            raise UsageError(f"missing files cannot be {self.missing!r}{choices}")

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we that this is an .ann file, from 0 to 1?

        >>> Brat.sniff(b"T1\\tPER 0 3\\tAnn"), Brat.sniff(b"Ann B-PER")
        (0.95, 0.0)
        """
        return 0.95 if _FIRST.match(head.removeprefix(b"\xef\xbb\xbf")) else 0.0

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of documents; texts stay in their files.

        >>> [len(block) for block in Brat().read(Source.of_files({"a.txt": b"x", "a.ann": b""}))]
        [1]
        """
        problems = Problems()
        facts = dict.fromkeys(_FACTS, 0) | {"hidden_files": source.hidden}
        facts["editor_files"] = source.of_editors
        documents: list[Document] = []
        attributes: set[str] = set()
        pairs = self._pairs(source, problems, facts)
        without_returns = cache(lambda: any(map(self._leaves_out_returns, pairs.values())))
        for stem, (txt, ann) in pairs.items():
            text = decoded(txt, "K601", problems)
            lines = "" if ann is None else decoded(ann, "K601", problems)
            if text is None or lines is None:
                continue
            id = stem if source.is_folder else None
            document, reader = self._document(id, text, lines, (ann or txt).name, without_returns)
            problems.extend(reader.problems.first(), reader.problems.total)
            facts["without_returns"] += document.text != text
            facts["unplaced_attributes"] += reader.unplaced
            facts["touching_fragments"] += reader.touching
            facts[LEFT_OUT] += reader.left_out.total
            facts |= {f"{LEFT_OUT}: {problem}": 1 for problem in reader.left_out.first()}
            names = {name for mention in document.mentions for name in mention.attributes}
            if len(attributes | names) > ATTRIBUTES:
                found = too_many_attributes(attributes | names)
                problems.add("K009", None, *found, file=(ann or txt).name)
            else:
                attributes |= names
            if not problems.total:
                documents.append(document)
            if len(documents) == _BLOCK:
                yield replace(of_documents(documents), library=None)
                documents = []
        problems.check()
        yield replace(of_documents(documents), library=None, facts=facts)

    def _document(
        self, id: str | None, text: str, lines: str, name: str, without_returns: Callable[[], bool]
    ) -> tuple[Document, Annotations]:
        """The document, and what was wrong with it: without carriage returns, if that helps, or if
        both fit and `without_returns` says that offsets elsewhere leave them out.
        """
        reader = Annotations(text, name, lenient=self.lenient)
        document = reader.document(id, lines)
        if "\r\n" in text:
            other = Annotations(text.replace("\r\n", "\n"), name, lenient=self.lenient)
            shorter = other.document(id, lines)
            if not other.misplaced and (reader.misplaced or without_returns()):
                return shorter, other
        return document, reader

    def _leaves_out_returns(self, pair: tuple[Source, Source | None]) -> bool:
        """Whether the offsets of a text fit only without its carriage returns."""
        text, lines = (None if file is None else decoded(file, "K601", Problems()) for file in pair)
        if not text or not lines:
            return False
        return self._document(None, text, lines, "", lambda: False)[0].text != text

    def _pairs(
        self, source: Source, problems: Problems, facts: dict[str, int]
    ) -> dict[str, tuple[Source, Source | None]]:
        """By name without ending, the files of each document."""
        by_stem = _by_stem(source)
        facts["other_files"] = len(source.files) - sum(len(files) for files in by_stem.values())
        pairs: dict[str, tuple[Source, Source | None]] = {}
        for stem, files in by_stem.items():
            ends = [end for end, _ in files]
            by_end = dict(files)
            hint = ""
            if len(set(ends)) < len(ends):
                wrong, expected = "two files for one text", "one .txt and one .ann"
            elif ".txt" not in by_end:
                wrong, expected = f"no {Path(stem).name}.txt", "the text beside its annotations"
            elif ".ann" not in by_end and self.missing == "error":
                wrong, expected = f"no {Path(stem).name}.ann", "annotations beside the text"
                hint = "--read missing=empty reads it as a document without mentions"
            else:
                facts["without_ann"] += ".ann" not in by_end
                pairs[stem] = (by_end[".txt"], by_end.get(".ann"))
                continue
            problems.add("K604", None, wrong, expected, hint, file=files[0][1].name)
        if not by_stem:
            if source.is_folder:
                raise source.failure("K002", "a folder without .txt and .ann files", "some of them")
            raise source.failure(
                "K604", "a file that is neither .txt nor .ann",
                "a folder of .txt and .ann files, or one of them by its name",
            )  # fmt: skip
        return pairs

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """How the folder was read, and what was left out."""
        fields = {"missing": self.missing} | ({"lenient": "yes"} if self.lenient else {})
        listed = {key: count for key, count in facts.items() if key.startswith(f"{LEFT_OUT}: ")}
        return fields, {key: facts.get(key, 0) for key in _FACTS} | listed

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again, from what `signature_fields` gives.

        >>> Brat.from_signature({"missing": "empty"})
        {'missing': 'empty'}
        """
        return {"missing": fields["missing"]} | ({"lenient": True} if "lenient" in fields else {})

    def library(self, source: Source, documents: Documents) -> FileWords:
        """The texts, which stay in their files."""
        files = [dict(pair)[".txt"] for pair in _by_stem(source).values()]

        def read(row: int) -> Words:
            text = b"".join(files[row].blocks()).decode("utf-8")
            if len(text) > documents.length[row]:
                text = text.replace("\r\n", "\n")
            return text, None

        return FileWords(read)

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Refused: a document takes two files."""
        raise UsageError("brat writes two files for each document: give it a folder")

    def write_folder(self, corpus: Corpus, path: Path) -> None:
        """Write a folder, or one document to x.ann and x.txt beside it.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     corpus = Corpus.of({"id": "a", "text": "Ann slept"})
        ...     Brat().write_folder(corpus, Path(folder))
        ...     sorted(file.name for file in Path(folder).iterdir())
        ['a.ann', 'a.txt']
        """
        files: dict[str, bytes] = {}
        for stem, document in zip(file_names(corpus, "brat"), corpus, strict=True):
            lines = annotated(document)
            files[f"{stem}.txt"] = encoded(document.text or "", "brat", stem)
            files[f"{stem}.ann"] = encoded(lines, "brat", stem)
        if path.suffix != ".ann" or path.is_dir():
            write_files(path, files)
        elif len(corpus) != 1:
            raise UsageError(f"{path} is one document, and there are {len(corpus)}: give a folder")
        else:
            try:
                for place, data in zip((path.with_suffix(".txt"), path), files.values(),
                                       strict=True):  # fmt: skip
                    place.write_bytes(data)
            except OSError as error:
                raise UsageError(f"cannot write {path}: {error.strerror or error}") from None


def _by_stem(source: Source) -> dict[str, list[tuple[str, Source]]]:
    """By name without ending, sorted, the .txt and .ann files of each document."""
    by_stem: dict[str, list[tuple[str, Source]]] = {}
    for name, file in source.files.items():
        stem, end = ending(name)
        if end in (".txt", ".ann"):
            by_stem.setdefault(stem, []).append((end, file))
    return dict(sorted(by_stem.items()))


_BOUND = re.compile(r"(\S+) ([0-9]{1,9} [0-9]{1,9}(?:;[0-9]{1,9} [0-9]{1,9})*)")
_ID = re.compile(r"[TEARM][^\s:]+")
_SHAPES = {
    "T": "T1, tab, label start end, tab, text",
    "A": "A1, tab, name and id, and perhaps a value",
    "M": "M1, tab, name and id, and perhaps a value",
    "E": "E1, tab, label:T1, and perhaps role:id ...",
    "R": "R1, tab, label role:id role:id",
    "*": "*, tab, Equiv T1 T2 ...",
    "N": "N1, tab, Reference T1 resource:id, tab, text",
}
_ANY = "a line that begins with one of T A M E R N * #"


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    id: str
    words: tuple[str, ...]
    whole: str


class Annotations:
    """Reads one .ann file against its text.

    What a document cannot hold stays verbatim under `brat` in its extra part: `lines` (notes,
    normalizations, attributes without a mention), `attributes` (the id and the target of each
    attribute line) and `targets` (members that are events; the document has their triggers).
    """

    def __init__(self, text: str, name: str, *, lenient: bool = False) -> None:
        self.text, self.name, self.lenient = text, name, lenient
        self.problems, self.left_out = Problems(name), Problems(name)
        self.misplaced = False
        self.bounds: dict[str, tuple[str, tuple[Span, ...]]] = {}
        self.lines: dict[str, list[_Line]] = {kind: [] for kind in "EAR*"}
        self.seen: dict[str, int] = {}
        self.verbatim: list[str] = []
        self.unplaced = 0
        self.touching = 0
        self._single_spaced: tuple[str, IntArray] | None = None

    def wrong(self, line: int, code: str, found: str, expected: str, hint: str = "") -> None:
        """Report a problem, or leave out the line that has it."""
        (self.left_out if self.lenient else self.problems).add(code, line, found, expected, hint)

    def document(self, id: str | None, ann: str) -> Document:
        """The document; it must not be used if there were problems."""
        for number, line in enumerate(ann.removeprefix("\ufeff").split("\n"), 1):
            line = line.rstrip("\r")
            if line and not line.isspace():
                self._take(number, line)
        return self._linked(id)

    def _take(self, number: int, line: str) -> None:
        kind = line[0]
        if kind == "#":
            self.verbatim.append(line)
            return
        name, _, body = line.partition("\t")
        shape = _SHAPES.get(kind, _ANY)
        if kind == "N" and len(body.split()) > 2:
            self.verbatim.append(line)
            return
        if kind == "N" or not (name == "*" or _ID.fullmatch(name)):
            self.wrong(number, "K602", shown(line), shape)
            return
        if name in self.seen:
            found = f"the id {shown(name)}, also on line {self.seen[name]}"
            self.wrong(number, "K603", found, "an id of its own for each annotation")
            return
        if name != "*":
            self.seen[name] = number
        if kind == "T":
            self._bound(number, name, body, line)
            return
        body = body.strip()
        words = tuple(body.split(None, 2)) if kind in "AM" else tuple(body.split())
        if "\t" in body or len(words) < (1 if kind == "E" else 2):
            self.wrong(number, "K602", shown(line), shape)
            return
        self.lines["A" if kind == "M" else kind].append(_Line(number, name, words, line))

    def _bound(self, number: int, name: str, body: str, line: str) -> None:
        place, tab, quoted = body.partition("\t")
        match = _BOUND.fullmatch(place)
        if match is None or not tab:
            self.wrong(number, "K602", shown(line), _SHAPES["T"])
            return
        numbers = [int(n) for n in match[2].replace(";", " ").split(" ")]
        spans = tuple(zip(numbers[::2], numbers[1::2], strict=True))
        # Known even if its spans are wrong, so that lines which name it are no further problems.
        self.bounds[name] = (match[1], spans)
        try:
            tidied = tidy(spans)
        except UsageError as error:
            expected = "spans that are not empty and do not overlap"
            self.wrong(number, "K605", f"{name}: {error}", expected)
            self._forget(name)
            return
        self.touching += len(tidied) < len(spans)
        if tidied[-1][1] > len(self.text):
            found = f"{name} ending at {tidied[-1][1]}"
            expected = f"an end within the {len(self.text)} characters of the text"
            self.wrong(number, "K605", found, expected, "offsets count Unicode characters")
            self.misplaced = True
            self._forget(name)
        elif not self._is_text_at(spans, quoted):
            first, last = spans[0]
            found = f"{name} with the text {shown(quoted)}"
            expected = f"{shown(self.text[first : min(last, first + 61)])}, the text at {first}"
            self.wrong(number, "K606", found, expected, "offsets count Unicode characters")
            self.misplaced = True
            self._forget(name)

    def _forget(self, name: str) -> None:
        """Leave out a mention whose place is wrong."""
        if self.lenient:
            del self.bounds[name]

    def _is_text_at(self, spans: tuple[Span, ...], quoted: str) -> bool:
        """Whether the text at these spans is the one on the line, apart from white space."""
        most = 2 * (len(quoted) + len(spans)) + 64
        if sum(end - start for start, end in spans) > most:
            # Long white space, or simply wrong: cutting the text here, on every line, could take
            # the square of its length. Cut the text with single spaces instead.
            if self._single_spaced is None:
                self._single_spaced = _with_single_spaces(self.text)
            text, moved = self._single_spaced
            spans = tuple((int(moved[start]), int(moved[end])) for start, end in spans)
            if sum(end - start for start, end in spans) > most:
                return False
        else:
            text = self.text
        return " ".join(text[start:end] for start, end in spans).split() == quoted.split()

    def _linked(self, id: str | None) -> Document:
        """Second pass: now all ids are known, whatever the order of the lines."""
        triggers: dict[str, str] = {}
        for line in self.lines["E"]:
            target = line.words[0].rpartition(":")[2]
            if target in self.bounds:
                triggers[line.id] = target
        targets: dict[str, dict[str, str]] = {}

        def members(line: _Line, key: str, *, roles: bool) -> tuple[tuple[str, str], ...]:
            pairs = []
            words = line.words if line.id[0] == "E" else line.words[1:]
            for place, word in enumerate(words):
                role, colon, target = word.rpartition(":")
                if roles and not (role and colon):
                    self.wrong(line.number, "K602", shown(line.whole), _SHAPES[line.id[0]])
                    return ()
                if not roles:
                    role, target = "", word
                elif line.id[0] == "E" and place == 0:
                    role = "trigger"
                opening = line.id[0] == "E" and place == 0
                mention = target if opening else triggers.get(target, target)
                if mention not in self.bounds:
                    self._missing(line, target, "T" if opening else "TE")
                    if self.lenient:
                        return ()
                    continue
                if mention != target:
                    targets.setdefault(key, {})[str(place)] = target
                pairs.append((role, mention))
            return tuple(pairs)

        relations = [
            Group(line.words[0].rpartition(":")[0], members(line, line.id, roles=True), line.id)
            for line in self.lines["E"]
        ]
        for line in self.lines["R"]:
            relations.append(Group(line.words[0], members(line, line.id, roles=True), line.id))
        clusters = []
        for place, line in enumerate(self.lines["*"]):
            label = "" if line.words[0] == "Equiv" else line.words[0]
            clusters.append(Group(label, members(line, f"*{place}", roles=False)))
        if self.lenient:
            relations = [group for group in relations if group.members]
            clusters = [group for group in clusters if group.members]
        kept, attributes = self._attributes(triggers)
        mentions = () if self.problems.total else tuple(
            Mention.of(label, spans, attributes.get(name), None, name)
            for name, (label, spans) in self.bounds.items()
        )  # fmt: skip
        rest = {"lines": self.verbatim, "attributes": kept, "targets": targets}
        rest = {key: value for key, value in rest.items() if value}
        return Document(
            id, self.text, None, mentions, relations=tuple(relations), clusters=tuple(clusters),
            extra={"brat": rest} if rest else {},
        )  # fmt: skip

    def _missing(self, line: _Line, target: str, kinds: str) -> None:
        """Report an id that no line has; a line that has it and is wrong is reported already."""
        if target in self.seen and target[0] in kinds and not self.lenient:
            return
        which = " or ".join(kinds)
        found = f"{shown(target)} in {shown(line.whole)}"
        self.wrong(line.number, "K607", found, f"the id of a line with {which} in this file")

    def _attributes(
        self, triggers: dict[str, str]
    ) -> tuple[list[list[str]], dict[str, dict[str, str]]]:
        """Attributes go to mentions; those of an event to its trigger, if no other event has it."""
        events = Counter(triggers.values())
        relations = {line.id for line in self.lines["R"]}
        attributes: dict[str, dict[str, str]] = {}
        kept: list[list[str]] = []
        for line in self.lines["A"]:
            name, target = line.words[:2]
            value = line.words[2] if len(line.words) > 2 else "true"
            mention: str | None = target
            if target in triggers:
                mention = triggers[target] if events[triggers[target]] == 1 else None
            elif target in relations:
                mention = None
            elif target not in self.bounds:
                self._missing(line, target, "TER")
                continue
            before = attributes.get(mention, {}).get(name) if mention else None
            if before is not None and before != value:
                found = f"{shown(value)} as the {shown(name)} of {shown(target)}"
                expected = f"{shown(before)}, as on a line before"
                self.wrong(line.number, "K608", found, expected)
            elif mention is None or before is not None:
                self.verbatim.append(line.whole)
                self.unplaced += 1
            else:
                attributes.setdefault(mention, {})[name] = value
                valued = ["valued"] if len(line.words) > 2 and value == "true" else []
                kept.append([line.id, mention, name, target, *valued])
        return kept, attributes


def _with_single_spaces(text: str) -> tuple[str, IntArray]:
    """A text with one space for each stretch of white space, and where each position went."""
    kept: IntArray = np.ones(len(text), np.int64)
    for stretch in re.finditer(r"\s{2,}", text):
        kept[stretch.start() + 1 : stretch.end()] = 0
    places = np.concatenate([[0], np.cumsum(kept)])
    return re.sub(r"\s{2,}", " ", text), places


def rest_of(document: Document) -> tuple[list[str], list[list[str]], dict[str, dict[str, str]]]:
    """The `brat` part of a document's extra, checked: lines, attributes and targets."""
    rest: Any = document.extra.get("brat", {})
    try:
        lines, attributes = list(rest.get("lines", [])), list(rest.get("attributes", []))
        targets = {key: dict(value) for key, value in rest.get("targets", {}).items()}
        every = [*lines, *(word for words in attributes for word in [*words, ""][:5])]
        sound = all(isinstance(word, str) and "\n" not in word for word in every)
        sound &= all(isinstance(words, list) and len(words) in (4, 5) for words in attributes)
    except (AttributeError, TypeError, ValueError):
        sound = False
    if not sound:
        name = shown(document.id or "")
        raise UsageError(f"the brat part of document {name} is not one that carob made")
    return lines, attributes, targets


_BREAK = re.compile(r"[\t\n\r]")
_WORD = re.compile(r"\S+")


class _Ids:
    """Ids that begin with certain letters: valid ones stay, others are replaced by new ones."""

    def __init__(self, letters: str, taken: Iterable[str | None]) -> None:
        self.letter, self.valid = letters[0], re.compile(rf"[{letters}][^\s:]+")
        self.taken = {name for name in taken if name}
        self.used: set[str] = set()
        self.next = 1

    def of(self, name: str | None) -> str:
        if name and name not in self.used and self.valid.fullmatch(name):
            self.used.add(name)
            return name
        while (new := f"{self.letter}{self.next}") in self.taken:
            self.next += 1
        self.taken.add(new)
        return new


def annotated(document: Document) -> str:
    """The .ann file of a document."""
    return "".join(f"{line}\n" for line in _lines(document))


def _lines(document: Document) -> Iterator[str]:
    where = f"in document {shown(document.id or '')}"
    text = document.text
    if text is None:
        raise UsageError(f"brat keeps a text beside its annotations, and there is none {where}")
    lines, attributes, targets = rest_of(document)
    ids = _Ids("T", [mention.id for mention in document.mentions])
    names = [ids.of(mention.id) for mention in document.mentions]
    new = {mention.id: name for mention, name in zip(document.mentions, names, strict=True)}
    for mention, name in zip(document.mentions, names, strict=True):
        yield _bound(mention, name, text, where)
    triggers: dict[str, str] = {}
    links: list[tuple[Group, str, bool]] = []
    events = _Ids("E", [group.id for group in document.relations])
    others = _Ids("R", [group.id for group in document.relations])
    for group in document.relations:
        event = group.roles[:1] == ("trigger",) and (group.id or "")[:1] != "R"
        name = (events if event else others).of(group.id)
        links.append((group, name, event))
        if event:
            triggers[name] = _mention(group.members[0][1], new, group, where)
    clusters = [(group, f"*{place}", False) for place, group in enumerate(document.clusters)]
    for group, name, event in [*links, *clusters]:
        yield _link(group, name, event, new, triggers, targets.get(name, {}), where)
    yield from _attributes(document, names, attributes, lines, triggers, where)
    yield from lines


def _word(word: str, what: str, where: str) -> str:
    if not _WORD.fullmatch(word):
        raise UsageError(f"brat cannot hold the {what} {shown(word)} {where}")
    return word


def _bound(mention: Mention, name: str, text: str, where: str) -> str:
    spans = ";".join(f"{start} {end}" for start, end in mention.fragments)
    words = _BREAK.sub(" ", " ".join(text[start:end] for start, end in mention.fragments))
    return f"{name}\t{_word(mention.label, 'label', where)} {spans}\t{words}"


def _mention(member: object, new: dict[str | None, str], group: Group, where: str) -> str:
    if not isinstance(member, str) or member not in new:
        name = shown(group.label or group.id or "")
        raise UsageError(f"a member of {name} {where} is no mention that has an id")
    return new[member]


def _link(
    group: Group, name: str, event: bool, new: dict[str | None, str], triggers: dict[str, str],
    targets: dict[str, str], where: str,
) -> str:  # fmt: skip
    label = _word(group.label or ("Equiv" if name[0] == "*" else ""), "label", where)
    words = [] if event else [label]
    for place, (role, member) in enumerate(group.members):
        mention = _mention(member, new, group, where)
        target = targets.get(str(place), mention)
        if triggers.get(target) != mention:
            target = mention
        if event and place == 0:
            role = label
        words.append(target if name[0] == "*" else f"{_word(role, 'role', where)}:{target}")
    if not group.members:
        raise UsageError(f"brat cannot hold {shown(label)} {where}, a group without members")
    return f"{'*' if name[0] == '*' else name}\t{' '.join(words)}"


def _attributes(
    document: Document, names: list[str], known: list[list[str]], lines: list[str],
    triggers: dict[str, str], where: str,
) -> list[str]:  # fmt: skip
    ids = _Ids("AM", [*(entry[0] for entry in known), *(line.split("\t")[0] for line in lines)])
    entries = {(entry[1], entry[2]): entry for entry in known}
    order = {entry[0]: place for place, entry in enumerate(known)}
    placed: list[tuple[int, str]] = []
    for mention, name in zip(document.mentions, names, strict=True):
        for attribute, value in mention.attributes.items():
            entry = entries.get((name, attribute), ["", name, attribute, name])
            target = entry[3] if triggers.get(entry[3]) == name else name
            words = [_word(attribute, "attribute", where), target]
            if value != "true" or len(entry) > 4:
                if not value or value != value.strip() or re.search(r"[\t\n]", value):
                    raise UsageError(f"brat cannot hold the value {shown(value)} {where}")
                words.append(value)
            place = order.get(entry[0], len(order))
            placed.append((place, f"{ids.of(entry[0])}\t{' '.join(words)}"))
    placed.sort(key=lambda pair: pair[0])
    return [line for _, line in placed]
