"""The lines of a brat .ann file, read: one text and its annotations become a document."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from carob.arrays.types import IntArray
from carob.corpus.document import Document, Group, Mention, Span, tidy
from carob.corpus.problems import UsageError, shown
from carob.formats._text import Problems

_BOUND = re.compile(r"(\S+) ([0-9]{1,9} [0-9]{1,9}(?:;[0-9]{1,9} [0-9]{1,9})*)")
_ID = re.compile(r"[TEARM][^\s:]+")
_SHAPES = {
    "T": "T1, tab, label start end, tab, text",
    "A": "A1, tab, name and id, and perhaps a value",
    "M": "M1, tab, name and id, and perhaps a value",
    "E": "E1, tab, label:T1, and perhaps role:id ...",
    "R": "R1, tab, label role:id role:id",
    "*": "*, tab, Equiv T1 T2 ...",
    "N": "N1, tab, Reference T1 resource:id, tab, text",
}
_ANY = "a line that begins with one of T A M E R N * #"


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    id: str
    words: tuple[str, ...]
    whole: str


class Annotations:
    """Reads one .ann file against its text.

    What a document cannot hold stays verbatim under `brat` in its extra part: `lines` (notes,
    normalizations, attributes without a mention), `attributes` (the id of each attribute line and
    whom it names) and `targets` (members that are events and stand here for their triggers).
    """

    def __init__(self, text: str, name: str, problems: Problems) -> None:
        self.text, self.name, self.problems = text, name, problems
        self.bounds: dict[str, tuple[str, tuple[Span, ...]]] = {}
        self.lines: dict[str, list[_Line]] = {kind: [] for kind in "EAR*"}
        self.seen: dict[str, int] = {}
        self.verbatim: list[str] = []
        self.unplaced = 0
        self._even: tuple[str, IntArray] | None = None

    def wrong(self, line: int, code: str, found: str, expected: str, hint: str = "") -> None:
        """Note a problem."""
        self.problems.add(code, self.name, line, found, expected, hint)

    def document(self, id: str | None, ann: str) -> Document:
        """The document; where there were problems it is not to be used."""
        for number, line in enumerate(ann.removeprefix("\ufeff").split("\n"), 1):
            line = line.rstrip("\r")
            if line and not line.isspace():
                self._take(number, line)
        return self._linked(id)

    def _take(self, number: int, line: str) -> None:
        kind = line[0]
        if kind == "#":
            self.verbatim.append(line)
            return
        name, _, body = line.partition("\t")
        shape = _SHAPES.get(kind, _ANY)
        if kind == "N" and len(body.split()) > 2:
            self.verbatim.append(line)
            return
        if kind == "N" or not (name == "*" or _ID.fullmatch(name)):
            self.wrong(number, "K602", shown(line), shape)
            return
        if name in self.seen:
            found = f"the id {shown(name)}, also on line {self.seen[name]}"
            self.wrong(number, "K603", found, "an id of its own for each annotation")
            return
        if name != "*":
            self.seen[name] = number
        if kind == "T":
            self._bound(number, name, body, line)
            return
        body = body.strip()
        words = tuple(body.split(None, 2)) if kind in "AM" else tuple(body.split())
        if "\t" in body or len(words) < (1 if kind == "E" else 2):
            self.wrong(number, "K602", shown(line), shape)
            return
        self.lines["A" if kind == "M" else kind].append(_Line(number, name, words, line))

    def _bound(self, number: int, name: str, body: str, line: str) -> None:
        place, tab, told = body.partition("\t")
        match = _BOUND.fullmatch(place)
        if match is None or not tab:
            self.wrong(number, "K602", shown(line), _SHAPES["T"])
            return
        numbers = [int(n) for n in match[2].replace(";", " ").split(" ")]
        spans = tuple(zip(numbers[::2], numbers[1::2], strict=True))
        # Known from here on, so that whoever names it is not wrong, too.
        self.bounds[name] = (match[1], spans)
        try:
            tidied = tidy(spans)
        except UsageError as error:
            expected = "spans that are not empty and do not overlap"
            self.wrong(number, "K605", f"{name}: {error}", expected)
            return
        if tidied[-1][1] > len(self.text):
            found = f"{name} ending at {tidied[-1][1]}"
            expected = f"an end within the {len(self.text)} characters of the text"
            self.wrong(number, "K605", found, expected, "offsets count Unicode characters")
        elif not self._agrees(spans, told):
            first, last = spans[0]
            found = f"{name} with the text {shown(told)}"
            expected = f"{shown(self.text[first : min(last, first + 61)])}, the text at {first}"
            self.wrong(number, "K606", found, expected, "offsets count Unicode characters")

    def _agrees(self, spans: tuple[Span, ...], told: str) -> bool:
        """Whether the text at these spans is the one told, white space aside."""
        most = 2 * (len(told) + len(spans)) + 64
        if sum(end - start for start, end in spans) > most:
            # Long white space, or simply wrong: cutting the text here, on every line, could take
            # the square of its length. Cut it with all white space made even instead.
            if self._even is None:
                self._even = _even(self.text)
            text, moved = self._even
            spans = tuple((int(moved[start]), int(moved[end])) for start, end in spans)
            if sum(end - start for start, end in spans) > most:
                return False
        else:
            text = self.text
        return " ".join(text[start:end] for start, end in spans).split() == told.split()

    def _linked(self, id: str | None) -> Document:
        """Second pass: now all ids are known, whatever the order of the lines."""
        triggers: dict[str, str] = {}
        for line in self.lines["E"]:
            target = line.words[0].rpartition(":")[2]
            if target in self.bounds:
                triggers[line.id] = target
        targets: dict[str, dict[str, str]] = {}

        def members(line: _Line, key: str, *, roles: bool) -> tuple[tuple[str, str], ...]:
            found = []
            words = line.words if line.id[0] == "E" else line.words[1:]
            for place, word in enumerate(words):
                role, colon, target = word.rpartition(":")
                if roles and not (role and colon):
                    self.wrong(line.number, "K602", shown(line.whole), _SHAPES[line.id[0]])
                    return ()
                if not roles:
                    role, target = "", word
                elif line.id[0] == "E" and place == 0:
                    role = "trigger"
                opening = line.id[0] == "E" and place == 0
                mention = target if opening else triggers.get(target, target)
                if mention not in self.bounds:
                    self._missing(line, target, "T" if opening else "TE")
                    continue
                if mention != target:
                    targets.setdefault(key, {})[str(place)] = target
                found.append((role, mention))
            return tuple(found)

        relations = [
            Group(line.words[0].rpartition(":")[0], members(line, line.id, roles=True), line.id)
            for line in self.lines["E"]
        ]
        for line in self.lines["R"]:
            relations.append(Group(line.words[0], members(line, line.id, roles=True), line.id))
        clusters = []
        for place, line in enumerate(self.lines["*"]):
            label = "" if line.words[0] == "Equiv" else line.words[0]
            clusters.append(Group(label, members(line, f"*{place}", roles=False)))
        kept, attributes = self._attributes(triggers)
        mentions = () if self.problems.total else tuple(
            Mention.of(label, spans, attributes.get(name), None, name)
            for name, (label, spans) in self.bounds.items()
        )  # fmt: skip
        rest = {"lines": self.verbatim, "attributes": kept, "targets": targets}
        rest = {key: value for key, value in rest.items() if value}
        return Document(
            id, self.text, None, mentions, relations=tuple(relations), clusters=tuple(clusters),
            extra={"brat": rest} if rest else {},
        )  # fmt: skip

    def _missing(self, line: _Line, target: str, kinds: str) -> None:
        """Note an id that nothing has; a line that has it and is wrong itself was noted before."""
        if target in self.seen and target[0] in kinds:
            return
        which = " or ".join(kinds)
        found = f"{shown(target)} in {shown(line.whole)}"
        self.wrong(line.number, "K607", found, f"the id of a line with {which} in this file")

    def _attributes(
        self, triggers: dict[str, str]
    ) -> tuple[list[list[str]], dict[str, dict[str, str]]]:
        """Attributes go to mentions; those of an event to its trigger, if no other event has it."""
        events = Counter(triggers.values())
        relations = {line.id for line in self.lines["R"]}
        attributes: dict[str, dict[str, str]] = {}
        kept: list[list[str]] = []
        for line in self.lines["A"]:
            name, target = line.words[:2]
            value = line.words[2] if len(line.words) > 2 else "true"
            mention: str | None = target
            if target in triggers:
                mention = triggers[target] if events[triggers[target]] == 1 else None
            elif target in relations:
                mention = None
            elif target not in self.bounds:
                self._missing(line, target, "TER")
                continue
            before = attributes.get(mention, {}).get(name) if mention else None
            if before is not None and before != value:
                found = f"{shown(value)} as the {shown(name)} of {shown(target)}"
                expected = f"{shown(before)}, as it is said before"
                self.wrong(line.number, "K608", found, expected)
            elif mention is None or before is not None:
                self.verbatim.append(line.whole)
                self.unplaced += 1
            else:
                attributes.setdefault(mention, {})[name] = value
                valued = ["valued"] if len(line.words) > 2 and value == "true" else []
                kept.append([line.id, mention, name, target, *valued])
        return kept, attributes


def _even(text: str) -> tuple[str, IntArray]:
    """A text with one space for each stretch of white space, and where each position went."""
    kept: IntArray = np.ones(len(text), np.int64)
    for stretch in re.finditer(r"\s{2,}", text):
        kept[stretch.start() + 1 : stretch.end()] = 0
    places = np.concatenate([[0], np.cumsum(kept)])
    return re.sub(r"\s{2,}", " ", text), places


def rest_of(document: Document) -> tuple[list[str], list[list[str]], dict[str, dict[str, str]]]:
    """The `brat` part of a document's extra, checked: lines, attributes and targets."""
    rest: Any = document.extra.get("brat", {})
    try:
        lines, attributes = list(rest.get("lines", [])), list(rest.get("attributes", []))
        targets = {key: dict(value) for key, value in rest.get("targets", {}).items()}
        every = [*lines, *(word for words in attributes for word in [*words, ""][:5])]
        sound = all(isinstance(word, str) and "\n" not in word for word in every)
        sound &= all(isinstance(words, list) and len(words) in (4, 5) for words in attributes)
    except (AttributeError, TypeError, ValueError):
        sound = False
    if not sound:
        name = shown(document.id or "")
        raise UsageError(f"the brat part of document {name} is not one that carob made")
    return lines, attributes, targets
