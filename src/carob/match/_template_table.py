"""The templates of gold and system in one table, and their order by what they hold.

Templates of a document have no order of their own: a file may list them in any. They are sorted by
type, then by their sorted contents: slots, places, texts, and templates that fill slots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from carob.arrays.join import distinct, packed, ranked
from carob.arrays.ranges import owners_and_rows
from carob.arrays.sequences import sequence_ranks
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.problems import DataError, nearest, shown
from carob.corpus.tables import UNKNOWN, Codes, Fragments, spread
from carob.pair.filled import Filled, FilledPair

PREMODIFIERS = frozenset({
    "a", "the", "an", "this", "that", "these", "those", "one", "two", "three", "four", "five",
    "six", "seven", "eight", "nine", "ten", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10",
    "more", "most", "many", "several", "some", "all", "few", "any", "another", "other", "certain",
    "of",
})  # fmt: skip
"""What MUC-4's scoring program was configured to ignore at the beginning of texts."""


def without_premodifiers(text: str) -> str:
    """A folded text without the premodifiers that it begins with, unless it has nothing else.

    >>> without_premodifiers("all of the guerrillas"), without_premodifiers("three")
    ('guerrillas', 'three')
    """
    words = text.split()
    first = next((i for i, word in enumerate(words) if word not in PREMODIFIERS), 0)
    return " ".join(words[first:])


@dataclass(slots=True, eq=False)
class TemplateTable:
    """Templates (`doc` to `depth`), fillers (`template` to `single`) and their realisations.

    The first `templates` templates and the first `fillers` fillers are gold's. `slot` and `path`
    are equal where fillers and nested templates may be compared, `kind` where templates may; `key`
    says which fillers stand in a slot that templates must share something in to be aligned. A
    `single` filler has no alternatives; those of the system are left out, so that listing several
    gains nothing. Texts are codes of `values`. `sides` are the fillers of the two, as far as they
    are compared. In a `mixed` document some realisations have a place and others have none, so that
    some pairs are compared by places and others by texts.
    """

    sides: tuple[Filled, Filled]
    templates: int
    fillers: int
    doc: IntArray
    type: IntArray
    kind: IntArray
    path: IntArray
    parent: IntArray
    depth: IntArray
    template: IntArray
    slot: IntArray
    key: BoolArray
    optional: BoolArray
    single: BoolArray
    offsets: IntArray
    owner: IntArray
    text: IntArray
    values: tuple[str, ...]
    places: Fragments
    placed: BoolArray
    mixed: BoolArray

    @classmethod
    def of(
        cls, filled: FilledPair, *, typed: bool, key_slots: tuple[str, ...], premodifiers: bool
    ) -> TemplateTable:
        """The slots of a pair; unless `typed`, templates of any types may be aligned. Without
        `key_slots`, every slot is one. Unless `premodifiers`, texts are without them.
        """
        gold, system = filled.gold, filled.system.without_alternatives()
        ours, theirs = gold.forms, system.forms
        n, m = len(ours), len(gold)
        joined = np.concatenate
        doc, kind = joined([ours.doc, theirs.doc]), joined([ours.type, theirs.type])
        up = joined([ours.parent, np.where(theirs.parent < 0, UNKNOWN, theirs.parent + n)])
        depth, root = _depths(up)
        path, slot = joined([ours.path, theirs.path]), joined([gold.label, system.label])
        template = joined([gold.template, system.template + n])
        key = np.ones(len(slot), bool)
        if key_slots:
            key = _are_named(key_slots, path[root[template]], slot, filled)
        if not typed:
            slot = _without_type(path[root[template]], slot, filled.paths, filled.labels)
            path = _without_type(path[root], path, filled.paths, filled.paths)
        size = joined([np.diff(side.fragments.offsets) for side in (gold, system)])
        owner, placed = joined([gold.filler, system.filler + m]), size > 0
        where = doc[template[owner]]
        text = np.full(len(owner), UNKNOWN, np.int32)
        values: tuple[str, ...] = ()
        if not placed.all():
            texts = filled.texts
            text = joined([texts.gold, texts.system[filled.system.realisations[:-1]]])
            values = texts.values
            if not premodifiers:
                plain = Codes.of(list(map(without_premodifiers, values)))
                text, values = np.append(plain.codes, UNKNOWN)[text], plain.values
        some, none = (
            np.bincount(where, each, len(filled.documents)) > 0 for each in (placed, ~placed)
        )
        return cls(
            sides=(gold, system),
            templates=n,
            fillers=m,
            doc=doc,
            type=kind,
            kind=kind if typed else np.zeros_like(kind),
            path=path,
            parent=up,
            depth=depth,
            template=template,
            slot=slot,
            key=key,
            optional=np.append(gold.optional, np.zeros(len(system), bool)),
            single=joined([np.diff(side.realisations) == 1 for side in (gold, system)]),
            offsets=joined([gold.realisations, system.realisations[1:] + len(gold.filler)]),
            owner=owner,
            text=text,
            values=values,
            places=Fragments(
                np.append(0, np.cumsum(size)),
                joined([gold.fragments.start, system.fragments.start]),
                joined([gold.fragments.end, system.fragments.end]),
            ),
            placed=placed,
            mixed=some & none,
        )

    def check_words(self, group: IntArray, filled: FilledPair) -> None:
        """Refuse a place without words that would have to be compared with a text."""
        silent = np.flatnonzero(self.placed & (self.text == UNKNOWN))
        silent = silent[self.mixed[self.doc[self.template[self.owner[silent]]]]]
        if not silent.size:
            return
        bare = np.flatnonzero(~self.placed)
        ours = self.owner < self.fillers
        for side in (True, False):
            these, others = silent[ours[silent] == side], bare[ours[bare] != side]
            compared = np.isin(group[self.owner[these]], group[self.owner[others]])
            for row in these[compared][:1].tolist():
                name = filled.documents.name(int(self.doc[self.template[self.owner[row]]]))
                raise DataError(
                    f"templates: document {shown(name)} has a filler with only a place, one with "
                    "only a text, and no text of its own to compare them in"
                )

    def realisation_codes(self, rows: IntArray) -> IntArray:
        """A number for each of these realisations, equal where what is compared is: the place, or
        the text if there is none; both in a mixed document.
        """
        mixed = self.mixed[self.doc[self.template[self.owner[rows]]]]
        placed = self.placed[rows]
        pieces, cuts = spread(self.places.offsets, rows)
        size = 2 * np.diff(cuts) + (mixed | ~placed) + mixed
        offsets = np.append(0, np.cumsum(size))
        values = np.empty(offsets[-1], np.int64)
        owner, place = owners_and_rows(0, np.diff(cuts))
        values[offsets[:-1][mixed]] = placed[mixed]
        at = offsets[owner] + mixed[owner] + 2 * place
        values[at], values[at + 1] = self.places.start[pieces], self.places.end[pieces]
        worded = np.flatnonzero(mixed | ~placed)
        values[offsets[worded + 1] - 1] = self.text[rows[worded]] + 1
        return sequence_ranks(offsets, values)


