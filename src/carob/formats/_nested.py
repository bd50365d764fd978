"""Plain JSON objects, and the objects in them, as tables: level by level instead of one by one.

A level holds the objects of one depth. Its *cells* are the keys of all its objects with their
values, in file order; its *items* are the values, those of lists one by one. What an item is (a
text, a number, an object ...) is one column, so that nothing is done for each value in turn but
to look up its type and the number of its text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from carob.arrays.columns import constant, numbering
from carob.arrays.join import ranked
from carob.arrays.ranges import sum_before
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.document import DEEPEST, Number
from carob.corpus.paths import path_of
from carob.corpus.tables import (
    UNKNOWN,
    Codes,
    Fillers,
    Fragments,
    Marks,
    Templates,
    int32,
)

TEXT, NUMBER, BOOLEAN, OBJECT, LIST, NOTHING = range(6)
"""What an item is; the first three are places in FILLER_KINDS."""
_KINDS = {str: TEXT, Number: NUMBER, int: NUMBER, bool: BOOLEAN, dict: OBJECT, list: LIST,
          type(None): NOTHING}  # fmt: skip


class _Level(NamedTuple):
    """The objects of one depth. Of each object: its document, the item of the level before that it
    is, and its path. Of each cell: its object and its key. Of each item: its cell, its kind, and
    whether it fills its slot (an object does if anything in it does). `texts` are those of the
    items that are texts, numbers or booleans, in order.
    """

    doc: IntArray
    item: IntArray
    path: IntArray
    owner: IntArray
    key: IntArray
    cell: IntArray
    kind: IntArray
    fills: BoolArray
    texts: list[str]


@dataclass(slots=True, eq=False)
class NestedSlots:
    """The templates that objects are, one for each document, and what fills their slots.

    >>> slots = NestedSlots.of([{"host": {"name": "Ann", "room": ""}}])
    >>> len(slots.table()), slots.names, slots.empty, slots.inner_keys
    (2, ('host', 'name', 'room'), 1, 2)
    """

    levels: list[_Level] = field(default_factory=list)
    keys: dict[str, int] = field(default_factory=numbering)
    """All keys that occur, and their numbers."""
    paths: list[str] = field(default_factory=lambda: [""])
    lists: Counter[str] = field(default_factory=Counter)
    """The paths of slots that have a list, and how many have one."""
    empty: int = 0
    """How many texts are empty."""

    @classmethod
    def of(cls, objects: Sequence[dict[str, Any]]) -> NestedSlots | None:
        """The template of each object; None if one needs a closer look."""
        made = cls()
        none = np.full(len(objects), UNKNOWN)
        inner = made._add(objects, np.arange(len(objects)), none, np.zeros(len(objects), int))
        while inner is not None and inner[0]:
            if len(made.levels) == DEEPEST:
                return None
            inner = made._add(*inner)
        if inner is None or "" in made.keys:
            return None
        for outer, level in zip(made.levels[-2::-1], made.levels[:0:-1], strict=True):
            outer.fills[level.item[level.owner[level.cell[level.fills]]]] = True
        return made

    @property
    def names(self) -> tuple[str, ...]:
        """All keys that occur."""
        return tuple(self.keys)

    @property
    def inner_keys(self) -> int:
        """How many keys the objects in objects have."""
        return sum(len(level.key) for level in self.levels[1:])

    def _add(
        self, objects: Sequence[dict[str, Any]], doc: IntArray, item: IntArray, path: IntArray
    ) -> tuple[list[Any], IntArray, IntArray, IntArray] | None:
        """Add a level, and return the objects of the next; None if one needs a closer look."""
        owner = np.repeat(np.arange(len(objects)), list(map(len, objects)))
        key, period = self._numbers_of_keys(objects)
        items = list(chain.from_iterable(map(dict.values, objects)))
        kind, cell = _kinds(items, period), np.arange(len(owner))
        if (several := kind == LIST).any():
            self._note_lists(path[owner[several]], key[several])
            items, sizes = _without_lists(items, several)
            cell, kind, period = np.repeat(cell, sizes), np.repeat(kind, sizes), 1
            inside = np.flatnonzero(kind == LIST)
            kind[inside] = _kinds([items[i] for i in inside.tolist()], period)
            if (kind == LIST).any():
                return None
        inner = np.flatnonzero(kind == OBJECT)
        children = [items[i] for i in inner.tolist()]
        texts, blank = _texts(items, kind, period)
        if texts is None:
            return None
        self.empty += len(blank)
        fills = kind <= BOOLEAN
        fills[blank] = False
        self.levels.append(_Level(doc, item, path, owner, key, cell, kind, fills, texts))
        at = cell[inner]
        return children, doc[owner[at]], inner, self._paths_of(path[owner[at]], key[at])

    def _numbers_of_keys(self, objects: Sequence[dict[str, Any]]) -> tuple[IntArray, int]:
        """The number of each key of these objects, and the period with which keys come again: if
        all objects have the same keys, every n-th value has the same key; otherwise it is 1.
        """
        first = list(objects[0])
        if all(map(first.__eq__, map(list, objects))):
            numbers = np.array([self.keys[name] for name in first], np.int64)
            return np.tile(numbers, len(objects)), len(first)
        names = list(chain.from_iterable(objects))
        return np.fromiter(map(self.keys.__getitem__, names), np.int64, len(names)), 1

    def _pairs(self, path: IntArray, key: IntArray) -> tuple[list[str], IntArray]:
        """The different pairs of a path and a key as names, and which each one is."""
        pairs, which = ranked(path * len(self.keys) + key)
        names = list(self.keys)
        found = [divmod(pair, len(names)) for pair in pairs.tolist()]
        return [self.paths[before] + path_of([names[last]]) for before, last in found], which

    def _note_lists(self, path: IntArray, key: IntArray) -> None:
        names, which = self._pairs(path, key)
        self.lists.update(dict(zip(names, np.bincount(which).tolist(), strict=True)))

    def _paths_of(self, path: IntArray, key: IntArray) -> IntArray:
        """The paths of objects in objects, with a dot at the end."""
        names, which = self._pairs(path, key)
        first = len(self.paths)
        self.paths += [f"{name}." for name in names]
        return first + which

    def table(self, known: dict[str, str] | None = None) -> Templates:
        """All templates, in the order of `Templates.of`: a template, its fillers, then the
        templates in it. What nothing fills is left out. Texts that repeat are taken from `known`,
        and new ones are added to it, so that the blocks of a file share them.
        """
        rows = self._rows()
        size = sum(int(np.count_nonzero(row >= 0)) for row in rows)
        if not size:
            return Templates.none()
        doc, parent, slot, place = (np.full(size, UNKNOWN, np.int32) for _ in range(4))
        parts, marks, texts = [], [], list[str]()
        outer_row = places = np.empty(0, np.int64)
        for depth, (level, row) in enumerate(zip(self.levels, rows, strict=True)):
            there = np.flatnonzero(row >= 0)
            doc[row[there]] = level.doc[there]
            item_row = row[level.owner[level.cell]]
            if depth:
                outer, item = self.levels[depth - 1], level.item[there]
                parent[row[there]] = outer_row[item]
                slot[row[there]] = outer.key[outer.cell[item]]
                place[row[there]] = places[item]
            else:
                place[row[there]] = 0
            outer_row, places = item_row, _places(level)
            fillers = np.flatnonzero(level.fills & (level.kind <= BOOLEAN))
            parts.append((item_row[fillers], level.key[level.cell[fillers]], places[fillers],
                          level.kind[fillers]))  # fmt: skip
            texts += level.texts
            marks.append(_open_cells(level, row))
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        if len(self.levels) > 1:
            order = np.argsort(columns[0], kind="stable")
            columns = [column[order] for column in columns]
            texts = [texts[i] for i in order.tolist()]
        template, key, at, kind = columns
        column = _shared(texts, {} if known is None else known)
        count, none = len(texts), Codes(np.full(size, UNKNOWN, np.int32), ())
        return Templates(
            doc, none, parent, self._names_of(slot), place, (None,) * size,
            Fillers(
                int32(template), self._names_of(key), constant(False, count, bool),
                constant(np.nan, count, float), constant(UNKNOWN, count, np.int32), int32(at),
                np.arange(count + 1, dtype=np.int32), column,
                Fragments(constant(0, count + 1, np.int64), int32([]), int32([])),
                kind.astype(np.uint8) if kind.any() else None,
            ),
            marks=self._marks(marks),
        )  # fmt: skip

    def _rows(self) -> list[IntArray]:
        """Of the objects of each level the row of their templates; -1 if nothing fills them."""
        sizes: list[IntArray] = []  # how many templates an object is, with those in it
        for depth in range(len(self.levels) - 1, -1, -1):
            level = self.levels[depth]
            used = np.zeros(len(level.doc), bool)
            used[level.owner[level.cell[level.fills]]] = True
            size = used.astype(np.int64)
            if sizes:
                inner = self.levels[depth + 1].item
                size += np.bincount(
                    level.owner[level.cell[inner]], sizes[-1], len(size)
                ).astype(np.int64)  # fmt: skip
            sizes.append(size)
        sizes.reverse()
        rows = [np.cumsum(sizes[0]) - sizes[0]]
        for depth, size in enumerate(sizes[1:], 1):
            outer, level = self.levels[depth - 1], self.levels[depth]
            parent = outer.owner[outer.cell[level.item]]
            rows.append(rows[depth - 1][parent] + 1 + sum_before(parent, size))
        return [np.where(size > 0, row, UNKNOWN) for row, size in zip(rows, sizes, strict=True)]

    def _names_of(self, key: IntArray) -> Codes:
        """Keys by their numbers (-1: none) as a column of sorted words."""
        names = self.names
        used = np.zeros(len(names) + 1, bool)
        used[key] = True
        words = sorted(names[each] for each in np.flatnonzero(used[:-1]).tolist())
        place = {word: i for i, word in enumerate(words)}
        table = int32([*(place.get(name, UNKNOWN) for name in names), UNKNOWN])
        return Codes(table[key], tuple(words))

    def _marks(self, parts: Sequence[tuple[IntArray, IntArray]]) -> Marks | None:
        """The slots that nothing fills, by template."""
        template, key = (np.concatenate(column) for column in zip(*parts, strict=True))
        if not len(template):
            return None
        order = np.argsort(template, kind="stable")
        slots = self._names_of(key[order])
        return Marks(int32(template[order]), slots, np.zeros(len(order), bool))


def _kinds(items: Sequence[Any], period: int) -> IntArray:
    """What each item is. Values of one key, which come with this period, are mostly of one type."""
    kind = np.empty(len(items), np.int8)
    for first in range(period):
        column = items[first::period]
        types = set(map(type, column))
        if len(types) == 1:
            kind[first::period] = _KINDS[types.pop()]
        else:
            kinds = map(_KINDS.__getitem__, map(type, column))
            kind[first::period] = np.fromiter(kinds, np.int8, len(column))
    return kind


def _without_lists(items: list[Any], several: BoolArray) -> tuple[list[Any], IntArray]:
    """The items, of lists what is in them, and how many each one is."""
    sizes, pieces, last = np.ones(len(items), np.int64), list[list[Any]](), 0
    for i in np.flatnonzero(several).tolist():
        pieces += items[last:i], items[i]
        sizes[i], last = len(items[i]), i + 1
    return list(chain.from_iterable([*pieces, items[last:]])), sizes


def _texts(
    items: list[Any], kind: IntArray, period: int
) -> tuple[list[str] | None, IntArray]:  # fmt: skip
    """The texts of items that fill slots by themselves, and which items are blank; None if a number
    is too long. The list of items becomes that of the texts.
    """
    single, blank = np.flatnonzero(kind <= BOOLEAN), np.empty(0, np.int64)
    if len(single) < len(items):
        items, kind, period = [items[i] for i in single.tolist()], kind[single], 1
    for i in np.flatnonzero(kind == BOOLEAN).tolist():
        items[i] = "true" if items[i] else "false"
    for first in range(period):
        if kind[first::period].any():
            try:
                items[first::period] = list(map(str, items[first::period]))
            except ValueError:  # a whole number of thousands of digits
                return None, blank
    if all(map(str.strip, items)):
        return items, blank
    empty = np.fromiter((not text.strip() for text in items), bool, len(items))
    return [text for text in items if text.strip()], single[empty]


def _shared(texts: list[str], known: dict[str, str]) -> Codes:
    """The column of these texts; if they repeat, on values that other blocks have, too."""
    column = Codes.numbered(texts)
    if len(column.values) == len(texts):
        return column
    values = tuple(map(known.setdefault, column.values, column.values))
    return Codes(column.codes, values, column.in_order)


def _places(level: _Level) -> IntArray:
    """How many items before it fill slots of the same object."""
    return sum_before(level.owner[level.cell], level.fills)


def _open_cells(level: _Level, row: IntArray) -> tuple[IntArray, IntArray]:
    """The template and the key of each cell that nothing fills, of templates that are there."""
    filled = np.zeros(len(level.key), bool)
    filled[level.cell[level.fills]] = True
    open_ = np.flatnonzero(~filled & (row[level.owner] >= 0))
    return row[level.owner[open_]], level.key[open_]
