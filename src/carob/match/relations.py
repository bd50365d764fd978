"""Relations and events: what is between mentions.

An item is known by its key: what must agree for it to be right. Equal keys of one document are one
item, on either side, so that stating a relation twice gains nothing and costs nothing. If a label
does not count, an item is in the row of its own label; of several labels with one key, in that of
the first in the alphabet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from carob.arrays.join import join, packed, ranked, rest
from carob.arrays.sequences import sequence_ranks
from carob.arrays.types import BoolArray, IntArray
from carob.counts.events import Events
from carob.match._each_side import ERRORS, OUTCOMES, QUANTITIES
from carob.match._places import Span, clustered, places
from carob.match.slots import sorted_names
from carob.pair.links import TRIGGER, LinkedPair, Links, event_role
from carob.pair.pair import Pair

Agree = Literal["match", "ignore"]
Coref = Literal["none", "gold"]
Items = Literal["mention", "filler", "relation"]


@dataclass(frozen=True, slots=True)
class Relations:
    """A relation is found when its label and all its arguments are.

    An argument agrees if its role does, the place of its mention and, with `types=match`, the label
    of its mention. The default is the strict evaluation (Rel+), `types=ignore` the boundary
    evaluation (Rel). `label=ignore` waives the label of the relation. Of the labels in `symmetric`
    (`all`: of every label) roles do not count, so that both directions are one relation. The same
    relation stated twice is one. Events, which have a trigger, are left out.

    `span` says which places agree: `exact`; `head`: the heads of the mentions, if known; `aligned`:
    a system mention is at the place of the gold mention that `slots` aligns it with; `first`: of
    the gold mention with its place, or else the first one left that it overlaps; `text`: strings
    are compared instead, without case and with single white space, which is taken by itself where
    arguments have neither places nor a text to find them in. With `coref=gold`
    a mention of a gold cluster stands for the whole cluster.

    Taillé et al. (2020), "Let's Stop Incorrect Comparisons in End-to-end Relation Extraction!", for
    strict and boundary evaluation. In the example the type of an argument is wrong:

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> work = {"label": "WORK", "arguments": {"who": "a", "where": "b"}}
    >>> ann = {"id": "a", "start": 0, "end": 1, "label": "PER"}
    >>> acme = {"id": "b", "start": 2, "end": 3, "label": "ORG"}
    >>> words = {"tokens": ["Ann", "of", "Acme"], "relations": [work]}
    >>> gold = Corpus.of(words | {"mentions": [ann, acme]})
    >>> system = Corpus.of(words | {"mentions": [ann, acme | {"label": "LOC"}]})
    >>> Tally.of(Relations(), Pair.of(gold, system)).counted()
    {'tp': 0.0, 'tp_system': 0.0, 'fp': 1.0, 'fn': 1.0}
    >>> Tally.of(Relations(types="ignore"), Pair.of(gold, system)).counted()
    {'tp': 1.0, 'tp_system': 1.0, 'fp': 0.0, 'fn': 0.0}
    """

    span: Span = "exact"
    types: Agree = "match"
    label: Agree = "match"
    symmetric_: tuple[str, ...] = ()
    coref: Coref = "none"

    name: ClassVar[str] = "relations"
    items: ClassVar[Items] = "relation"
    by_document: ClassVar[bool] = False
    outcomes, errors, quantities = OUTCOMES, ERRORS, QUANTITIES

    def __post_init__(self) -> None:
        names = sorted_names(self.name, self.symmetric_, "symmetric")
        object.__setattr__(self, "symmetric_", () if names == ("none",) else names)

    @property
    def symmetric(self) -> bool:
        """Whether exchanging gold and system exchanges precision and recall."""
        return _is_symmetric(self.span, self.coref)

    def __call__(self, pair: Pair) -> Events:
        """Number the arguments, then the lists of arguments, then compare."""
        links = pair.links
        return compared(links, self, *self.keyed(links), links.labels)

    def keyed(self, links: LinkedPair) -> tuple[Keyed, Keyed]:
        """The relations of gold and system that are no events, with their keys."""
        typed = self.types == "match"
        plain, joint = _mention_codes(links, self.span, self.coref, typed=typed)
        keys = [self._keys(links, codes, typed=typed) for codes in (plain, joint)]
        sides = []
        for k, side in enumerate((links.gold, links.system)):
            rows = np.flatnonzero(~side.is_event)
            sides.append(
                Keyed(rows, side.doc[rows], side.label[rows], keys[0][k][rows], keys[1][k][rows])
            )
        return sides[0], sides[1]

    def _keys(
        self, links: LinkedPair, codes: tuple[IntArray, IntArray], *, typed: bool
    ) -> tuple[IntArray, IntArray]:
        """A number for the label and the arguments of each relation of both sides; -1 if the code
        of an argument is 0.
        """
        labels = {links.labels.index(name) for name in self.symmetric_ if name in links.labels}
        undirected = np.zeros(len(links.labels) + 1, bool)
        undirected[list(labels)] = True
        if "all" in self.symmetric_:
            undirected[:] = True
        columns = []
        for side, mention_code in zip((links.gold, links.system), codes, strict=True):
            role = np.where(undirected[side.label[side.relation]], len(links.roles), side.role)
            columns.append((role, np.append(mention_code, 0)[side.mention]))
        arguments = packed(*([role, code] for role, code in columns))
        lists = _list_codes((links.gold.offsets, links.system.offsets), arguments)
        keys = []
        for side, (_, code), own in zip((links.gold, links.system), columns, lists, strict=True):
            label = side.label if self.label == "match" else np.zeros_like(side.label)
            lost = np.bincount(side.relation[code == 0], minlength=len(side)) > 0
            keys.append((label, own, lost))
        one, other = packed(*([label, own] for label, own, _ in keys))
        return np.where(keys[0][2], -1, one), np.where(keys[1][2], -1, other)


@dataclass(frozen=True, slots=True)
class Triggers:
    """An event is found when its trigger is, with the label of the event.

    The place of the trigger and the label of the event must agree (Tri-C); with `label=ignore` the
    place alone (Tri-I). A relation with an argument in the role `trigger` is an event. `span` says
    which places agree, as in `relations`. Ahn (2006), "The stages of event extraction"; the names
    are those of later work, such as Lin et al. (2020), "A Joint Neural Model for Information
    Extraction with Global Features".

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> sold = {"id": "t", "start": 1, "end": 2, "label": "E"}
    >>> words = {"tokens": ["Ann", "sold", "it"], "mentions": [sold]}
    >>> gold = Corpus.of(words | {"relations": [{"label": "Trade", "arguments": {"trigger": "t"}}]})
    >>> system = Corpus.of(
    ...     words | {"relations": [{"label": "Move", "arguments": {"trigger": "t"}}]}
    ... )
    >>> Tally.of(Triggers(), Pair.of(gold, system)).counted()
    {'tp': 0.0, 'tp_system': 0.0, 'fp': 1.0, 'fn': 1.0}
    >>> Tally.of(Triggers(label="ignore"), Pair.of(gold, system)).counted()
    {'tp': 1.0, 'tp_system': 1.0, 'fp': 0.0, 'fn': 0.0}
    """

    span: Span = "exact"
    label: Agree = "match"

    name: ClassVar[str] = "triggers"
    items: ClassVar[Items] = "relation"
    by_document: ClassVar[bool] = False
    outcomes, errors, quantities = OUTCOMES, ERRORS, QUANTITIES

    @property
    def symmetric(self) -> bool:
        """Whether exchanging gold and system exchanges precision and recall."""
        return _is_symmetric(self.span, "none")

    def __call__(self, pair: Pair) -> Events:
        """Compare the places of triggers."""
        links = pair.links
        plain, joint = _mention_codes(links, self.span, "none", typed=False)
        rows = [np.flatnonzero(_is_trigger(links, side)) for side in (links.gold, links.system)]
        keys = [self._keys(links, codes, rows) for codes in (plain, joint)]
        one, other = (
            Keyed(
                relation := side.relation[own], side.doc[relation], side.label[relation],
                keys[0][k], keys[1][k],
            )
            for k, (side, own) in enumerate(zip((links.gold, links.system), rows, strict=True))
        )  # fmt: skip
        return compared(links, self, one, other, links.labels)

    def _keys(
        self, links: LinkedPair, codes: tuple[IntArray, IntArray], rows: list[IntArray]
    ) -> list[IntArray]:
        places, columns = [], []
        for side, code, own in zip((links.gold, links.system), codes, rows, strict=True):
            label = side.label[side.relation[own]]
            places.append(np.append(code, 0)[side.mention[own]])
            columns.append([places[-1], label if self.label == "match" else np.zeros_like(label)])
        both = packed(columns[0], columns[1])
        return [np.where(place == 0, -1, key) for place, key in zip(places, both, strict=True)]


@dataclass(frozen=True, slots=True)
class Arguments:
    """An argument of an event is found when its place, its role and the label of its event are.

    That is Arg-C. With `role=ignore` the role does not count (Arg-I). With `attach=trigger` the
    place of the event's trigger must agree too (Arg-C+, Arg-I+), with `attach=none` not even the
    label of the event. Rows are EVENT.role. `span` and `coref` are those of `relations`. The same
    argument of two events of one label is one item, unless triggers count. Ji & Grishman (2008),
    "Refining Event Extraction through Cross-Document Inference", for roles; Peng et al. (2023),
    "The Devil is in the Details: On the Pitfalls of Event Extraction Evaluation", for what such
    scores leave open.

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> mentions = [
    ...     {"id": "t", "start": 1, "end": 2, "label": "E"},
    ...     {"id": "a", "start": 0, "end": 1, "label": "PER"},
    ... ]
    >>> words = {"tokens": ["Ann", "sold", "it"], "mentions": mentions}
    >>> def event(role):
    ...     arguments = {"trigger": "t", role: "a"}
    ...     return Corpus.of(words | {"relations": [{"label": "Trade", "arguments": arguments}]})
    >>> Tally.of(Arguments(), Pair.of(event("seller"), event("buyer"))).counted()
    {'tp': 0.0, 'tp_system': 0.0, 'fp': 1.0, 'fn': 1.0}
    >>> Tally.of(Arguments(role="ignore"), Pair.of(event("seller"), event("buyer"))).counted()
    {'tp': 1.0, 'tp_system': 1.0, 'fp': 0.0, 'fn': 0.0}
    """

    span: Span = "exact"
    role: Agree = "match"
    attach: Literal["type", "trigger", "none"] = "type"
    coref: Coref = "none"

    name: ClassVar[str] = "arguments"
    items: ClassVar[Items] = "relation"
    by_document: ClassVar[bool] = False
    outcomes, errors, quantities = OUTCOMES, ERRORS, QUANTITIES

    @property
    def symmetric(self) -> bool:
        """Whether exchanging gold and system exchanges precision and recall."""
        return _is_symmetric(self.span, self.coref)

    def __call__(self, pair: Pair) -> Events:
        """Compare the places of arguments, with what else must agree."""
        links = pair.links
        plain, joint = _mention_codes(links, self.span, self.coref, typed=False)
        rows = [
            np.flatnonzero(side.is_event[side.relation] & ~_is_trigger(links, side))
            for side in (links.gold, links.system)
        ]
        # Triggers stand for themselves, also where clusters stand for arguments.
        fitting = _mention_codes(links, self.span, "none", typed=False)[1]
        keys = [
            self._keys(links, codes, _trigger_codes(links, triggers), rows)
            for codes, triggers in ((plain, plain), (joint, fitting))
        ]
        one, other = (
            Keyed(
                relation := side.relation[own], side.doc[relation],
                _event_role_codes(links, side, own), keys[0][k], keys[1][k],
            )
            for k, (side, own) in enumerate(zip((links.gold, links.system), rows, strict=True))
        )  # fmt: skip
        return compared(links, self, one, other, links.event_roles)

    def _keys(
        self,
        links: LinkedPair,
        codes: tuple[IntArray, IntArray],
        triggers: tuple[IntArray, IntArray],
        rows: list[IntArray],
    ) -> list[IntArray]:
        columns, fits = [], []
        for k, (side, own) in enumerate(zip((links.gold, links.system), rows, strict=True)):
            relation = side.relation[own]
            place = np.append(codes[k], 0)[side.mention[own]]
            good = place != 0
            key = [side.doc[relation], place]
            if self.role == "match":
                key.append(side.role[own])
            if self.attach != "none":
                key.append(side.label[relation])
            if self.attach == "trigger":
                trigger = triggers[k][relation]
                good &= trigger >= 0
                key.append(np.maximum(trigger, 0))
            columns.append(key)
            fits.append(good)
        both = packed(columns[0], columns[1])
        return [np.where(good, key, -1) for good, key in zip(fits, both, strict=True)]


class Keyed(NamedTuple):
    """The items of one side before equal ones are joined: what each row is (a relation), its
    document, its row in tables, its key (-1: it lacks a mention, so no other is known to be the
    same), and the key that counts in the end, in which clusters stand for their mentions (-1: it
    fits nothing).
    """

    item: IntArray
    doc: IntArray
    label: IntArray
    key: IntArray
    joint: IntArray


def compared(
    links: LinkedPair, space: object, gold: Keyed, system: Keyed, labels: tuple[str, ...]
) -> Events:
    """Equal keys of a side are one item; items with equal joint keys are right, one-to-one."""
    ours, theirs = (_distinct(side) for side in (gold, system))
    stated, different = len(gold.item) + len(system.item), len(ours) + len(theirs)
    links.duplicates[space] = stated - different
    keys, fits = [], []
    for side, rows in ((gold, ours), (system, theirs)):
        fits.append(np.flatnonzero(side.joint[rows] >= 0))
        keys.append([side.doc[rows][fits[-1]], side.joint[rows][fits[-1]]])
    one, other = join(*packed(keys[0], keys[1]))
    one, other = fits[0][one], fits[1][other]
    missed, spurious = rest(len(ours), one), rest(len(theirs), other)

    def part(side: Keyed, rows: IntArray) -> tuple[IntArray, IntArray]:
        return side.doc[rows], side.label[rows]

    parts = [
        (0, part(gold, ours[one]), gold.item[ours[one]], system.item[theirs[other]]),
        (1, part(system, theirs[other]), gold.item[ours[one]], system.item[theirs[other]]),
        (2, part(system, theirs[spurious]), _nothing(spurious), system.item[theirs[spurious]]),
        (3, part(gold, ours[missed]), gold.item[ours[missed]], _nothing(missed)),
    ]
    sizes = [len(each[2]) for each in parts]
    return Events(
        OUTCOMES,
        np.concatenate([each[1][0] for each in parts]),
        np.concatenate([each[1][1] for each in parts]),
        np.repeat([each[0] for each in parts], sizes),
        np.ones(sum(sizes)),
        np.concatenate([each[2] for each in parts]),
        np.concatenate([each[3] for each in parts]),
        labels=labels,
        items="relation",
    )


STEPS: Mapping[str, Relations] = {
    "TP": Relations(),
    "TE": Relations(types="ignore"),
    "LE": Relations(types="ignore", label="ignore"),
    "DE": Relations(types="ignore", symmetric_=("all",)),
    "BE": Relations(types="ignore", span="aligned"),
}
"""What agrees in two relations, from all to the least: what is right; wrong types of arguments; a
wrong label; the wrong direction; wrong boundaries of arguments."""

KINDS = (*STEPS, "FP", "FN")


def kinds_of_errors(pair: Pair) -> tuple[IntArray, IntArray, IntArray]:
    """What became of every different relation: a code of KINDS, and the relations of gold and of
    the system (-1: none). Each goes with another one by the first step in which the two agree.
    """
    links = pair.links
    steps = dict(STEPS)
    if links.of_strings:  # which say nothing of types
        steps = {kind: replace(step, types="ignore") for kind, step in steps.items()}
    if links.wordless:  # there are only strings, which have no boundaries
        steps = {kind: replace(step, span="text") for kind, step in steps.items()}
    first = steps["TP"].keyed(links)
    left = [side.item[_distinct(side)] for side in first]
    found = []
    for code, space in enumerate(steps.values()):
        keys, rows = [], []
        for side, items in zip(space.keyed(links), left, strict=True):
            own = np.flatnonzero(np.isin(side.item, items) & (side.joint >= 0))
            rows.append(side.item[own])
            keys.append([side.doc[own], side.joint[own]])
        one, other = join(*packed(keys[0], keys[1]))
        gold, system = rows[0][one], rows[1][other]
        found.append((np.full(len(gold), code), gold, system))
        left = [np.setdiff1d(items, each) for items, each in zip(left, (gold, system), strict=True)]
    found.append((np.full(len(left[1]), len(STEPS)), _nothing(left[1]), left[1]))
    found.append((np.full(len(left[0]), len(STEPS) + 1), left[0], _nothing(left[0])))
    kind, gold, system = (np.concatenate(columns) for columns in zip(*found, strict=True))
    return kind, gold, system


def _nothing(rows: IntArray) -> IntArray:
    return np.full(len(rows), -1, np.int64)


def _distinct(side: Keyed) -> IntArray:
    """One row of each document and key, that of the first label; all rows without a key."""
    order = np.lexsort((np.arange(len(side.key)), side.label, side.key, side.doc))
    doc, key = side.doc[order], side.key[order]
    fresh = np.ones(len(order), bool)
    fresh[1:] = (doc[1:] != doc[:-1]) | (key[1:] != key[:-1]) | (key[1:] < 0)
    return order[fresh]


def _is_symmetric(span: str, coref: str) -> bool:
    """Heads and clusters are gold's, and so are the places that system mentions are moved to."""
    return span in ("exact", "text") and coref == "none"


