"""Where arguments and triggers are: one number for each mention, equal on both sides if the places
count as the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from carob.arrays.greedy import greedy
from carob.arrays.join import join, packed, ranked
from carob.arrays.ranges import owners_and_rows
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.corpus import Words
from carob.corpus.problems import DataError, shown
from carob.corpus.tables import UNKNOWN, Fragments, Mentions
from carob.match.slots import align
from carob.pair.filled import words_at
from carob.pair.links import LinkedPair
from carob.pair.pair import Pair
from carob.pair.string_relations import TEXT
from carob.values.raw import fold

Span = Literal["exact", "head", "aligned", "first", "text"]


class Places(NamedTuple):
    """The place of each mention of gold and of the system, from 1 up; documents are part of it.
    Places after `last` fit nothing, but are the same for mentions that are at the same place.
    """

    gold: IntArray
    system: IntArray
    last: int


def places(links: LinkedPair, span: str, *, labelled: bool) -> Places:
    """The places of all mentions, compared as `span` says; `labelled`, if the labels of mentions
    must agree too, which decides what may be aligned.
    """
    pair = links.mentions
    if links.wordless and span != "text":
        raise DataError(f"{links.wordless}; span=text compares arguments as strings")
    key = ("places", span, labelled and span in ("aligned", "first"))
    if key not in pair.remembered:
        texts = span == "text"
        pair.remembered[key] = _texts(links) if texts else _places(pair, span, labelled=labelled)
    found: Places = pair.remembered[key]
    return found


def _places(pair: Pair, span: str, *, labelled: bool) -> Places:
    if span == "head":
        heads = replace(pair, gold=_headed(pair.gold), system=_headed(_with_heads(pair)))
        return _numbered(*heads.keys(label=False))
    ours, theirs = pair.keys(label=False)
    if span == "exact":
        return _numbered(ours, theirs)
    if span == "aligned":
        gold, system = _aligned(pair, labelled=labelled)
    else:
        gold, system = _first(pair, labelled=labelled)
    both = _numbered(ours, theirs)
    moved = both.last + both.system
    moved[system] = both.gold[gold]
    return both._replace(system=moved)


def _texts(links: LinkedPair) -> Places:
    """The strings of mentions in the place of their places."""
    pair, sides = links.mentions, []
    numbers: dict[tuple[int, str], int] = {}
    for table, own in ((pair.gold, links.gold), (pair.system, links.system)):
        codes = np.zeros(len(table), np.int64)
        doc = UNKNOWN
        words: Words = (None, None)
        for row in np.unique(own.mention[own.mention >= 0]).tolist():
            if table.doc[row] != doc:
                doc = int(table.doc[row])
                words = links.words(doc)
            text = table.attributes[TEXT][row] if TEXT in table.attributes else None
            text = text or words_at(words, table.fragments_of(row), pair.unit)
            if text is None:
                name = shown(pair.documents.name(doc))
                found = f"document {name} has mentions and no text to read them in"
                raise DataError(links.wordless or f"span=text compares strings, and {found}")
            codes[row] = numbers.setdefault((doc, fold(text)), len(numbers) + 1)
        sides.append(codes)
    return Places(sides[0], sides[1], len(numbers))


def _numbered(ours: IntArray, theirs: IntArray) -> Places:
    numbers = ranked(np.concatenate([ours, theirs]))[1] + 1
    return Places(numbers[: len(ours)], numbers[len(ours) :], int(numbers.max(initial=0)))


def _aligned(pair: Pair, *, labelled: bool) -> tuple[IntArray, IntArray]:
    """The alignment of `slots`; if labels must agree, of the mentions of each label alone."""
    if not labelled:
        alignment = align(pair)
        return alignment.gold, alignment.system
    # Mentions of different labels share no document any more, so they cannot be aligned.
    width = len(pair.labels)

    def apart(table: Mentions) -> Mentions:
        doc = table.doc.astype(np.int64) * width + table.label
        order = np.argsort(doc, kind="stable")
        return replace(table.take(order), doc=doc[order])

    orders = [
        np.argsort(table.doc.astype(np.int64) * width + table.label, kind="stable")
        for table in (pair.gold, pair.system)
    ]
    within = Pair(apart(pair.gold), apart(pair.system), pair.labels, pair.documents, pair.unit)
    alignment = align(within)
    return orders[0][alignment.gold], orders[1][alignment.system]


def _first(pair: Pair, *, labelled: bool) -> tuple[IntArray, IntArray]:
    """Same place and label; then same place, which fits nothing if labels must agree; then each
    system mention in turn takes the first gold mention left that overlaps.
    """
    gold, system = pair.identical
    free_gold, free_system = np.ones(len(pair.gold), bool), np.ones(len(pair.system), bool)
    free_gold[gold] = free_system[system] = False
    ours, theirs = pair.keys(label=False)
    left, others = np.flatnonzero(free_gold), np.flatnonzero(free_system)
    one, other = join(ours[left], theirs[others])
    one, other = left[one], others[other]
    free_gold[one] = free_system[other] = False
    if labelled:
        one, other = one[:0], other[:0]
    edges = pair.overlaps
    fits = free_gold[edges.gold] & free_system[edges.system]
    if labelled:
        fits &= pair.same_label
    a, b = edges.gold[fits], edges.system[fits]
    order = np.lexsort((a, b))
    a, b = a[order], b[order]
    taken = greedy(a, b) if len(a) else np.zeros(0, bool)
    return np.concatenate([gold, one, a[taken]]), np.concatenate([system, other, b[taken]])


def _with_heads(pair: Pair) -> Mentions:
    """The system's mentions; one without a head has that of the shortest gold mention that it lies
    in and whose head it covers (of equally short ones, of the first in the document).
    """
    gold, system = pair.gold, pair.system
    if gold.head is None:
        return system
    none = np.full((len(system), 2), UNKNOWN, np.int32)
    head = none if system.head is None else system.head.copy()
    edges = pair.overlaps
    known = (gold.head[edges.gold, 0] != UNKNOWN) & (head[edges.system, 0] == UNKNOWN)
    size, sizes = _sizes(system), _sizes(gold)
    rows = np.flatnonzero(known & (edges.shared == size[edges.system]))
    rows = rows[_covers(system, edges.system[rows], gold.head[edges.gold[rows]])]
    one, other = edges.gold[rows], edges.system[rows]
    order = np.lexsort((one, sizes[one], other))
    one, other = one[order], other[order]
    best = np.flatnonzero(np.append(True, other[1:] != other[:-1])) if len(other) else other
    head[other[best]] = gold.head[one[best]]
    return replace(system, head=head)


def _sizes(table: Mentions) -> IntArray:
    """How many positions each mention covers."""
    pieces = table.pieces()
    length = np.append(0, np.cumsum(pieces.end.astype(np.int64) - pieces.start))
    sizes: IntArray = length[pieces.offsets[1:]] - length[pieces.offsets[:-1]]
    return sizes


def _covers(table: Mentions, rows: IntArray, head: IntArray) -> BoolArray:
    """Whether each of these mentions covers the head beside it: in one fragment, since fragments
    do not touch.
    """
    pieces = table.pieces()
    count = np.diff(pieces.offsets)[rows]
    owner, piece = owners_and_rows(pieces.offsets[:-1][rows], count)
    inside = (pieces.start[piece] <= head[owner, 0]) & (head[owner, 1] <= pieces.end[piece])
    covered: BoolArray = np.bincount(owner, inside, len(rows)) > 0
    return covered


def _headed(table: Mentions) -> Mentions:
    """Mentions that are at the place of their head, if it is known."""
    if table.head is None:
        return table
    rows = np.flatnonzero(table.head[:, 0] != UNKNOWN)
    start, end = table.start.copy(), table.end.copy()
    start[rows], end[rows] = table.head[rows, 0], table.head[rows, 1]
    if table.fragments is None:
        return replace(table, start=start, end=end)
    spans: list[Sequence[tuple[int, int]]] = [
        table.fragments_of(row) if (head := table.head_of(row)) is None else (head,)
        for row in range(len(table))
    ]
    return replace(table, start=start, end=end, fragments=Fragments.of_spans(spans))


def clustered(
    links: LinkedPair, found: Places, labels: tuple[IntArray, IntArray] | None
) -> tuple[IntArray, IntArray]:
    """One number for the place (and label) of each mention, in which a gold cluster counts as one.

    The places (with `labels`, the places and labels) of the mentions of a cluster become the same,
    on both sides. If a place is in several clusters, the first counts.
    """
    gold, system = found.gold, found.system
    if labels is not None:
        gold, system = packed([gold, labels[0]], [system, labels[1]])
    numbers = _numbered(gold, system)
    clusters = links.gold.clusters
    cluster = np.repeat(np.arange(len(clusters)), np.diff(clusters.offsets))
    member = clusters.mention
    there = member != UNKNOWN
    which = np.full(1 + numbers.last, -1, np.int64)
    own = numbers.gold[member[there]]
    which[own[::-1]] = cluster[there][::-1]  # the first is written last
    top = len(which)

    # Clusters come after all places.
    gold, system = (np.where(which[codes] >= 0, top + which[codes], codes) for codes in numbers[:2])
    return gold, system
