"""The tables of a corpus: a column is an array, a row is a document, mention, group or template.

Rows that have a varying number of parts (the fragments of a mention, the sentences of a document,
the members of a group) keep them end to end in one array, with offsets: the parts of row i are
`parts[offsets[i]:offsets[i + 1]]`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from carob.arrays.columns import constant, end_to_end, numbering
from carob.arrays.ranges import rows_of
from carob.arrays.types import BoolArray, FloatArray, HashArray, IntArray
from carob.corpus.document import DEEPEST, FILLER_KINDS, Filler, Span, Template
from carob.corpus.problems import UsageError, shown

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

UNKNOWN = -1

UNPLACED = "unplaced"
"""The attribute of a mention without positions, which is at 0..0: the string that was answered."""

MOSTLY = 0.7
"""If this share of some words is different, nothing is gained by numbering all of them."""

ATTRIBUTES = 256
"""How many different attributes a file may have: each is a column as long as all others."""

MentionRows = Mapping[str, tuple[int, tuple[Span, ...]]]
"""The row and the fragments of each mention of a document, by its id."""

_Table = TypeVar("_Table", bound="DataclassInstance")


def too_many_attributes(names: Collection[str]) -> tuple[str, str]:
    """What was found and what was expected, if there are more."""
    return f"{len(names):,} different names of attributes", f"at most {ATTRIBUTES} of them"


def int32(values: Iterable[int] | IntArray) -> IntArray:
    """A column of whole numbers."""
    if isinstance(values, np.ndarray):
        return values.astype(np.int32, copy=False)
    return np.array(values if isinstance(values, (list, tuple)) else list(values), np.int32)


def between(column: IntArray, value: int) -> tuple[int, int]:
    """Where the rows with this value begin and end, in a column that is sorted.

    >>> between(np.array([0, 0, 2], np.int32), 0)
    (0, 2)
    """
    # In numbers of the same kind: otherwise NumPy makes a copy of the whole column.
    low, high = np.searchsorted(column, np.array([value, value + 1], column.dtype)).tolist()
    return low, high


def spread(offsets: IntArray, index: IntArray) -> tuple[IntArray, IntArray]:
    """Where the parts of the rows `index` are, and the offsets after taking just those rows.

    >>> spread(np.array([0, 2, 3, 6]), np.array([2, 0]))
    (array([3, 4, 5, 0, 1]), array([0, 3, 5]))
    """
    counts = np.diff(offsets)[index]
    if (counts == 1).all():  # most rows have one part
        return offsets[:-1][index], np.arange(len(index) + 1)
    new = np.concatenate([[0], np.cumsum(counts)])
    return rows_of(offsets[:-1][index], counts), new


@dataclass(slots=True, eq=False)
class Codes:
    """A column of words: each row points into `values`, -1 is none.

    >>> Codes.of(["b", None, "a", "b"])
    Codes(codes=array([ 1, -1,  0,  1], dtype=int32), values=('a', 'b'), in_order=True)

    `in_order` says that the values are sorted and different, so that codes compare as the words do.
    Otherwise a word may occur several times among them.
    """

    codes: IntArray
    values: tuple[str, ...]
    in_order: bool = True

    @classmethod
    def of(cls, words: Sequence[str | None]) -> Codes:
        """Words become codes; the values are sorted, so codes compare as the words do."""
        every = set(words)
        every.discard(None)
        values = tuple(sorted(cast(set[str], every)))
        place: dict[str | None, int] = dict(zip(values, range(len(values)), strict=True))
        place[None] = UNKNOWN
        codes = np.fromiter(map(place.__getitem__, words), np.int32, len(words))
        return cls(codes, values)

    @classmethod
    def numbered(cls, words: Sequence[str | None]) -> Codes:
        """Words become codes in the order in which they come first, which is faster than sorting.
        If hardly any word repeats, they are not even looked up.

        >>> Codes.numbered(["b", None, "a", "b"]).values
        ('b', 'a')
        """
        some = words[::8]
        if len(set(some)) > MOSTLY * len(some) and None not in words:
            return cls(np.arange(len(words), dtype=np.int32), tuple(words), in_order=False)  # type: ignore[arg-type]
        place = numbering()
        if None in words:
            place[None] = UNKNOWN
        codes = np.fromiter(map(place.__getitem__, words), np.int32, len(words))
        place.pop(None, None)
        return cls(codes, cast(tuple[str, ...], tuple(place)), in_order=False)

    def __getitem__(self, row: int) -> str | None:
        code = int(self.codes[row])
        return None if code == UNKNOWN else self.values[code]

    def sorted(self) -> Codes:
        """The same words, on values that are sorted.

        >>> Codes.numbered(["b", "a"]).sorted()
        Codes(codes=array([1, 0], dtype=int32), values=('a', 'b'), in_order=True)
        """
        if self.in_order:
            return self
        values = tuple(sorted(set(self.values)))
        return self._placed(dict(zip(values, range(len(values)), strict=True)), values)

    def renamed(self, names: Mapping[str, str]) -> Codes:
        """The same column with other words; several may become one.

        >>> Codes.of(["b", None, "a"]).renamed({"b": "a"})
        Codes(codes=array([ 0, -1,  0], dtype=int32), values=('a',), in_order=True)
        """
        words = tuple(names.get(word, word) for word in self.values)
        return Codes(self.codes, words, in_order=False).sorted()

    def take(self, index: IntArray) -> Codes:
        """The rows `index`."""
        return Codes(self.codes[index], self.values, self.in_order)

    def onto(self, values: tuple[str, ...]) -> Codes:
        """The same words on another vocabulary.

        >>> Codes.of(["b"]).onto(("a", "b")).codes
        array([1], dtype=int32)
        """
        if values == self.values:
            return self
        return self._placed(dict(zip(values, range(len(values)), strict=True)), values)

    def _placed(self, place: Mapping[str, int], values: tuple[str, ...]) -> Codes:
        table = int32([place.get(word, UNKNOWN) for word in self.values] + [UNKNOWN])
        return Codes(table[self.codes], values)


def joined_codes(columns: Sequence[Codes]) -> Codes:
    """Columns end to end, on one vocabulary.

    >>> joined_codes([Codes.of(["b"]), Codes.of(["a"])]).codes
    array([1, 0], dtype=int32)
    """
    # One table of places for all columns: otherwise many small columns take quadratic time.
    if all(column.in_order for column in columns):
        values = tuple(sorted({value for column in columns for value in column.values}))
        place = dict(zip(values, range(len(values)), strict=True))
        return Codes(np.concatenate([c._placed(place, values).codes for c in columns]), values)
    if _mostly_repeats(columns):
        number = numbering()
        tables = [np.fromiter(map(number.__getitem__, c.values), np.int32, len(c.values))
                  for c in columns]  # fmt: skip
        every = [np.append(table, np.int32(UNKNOWN))[column.codes]
                 for table, column in zip(tables, columns, strict=True)]  # fmt: skip
        return Codes(np.concatenate(every), tuple(number), in_order=False)
    first = np.cumsum([0, *(len(column.values) for column in columns)]).tolist()
    codes = _join_moved([column.codes for column in columns], first)
    return Codes(codes, tuple(chain.from_iterable(c.values for c in columns)), in_order=False)


def _mostly_repeats(columns: Sequence[Codes]) -> bool:
    """Whether most words of the last column are in the first, too. If not, looking all words up
    would take longer than everything else that is done with them, and save little memory.
    """
    last = columns[-1].values
    return len(columns) > 1 and 2 * len(set(columns[0].values).intersection(last)) > len(last)


def _take(column: Any, index: IntArray) -> Any:
    """The rows `index` of a column of any kind."""
    if isinstance(column, np.ndarray):
        return column[index]
    if isinstance(column, tuple):
        return tuple(map(column.__getitem__, index.tolist()))
    if isinstance(column, Mapping):
        return {name: _take(each, index) for name, each in column.items()}
    return None if column is None else column.take(index)


def _join(columns: Sequence[Any]) -> Any:
    """Columns of one kind end to end."""
    if isinstance(columns[0], Codes):
        return joined_codes(columns)
    if isinstance(columns[0], tuple):
        return tuple(chain.from_iterable(columns))
    return end_to_end(columns)


def _take_rows(table: _Table, index: IntArray, **others: Any) -> _Table:
    """The rows `index` of a table; `others` are the columns that are not simply taken."""
    names = [each.name for each in fields(table) if each.init and each.name not in others]
    taken = {name: _take(getattr(table, name), index) for name in names}
    return type(table)(**taken, **others)


def _join_rows(tables: Sequence[_Table], **others: Any) -> _Table:
    """Tables end to end; `others` are the columns that are not simply joined."""
    names = [each.name for each in fields(tables[0]) if each.init and each.name not in others]
    joined = {name: _join([getattr(table, name) for table in tables]) for name in names}
    return type(tables[0])(**joined, **others)


def _join_optional(tables: Sequence[Any], name: str, absent: Callable[[Any], Any]) -> Any | None:
    """A column that some tables lack (then it is `absent`), or all of them (then it is None)."""
    columns = [getattr(table, name) for table in tables]
    if all(column is None for column in columns):
        return None
    pairs = zip(columns, tables, strict=True)
    return _join([absent(table) if column is None else column for column, table in pairs])


def _join_attributes(tables: Sequence[Any]) -> dict[str, Codes]:
    names = sorted({name for table in tables for name in table.attributes})
    absent = [Codes(np.full(len(table), UNKNOWN, np.int32), ()) for table in tables]
    return {
        name: joined_codes([t.attributes.get(name, a) for t, a in zip(tables, absent, strict=True)])
        for name in names
    }


def _join_offsets(offsets: Sequence[IntArray]) -> IntArray:
    size = sum(len(each) - 1 for each in offsets) + 1
    total = sum(int(each[-1]) - int(each[0]) for each in offsets)
    if not total:
        zeros: IntArray = constant(0, size, np.int64)
        return zeros
    kind = np.result_type(*offsets)
    return np.cumsum(np.concatenate([np.zeros(1, kind), *map(np.diff, offsets)]), dtype=kind)


def _join_moved(columns: Sequence[IntArray], first: Sequence[int]) -> IntArray:
    """Columns of row numbers end to end, each column `first` rows further on; -1 stays."""
    if all(len(c) == 0 or (c.strides == (0,) and c[0] == UNKNOWN) for c in columns):
        nothing: IntArray = constant(UNKNOWN, sum(map(len, columns)), np.int32)
        return nothing
    pairs = zip(columns, first, strict=False)
    return np.concatenate([int32(np.where(c < 0, UNKNOWN, c + by)) for c, by in pairs])


@dataclass(slots=True, eq=False)
class Fragments:
    """The fragments of all rows of another table."""

    offsets: IntArray
    start: IntArray
    end: IntArray

    def take(self, index: IntArray) -> Fragments:
        """The fragments of the rows `index`."""
        places, offsets = spread(self.offsets, index)
        return Fragments(offsets, self.start[places], self.end[places])

    def of(self, row: int) -> tuple[Span, ...]:
        """The fragments of one row."""
        part = slice(int(self.offsets[row]), int(self.offsets[row + 1]))
        return tuple(zip(self.start[part].tolist(), self.end[part].tolist(), strict=True))

    @classmethod
    def of_spans(cls, rows: Sequence[Sequence[Span]]) -> Fragments:
        """The table of these fragments, a list of spans for each row."""
        return cls(
            np.cumsum([0, *map(len, rows)]),
            int32([start for spans in rows for start, _ in spans]),
            int32([end for spans in rows for _, end in spans]),
        )

    @classmethod
    def joined(cls, tables: Sequence[Fragments]) -> Fragments:
        """Tables end to end."""
        return _join_rows(tables, offsets=_join_offsets([table.offsets for table in tables]))


@dataclass(slots=True, eq=False)
class Mentions:
    """Mentions as columns. `start` and `end` are the extent; `fragments` is None if no mention has
    more than one.

    `place` says where in its file a mention stood among those of its document; None: the file
    had them in document order. `head` is the span of the head word of each mention (rows x 2, -1:
    not known); None if no mention has one.
    """

    doc: IntArray
    start: IntArray
    end: IntArray
    label: IntArray
    fragments: Fragments | None = None
    attributes: Mapping[str, Codes] = field(default_factory=dict)
    confidence: FloatArray | None = None
    id: tuple[str | None, ...] | None = None
    place: IntArray | None = None
    head: IntArray | None = None

    def __len__(self) -> int:
        return len(self.doc)

    @property
    def discontinuous(self) -> IntArray:
        """The rows of mentions that have more than one fragment."""
        if self.fragments is None:
            return np.empty(0, np.int64)
        return np.flatnonzero(np.diff(self.fragments.offsets) > 1)

    @property
    def unplaced(self) -> IntArray:
        """The rows of mentions without positions: strings that are not located in their text."""
        return np.flatnonzero(self.end == 0)

    def unplaced_string(self, row: int) -> str | None:
        """The string of a mention without positions; None if the mention has positions."""
        return self.attributes[UNPLACED][row] if self.end[row] == 0 else None

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
        """The fragments of all mentions, even if every mention has just one."""
        if self.fragments is not None:
            return self.fragments
        return Fragments(np.arange(len(self) + 1), self.start, self.end)

    def fragments_of(self, row: int) -> tuple[Span, ...]:
        """The fragments of one mention."""
        if self.fragments is None:
            return ((int(self.start[row]), int(self.end[row])),)
        return self.fragments.of(row)

    def head_of(self, row: int) -> Span | None:
        """The head of one mention, if it is known."""
        if self.head is None or self.head[row, 0] == UNKNOWN:
            return None
        return int(self.head[row, 0]), int(self.head[row, 1])

    def take(self, index: IntArray) -> Mentions:
        """The rows `index`, in that order."""
        taken = _take_rows(self, index)
        return replace(taken, fragments=None) if not taken.discontinuous.size else taken

    @classmethod
    def joined(cls, tables: Sequence[Mentions], docs: Sequence[int] | None = None) -> Mentions:
        """Tables end to end, on one vocabulary of labels; `docs` are added to the document numbers
        of each.
        """
        fragments = None
        if any(table.fragments is not None for table in tables):
            fragments = Fragments.joined([table.pieces() for table in tables])
        return _join_rows(
            tables,
            doc=_join_moved([table.doc for table in tables], docs or [0] * len(tables)),
            fragments=fragments,
            attributes=_join_attributes(tables),
            confidence=_join_optional(tables, "confidence", lambda t: np.full(len(t), np.nan)),
            id=_join_optional(tables, "id", lambda t: (None,) * len(t)),
            place=_join_optional(tables, "place", lambda t: np.arange(len(t), dtype=np.int32)),
            head=_join_optional(tables, "head", lambda t: np.full((len(t), 2), UNKNOWN, np.int32)),
        )


@dataclass(slots=True, eq=False)
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
        """The name of a document in messages: its id, or its place."""
        return str(row + 1) if self.id is None else self.id[row]

    def sentences(self, row: int) -> tuple[int, ...]:
        """Where the sentences of one document start."""
        part = slice(int(self.sentence_offsets[row]), int(self.sentence_offsets[row + 1]))
        return tuple(self.sentence_start[part].tolist())

    def take(self, index: IntArray) -> Documents:
        """The rows `index`, in that order."""
        places, offsets = spread(self.sentence_offsets, index)
        starts = self.sentence_start[places]
        return _take_rows(self, index, sentence_offsets=offsets, sentence_start=starts)

    @classmethod
    def joined(cls, tables: Sequence[Documents]) -> Documents:
        """Tables end to end."""
        ids = _join_optional(tables, "id", lambda _: ())
        if ids is not None and len(ids) != sum(map(len, tables)):
            raise UsageError("some documents have no id, but others have")
        return _join_rows(
            tables,
            sentence_offsets=_join_offsets([table.sentence_offsets for table in tables]),
            id=ids,
            attributes=_join_attributes(tables),
        )


@dataclass(slots=True, eq=False)
class Groups:
    """Relations or clusters as columns: a row is a group, its parts are members.

    A member has a role (-1: none) and is a mention (its row, -1 if that mention was left out).
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
    @cache
    def none(cls) -> Groups:
        """A table without rows; there is one for all."""
        nothing = np.empty(0, np.int32)
        return cls(nothing, Codes(nothing, ()), np.zeros(1, np.int64), Codes(nothing, ()), nothing)

    def take(self, index: IntArray) -> Groups:
        """The rows `index`, in that order."""
        places, offsets = spread(self.offsets, index)
        role, mention = self.role.take(places), self.mention[places]
        return _take_rows(self, index, offsets=offsets, role=role, mention=mention)

    @classmethod
    def joined(
        cls, tables: Sequence[Groups], docs: Sequence[int], mentions: Sequence[int]
    ) -> Groups:
        """Tables end to end; `docs` and `mentions` are added to the numbers of each."""
        return _join_rows(
            tables,
            doc=_join_moved([table.doc for table in tables], docs),
            offsets=_join_offsets([table.offsets for table in tables]),
            mention=_join_moved([table.mention for table in tables], mentions),
        )


