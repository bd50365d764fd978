"""The tables of a corpus: every column is an array, every row a document, mention or group.

Rows that have a varying number of parts (the fragments of a mention, the sentences of a document,
the members of a group) keep them end to end in one array, with offsets: the parts of row i are
`parts[offsets[i]:offsets[i + 1]]`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from carob.arrays.types import HashArray, IntArray
from carob.corpus.document import Span
from carob.corpus.problems import UsageError

UNKNOWN = -1

ATTRIBUTES = 256
"""How many different attributes a file may have: each is a column as long as all others."""


def too_many_attributes(names: Collection[str]) -> tuple[str, str]:
    """What was found and what was expected, where there are more.

    >>> too_many_attributes({"a"})[1]
    'at most 256 of them'
    """
    return f"{len(names):,} different names of attributes", f"at most {ATTRIBUTES} of them"


def int32(values: Iterable[int] | IntArray) -> IntArray:
    """A column of whole numbers.

    >>> int32([1, 2]).dtype.name
    'int32'
    """
    if isinstance(values, np.ndarray):
        return values.astype(np.int32, copy=False)
    return np.array(list(values), np.int32)


def between(column: IntArray, value: int) -> tuple[int, int]:
    """Where the rows with this value begin and end, in a column that is sorted.

    >>> between(np.array([0, 0, 2], np.int32), 0)
    (0, 2)
    """
    # In numbers of the same kind: else NumPy makes a copy of the whole column.
    low, high = np.searchsorted(column, np.array([value, value + 1], column.dtype)).tolist()
    return low, high


def spread(offsets: IntArray, index: IntArray) -> tuple[IntArray, IntArray]:
    """Where the parts of the rows `index` are, and the offsets after taking just those rows.

    >>> spread(np.array([0, 2, 3, 6]), np.array([2, 0]))
    (array([3, 4, 5, 0, 1]), array([0, 3, 5]))
    """
    counts = np.diff(offsets)[index]
    new = np.concatenate([[0], np.cumsum(counts)])
    places = np.arange(new[-1]) + np.repeat(offsets[:-1][index] - new[:-1], counts)
    return places, new


@dataclass(frozen=True, slots=True, eq=False)
class Codes:
    """A column of words: each row points into `values`, -1 is none.

    >>> Codes.of(["b", None, "a", "b"])
    Codes(codes=array([ 1, -1,  0,  1], dtype=int32), values=('a', 'b'))
    """

    codes: IntArray
    values: tuple[str, ...]

    @classmethod
    def of(cls, words: Sequence[str | None]) -> Codes:
        """Words become codes; the values are sorted, so codes compare as the words do.

        >>> Codes.of(["x"]).values
        ('x',)
        """
        every = set(words)
        every.discard(None)
        values = tuple(sorted(cast(set[str], every)))
        place: dict[str | None, int] = dict(zip(values, range(len(values)), strict=True))
        place[None] = UNKNOWN
        codes = np.fromiter(map(place.__getitem__, words), np.int32, len(words))
        return cls(codes, values)

    def __getitem__(self, row: int) -> str | None:
        code = int(self.codes[row])
        return None if code == UNKNOWN else self.values[code]

    def take(self, index: IntArray) -> Codes:
        """The rows `index`.

        >>> Codes.of(["b", "a"]).take(np.array([1]))[0]
        'a'
        """
        return Codes(self.codes[index], self.values)

    def onto(self, values: tuple[str, ...]) -> Codes:
        """The same words on another vocabulary.

        >>> Codes.of(["b"]).onto(("a", "b")).codes
        array([1], dtype=int32)
        """
        if values == self.values:
            return self
        return self._onto(values, {word: i for i, word in enumerate(values)})

    def _onto(self, values: tuple[str, ...], place: Mapping[str, int]) -> Codes:
        table = int32([place.get(word, UNKNOWN) for word in self.values] + [UNKNOWN])
        return Codes(table[self.codes], values)


def joined_codes(columns: Sequence[Codes]) -> Codes:
    """Columns end to end, on one vocabulary.

    >>> joined_codes([Codes.of(["b"]), Codes.of(["a"])]).codes
    array([1, 0], dtype=int32)
    """
    values = tuple(sorted({value for column in columns for value in column.values}))
    place = {word: i for i, word in enumerate(values)}
    return Codes(np.concatenate([each._onto(values, place).codes for each in columns]), values)


def _joined_attributes(
    tables: Sequence[Mapping[str, Codes]], sizes: Sequence[int]
) -> dict[str, Codes]:
    names = sorted({name for table in tables for name in table})
    nothing = [Codes(np.full(size, UNKNOWN, np.int32), ()) for size in sizes]
    return {
        name: joined_codes([t.get(name, none) for t, none in zip(tables, nothing, strict=True)])
        for name in names
    }


def _joined_offsets(offsets: Sequence[IntArray]) -> IntArray:
    counts = np.concatenate([np.diff(each) for each in offsets])
    return np.concatenate([[0], np.cumsum(counts)])


@dataclass(frozen=True, slots=True, eq=False)
class Fragments:
    """The fragments of all mentions, for corpora where some mention has more than one."""

    offsets: IntArray
    start: IntArray
    end: IntArray

    def take(self, index: IntArray) -> Fragments:
        """The fragments of the mentions `index`."""
        places, offsets = spread(self.offsets, index)
        return Fragments(offsets, self.start[places], self.end[places])

    def of(self, row: int) -> tuple[Span, ...]:
        """The fragments of one mention."""
        part = slice(int(self.offsets[row]), int(self.offsets[row + 1]))
        return tuple(zip(self.start[part].tolist(), self.end[part].tolist(), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Mentions:
    """Mentions as columns. `start` and `end` are the extent; `fragments` is there when needed.

    `place` says where in its file a mention stood among those of its document; None: the file
    had them in document order.
    """

    doc: IntArray
    start: IntArray
    end: IntArray
    label: IntArray
    fragments: Fragments | None = None
    attributes: Mapping[str, Codes] = field(default_factory=dict)
    confidence: np.ndarray[Any, np.dtype[np.float64]] | None = None
    id: tuple[str | None, ...] | None = None
    place: IntArray | None = None

    def __len__(self) -> int:
        return len(self.doc)

    @property
    def discontinuous(self) -> IntArray:
        """The rows of mentions that have more than one fragment."""
        if self.fragments is None:
            return np.empty(0, np.int64)
        return np.flatnonzero(np.diff(self.fragments.offsets) > 1)

    @property
    def first_end(self) -> IntArray:
        """Where the first fragment of each mention ends."""
        if self.fragments is None:
            return self.end
        return self.fragments.end[self.fragments.offsets[:-1]]

    @property
    def is_flat(self) -> bool:
        """Whether the mentions come one after the other: none overlaps, none has gaps."""
        if self.fragments is not None:
            return False
        apart = (self.start[1:] >= self.end[:-1]) & (self.doc[1:] == self.doc[:-1])
        apart |= self.doc[1:] > self.doc[:-1]
        return bool(apart.all())

    def pieces(self) -> Fragments:
        """The fragments of all mentions, also where every mention has just one."""
        if self.fragments is not None:
            return self.fragments
        return Fragments(np.arange(len(self) + 1), self.start, self.end)

    def fragments_of(self, row: int) -> tuple[Span, ...]:
        """The fragments of one mention."""
        if self.fragments is None:
            return ((int(self.start[row]), int(self.end[row])),)
        return self.fragments.of(row)

    def take(self, index: IntArray) -> Mentions:
        """The rows `index`, in that order."""
        fragments = None
        if self.fragments is not None:
            fragments = self.fragments.take(index)
            if len(fragments.start) == len(index):
                fragments = None
        return Mentions(
            self.doc[index],
            self.start[index],
            self.end[index],
            self.label[index],
            fragments,
            {name: column.take(index) for name, column in self.attributes.items()},
            None if self.confidence is None else self.confidence[index],
            None if self.id is None else tuple(self.id[i] for i in index.tolist()),
            None if self.place is None else self.place[index],
        )

    @classmethod
    def joined(cls, tables: Sequence[Mentions]) -> Mentions:
        """Tables end to end; document numbers and labels must already agree."""
        sizes = [len(table) for table in tables]
        fragments = None
        if any(table.fragments is not None for table in tables):
            pieces = [table.pieces() for table in tables]
            fragments = Fragments(
                _joined_offsets([piece.offsets for piece in pieces]),
                np.concatenate([piece.start for piece in pieces]),
                np.concatenate([piece.end for piece in pieces]),
            )
        confidence = None
        if any(table.confidence is not None for table in tables):
            confidence = np.concatenate(
                [np.full(len(t), np.nan) if t.confidence is None else t.confidence for t in tables]
            )
        ids = None
        if any(table.id is not None for table in tables):
            ids = tuple(i for t in tables for i in (t.id or (None,) * len(t)))
        place = None
        if any(table.place is not None for table in tables):
            place = np.concatenate(
                [np.arange(len(t), dtype=np.int32) if t.place is None else t.place for t in tables]
            )
        return cls(
            np.concatenate([table.doc for table in tables]),
            np.concatenate([table.start for table in tables]),
            np.concatenate([table.end for table in tables]),
            np.concatenate([table.label for table in tables]),
            fragments,
            _joined_attributes([table.attributes for table in tables], sizes),
            confidence,
            ids,
            place,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """Documents as columns.

    `length` counts positions (-1: unknown), `hash` is of the tokens or the text (0: unknown),
    `line` and `offset` say where in its file a document begins.
    """

    length: IntArray
    hash: HashArray
    sentence_offsets: IntArray
    sentence_start: IntArray
    line: IntArray
    offset: IntArray
    id: tuple[str, ...] | None = None
    attributes: Mapping[str, Codes] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.length)

    def name(self, row: int) -> str:
        """What messages call this document: its id, or its place."""
        return str(row + 1) if self.id is None else self.id[row]

    def sentences(self, row: int) -> tuple[int, ...]:
        """Where the sentences of one document start."""
        part = slice(int(self.sentence_offsets[row]), int(self.sentence_offsets[row + 1]))
        return tuple(self.sentence_start[part].tolist())

    def take(self, index: IntArray) -> Documents:
        """The rows `index`, in that order."""
        places, offsets = spread(self.sentence_offsets, index)
        return Documents(
            self.length[index],
            self.hash[index],
            offsets,
            self.sentence_start[places],
            self.line[index],
            self.offset[index],
            None if self.id is None else tuple(self.id[i] for i in index.tolist()),
            {name: column.take(index) for name, column in self.attributes.items()},
        )

    @classmethod
    def joined(cls, tables: Sequence[Documents]) -> Documents:
        """Tables end to end."""
        ids = None
        if any(table.id is not None for table in tables):
            ids = tuple(name for table in tables for name in (table.id or ()))
            if len(ids) != sum(len(table) for table in tables):
                raise UsageError("some documents have no id, but others have")
        return cls(
            np.concatenate([table.length for table in tables]),
            np.concatenate([table.hash for table in tables]),
            _joined_offsets([table.sentence_offsets for table in tables]),
            np.concatenate([table.sentence_start for table in tables]),
            np.concatenate([table.line for table in tables]),
            np.concatenate([table.offset for table in tables]),
            ids,
            _joined_attributes([t.attributes for t in tables], [len(t) for t in tables]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Relations or clusters as columns: a row is a group, its parts are members.

    A member has a role (-1: none) and is a mention (its row); one that points nowhere lost its
    mention.
    """

    doc: IntArray
    label: Codes
    offsets: IntArray
    role: Codes
    mention: IntArray
    id: tuple[str | None, ...] = ()

    def __len__(self) -> int:
        return len(self.doc)

    @classmethod
    def none(cls) -> Groups:
        """A table without rows."""
        nothing = np.empty(0, np.int32)
        return cls(nothing, Codes(nothing, ()), np.zeros(1, np.int64), Codes(nothing, ()), nothing)

    def take(self, index: IntArray) -> Groups:
        """The rows `index`, in that order."""
        places, offsets = spread(self.offsets, index)
        rows = index.tolist()
        return Groups(
            self.doc[index],
            self.label.take(index),
            offsets,
            self.role.take(places),
            self.mention[places],
            tuple(self.id[i] for i in rows),
        )

    @classmethod
    def joined(cls, tables: Sequence[Groups]) -> Groups:
        """Tables end to end; document numbers and mention rows must already agree."""
        return cls(
            np.concatenate([table.doc for table in tables]),
            joined_codes([table.label for table in tables]),
            _joined_offsets([table.offsets for table in tables]),
            joined_codes([table.role for table in tables]),
            np.concatenate([table.mention for table in tables]),
            tuple(name for table in tables for name in table.id),
        )
