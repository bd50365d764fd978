"""The lines of a brat .ann file, written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from carob.corpus.document import Document, Group, Mention
from carob.corpus.problems import UsageError, shown
from carob.formats._standoff import rest_of

_BREAK = re.compile(r"[\t\n\r]")
_WORD = re.compile(r"\S+")


class _Ids:
    """Ids that begin with certain letters: those that are good stay, others are made."""

    def __init__(self, letters: str, taken: Iterable[str | None]) -> None:
        self.letter, self.good = letters[0], re.compile(rf"[{letters}][^\s:]+")
        self.taken = {name for name in taken if name}
        self.given: set[str] = set()
        self.next = 1

    def of(self, name: str | None) -> str:
        if name and name not in self.given and self.good.fullmatch(name):
            self.given.add(name)
            return name
        while (new := f"{self.letter}{self.next}") in self.taken:
            self.next += 1
        self.taken.add(new)
        return new


def annotated(document: Document) -> str:
    """The .ann file of a document."""
    return "".join(f"{line}\n" for line in _lines(document))


def _lines(document: Document) -> Iterator[str]:
    where = f"in document {shown(document.id or '')}"
    text = document.text
    if text is None:
        raise UsageError(f"brat keeps a text beside its annotations, and there is none {where}")
    lines, attributes, targets = rest_of(document)
    ids = _Ids("T", [mention.id for mention in document.mentions])
    names = [ids.of(mention.id) for mention in document.mentions]
    new = {mention.id: name for mention, name in zip(document.mentions, names, strict=True)}
    for mention, name in zip(document.mentions, names, strict=True):
        yield _bound(mention, name, text, where)
    triggers: dict[str, str] = {}
    links: list[tuple[Group, str, bool]] = []
    events = _Ids("E", [group.id for group in document.relations])
    others = _Ids("R", [group.id for group in document.relations])
    for group in document.relations:
        event = group.roles[:1] == ("trigger",) and (group.id or "")[:1] != "R"
        name = (events if event else others).of(group.id)
        links.append((group, name, event))
        if event:
            triggers[name] = _mention(group.members[0][1], new, group, where)
    clusters = [(group, f"*{place}", False) for place, group in enumerate(document.clusters)]
    for group, name, event in [*links, *clusters]:
        yield _link(group, name, event, new, triggers, targets.get(name, {}), where)
    yield from _attributes(document, names, attributes, lines, triggers, where)
    yield from lines


def _word(word: str, what: str, where: str) -> str:
    if not _WORD.fullmatch(word):
        raise UsageError(f"brat cannot hold the {what} {shown(word)} {where}")
    return word


def _bound(mention: Mention, name: str, text: str, where: str) -> str:
    spans = ";".join(f"{start} {end}" for start, end in mention.fragments)
    words = _BREAK.sub(" ", " ".join(text[start:end] for start, end in mention.fragments))
    return f"{name}\t{_word(mention.label, 'label', where)} {spans}\t{words}"


def _mention(member: object, new: dict[str | None, str], group: Group, where: str) -> str:
    if not isinstance(member, str) or member not in new:
        told = shown(group.label or group.id or "")
        raise UsageError(f"a member of {told} {where} is no mention that has an id")
    return new[member]


def _link(
    group: Group, name: str, event: bool, new: dict[str | None, str], triggers: dict[str, str],
    targets: dict[str, str], where: str,
) -> str:  # fmt: skip
    label = _word(group.label or ("Equiv" if name[0] == "*" else ""), "label", where)
    words = [] if event else [label]
    for place, (role, member) in enumerate(group.members):
        mention = _mention(member, new, group, where)
        target = targets.get(str(place), mention)
        if triggers.get(target) != mention:
            target = mention
        if event and place == 0:
            role = label
        words.append(target if name[0] == "*" else f"{_word(role, 'role', where)}:{target}")
    if not group.members:
        raise UsageError(f"brat cannot hold {shown(label)} {where}, a group without members")
    return f"{'*' if name[0] == '*' else name}\t{' '.join(words)}"


def _attributes(
    document: Document, names: list[str], known: list[list[str]], lines: list[str],
    triggers: dict[str, str], where: str,
) -> list[str]:  # fmt: skip
    ids = _Ids("AM", [*(entry[0] for entry in known), *(line.split("\t")[0] for line in lines)])
    entries = {(entry[1], entry[2]): entry for entry in known}
    order = {entry[0]: place for place, entry in enumerate(known)}
    found: list[tuple[int, str]] = []
    for mention, name in zip(document.mentions, names, strict=True):
        for attribute, value in mention.attributes.items():
            entry = entries.get((name, attribute), ["", name, attribute, name])
            target = entry[3] if triggers.get(entry[3]) == name else name
            words = [_word(attribute, "attribute", where), target]
            if value != "true" or len(entry) > 4:
                if not value or value != value.strip() or re.search(r"[\t\n]", value):
                    raise UsageError(f"brat cannot hold the value {shown(value)} {where}")
                words.append(value)
            place = order.get(entry[0], len(order))
            found.append((place, f"{ids.of(entry[0])}\t{' '.join(words)}"))
    found.sort(key=lambda each: each[0])
    return [line for _, line in found]