@dataclass(slots=True, eq=False)
class Fillers:
    """The fillers of all templates. `place` is where one stood in its template.

    A filler has one or more realisations (the first is its own, the others are alternatives):
    `realisations` are the offsets of those of each filler. Every realisation has a text (-1: none)
    and fragments (none: no place is known); `kind` says whether its text is that of a JSON
    number or boolean (None: all are texts).
    """

    template: IntArray
    slot: Codes
    optional: BoolArray
    confidence: FloatArray
    mention: IntArray
    place: IntArray
    realisations: IntArray
    text: Codes
    fragments: Fragments
    kind: IntArray | None = None

    def __len__(self) -> int:
        return len(self.template)

    @property
    def kinds(self) -> IntArray:
        """The kind of each realisation, a place in FILLER_KINDS."""
        return np.zeros(len(self.text.codes), np.uint8) if self.kind is None else self.kind

    @property
    def filler(self) -> IntArray:
        """The filler that each realisation belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.realisations))

    def of(self, row: int, ids: Sequence[str | None] | None) -> Filler:
        """One filler, as a friendly object."""
        first, last = self.realisations[row : row + 2].tolist()
        forms = [
            Filler(self.text[i], self.fragments.of(i), kind=self._kind(i))
            for i in range(first, last)
        ]
        confidence = float(self.confidence[row])
        mention = int(self.mention[row])
        name = ids[mention] if ids is not None and mention != UNKNOWN else None
        return Filler(
            forms[0].text,
            () if name is not None else forms[0].fragments,
            tuple(forms[1:]),
            bool(self.optional[row]),
            None if np.isnan(confidence) else confidence,
            name,
            forms[0].kind,
        )

    def _kind(self, row: int) -> str:
        return FILLER_KINDS[0 if self.kind is None else int(self.kind[row])]

    def take(self, index: IntArray) -> Fillers:
        """The rows `index`; the templates they belong to keep their numbers."""
        places, offsets = spread(self.realisations, index)
        text, fragments = self.text.take(places), self.fragments.take(places)
        kind = None if self.kind is None else self.kind[places]
        return _take_rows(
            self, index, realisations=offsets, text=text, fragments=fragments, kind=kind
        )


@dataclass(slots=True, eq=False)
class Marks:
    """Slots of templates that have no filler: known to be empty, or `unannotated`."""

    template: IntArray
    slot: Codes
    unannotated: BoolArray

    def __len__(self) -> int:
        return len(self.template)

    @classmethod
    def of(cls, rows: Sequence[tuple[int, str, bool]]) -> Marks | None:
        """Marks from template, slot, and whether it is unannotated; None if there are none."""
        if not rows:
            return None
        template, slot, unannotated = zip(*rows, strict=True)
        return cls(int32(template), Codes.of(slot), np.array(unannotated, bool))

    @classmethod
    def joined(cls, tables: Sequence[Marks | None], first: Sequence[int]) -> Marks | None:
        """Tables end to end; `first` is added to the templates of each."""
        there = [(table, by) for table, by in zip(tables, first, strict=False) if table is not None]
        if not there:
            return None
        parts = [table for table, _ in there]
        moved = _join_moved([part.template for part in parts], [by for _, by in there])
        return _join_rows(parts, template=moved)

    def moved(self, new: IntArray) -> Marks | None:
        """The marks of the templates that have a new row, at that row."""
        rows = np.flatnonzero(new[self.template] != UNKNOWN)
        if not len(rows):
            return None
        return _take_rows(self, rows, template=new[self.template[rows]])


@dataclass(slots=True, eq=False)
class Templates:
    """Templates as columns, at any depth of nesting: one that fills a slot of another has a
    `parent`. Documents are in order, and a parent comes before the templates in it. `confidence` is
    None if no template has one.
    """

    doc: IntArray
    label: Codes
    parent: IntArray
    slot: Codes
    place: IntArray
    id: tuple[str | None, ...]
    fillers: Fillers
    confidence: FloatArray | None = None
    marks: Marks | None = None
    remembered: dict[Hashable, Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """What was computed from this table and may be needed again."""

    def __len__(self) -> int:
        return len(self.doc)

    @classmethod
    @cache
    def none(cls) -> Templates:
        """A table without rows; there is one for all."""
        return cls.of([])

    @classmethod
    def of(
        cls,
        documents: Sequence[Sequence[Template]],
        mentions: Sequence[MentionRows] | None = None,
        names: Sequence[str] | None = None,
    ) -> Templates:
        """The templates of each document; `mentions` are those of each document, and `names` are
        for messages.
        """
        rows: list[tuple[Any, ...]] = []
        fillers: list[tuple[Any, ...]] = []
        forms: list[tuple[str | None, tuple[Span, ...], str]] = []
        sure: list[float | None] = []
        marks: list[tuple[int, str, bool]] = []

        def add(template: Template, doc: int, parent: int, slot: str | None, at: int) -> None:
            """Add a template, its fillers, and then the templates in it."""
            row, inner = len(rows), []
            rows.append((doc, template.label or None, parent, slot, at, template.id))
            sure.append(template.confidence)
            marks.extend((row, name, False) for name, every in template.slots.items() if not every)
            marks.extend((row, name, True) for name in template.unannotated)
            for place, (name, filler) in enumerate(template):
                if isinstance(filler, Template):
                    inner.append((filler, doc, row, name, place))
                    continue
                mention, own = UNKNOWN, filler.fragments
                if filler.mention is not None:
                    mention, own = _linked(filler.mention, mentions[doc] if mentions else {})
                confidence = np.nan if filler.confidence is None else filler.confidence
                count = 1 + len(filler.alternatives)
                fillers.append((row, name, filler.optional, confidence, mention, place, count))
                forms.append((filler.text, own, filler.kind))
                forms.extend((o.text, o.fragments, o.kind) for o in filler.alternatives)
            for each in inner:
                add(*each)

        for doc, templates in enumerate(documents):
            try:
                for at, top in enumerate(templates):
                    _require_shallow(top)
                    add(top, doc, UNKNOWN, None, at)
            except UsageError as error:
                name = names[doc] if names else str(doc + 1)
                raise UsageError(f"document {name}: {error}") from None
        docs, labels, parents, slots, places, ids = zip(*rows, strict=True) if rows else [()] * 6
        template, slot, optional, confidence, mention, place, count = (
            zip(*fillers, strict=True) if fillers else [()] * 7
        )
        return cls(
            int32(docs), Codes.of(labels), int32(parents), Codes.of(slots), int32(places), ids,
            Fillers(
                int32(template), Codes.of(slot), np.array(optional, bool),
                np.array(confidence, np.float64), int32(mention), int32(place),
                int32(np.cumsum([0, *count])), Codes.numbered([text for text, _, _ in forms]),
                Fragments.of_spans([spans for _, spans, _ in forms]),
                kind_codes([kind for _, _, kind in forms]),
            ),
            confidences(sure), Marks.of(marks),
        )  # fmt: skip

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
        marks = self._marks_of(low, high)
        for row in range(high - 1, low - 1, -1):
            slots: dict[str, list[Filler | Template]] = {}
            for _, slot, filler in sorted(parts.pop(row, []), key=lambda part: part[0]):
                slots.setdefault(slot, []).append(filler)
            unannotated = [slot for slot, open_ in marks.get(row, ()) if open_]
            sure = np.nan if self.confidence is None else float(self.confidence[row])
            made = Template(
                self.label[row] or "", {s: tuple(f) for s, f in slots.items()}, self.id[row],
                None if np.isnan(sure) else sure, tuple(unannotated),
            )  # fmt: skip
            parent = int(self.parent[row])
            if parent == UNKNOWN:
                tops.append(made)
            else:
                parts.setdefault(parent, []).append(
                    (int(self.place[row]), self.slot[row] or "", made)
                )
        return tuple(reversed(tops))

    def _marks_of(self, low: int, high: int) -> dict[int, list[tuple[str, bool]]]:
        """Of these templates the slots without fillers, and whether they are unannotated."""
        found: dict[int, list[tuple[str, bool]]] = {}
        if self.marks is not None:
            first, last = np.searchsorted(self.marks.template, [low, high]).tolist()
            for k in range(first, last):
                mark = self.marks.slot[k] or "", bool(self.marks.unannotated[k])
                found.setdefault(int(self.marks.template[k]), []).append(mark)
        return found

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
        template = int32(np.repeat(np.arange(len(rows)), np.diff(counts)))
        return _take_rows(
            self,
            rows,
            doc=int32(np.repeat(np.arange(len(docs)), np.diff(offsets))),
            parent=new[self.parent[rows]],
            fillers=replace(fillers, template=template),
            marks=None if self.marks is None else self.marks.moved(new),
        )

    @classmethod
    def joined(
        cls, tables: Sequence[Templates], docs: Sequence[int], mentions: Sequence[int]
    ) -> Templates:
        """Tables end to end; `docs` and `mentions` are added to the numbers of each."""
        if not any(map(len, tables)):
            return cls.none()
        first = np.cumsum([0, *map(len, tables)]).tolist()
        parts = [table.fillers for table in tables]
        fillers = _join_rows(
            parts,
            template=_join_moved([part.template for part in parts], first),
            mention=_join_moved([part.mention for part in parts], mentions),
            realisations=_join_offsets([part.realisations for part in parts]),
            fragments=Fragments.joined([part.fragments for part in parts]),
            kind=_join_optional(parts, "kind", lambda part: part.kinds),
        )
        return _join_rows(
            tables,
            confidence=_join_optional(tables, "confidence", lambda t: np.full(len(t), np.nan)),
            marks=Marks.joined([table.marks for table in tables], first),
            doc=_join_moved([table.doc for table in tables], docs),
            parent=_join_moved([table.parent for table in tables], first),
            fillers=fillers,
        )


def kind_codes(kinds: Sequence[str]) -> IntArray | None:
    """Kinds of fillers as a column; None if all are texts.

    >>> kind_codes(["text", "number"]), kind_codes(["text"])
    (array([0, 1], dtype=uint8), None)
    """
    if set(kinds) <= {"text"}:
        return None
    return np.array([FILLER_KINDS.index(kind) for kind in kinds], np.uint8)


def confidences(numbers: Sequence[float | None]) -> FloatArray | None:
    """Confidences as a column; None if there are none.

    >>> confidences([None, 0.5]), confidences([None])
    (array([nan, 0.5]), None)
    """
    if all(number is None for number in numbers):
        return None
    return np.array([np.nan if number is None else number for number in numbers], np.float64)


def _require_shallow(template: Template, depth: int = 1) -> None:
    if depth > DEEPEST:
        raise UsageError(f"templates stand in each other more than {DEEPEST} deep")
    for _, filler in template:
        if isinstance(filler, Template):
            _require_shallow(filler, depth + 1)


def _linked(name: str, mentions: MentionRows) -> tuple[int, tuple[Span, ...]]:
    """The row and the fragments of the mention that a filler names."""
    if name not in mentions:
        raise UsageError(f"a filler names the mention {shown(name)}, which is not there")
    return mentions[name]