def _mention_codes(
    links: LinkedPair, span: str, coref: str, *, typed: bool
) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
    """For the mentions of gold and system a number for the place (`typed`: and the label); and the
    same where clusters of gold are one and what fits nothing is 0.
    """
    found = places(links, span, labelled=typed)
    mentions = links.mentions
    labels = (mentions.gold.label, mentions.system.label) if typed else None
    codes: tuple[IntArray, IntArray] = found.gold, found.system
    if labels is not None:
        codes = packed([found.gold, labels[0]], [found.system, labels[1]])
    joint = codes if coref == "none" else clustered(links, found, labels)
    return codes, (np.where(found.gold <= found.last, joint[0], 0),
                   np.where(found.system <= found.last, joint[1], 0))  # fmt: skip


def _list_codes(
    offsets: tuple[IntArray, IntArray], values: tuple[IntArray, IntArray]
) -> tuple[IntArray, IntArray]:
    """A number for each list of both sides, the same where lists have the same values, in whatever
    order.
    """
    size = len(offsets[0]) - 1
    both = np.concatenate([offsets[0], offsets[0][-1] + offsets[1][1:]])
    _, numbers = ranked(np.concatenate(values))
    owner = np.repeat(np.arange(len(both) - 1), np.diff(both))
    codes = sequence_ranks(both, numbers[np.lexsort((numbers, owner))])
    return codes[:size], codes[size:]


