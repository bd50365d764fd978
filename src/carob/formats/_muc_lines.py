"""Key files of the Message Understanding Conferences: messages, templates, slots."""

from __future__ import annotations

import re
from collections.abc import Iterator

from carob.corpus.document import Document
from carob.corpus.problems import shown
from carob.corpus.template import Filler, Template
from carob.formats._muc import FillerError, forms
from carob.formats._text import Problems

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

_NUMBERED = re.compile(r"\s*([0-9]+)\.\s+(\S.*)", re.S)
_KNOWN = re.compile(f"(?:{'|'.join(sorted(NAMES, key=len, reverse=True))})(?=\\s|$)")
_GAP = re.compile(r"\t|\s{2}")
_SITE = re.compile(r"(.*\S)\s*\(([^()]*)\)", re.S)
_OPTIONAL = re.compile(r"(\S+)\s*\(OPTIONAL\)", re.I)
_LINE = "a slot like '2. INCIDENT: DATE   FILLER' or 'SLOT: FILLER', or an indented filler"


def named(value: str) -> tuple[str, str]:
    """The id of a message, and who made its key: `DEV-MUC3-0001 (NOSC)`."""
    found = _SITE.fullmatch(value)
    return (found[1], found[2].strip()) if found else (value, "")


def number_of(value: str) -> tuple[str, bool]:
    """The number of a template, and whether the whole of it is optional: `2 (OPTIONAL)`.

    `-` is no number, `*` says that there is no template; anything else of several words is "".
    """
    found = _OPTIONAL.fullmatch(value)
    number = found[1] if found else value
    return (number if len(number.split()) == 1 else ""), found is not None


class Messages:
    """Reads the lines of a key file; what is wrong goes to `problems`."""

    def __init__(self, file: str, problems: Problems, label: str) -> None:
        self.file, self.problems, self.label = file, problems, label
        self.found: dict[str, _Message] = {}
        self.comments = 0
        self.message: _Message | None = None
        self.block = _Block()

    def wrong(self, line: int, code: str, found: str, expected: str, hint: str = "") -> None:
        self.problems.add(code, self.file, line, found, expected, hint)

    def read(self, text: str) -> None:
        for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
            if not line.strip():
                self.close()
            elif line.lstrip().startswith(";"):
                self.comments += 1
            else:
                self._line(number, line.rstrip())
        self.close()
        for message in self.found.values():
            if message.irrelevant and message.templates:
                self.wrong(message.irrelevant, "K225", f"{TEMPLATE} *, and templates elsewhere",
                           "a message with templates, or without")  # fmt: skip

    def _line(self, number: int, line: str) -> None:
        slot = slot_of(line)
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
            self.wrong(number, "K223", f"the slot {shown(name)} behind a blank line",
                       f"{ID} or {TEMPLATE} at the beginning of a template",
                       "a blank line ends a template")  # fmt: skip
        self.block.line = self.block.line or number
        if name == TEMPLATE:
            self._numbered(number, value)
        else:
            self.block.slots.setdefault(name, []).append((number, value))
            self.block.last = name

    def _opened(self, number: int, value: str) -> None:
        name, site = named(value)
        if not name:
            self.wrong(number, "K223", f"{ID} without an id", "an id")
        made = _Message(number, site, {})
        self.message = self.found.setdefault(name, made)
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
            try:
                texts, maybe = forms(" ".join(parts))
            except FillerError as error:
                self.wrong(line, "K224", error.found, error.expected)
                continue
            if texts:
                others = tuple(Filler(other) for other in texts[1:])
                yield Filler(texts[0], (), others, optional or maybe)

    def documents(self) -> Iterator[tuple[Document, int]]:
        """Each message as a document, with its line."""
        for name, message in self.found.items():
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
    """A template on its way: `line` is 0 as long as it has none."""

    def __init__(self) -> None:
        self.line = 0
        self.opened = self.optional = False
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
