"""Templates at the edge: forms with slots, and the fillers of each slot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from carob.corpus.document import Span, tidy
from carob.corpus.problems import UsageError, shown

DEEPEST = 32
"""How deep templates may stand in each other."""


@dataclass(frozen=True)
class Filler:
    """What fills a slot: a text, a place in the document, or both.

    `alternatives` are other texts or places that are equally right. An `optional` filler costs
    nothing when it is not found. `mention` is the id of the mention that the filler is.

    >>> Filler("Dr. Birnbaum", alternatives=("Joel Birnbaum",)).alternatives
    (Filler(text='Joel Birnbaum'),)
    """

    text: str | None = None
    fragments: tuple[Span, ...] = ()
    alternatives: tuple[Filler, ...] = ()
    optional: bool = False
    confidence: float | None = None
    mention: str | None = None

    def __post_init__(self) -> None:
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
            if other != Filler(other.text, other.fragments, mention=other.mention):
                raise UsageError("an alternative is a text or a place and nothing more")
            if other.mention is not None:
                raise UsageError("an alternative is a text or a place, not a mention")

    def __repr__(self) -> str:
        every = {name: getattr(self, name) for name in self.__dataclass_fields__}
        told = [f"{name}={value!r}" for name, value in every.items() if value not in (None, (), 0)]
        return f"Filler({', '.join(told)})"


@dataclass(frozen=True)
class Template:
    """A form: a label, which is its type, and slots with fillers; a filler may be a template.

    >>> Template("seminar", {"speaker": "Ann Lee", "place": Template(slots={"room": ["5", "6"]})})
    Template('seminar', speaker=Filler(text='Ann Lee'), place=Template('', room=Filler(text='5'),
    room=Filler(text='6')))
    """

    label: str = ""
    slots: Mapping[str, tuple[Filler | Template, ...]] = field(default_factory=dict)
    id: str | None = None

    def __post_init__(self) -> None:
        slots = {slot: _fillers(slot, given) for slot, given in self.slots.items()}
        object.__setattr__(self, "slots", slots)

    def __iter__(self) -> Iterator[tuple[str, Filler | Template]]:
        return ((slot, filler) for slot, fillers in self.slots.items() for filler in fillers)

    def __repr__(self) -> str:
        told = "".join(f", {slot}={filler!r}" for slot, filler in self)
        name = "" if self.id is None else f", id={self.id!r}"
        return f"Template({self.label!r}{told}{name})"


def _fillers(slot: str, given: Any) -> tuple[Filler | Template, ...]:
    several = [given] if isinstance(given, (str, Filler, Template)) else list(given)
    fillers = tuple(Filler(each) if isinstance(each, str) else each for each in several)
    for each in fillers:
        if not isinstance(each, (Filler, Template)):
            raise UsageError(
                f"slot {shown(slot)}: found {type(each).__name__}, "
                "expected a text, a Filler or a Template"
            )
    return fillers


def linked(template: Template) -> Iterator[str]:
    """The ids of the mentions that fill slots of a template, or of one that stands in it.

    >>> list(linked(Template("talk", {"speaker": Filler(mention="T1")})))
    ['T1']
    """
    for _, filler in template:
        if isinstance(filler, Template):
            yield from linked(filler)
        elif filler.mention is not None:
            yield filler.mention