def _is_trigger(links: LinkedPair, side: Links) -> BoolArray:
    """Which arguments of a side are triggers."""
    if TRIGGER not in links.roles:
        return np.zeros(len(side.role), bool)
    trigger: BoolArray = side.role == links.roles.index(TRIGGER)
    return trigger


def _trigger_codes(
    links: LinkedPair, codes: tuple[IntArray, IntArray]
) -> tuple[IntArray, IntArray]:
    """A number for the triggers of each relation; -1 if the code of one is 0."""
    offsets, values, lost = [], [], []
    for side, code in zip((links.gold, links.system), codes, strict=True):
        rows = np.flatnonzero(_is_trigger(links, side))
        place = np.append(code, 0)[side.mention[rows]]
        relation = side.relation[rows]
        offsets.append(np.append(0, np.cumsum(np.bincount(relation, minlength=len(side)))))
        values.append(place)
        lost.append(np.bincount(relation[place == 0], minlength=len(side)) > 0)
    one, other = _list_codes((offsets[0], offsets[1]), (values[0], values[1]))
    return np.where(lost[0], -1, one), np.where(lost[1], -1, other)


def _event_role_codes(links: LinkedPair, side: Links, rows: IntArray) -> IntArray:
    """The row of each of these arguments: EVENT.role, as a code."""
    code = side.label[side.relation[rows]] * len(links.roles) + side.role[rows]
    different, inverse = ranked(code)
    names = (divmod(int(each), len(links.roles)) for each in different)
    place = {name: i for i, name in enumerate(links.event_roles)}
    table = [place[event_role(links.labels[label], links.roles[role])] for label, role in names]
    codes: IntArray = np.array(table, np.int64)[inverse]
    return codes