@dataclass(frozen=True, slots=True)
class ContentOrder:
    """For each template: a number that is equal where contents are; its place in the order of
    all (of equal contents, those with fewer optional fillers come first); whether no filler in it,
    at any depth, has alternatives, and whether any is optional.
    """

    content: IntArray
    place: IntArray
    plain: BoolArray
    optional: BoolArray

    @classmethod
    def of(cls, table: TemplateTable, docs: BoolArray) -> ContentOrder:
        """The order of the templates of these documents; all others are in no order."""
        fillers = np.flatnonzero(docs[table.doc[table.template]])
        forms = np.flatnonzero((table.doc >= 0) & docs[table.doc])
        code = np.zeros(len(table.template), np.int64)
        code[fillers] = _filler_codes(table, fillers)
        content = finer = _template_codes(table, forms, fillers, code)
        if table.optional[fillers].any():
            finer = _template_codes(table, forms, fillers, code * 2 + table.optional)
        place = np.empty(len(table.doc), np.int64)
        place[np.lexsort((finer, content))] = np.arange(len(table.doc))
        several, optional = np.zeros(len(table.doc), bool), np.zeros(len(table.doc), bool)
        several[table.template[~table.single]] = True
        optional[table.template[table.optional]] = True
        for depth in range(int(table.depth.max(initial=0)), 0, -1):
            rows = np.flatnonzero(table.depth == depth)
            for column in (several, optional):
                column[table.parent[rows[column[rows]]]] = True
        return cls(content, place, ~several, optional)


