"""tbf: the event nuggets of TAC KBP, a mention a line, documents between two marks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar

from carob.corpus.corpus import Corpus, Words
from carob.corpus.problems import UsageError
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.formats._nuggets import Tables, table
from carob.formats._tbf import TbfReader
from carob.formats._tbf_write import written

_BEGIN = re.compile(rb"(?:\xef\xbb\xbf)?(?:[ \t\r]*\n|#[^\n]*\n)*?#BeginOfDocument")


@dataclass(frozen=True, slots=True)
class Tbf:
    """One event mention a line, with its type and realis, then coreference and other links.

    The columns are system, document, mention id, span, text, type and realis, apart by tabs;
    further ones are kept. A span is characters (`4,8;13,16`, ends exclusive) or token ids
    (`t3,t5`). The type is the label, realis an attribute; `@Coreference` makes clusters, other
    links (`@After`, `@Subevent`) relations from one mention to another. Token ids are taken by
    their number, unless `tokens` names the folder of the token tables (DOCUMENT.tab): then a
    token's place is its row. Liu, Mitamura & Hovy (2015), "Evaluation Algorithms for Event Nugget
    Detection"; the format is that of its program, EvmEval.

    >>> line = "s\\td1\\tE1\\t4,8;13,16\\tmade way\\tMovement_Transport\\tActual\\n"
    >>> data = f"#BeginOfDocument d1\\n{line}#EndOfDocument\\n".encode()
    >>> Corpus.joined(Tbf().read(Source.of_bytes(data))).mention(0).fragments
    ((4, 8), (13, 16))
    """

    tokens: str = ""

    name: ClassVar[str] = "tbf"
    extensions: ClassVar[tuple[str, ...]] = (".tbf",)
    holds: ClassVar[frozenset[str]] = frozenset({
        "overlaps", "crossing", "discontinuous", "across sentences", "attributes:realis",
        "ids", "relations:pairs", "clusters:bare", "group ids", "document ids",
        "document attributes:system", "extra:tbf", "units:char", "units:token",
    })  # fmt: skip
    needs: ClassVar[frozenset[str]] = frozenset({"document ids"})

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we that the first thing is the beginning of a document?

        >>> Tbf.sniff(b"#BeginOfDocument d1\\n"), Tbf.sniff(b"# newdoc\\nAnn B-PER\\n")
        (1.0, 0.0)
        """
        return float(_BEGIN.match(head) is not None)

    def read(self, source: Source) -> Iterator[Corpus]:
        """Blocks of whole documents.

        >>> data = b"#BeginOfDocument d1\\n#EndOfDocument\\n"
        >>> [len(block) for block in Tbf().read(Source.of_bytes(data))]
        [1]
        """
        return TbfReader(source, Tables(self.tokens) if self.tokens else None).blocks()

    def settled(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """Where tokens have their places from; tables are told apart by their content.

        >>> Tbf().settled({"token": 3}), Tbf().settled({})
        (({'tokens': 'number'}, {}), ({}, {}))
        """
        if not facts.get("token"):
            return {}, {}
        if "table" in facts:
            return {"tokens": f"table={facts['table'] % 2**32:08x}"}, {}
        return {"tokens": "number"}, {}

    @staticmethod
    def told(said: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again, from what `settled` said.

        >>> Tbf.told({"tokens": "number"})
        {}
        """
        if said.get("tokens", "number") != "number":
            raise UsageError("the token tables of a tbf file are not named in the signature")
        return {}

    def library(self, source: Source, documents: Documents) -> TbfWords | None:
        """The tokens of the token tables, where there are any."""
        return TbfWords(self.tokens, documents) if self.tokens else None

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Write mentions, clusters and relations; texts and tokens have no place here.

        >>> import io
        >>> out = io.BytesIO()
        >>> person = {"id": "E1", "start": 0, "end": 4, "label": "Life_Die"}
        >>> Tbf().write(Corpus.of({"id": "d1", "unit": "char", "mentions": [person]}), out)
        >>> out.getvalue().splitlines()[1]
        b'_\\td1\\tE1\\t0,4\\t\\tLife_Die\\tNOT_ANNOTATED'
        """
        for part in written(corpus):
            out.write(part)


@dataclass(frozen=True, slots=True)
class TbfWords:
    """The tokens of token tables, read again when asked for."""

    folder: str
    documents: Documents

    def words(self, row: int) -> Words:
        """The tokens of a document."""
        name = self.documents.name(row)
        return None, tuple(table(Tables(self.folder).file(name), name)[1])

    def line(self, row: int, place: int) -> int:
        """The line on which the document begins."""
        return int(self.documents.line[row])
