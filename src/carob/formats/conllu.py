"""conllu: CoNLL-U files whose last column, MISC, has the tags of mentions: NER=B-PER."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, ClassVar

from carob.corpus.corpus import Corpus
from carob.corpus.problems import Problems, UsageError, shown
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.formats._text import BOM, lines, signed, unsigned
from carob.formats.capabilities import fitted, refused
from carob.formats.conll import Conll

_COLUMNS = 10
_TAGGED = re.compile(
    rb"^[0-9]+(?:[-.][0-9]+)?\t(?:[^\t\n]*\t){8}[A-Za-z]\w*(?:\[\w+\])?=[^\t\n]*$", re.M
)
"""A row whose last column has the value of a key, whatever it is: never a tag of conll."""
_WORD = re.compile(rb"[0-9]{1,9}")
_WORDS = re.compile(rb"([0-9]{1,9})-([0-9]{1,9})")
_NODE = re.compile(rb"[0-9]+\.[0-9]+")
_COMMENT = b"# comment ="
_OUTSIDE = (b"O", b"_")
_DOCUMENT = re.compile(rb"# (?:newdoc|document_id)\b")
_NUMBER = re.compile(rb"[0-9]+")
_NAMED = 3
"""How many other keys a message names."""
_ON_WORDS = {
    b"B": (b"B", b"I", b"I"), b"E": (b"I", b"I", b"E"), b"L": (b"I", b"I", b"L"),
    b"S": (b"B", b"I", b"E"), b"U": (b"B", b"I", b"L"), b"W": (b"B", b"M", b"E"),
}  # fmt: skip
"""The prefix of a token's tag -> those of its first word, of others and of its last one."""