def numbered(columns: Sequence[IntArray]) -> IntArray:
    """Numbers without gaps, equal where all columns are, in the order of the columns."""
    key = packed(columns, [column[:0] for column in columns])[0]
    return ranked(key)[1]


def _depths(parent: IntArray) -> tuple[IntArray, IntArray]:
    """The depth of each template (0: at the top), and the template at the top above it."""
    depth, root = np.zeros(len(parent), np.int64), np.arange(len(parent))
    while (inner := parent[root] >= 0).any():
        depth += inner
        root = np.where(inner, parent[root], root)
    return depth, root


def _without_type(
    top: IntArray, code: IntArray, tops: tuple[str, ...], names: tuple[str, ...]
) -> IntArray:
    """Names without the type that they begin with, as codes that compare as the words do."""
    words, inverse = _bare_names(top, code, tops, names)
    place = {word: i for i, word in enumerate(sorted(set(words)))}
    table = np.array([place[word] for word in words], np.int64)
    return table[inverse] if len(table) else code


def _bare_names(
    top: IntArray, code: IntArray, tops: tuple[str, ...], names: tuple[str, ...]
) -> tuple[list[str], IntArray]:
    """Names without the type that they begin with, and which of them each row has."""
    width = np.int64(len(names) + 1)
    pairs, inverse = ranked(top * width + code)
    words = []
    for pair in pairs.tolist():
        first, name = tops[pair // int(width)], names[pair % int(width)]
        words.append("" if name == first else name.removeprefix(f"{first}.") if first else name)
    return words, inverse


def _are_named(
    slots: tuple[str, ...], top: IntArray, code: IntArray, filled: FilledPair
) -> BoolArray:
    """Which fillers stand in one of these slots; a slot that no template has is an error."""
    words, inverse = _bare_names(top, code, filled.paths, filled.labels)
    for name in slots:
        if name not in words:
            hint = nearest(name, sorted(set(words))) if words else "; no slot is filled"
            raise DataError(f"templates(align=…): no slot is called {shown(name)}{hint}")
    return np.isin(words, slots)[inverse] if words else np.ones(0, bool)


def _filler_codes(table: TemplateTable, fillers: IntArray) -> IntArray:
    """A number for each filler, equal where its slot and the set of its realisations are."""
    rows, cuts = spread(table.offsets, fillers)
    owner = np.repeat(np.arange(len(fillers)), np.diff(cuts))
    width = np.int64(len(rows) + 1)
    different = distinct(owner * width + table.realisation_codes(rows))
    return _ranks_of([table.slot[fillers]], different // width, different % width)


def _template_codes(
    table: TemplateTable, forms: IntArray, fillers: IntArray, code: IntArray
) -> IntArray:
    """A number for each template, from those of its fillers and of the templates in it."""
    content, local = np.zeros((2, len(table.doc)), np.int64)
    first = int(code.max(initial=0)) + 1
    for depth in range(int(table.depth[forms].max(initial=0)), -1, -1):
        rows = forms[table.depth[forms] == depth]
        local[rows] = np.arange(len(rows))
        own = fillers[table.depth[table.template[fillers]] == depth]
        inner = forms[table.depth[forms] == depth + 1]
        whose = np.concatenate([table.template[own], table.parent[inner]])
        items = np.concatenate([code[own], first + content[inner]])
        order = np.lexsort((items, whose))
        heads = [table.type[rows], table.path[rows]]
        content[rows] = _ranks_of(heads, local[whose[order]], items[order])
    return content


def _ranks_of(heads: list[IntArray], whose: IntArray, items: IntArray) -> IntArray:
    """The ranks of sequences, each some heads and then its items; items are sorted by row."""
    size = np.bincount(whose, minlength=len(heads[0])) + len(heads)
    offsets = np.append(0, np.cumsum(size))
    values, is_item = np.empty(offsets[-1], np.int64), np.ones(offsets[-1], bool)
    for i, head in enumerate(heads):
        values[offsets[:-1] + i] = head
        is_item[offsets[:-1] + i] = False
    values[is_item] = items
    return sequence_ranks(offsets, values)
