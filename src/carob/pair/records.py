"""Records: gold and system as typed values, on one schema, so that they can be compared in bulk.

The values of a side are *leaves*: each fills a slot of one template, which is a record or an object
in one. A leaf is a row of the column of its slot (`Column`); where gold and system have the same
text in the same place it is the same row, so that most values are neither looked up nor read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from carob.arrays.columns import stretches, taken
from carob.arrays.join import join
from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.paths import keys_of, path_of
from carob.corpus.problems import SHOWN, InputError, Problem, many, plain, shown
from carob.corpus.tables import UNKNOWN, Documents, int32, spread
from carob.pair.filled import words_at
from carob.pair.template_types import paths_and_rows, typed
from carob.values.column import Column
from carob.values.raw import BOOLEAN, NUMBER, OBJECT, TEXT, Raw, Raws, Written, fold
from carob.values.schema import Schema
from carob.values.slot import TypedSlot

_encode = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(eq=False)
class Leaves:
    """The values of one side, sorted by template, node and place in the file.

    `node` is the row of `RecordPair.rows` that a value counts in: its slot, or an unknown one. The
    realisations of leaf i are `code[offsets[i]:offsets[i + 1]]`, rows of the column of its slot.
    `filler` is its row among the fillers of the corpus; of a value that is an object, the row of
    the first filler in it (-1: none).
    """

    template: IntArray
    node: IntArray
    optional: BoolArray
    confidence: FloatArray
    filler: IntArray
    place: IntArray
    offsets: IntArray
    code: IntArray

    def __len__(self) -> int:
        return len(self.template)

    def and_more(self, more: Leaves) -> Leaves:
        """These leaves, and then others."""
        return Leaves(
            np.append(self.template, more.template), np.append(self.node, more.node),
            np.append(self.optional, more.optional), np.append(self.confidence, more.confidence),
            np.append(self.filler, more.filler), np.append(self.place, more.place),
            np.append(self.offsets, self.offsets[-1] + more.offsets[1:]),
            np.append(self.code, more.code),
        )  # fmt: skip

    def take(self, index: IntArray) -> Leaves:
        """The leaves `index`, in that order."""
        if self.alone:
            places, offsets = index, np.arange(len(index) + 1, dtype=np.int32)
        else:
            places, offsets = spread(self.offsets, index)
        return Leaves(
            self.template[index], self.node[index], taken(self.optional, index),
            taken(self.confidence, index), self.filler[index], self.place[index], offsets,
            self.code[places],
        )  # fmt: skip

    @property
    def alone(self) -> bool:
        """Whether every leaf has one realisation, which is then in the same row."""
        return len(self.code) == len(self)

    def in_order(self, width: int) -> Leaves:
        """The leaves sorted by template, node and place."""
        key = slot_keys(self.template, self.node, width)
        if (key[1:] > key[:-1]).all():
            return self
        template, place = self.template, self.place
        in_file_order = (template[1:] == template[:-1]) & (place[1:] > place[:-1])
        in_file_order |= template[1:] > template[:-1]
        usual = bool(in_file_order.all())
        return self.take(np.argsort(key, kind="stable") if usual else np.lexsort((place, key)))

    @property
    def node_of_rows(self) -> IntArray:
        """The node of every realisation."""
        if self.alone:
            return self.node
        return np.repeat(self.node, np.diff(self.offsets))

    def of_rows(self, rows: IntArray) -> IntArray:
        """The leaves that have these realisations."""
        return rows if self.alone else np.searchsorted(self.offsets, rows, side="right") - 1


class Side:
    """One corpus on the schema of a pair: the node of each template, its leaves, its children."""

    def __init__(self, corpus: Corpus, place: IntArray, schema: Schema, rows: list[str]) -> None:
        self.corpus, self.schema, self.rows = corpus, schema, rows
        table = corpus.templates
        self.doc: IntArray = place[table.doc]
        self.parent = table.parent
        self.confidence = table.confidence
        self.node, self._paths = self._template_nodes()
        is_value = np.array([not node.is_object for node in schema.nodes] + [False])
        self.is_value: BoolArray = is_value[self.node]
        self.swallowed = self._below(self.is_value)
        known = (self.node >= 0) & ~self.swallowed
        self.owner = self._nearest(known | (self.parent == UNKNOWN))
        self.width = 0
        self.leaves: Leaves
        self.children: IntArray
        self._child_key: IntArray
        self._leaf_key: IntArray

    def _template_nodes(self) -> tuple[IntArray, IntArray]:
        """The node of every template (-1: unknown), and of every path of fillers."""
        table, renamed, schema = self.corpus.templates, self.corpus.renamed, self.schema
        paths, rows = paths_and_rows(table)
        known = schema.by_path
        inner = int32([known.get(renamed.get(p, p), UNKNOWN) for p in paths.values] + [UNKNOWN])
        kinds = int32([schema.roots.get(kind, UNKNOWN) for kind in table.label.values]
                      + [schema.roots.get("", UNKNOWN)])  # fmt: skip
        top = self.parent == UNKNOWN
        node = np.where(top, kinds[table.label.codes], inner[paths.codes])
        names = [renamed.get(row, row) for row in rows.values]
        place = {row: i for i, row in enumerate(self.rows)}
        numbers = []
        for name in names:
            number = known.get(name, UNKNOWN)
            if number == UNKNOWN:
                row = unknown_row(schema, known, name)
                if row not in place:
                    place[row] = len(self.rows)
                    self.rows.append(row)
                number = place[row]
            numbers.append(number)
        return int32(node), int32([*numbers, UNKNOWN])[rows.codes]

    def _below(self, mask: BoolArray) -> BoolArray:
        """Which templates are in the mask, or in one that is."""
        found = mask.copy()
        inner = self.parent >= 0
        while True:
            more = inner & ~found & found[self.parent]
            if not more.any():
                return found
            found |= more

    def _nearest(self, mask: BoolArray) -> IntArray:
        """For each template the nearest that is in the mask: itself, or one that it is in."""
        found = np.arange(len(mask), dtype=np.int32)
        while (out := ~mask[found]).any():
            found[out] = self.parent[found[out]]
        return found

    def ancestor(self, node: int) -> IntArray:
        """For each template the one at this node that it is, or is in; -1 if there is none."""
        found = np.where(self.node == node, np.arange(len(self.node)), UNKNOWN)
        found[self.swallowed] = UNKNOWN
        inner = self.parent >= 0
        while True:
            more = np.flatnonzero(inner & (found == UNKNOWN) & (found[self.parent] != UNKNOWN))
            if not len(more):
                return found
            found[more] = found[self.parent[more]]

    def raw_leaves(self) -> tuple[Leaves, Written]:
        """The leaves in the order of the file, and their values; `code` is a row of these."""
        table, fillers = self.corpus.templates, self.corpus.templates.fillers
        more = list[str]()
        text, kinds = fillers.text.codes, fillers.kinds
        if len(silent := np.flatnonzero(text < 0)):
            text, kinds = text.copy(), np.where(text < 0, TEXT, kinds)
            doc = table.doc[fillers.template[fillers.filler[silent]]]
            text[silent] = len(fillers.text.values) + np.arange(len(silent))
            for row, where in zip(silent.tolist(), doc.tolist(), strict=True):
                spans, words = fillers.fragments.of(row), self.corpus.words(where)
                more.append(words_at(words, spans, self.corpus.unit or "char") or "")
        leaves = Leaves(
            self.owner[fillers.template], self._paths, fillers.optional, fillers.confidence,
            np.arange(len(fillers), dtype=np.int32), fillers.place, fillers.realisations,
            np.arange(len(text), dtype=np.int32),
        )  # fmt: skip
        if self.swallowed.any():
            leaves = leaves.take(np.flatnonzero(~self.swallowed[fillers.template]))
        objects = np.flatnonzero(self.is_value & ~self.swallowed[np.maximum(self.parent, 0)]
                                 & (self.parent >= 0))  # fmt: skip
        if len(objects):
            place = len(fillers.text.values) + len(more) + np.arange(len(objects))
            more += [self.json_of(row) for row in objects.tolist()]
            leaves = leaves.and_more(self._object_leaves(objects, len(text)))
            text = int32(np.append(text, place))
            kinds = np.append(kinds, np.full(len(objects), OBJECT, np.uint8))
        return leaves, Written((*fillers.text.values, *more) if more else fillers.text.values,
                               text, kinds)  # fmt: skip

    def _object_leaves(self, objects: IntArray, first_code: int) -> Leaves:
        """The leaves that objects are where the task has a value."""
        table, fillers = self.corpus.templates, self.corpus.templates.fillers
        first = np.searchsorted(fillers.template, objects)
        inside = (first < len(fillers)) & (
            fillers.template[np.minimum(first, max(len(fillers) - 1, 0))] == objects
            if len(fillers)
            else np.zeros(len(objects), bool)
        )
        sure = np.full(len(objects), np.nan)
        if self.confidence is not None:
            sure = self.confidence[objects]
        return Leaves(
            self.parent[objects], self.node[objects], np.zeros(len(objects), bool), sure,
            np.where(inside, first, UNKNOWN), table.place[objects],
            np.arange(len(objects) + 1), first_code + np.arange(len(objects)),
        )  # fmt: skip

    @cached_property
    def _content(self) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        fillers: dict[int, list[int]] = {}
        for row, template in enumerate(self.corpus.templates.fillers.template.tolist()):
            fillers.setdefault(template, []).append(row)
        inner: dict[int, list[int]] = {}
        for row, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                inner.setdefault(parent, []).append(row)
        return fillers, inner

    def json_of(self, template: int) -> str:
        """The JSON text of a template, with sorted keys; what is absent is left out."""
        table = self.corpus.templates
        fillers, inner = self._content
        slots: dict[str, list[tuple[int, str]]] = {}
        for row in fillers.get(template, ()):
            at = int(table.fillers.realisations[row])
            text, kind = table.fillers.text[at] or "", int(table.fillers.kinds[at])
            written = text if kind in (NUMBER, BOOLEAN) else _encode(text)
            slots.setdefault(table.fillers.slot[row] or "", []).append(
                (int(table.fillers.place[row]), written)
            )
        for row in inner.get(template, ()):
            slots.setdefault(table.slot[row] or "", []).append(
                (int(table.place[row]), self.json_of(row))
            )
        parts = []
        for slot in sorted(slots):
            values = [value for _, value in sorted(slots[slot])]
            text = values[0] if len(values) == 1 else f"[{', '.join(values)}]"
            parts.append(f"{_encode(slot)}: {text}")
        return f"{{{', '.join(parts)}}}"

    def finish(self, leaves: Leaves, width: int) -> None:
        """Take the leaves, which are in order, and sort the templates: they are found by their
        place.
        """
        self.width = width
        self.__dict__.pop("_leaves_by_node", None)
        self.leaves, self._leaf_key = leaves, slot_keys(leaves.template, leaves.node, width)
        inner = np.flatnonzero((self.parent >= 0) & (self.node >= 0) & ~self.swallowed)
        keys = self.parent[inner].astype(np.int64) * width + self.node[inner]
        order = np.lexsort((self.corpus.templates.place[inner], keys))
        self.children, self._child_key = inner[order], keys[order]

    def leaves_at(self, templates: IntArray, node: int) -> tuple[IntArray, IntArray]:
        """The first leaf of a slot in each of these templates, and how many there are."""
        if 4 * len(templates) > len(self.node):  # a table of all templates is faster than a search
            order, bounds = self._leaves_by_node
            rows = order[bounds[node] : bounds[node + 1]]
            owner, size = self.leaves.template[rows], len(self.node) + 1  # the last: no template
            first = np.zeros(size, np.int64)
            first[owner[::-1]] = rows[::-1]
            return first[templates], np.bincount(owner, minlength=size)[templates]
        return _ranges(self._leaf_key, templates.astype(np.int64) * self.width + node)

    @cached_property
    def _leaves_by_node(self) -> tuple[IntArray, IntArray]:
        return _by_node(self.leaves.node, len(self.schema.nodes))

    def unknown_at(self, templates: IntArray) -> tuple[IntArray, IntArray]:
        """The first leaf under an unknown key, and how many there are."""
        first = templates.astype(np.int64) * self.width
        low = np.searchsorted(self._leaf_key, first + len(self.schema.nodes))
        high = np.searchsorted(self._leaf_key, first + self.width)
        return low, np.where(templates < 0, 0, high - low)

    def all_leaves_at(self, templates: IntArray) -> tuple[IntArray, IntArray]:
        """The first of all leaves directly in each of these templates, and how many there are."""
        first = templates.astype(np.int64) * self.width
        low = np.searchsorted(self._leaf_key, first)
        return low, np.searchsorted(self._leaf_key, first + self.width) - low

    def children_at(self, templates: IntArray, node: int) -> tuple[IntArray, IntArray]:
        """The place in `children` of the first object of a slot, and how many there are."""
        return _ranges(self._child_key, templates.astype(np.int64) * self.width + node)

    def all_children_at(self, templates: IntArray) -> tuple[IntArray, IntArray]:
        """The place in `children` of the first object in each, and how many there are."""
        first = templates.astype(np.int64) * self.width
        low = np.searchsorted(self._child_key, first)
        return low, np.searchsorted(self._child_key, first + self.width) - low

    @cached_property
    def marks(self) -> tuple[IntArray, IntArray]:
        """Keys (template and node) of the slots known to be empty, and of those not annotated."""
        marks, schema = self.corpus.templates.marks, self.schema
        none = np.empty(0, np.int64)
        if marks is None:
            return none, none
        child = np.full((len(schema.nodes), len(marks.slot.values) + 1), UNKNOWN, np.int64)
        for node in schema.nodes:
            for i, name in enumerate(marks.slot.values):
                child[node.number, i] = node.children.get(name, UNKNOWN)
        at = self.node[marks.template]
        found = np.where(at < 0, UNKNOWN, child[at, marks.slot.codes])
        key = marks.template.astype(np.int64) * self.width + found
        good = found >= 0
        empty, open_ = (
            np.sort(key[good & side]) for side in (~marks.unannotated, marks.unannotated)
        )
        return empty, open_

    def record_confidence(self, owner: IntArray) -> FloatArray:
        """The confidence of each template that is an owner of others (and itself): its own, else
        the lowest in it; NaN if there is none. `owner` is that of every template.
        """
        size = len(self.node)
        lowest = np.full(size + 1, np.inf)
        leaves = self.leaves
        known = ~np.isnan(leaves.confidence)
        np.minimum.at(lowest, owner[leaves.template[known]], leaves.confidence[known])
        if self.confidence is not None:
            inner = np.flatnonzero(~np.isnan(self.confidence))
            np.minimum.at(lowest, owner[inner], self.confidence[inner])
        found = np.where(np.isinf(lowest), np.nan, lowest)[:-1]
        if self.confidence is not None:
            found = np.where(np.isnan(self.confidence), found, self.confidence)
        return found


def unknown_row(schema: Schema, known: dict[str, int], path: str) -> str:
    """The row that an unknown path counts in: that of the first key that is not known.

    >>> schema = Schema.of({"a": TypedSlot()})
    >>> unknown_row(schema, schema.by_path, "more.p")
    'more'
    """
    words = keys_of(path)
    for size in range(len(words) - 1, 0, -1):
        before = path_of(words[:size])
        if before in known or (before and before in schema.roots):
            return path_of(words[: size + 1])
    return path_of(words[:1])


def slot_keys(template: IntArray, node: IntArray, width: int) -> IntArray:
    """One number for each template and node, in their order.

    >>> slot_keys(np.array([0, 2]), np.array([1, 0]), 10)
    array([ 1, 20])
    """
    key: IntArray = template.astype(np.int64)
    key *= width
    key += node
    return key


def _ranges(keys: IntArray, wanted: IntArray) -> tuple[IntArray, IntArray]:
    """Where the rows with each of these keys begin, and how many there are; keys are sorted."""
    low = np.searchsorted(keys, wanted)
    if not len(keys):
        return low, np.zeros_like(low)
    count = (keys.take(low, mode="clip") == wanted).astype(np.int64)
    several = np.flatnonzero(keys.take(low + 1, mode="clip") == wanted)  # most keys are there once
    count[several] = np.searchsorted(keys, wanted[several], side="right") - low[several]
    return low, count


@dataclass(eq=False)
class RecordPair:
    """Gold and system records. `rows` are the names of rows: the paths of all nodes, then unknown
    ones; `columns` are the values of each slot. `single` is whether every document holds one
    record at most; a document without an answer then has an empty one.
    """

    gold: Side
    system: Side
    schema: Schema
    rows: tuple[str, ...]
    weights: IntArray
    scale: int
    columns: dict[int, Column]
    documents: Documents
    single: bool
    unreadable: int = 0
    counted: dict[str, int] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(cls, gold: Corpus, system: Corpus, place: IntArray, schema: Schema) -> RecordPair:
        """The records of a pair of corpora; `place` is the gold document of each system document.

        A value of gold that cannot be read is an error.
        """
        both = typed(gold, system)
        gold, system = both.gold, both.system
        rows = [node.path for node in schema.nodes]
        same = np.arange(len(gold), dtype=np.int32)
        ours, theirs = Side(gold, same, schema, rows), Side(system, place, schema, rows)
        columns, unreadable, unknown = _columns(ours, theirs, schema, len(rows))
        whole, scale = schema.whole_weights()
        known = schema.by_path
        nodes = [*whole]
        for row in rows[len(schema.nodes) :]:
            before = path_of(keys_of(row)[:-1])
            nodes.append(whole[known[before]] if before in known else scale)
        single = len(schema.roots) == 1 and all(
            np.bincount(side.doc[(side.parent == UNKNOWN) & (side.doc >= 0)]).max(initial=0) <= 1
            for side in (ours, theirs)
        )
        return cls(
            ours, theirs, schema, tuple(rows), np.array(nodes, np.int64), scale, columns,
            gold.documents, single, sum(wrong for wrong, *_ in unreadable.values()),
            {"unparsed": system.facts.get("unparsed", 0), "unknown": sum(unknown.values())},
            (*schema.remarks, *both.remarks, *_unknown_remark(unknown),
             *_unreadable_remarks(unreadable)),
        )  # fmt: skip


def _unknown_remark(unknown: Mapping[str, int]) -> tuple[str, ...]:
    """What was left out because it is under a key that the schema lacks."""
    if not unknown:
        return ()
    names, more = [plain(name) for name in sorted(unknown)], len(unknown) - 5
    what = ", ".join(names[:5]) + (f" and {more:,} more" if more > 0 else "")
    return (f"{many(sum(unknown.values()), 'value')} left out under keys that the schema lacks: "
            f"{what}",)  # fmt: skip


_MANY = 5
"""This many answers that cannot be read, if they are half of a slot, look like a wrong type."""


def _unreadable_remarks(unreadable: Mapping[str, tuple[int, int, str, str]]) -> Iterator[str]:
    """Slots whose type does not seem to fit what the system answers."""
    for path, (wrong, size, expected, first) in unreadable.items():
        if wrong >= _MANY and 2 * wrong >= size:
            yield (
                f"{plain(path)}: {wrong:,} of {size:,} answers cannot be read as {expected}, such "
                f"as {first}, and are wrong; if the type is not right, a task or a schema says it"
            )


def _columns(
    gold: Side, system: Side, schema: Schema, width: int
) -> tuple[dict[int, Column], dict[str, tuple[int, int, str, str]], dict[str, int]]:
    """The columns of all slots; the sides get their leaves. With the columns come, by slot, how
    many of how many answers of the system cannot be read, as what, and the first; and the number of
    values of both sides that are left out, by their unknown key.
    """
    width = max(width, len(gold.rows), len(system.rows))
    sides = (gold, system)
    found = [side.raw_leaves() for side in sides]
    values, size = Raws.joined([raws for _, raws in found]), len(found[0][1].place)
    every = [leaves.in_order(width) for leaves, _ in found]
    codes = [every[0].code, every[1].code + np.int32(size)]
    _share_rows(sides, every, codes, values, width)
    kept = [np.ones(len(leaves), bool) for leaves in every]
    columns: dict[int, Column] = {}
    problems: list[Problem] = []
    unreadable: dict[str, tuple[int, int, str, str]] = {}
    by_node = [_by_node(leaves.node_of_rows, len(schema.nodes)) for leaves in every]
    place = np.empty(len(values), np.int32)
    for node in schema.nodes:
        if node.parent < 0:
            continue
        rows = [order[bound[node.number] : bound[node.number + 1]] for order, bound in by_node]
        if node.is_object:
            if len(rows[0]):
                raw = values[int(codes[0][rows[0][0]])]
                leaf = int(every[0].of_rows(rows[0][0]))
                problems.append(_problem("K832", gold, every[0], leaf, node.path, raw,
                                         "an object with slots"))  # fmt: skip
            continue
        ours, theirs = (code[row] for code, row in zip(codes, rows, strict=True))
        every_row = np.append(ours, theirs[theirs >= size])  # gold's own are there already
        column, place[every_row] = Column.of(node.slot, values.take(every_row))
        columns[node.number] = column
        for code, row, before in zip(codes, rows, (ours, theirs), strict=True):
            code[row] = place[before]
        if node.slot.null:
            absent = np.array([fold(raw.text) in node.slot.null and raw.kind != OBJECT
                               for raw in column.raws], bool)  # fmt: skip
            for mask, leaves, code, row in zip(kept, every, codes, rows, strict=True):
                mask[leaves.of_rows(row[absent[code[row]]])] = False
        if column.readable.all():
            continue
        wrong = [row[~column.readable[code[row]]] for code, row in zip(codes, rows, strict=True)]
        wrong = [row[mask[leaves.of_rows(row)]]
                 for mask, leaves, row in zip(kept, every, wrong, strict=True)]  # fmt: skip
        is_object = column.raws.kinds[codes[0][wrong[0]]] == OBJECT
        first = wrong[0][np.argsort(is_object, kind="stable")][: max(0, SHOWN - len(problems))]
        for row in first.tolist():
            leaf, raw = int(every[0].of_rows(row)), column.raws[int(codes[0][row])]
            problems.append(_problem("K831", gold, every[0], leaf, node.path, raw,
                                     _expected(node.slot)))  # fmt: skip
        if len(wrong[1]):
            size = int(kept[1][every[1].of_rows(rows[1])].sum())
            raw = column.raws[int(codes[1][wrong[1][0]])]
            unreadable[node.path] = len(wrong[1]), size, _expected(node.slot), shown(raw.text)
    if problems:
        raise InputError(problems[:SHOWN], len(problems))
    unknown: Counter[str] = Counter()
    for own, leaves, mask, code, left_out in zip(
        sides, every, kept, codes, _left_out(sides, every, schema, width), strict=True
    ):
        read = replace(leaves, code=code)
        good = mask & (own.doc[leaves.template] >= 0)
        unknown.update(own.rows[row] for row in leaves.node[good & left_out].tolist())
        good &= ~left_out
        own.finish(read if good.all() else read.take(np.flatnonzero(good)), width)
    _join_alternatives(gold, schema)
    return columns, unreadable, unknown


def _left_out(
    sides: Sequence[Side], leaves: Sequence[Leaves], schema: Schema, width: int
) -> tuple[BoolArray, BoolArray]:
    """Which leaves of both sides count nothing because the schema lacks their key: all, or if they
    can be spurious, those of the system whose key gold has in the same document, too.
    """
    ours, theirs = (own.node >= len(schema.nodes) for own in leaves)
    if schema.unknown != "ignore" and theirs.any():
        keys = [slot_keys(side.doc[own.template], own.node, width)
                for side, own in zip(sides, leaves, strict=True)]  # fmt: skip
        theirs = theirs & np.isin(keys[1], keys[0][ours])
    return ours, theirs


def _by_node(node: IntArray, count: int) -> tuple[IntArray, IntArray]:
    """Rows in the order of their nodes, and where those of each of the first nodes begin."""
    small = np.int16 if node.max(initial=count) < 1 << 15 else np.int32  # these are sorted faster
    node = node.astype(small)
    order = np.argsort(node, kind="stable")
    return order, np.searchsorted(node, np.arange(count + 1).astype(small), sorter=order)


def _share_rows(
    sides: Sequence[Side], leaves: Sequence[Leaves], codes: list[IntArray], values: Raws, width: int
) -> None:
    """Give values of the system the row of gold's value in the same place, where both are the same.

    The first value of a slot in a document is compared with gold's first, the second with the
    second, and so on.
    """
    columns = (("doc", sides), ("template", leaves), ("node", leaves))
    if all(np.array_equal(*(getattr(each, name) for each in both)) for name, both in columns):
        ours = theirs = np.arange(len(leaves[0]), dtype=np.int32)  # the usual case: no search
    else:
        ours, theirs = join(*(slot_keys(side.doc[own.template], own.node, width)
                              for side, own in zip(sides, leaves, strict=True)))  # fmt: skip
    for part in stretches(len(ours), 16):  # so few that their texts stay in the cache
        at = [own.offsets[pair[part]] for own, pair in zip(leaves, (ours, theirs), strict=True)]
        gold, system = (code[place] for code, place in zip(codes, at, strict=True))
        codes[1][at[1]] = np.where(values.same(gold, system), gold, system)


def _join_alternatives(gold: Side, schema: Schema) -> None:
    """Where a list of gold is alternatives (`any_of`), make it one leaf of several realisations."""
    several = np.array([node.slot.match.any_of for node in schema.nodes] + [False])
    if not several.any():
        return
    leaves = gold.leaves
    node = np.where(leaves.node < len(schema.nodes), leaves.node, UNKNOWN)
    key = slot_keys(leaves.template, leaves.node, gold.width)
    again = np.append(False, key[1:] == key[:-1]) & several[node]
    first = np.flatnonzero(~again)
    joined = Leaves(
        leaves.template[first], leaves.node[first], leaves.optional[first],
        leaves.confidence[first], leaves.filler[first], leaves.place[first],
        np.append(leaves.offsets[first], leaves.offsets[-1]), leaves.code,
    )  # fmt: skip
    gold.finish(joined, gold.width)


def _expected(slot: TypedSlot) -> str:
    words = {"number": "a number", "date": "a date", "time": "a time of day",
             "boolean": "true or false",
             "datetime": "a date and time", "money": "an amount of money", "quantity": "a quantity",
             "enum": "one of the values of the slot"}  # fmt: skip
    return words.get(slot.type, "a text")


def _problem(
    code: str, gold: Side, leaves: Leaves, leaf: int, path: str, raw: Raw, expected: str
) -> Problem:
    corpus = gold.corpus
    doc = int(corpus.templates.doc[leaves.template[leaf]])
    text = raw.text if raw.kind != TEXT else shown(raw.text)
    found = f"{plain(path)} = {plain(text[:60])} in document {shown(corpus.documents.name(doc))}"
    line = int(corpus.documents.line[doc])
    return Problem(code, corpus.file_name("gold", doc), line, found, expected)
