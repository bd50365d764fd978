"""tbf: the event nuggets of TAC KBP, a mention a line, documents between two marks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar

import numpy as np

from carob.corpus.corpus import Corpus, Words
from carob.corpus.problems import UsageError, shown
from carob.corpus.source import Source
from carob.corpus.tables import Documents, Groups
from carob.formats._tbf import BEGIN, COREFERENCE, END, NOBODY, Tables, TbfReader, token_table

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

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """Where tokens have their places from; tables are told apart by their content.

        >>> Tbf().signature_fields({"token": 3}), Tbf().signature_fields({})
        (({'tokens': 'number'}, {}), ({}, {}))
        """
        if not facts.get("token"):
            return {}, {}
        if "table" in facts:
            return {"tokens": f"table={facts['table'] % 2**32:08x}"}, {}
        return {"tokens": "number"}, {}

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again, from what `signature_fields` gives.

        >>> Tbf.from_signature({"tokens": "number"})
        {}
        """
        if fields.get("tokens", "number") != "number":
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
        return None, tuple(token_table(Tables(self.folder).file(name), name)[1])

    def line(self, row: int, place: int) -> int:
        """The line on which the document begins."""
        return int(self.documents.line[row])


_UNKNOWN = "NOT_ANNOTATED"
_LISTED = 50_000


def written(corpus: Corpus) -> Iterator[bytes]:
    """The lines of each document."""
    _refuse(corpus)
    bounds = np.searchsorted(corpus.mentions.doc, np.arange(len(corpus) + 1)).tolist()
    groups = [_by_document(each) for each in (corpus.clusters, corpus.relations)]
    for row in range(len(corpus)):
        own = _own(corpus.extra.get(row, {}).get("tbf", {}))
        name = corpus.documents.name(row)
        lines = [f"{BEGIN} {name}", *own["comments"]]
        low, high = bounds[row], bounds[row + 1]
        ids = _ids(corpus, low, high)
        order = {name: place for place, name in enumerate(own["text"])}
        for i in sorted(range(low, high), key=lambda i: (order.get(ids[i - low], len(order)), i)):
            lines.append("\t".join(_line(corpus, row, i, ids[i - low], own)))
        both = list(zip((corpus.clusters, corpus.relations), groups, strict=True))
        used = {table.id[i] for table, places in both for i in places.get(row, [])}
        names = dict(enumerate(ids, low))
        for table, places in both:
            lines += [_link(table, i, names, used) for i in places.get(row, [])]
        try:
            yield "".join(f"{line}\n" for line in [*lines, END]).encode()
        except UnicodeEncodeError:
            raise UsageError(f"tbf cannot hold surrogates, as in document {shown(name)}") from None


def _line(corpus: Corpus, row: int, i: int, name: str, own: Mapping[str, Any]) -> list[str]:
    table = corpus.mentions
    system = corpus.documents.attributes.get("system")
    realis = table.attributes.get("realis")
    spans = table.fragments_of(i)
    if corpus.unit == "char":
        place = ";".join(f"{start},{end}" for start, end in spans)
    else:
        ids = own["tokens"]
        if sum(end - start for start, end in spans) > _LISTED:
            raise UsageError(f"tbf cannot hold a mention of more than {_LISTED:,} tokens")
        numbers = [n for start, end in spans for n in range(start, end)]
        if ids and numbers[-1] >= len(ids):
            raise UsageError(f"tbf: document {shown(corpus.documents.name(row))} has {len(ids)} "
                             f"token ids, but a mention at token {numbers[-1]}")  # fmt: skip
        place = ",".join(ids[n] if ids else f"t{n}" for n in numbers)
    columns = [
        own["system"].get(name, (system[row] if system else None) or NOBODY),
        corpus.documents.name(row),
        name,
        place,
        own["text"].get(name, ""),
        corpus.labels[table.label[i]],
        (realis[i] if realis else None) or _UNKNOWN,
        *own["columns"].get(name, ()),
    ]
    for value in columns:
        _fits(value, "the value")
    if columns[0][:1] in ("#", "@"):
        raise UsageError(f"tbf cannot hold the system {shown(columns[0])}")
    if columns[-1].endswith("\r"):
        raise UsageError(f"tbf cannot hold the value {shown(columns[-1])}")
    return columns


