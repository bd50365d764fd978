"""muc: the key files of the Message Understanding Conferences, a slot a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, ClassVar

from carob.corpus.build import of_documents
from carob.corpus.corpus import Corpus, Words
from carob.corpus.document import Document
from carob.corpus.problems import UsageError, shown
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.corpus.template import Filler, Template
from carob.formats._muc import written
from carob.formats._muc_lines import ID, NAMES, TEMPLATE, Messages, named, number_of, slot_of
from carob.formats._text import Problems, decoded, encoded, signed, unsigned
from carob.formats.capabilities import fitted, refused

_FIRST = re.compile(rb"(?:\s|;[^\n]*\n)*+(?:[0-9]+\.[ \t]+)?MESSAGE: ID(?:\s|\Z)")
_OTHER = re.compile(
    rb"(?:\s|;[^\n]*\n)*+[0-9]+\.[ \t]+[A-Z]+(?: [A-Z]+)*: [A-Z]+(?: [A-Z]+)*"
    rb"(?:[ \t]{2}|\t|[ \t\r]*(?:\n|\Z))"
)
_COLUMN = 36


@dataclass(frozen=True, slots=True)
class Muc:
    """Templates as the key files of MUC-3 and MUC-4 have them: a slot a line, blank lines between.

    `MESSAGE: ID` names the document, `MESSAGE: TEMPLATE` numbers the template (`*`: the message has
    none). Further fillers of a slot stand on indented lines; `/` parts alternatives, `?` marks an
    optional filler, `-` and `*` are no filler, `;` begins a comment. Templates have no type;
    `label=SLOT` says which slot tells it. The conferences are described in Lavelli et al. (2008),
    "Evaluation of machine learning-based information extraction algorithms".

    >>> key = b'0. MESSAGE: ID   D1 (X)\\n1. MESSAGE: TEMPLATE   1\\n9. PERP: INDIVIDUAL ID   ? "A"'
    >>> Corpus.joined(Muc().read(Source.of_bytes(key)))[0].templates
    (Template('', PERP: INDIVIDUAL ID=Filler(text='A', optional=True), id='1'),)
    """

    label: str = ""

    name: ClassVar[str] = "muc"
    extensions: ClassVar[tuple[str, ...]] = (".muc", ".muc3", ".muc4")
    holds: ClassVar[frozenset[str]] = frozenset({
        "mentions:none", "document ids", "document attributes:site", "templates:several",
        "templates:ids", "templates:empty", "templates:alternatives", "templates:optional",
        "units:char", "units:token",
    })  # fmt: skip
    needs: ClassVar[frozenset[str]] = frozenset({"document ids"})

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we that this is a key file, from 0 to 1?

        One that begins with another slot is a key file too, though a wrong one.

        >>> Muc.sniff(b"0.  MESSAGE: ID   DEV-MUC3-0001 (NOSC)"), Muc.sniff(b"Ann O")
        (0.95, 0.0)
        """
        head = head.removeprefix(b"\xef\xbb\xbf")
        return 0.95 if _FIRST.match(head) else 0.5 if _OTHER.match(head) else 0.0

    def read(self, source: Source) -> Iterator[Corpus]:
        """The messages of a file.

        >>> [len(block) for block in Muc().read(Source.of_bytes(b"MESSAGE: ID  a"))]
        [1]
        """
        problems = Problems()
        text = decoded(source, "K221", problems)
        problems.check()
        messages = Messages(source.name, problems, self.label)
        messages.read(text or "")
        problems.check()
        if not messages.found:
            raise source.failure("K002", "an empty file", "at least one document")
        pairs = list(messages.documents())
        lines = [line for _, line in pairs]
        corpus = of_documents([document for document, _ in pairs], lines)
        yield replace(corpus, library=None, facts={"comments": messages.comments})

    def settled(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """Which slot was the type, and how many lines were comments."""
        return {"label_slot": signed(self.label)}, {"comments": facts.get("comments", 0)}

    @staticmethod
    def told(said: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again, from what `settled` said.

        >>> Muc.told({"label_slot": "INCIDENT: TYPE"})
        {'label': 'INCIDENT: TYPE'}
        """
        return {"label": unsigned(said["label_slot"])}

    def library(self, source: Source, documents: Documents) -> MucWords:
        """There are no words, only lines."""
        return MucWords(documents)

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Write a key file.

        >>> import io
        >>> out, slots = io.BytesIO(), {"INCIDENT: TYPE": ["ATTACK"]}
        >>> Muc().write(Corpus.of({"id": "d1", "templates": [{"slots": slots}]}), out)
        >>> print(out.getvalue().decode())
        0.  MESSAGE: ID                     d1
        1.  MESSAGE: TEMPLATE               -
        4.  INCIDENT: TYPE                  "ATTACK"
        <BLANKLINE>
        """
        refused("muc", fitted(corpus, self.holds)[1])
        if corpus.documents.id is None and len(corpus):
            raise UsageError("muc names every document, and these have no ids")
        documents = list(corpus)
        numbers = _numbers(documents)
        found = []
        for document in documents:
            text = "\n".join(_blocks(document, numbers))
            if "\0" in text:
                where = shown(str(document.id))
                raise UsageError(
                    f"muc cannot hold {shown(chr(0))} in document {where}: a file with it is binary"
                )
            found.append(encoded(text, "muc", str(document.id)))
        out.write(b"\n".join(found))


def _numbers(documents: list[Document]) -> dict[str, int]:
    """The number of each slot: that of MUC-4, or one behind those that are used."""
    slots = dict.fromkeys(
        slot for document in documents for template in document.templates for slot in template.slots
    )
    found = {slot: NAMES.index(slot) for slot in slots if slot in NAMES}
    first = len(NAMES) if found else 2
    others = [slot for slot in slots if slot not in found]
    found |= {slot: first + place for place, slot in enumerate(others)}
    for slot, number in found.items():
        if slot in (ID, TEMPLATE) or slot_of(_row(number, slot, "-")) != (slot, "-", True):
            raise UsageError(f"muc cannot hold the slot {shown(slot)}: its name cannot be written")
    return found


def _blocks(document: Document, numbers: Mapping[str, int]) -> Iterator[str]:
    site = document.attributes.get("site")
    name = document.id if site is None else f"{document.id} ({site})"
    head = _row(0, ID, str(name))
    known = slot_of(head[:-1]) == (ID, name, True) and "\n" not in head[:-1]
    if not document.id or not known or named(str(name)) != (document.id, site or ""):
        raise UsageError(f"muc cannot hold the id {shown(str(name))}")
    if not document.templates:
        yield head + _row(1, TEMPLATE, "*")
    seen: set[str] = set()
    for template in document.templates:
        number = "-" if template.id is None else template.id
        odd = number_of(number) != (number, False) or number in {*seen, "-", "*"}
        if template.id is not None and odd:
            raise UsageError(f"muc cannot hold the id {shown(number)} of a template")
        seen.add(number)
        yield head + _row(1, TEMPLATE, number) + "".join(_rows(template, numbers))


def _rows(template: Template, numbers: Mapping[str, int]) -> Iterator[str]:
    for slot in sorted(template.slots, key=lambda slot: numbers[slot]):
        for place, filler in enumerate(template.slots[slot]):
            assert isinstance(filler, Filler)
            texts = [each.text or "" for each in (filler, *filler.alternatives)]
            line = written(texts, filler.optional)
            yield f"{'':{_COLUMN}}{line}\n" if place else _row(numbers[slot], slot, line)


def _row(number: int, slot: str, value: str) -> str:
    name = f"{number}.".ljust(4) + slot
    return f"{name.ljust(_COLUMN - 3)}   {value}\n"


@dataclass(frozen=True, slots=True)
class MucWords:
    """A key file has no words."""

    documents: Documents

    def words(self, row: int) -> Words:
        """Nothing is known."""
        return None, None

    def line(self, row: int, place: int) -> int:
        """The line that names the message."""
        return int(self.documents.line[row])
