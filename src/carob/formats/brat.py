"""brat: a text in one file, its annotations in another, by character offsets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Literal

from carob.corpus.build import of_documents
from carob.corpus.corpus import Corpus, Words
from carob.corpus.document import Document
from carob.corpus.folder import ending
from carob.corpus.problems import UsageError, nearest
from carob.corpus.source import Source
from carob.corpus.tables import ATTRIBUTES, Documents, too_many_attributes
from carob.formats._folder import names, write_files
from carob.formats._standoff import Annotations
from carob.formats._standoff_out import annotated
from carob.formats._text import Problems, decoded, encoded

_BLOCK = 1024
_FIRST = re.compile(
    rb"\s*(T[^\s:]+\t\S+ [0-9]+ [0-9]+[;\t]|E[0-9]+\t\S+:T|R[0-9]+\t\S+ \S+:[TE]"
    rb"|[AMN#][0-9]+\t\S+ [TERA][0-9]|\*\t\S+ [TE][0-9])"
)
_FACTS = ("unplaced_attributes", "without_ann", "other_files", "hidden_files")


@dataclass(frozen=True, slots=True)
class Brat:
    """Standoff: x.txt holds a text, x.ann what is marked in it, by character offsets.

    Reads a folder of such pairs, with the folders in it, or one pair by the name of either file.
    A document's id is its name within the folder, without .txt; a pair alone has none. Every T
    line is a mention, events and R lines are relations, `*` lines are clusters, attributes belong
    to mentions. What a corpus has no place for is kept as it is and written again. A .txt without
    .ann is an error; `missing=empty` reads it as a document without mentions. The format is that
    of the brat rapid annotation tool, Stenetorp et al. (2012).

    >>> pair = {"a.txt": b"Ann slept", "a.ann": b"T1\\tPER 0 3\\tAnn\\n"}
    >>> Corpus.joined(Brat().read(Source.of_files(pair)))[0].mentions
    (Mention('PER', 0, 3, id='T1'),)
    """

    missing: Literal["error", "empty"] = "error"

    name: ClassVar[str] = "brat"
    extensions: ClassVar[tuple[str, ...]] = (".ann",)
    holds: ClassVar[frozenset[str]] = frozenset({
        "overlaps", "crossing", "discontinuous", "across sentences", "attributes", "ids:T",
        "relations", "clusters", "group ids:E", "group ids:R", "document ids", "text",
        "extra:brat", "units:char",
    })  # fmt: skip
    needs: ClassVar[frozenset[str]] = frozenset({"text"})
    folders: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.missing not in ("error", "empty"):
            there = nearest(self.missing, ("error", "empty"))
            raise UsageError(f"missing files cannot be {self.missing!r}{there}")

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
        documents: list[Document] = []
        attributes: set[str] = set()
        for stem, (txt, ann) in self._pairs(source, problems, facts).items():
            text = decoded(txt, "K601", problems)
            lines = "" if ann is None else decoded(ann, "K601", problems)
            if text is None or lines is None:
                continue
            reader = Annotations(text, (ann or txt).name, problems)
            document = reader.document(stem if source.is_folder else None, lines)
            facts["unplaced_attributes"] += reader.unplaced
            names = {name for mention in document.mentions for name in mention.attributes}
            if len(attributes | names) > ATTRIBUTES:
                told = too_many_attributes(attributes | names)
                problems.add("K009", (ann or txt).name, None, *told)
            else:
                attributes |= names
            if not problems.total:
                documents.append(document)
            if len(documents) == _BLOCK:
                yield replace(of_documents(documents), library=None)
                documents = []
        problems.check()
        yield replace(of_documents(documents), library=None, facts=facts)

    def _pairs(
        self, source: Source, problems: Problems, facts: dict[str, int]
    ) -> dict[str, tuple[Source, Source | None]]:
        """By name without ending, the files of each document."""
        found = _by_stem(source)
        facts["other_files"] = len(source.files) - sum(len(files) for files in found.values())
        pairs: dict[str, tuple[Source, Source | None]] = {}
        for stem, files in found.items():
            ends = [end for end, _ in files]
            by_end = dict(files)
            hint = ""
            if len(set(ends)) < len(ends):
                wrong, expected = "two files for one text", "one .txt and one .ann"
            elif ".txt" not in by_end:
                wrong, expected = f"no {Path(stem).name}.txt", "the text beside its annotations"
            elif ".ann" not in by_end and self.missing == "error":
                wrong, expected = f"no {Path(stem).name}.ann", "annotations beside the text"
                hint = "missing=empty reads it as a document without mentions"
            else:
                facts["without_ann"] += ".ann" not in by_end
                pairs[stem] = (by_end[".txt"], by_end.get(".ann"))
                continue
            problems.add("K604", files[0][1].name, None, wrong, expected, hint)
        if not found:
            if source.is_folder:
                raise source.failure("K002", "a folder without .txt and .ann files", "some of them")
            raise source.failure(
                "K604", "a file that is neither .txt nor .ann",
                "a folder of .txt and .ann files, or one of them by its name",
            )  # fmt: skip
        return pairs

    def settled(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """How the folder was read, and what was left out."""
        return {"missing": self.missing}, {key: facts.get(key, 0) for key in _FACTS}

    @staticmethod
    def told(said: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again, from what `settled` said.

        >>> Brat.told({"missing": "empty"})
        {'missing': 'empty'}
        """
        return {"missing": said["missing"]}

    def library(self, source: Source, documents: Documents) -> BratWords:
        """The texts, which stay in their files until somebody asks."""
        return BratWords(tuple(dict(files)[".txt"] for files in _by_stem(source).values()))

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
        for stem, document in zip(names(corpus, "brat"), corpus, strict=True):
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
    found: dict[str, list[tuple[str, Source]]] = {}
    for name, file in source.files.items():
        stem, end = ending(name)
        if end in (".txt", ".ann"):
            found.setdefault(stem, []).append((end, file))
    return {stem: found[stem] for stem in sorted(found)}


@dataclass(frozen=True, slots=True)
class BratWords:
    """The texts of a folder, read again when asked for."""

    files: tuple[Source, ...]

    def words(self, row: int) -> Words:
        """The text of a document."""
        return b"".join(self.files[row].blocks()).decode("utf-8"), None

    def line(self, row: int, place: int) -> int:
        """The line of its .txt on which a character stands."""
        text, _ = self.words(row)
        assert text is not None
        return text.count("\n", 0, place) + 1