def _link(table: Groups, i: int, ids: Mapping[int, str], used: set[str | None]) -> str:
    label, name = table.label[i] or COREFERENCE, table.id[i]
    members = [ids[int(m)] for m in table.mention[table.offsets[i] : table.offsets[i + 1]]]
    if name is None:
        name = next(f"R{k}" for k in range(len(used), 2 * len(used) + 1) if f"R{k}" not in used)
        used.add(name)
    for value in (label, name, *members):
        _fits(value, "the value")
    for member in members:
        if "," in member or member.strip() != member:
            raise UsageError(f"tbf cannot link the mention id {shown(member)}")
    if label.strip() != label or (table.label[i] == COREFERENCE):
        raise UsageError(f"tbf cannot hold the relation {shown(label)}")
    if len(set(members)) < len(members):
        raise UsageError("tbf cannot link a mention with itself")
    return f"@{label}\t{name}\t{','.join(members)}"


def _ids(corpus: Corpus, low: int, high: int) -> list[str]:
    """The ids of a document's mentions; those without get one."""
    given = corpus.mentions.id[low:high] if corpus.mentions.id else (None,) * (high - low)
    taken, ids, number = set(given), [], 0
    for name in given:
        if name is None:
            number += 1
            while f"E{number}" in taken:
                number += 1
            name = f"E{number}"
        ids.append(name)
    if len(set(ids)) < len(ids):
        raise UsageError("tbf cannot hold two mentions with one id in a document")
    return ids


def _own(extra: Any) -> dict[str, Any]:
    """What reading a tbf file kept; anything else under its name is refused."""
    kinds: dict[str, Any] = {"text": {}, "columns": {}, "system": {}, "comments": [], "tokens": []}

    def words(value: Any) -> bool:
        return isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value)

    try:
        found = kinds | dict(extra)
        fine = set(found) == set(kinds) and words(found["comments"]) and words(found["tokens"])
        fine = fine and all(words(list(found[key].values())) for key in ("text", "system"))
        fine = fine and all(words(value) for value in found["columns"].values())
    except (TypeError, ValueError, AttributeError):
        fine = False
    if not fine or any(not line.startswith("#") or line.startswith((BEGIN, END)) or "\n" in line
                       for line in found["comments"]):  # fmt: skip
        raise UsageError("the field tbf of a document is not what reading a tbf file leaves there")
    return found


def _by_document(groups: Groups) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for i, doc in enumerate(groups.doc.tolist()):
        found.setdefault(doc, []).append(i)
    return found


def _fits(value: str, what: str) -> None:
    if any(sign in value for sign in "\t\n\0"):
        raise UsageError(f"tbf cannot hold {what} {shown(value)}")


def _refuse(corpus: Corpus) -> None:
    """What tbf cannot hold is refused, by name."""
    mentions, documents, relations = corpus.mentions, corpus.documents, corpus.relations
    ids: Sequence[str] = documents.id or ()
    if len(ids) < len(documents):
        raise UsageError("tbf needs ids of documents")
    for name in ids:
        if not name or name.strip() != name:
            raise UsageError(f"tbf cannot hold the document id {shown(name)}")
        _fits(name, "the document id")
    if len(mentions) and corpus.unit is None:
        raise UsageError("tbf holds tokens or characters; this corpus does not say which it counts")
    roles = {relations.role[i] for i in range(len(relations.mention))}
    lame = (np.diff(relations.offsets) != 2).any() or (relations.mention < 0).any()
    clusters = corpus.clusters
    alone = (np.diff(clusters.offsets) == 0).any() or (clusters.mention < 0).any()
    fields = {key for each in corpus.extra.values() for key in each}
    counts = {
        "attributes of documents other than system": set(documents.attributes) - {"system"},
        "attributes of mentions other than realis": set(mentions.attributes) - {"realis"},
        "confidences": mentions.confidence is not None,
        "templates": len(corpus.templates),
        "labels of clusters": clusters.label.values,
        "relations other than from one mention to another": roles - {"from", "to"} or lame,
        "relations without a label": (relations.label.codes < 0).any(),
        "clusters without mentions": alone,
        "further fields of documents": fields - {"tbf", "token_spans"},
    }
    for what, there in counts.items():
        if there:
            raise UsageError(f"tbf cannot hold {what}")
