"""muc: the key files of the Message Understanding Conferences, one slot a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, ClassVar

from carob.corpus.build import of_documents
from carob.corpus.corpus import Corpus
from carob.corpus.document import Document, Filler, Template
from carob.corpus.problems import Problems, UsageError, shown
from carob.corpus.source import Source
from carob.corpus.tables import Documents
from carob.formats._text import FileWords, decoded, encoded, signed, unsigned
from carob.formats.capabilities import fitted, refused

_SIGN = re.compile(r'"((?:[^"\\]|\\.)*+)("|\\?\Z)|/', re.S)
_ESCAPE = re.compile(r"\\(.)", re.S)
_SIGNS = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_NOTHING = frozenset({"-", "*"})
_WRITTEN = {sign: f"\\{letter}" for letter, sign in _SIGNS.items()}
MOST = 1000
"""How many alternatives a filler may have: cross-references multiply them."""


class FillerError(ValueError):
    """A filler is not as it should be: what was found, and what was expected."""

    def __init__(self, found: str, expected: str) -> None:
        self.found, self.expected = found, expected
        super().__init__(found)


def without_stray_quotes(value: str) -> tuple[str, int]:
    """A filler without a quote that has no partner, and how many these were.

    >>> without_stray_quotes('"A" / "B'), without_stray_quotes('"A"')
    (('"A" / B', 1), ('"A"', 0))
    """
    for sign in _SIGN.finditer(value):
        if sign[1] is not None and sign[2] != '"':
            return value[: sign.start()] + value[sign.start() + 1 :], 1
    return value, 0


def forms(value: str) -> tuple[list[str], bool]:
    """The alternatives of a filler, none for `-`, `*` and an empty string, and whether it is
    optional.

    >>> forms('? "FMLN" / "FRONT"')
    (['FMLN', 'FRONT'], True)
    >>> forms('CIVILIAN: "PRIESTS" / "JESUITS"')
    (['CIVILIAN: "PRIESTS"', 'CIVILIAN: "JESUITS"'], False)
    """
    texts: list[str] = []
    owners: list[str] = []  # the left side of the last cross-reference
    bare: list[str] = []  # may become the left side of the next one
    optional = nothing = False
    for piece in _alternatives(value):
        if piece.startswith("?"):
            optional, piece = True, piece[1:].strip()
        if not piece:
            raise FillerError(f"{shown(value)} with an alternative that is empty", "a filler")
        owner, string = _crossed(piece)
        if owner:
            owners, bare = _ungrouped([*bare, owner]), []
        if owners and string:
            texts += [f"{owner}: {string}" for owner in owners if owner not in _NOTHING]
            nothing |= not _NOTHING.isdisjoint(owners)
        else:
            owners = []
            bare.append(piece)
        if len(texts) + len(bare) > MOST:
            raise FillerError(f"{shown(value)} with more than {MOST:,} alternatives", "fewer")
    own = [_unquoted(piece) for piece in bare if piece not in _NOTHING]
    texts += [text for text in own if text.strip()]
    nothing |= not _NOTHING.isdisjoint(bare)
    return texts, bool(texts) and (optional or nothing)


def _ungrouped(owners: list[str]) -> list[str]:
    """`("A" / "B"): "C"` without its parentheses."""
    if owners[0].startswith("(") and owners[-1].endswith(")"):
        owners[0] = owners[0][1:].strip()
        owners[-1] = owners[-1][:-1].strip()
    return owners


def _alternatives(value: str) -> Iterator[str]:
    """The parts between slashes; a slash in a string or within a word separates nothing."""
    begin = 0
    for sign in _SIGN.finditer(value):
        if sign[1] is not None:
            if sign[2] != '"':
                raise FillerError(shown(value[sign.start() :]), "a closing quote")
            continue
        neighbours = (
            value[max(0, sign.start() - 1) : sign.start()],
            value[sign.end() : sign.end() + 1],
        )
        if all(not side or side.isspace() or side == '"' for side in neighbours):
            yield value[begin : sign.start()].strip()
            begin = sign.end()
    yield value[begin:].strip()


def _crossed(piece: str) -> tuple[str, str]:
    """A cross-reference as its two parts, `X` and `"Y"`; a string alone has no first part."""
    last = None
    for sign in _SIGN.finditer(piece):
        last = sign if sign[1] is not None else None
    if last is None or last.end() < len(piece):
        return "", ""
    before = piece[: last.start()].rstrip()
    if not before:
        return "", last.group()
    return (before[:-1].rstrip(), last.group()) if before.endswith(":") else ("", "")


def _unquoted(piece: str) -> str:
    """The text of a string without its quotes; anything else stays as it is."""
    owner, string = _crossed(piece)
    if owner or not string:
        return piece
    return _ESCAPE.sub(lambda sign: _SIGNS.get(sign[1], sign.group()), string[1:-1])


def written(texts: list[str], optional: bool) -> str:
    """A filler as a line of a key file has it; cross-references stay without quotes around them.

    >>> print(written(["THE FRONT", '"X" SAID'], True), written(['CIVILIAN: "PRIESTS"'], False))
    ? "THE FRONT" / "\\"X\\" SAID" CIVILIAN: "PRIESTS"
    """
    if len(texts) > MOST:
        raise UsageError(f"muc cannot hold {len(texts):,} alternatives of a filler, only {MOST:,}")
    mark = "? " if optional else ""
    plain = mark + " / ".join(text if _crossed(text)[0] else _quoted(text) for text in texts)
    try:
        if "\n" not in plain and "\r" not in plain and forms(plain) == (texts, optional):
            return plain
    except FillerError:
        pass
    return mark + " / ".join(map(_quoted, texts))


def _quoted(text: str) -> str:
    return f'"{"".join(_WRITTEN.get(sign, sign) for sign in text)}"'


ID, TEMPLATE = "MESSAGE: ID", "MESSAGE: TEMPLATE"
NAMES = (
    ID, TEMPLATE, "INCIDENT: DATE", "INCIDENT: LOCATION", "INCIDENT: TYPE",
    "INCIDENT: STAGE OF EXECUTION", "INCIDENT: INSTRUMENT ID", "INCIDENT: INSTRUMENT TYPE",
    "PERP: INCIDENT CATEGORY", "PERP: INDIVIDUAL ID", "PERP: ORGANIZATION ID",
    "PERP: ORGANIZATION CONFIDENCE", "PHYS TGT: ID", "PHYS TGT: TYPE", "PHYS TGT: NUMBER",
    "PHYS TGT: FOREIGN NATION", "PHYS TGT: EFFECT OF INCIDENT", "PHYS TGT: TOTAL NUMBER",
    "HUM TGT: NAME", "HUM TGT: DESCRIPTION", "HUM TGT: TYPE", "HUM TGT: NUMBER",
    "HUM TGT: FOREIGN NATION", "HUM TGT: EFFECT OF INCIDENT", "HUM TGT: TOTAL NUMBER",
)  # fmt: skip
"""The slots of MUC-4, by number. They have colons and may fill their column to its end."""

_SEPARATOR = re.compile(r"\s*\*(\s*\*)+\s*")
_EMPTY = re.compile(r'(?<![^\s/:])"\s*"(?![^\s/])')
_NUMBERED = re.compile(r"\s*([0-9]+)\.\s+(\S.*)", re.S)
_KNOWN = re.compile(f"(?:{'|'.join(sorted(NAMES, key=len, reverse=True))})(?=\\s|$)")
_GAP = re.compile(r"\t|\s{2}")
_SITE = re.compile(r"(.*\S)\s*\(([^()]*)\)", re.S)
_OPTIONAL = re.compile(r"(\S+)\s*\(OPTIONAL\)", re.I)
_LINE = "a slot like '2. INCIDENT: DATE   FILLER' or 'SLOT: FILLER', or an indented filler"


def id_and_site(value: str) -> tuple[str, str]:
    """The id of a message, and the site that made its key: `DEV-MUC3-0001 (NOSC)`."""
    match = _SITE.fullmatch(value)
    return (match[1], match[2].strip()) if match else (value, "")


def number_of(value: str) -> tuple[str, bool]:
    """The number of a template, and whether the whole of it is optional: `2 (OPTIONAL)`.

    `-` means no number, `*` no template; a value of several words gives "".
    """
    match = _OPTIONAL.fullmatch(value)
    number = match[1] if match else value
    return (number if len(number.split()) == 1 else ""), match is not None


class _Messages:
    """Reads the lines of a key file; what is wrong goes to `problems`."""

    def __init__(self, problems: Problems, label: str) -> None:
        self.problems, self.label = problems, label
        self.by_id: dict[str, _Message] = {}
        self.facts = {"comments": 0, "empty_texts": 0, "stray_quotes": 0, "idle_marks": 0}
        self.message: _Message | None = None
        self.block = _Block()

    def wrong(self, line: int, code: str, found: str, expected: str, hint: str = "") -> None:
        self.problems.add(code, line, found, expected, hint)

    def read(self, text: str) -> None:
        for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
            if not line.strip() or _SEPARATOR.fullmatch(line):
                self.close()
            elif line.lstrip().startswith(";"):
                self.facts["comments"] += 1
            else:
                self._line(number, line.rstrip())
        self.close()
        for message in self.by_id.values():
            self.facts["idle_marks"] += bool(message.irrelevant and message.templates)

    def _line(self, number: int, line: str) -> None:
        slot = slot_of(line)
        if slot is not None and self._continues(slot[0], slot[2]):
            self.block.slots[self.block.last].append((number, line))
            return
        if slot is None:
            if not line[0].isspace():
                self.wrong(number, "K222", shown(line), _LINE)
            elif not self.block.last:
                self.wrong(number, "K222", f"the filler {shown(line.strip())}", "a slot before it")
            else:
                self.block.slots[self.block.last].append((number, line.strip()))
            return
        name, value, counted = slot
        if name == ID:
            self.close()
            self._opened(number, value)
            return
        if name == TEMPLATE and (self.block.line or self.block.number):
            self.close()
        if self.message is None:
            self.wrong(number, "K223", f"the slot {shown(name)}", f"{ID} before it")
            self.message = _Message(number, "", {})
        elif not self.block.line and counted and name != TEMPLATE and not self.block.opened:
            self.wrong(number, "K223", f"the slot {shown(name)} after a blank line",
                       f"{ID} or {TEMPLATE} at the beginning of a template",
                       "a blank line ends a template")  # fmt: skip
        self.block.line = self.block.line or number
        if name == TEMPLATE:
            self._numbered(number, value)
        else:
            self.block.slots.setdefault(name, []).append((number, value))
            self.block.last, self.block.counted = name, counted

    def _continues(self, name: str, counted: bool) -> bool:
        """Whether a line at the margin, `MORTAR: "MORTAR"`, is another filler: the slot above has a
        number, this one has none, and no slot has its name.
        """
        known = name in NAMES or name in self.block.slots
        return self.block.counted and not counted and not known

    def _opened(self, number: int, value: str) -> None:
        name, site = id_and_site(value)
        if not name:
            self.wrong(number, "K223", f"{ID} without an id", "an id")
        self.message = self.by_id.setdefault(name, _Message(number, site, {}))
        self.block.opened = True

    def _numbered(self, number: int, value: str) -> None:
        self.block.number, self.block.optional = number_of(value or "-")
        if not self.block.number:
            self.wrong(number, "K222", shown(value), "the number of a template, - or *")

    def close(self) -> None:
        """The end of a template."""
        block, self.block = self.block, _Block()
        if not block.line or self.message is None:
            return
        slots: dict[str, tuple[Filler | Template, ...]] = {}
        for slot, values in block.slots.items():
            slots[slot] = tuple(self._fillers(values, block.optional))
        if block.number == "*":
            if any(slots.values()):
                self.wrong(block.line, "K225", f"{TEMPLATE} * with fillers", "none")
            self.message.irrelevant = block.line
            return
        name = None if block.number in ("", "-") else block.number
        if name is not None and name in self.message.numbers:
            before = self.message.numbers[name]
            self.wrong(block.line, "K225", f"template {shown(name)}, also on line {before}",
                       "a number of its own for each template of a message")  # fmt: skip
        self.message.numbers.setdefault(name or "", block.line)
        kind = next((f.text for f in slots.get(self.label, ()) if isinstance(f, Filler)), None)
        self.message.templates.append(Template(kind or "", slots, name))

    def _fillers(self, values: list[tuple[int, str]], optional: bool) -> Iterator[Filler]:
        joined: list[tuple[int, list[str]]] = []
        for line, value in values:
            if joined and value and (joined[-1][1][-1][-1:] == "/" or value[0] == "/"):
                joined[-1][1].append(value)
            else:
                joined.append((line, [value]))
        for line, parts in joined:
            if parts == [""]:
                continue
            value, stray = without_stray_quotes(" ".join(parts))
            self.facts["stray_quotes"] += stray
            self.facts["empty_texts"] += len(_EMPTY.findall(value))
            try:
                texts, maybe = forms(value)
            except FillerError as error:
                self.wrong(line, "K224", error.found, error.expected)
                continue
            if texts:
                others = tuple(Filler(other) for other in texts[1:])
                yield Filler(texts[0], (), others, optional or maybe)

    def documents(self) -> Iterator[tuple[Document, int]]:
        """Each message as a document, with its line."""
        for name, message in self.by_id.items():
            attributes = {"site": message.site} if message.site else {}
            yield (
                Document(name, attributes=attributes, templates=tuple(message.templates)),
                message.line,
            )


class _Message:
    def __init__(self, line: int, site: str, numbers: dict[str, int]) -> None:
        self.line, self.site, self.numbers = line, site, numbers
        self.templates: list[Template] = []
        self.irrelevant = 0


class _Block:
    """A template that is being read; `line` is 0 until its first line."""

    def __init__(self) -> None:
        self.line = 0
        self.opened = self.optional = self.counted = False
        self.number = self.last = ""
        self.slots: dict[str, list[tuple[int, str]]] = {}


def slot_of(line: str) -> tuple[str, str, bool] | None:
    """Name and filler of the slot that a line begins, and whether it has a number."""
    numbered = _NUMBERED.match(line)
    if numbered is None and line[0].isspace():
        return None
    rest = numbered[2] if numbered else line
    known = _KNOWN.match(rest)
    if numbered:
        gap = _GAP.search(rest)
        cut = gap.start() if gap else known.end() if known else -1
    else:
        cut = known.end() if known else rest.find(":")
    name = rest[: max(cut, 0)].rstrip().removesuffix(":").rstrip()
    if cut < 0 or not name or name.startswith('"'):
        return None
    value = rest[cut:] if numbered or known else rest[cut + 1 :]
    return name, value.strip(), numbered is not None


_FIRST = re.compile(rb"(?:\s|;[^\n]*\n)*+(?:[0-9]+\.[ \t]+)?MESSAGE: ID(?:\s|\Z)")
_OTHER = re.compile(
    rb"(?:\s|;[^\n]*\n)*+[0-9]+\.[ \t]+[A-Z]+(?: [A-Z]+)*: [A-Z]+(?: [A-Z]+)*"
    rb"(?:[ \t]{2}|\t|[ \t\r]*(?:\n|\Z))"
)
_COLUMN = 36


@dataclass(frozen=True, slots=True)
class Muc:
    """Templates as in the key files of MUC-3 and MUC-4: one slot a line, blank lines between.

    `MESSAGE: ID` names the document, `MESSAGE: TEMPLATE` numbers the template (`*`: the message has
    none). Further fillers of a slot are on indented lines; `/` separates alternatives, `?` marks an
    optional filler, `-` and `*` are no filler, `;` begins a comment. Templates have no type;
    `label=SLOT` names the slot that holds it. Lavelli et al. (2008) describe the conferences,
    "Evaluation of machine learning-based information extraction algorithms".

    >>> key = b'0. MESSAGE: ID   D1 (X)\\n1. MESSAGE: TEMPLATE   1\\n9. PERP: INDIVIDUAL ID   ? "A"'
    >>> Corpus.joined(Muc().read(Source.of_bytes(key)))[0].templates
    (Template('', PERP: INDIVIDUAL ID=Filler(text='A', optional=True), id='1'),)
    """

    label: str = ""

    name: ClassVar[str] = "muc"
    write_parameters: ClassVar[tuple[str, ...]] = ()
    extensions: ClassVar[tuple[str, ...]] = (".muc", ".muc3", ".muc4")
    signs: ClassVar[str] = "text"
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
        source.require_line_feeds()
        problems = Problems(source.name)
        text = decoded(source, "K221", problems)
        problems.check()
        messages = _Messages(problems, self.label)
        messages.read(text or "")
        problems.check()
        if not messages.by_id:
            raise source.failure("K002", "an empty file", "at least one document")
        pairs = list(messages.documents())
        lines = [line for _, line in pairs]
        corpus = of_documents([document for document, _ in pairs], lines)
        yield replace(corpus, library=None, facts=messages.facts)

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """Which slot was the type, and how many lines were comments."""
        odd = {key: count for key, count in facts.items() if count}
        return {"label_slot": signed(self.label)}, {"comments": 0} | odd

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again, from what `signature_fields` gives.

        >>> Muc.from_signature({"label_slot": "INCIDENT: TYPE"})
        {'label': 'INCIDENT: TYPE'}
        """
        return {"label": unsigned(fields["label_slot"])}

    def library(self, source: Source, documents: Documents) -> FileWords:
        """A key file has lines, but no words."""
        return FileWords(lambda row: (None, None), documents)

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
        parts = []
        for document in documents:
            text = "\n".join(_blocks(document, numbers))
            if "\0" in text:
                where = shown(str(document.id))
                raise UsageError(
                    f"muc cannot hold {shown(chr(0))} in document {where}: a file with it is binary"
                )
            parts.append(encoded(text, "muc", str(document.id)))
        out.write(b"\n".join(parts))


def _numbers(documents: list[Document]) -> dict[str, int]:
    """The number of each slot: that of MUC-4, or one after all that are used."""
    slots = dict.fromkeys(
        slot for document in documents for template in document.templates for slot in template.slots
    )
    numbers = {slot: NAMES.index(slot) for slot in slots if slot in NAMES}
    first = len(NAMES) if numbers else 2
    others = [slot for slot in slots if slot not in numbers]
    numbers |= {slot: first + place for place, slot in enumerate(others)}
    for slot, number in numbers.items():
        if slot in (ID, TEMPLATE) or slot_of(_row(number, slot, "-")) != (slot, "-", True):
            raise UsageError(f"muc cannot hold the slot {shown(slot)}: its name cannot be written")
    return numbers


def _blocks(document: Document, numbers: Mapping[str, int]) -> Iterator[str]:
    site = document.attributes.get("site")
    name = document.id if site is None else f"{document.id} ({site})"
    head = _row(0, ID, str(name))
    known = slot_of(head[:-1]) == (ID, name, True) and "\n" not in head[:-1]
    if not document.id or not known or id_and_site(str(name)) != (document.id, site or ""):
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