@dataclass(frozen=True, slots=True)
class Conllu:
    """Ten columns, of which the last has the tag of each token under a key: NER=B-PER.

    `key` names another key; a token without it is outside of all mentions. Tokens are words: lines
    of multiword tokens (`1-2`) and of empty nodes (`1.1`) are left out, but a tag of a multiword
    token, as Stanza writes it, is that of its words. Otherwise the file is read
    as conll, with its documents, schemes and repairs. Brackets of mentions, as in CorefUD
    (`Entity=(1-person-`), are no tags and are refused.

    >>> row = b"1\\tAnn\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\tNER=B-PER|SpaceAfter=No\\n"
    >>> Corpus.joined(Conllu().read(Source.of_bytes(row)))[0].mentions
    (Mention('PER', 0, 1),)
    """

    key: str = "NER"
    scheme: str = "auto"
    repair: str = "conlleval"
    documents: str = "auto"

    name: ClassVar[str] = "conllu"
    extensions: ClassVar[tuple[str, ...]] = (".conllu",)
    signs: ClassVar[str] = "NER= Ner= ner= Entity= ENTITY= entity= SpaceAfter= =B- =I- =S-"
    write_parameters: ClassVar[tuple[str, ...]] = ("key",)
    holds: ClassVar[frozenset[str]] = frozenset({
        "tokens", "sentences", "document ids", "units:token",
    })  # fmt: skip

    def __post_init__(self) -> None:
        self._conll()  # checks scheme, repair and documents

    def _conll(self) -> Conll:
        return Conll(scheme=self.scheme, repair=self.repair, documents=self.documents)

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we, from 0 to 1? Without any key, the file may be meant as conll.

        >>> (
        ...     Conllu.sniff(b"1\\tAnn\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\tNER=B-PER\\n"),
        ...     Conllu.sniff(b"Ann B-PER"),
        ... )
        (0.96, 0.0)
        """
        return 0.96 if _TAGGED.search(head.removeprefix(BOM)) else 0.0

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of documents."""
        return self._conll().read(self._two_columns(source))

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """The key, and how the tags were read."""
        how, counts = self._conll().signature_fields(facts)
        words: tuple[str, ...] = ("scheme", "repair", "documents")
        kept = {word: how[word] for word in words if word in how}
        return {"misc_key": signed(self.key), **kept}, counts

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again.

        >>> fields = {"misc_key": "NE", "scheme": "iob2", "repair": "strict", "documents": "auto"}
        >>> Conllu.from_signature(fields)["key"]
        'NE'
        """
        kept = ("scheme", "repair", "documents")
        return {"key": unsigned(fields["misc_key"])} | {
            word: fields[word] for word in kept if word in fields
        }

    def library(self, source: Source, documents: Documents) -> Any:
        """The tokens."""
        return self._conll().library(self._two_columns(source), documents)

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Write ten columns, of which ID, FORM and MISC are filled; each token has a tag.

        >>> import io
        >>> out = io.BytesIO()
        >>> Conllu().write(Corpus.of("[Ann]PER"), out)
        >>> out.getvalue()
        b'# newdoc\\n1\\tAnn\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\tNER=B-PER\\n\\n'
        """
        refused(self.name, fitted(corpus, self.holds)[1])
        for label in corpus.labels:
            if set(label) & set("|()"):
                raise UsageError(f"conllu cannot hold the label {shown(label)}: it has | ( or )")
        columns = io.BytesIO()
        try:
            Conll().write(corpus, columns)
        except UsageError as error:
            raise UsageError(str(error).replace("conll ", "conllu ", 1)) from None
        number, last = 0, b""
        for line in columns.getvalue().split(b"\n")[:-1]:
            if line.startswith(b"# newdoc"):
                row, number = line, 0
            elif line == b"-DOCSTART- O":
                row, number = b"# newdoc", 0
            elif line:
                word, tag = line.rsplit(b" ", 1)
                number += 1
                unused = b"\t_" * (_COLUMNS - 3)
                misc = self.key.encode() + b"=" + tag
                row = b"%d\t%s%s\t%s" % (number, word, unused, misc)
            else:
                row, number = b"", 0
            if row or not last.startswith(b"# newdoc"):
                out.write(row + b"\n")
            last = row

    def _two_columns(self, source: Source) -> Source:
        """The file as conll, line by line, so that messages name the right lines."""
        problems = Problems(source.name)
        wanted = self.key.encode("utf-8", "surrogateescape") + b"="
        rows: list[bytes] = []
        tagged = brackets = 0
        others: dict[bytes, None] = {}  # keys, in the order of the file
        token: _Multiword | None = None
        tokens: list[_Multiword] = []
        for number, _, raw in lines(source):
            if number - 1 > len(rows):
                rows += [b""] * (number - 1 - len(rows))
                token = None
            line = raw.rstrip(b"\r")
            columns = line.split(b"\t")
            if line.startswith(b"#"):
                # conll takes some short comments for words.
                rows.append(line if _DOCUMENT.match(line) else _COMMENT)
            elif len(columns) != _COLUMNS or not _NUMBER.match(columns[0]):
                found = f"{len(columns)} columns" if len(columns) != _COLUMNS else "no number"
                problems.add("K238", number, found, "ten columns separated by tabs: ID FORM ...")
                rows.append(b"#")
            elif _NODE.fullmatch(columns[0]):
                rows.append(_COMMENT)
            else:
                values = [part for part in columns[-1].split(b"|") if part.startswith(wanted)]
                tag = (values[0].removeprefix(wanted).strip() or b"O") if values else b""
                tag = tag.replace(b" ", b"_")
                tagged += bool(values)
                if not tagged and len(others) < _NAMED:
                    parts = columns[-1].split(b"|")
                    others |= {part.split(b"=")[0]: None for part in parts if b"=" in part}
                if b"(" in tag or b")" in tag:
                    brackets += 1
                if (words := _WORDS.fullmatch(columns[0])) is not None:
                    rows.append(_COMMENT)
                    token = _Multiword(number, range(int(words[1]), int(words[2]) + 1), tag)
                    tokens.append(token)
                    continue
                word = b"\xc2\xa0".join(columns[1].split()) or b"_"
                if word == b"-DOCSTART-":  # conll would begin a document here
                    problems.add("K238", number, "the word -DOCSTART-", "another word")
                if token and _WORD.fullmatch(columns[0]) and int(columns[0]) in token.numbers:
                    token.words.append((len(rows), word, tag))
                rows.append(word + b"\t" + (tag or b"O"))
        for token in tokens:
            token.give_tag(rows, problems)
        problems.check()
        if brackets or (rows and not tagged):
            key = self.key
            found = f"brackets in {key}=" if brackets else f"no {key}= in the last column"
            if others and not brackets:
                found += ", but " + ", ".join(f"{_shown(each)}=" for each in others)
            raise source.failure(
                "K238", found, "tags such as NER=B-PER",
                "--read key=NAME names another key; mentions in brackets, as in CorefUD, "
                "must be converted first; to read another column, name the format conll",
            )  # fmt: skip
        return Source.of_bytes(b"\n".join(rows) + b"\n" if rows else b"", source.name)


@dataclass(slots=True)
class _Multiword:
    """A token of several words: its line, their numbers, its tag, and row, form and tag of each."""

    line: int
    numbers: range
    tag: bytes
    words: list[tuple[int, bytes, bytes]] = field(default_factory=list)

    def give_tag(self, rows: list[bytes], problems: Problems) -> None:
        """Write the tag to the words, unless they have tags of their own."""
        own = [tag for _, _, tag in self.words if tag]
        if self.tag in (b"", *_OUTSIDE) or _label(self.tag) in map(_label, own):
            return
        if own or not self.words:
            found = "have the tags " + ", ".join(map(_shown, own)) if own else "do not follow"
            problems.add(
                "K238", self.line, f"the tag {_shown(self.tag)} of a token whose words {found}",
                "a tag of the token or of its words, or the same label on both",
            )  # fmt: skip
            return
        prefix, dash, label = self.tag.partition(b"-")
        first, inside, last = _ON_WORDS.get(prefix if dash else b"", (prefix,) * 3)
        prefixes = [first, *[inside] * (len(self.words) - 2), last]
        if len(self.words) == 1:
            prefixes = [prefix]
        for (row, word, _), each in zip(self.words, prefixes, strict=True):
            rows[row] = word + b"\t" + each + dash + label


def _label(tag: bytes) -> bytes:
    return tag.partition(b"-")[2] or tag


def _shown(tag: bytes) -> str:
    return shown(tag)[1:-1]
