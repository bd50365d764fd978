"""Templates as columns: a row is a template or a filler, at any depth of nesting.

A template that fills a slot of another has a `parent`. A filler has one or more realisations (the
first is its own, the others are alternatives): `realisations` are the offsets of those of each
filler, and every realisation has a text (-1: none) and fragments (none: no place is known).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.corpus.problems import UsageError, shown
from carob.corpus.tables import UNKNOWN, Codes, Fragments, between, int32, joined_codes, spread
from carob.corpus.template import DEEPEST, Filler, Template


@dataclass(frozen=True, slots=True, eq=False)
class Fillers:
    """The fillers of all templates. `place` is where one stood in its template."""

    template: IntArray
    slot: Codes
    optional: BoolArray
    confidence: FloatArray
    mention: IntArray
    place: IntArray
    realisations: IntArray
    text: Codes
    fragments: Fragments

    def __len__(self) -> int:
        return len(self.template)

    @property
    def filler(self) -> IntArray:
        """The filler that each realisation belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.realisations))

    def of(self, row: int, ids: Sequence[str | None] | None) -> Filler:
        """One filler, as a friendly object."""
        first, last = self.realisations[row : row + 2].tolist()
        forms = [Filler(self.text[i], self.fragments.of(i)) for i in range(first, last)]
        confidence = float(self.confidence[row])
        linked = int(self.mention[row])
        name = ids[linked] if ids is not None and linked != UNKNOWN else None
        return Filler(
            forms[0].text,
            () if name is not None else forms[0].fragments,
            tuple(forms[1:]),
            bool(self.optional[row]),
            None if np.isnan(confidence) else confidence,
            name,
        )

    def take(self, index: IntArray) -> Fillers:
        """The rows `index`; the templates they belong to keep their numbers."""
        places, offsets = spread(self.realisations, index)
        return Fillers(
            self.template[index], self.slot.take(index), self.optional[index],
            self.confidence[index], self.mention[index], self.place[index], offsets,
            self.text.take(places), self.fragments.take(places),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Templates:
    """All templates, parents before those that stand in them, documents in order."""

    doc: IntArray
    label: Codes
    parent: IntArray
    slot: Codes
    place: IntArray
    id: tuple[str | None, ...]
    fillers: Fillers

    def __len__(self) -> int:
        return len(self.doc)

    @classmethod
    @cache
    def none(cls) -> Templates:
        """A table without rows; there is one for all."""
        return cls.of([], [])

    @classmethod
    def of(
        cls,
        documents: Sequence[Sequence[Template]],
        mentions: Sequence[Mapping[str, tuple[int, tuple[tuple[int, int], ...]]]],
    ) -> Templates:
        """The templates of each document; `mentions` gives the row and fragments of each id."""
        rows: list[tuple[int, Template, int, str | None, int]] = []
        fillers: list[tuple[int, str, Filler, int, int]] = []
        forms: list[tuple[str | None, tuple[tuple[int, int], ...]]] = []
        for doc, templates in enumerate(documents):
            for template, parent, slot, place in _walk(templates, len(rows)):
                row = len(rows)
                rows.append((doc, template, parent, slot, place))
                for at, (name, filler) in enumerate(template):
                    if isinstance(filler, Filler):
                        linked, own = _linked(filler, mentions[doc])
                        fillers.append((row, name, filler, at, linked))
                        forms.append((filler.text, own))
                        forms += [(other.text, other.fragments) for other in filler.alternatives]
        sizes = [1 + len(filler.alternatives) for _, _, filler, _, _ in fillers]
        return cls(
            int32([doc for doc, _, _, _, _ in rows]),
            Codes.of([template.label or None for _, template, _, _, _ in rows]),
            int32([parent for _, _, parent, _, _ in rows]),
            Codes.of([slot for _, _, _, slot, _ in rows]),
            int32([place for _, _, _, _, place in rows]),
            tuple(template.id for _, template, _, _, _ in rows),
            Fillers(
                int32([row for row, _, _, _, _ in fillers]),
                Codes.of([name for _, name, _, _, _ in fillers]),
                np.array([filler.optional for _, _, filler, _, _ in fillers], bool),
                np.array(
                    [np.nan if f.confidence is None else f.confidence for _, _, f, _, _ in fillers],
                    np.float64,
                ),
                int32([linked for _, _, _, _, linked in fillers]),
                int32([at for _, _, _, at, _ in fillers]),
                np.cumsum([0, *sizes]),
                Codes.of([text for text, _ in forms]),
                Fragments(
                    np.cumsum([0, *(len(spans) for _, spans in forms)]),
                    int32([start for _, spans in forms for start, _ in spans]),
                    int32([end for _, spans in forms for _, end in spans]),
                ),
            ),
        )

    def of_document(self, doc: int, ids: Sequence[str | None] | None) -> tuple[Template, ...]:
        """The templates of one document, as friendly objects."""
        low, high = between(self.doc, doc)
        first, last = (between(self.fillers.template, row)[0] for row in (low, high))
        parts: dict[int, list[tuple[int, str, Filler | Template]]] = {}
        for k in range(first, last):
            parts.setdefault(int(self.fillers.template[k]), []).append(
                (int(self.fillers.place[k]), self.fillers.slot[k] or "", self.fillers.of(k, ids))
            )
        tops: list[Template] = []
        for row in range(high - 1, low - 1, -1):
            slots: dict[str, list[Filler | Template]] = {}
            for _, slot, filler in sorted(parts.pop(row, []), key=lambda part: part[0]):
                slots.setdefault(slot, []).append(filler)
            made = Template(
                self.label[row] or "", {s: tuple(f) for s, f in slots.items()}, self.id[row]
            )
            parent = int(self.parent[row])
            if parent == UNKNOWN:
                tops.append(made)
            else:
                parts.setdefault(parent, []).append(
                    (int(self.place[row]), self.slot[row] or "", made)
                )
        return tuple(reversed(tops))

    def ends(self) -> tuple[IntArray, IntArray]:
        """The document of every filler that has a place, and the last position it ends at.

        Alternatives count: a filler ends where the last of its realisations does.
        """
        places = self.fillers.fragments
        filler = np.repeat(self.fillers.filler, np.diff(places.offsets))
        end = np.full(len(self.fillers), UNKNOWN, np.int64)
        np.maximum.at(end, filler, places.end)
        placed = np.flatnonzero(end != UNKNOWN)
        return self.doc[self.fillers.template[placed]], end[placed]

    def linked_to(self, moved: IntArray) -> Templates:
        """The same templates where mentions have new rows."""
        if not len(self.fillers):
            return self
        return replace(self, fillers=replace(self.fillers, mention=moved[self.fillers.mention]))

    def take(self, docs: IntArray) -> Templates:
        """The templates of the documents `docs`, which are numbered anew from 0.

        The links of fillers to mentions are left as they are.
        """
        rows, offsets = spread(np.searchsorted(self.doc, np.arange(docs.max(initial=-1) + 2)), docs)
        own = np.searchsorted(self.fillers.template, np.arange(len(self) + 1))
        places, counts = spread(own, rows)
        new = np.full(len(self) + 1, UNKNOWN, np.int32)
        new[rows] = np.arange(len(rows))
        fillers = self.fillers.take(places)
        return Templates(
            int32(np.repeat(np.arange(len(docs)), np.diff(offsets))),
            self.label.take(rows), new[self.parent[rows]], self.slot.take(rows),
            self.place[rows], tuple(self.id[i] for i in rows.tolist()),
            replace(fillers, template=int32(np.repeat(np.arange(len(rows)), np.diff(counts)))),
        )  # fmt: skip

    @classmethod
    def joined(cls, tables: Sequence[Templates]) -> Templates:
        """Tables end to end; document numbers and mention rows must already agree."""
        first = np.cumsum([0] + [len(table) for table in tables]).tolist()
        parts = [table.fillers for table in tables]

        def moved(columns: Sequence[IntArray]) -> IntArray:
            pairs = zip(columns, first, strict=False)
            return np.concatenate([int32(np.where(c < 0, UNKNOWN, c + by)) for c, by in pairs])

        def offsets(columns: Sequence[IntArray]) -> IntArray:
            return np.cumsum(np.concatenate([[0], *(np.diff(column) for column in columns)]))

        return cls(
            np.concatenate([table.doc for table in tables]),
            joined_codes([table.label for table in tables]),
            moved([table.parent for table in tables]),
            joined_codes([table.slot for table in tables]),
            np.concatenate([table.place for table in tables]),
            tuple(name for table in tables for name in table.id),
            Fillers(
                moved([part.template for part in parts]),
                joined_codes([part.slot for part in parts]),
                np.concatenate([part.optional for part in parts]),
                np.concatenate([part.confidence for part in parts]),
                np.concatenate([part.mention for part in parts]),
                np.concatenate([part.place for part in parts]),
                offsets([part.realisations for part in parts]),
                joined_codes([part.text for part in parts]),
                Fragments(
                    offsets([part.fragments.offsets for part in parts]),
                    np.concatenate([part.fragments.start for part in parts]),
                    np.concatenate([part.fragments.end for part in parts]),
                ),
            ),
        )  # fmt: skip


def _walk(
    templates: Sequence[Template], first: int
) -> Iterator[tuple[Template, int, str | None, int]]:
    """Templates with the row of their parent, their slot there and their place in it.

    Depth first, so a parent comes before what stands in it.
    """
    waiting: list[tuple[Template, int, str | None, int, int]] = []
    waiting += [(top, UNKNOWN, None, at, 1) for at, top in enumerate(templates)][::-1]
    row = first
    while waiting:
        template, parent, slot, place, depth = waiting.pop()
        if depth > DEEPEST:
            raise UsageError(f"templates stand in each other more than {DEEPEST} deep")
        yield template, parent, slot, place
        inner = [(filler, row, name, at, depth + 1) for at, (name, filler) in enumerate(template)
                 if isinstance(filler, Template)]  # fmt: skip
        waiting += inner[::-1]
        row += 1


def _linked(
    filler: Filler, mentions: Mapping[str, tuple[int, tuple[tuple[int, int], ...]]]
) -> tuple[int, tuple[tuple[int, int], ...]]:
    """The row of the mention that a filler is (-1: none), and its own fragments."""
    if filler.mention is None:
        return UNKNOWN, filler.fragments
    if filler.mention not in mentions:
        raise UsageError(f"a filler names the mention {shown(filler.mention)}, which is not there")
    return mentions[filler.mention]
