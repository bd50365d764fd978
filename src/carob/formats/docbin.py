"""docbin: the binary files of spaCy, as `spacy convert` and `DocBin.to_disk` write them."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

from carob.corpus.corpus import Corpus
from carob.corpus.problems import Problems, shown
from carob.corpus.source import LARGEST, Source
from carob.formats import _dialect
from carob.formats._dialect import Entry
from carob.formats._text import signed, unsigned

_MOST = 4 * LARGEST
"""How large the data may be when they are unpacked."""
_SPACY = "spaCy, which the extra docbin brings (in a clone of carob, pip install '.[docbin]')"


@dataclass(frozen=True, slots=True)
class Docbin:
    """Documents of spaCy in one binary file: texts, tokens, sentences and entities.

    `spans` names a group of spans that is read instead of the entities. spaCy reads the file; it
    is an extra. See spacy.io/api/docbin.

    >>> Docbin().spans
    ''
    """

    spans: str = ""

    name: ClassVar[str] = "docbin"
    extensions: ClassVar[tuple[str, ...]] = (".spacy",)
    signs: ClassVar[str] = "binary"
    holds: ClassVar[frozenset[str]] = frozenset({
        "text", "tokens", "sentences", "overlaps", "crossing", "across sentences", "units:char",
    })  # fmt: skip

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we that the data are packed, and have the keys of a DocBin?

        >>> import zlib
        >>> Docbin.sniff(zlib.compress(b"\\x87\\xa5attrs...\\xa6tokens")), Docbin.sniff(b"PAR1")
        (0.98, 0.0)
        """
        if head[:2] not in (b"x\x01", b"x\x9c", b"x\xda"):
            return 0.0
        try:
            begin = zlib.decompressobj().decompress(head, 1 << 12)
        except zlib.error:
            return 0.0
        return 0.98 if b"attrs" in begin else 0.0

    def read(self, source: Source) -> Iterator[Corpus]:
        """All documents; their texts stay in memory."""
        problems = Problems(source.name)
        groups: set[str] = set()
        records = (
            (number, 0, partial(self._entry, groups, doc))
            for number, doc in enumerate(_docs(source), 1)
        )
        yield from _dialect.read_entries(source, problems, records, "char", keep_words=True)
        _dialect.require_group(source, self.spans, groups)

    def _entry(self, known: set[str], doc: _Doc, facts: Counter[str]) -> Entry | None:
        entry = Entry({"text": doc.text, "sentences": doc.sentences})
        if doc.tokens:
            entry.record["token_spans"] = doc.tokens
        if self.spans:
            spans, lead = _dialect.group_of(doc.groups, self.spans, known, facts), self.spans
        else:
            spans, lead = doc.ents, "ents"
            facts["span_groups"] += bool(doc.groups)
        for number, (start, end, label) in enumerate(spans):
            entry.add(f"{lead}[{number}]", {"start": start, "end": end, "label": label})
        return entry

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """The group of spans."""
        return {"spans": signed(self.spans)}, _dialect.signature_fields("char", facts)[1]

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again.

        >>> Docbin.from_signature({"spans": "sc"})
        {'spans': 'sc'}
        """
        return {"spans": unsigned(fields["spans"])}


class _Doc(NamedTuple):
    """What carob takes from a document of spaCy: positions are characters."""

    text: str
    tokens: list[list[int]]
    sentences: list[int]
    ents: list[tuple[int, int, str]]
    groups: dict[str, list[tuple[int, int, str]]]

    @classmethod
    def of(cls, doc: Any) -> _Doc:
        """Everything at once, as spaCy notices only now what is damaged."""

        def places(spans: Any) -> list[tuple[int, int, str]]:
            return [(span.start_char, span.end_char, span.label_) for span in spans]

        return cls(
            doc.text,
            [[token.idx, token.idx + len(token)] for token in doc if len(token)],
            [each.start_char for each in doc.sents] if doc.has_annotation("SENT_START") else [],
            places(doc.ents),
            {str(name): places(group) for name, group in doc.spans.items()},
        )


def _docs(source: Source) -> list[_Doc]:
    """The documents, as spaCy reads them. Whatever it raises, the file is to blame."""
    data = source.content()
    unpacker = zlib.decompressobj()
    try:
        unpacked = unpacker.decompress(data, _MOST)
    except zlib.error as error:
        found = f"data that break off or are damaged ({error})"
        raise source.failure("K245", found, "a DocBin of spaCy") from None
    if unpacker.unconsumed_tail:
        raise source.failure("K010", f"more than {_MOST:,} bytes unpacked", "a smaller file")
    if b"attrs" not in unpacked[: 1 << 12]:
        raise source.failure("K245", "data that are no DocBin", "a DocBin of spaCy")
    try:
        from spacy.tokens import DocBin  # slow to load, and an extra
        from spacy.vocab import Vocab
    except ImportError:
        raise source.failure("K246", "a DocBin of spaCy", _SPACY) from None
    try:
        return [_Doc.of(doc) for doc in DocBin().from_bytes(data).get_docs(Vocab())]
    except Exception as error:
        found = f"data that spaCy cannot read ({shown(str(error), 80)})"
        raise source.failure("K245", found, "a DocBin of spaCy") from None
