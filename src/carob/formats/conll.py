"""conll: one token a line, its tag in a column; blank lines end sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, BinaryIO, ClassVar

import numpy as np

from carob.arrays.scan import compiled
from carob.arrays.tags import KINDS, SCHEMES, encode, illegal, recognise, scheme_name, stacked
from carob.corpus.corpus import Corpus, TagLine, Words
from carob.corpus.problems import InputError, Problem, UsageError, nearest, shown
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.formats._tagged import (
    DOCSTART,
    REPAIRS,
    Columns,
    Header,
    TagReader,
    is_comment,
    split,
    width_of,
    with_empty_fields,
)
from carob.formats._text import bytes_of, signed, unsigned

_ENOUGH = 1 << 13
"""How many bytes are enough to recognise tags."""

_TAGGED = re.compile(rb"(^|[ \t])(O|(O\|)*[BIESLUMW]-[^ \t]+)[ \t\r]*$")


@dataclass(frozen=True, slots=True)
class Conll:
    """One token a line, columns separated by spaces or tabs, tags in one of them or in several.

    Columns are numbers, or names if the first line has them (`tag="NE-COARSE-LIT"`). A blank line
    ends a sentence, a line that begins with -DOCSTART-, `# newdoc` or `# document_id =` opens a
    document; in a file without such lines every sentence is a document of its own
    (`documents=block` says so for any file; `documents=10` makes a document of ten sentences,
    `documents=file` of all). Tags are IOB1, IOB2, IOE1, IOE2, IOBES (also written
    BILOU, BMES) or IO, recognised from the whole file when `scheme` is auto. Nested mentions are
    read from layers: from several columns (`tag=(1, 2)`), or from tags stacked with `|`, outer to
    inner; each layer is decoded separately. Tjong Kim Sang & De Meulder (2003), "Introduction
    to the CoNLL-2003 Shared Task", section 2.2.

    >>> source = Source.of_bytes(b"Ann B-PER\\nLee I-PER\\nslept O\\n")
    >>> Corpus.joined(Conll().read(source))[0].mentions
    (Mention('PER', 0, 2),)
    """

    tag: int | str | Columns = -1
    token: int | str = 0
    scheme: str = "auto"
    repair: str = "conlleval"
    documents: str = "auto"

    name: ClassVar[str] = "conll"
    compiled: ClassVar[bool] = compiled is not None
    write_parameters: ClassVar[tuple[str, ...]] = ("scheme",)
    extensions: ClassVar[tuple[str, ...]] = (".conll", ".iob", ".iob2", ".bio", ".tsv", ".txt")
    signs: ClassVar[str] = "text"
    holds: ClassVar[frozenset[str]] = frozenset({
        "crossing", "document ids", "tokens", "sentences", "units:token",
    })  # fmt: skip

    def __post_init__(self) -> None:
        object.__setattr__(self, "scheme", scheme_name(self.scheme))
        _one_of("scheme", self.scheme, ("auto", *SCHEMES))
        _one_of("repair", self.repair, REPAIRS)
        object.__setattr__(self, "documents", _documents(self.documents))
        object.__setattr__(self, "tag", _columns(self.tag))
        object.__setattr__(self, "token", _column("token", self.token))
        if self.tag == () or len(set(self.layers)) < len(self.layers):
            raise UsageError(f"tag is a column or several different ones, not {self.tag!r}")

    @property
    def layers(self) -> Columns:
        """The columns that hold tags; none if `tag` is `none`, for documents without mentions.

        >>> Conll(tag=3).layers, Conll(tag=(1, 2)).layers, Conll(tag="NE").layers
        ((3,), (1, 2), ('NE',))
        """
        if self.tag == "none":
            return ()
        return (self.tag,) if isinstance(self.tag, (int, str)) else tuple(self.tag)

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we that these are columns that end in a tag, from 0 to 1?

        >>> Conll.sniff(b"Ann B-PER\\nslept O\\n"), Conll.sniff(b"{}\\n")
        (0.9, 0.0)
        """
        head = head[:_ENOUGH]
        lines = [line for line in head.splitlines() if line.strip()]
        if len(lines) > 1 and not head.endswith(b"\n"):
            lines.pop()
        if not lines or lines[0].removeprefix(b"\xef\xbb\xbf")[:1] in (b"{", b"["):
            return 0.0
        if Header.of(head) is not None:
            return 0.9
        tagged = [bool(_TAGGED.search(line)) for line in lines]
        comments = sum(b[:2] == b"# " and not t for b, t in zip(lines, tagged, strict=True))
        return 0.9 if 2 * sum(tagged) > len(lines) - comments else 0.1

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of whole documents, mentions only: the tokens stay in the file.

        >>> [len(block) for block in Conll().read(Source.of_bytes(b"a O\\n\\nb O\\n"))]
        [2]
        """
        source.require_line_feeds()
        scheme = self.scheme
        if scheme == "auto" and self.repair != "conlleval":
            loose = replace(self, repair="conlleval")
            facts: dict[Any, int] = {}
            for block in loose.read(source):
                for key, count in block.facts.items():
                    facts[key] = facts.get(key, 0) + count
            scheme = loose.detected_scheme(facts)
        reader = TagReader(source, self.layers, self.token, self.documents)
        yield from reader.blocks(scheme, self.repair)
        if self.scheme == "auto" and self.detected_scheme(reader.facts) == "none":
            letters = " ".join(sorted(key[1] for key in reader.facts if key[0] == "letter"))
            expected = "the prefixes of one scheme (B I, I E, B I E S, B I L U or B M E S)"
            problem = Problem("K105", source.name, None, f"the prefixes {letters}", expected)
            raise InputError([problem])

    def detected_scheme(self, facts: Mapping[Any, int]) -> str:
        """The scheme that fits the facts of all blocks; `none` if the letters fit no scheme.

        >>> Conll().detected_scheme({("letter", "S"): 1, ("letter", "E"): 1})
        'iobes'
        """
        if self.scheme != "auto":
            return self.scheme
        kinds = np.array([facts.get(("kind", kind), 0) for kind in range(KINDS)])
        return recognise((key[1] for key in facts if key[0] == "letter"), kinds) or "none"

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """How the file was read, as in the signature, and the counts for the coverage line.

        >>> Conll(scheme="iob2").signature_fields({})[0]["scheme"]
        'iob2'
        """
        scheme = self.detected_scheme(facts)
        kinds = np.array([facts.get(("kind", kind), 0) for kind in range(KINDS)])
        wrong = 0 if scheme == "none" else int(kinds[illegal(scheme)].sum())
        columns = "+".join(map(_signed_column, self.layers)) or "none"
        token = "" if self.token == 0 else f"+token={_signed_column(self.token)}"
        fields = {
            "columns": columns + token,
            "scheme": scheme,
            "repair": self.repair,
            "documents": "block" if facts.get("blocks") else self.documents,
        }
        repaired = wrong if self.repair == "conlleval" else 0
        discarded = wrong if self.repair == "discard" else 0
        counts = {"repaired": repaired, "discarded": discarded}
        # One block is a whole file, and no sentence of a longer text.
        least = {"blocks": 2, "respelled": 1}
        counts |= {key: facts[key] for key, few in least.items() if facts.get(key, 0) >= few}
        if self.scheme != "auto" and 2 * wrong > kinds.sum():
            other = recognise((key[1] for key in facts if key[0] == "letter"), kinds) or scheme
            if (fewer := int(kinds[illegal(other)].sum())) < wrong:
                counts[f"scheme: {other}"] = fewer
        return fields, counts

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again, from what `signature_fields` gives, as `carob verify` needs them.

        >>> Conll.from_signature({"columns": "-2+token=1", "scheme": "iob2"})
        {'tag': -2, 'token': 1, 'scheme': 'iob2'}
        >>> Conll.from_signature({"columns": "1+NE"})
        {'tag': (1, 'NE'), 'token': 0}
        """
        columns, _, token = fields["columns"].partition("+token=")
        layers = tuple(_column("tag", unsigned(each)) for each in columns.split("+"))
        rest = {key: fields[key] for key in ("scheme", "repair", "documents") if key in fields}
        tag = layers[0] if len(layers) == 1 else layers
        return {"tag": tag, "token": _column("token", unsigned(token or "0"))} | rest

    def library(self, source: Source, documents: Documents) -> ConllWords:
        """The tokens, which stay in the file until they are needed."""
        return ConllWords(source, documents, self.token, self.layers[0] if self.layers else None)

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Write tokens and tags, IOB2 unless `scheme` says otherwise.

        >>> import io
        >>> out = io.BytesIO()
        >>> Conll().write(Corpus.of("[Ann Lee]PER slept"), out)
        >>> out.getvalue()
        b'-DOCSTART- O\\n\\nAnn B-PER\\nLee I-PER\\nslept O\\n\\n'
        """
        scheme = "iob2" if self.scheme == "auto" else self.scheme
        _refuse(corpus, self.holds)
        tags = _tags(corpus, scheme)
        first = np.cumsum([0, *corpus.documents.length.tolist()])
        for row in range(len(corpus)):
            tokens = corpus.library.words(row)[1] if corpus.library else None
            length = int(corpus.documents.length[row])
            words = tokens or ("_",) * length
            breaks = set(corpus.documents.sentences(row)) - {0}
            lines = [_opening(corpus.documents, row)]
            for place, word in enumerate(words):
                if not _fits_column(word, "surrogateescape") or word == "-DOCSTART-":
                    raise UsageError(f"conll cannot hold the token {shown(word)}")
                gap = "\n" if place in breaks or place == 0 else ""
                lines.append(f"{gap}{word} {tags.get(int(first[row]) + place, 'O')}\n")
            out.write(("".join(lines) + "\n").encode("utf-8", "surrogateescape"))


@dataclass(frozen=True)
class ConllWords:
    """The tokens of a conll file, read again when they are needed."""

    source: Source
    documents: Documents
    token: int | str
    tag: int | str | None = -1
    """The first of the columns that hold tags; None if none does."""

    @cached_property
    def _width(self) -> int:
        return len(self._header.names) if self._header else width_of(self.source)

    @cached_property
    def _header(self) -> Header | None:
        wanted = [each for each in (self.token, self.tag) if isinstance(each, str)]
        return Header.of(self.source.head(), wanted)

    def _lines(self, row: int) -> Iterator[tuple[int, list[bytes]]]:
        """The number and the columns of each line of a document: no columns if it is blank, one if
        it opens the document; comments are left out.
        """
        data, header = bytes_of(self.source, self.documents, row), self._header
        tabs = header is not None and header.tabs
        if tabs:
            data = with_empty_fields(re.sub(rb"\r+\n", b"\n", data))
        lines = data.removesuffix(b"\n").split(b"\n")
        first = int(self.documents.line[row])
        width = self._width if any(line.lstrip()[:1] == b"#" for line in lines) else 0
        for number, line in enumerate(lines, first):
            fields = split(line)
            short = tabs and line.startswith(b"#\t")
            if is_comment(fields, width, short=short) or (header and number == header.line):
                continue
            yield number, fields

    def _place(self, column: int | str) -> int:
        """The place of a column among the fields of a line."""
        if isinstance(column, int):
            return column
        return self._header.names.index(column) if self._header else 0

    def _token_lines(self, row: int) -> list[tuple[int, bytes | None]]:
        token, known = self._place(self.token), self.tag is None
        return [
            (number, fields[min(token, len(fields) - 1)] if known or len(fields) > 1 else None)
            for number, fields in self._lines(row)
            if fields and fields[0] != DOCSTART
        ]

    def tag_lines(self, row: int) -> list[TagLine]:
        """The lines of a document with their tags as they are in the file, blank lines too."""
        place = None if self.tag is None else self._place(self.tag)
        return [
            TagLine(number, _tag(fields, place), fields[:1] == [DOCSTART])
            for number, fields in self._lines(row)
        ]

    def words(self, row: int) -> Words:
        """The tokens of a document; bytes that are not UTF-8 become surrogates.

        A file of one column holds tags alone: its tokens are unknown.
        """
        words = [word for _, word in self._token_lines(row)]
        known = [word.decode("utf-8", "surrogateescape") for word in words if word is not None]
        return None, tuple(known) if len(known) == len(words) else None

    def line(self, row: int, place: int) -> int:
        """The line of a token."""
        lines = self._token_lines(row)
        if place < len(lines):
            return lines[place][0]
        return lines[-1][0] if lines else int(self.documents.line[row])


def _signed_column(column: int | str) -> str:
    """A column as a signature has it."""
    return str(column) if isinstance(column, int) else signed(column).replace("+", "%2B")


def _one_of(what: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise UsageError(f"no {what} is called {value!r}{nearest(value, choices)}")


def _documents(documents: Any) -> str:
    """What makes a document: auto, file, block, or a number of blocks."""
    text = str(documents)
    if re.fullmatch("[1-9][0-9]{0,8}", text):
        return "block" if text == "1" else text
    if text not in ("auto", "block", "file"):
        raise UsageError(f"documents is auto, block, file or a number of blocks, not {shown(text)}")
    return text


def _columns(tag: Any) -> int | str | Columns:
    """The columns of tags, from numbers and names or from a text such as 1 or 1+2."""
    parts = tag.split("+") if isinstance(tag, str) else tag
    if isinstance(parts, (list, tuple)):
        columns = tuple(_column("tag", part) for part in parts)
        return columns[0] if len(columns) == 1 else columns
    return _column("tag", tag)


def _column(what: str, column: Any) -> int | str:
    """A column: a number, also as a text, or a name."""
    if isinstance(column, str) and column and not re.fullmatch(r"\s*[-+]?[0-9]+\s*", column):
        return column
    try:
        return int(column)
    except (TypeError, ValueError):
        raise UsageError(f"{what} is the number or name of a column, not {column!r}") from None


def _fits_column(word: str, errors: str = "strict") -> bool:
    """Whether a column can hold this: no white space, no zero byte, only what UTF-8 can encode."""
    try:
        word.encode("utf-8", errors)
    except UnicodeEncodeError:
        return False
    return word.split() == [word] and "\0" not in word


def _tag(fields: Sequence[bytes], place: int | None) -> str | None:
    """The tag of a line; None if it is blank. A line that lacks the column counts as O."""
    if not fields:
        return None
    if place is None or not -len(fields) <= place < len(fields) or fields == [DOCSTART]:
        return "O"
    return fields[place].decode("utf-8", "surrogateescape")


def _opening(documents: Documents, row: int) -> str:
    """The line that opens a document."""
    if documents.id is None:
        return "-DOCSTART- O\n"
    name = documents.id[row]
    if not all(_fits_column(word) for word in name.split(" ")):
        raise UsageError(f"conll cannot hold the document id {shown(name)}")
    return f"# newdoc id = {name}\n"


def _refuse(corpus: Corpus, holds: frozenset[str]) -> None:
    """Refuse what columns of tags cannot hold, and name its place."""
    if corpus.unit == "char":
        raise UsageError("conll holds tokens; this corpus counts characters")
    if np.any(corpus.documents.length < 0):
        raise UsageError("conll holds tokens; these documents have none")
    from carob.formats.capabilities import fitted, refused  # only writing needs it

    refused("conll", fitted(corpus, holds)[1])
    for label in corpus.labels:
        if not _fits_column(label) or len(stacked(f"B-{label}")) > 1:
            raise UsageError(f"conll cannot hold the label {shown(label)}")


def _tags(corpus: Corpus, scheme: str) -> dict[int, str]:
    """The tag of every token that has one, by its place in the whole corpus."""
    table = corpus.mentions
    first = np.cumsum([0, *corpus.documents.length.tolist()])
    starts, ends = first[table.doc] + table.start, first[table.doc] + table.end
    opens = set((first[:-1]).tolist())
    for row in range(len(corpus)):
        opens.update((first[row] + np.array(corpus.documents.sentences(row), np.int64)).tolist())
    touch = np.zeros(len(table) + 1, bool)
    touch[1:-1] = (ends[:-1] == starts[1:]) & (table.label[1:] == table.label[:-1])
    touch[:-1] &= ~np.isin(starts, sorted(opens))
    if scheme == "io" and touch.any():
        raise UsageError("io cannot hold two touching mentions of one label; write iob2")
    letters = encode(scheme, ends - starts, touch[:-1], touch[1:])
    places = [place for a, b in zip(starts, ends, strict=True) for place in range(a, b)]
    labels = np.repeat(table.label, ends - starts)
    return {
        int(place): f"{letter}-{corpus.labels[label]}"
        for place, letter, label in zip(places, letters, labels, strict=True)
    }
