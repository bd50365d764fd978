"""The order of templates by what they hold, and which of them hold the same.

Templates of one document have no order of their own: a file may give them in any. They are sorted
by type, then by their sorted contents: slots, places, texts, and templates that stand in them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob.arrays.join import distinct
from carob.arrays.sequences import sequence_ranks
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.tables import spread
from carob.match._templates_both import Both


@dataclass(frozen=True, slots=True)
class Order:
    """For each template: a number that is equal where contents are; its place in the order of
    all (of equal contents, those with fewer optional fillers come first); whether it and all in
    it have no filler with alternatives, and whether any filler is optional.
    """

    content: IntArray
    place: IntArray
    plain: BoolArray
    optional: BoolArray


def ordered(both: Both, docs: BoolArray) -> Order:
    """The order of the templates of these documents; all others are in no order."""
    fillers = np.flatnonzero(docs[both.doc[both.template]])
    forms = np.flatnonzero((both.doc >= 0) & docs[both.doc])
    code = np.zeros(len(both.template), np.int64)
    code[fillers] = _filler_codes(both, fillers)
    content = _template_codes(both, forms, fillers, code)
    finer = content
    if both.optional[fillers].any():
        finer = _template_codes(both, forms, fillers, code * 2 + both.optional)
    place = np.empty(len(both.doc), np.int64)
    place[np.lexsort((finer, content))] = np.arange(len(both.doc))
    odd, optional = np.zeros(len(both.doc), bool), np.zeros(len(both.doc), bool)
    odd[both.template[~both.single]] = True
    optional[both.template[both.optional]] = True
    for depth in range(int(both.depth.max(initial=0)), 0, -1):
        rows = np.flatnonzero(both.depth == depth)
        odd[both.parent[rows[odd[rows]]]] = True
        optional[both.parent[rows[optional[rows]]]] = True
    return Order(content, place, ~odd, optional)


def realisation_codes(both: Both, rows: IntArray) -> IntArray:
    """A number for each of these realisations, equal where what is compared is: the place, the
    text where there is none, both in a document that has the two.
    """
    mixed = both.mixed[both.doc[both.template[both.owner[rows]]]]
    placed = both.placed[rows]
    pieces, cuts = spread(both.places.offsets, rows)
    size = 2 * np.diff(cuts) + (mixed | ~placed) + mixed
    offsets = np.append(0, np.cumsum(size))
    values = np.empty(offsets[-1], np.int64)
    owner = np.repeat(np.arange(len(rows)), np.diff(cuts))
    values[offsets[:-1][mixed]] = placed[mixed]
    at = offsets[owner] + mixed[owner] + 2 * (np.arange(len(pieces)) - cuts[owner])
    values[at], values[at + 1] = both.places.start[pieces], both.places.end[pieces]
    worded = np.flatnonzero(mixed | ~placed)
    values[offsets[worded + 1] - 1] = both.text[rows[worded]] + 1
    return sequence_ranks(offsets, values)


def _filler_codes(both: Both, fillers: IntArray) -> IntArray:
    """A number for each filler: its slot and the set of its realisations."""
    rows, cuts = spread(both.offsets, fillers)
    owner = np.repeat(np.arange(len(fillers)), np.diff(cuts))
    codes = realisation_codes(both, rows)
    width = np.int64(len(rows) + 1)
    different = distinct(owner * width + codes)
    return _headed([both.slot[fillers]], different // width, different % width)


def _template_codes(both: Both, forms: IntArray, fillers: IntArray, code: IntArray) -> IntArray:
    """A number for each template, from those of its fillers and of the templates in it."""
    content = np.zeros(len(both.doc), np.int64)
    first = int(code.max(initial=0)) + 1
    local = np.zeros(len(both.doc), np.int64)
    for depth in range(int(both.depth[forms].max(initial=0)), -1, -1):
        rows = forms[both.depth[forms] == depth]
        local[rows] = np.arange(len(rows))
        own = fillers[both.depth[both.template[fillers]] == depth]
        inner = forms[both.depth[forms] == depth + 1]
        whose = np.concatenate([both.template[own], both.parent[inner]])
        items = np.concatenate([code[own], first + content[inner]])
        order = np.lexsort((items, whose))
        content[rows] = _headed(
            [both.type[rows], both.path[rows]], local[whose[order]], items[order]
        )
    return content


def _headed(heads: list[IntArray], whose: IntArray, items: IntArray) -> IntArray:
    """The ranks of sequences, each some heads and then its items; items are sorted by row."""
    count, extra = len(heads[0]), len(heads)
    size = np.bincount(whose, minlength=count) + extra
    offsets = np.append(0, np.cumsum(size))
    values = np.empty(offsets[-1], np.int64)
    for i, head in enumerate(heads):
        values[offsets[:-1] + i] = head
    tail = np.ones(len(values), bool)
    for i in range(extra):
        tail[offsets[:-1] + i] = False
    values[tail] = items
    return sequence_ranks(offsets, values)
