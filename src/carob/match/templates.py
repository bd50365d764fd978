"""Templates: slot filling as MUC scored it.

Templates stand at *sites*: those of one site may be aligned, and no others. At the top a site is a
document and a type; further in it is a slot, and a type, of templates that may be aligned. Where
gold and system have one template each at a site there is nothing to choose, and it is a *fixed*
pair. Equal templates are fixed pairs, too, where that can cost nothing (see `_equal_templates`).
Only the others are compared each with each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from carob.arrays.assign import assign
from carob.arrays.join import distinct, join, packed, ranked
from carob.arrays.optimum import TooManyStepsError
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.problems import RecipeError, nearest
from carob.counts.events import Events
from carob.match._fillers import (
    EXACT,
    IDLE,
    CrowdError,
    Edges,
    Realised,
    check_match,
    place_edges,
    text_edges,
)
from carob.match._template_table import ContentOrder, TemplateTable, numbered
from carob.match.overlap import Contains, Overlap
from carob.match.semeval import ERRORS, OUTCOMES, QUANTITIES
from carob.match.slots import sorted_names
from carob.pair.pair import Pair

MOST_PAIRS = 4_000_000
"""How many pairs of fillers of one document are looked at, at most: about 2,000 x 2,000 that all
have a word in common, or that stand in as many templates. It takes seconds, and a GB of memory."""

_TYPES = ("same", "ignore")
_PREMODIFIERS = ("count", "ignore")


@dataclass(frozen=True, slots=True)
class Templates:
    """Forms with slots are aligned, then the fillers of each slot: correct, incorrect, partly
    correct, missing or spurious, as in MUC.

    A document's templates of one type (`type=ignore`: of any type) are aligned one-to-one if they
    share a filler that is correct or partly correct: so that most fillers are correct, then most
    are partly correct, then in the order of their contents. In an aligned pair, fillers of one slot
    are aligned one-to-one: correct (COR) if they match, partly correct (PAR, worth a half) if
    they only overlap. What remains on both sides pairs as incorrect (INC), and the rest is missing
    (MIS) or spurious (SPU), as are all fillers of unaligned templates. Alternatives count as one
    filler; an optional filler that is not found does not count. Templates that fill a slot are
    aligned within aligned templates, by the same rule.

    Fillers are compared by their places if both have one, otherwise by their texts, ignoring case
    and extra white space. `match` says how strictly: `exact`, `contains(k=1)` or `overlap` (a word
    or a position in common; punctuation at the ends of words is ignored). With `overlap` nothing is
    partly correct. POS = COR + INC + PAR + MIS, ACT = COR + INC + PAR + SPU, R = (COR + 0.5 PAR) /
    POS, P = (COR + 0.5 PAR) / ACT. A slot counts in the row TYPE.slot; on the system's side
    (COR_system, INC_system, PAR_system, SPU), in the row of the system's template. Without
    templates, mentions fill the slot that their label names.

    `align=perpetrator+target` is MUC's restriction: templates are aligned only if they share a
    correct or partly correct filler in one of these slots. With `premodifiers=ignore` articles,
    numbers up to ten and the like are removed from the beginning of texts before these are
    compared: "all of the guerrillas" is "guerrillas". Both are in the configuration of MUC-4's
    scoring program; Chinchor (1992), "MUC-4 Evaluation Metrics".

    Chinchor & Sundheim (1993), "MUC-5 Evaluation Metrics", who align templates for the best F. In
    the example the room is correct, the speaker partly, and the time is wrong:

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> talk = {"speaker": ["Dr. Ann Lee"], "room": ["5409"], "time": ["3:30", "15:30"]}
    >>> answer = {"speaker": ["Ann Lee"], "room": ["5409"], "time": ["4:30"], "host": ["Bo"]}
    >>> gold = Corpus.of({"templates": [{"label": "talk", "slots": talk}]})
    >>> system = Corpus.of({"templates": [{"label": "talk", "slots": answer}]})
    >>> counts = Tally.of(Templates(), Pair.of(gold, system)).counted()
    >>> {name: counts[name] for name in ("COR", "INC", "PAR", "MIS", "SPU")}
    {'COR': 1.0, 'INC': 1.0, 'PAR': 1.0, 'MIS': 1.0, 'SPU': 1.0}
    >>> counts = Tally.of(Templates(align=("time",)), Pair.of(gold, system)).counted()
    >>> {name: counts[name] for name in ("COR", "INC", "PAR", "MIS", "SPU")}
    {'COR': 0.0, 'INC': 0.0, 'PAR': 0.0, 'MIS': 4.0, 'SPU': 4.0}
    """

    match: Any = EXACT
    type: Literal["same", "ignore"] = "same"
    align: tuple[str, ...] = ()
    premodifiers: Literal["count", "ignore"] = "count"

    name: ClassVar[str] = "templates"
    items: ClassVar[Literal["mention", "filler"]] = "filler"
    of_strings: ClassVar[bool] = True
    by_document: ClassVar[bool] = True
    idle: ClassVar[Mapping[str, tuple[str, ...]]] = IDLE
    outcomes, errors, quantities = OUTCOMES, ERRORS, QUANTITIES

    def __post_init__(self) -> None:
        check_match(self.name, self.match)
        if self.type not in _TYPES:
            raise RecipeError(f"templates has no type {self.type!r}{nearest(self.type, _TYPES)}")
        object.__setattr__(self, "align", sorted_names(self.name, self.align, "align"))
        if self.premodifiers not in _PREMODIFIERS:
            raise RecipeError(
                f"templates(premodifiers=…): found {self.premodifiers}, expected count or ignore"
            )

    @property
    def symmetric(self) -> bool:
        """Whether exchanging the sides exchanges P and R."""
        return not isinstance(self.match, Contains)

    def __call__(self, pair: Pair) -> Events:
        """Align, then judge every filler."""
        fillers = align_templates(
            pair,
            self.match,
            typed=self.type == "same",
            key_slots=self.align,
            premodifiers=self.premodifiers == "count",
        )
        right, wrong, partial = fillers.right, fillers.wrong, fillers.partial
        return Events.of(
            pair.filled,
            self.outcomes,
            gold={"COR": right, "INC": wrong, "PAR": partial, "MIS": fillers.missing},
            system={
                "COR_system": right,
                "INC_system": wrong,
                "PAR_system": partial,
                "SPU": fillers.spurious,
            },
        )


@dataclass(frozen=True, slots=True)
class FillerOutcomes:
    """Fillers of gold and system (each counted from 0) by what became of them.

    Optional fillers of gold that were not found are in none.
    """

    right: Edges
    partial: Edges
    wrong: Edges
    missing: IntArray
    spurious: IntArray


def align_templates(
    pair: Pair, match: Any, *, typed: bool, key_slots: tuple[str, ...], premodifiers: bool
) -> FillerOutcomes:
    """Align the templates of a pair, then their fillers. Templates at the top must share something
    in one of the `key_slots`, if there are any.
    """
    table = TemplateTable.of(
        pair.filled, typed=typed, key_slots=key_slots, premodifiers=premodifiers
    )
    order = ContentOrder.of(table, _documents_with_choice(table))
    site, fixed = _sites(table, order, equals=match == EXACT and not key_slots)
    group = numbered([site[table.template], table.slot])
    table.check_words(group, pair.filled)
    none = np.empty(0, np.int64)
    gold, system = _equal_fillers(table, group, fixed) if match == EXACT else (none, none)
    left = np.ones(len(group), bool)
    left[gold] = left[system] = False
    more, others, sure = _filler_pairs(pair, table, np.flatnonzero(left), group, match)
    try:
        taken = _best_filler_pairs(table, more, others, sure)
        right = np.append(np.ones(len(gold), bool), sure[taken])
        gold, system = np.append(gold, more[taken]), np.append(system, others[taken])
        partner = _best_template_pairs(table, order, gold, system, right)
    except TooManyStepsError:
        raise pair.too_large(
            None, "templates that can be aligned in too many ways",
            "at most some 300 templates of one type in a document, or fillers of one slot",
        ) from None  # fmt: skip
    kept = partner[table.template[gold]] == table.template[system]
    return _outcomes(table, partner, gold[kept], system[kept], right[kept])


def _documents_with_choice(table: TemplateTable) -> BoolArray:
    """The documents in which some template may be aligned with more than one."""
    key = numbered([table.doc + 1, table.depth, table.path, table.kind])
    sizes = _sizes(table, np.arange(len(key)), key)
    crowd = (sizes.min(axis=0) > 0) & (sizes.max(axis=0) > 1)
    docs = np.zeros(len(table.mixed) + 1, bool)
    docs[table.doc[crowd[key]]] = True
    return docs[:-1]


def _sizes(table: TemplateTable, rows: IntArray, key: IntArray) -> IntArray:
    """How many of these templates gold and system have for each key."""
    ours = rows < table.templates
    return np.stack([np.bincount(key[side], minlength=_top(key)) for side in (ours, ~ours)])


def _sites(
    table: TemplateTable, order: ContentOrder, *, equals: bool
) -> tuple[IntArray, BoolArray]:
    """The site of each template, and whether it is one of a fixed pair, which has its own site."""
    site, fixed = np.full(len(table.doc), -1, np.int64), np.zeros(len(table.doc), bool)
    first = 0
    for depth in range(_top(table.depth)):
        rows = np.flatnonzero(table.depth == depth)
        within = site[table.parent[rows]] if depth else table.doc[rows] + 1
        free = fixed[table.parent[rows]] if depth else np.ones(len(rows), bool)
        key = numbered([within, table.path[rows], table.kind[rows]])
        sizes = _sizes(table, rows, key)
        lone = (sizes == 1).all(axis=0)[key] & free
        site[rows], fixed[rows] = first + key, lone
        first += sizes.shape[1]
        crowd = (sizes.min(axis=0) > 0)[key] & free & ~lone
        if equals and crowd.any():
            gold, system = _equal_templates(table, order, rows[crowd], key[crowd])
            site[gold] = site[system] = first + np.arange(len(gold))
            fixed[gold] = fixed[system] = True
            first += len(gold)
    return site, fixed


def _equal_templates(
    table: TemplateTable, order: ContentOrder, rows: IntArray, key: IntArray
) -> Edges:
    """Pairs of equal templates, at sites with a choice, that the best alignment has in any case.

    If g equals s, and an alignment has g with t and h with s instead, then what t shares with g
    and h with s, which is g, can be found in each other by t and h, so g with s and h with t are
    as good or better. For that, sharing must be passed on: not where fillers have alternatives
    or some have places and others have not, nor where a match is less than equality, nor where
    t and h may not be aligned for want of a key slot. And where equal templates differ in what is
    optional, the order has to choose among them.
    """
    same = numbered([key, order.content[rows]])
    odd = np.zeros(_top(same), bool)
    odd[same[order.optional[rows]]] = True
    sure = order.plain[rows] & ~table.mixed[table.doc[rows]] & ~odd[same]
    return _joined(rows[sure], table.templates, [same[sure]])


def _equal_fillers(table: TemplateTable, group: IntArray, fixed: BoolArray) -> Edges:
    """Pairs of equal fillers, in fixed pairs of templates, that the best alignment may have.

    The reason is that of `_equal_templates`. An optional filler waits, since another may need its
    match.
    """
    sure = table.single & ~table.optional & fixed[table.template]
    rows = np.flatnonzero(sure & ~table.mixed[table.doc[table.template]])
    codes = table.realisation_codes(table.offsets[rows])
    return _joined(rows, table.fillers, [group[rows], codes])


def _joined(rows: IntArray, first: int, columns: Sequence[IntArray]) -> Edges:
    """Rows of gold with rows of the system, which begin at `first`, one-to-one, where all columns
    are equal.
    """
    ours = rows < first
    gold, system = join(*packed([c[ours] for c in columns], [c[~ours] for c in columns]))
    return rows[ours][gold], rows[~ours][system]


def _filler_pairs(
    pair: Pair, table: TemplateTable, fillers: IntArray, group: IntArray, match: Any
) -> tuple[IntArray, IntArray, BoolArray]:
    """The pairs among these fillers whose `group` (a number for every filler) is the same, sorted:
    gold, system, and whether they match or only overlap.

    Two realisations are compared by their places if both have one, else by their texts. All
    documents are taken together, unless that makes too many pairs.
    """
    ours, theirs = np.zeros((2, _top(group)), bool)
    ours[group[fillers[fillers < table.fillers]]] = True
    theirs[group[fillers[fillers >= table.fillers]]] = True
    fillers = fillers[(ours & theirs)[group[fillers]]]
    width = np.int64(len(table.template) + 1)
    try:
        right = every = _pair_keys(pair, table, fillers, group, match, width)
        if match != Overlap():
            partial = _pair_keys(pair, table, fillers, group, Overlap(), width)
            every = distinct(np.concatenate([right, partial]))
        sure = np.zeros(len(every), bool)
        sure[np.searchsorted(every, right)] = True
        return every // width, every % width, sure
    except CrowdError as error:
        doc = table.doc[table.template[fillers]]
        middle = (int(doc.min()) + int(doc.max()) + 1) // 2
        if doc.min() == doc.max():
            raise error.located(pair.filled, error.row) from None
        halves = [
            _filler_pairs(pair, table, fillers[half], group, match)
            for half in (doc < middle, doc >= middle)
        ]
    gold, system, sure = (np.concatenate(columns) for columns in zip(*halves, strict=True))
    order = np.lexsort((system, gold))
    return gold[order], system[order], sure[order]


def _pair_keys(
    pair: Pair,
    table: TemplateTable,
    fillers: IntArray,
    group: IntArray,
    match: Any,
    width: np.int64,
) -> IntArray:
    """The pairs that match in one way, each as gold x width + system, sorted."""
    edges = [
        *_edges_by_text(table, fillers, group, match),
        _edges_by_place(pair, table, fillers, group, match),
    ]
    return distinct(np.concatenate([gold * width + system for gold, system in edges]))


def _edges_by_text(
    table: TemplateTable, fillers: IntArray, group: IntArray, match: Any
) -> list[Edges]:
    """Pairs of realisations of which at least one has no place."""
    wanted = np.zeros(len(table.template), bool)
    wanted[fillers] = True
    rows = np.flatnonzero(wanted[table.owner] & (table.text >= 0))
    rows = rows[~table.placed[rows] | table.mixed[table.doc[table.template[table.owner[rows]]]]]
    if not rows.size:
        return []
    codes, text = ranked(table.text[rows])
    values = [table.values[code] for code in codes.tolist()]
    owner, bare = table.owner[rows], ~table.placed[rows]
    ours = owner < table.fillers

    def some(mask: BoolArray) -> Realised:
        return Realised(group[owner[mask]], text[mask], owner[mask])

    return [
        text_edges(some(ours & one), some(~ours & other), values, match, "templates", MOST_PAIRS)
        for one, other in ((True, bare), (bare, ~bare))
    ]


def _edges_by_place(
    pair: Pair, table: TemplateTable, fillers: IntArray, group: IntArray, match: Any
) -> Edges:
    """Pairs of realisations that both have a place."""
    rows = fillers[fillers < table.fillers], fillers[fillers >= table.fillers] - table.fillers
    sides = []
    for side, own, first in zip(table.sides, rows, (0, table.fillers), strict=True):
        label = group[own + first]
        # Only tokens need the document; groups keep apart what is not compared.
        doc = side.doc[own] if isinstance(match, Contains) else label
        sides.append(replace(side.take(own), doc=doc, label=label))
    try:
        gold, system = place_edges(pair, sides[0], sides[1], match, "templates", MOST_PAIRS)
    except CrowdError as error:
        error.row = int(rows[0][error.row])
        raise
    return rows[0][gold], rows[1][system] + table.fillers


def _best_filler_pairs(
    table: TemplateTable, gold: IntArray, system: IntArray, right: BoolArray
) -> IntArray:
    """The pairs of fillers that count if their templates are aligned, as places in the list.

    Most are right, then most are partly right, then most are not optional. Each pair of fillers
    belongs to one pair of templates, so all of these are solved together.
    """
    one = numbered([gold, table.template[system]])
    other = numbered([system, table.template[gold]])
    needed = ~table.optional[gold]
    return assign(one, other, [right.astype(np.int64), ~right * (_top(one) + 1) + needed])


def _best_template_pairs(
    table: TemplateTable, order: ContentOrder, gold: IntArray, system: IntArray, right: BoolArray
) -> IntArray:
    """For each template of gold the system's (-1: none, as for those of the system).

    `gold` and `system` are the pairs of fillers that count where templates are aligned. What
    templates share is counted from the deepest up: a pair of templates has what its fillers
    share, and what the templates in it do, in their best alignment. At the top, some of it must be
    in a key slot.
    """
    one, other = table.template[gold], table.template[system]
    ours, theirs, cor, par, key = np.empty((5, 0), np.int64)
    taken = []
    for depth in range(_top(table.depth[one]) - 1, -1, -1):
        here = np.flatnonzero(table.depth[one] == depth)
        ours, theirs = np.append(ours, one[here]), np.append(theirs, other[here])
        cor, par = np.append(cor, right[here]), np.append(par, ~right[here])
        key = np.append(key, table.key[gold[here]])
        ours, theirs, (cor, par, key) = _summed(ours, theirs, [cor, par, key])
        if depth == 0:
            allowed = key > 0
            ours, theirs, cor, par, key = (x[allowed] for x in (ours, theirs, cor, par, key))
        left = numbered([order.place[ours], table.parent[theirs] + 1])
        back = numbered([order.place[theirs], table.parent[ours] + 1])
        equal = order.content[ours] == order.content[theirs]
        best = assign(left, back, [cor, par * (_top(left) + 1) + equal])
        ours, theirs, cor, par, key = (x[best] for x in (ours, theirs, cor, par, key))
        taken.append((ours, theirs))
        ours, theirs = table.parent[ours], table.parent[theirs]
    partner = np.full(len(table.doc), -1, np.int64)
    for inner, others in reversed(taken):
        above = table.parent[inner]
        sure = (above < 0) | (partner[above] == table.parent[others])
        partner[inner[sure]] = others[sure]
    return partner


def _top(numbers: IntArray) -> int:
    return int(numbers.max(initial=-1)) + 1


def _summed(
    one: IntArray, other: IntArray, columns: Sequence[IntArray]
) -> tuple[IntArray, IntArray, list[IntArray]]:
    """Each pair once, with the sums of its columns."""
    width = np.int64(_top(other))
    keys, inverse = ranked(one * width + other)
    sums = [np.bincount(inverse, column, len(keys)) for column in columns]
    return keys // width, keys % width, [total.astype(np.int64) for total in sums]


def _outcomes(
    table: TemplateTable, partner: IntArray, gold: IntArray, system: IntArray, right: BoolArray
) -> FillerOutcomes:
    """What is left in aligned templates pairs up, slot by slot; the rest is alone."""
    left = ~table.optional
    left[gold] = left[system] = False
    back = np.full(len(table.doc), -1, np.int64)
    aligned = np.flatnonzero(partner >= 0)
    back[aligned] = back[partner[aligned]] = aligned
    rows = np.flatnonzero(left & (back[table.template] >= 0))
    one, other = _joined(rows, table.fillers, [back[table.template[rows]], table.slot[rows]])
    left[one] = left[other] = False
    first = table.fillers
    return FillerOutcomes(
        (gold[right], system[right] - first),
        (gold[~right], system[~right] - first),
        (one, other - first),
        np.flatnonzero(left[:first]),
        np.flatnonzero(left[first:]),
    )
