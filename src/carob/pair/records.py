"""Records: gold and system as typed values, on one schema, so that they can be compared in bulk.

The values of a side are *leaves*: each fills a slot of one template, which is a record or an object
in one. Every different value of a slot is read once (`Column`); a leaf is then a number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from carob.arrays.columns import numbering
from carob.arrays.join import distinct
from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import SHOWN, InputError, Problem, plain, shown
from carob.corpus.tables import UNKNOWN, Documents, int32, spread
from carob.pair.filled import words_at
from carob.pair.template_types import named, typed, types_of
from carob.values.column import Column
from carob.values.raw import BOOLEAN, KINDS, NUMBER, OBJECT, TEXT, Raw, Raws, fold
from carob.values.schema import Schema
from carob.values.slot import TypedSlot, typed_slot

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
        if len(index) == len(self) and np.array_equal(index, np.arange(len(index))):
            return self
        places, offsets = spread(self.offsets, index)
        return Leaves(
            self.template[index], self.node[index], self.optional[index], self.confidence[index],
            self.filler[index], self.place[index], offsets, self.code[places],
        )  # fmt: skip


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
        paths, rows = named(table)
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
        found = np.arange(len(mask))
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

    def raw_leaves(self) -> tuple[Leaves, list[str]]:
        """The leaves in the order of the file, and texts; `code` is a place among these, times the
        number of kinds, plus the kind.
        """
        table, fillers = self.corpus.templates, self.corpus.templates.fillers
        texts = list(fillers.text.values)
        text = fillers.text.codes.astype(np.int64)
        silent = np.flatnonzero(text < 0)
        doc = table.doc[fillers.template[fillers.filler[silent]]] if len(silent) else silent
        for row, where in zip(silent.tolist(), doc.tolist(), strict=True):
            words = self.corpus.words(where)
            text[row] = len(texts)
            place = fillers.fragments.of(row)
            texts.append(words_at(words, place, self.corpus.unit or "char") or "")
        code = text * len(KINDS) + np.where(fillers.text.codes < 0, TEXT, fillers.kinds)
        kept, offsets = np.arange(len(fillers)), fillers.realisations
        if self.swallowed.any():
            kept = np.flatnonzero(~self.swallowed[fillers.template])
            places, offsets = spread(fillers.realisations, kept)
            code = code[places]
        objects = np.flatnonzero(self.is_value & ~self.swallowed[np.maximum(self.parent, 0)]
                                 & (self.parent >= 0))  # fmt: skip
        leaves = Leaves(
            self.owner[fillers.template[kept]], self._paths[kept], fillers.optional[kept],
            fillers.confidence[kept], kept, fillers.place[kept], offsets, code,
        )  # fmt: skip
        if not len(objects):
            return leaves, texts
        first = np.searchsorted(fillers.template, objects)
        inside = (first < len(fillers)) & (
            fillers.template[np.minimum(first, max(len(fillers) - 1, 0))] == objects
            if len(fillers)
            else np.zeros(len(objects), bool)
        )
        sure = np.full(len(objects), np.nan)
        if self.confidence is not None:
            sure = self.confidence[objects]
        object_codes = (np.arange(len(objects)) + len(texts)) * len(KINDS) + OBJECT
        texts += [self.json_of(row) for row in objects.tolist()]
        more = Leaves(
            self.parent[objects], self.node[objects], np.zeros(len(objects), bool), sure,
            np.where(inside, first, UNKNOWN), table.place[objects],
            np.arange(len(objects) + 1), object_codes,
        )  # fmt: skip
        return leaves.and_more(more), texts

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
        """Take the leaves, and sort them and the templates: they are found by their place."""
        self.width = width
        key = leaves.template.astype(np.int64) * width + leaves.node
        if np.any(
            (key[1:] < key[:-1]) | ((key[1:] == key[:-1]) & (leaves.place[1:] < leaves.place[:-1]))
        ):
            order = np.lexsort((leaves.place, key))
            leaves, key = leaves.take(order), key[order]
        self.leaves, self._leaf_key = leaves, key
        inner = np.flatnonzero((self.parent >= 0) & (self.node >= 0) & ~self.swallowed)
        keys = self.parent[inner].astype(np.int64) * width + self.node[inner]
        order = np.lexsort((self.corpus.templates.place[inner], keys))
        self.children, self._child_key = inner[order], keys[order]

    def leaves_at(self, templates: IntArray, node: int) -> tuple[IntArray, IntArray]:
        """The first leaf of a slot in each of these templates, and how many there are."""
        return _ranges(self._leaf_key, templates.astype(np.int64) * self.width + node)

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
    words = path.split(".")
    for size in range(len(words) - 1, 0, -1):
        before = ".".join(words[:size])
        if before in known or (before and before in schema.roots):
            return ".".join(words[: size + 1])
    return words[0]


def _order(key: IntArray, place: IntArray) -> IntArray:
    """The order by key, and by place within a key. No two rows have both in common."""
    bits = int(place.max(initial=0)).bit_length()
    if int(key.max(initial=0)).bit_length() + bits > 62:
        return np.lexsort((place, key))
    both = (key << bits) | place
    return np.arange(len(both)) if bool((both[1:] > both[:-1]).all()) else np.argsort(both)


def _ranges(keys: IntArray, wanted: IntArray) -> tuple[IntArray, IntArray]:
    low = np.searchsorted(keys, wanted)
    return low, np.searchsorted(keys, wanted, side="right") - low


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
        columns, unreadable = _columns(ours, theirs, schema, len(rows))
        whole, scale = schema.whole_weights()
        known = schema.by_path
        nodes = [*whole]
        for row in rows[len(schema.nodes) :]:
            before = row.rpartition(".")[0]
            nodes.append(whole[known[before]] if before in known else scale)
        single = len(schema.roots) == 1 and all(
            np.bincount(side.doc[(side.parent == UNKNOWN) & (side.doc >= 0)]).max(initial=0) <= 1
            for side in (ours, theirs)
        )
        return cls(
            ours, theirs, schema, tuple(rows), np.array(nodes, np.int64), scale, columns,
            gold.documents, single, unreadable,
            {"unparsed": system.facts.get("unparsed", 0)}, (*schema.remarks, *both.remarks),
        )  # fmt: skip


def _columns(gold: Side, system: Side, schema: Schema, width: int) -> tuple[dict[int, Column], int]:
    """Read the values of all slots; the sides get their leaves. The number of values of the system
    that cannot be read comes with the columns.
    """
    width = max(width, len(gold.rows), len(system.rows))
    sides = (gold, system)
    found = [side.raw_leaves() for side in sides]
    texts, codes = _on_one_vocabulary(sides, found)
    kept = [np.ones(len(leaves), bool) for leaves, _ in found]
    columns: dict[int, Column] = {}
    problems: list[Problem] = []
    unreadable = 0
    owners, by_node, bounds = [], [], []
    small = np.int16 if width < 1 << 15 else np.int32  # small numbers are sorted faster
    for leaves, _ in found:
        owner = np.repeat(np.arange(len(leaves)), np.diff(leaves.offsets))
        node_of = leaves.node[owner].astype(small)
        order = np.argsort(node_of, kind="stable")
        owners.append(owner)
        by_node.append(order)
        nodes = np.arange(len(schema.nodes) + 1).astype(small)
        bounds.append(np.searchsorted(node_of[order], nodes))
    place = np.empty(len(texts) * len(KINDS), np.int64)
    for node in schema.nodes:
        if node.parent < 0:
            continue
        n = node.number
        rows = [
            order[bound[n] : bound[n + 1]] for order, bound in zip(by_node, bounds, strict=True)
        ]
        if node.is_object:
            if len(rows[0]):
                leaf, first = owners[0][rows[0][0]], int(codes[0][rows[0][0]])
                raw = Raw(first % len(KINDS), texts[first // len(KINDS)])
                problems.append(_problem("K832", gold, found[0][0], leaf, node.path, raw,
                                         "an object with slots"))  # fmt: skip
            continue
        used = distinct(np.concatenate([code[row] for code, row in zip(codes, rows, strict=True)]))
        place[used] = np.arange(len(used))
        for side in (0, 1):
            codes[side][rows[side]] = place[codes[side][rows[side]]]
        own_texts = [texts[i] for i in (used // len(KINDS)).tolist()]
        column = columns[n] = Column(node.slot, Raws(own_texts, used % len(KINDS)))
        if node.slot.null:
            absent = np.array([fold(raw.text) in node.slot.null and raw.kind != OBJECT
                               for raw in column.raws], bool)  # fmt: skip
            for side in (0, 1):
                gone = absent[codes[side][rows[side]]]
                kept[side][owners[side][rows[side]][gone]] = False
        bad = ~column.readable
        ours = rows[0][bad[codes[0][rows[0]]]]
        ours = ours[kept[0][owners[0][ours]]]
        for row in ours[: max(0, SHOWN - len(problems))].tolist():
            raw = column.raws[int(codes[0][row])]
            problems.append(_problem("K831", gold, found[0][0], owners[0][row], node.path, raw,
                                     _expected(node.slot)))  # fmt: skip
        theirs = rows[1][bad[codes[1][rows[1]]]]
        unreadable += int(np.count_nonzero(kept[1][owners[1][theirs]]))
    if problems:
        raise InputError(problems[:SHOWN], len(problems))
    for own, (leaves, _), mask, code in zip(sides, found, kept, codes, strict=True):
        read = Leaves(leaves.template, leaves.node, leaves.optional, leaves.confidence,
                      leaves.filler, leaves.place, leaves.offsets, code)  # fmt: skip
        good = mask & (own.doc[leaves.template] >= 0)
        if schema.unknown == "ignore" or own is gold:
            good &= leaves.node < len(schema.nodes)
        own.finish(read.take(np.flatnonzero(good)), width)
    _join_alternatives(gold, schema)
    return columns, unreadable


PIECE = 1 << 16
"""About how many values get their numbers at a time."""


def _on_one_vocabulary(
    sides: Sequence[Side], found: Sequence[tuple[Leaves, list[str]]]
) -> tuple[list[str], list[IntArray]]:
    """Texts, and the codes of both sides in these. The same text has one code in a document.

    Documents are numbered some at a time: a table of all texts of a large file does not fit into
    the cache, and takes several times longer.
    """
    docs, orders = [], []
    for side, (leaves, _) in zip(sides, found, strict=True):
        doc = np.repeat(side.doc[leaves.template], np.diff(leaves.offsets))
        rises = bool((doc[1:] >= doc[:-1]).all())
        orders.append(np.arange(len(doc)) if rises else np.argsort(doc, kind="stable"))
        docs.append(doc[orders[-1]])
    count = max((int(doc[-1]) + 1 for doc in docs if len(doc)), default=0)
    ends = np.linspace(0, count, sum(map(len, docs)) // PIECE + 2).astype(np.int64)[1:]
    bounds = [np.append(0, np.searchsorted(doc, ends)).tolist() for doc in docs]
    texts: list[str] = []
    codes = [np.empty_like(leaves.code) for leaves, _ in found]
    for piece in range(len(ends)):
        number = numbering()
        for own, order, bound, (leaves, words) in zip(codes, orders, bounds, found, strict=True):
            rows = order[bound[piece] : bound[piece + 1]]
            text, kind = np.divmod(leaves.code[rows], len(KINDS))
            own[rows] = (_numbers(text, words, number) + len(texts)) * len(KINDS) + kind
        texts += number
    return texts, codes


def _numbers(place: IntArray, words: Sequence[str], number: Mapping[str, int]) -> IntArray:
    """The numbers of the words at these places."""
    if not len(place):
        return place
    low, high = int(place.min()), int(place.max()) + 1
    if high - low <= 4 * len(place):  # neighbours in a file have neighbouring words
        some = words[low:high]
        return np.fromiter(map(number.__getitem__, some), np.int64, len(some))[place - low]
    used = distinct(place)
    some = [words[i] for i in used.tolist()]
    table = np.fromiter(map(number.__getitem__, some), np.int64, len(some))
    return table[np.searchsorted(used, place)]


def _join_alternatives(gold: Side, schema: Schema) -> None:
    """Where a list of gold is alternatives (`any_of`), make it one leaf of several realisations."""
    several = np.array([node.slot.match.any_of for node in schema.nodes] + [False])
    if not several.any():
        return
    leaves = gold.leaves
    node = np.where(leaves.node < len(schema.nodes), leaves.node, UNKNOWN)
    key = leaves.template.astype(np.int64) * gold.width + leaves.node
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


def guessed(gold: Corpus) -> Schema:
    """The schema that gold seems to have: numbers and booleans where gold has nothing else,
    otherwise strings; lists where gold has a JSON list or several values.

    >>> gold = Corpus.of({"templates": [{"slots": {"total": [5], "who": ["Ann", "Bo"]}}]})
    >>> [(node.slot.type, node.slot.fillers) for node in guessed(gold).nodes[1:]]
    [('number', 'at most one'), ('string', 'any')]
    """
    slots = guessed_slots(gold)
    words = {"number": [], "boolean": [], "string": []}  # type: dict[str, list[str]]
    for path, slot in slots.items():
        if slot.type in words:
            words[slot.type].append(path)
    few = {kind: paths for kind, paths in words.items() if paths and kind != "string"}
    what = "; ".join(f"{kind}: {_listed(paths)}" for kind, paths in few.items())
    rest = "all others are strings" if what else "all slots are strings"
    lists = [path for path, slot in slots.items() if slot.is_list]
    tail = f"; lists: {_listed(lists)}" if lists else ""
    remark = (
        f"types of slots are guessed from gold ({what + '; ' if what else ''}{rest}{tail}); "
        "carob task init GOLD writes them into a task"
    )
    return Schema.of(slots, types_of(gold) or {""}, remarks=(remark,))


def guessed_slots(gold: Corpus) -> dict[str, TypedSlot]:
    """The slots of a corpus, and their types as far as they show."""
    table, fillers = gold.templates, gold.templates.fillers
    paths, rows = named(table)
    slots: dict[str, TypedSlot] = {}
    inner = table.parent >= 0
    objects = {paths.values[code] for code in np.unique(paths.codes[inner]).tolist()}
    several = {key[1] for key in gold.facts if isinstance(key, tuple) and key[0] == "list"}
    several |= _repeated(paths.codes[inner], table.parent[inner], paths.values)
    several |= _repeated(rows.codes, fillers.template, rows.values)
    kinds = fillers.kinds[fillers.realisations[:-1]]
    for code, row in enumerate(rows.values):
        if row in objects:
            continue
        here = np.unique(kinds[rows.codes == code]).tolist()
        kind = ("string", "number", "boolean")[here[0] if len(here) == 1 else 0]
        fill = "any" if gold.renamed.get(row, row) in several or row in several else "at most one"
        slots[gold.renamed.get(row, row)] = typed_slot({"type": kind, "fillers": fill})[0]
    for path in objects:
        fill = "any" if path in several else "at most one"
        slots[gold.renamed.get(path, path)] = typed_slot({"type": "object", "fillers": fill})[0]
    return slots


def _repeated(codes: IntArray, whose: IntArray, names: Sequence[str]) -> set[str]:
    """The names that occur more than once in the same template."""
    key = whose.astype(np.int64) * (len(names) + 1) + codes
    different, count = np.unique(key, return_counts=True)
    found = np.unique(different[count > 1] % (len(names) + 1))
    return {names[code] for code in found.tolist()}


def _listed(names: Sequence[str]) -> str:
    first = ", ".join(map(plain, names[:5]))
    return first if len(names) <= 5 else f"{first} and {len(names) - 5:,} more"
