"""Friendly objects at the edge: to build a corpus by hand, and to look at one document.

Nothing that computes uses them; a Corpus is columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from carob.corpus.problems import UsageError, shown

Span = tuple[int, int]


def tidy(fragments: tuple[Span, ...]) -> tuple[Span, ...]:
    """Fragments sorted, touching ones merged, empty and overlapping ones refused.

    >>> tidy(((4, 8), (0, 2), (2, 3)))
    ((0, 3), (4, 8))
    """
    merged: list[Span] = []
    for start, end in sorted(fragments):
        if not 0 <= start < end:
            raise UsageError(
                f"span {start}..{end} is empty or negative; ends are exclusive, "
                f"so one position at {start} is {start}..{start + 1}"
            )
        if merged and start < merged[-1][1]:
            raise UsageError(
                f"fragments {merged[-1][0]}..{merged[-1][1]} and {start}..{end} "
                "of one mention share a position"
            )
        if merged and start == merged[-1][1]:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    if not merged:
        raise UsageError("a mention needs at least one fragment")
    return tuple(merged)


def require_head_within(head: Span, fragments: tuple[Span, ...]) -> None:
    """Refuse a head that is empty, or that is not inside one fragment of its mention."""
    start, end = head
    if not any(low <= start < end <= high for low, high in fragments):
        places = ", ".join(f"{low}..{high}" for low, high in fragments)
        raise UsageError(f"the head {start}..{end} does not lie within the mention {places}")


@dataclass(frozen=True, repr=False)
class Mention:
    """A labelled place in a document: one fragment, or several (discontinuous).

    >>> Mention("PER", 0, 2)
    Mention('PER', 0, 2)
    >>> Mention.of("Life.Die", [(1, 3), (4, 5)]).fragments
    ((1, 3), (4, 5))
    """

    label: str
    start: int
    end: int
    fragments: tuple[Span, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    confidence: float | None = None
    id: str | None = None
    head: Span | None = None

    def __post_init__(self) -> None:
        fragments = tidy(self.fragments or ((self.start, self.end),))
        object.__setattr__(self, "fragments", fragments)
        object.__setattr__(self, "start", fragments[0][0])
        object.__setattr__(self, "end", fragments[-1][1])
        if self.head is not None:
            require_head_within(self.head, fragments)

    @classmethod
    def of(
        cls,
        label: str,
        fragments: list[Span] | tuple[Span, ...],
        attributes: Mapping[str, str] | None = None,
        confidence: float | None = None,
        id: str | None = None,
        head: Span | None = None,
    ) -> Mention:
        """A mention from its fragments; `head` is the span of its head word, within it.

        >>> Mention.of("PER", [(3, 5)], confidence=0.9).confidence
        0.9
        """
        tidied = tidy(tuple((int(a), int(b)) for a, b in fragments))
        return cls(
            label, tidied[0][0], tidied[-1][1], tidied, dict(attributes or {}), confidence, id, head
        )

    def __repr__(self) -> str:
        if len(self.fragments) > 1:
            head = f"Mention.of({self.label!r}, {list(self.fragments)!r}"
        else:
            head = f"Mention({self.label!r}, {self.start}, {self.end}"
        for name in ("attributes", "confidence", "id", "head"):
            value = getattr(self, name)
            if value is not None and value != {}:
                head += f", {name}={value!r}"
        return head + ")"


@dataclass(frozen=True)
class Group:
    """A relation or a cluster: a kind and members, each with a role.

    A member is the id of a mention of the same document (None: of one that is gone).

    >>> Group("lives-in", (("person", "T1"), ("place", "T2"))).roles
    ('person', 'place')
    """

    label: str
    members: tuple[tuple[str, str | None], ...]
    id: str | None = None

    @property
    def roles(self) -> tuple[str, ...]:
        """The role of each member."""
        return tuple(role for role, _ in self.members)


@dataclass(frozen=True)
class Document:
    """One text with its mentions. Positions are tokens, or characters where there is a text.

    >>> Document("d1", tokens=("Ann", "slept"), mentions=(Mention("PER", 0, 1),)).unit
    'token'
    """

    id: str | None = None
    text: str | None = None
    tokens: tuple[str, ...] | None = None
    mentions: tuple[Mention, ...] = ()
    sentences: tuple[int, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    token_spans: tuple[Span, ...] | None = None
    relations: tuple[Group, ...] = ()
    clusters: tuple[Group, ...] = ()
    templates: tuple[Template, ...] = ()
    unit: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.unit is None:
            unit = "char" if self.text is not None else "token" if self.tokens is not None else None
            object.__setattr__(self, "unit", unit)
        elif self.unit not in ("token", "char"):
            raise UsageError(f"a document's unit is token or char, not {self.unit!r}")

    @property
    def length(self) -> int:
        """How many positions there are, -1 when neither text nor tokens are known."""
        if self.unit == "char" and self.text is not None:
            return len(self.text)
        tokens = self.tokens if self.tokens is not None else self.token_spans
        return -1 if tokens is None or self.unit == "char" else len(tokens)


_PIECE = re.compile(r"\[|\](?P<label>[\w.-]*\w)?|[^\[\]\s]+")


def bracketed(text: str) -> Document:
    """A document from text with marked mentions, words apart by white space.

    >>> bracketed("[Ann Lee]PER visited [[New York]LOC Times]ORG .").mentions
    (Mention('PER', 0, 2), Mention('LOC', 3, 5), Mention('ORG', 3, 6))
    """
    tokens: list[str] = []
    opened: list[int] = []
    mentions: list[Mention] = []
    previous = ""
    for piece in _PIECE.finditer(text):
        token = piece.group()
        glued = piece.start() > 0 and not text[piece.start() - 1].isspace()
        if token == "[":
            if glued and previous != "[":
                raise UsageError(f"'[' inside a word at {piece.start()} of {shown(text)}")
            opened.append(len(tokens))
        elif token.startswith("]"):
            if piece["label"] is None or not opened:
                raise UsageError(
                    f"{shown(token)} at {piece.start()} of {shown(text)}: "
                    "a mention is written [words]LABEL"
                )
            mentions.append(Mention(piece["label"], opened.pop(), len(tokens)))
        else:
            if glued and previous.startswith("]"):
                raise UsageError(
                    f"{shown(token)} touches a mention in {shown(text)}; put a space between"
                )
            tokens.append(token)
        previous = token
    if opened:
        raise UsageError(f"a '[' is never closed in {shown(text)}")
    ordered = tuple(sorted(mentions, key=lambda m: (m.fragments, m.label)))
    return Document(tokens=tuple(tokens), mentions=ordered)


DEEPEST = 32
"""How deep templates may stand in each other."""

FILLER_KINDS = ("text", "number", "boolean")
"""What a filler may be in JSON."""


class Number(str):
    """A JSON number as it is written: `1.50` and `1.5` are different texts.

    >>> Number("1e3") + "!"
    '1e3!'
    """

    __slots__ = ()


def filler_of(value: Any) -> tuple[str, str] | None:
    """The text of a JSON value as it is written, and its kind; None if it is no single value.

    >>> filler_of(Number("1.50")), filler_of(True), filler_of("Ann"), filler_of(None)
    (('1.50', 'number'), ('true', 'boolean'), ('Ann', 'text'), None)
    """
    if isinstance(value, Number):
        return str(value), "number"
    if isinstance(value, str):
        return value, "text"
    if isinstance(value, bool):
        return ("true" if value else "false"), "boolean"
    if isinstance(value, (int, float)):
        return repr(value), "number"
    return None


@dataclass(frozen=True, repr=False)
class Filler:
    """What fills a slot: a text, a place in the document, or both.

    `alternatives` are other texts or places that are equally right. An `optional` filler costs
    nothing when it is not found. `mention` is the id of the mention that the filler is. `kind` says
    whether the text is that of a JSON number or boolean.

    >>> Filler("Dr. Birnbaum", alternatives=("Joel Birnbaum",)).alternatives
    (Filler(text='Joel Birnbaum'),)
    """

    text: str | None = None
    fragments: tuple[Span, ...] = ()
    alternatives: tuple[Filler, ...] = ()
    optional: bool = False
    confidence: float | None = None
    mention: str | None = None
    kind: str = "text"

    def __post_init__(self) -> None:
        if self.kind not in FILLER_KINDS:
            raise UsageError(f"a filler is a text, a number or a boolean, not a {self.kind}")
        if self.text is None and not self.fragments and self.mention is None:
            raise UsageError("a filler needs a text, a place or a mention")
        if self.fragments and self.mention is not None:
            raise UsageError("a filler has a place of its own or is a mention, not both")
        if self.text is not None and not self.text.strip():
            raise UsageError(f"a filler with the text {shown(self.text)} fills nothing")
        if self.fragments:
            object.__setattr__(self, "fragments", tidy(tuple(self.fragments)))
        others = tuple(Filler(o) if isinstance(o, str) else o for o in self.alternatives)
        object.__setattr__(self, "alternatives", others)
        for other in others:
            if other != Filler(other.text, other.fragments, mention=other.mention, kind=other.kind):
                raise UsageError("an alternative is a text or a place and nothing more")
            if other.mention is not None:
                raise UsageError("an alternative is a text or a place, not a mention")

    def __repr__(self) -> str:
        every = {name: getattr(self, name) for name in self.__dataclass_fields__}
        usual = (None, (), 0, "text")
        parts = [f"{name}={value!r}" for name, value in every.items() if value not in usual]
        return f"Filler({', '.join(parts)})"


@dataclass(frozen=True, repr=False)
class Template:
    """A form: a label, which is its type, and slots with fillers; a filler may be a template.

    A slot without fillers is known to be empty; `unannotated` are slots that were not looked at.

    >>> Template("seminar", {"speaker": "Ann Lee", "place": Template(slots={"room": ["5", "6"]})})
    Template('seminar', speaker=Filler(text='Ann Lee'), place=Template('', room=Filler(text='5'),
    room=Filler(text='6')))
    """

    label: str = ""
    slots: Mapping[str, tuple[Filler | Template, ...]] = field(default_factory=dict)
    id: str | None = None
    confidence: float | None = None
    unannotated: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        slots = {slot: _fillers(slot, value) for slot, value in self.slots.items()}
        object.__setattr__(self, "slots", slots)

    def __iter__(self) -> Iterator[tuple[str, Filler | Template]]:
        return ((slot, filler) for slot, fillers in self.slots.items() for filler in fillers)

    def __repr__(self) -> str:
        parts = "".join(f", {slot}={filler!r}" for slot, filler in self)
        name = "" if self.id is None else f", id={self.id!r}"
        return f"Template({self.label!r}{parts}{name})"


def _fillers(slot: str, value: Any) -> tuple[Filler | Template, ...]:
    single = (str, int, float, Filler, Template)
    several = [value] if isinstance(value, single) else list(value)
    fillers = tuple(
        each if isinstance(each, (Filler, Template)) else _filler(slot, each) for each in several
    )
    return fillers


def _filler(slot: str, value: Any) -> Filler:
    found = filler_of(value)
    if found is None:
        raise UsageError(
            f"slot {shown(slot)}: found {type(value).__name__}, "
            "expected a text, a Filler or a Template"
        )
    return Filler(found[0], kind=found[1])


def linked_mentions(template: Template) -> Iterator[str]:
    """The ids of the mentions that fill slots of a template, or of one that stands in it.

    >>> list(linked_mentions(Template("talk", {"speaker": Filler(mention="T1")})))
    ['T1']
    """
    for _, filler in template:
        if isinstance(filler, Template):
            yield from linked_mentions(filler)
        elif filler.mention is not None:
            yield filler.mention
