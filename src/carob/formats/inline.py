"""inline: text with tags in it, <speaker>Ann Lee</speaker>."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from html.entities import html5
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Literal

from carob.corpus.build import of_documents
from carob.corpus.corpus import Corpus, Words
from carob.corpus.document import Document, Mention
from carob.corpus.problems import Problems, UsageError, nearest, shown
from carob.corpus.source import Source, ending
from carob.corpus.tables import ATTRIBUTES, Documents, too_many_attributes
from carob.formats._text import FileWords, decoded, encoded
from carob.formats.folders import file_names, write_files

NAME = re.compile(r"[A-Za-z][\w.-]*")
_ATTRIBUTE = re.compile(r'([A-Za-z_][\w.:-]*)="([^"<>\r\n]*)"')
# There is no "<" inside a tag, so the search for the next tag never visits a place twice.
TAG = re.compile(
    r"<(?:/(?P<closed>[A-Za-z][\w.-]*+)"
    r"|(?P<opened>[A-Za-z][\w.-]*+)"
    r'(?P<attributes>(?:[ \t]++[A-Za-z_][\w.:-]*+="[^"<>\r\n]*+")*+))>'
)
_ENTITY = re.compile(r"&(?:#([0-9]{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([A-Za-z][A-Za-z0-9]*));")

Wrong = Callable[[int, str, str, str, str], None]
"""Takes a problem: where in the file, its code, what was found, what was expected, a hint."""


def unescaped(text: str) -> str:
    """Text with its entities as the characters they stand for; unknown ones stay.

    >>> unescaped("&lt;b&gt; &amp;amp; &#x41; &nothing;")
    '<b> &amp; A &nothing;'
    """
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(entity: re.Match[str]) -> str:
    decimal, hexadecimal, name = entity.groups()
    if name is not None:
        return html5.get(f"{name};", entity.group())
    code = int(decimal) if decimal is not None else int(hexadecimal, 16)
    whole = 0 < code < 0x110000 and not 0xD800 <= code < 0xE000
    return chr(code) if whole else entity.group()


def escaped(text: str) -> str:
    """Text in which nothing is a tag or an entity.

    >>> escaped('<b> & "x"')
    '&lt;b&gt; &amp; &quot;x&quot;'
    """
    signs = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"))
    for sign, entity in signs:
        text = text.replace(sign, entity)
    return text


@dataclass(frozen=True, slots=True)
class Tags:
    """Which tags count, whether entities are decoded, and which tags are dropped: these mark
    nothing, and the text between them stays.
    """

    labels: frozenset[str]
    decode: bool
    drop: frozenset[str] = frozenset()

    def find(self, text: str) -> list[re.Match[str]]:
        """The tags of a text; where only some labels count, other tags are text."""
        tags = list(TAG.finditer(text))
        if self.labels or self.drop:
            named = [(tag, tag["closed"] or tag["opened"]) for tag in tags]
            tags = [tag for tag, name in named if name not in self.drop]
            if self.labels:
                tags = [tag for tag, name in named if name in self.labels]
        if self.drop:
            names = "|".join(map(re.escape, sorted(self.drop)))
            dropped = re.finditer(rf"</?(?:{names})(?:\s[^<>]*+)?/?>", text)
            tags = sorted([*tags, *dropped], key=lambda tag: tag.start())
        return tags

    def separate(self, marked: str, wrong: Wrong) -> tuple[str, list[Mention]]:
        """The text without its tags, and the mentions that they mark.

        A closing tag closes the nearest open one of its name.
        """
        pieces: list[str] = []
        mentions: list[Mention] = []
        opened: dict[str, list[tuple[int, int, dict[str, str]]]] = {}
        at = size = 0
        hint = (
            "other names in angle brackets are text when --read labels=A+B says which are tags, "
            "and --read drop=A+B removes tags that mark nothing"
        )
        for tag in self.find(marked):
            piece = marked[at : tag.start()]
            piece = unescaped(piece) if self.decode else piece
            pieces.append(piece)
            size += len(piece)
            at = tag.end()
            if tag.re is not TAG:
                continue
            if tag["opened"] is not None:
                attributes = self._attributes(tag, wrong)
                opened.setdefault(tag["opened"], []).append((size, tag.start(), attributes))
                continue
            label = tag["closed"]
            stack = opened.get(label)
            if not stack:
                wrong(tag.start(), "K702", shown(tag.group()), f"<{label}> before it", hint)
                continue
            start, _, attributes = stack.pop()
            if start == size:
                found = f"nothing between <{label}> and </{label}>"
                wrong(tag.start(), "K704", found, "at least one character", "")
                continue
            mentions.append(Mention(label, start, size, (), attributes))
        unclosed = [(place, label) for label, stack in opened.items() for _, place, _ in stack]
        for place, label in sorted(unclosed):
            wrong(place, "K703", f"<{label}>", f"</{label}> after it", hint)
        rest = marked[at:]
        pieces.append(unescaped(rest) if self.decode else rest)
        return "".join(pieces), mentions

    def _attributes(self, tag: re.Match[str], wrong: Wrong) -> dict[str, str]:
        attributes: dict[str, str] = {}
        for name, value in _ATTRIBUTE.findall(tag["attributes"]):
            if name in attributes:
                twice = f"the attribute {shown(name)} twice in one tag"
                wrong(tag.start(), "K705", twice, "each attribute once", "")
            attributes[name] = unescaped(value) if self.decode else value
        return attributes

    def insert(self, document: Document) -> str:
        """The text with its tags; refuses what would be read again differently."""
        where = f"in document {shown(document.id or '')}"
        text = document.text
        if text is None:
            raise UsageError(f"inline writes tags into a text, and there is none {where}")
        mentions = document.mentions
        tags = [self._tags(mention, where) for mention in mentions]
        # At one place: close what was opened last, then open what closes last.
        opens = sorted(range(len(mentions)), key=lambda i: (mentions[i].start, -mentions[i].end))
        rank = {row: place for place, row in enumerate(opens)}
        edges = [(mentions[row].start, 1, rank[row], row) for row in opens]
        edges += [(mentions[row].end, 0, -rank[row], row) for row in opens]
        opened: dict[str, list[int]] = {}
        pieces: list[str] = []
        places: set[int] = set()
        at = size = 0
        for place, is_open, _, row in sorted(edges):
            piece = escaped(text[at:place]) if self.decode else text[at:place]
            tag = tags[row][0] if is_open else tags[row][1]
            stack = opened.setdefault(mentions[row].label, [])
            if is_open:
                stack.append(row)
            elif stack.pop() != row:
                label = shown(mentions[row].label)
                raise UsageError(f"inline cannot hold two mentions {label} that cross {where}")
            places.add(size + len(piece))
            size += len(piece) + len(tag)
            pieces += [piece, tag]
            at = place
        pieces.append(escaped(text[at:]) if self.decode else text[at:])
        marked = "".join(pieces)
        written = self.find(marked)
        for match in written:
            if match.start() not in places:
                raise UsageError(
                    f"inline cannot hold the text {shown(match.group())} {where}: "
                    "it looks like a tag; entities=decode escapes it"
                )
        assert len(written) == len(places)
        return marked

    def _tags(self, mention: Mention, where: str) -> tuple[str, str]:
        label = mention.label
        if len(mention.fragments) > 1:
            raise UsageError(f"inline cannot hold discontinuous mentions, as {where}")
        if not NAME.fullmatch(label) or (self.labels and label not in self.labels):
            raise UsageError(f"inline cannot hold the label {shown(label)} {where}")
        attributes = ""
        for name, value in mention.attributes.items():
            written = f'{name}="{escaped(value) if self.decode else value}"'
            if not _ATTRIBUTE.fullmatch(written):
                raise UsageError(
                    f"inline cannot hold the attribute {shown(name)} = {shown(value)} {where}"
                )
            attributes += f" {written}"
        return f"<{label}{attributes}>", f"</{label}>"


_ENDINGS = (".inline", ".tagged", ".txt", ".sgml", ".sgm")
_MARKUP = (b"<?xml", b"<!doctype", b"<html")


@dataclass(frozen=True, slots=True)
class Inline:
    """Text with tags in it: whatever is between <speaker> and </speaker> is a mention.

    A file is a document; in a folder, its name without .inline, .tagged, .txt, .sgml or .sgm is its
    id. Tags may nest and cross. Anything else in angle brackets is text; `labels` lists the names
    that are tags, if not all are; `drop` lists those that are removed, balanced or not, and mark
    nothing. Attributes of a tag, name="value", become the mention's. Entities like &amp; are text
    unless `entities=decode`. Freitag's seminar announcements have such tags; see Lavelli et al.
    (2008), "Evaluation of machine learning-based information extraction algorithms", section 4.1.

    >>> source = Source.of_bytes(b"<speaker>Ann Lee</speaker> at <stime>3 pm</stime>")
    >>> Corpus.joined(Inline().read(source))[0].mentions
    (Mention('speaker', 0, 7), Mention('stime', 11, 15))
    """

    labels: tuple[str, ...] = ()
    entities: Literal["keep", "decode"] = "keep"
    drop: tuple[str, ...] = ()

    name: ClassVar[str] = "inline"
    extensions: ClassVar[tuple[str, ...]] = (".inline", ".tagged")
    signs: ClassVar[str] = "</"
    holds: ClassVar[frozenset[str]] = frozenset({
        "overlaps", "across sentences", "attributes", "document ids", "text", "units:char",
    })  # fmt: skip
    needs: ClassVar[frozenset[str]] = frozenset({"text"})

    def __post_init__(self) -> None:
        if self.entities not in ("keep", "decode"):
            choices = nearest(self.entities, ("keep", "decode"))
            raise UsageError(f"entities cannot be {self.entities!r}{choices}")
        for name in ("labels", "drop"):
            words: Any = getattr(self, name)
            words = words.split("+") if isinstance(words, str) else words
            object.__setattr__(self, name, tuple(sorted(set(words))))
        for label in (*self.labels, *self.drop):
            if not NAME.fullmatch(label):
                raise UsageError(f"{shown(label)} cannot be the name of a tag")
        if both := sorted({*self.labels} & {*self.drop}):
            raise UsageError(f"the tag {shown(both[0])} cannot be a label and dropped")

    @property
    def _tags(self) -> Tags:
        return Tags(frozenset(self.labels), self.entities == "decode", frozenset(self.drop))

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we that there are tags in a text, from 0 to 1?

        >>> Inline.sniff(b"at <stime>3 pm</stime>"), Inline.sniff(b"<a@b.c> wrote")
        (0.6, 0.0)
        """
        text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        # JSON may hold texts with tags, but is no such text itself.
        if text[:16].lower().startswith((*_MARKUP, b"{")):
            return 0.0
        opened: set[str] = set()
        for tag in TAG.finditer(text.decode("utf-8", "replace")):
            if tag["closed"] in opened:
                return 0.6
            opened.add(tag["opened"] or "")
        return 0.0

    def read(self, source: Source) -> Iterator[Corpus]:
        """The one document of a file; its text stays there.

        >>> [len(block) for block in Inline().read(Source.of_bytes(b"plain text"))]
        [1]
        """
        problems = Problems(source.name)
        marked = decoded(source, "K701", problems)
        problems.check()
        assert marked is not None
        marked = marked.removeprefix("\ufeff")
        if not marked and source.inside is None:
            raise source.failure("K002", "an empty file", "at least one document")
        breaks = [each.start() for each in re.finditer("\n", marked)]

        def wrong(place: int, code: str, found: str, expected: str, hint: str) -> None:
            problems.add(code, bisect_left(breaks, place) + 1, found, expected, hint)

        text, mentions = self._tags.separate(marked, wrong)
        names = {name for mention in mentions for name in mention.attributes}
        if len(names) > ATTRIBUTES:
            problems.add("K009", None, *too_many_attributes(names))
        problems.check()
        document = Document(_id(source), text, None, tuple(mentions))
        yield replace(of_documents([document]), library=None)

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """How the file was read."""
        fields = {"tags": "+".join(self.labels) or "all", "entities": self.entities}
        return fields | ({"drop": "+".join(self.drop)} if self.drop else {}), {}

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again, from what `signature_fields` gives.

        >>> Inline.from_signature({"tags": "speaker+stime", "entities": "keep"})
        {'labels': ('speaker', 'stime'), 'entities': 'keep'}
        """
        labels = () if fields["tags"] == "all" else tuple(fields["tags"].split("+"))
        parameters = {"labels": labels, "entities": fields["entities"]}
        return parameters | ({"drop": tuple(fields["drop"].split("+"))} if "drop" in fields else {})

    def library(self, source: Source, documents: Documents) -> FileWords:
        """The text, which stays in the file; no tag holds a line break."""

        def read(row: int) -> Words:
            marked = b"".join(source.blocks()).decode("utf-8").removeprefix("\ufeff")
            return self._tags.separate(marked, lambda *_: None)[0], None

        return FileWords(read)

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Write one document.

        >>> import io
        >>> out, mention = io.BytesIO(), {"start": 0, "end": 3, "label": "PER"}
        >>> Inline().write(Corpus.of({"text": "Ann slept", "mentions": [mention]}), out)
        >>> out.getvalue()
        b'<PER>Ann</PER> slept'
        """
        if len(corpus) != 1:
            raise UsageError(
                f"inline has a file for each document, and there are {len(corpus)}: give a folder"
            )
        out.write(self._written(corpus[0], corpus.documents.name(0)))

    def write_folder(self, corpus: Corpus, path: Path) -> None:
        """Write a folder, with a file for each document.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Inline().write_folder(Corpus.of({"text": "Ann"}, {"text": "Bo"}), Path(folder))
        ...     sorted(file.name for file in Path(folder).iterdir())
        ['1.inline', '2.inline']
        """
        pairs = zip(file_names(corpus, "inline"), corpus, strict=True)
        write_files(path, {f"{name}.inline": self._written(each, name) for name, each in pairs})

    def _written(self, document: Document, name: str) -> bytes:
        marked = self._tags.insert(document)
        # One byte order mark goes when the file is read.
        mark = "\ufeff" if marked.startswith("\ufeff") else ""
        return encoded(mark + marked, "inline", name)


def _id(source: Source) -> str | None:
    if source.inside is None:
        return None
    stem, end = ending(source.inside)
    return stem if end in _ENDINGS else source.inside.removesuffix(".gz")
