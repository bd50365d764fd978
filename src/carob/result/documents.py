"""DocumentErrors: one document, what gold and every system have in it, and what became of that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from carob.corpus.document import Span

MOVED = "moved"
"""The type of a right string in the wrong slot, which only a matrix of slots counts."""


class Item(NamedTuple):
    """A mention or a filler. `texts` are what a filler and its alternatives say, empty if it says
    what stands at its place; `note` is what else is known of it, such as attributes.
    """

    label: str
    fragments: tuple[Span, ...]
    texts: tuple[str, ...] = ()
    note: str = ""


class Event(NamedTuple):
    """What became of an item of gold, of the system, or of both; -1 is none.

    `also` are further types that the error has. `counted` says whether it is among the counts of
    types, `confused` whether it is in the matrix of labels. `right_in` are the numbers of other
    systems that have this right, as far as they were compared.
    """

    type: str
    gold: int
    system: int
    also: tuple[str, ...] = ()
    counted: bool = True
    confused: bool = True
    right_in: tuple[int, ...] = ()


class Relation(NamedTuple):
    """A relation between items: its label, and each member's role and words."""

    label: str
    members: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class DocumentErrors:
    """One document. Positions are characters of `text` or, if there are `tokens`, tokens.

    Without both the words are unknown, and only the `length` is known. `gold` are its items,
    `systems` and `events` those of each system, in the same order for all documents.

    >>> item = Item("PER", ((0, 1),))
    >>> DocumentErrors("d1", None, ("Ann",), 1, (), [item], [[item]], [[Event("TP", 0, 0)]]).name
    'd1'
    """

    name: str
    text: str | None
    tokens: tuple[str, ...] | None
    length: int
    sentences: tuple[int, ...]
    gold: list[Item]
    systems: list[list[Item]]
    events: list[list[Event]]
    relations: tuple[tuple[Relation, ...], ...] = ()
    """The relations of gold, then those of each system."""
