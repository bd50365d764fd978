"""Gold and system in one table: first the templates and fillers of gold, then the system's."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from carob.arrays.types import BoolArray, IntArray
from carob.corpus.problems import UsageError, shown
from carob.corpus.tables import UNKNOWN, Fragments
from carob.pair.filled import Filled, FilledPair


@dataclass(frozen=True, slots=True, eq=False)
class Both:
    """Templates (`doc` to `depth`), fillers (`template` to `single`) and their realisations.

    The first `templates` templates and the first `fillers` fillers are gold's. `slot` and `path`
    are equal where fillers and nested templates may be compared, `kind` where templates may. A
    `single` filler has no alternatives; those of the system are left out, so that naming several
    wins nothing. `sides` are the fillers of the two, as far as they are compared. In a `mixed`
    document some realisations have a place and others have none, so that some pairs are compared
    by places and others by texts.
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
    optional: BoolArray
    single: BoolArray
    offsets: IntArray
    owner: IntArray
    text: IntArray
    places: Fragments
    placed: BoolArray
    mixed: BoolArray

    @classmethod
    def of(cls, filled: FilledPair, *, typed: bool) -> Both:
        """The slots of a pair; unless `typed`, templates of any types may be aligned."""
        gold, own = filled.gold, filled.system.realisations[:-1]
        system = replace(
            filled.system, realisations=np.arange(len(own) + 1),
            raw=filled.system.raw.take(own), fragments=filled.system.fragments.take(own),
        )  # fmt: skip
        ours, theirs = gold.forms, system.forms
        n, m = len(ours), len(gold)
        joined = np.concatenate
        doc, kind = joined([ours.doc, theirs.doc]), joined([ours.type, theirs.type])
        up = joined([ours.parent, np.where(theirs.parent < 0, UNKNOWN, theirs.parent + n)])
        depth, root = _depths(up)
        path, slot = joined([ours.path, theirs.path]), joined([gold.label, system.label])
        template = joined([gold.template, system.template + n])
        if not typed:
            slot = _below(path[root[template]], slot, filled.paths, filled.labels)
            path = _below(path[root], path, filled.paths, filled.paths)
        size = joined([np.diff(side.fragments.offsets) for side in (gold, system)])
        owner, placed = joined([gold.filler, system.filler + m]), size > 0
        where = doc[template[owner]]
        text = np.full(len(owner), UNKNOWN, np.int32)
        if not placed.all():
            text = joined([filled.texts.gold, filled.texts.system[own]])
        documents = len(filled.documents)
        return cls(
            (gold, system), n, m, doc, kind,
            kind if typed else np.zeros_like(kind), path, up, depth, template,
            slot, joined([gold.optional, system.optional & False]),
            joined([np.diff(side.realisations) == 1 for side in (gold, system)]),
            joined([gold.realisations, system.realisations[1:] + len(gold.filler)]), owner, text,
            Fragments(
                np.append(0, np.cumsum(size)),
                joined([side.fragments.start for side in (gold, system)]),
                joined([side.fragments.end for side in (gold, system)]),
            ),
            placed,
            (np.bincount(where, placed, documents) > 0)
            & (np.bincount(where, ~placed, documents) > 0),
        )  # fmt: skip

    def check(self, group: IntArray, filled: FilledPair) -> None:
        """Refuse a place without words that would have to be compared with a text."""
        silent = np.flatnonzero(self.placed & (self.text == UNKNOWN))
        silent = silent[self.mixed[self.doc[self.template[self.owner[silent]]]]]
        if not silent.size:
            return
        bare = np.flatnonzero(~self.placed)
        ours = self.owner < self.fillers
        for side in (True, False):
            these, others = silent[ours[silent] == side], bare[ours[bare] != side]
            met = np.isin(group[self.owner[these]], group[self.owner[others]])
            for row in these[met][:1].tolist():
                name = filled.documents.name(int(self.doc[self.template[self.owner[row]]]))
                raise UsageError(
                    f"templates: document {shown(name)} has a filler with only a place, one with "
                    "only a text, and no text of its own to compare them in"
                )


def _depths(parent: IntArray) -> tuple[IntArray, IntArray]:
    """How deep each template stands (0: at the top), and the one at the top above it."""
    depth, root = np.zeros(len(parent), np.int64), np.arange(len(parent))
    while (inner := parent[root] >= 0).any():
        depth += inner
        root = np.where(inner, parent[root], root)
    return depth, root


def _below(
    top: IntArray, code: IntArray, tops: tuple[str, ...], names: tuple[str, ...]
) -> IntArray:
    """Names without the type that they begin with, as codes that compare as the words do."""
    width = np.int64(len(names) + 1)
    pairs, inverse = np.unique(top * width + code, return_inverse=True)
    words = []
    for pair in pairs.tolist():
        first, name = tops[pair // int(width)], names[pair % int(width)]
        words.append("" if name == first else name.removeprefix(f"{first}.") if first else name)
    place = {word: i for i, word in enumerate(sorted(set(words)))}
    table = np.array([place[word] for word in words], np.int64)
    return table[inverse.reshape(-1)] if len(table) else code
