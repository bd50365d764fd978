"""inline: text with tags in it, <speaker>Ann Lee</speaker>."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Literal

from carob.corpus.build import of_documents
from carob.corpus.corpus import Corpus, Words
from carob.corpus.document import Document
from carob.corpus.folder import ending
from carob.corpus.problems import UsageError, nearest, shown
from carob.corpus.source import Source
from carob.corpus.tables import ATTRIBUTES, Documents, too_many_attributes
from carob.formats._folder import names, write_files
from carob.formats._tags import NAME, TAG, Tags
from carob.formats._text import Problems, decoded, encoded

_ENDINGS = (".inline", ".tagged", ".txt", ".sgml", ".sgm")
_MARKUP = (b"<?xml", b"<!doctype", b"<html")


@dataclass(frozen=True, slots=True)
class Inline:
    """Text with tags in it: whatever stands between <speaker> and </speaker> is a mention.

    A file is a document; in a folder, its name without .inline, .tagged, .txt, .sgml or .sgm is
    its id. Tags may nest and cross. Anything else in angle brackets is text; `labels` says which
    names are tags, if not all are. Attributes of a tag, name="value", become the mention's.
    Entities like &amp; are text unless `entities=decode`. Freitag's seminar announcements are
    tagged so; see Lavelli et al. (2008), "Evaluation of machine learning-based information
    extraction algorithms", section 4.1.

    >>> source = Source.of_bytes(b"<speaker>Ann Lee</speaker> at <stime>3 pm</stime>")
    >>> Corpus.joined(Inline().read(source))[0].mentions
    (Mention('speaker', 0, 7), Mention('stime', 11, 15))
    """

    labels: tuple[str, ...] = ()
    entities: Literal["keep", "decode"] = "keep"

    name: ClassVar[str] = "inline"
    extensions: ClassVar[tuple[str, ...]] = (".inline", ".tagged")
    holds: ClassVar[frozenset[str]] = frozenset({
        "overlaps", "across sentences", "attributes", "document ids", "text", "units:char",
    })  # fmt: skip
    needs: ClassVar[frozenset[str]] = frozenset({"text"})

    def __post_init__(self) -> None:
        if self.entities not in ("keep", "decode"):
            there = nearest(self.entities, ("keep", "decode"))
            raise UsageError(f"entities cannot be {self.entities!r}{there}")
        words: Any = self.labels
        words = words.split("+") if isinstance(words, str) else words
        object.__setattr__(self, "labels", tuple(sorted(set(words))))
        for label in self.labels:
            if not NAME.fullmatch(label):
                raise UsageError(f"{shown(label)} cannot be the name of a tag")

    @property
    def _tags(self) -> Tags:
        return Tags(frozenset(self.labels), self.entities == "decode")

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we that there are tags in a text, from 0 to 1?

        >>> Inline.sniff(b"at <stime>3 pm</stime>"), Inline.sniff(b"<a@b.c> wrote")
        (0.6, 0.0)
        """
        text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        # JSON may hold texts with tags; it is not such a text itself.
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
        problems = Problems()
        marked = decoded(source, "K701", problems)
        problems.check()
        assert marked is not None
        marked = marked.removeprefix("\ufeff")
        if not marked and source.inside is None:
            raise source.failure("K002", "an empty file", "at least one document")
        at = line = 0

        def wrong(place: int, code: str, found: str, expected: str, hint: str) -> None:
            nonlocal at, line
            if place < at:
                at = line = 0
            line += marked.count("\n", at, place)
            at = place
            problems.add(code, source.name, line + 1, found, expected, hint)

        text, mentions = self._tags.apart(marked, wrong)
        names = {name for mention in mentions for name in mention.attributes}
        if len(names) > ATTRIBUTES:
            problems.add("K009", source.name, None, *too_many_attributes(names))
        problems.check()
        document = Document(_id(source), text, None, tuple(mentions))
        yield replace(of_documents([document]), library=None)

    def settled(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """How the file was read."""
        return {"tags": "+".join(self.labels) or "all", "entities": self.entities}, {}

    @staticmethod
    def told(said: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again, from what `settled` said.

        >>> Inline.told({"tags": "speaker+stime", "entities": "keep"})
        {'labels': ('speaker', 'stime'), 'entities': 'keep'}
        """
        labels = () if said["tags"] == "all" else tuple(said["tags"].split("+"))
        return {"labels": labels, "entities": said["entities"]}

    def library(self, source: Source, documents: Documents) -> InlineWords:
        """The text, which stays in the file until somebody asks."""
        return InlineWords(source, self._tags)

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
        pairs = zip(names(corpus, "inline"), corpus, strict=True)
        write_files(path, {f"{name}.inline": self._written(each, name) for name, each in pairs})

    def _written(self, document: Document, name: str) -> bytes:
        marked = self._tags.together(document)
        # One byte order mark goes when the file is read.
        mark = "\ufeff" if marked.startswith("\ufeff") else ""
        return encoded(mark + marked, "inline", name)


def _id(source: Source) -> str | None:
    if source.inside is None:
        return None
    stem, end = ending(source.inside)
    return stem if end in _ENDINGS else source.inside.removesuffix(".gz")


@dataclass(frozen=True, slots=True)
class InlineWords:
    """The text of a file, taken from it again when asked for."""

    source: Source
    tags: Tags

    def words(self, row: int) -> Words:
        """The text, without tags."""
        marked = b"".join(self.source.blocks()).decode("utf-8").removeprefix("\ufeff")
        return self.tags.apart(marked, lambda *_: None)[0], None

    def line(self, row: int, place: int) -> int:
        """The line of a character; there are no line breaks in tags."""
        text, _ = self.words(row)
        assert text is not None
        return text.count("\n", 0, place) + 1
