"""Readings: gold and system as another tool may read them, on one numbering of positions.

carob and other tools may find different mentions in the same tags. A reading is the mentions of
both sides. All readings of two files use the same positions, so that they can be compared: the
tokens (or characters) of all documents one after the other, and after those of each document one
more, for the line that opens it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from carob.arrays.types import BoolArray, IntArray
from carob.corpus.document import Span
from carob.corpus.problems import CarobError

GOLD, SYSTEM = "gold", "system"


class RefusalError(CarobError):
    """Why another tool would print no number for these files."""


class Spot(NamedTuple):
    """A mention: its fragments, at positions of all documents, and its label. `inside` is set if
    it does not begin and end at the borders of its tokens.
    """

    fragments: tuple[Span, ...]
    label: str
    inside: Span | None = None

    @property
    def start(self) -> int:
        """Its first position."""
        return self.fragments[0][0]

    @property
    def end(self) -> int:
        """The position after its last."""
        return self.fragments[-1][1]


class Reading(NamedTuple):
    """The mentions of both sides."""

    gold: tuple[Spot, ...]
    system: tuple[Spot, ...]

    def only(self, keep: Callable[[Spot], bool]) -> Reading:
        """The mentions that are kept.

        >>> Reading((Spot(((0, 1),), "A"),), ()).only(lambda spot: spot.label == "B")
        Reading(gold=(), system=())
        """
        return Reading(tuple(filter(keep, self.gold)), tuple(filter(keep, self.system)))

    def once(self) -> Reading:
        """Every mention once on each side."""
        return Reading(tuple(dict.fromkeys(self.gold)), tuple(dict.fromkeys(self.system)))

    def credited(self, gold: Sequence[float], system: Sequence[float]) -> Credits:
        """What each mention counts."""
        return (
            *((GOLD, spot, value) for spot, value in zip(self.gold, gold, strict=True)),
            *((SYSTEM, spot, value) for spot, value in zip(self.system, system, strict=True)),
        )


Credits = tuple[tuple[str, Spot, float], ...]
"""For each mention its side, and how much of it counts as right."""


class Counted(NamedTuple):
    """The numbers that someone prints, by name (None: no value), and what each mention counts."""

    values: Mapping[str, float | None]
    credits: Credits


class Step(NamedTuple):
    """One rule of a tool: what it says, why it differs from carob's, and what holds with it and all
    rules before it. `labels` are those whose mean or row it is about, if it is about no mention.
    """

    rule: str
    why: str
    reading: Reading
    counted: Counted
    labels: tuple[str, ...] = ()


Counting = Callable[[Reading, Mapping[str, str]], Counted]
"""How carob counts a reading: by name, the recipe of each number."""


@dataclass(eq=False)
class Tagged:
    """Tags as a file has them, one for each line that is not blank.

    `tags` are the different ones, `codes` says which of them a line has. `sequence` numbers the
    stretches between blank lines, `position` is where the token of a line is, `line` the number of
    the line. `opens` marks lines that open a document.

    >>> Tagged.of([["B-A", "O"], ["I-A"]]).position
    array([0, 1, 3])
    """

    tags: tuple[str, ...]
    codes: IntArray
    sequence: IntArray
    doc: IntArray
    position: IntArray
    line: IntArray
    opens: BoolArray

    @classmethod
    def of(cls, sentences: Sequence[Sequence[str]]) -> Tagged:
        """The tags of lists, each a document."""
        lengths = np.array([len(each) for each in sentences], np.int64)
        doc = np.repeat(np.arange(len(sentences)), lengths)
        tags, codes = numbered([tag for each in sentences for tag in each])
        none = np.zeros(len(doc), bool)
        return cls(tags, codes, doc, doc, np.arange(len(doc)) + doc, doc + 1, none)

    def __len__(self) -> int:
        return len(self.codes)

    def renamed(self, names: Sequence[str]) -> Tagged:
        """The same lines with other tags, which are given in the order of `tags`."""
        tags, codes = numbered(names)
        return replace(self, tags=tags, codes=codes[self.codes])

    def without_openings(self) -> Tagged:
        """Only the lines that hold tokens."""
        return self if not self.opens.any() else self._take(~self.opens)

    def by_document(self) -> Tagged:
        """Blank lines within a document left out."""
        return replace(self, sequence=self.doc)

    def _take(self, keep: BoolArray) -> Tagged:
        columns = ("codes", "sequence", "doc", "position", "line", "opens")
        return replace(self, **{name: getattr(self, name)[keep] for name in columns})

    @cached_property
    def lengths(self) -> IntArray:
        """How many lines each sequence has."""
        starts = np.flatnonzero(np.diff(self.sequence, prepend=-1))
        return np.diff(np.append(starts, len(self)))

    def lists(self) -> list[list[str]]:
        """The tags of each sequence, as seqeval takes them.

        >>> Tagged.of([["B-A", "O"], ["I-A"]]).lists()
        [['B-A', 'O'], ['I-A']]
        """
        every = [self.tags[code] for code in self.codes.tolist()]
        ends = np.cumsum(self.lengths).tolist()
        return [every[a:b] for a, b in zip([0, *ends], ends, strict=False)]


def numbered(names: Sequence[str]) -> tuple[tuple[str, ...], IntArray]:
    """The different names, and for each name its number.

    >>> numbered(["b", "a", "b"])
    (('b', 'a'), array([0, 1, 0]))
    """
    numbers: dict[str, int] = {}
    codes = np.array([numbers.setdefault(name, len(numbers)) for name in names], np.int64)
    return tuple(numbers), codes


@dataclass(eq=False)
class Side:
    """One side of the files. `tagged` are its tags, `meant` what carob takes each of them for, in
    the same order: O, or B-, I-, E- or S- with a label. `scheme` is how carob reads them. `made`
    says that there are no tags, and that these were made from mentions.
    """

    tagged: Tagged
    meant: tuple[str, ...]
    scheme: str
    made: bool = False
    layers: bool = False
    """Whether there are more tags than these, in further columns or levels."""

    @property
    def normal(self) -> Tagged:
        """The tags as carob takes them."""
        return self.tagged.renamed(self.meant)


@dataclass(eq=False)
class Files:
    """What a tool is given: how carob reads the files, and if they have tokens, their tags.

    `starts` are the first positions of documents; `no_tags` says why there are no tags.
    """

    ours: Reading
    counted: Counted
    starts: IntArray
    sides: tuple[Side, Side] | None = None
    in_tokens: Reading | None = None
    no_tags: str = ""

    def documents(self, reading: Reading) -> Iterator[tuple[list[Spot], list[Spot]]]:
        """The mentions of each document, gold and system, without documents that have none."""
        found: dict[int, tuple[list[Spot], list[Spot]]] = {}
        for place, spots in enumerate(reading):
            docs = np.searchsorted(self.starts, [each.start for each in spots], side="right") - 1
            for doc, spot in zip(docs.tolist(), spots, strict=True):
                found.setdefault(doc, ([], []))[place].append(spot)
        return (found[doc] for doc in sorted(found))
