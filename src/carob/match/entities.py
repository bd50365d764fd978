"""Entities in the roles of templates: CEAF-REE and CEAF-RME.

A filler with its alternatives is an entity, on both sides: the strings by which a document mentions
it. Templates are few in a document, and which are mapped to which is decided document by document.
"""

from __future__ import annotations

import itertools
import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from carob.arrays.assign import assign
from carob.arrays.optimum import TooManyStepsError
from carob.arrays.pair_up import pair_up
from carob.corpus.problems import many
from carob.corpus.tables import UNKNOWN
from carob.counts.events import Events
from carob.match._each_side import ERRORS, OUTCOMES, QUANTITIES
from carob.pair.filled import Filled, FilledPair, wordless
from carob.pair.pair import Pair

TYPE_ROW = "(type)"
"""The row of the items that stand for the types of templates."""

MOST_MAPPED = 12
"""If both sides of a document have more templates, they are mapped by assignment."""

MOST_STATES = 1 << 20
"""So many states may be visited for the best mapping of a document: some seconds."""

MOST_PAIRS = 4_000_000
"""How many pairs of templates, or of fillers of a document, are compared at most."""


_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


@cache
def plain_string(text: str) -> str:
    """A string as it is compared: lower case, without ASCII punctuation, then without the words a,
    an and the, then with single spaces.

    >>> plain_string("The U.S.  Embassy")
    'us embassy'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


Mapped = list[tuple[int, int]]
"""Templates of gold with those of the system."""

Worth = Mapping[tuple[int, int], tuple[int, int]]
"""For pairs of templates that may be mapped, how much is right on each side."""


class Entity(NamedTuple):
    """A filler: its row in the table of fillers, and its strings."""

    row: int
    strings: tuple[str, ...]


@dataclass(slots=True, eq=False)
class Form:
    """A template: its type (empty: none) and, by slot, the entities that fill it."""

    type: str
    slots: dict[str, list[Entity]] = field(default_factory=dict)

    @property
    def content(self) -> tuple[str, list[tuple[str, list[str]]]]:
        """What sorts templates."""
        return self.type, sorted(
            (slot, sorted(entity.strings)) for slot, own in self.slots.items() for entity in own
        )

    @property
    def wording(self) -> tuple[object, ...]:
        """What makes templates equal: in each slot the same entities, each with the same strings,
        in the same order.
        """
        slots = (
            (slot, *(entity.strings for entity in self.slots[slot])) for slot in sorted(self.slots)
        )
        return self.type, *slots


class Hit(NamedTuple):
    """What a mapped pair of templates has in common in one slot: the weight of what is right of an
    entity of gold (with the system's entity beside it), or of the system's.
    """

    gold: int
    system: int
    gold_weight: int
    system_weight: int


@dataclass(frozen=True, slots=True)
class CeafRee:
    """The entities in the roles of templates are found when all their strings are gold's.

    Templates are mapped one-to-one so that the F1 of the document is highest. In a mapped pair, an
    entity of the system fits an entity of gold in its slot if every string of it is one of gold's;
    the largest one-to-one matching counts (`pairing=many`: on each side all that fit any). The type
    of a template is one more item, in the row `(type)`, and is right if the template is mapped.
    Templates may be mapped if the type of the system is a part of gold's (`bombing` fits
    `attack / bombing`), with `type=same` if they are equal, with `type=ignore` always, and then
    types are no items. Equal templates are one: of the same type, with the same entities and
    strings in the same order. Strings are compared in lower case, without punctuation and articles.
    Of equally good mappings the first counts, templates sorted by what they hold. `order=file` is
    for published rows: templates stay as in the file, equal ones are one on gold's side only, and
    the first mapping is found among all, including those that map templates whose types do not fit,
    which counts nothing. If both sides of a document have more than 12 templates, an assignment
    takes the place of the best mapping.

    Du et al. (2021), "GRIT: Generative Role-filler Transformers for Document-level Event Entity
    Extraction", for `pairing=one` (the preset GRIT); the same authors' "Template Filling with
    Generative Transformers" for the mapping of templates and `pairing=many` (the preset GTT). In
    the example two answers name one entity:

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> tower = {"text": "Tower A", "alternatives": ["the tower"]}
    >>> gold = Corpus.of({"templates": [{"label": "attack", "slots": {"Target": [tower]}}]})
    >>> answers = {"label": "attack", "slots": {"Target": ["tower a", "Tower"]}}
    >>> pair = Pair.of(gold, Corpus.of({"templates": [answers]}))
    >>> Tally.of(CeafRee(), pair).counted()
    {'tp': 2.0, 'tp_system': 2.0, 'fp': 1.0, 'fn': 0.0}
    >>> Tally.of(CeafRee(pairing="many"), pair).counted()
    {'tp': 2.0, 'tp_system': 3.0, 'fp': 0.0, 'fn': 0.0}
    """

    pairing: Literal["one", "many"] = "one"
    type: Literal["part", "same", "ignore"] = "part"
    order: Literal["document", "file"] = "document"

    name: ClassVar[str] = "ceaf-ree"
    items: ClassVar[Literal["mention", "filler"]] = "filler"
    symmetric: ClassVar[bool] = False
    by_document: ClassVar[bool] = False
    of_strings: ClassVar[bool] = True
    outcomes, errors, quantities = OUTCOMES, ERRORS, QUANTITIES

    def __call__(self, pair: Pair) -> Events:
        """Map the templates of each document, then count their entities."""
        ledger = _Ledger(pair.filled, typed=self.type != "ignore")
        crowded = 0
        for doc, ours, theirs in _documents(pair, self.name):
            gold, system = _different(ours), theirs
            if self.order == "document":
                gold, system = _in_content_order(gold), _in_content_order(_different(theirs))
            crowded += _is_crowd(len(gold), len(system))
            with _bounded(pair, doc):
                self._count(doc, gold, system, ledger)
        if crowded:
            pair.filled.note(
                f"{self.name}: {many(crowded, 'document')} with more than {MOST_MAPPED} templates "
                "on both sides, or very many on one: they are mapped by assignment"
            )
        return ledger.events()

    def _count(self, doc: int, gold: list[Form], system: list[Form], ledger: _Ledger) -> None:
        hits = {
            (g, s): self._hits(one, other)
            for g, one in enumerate(gold)
            for s, other in enumerate(system)
            if self._fits(one.type, other.type)
        }
        typed = {(g, s) for g, s in hits if self._is_typed(gold[g], system[s])}
        worth = {pair: _sums(own, pair in typed) for pair, own in hits.items()}
        if _is_crowd(len(gold), len(system)):
            mapped = _assigned(worth)
        else:
            if self.order == "file":
                every = itertools.product(range(len(gold)), range(len(system)))
                worth = dict.fromkeys(every, (0, 0)) | worth
            sizes = (len(gold), len(system), self._size(gold), self._size(system))
            mapped = _best_mapping(worth, *sizes)
        for g, s in mapped:
            for slot, own in hits.get((g, s), {}).items():
                ledger.right(doc, slot, own)
            if (g, s) in typed:
                ledger.right(doc, TYPE_ROW, [Hit(UNKNOWN, UNKNOWN, 1, 1)])
        ledger.rest(doc, gold, "gold", {g for g, s in mapped if (g, s) in typed})
        ledger.rest(doc, system, "system", {s for g, s in mapped if (g, s) in typed})

    def _fits(self, gold: str, system: str) -> bool:
        return self.type == "ignore" or (gold == system if self.type == "same" else system in gold)

    def _is_typed(self, gold: Form, system: Form) -> bool:
        """Whether the types of two templates are items."""
        return self.type != "ignore" and bool(gold.type) and bool(system.type)

    def _size(self, forms: Sequence[Form]) -> int:
        """How many items templates have: entities and types."""
        entities = sum(len(own) for form in forms for own in form.slots.values())
        return entities + sum(bool(form.type) and self.type != "ignore" for form in forms)

    def _hits(self, gold: Form, system: Form) -> dict[str, list[Hit]]:
        return {
            slot: hits
            for slot, own in gold.slots.items()
            if slot in system.slots and (hits := self._in_slot(own, system.slots[slot]))
        }

    def _in_slot(self, gold: Sequence[Entity], system: Sequence[Entity]) -> list[Hit]:
        sets = [set(entity.strings) for entity in gold]
        having = _places(gold)
        fits = [
            [g for g in having.get(entity.strings[0], ()) if sets[g].issuperset(entity.strings)]
            for entity in system
        ]
        if self.pairing == "many":
            found: dict[int, int] = {}
            for s, own in enumerate(fits):
                for g in own:
                    found.setdefault(g, s)
            return [Hit(gold[g].row, system[s].row, 1, 0) for g, s in found.items()] + [
                Hit(gold[own[0]].row, system[s].row, 0, 1) for s, own in enumerate(fits) if own
            ]
        edges = [(g, s) for s, own in enumerate(fits) for g in own]
        if not edges:
            return []
        one, other = np.array(sorted(edges)).T
        pairs = zip(*(each.tolist() for each in pair_up(one, other, len(gold), len(system))),
                    strict=True)  # fmt: skip
        return [Hit(gold[g].row, system[s].row, 1, 1) for g, s in pairs]


@dataclass(frozen=True, slots=True)
class CeafRme:
    """The strings that fill the roles of templates, as coreference scorers count mentions.

    A mention is a type, a slot and a string; the entities of templates are compared as chains of
    mentions are in CEAF. With `phi=3` the similarity of two templates is the number of mentions
    that they share, entities paired one-to-one so that these are most, and mentions count; with
    `phi=subset` entities count: an entity of the system is right if it shares a mention with one of
    gold. Templates are mapped one-to-one so that the similarities are largest in sum. Gold types
    separated by `/` are alternatives, of which the one counts that is most similar to what the
    system has; with `multi=each` the mentions of gold count once for each type, as one published
    program does by mistake. Equal templates are one; strings are compared in lower case, without
    punctuation and articles.

    Chen et al. (2023), "Iterative Document-level Information Extraction via Imitation Learning",
    who define CEAF-RME after Luo (2005), "On Coreference Resolution Performance Metrics". In the
    example one of two strings is found:

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> mill = {"text": "the old mill", "alternatives": ["it"]}
    >>> gold = Corpus.of({"templates": [{"label": "sale", "slots": {"Thing": [mill]}}]})
    >>> answer = {"label": "sale", "slots": {"Thing": ["Old mill"]}}
    >>> pair = Pair.of(gold, Corpus.of({"templates": [answer]}))
    >>> Tally.of(CeafRme(), pair).counted()
    {'tp': 1.0, 'tp_system': 1.0, 'fp': 0.0, 'fn': 1.0}
    >>> Tally.of(CeafRme(phi="subset"), pair).counted()
    {'tp': 1.0, 'tp_system': 1.0, 'fp': 0.0, 'fn': 0.0}
    """

    phi: Literal["3", "subset"] = "3"
    multi: Literal["once", "each"] = "once"

    name: ClassVar[str] = "ceaf-rme"
    items: ClassVar[Literal["mention", "filler"]] = "filler"
    symmetric: ClassVar[bool] = False
    by_document: ClassVar[bool] = False
    of_strings: ClassVar[bool] = True
    outcomes, errors, quantities = OUTCOMES, ERRORS, QUANTITIES

    def __call__(self, pair: Pair) -> Events:
        """Choose types, map the templates of each document, then count what they share."""
        ledger = _Ledger(pair.filled, typed=False)
        for doc, ours, theirs in _documents(pair, self.name):
            with _bounded(pair, doc):
                gold, system = (_in_content_order(_different(side)) for side in (ours, theirs))
                self._count(doc, gold, system, ledger)
        return ledger.events()

    def _count(self, doc: int, forms: list[Form], system: list[Form], ledger: _Ledger) -> None:
        gold = [self._version(form, system) for form in forms]
        hits = {
            (g, s): found
            for g, one in enumerate(gold)
            for s, other in enumerate(system)
            if (found := self._hits(one, other))
        }
        for g, s in self._mapping(hits):
            for slot, own in hits[g, s].items():
                ledger.right(doc, slot, own)
        times = [len(_types(form)) if self.multi == "each" else 1 for form in forms]
        ledger.rest(doc, gold, "gold", strings=self.phi == "3", times=times)
        ledger.rest(doc, system, "system", strings=self.phi == "3")

    def _version(self, form: Form, system: Sequence[Form]) -> Form:
        """The template with the type, of its alternatives, that is most similar to the system's."""
        versions = [Form(name, form.slots) for name in _types(form)]

        def similarity(version: Form) -> float:
            return sum(_sums(self._hits(version, other))[1] for other in system)

        return max(versions, key=similarity)

    def _hits(self, gold: Form, system: Form) -> dict[str, list[Hit]]:
        if gold.type != system.type:
            return {}
        in_slot = self._shared if self.phi == "3" else self._touched
        return {
            slot: hits
            for slot, own in gold.slots.items()
            if slot in system.slots and (hits := in_slot(own, system.slots[slot]))
        }

    def _shared(self, gold: Sequence[Entity], system: Sequence[Entity]) -> list[Hit]:
        """Entities one-to-one, so that they share most mentions."""
        edges: list[tuple[int, int, int]] = []
        having = _places(gold)
        for s, other in enumerate(system):
            counts = Counter(g for text in other.strings for g in having.get(text, ()))
            # Several strings of the system that are compared as one find at most what gold has.
            edges += [(g, s, min(count, len(gold[g].strings))) for g, count in counts.items()]
        if not edges:
            return []
        one, other_, shared = np.array(sorted(edges)).T
        taken = assign(one, other_, [shared])
        return [
            Hit(gold[g].row, system[s].row, count, count)
            for g, s, count in zip(*(each[taken].tolist() for each in (one, other_, shared)),
                                   strict=True)
        ]  # fmt: skip

    def _touched(self, gold: Sequence[Entity], system: Sequence[Entity]) -> list[Hit]:
        """Entities of the system that share a mention; each hits the first of gold that does."""
        having, hit, hits = _places(gold), set[int](), []
        for other in system:
            first = min((having[text][0] for text in other.strings if text in having), default=-1)
            if first >= 0:
                hits.append(Hit(gold[first].row, other.row, int(first not in hit), 1))
                hit.add(first)
        return hits

    @staticmethod
    def _mapping(hits: Mapping[tuple[int, int], Mapping[str, Sequence[Hit]]]) -> Mapped:
        """Most of the system is right, then most of gold."""
        if not hits:
            return []
        pairs = sorted(hits)
        sums = [_sums(hits[pair]) for pair in pairs]
        gains = [np.array([sum_[side] for sum_ in sums], np.int64) for side in (1, 0)]
        one, other = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
        return [pairs[i] for i in assign(one, other, gains).tolist()]


def _is_crowd(gold: int, system: int) -> bool:
    """Whether there are too many templates to try all mappings."""
    few, more = sorted((gold, system))
    return few > MOST_MAPPED or more << few > MOST_STATES


def _types(form: Form) -> list[str]:
    """The types that a template may be of."""
    names = [name.strip() for name in form.type.split("/")]
    return list(dict.fromkeys(name for name in names if name)) or [form.type]


def _sums(hits: Mapping[str, Sequence[Hit]], typed: bool = False) -> tuple[int, int]:
    """How much of gold is right in a mapped pair, and how much of the system."""
    gold = sum(hit.gold_weight for own in hits.values() for hit in own) + typed
    system = sum(hit.system_weight for own in hits.values() for hit in own) + typed
    return gold, system


def _in_content_order(forms: Iterable[Form]) -> list[Form]:
    return sorted(forms, key=lambda form: (form.content, form.wording))


def _different(forms: Sequence[Form]) -> list[Form]:
    """Each template once, the first of equal ones."""
    found: dict[object, Form] = {}
    for form in forms:
        found.setdefault(form.wording, form)
    return list(found.values())


def _places(entities: Sequence[Entity]) -> dict[str, list[int]]:
    """The entities that have each string."""
    found: dict[str, list[int]] = {}
    for i, entity in enumerate(entities):
        for text in dict.fromkeys(entity.strings):
            found.setdefault(text, []).append(i)
    return found


def _best_mapping(worth: Worth, gold: int, system: int, gold_all: int, system_all: int) -> Mapped:
    """The mapping with the highest F1; of equals the first: system templates in order, each to the
    lowest gold template, unmapped ones last.

    Templates of the larger side are mapped in turn. What matters later is which of the smaller side
    are used, and how much is right on each side; of two ways to the same, the first is kept, and
    one with less on both sides is dropped.
    """
    by_system = gold <= system
    states: dict[int, _Ways] = {0: {(0, 0): _NONE * system}}
    for outer in range(system if by_system else gold):
        grown: dict[int, _Ways] = {}
        pairs = [
            (1 << inner, *worth[pair], pair[0].to_bytes(_WIDTH, "big"), _WIDTH * pair[1])
            for inner in range(gold if by_system else system)
            if (pair := (inner, outer) if by_system else (outer, inner)) in worth
        ]
        for used, ways in states.items():
            for (ours, theirs), choice in ways.items():
                _keep(grown, used, (ours, theirs), choice)
                for bit, more, more_system, name, at in pairs:
                    if not used & bit:
                        longer = choice[:at] + name + choice[at + _WIDTH :]
                        _keep(grown, used | bit, (ours + more, theirs + more_system), longer)
        states = {used: _undominated(ways) for used, ways in grown.items()}
    _, choice = min(
        (-_f1(right, gold_all, system_all), choice)
        for ways in states.values()
        for right, choice in ways.items()
    )
    names = (choice[at : at + _WIDTH] for at in range(0, len(choice), _WIDTH))
    return [(int.from_bytes(name, "big"), s) for s, name in enumerate(names) if name != _NONE]


_Ways = dict[tuple[int, int], bytes]
"""How much is right of gold and of the system, and the first way to it: for each system template
the number of its gold template, in bytes, which compare as the numbers do."""

_WIDTH = 4
_NONE = b"\xff" * _WIDTH
"""A system template without a partner: after every number."""


def _keep(states: dict[int, _Ways], used: int, right: tuple[int, int], choice: bytes) -> None:
    """Add a way to a state, unless there is an earlier one."""
    ways = states.setdefault(used, {})
    if right not in ways or choice < ways[right]:
        ways[right] = choice


def _undominated(ways: _Ways) -> _Ways:
    """Without ways that have less right on one side and no more on the other."""
    kept: _Ways = {}
    most = -1
    for right in sorted(ways, reverse=True):
        if right[1] > most:
            kept[right], most = ways[right], right[1]
    return kept


def _f1(right: tuple[int, int], gold_all: int, system_all: int) -> Fraction:
    """2PR / (P + R), exactly; 0 if nothing is right."""
    if not right[0] or not right[1]:
        return Fraction(0)
    recall, precision = Fraction(right[0], gold_all), Fraction(right[1], system_all)
    return 2 * precision * recall / (precision + recall)


def _assigned(worth: Worth) -> Mapped:
    """The mapping in which most is right on both sides together."""
    pairs = sorted((s, g) for g, s in worth)
    if not pairs:
        return []
    one, other = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    gain = np.array([sum(worth[g, s]) for s, g in pairs])
    return [(pairs[i][1], pairs[i][0]) for i in assign(one, other, [gain]).tolist()]


def _documents(pair: Pair, space: str) -> Iterator[tuple[int, list[Form], list[Form]]]:
    """The templates of gold and of the system, in each document that has any, as in the file."""
    filled = pair.filled
    gold, system = (_forms(filled, side, space) for side in (filled.gold, filled.system))
    for doc in sorted(gold.keys() | system.keys()):
        ours, theirs = gold.get(doc, []), system.get(doc, [])
        sizes = [max(len(side), _widest(side)) for side in (ours, theirs)]
        if sizes[0] * sizes[1] > MOST_PAIRS:
            raise pair.too_large(
                doc, f"{sizes[0]:,} and {sizes[1]:,} templates or fillers of a slot to compare",
                f"at most {MOST_PAIRS:,} pairs",
            )  # fmt: skip
        yield doc, ours, theirs


@contextmanager
def _bounded(pair: Pair, doc: int) -> Iterator[None]:
    """Name the document whose templates or fillers can be paired in too many ways."""
    try:
        yield
    except TooManyStepsError:
        raise pair.too_large(
            doc, "templates or fillers that can be paired in too many ways",
            "at most some hundred fillers of a slot that have strings in common",
        ) from None  # fmt: skip


def _widest(forms: Sequence[Form]) -> int:
    """The most fillers that the templates have in one slot, all together."""
    counts: Counter[str] = Counter()
    for form in forms:
        counts.update({slot: len(own) for slot, own in form.slots.items()})
    return max(counts.values(), default=0)


def _forms(filled: FilledPair, side: Filled, space: str) -> dict[int, list[Form]]:
    """The templates at the top of each document; fillers of nested ones belong to these."""
    texts = filled.raw_texts(side)
    if None in texts:
        raise wordless(filled, space)
    strings = [plain_string(text or "") for text in texts]
    table = side.forms
    top, parent = np.arange(len(table)), table.parent
    while (inner := parent[top] >= 0).any():
        top = np.where(inner, parent[top], top)
    forms: dict[int, Form] = {}
    found: dict[int, list[Form]] = {}
    for row in np.flatnonzero((parent < 0) & (table.doc >= 0)).tolist():
        forms[row] = Form(filled.types[table.type[row]])
        found.setdefault(int(table.doc[row]), []).append(forms[row])
    offsets = side.realisations.tolist()
    for row, template in enumerate(top[side.template].tolist()):
        form = forms[template]
        slot = filled.labels[side.label[row]].removeprefix(f"{form.type}." if form.type else "")
        entity = Entity(row, tuple(strings[offsets[row] : offsets[row + 1]]))
        form.slots.setdefault(slot, []).append(entity)
    return found


class _Ledger:
    """Collects the events of a space of entities."""

    def __init__(self, filled: FilledPair, *, typed: bool) -> None:
        self.filled = filled
        self.labels = filled.slots_without_types
        if typed and any(filled.types):
            self.labels = tuple(sorted({*self.labels, TYPE_ROW}))
        self.place = {label: i for i, label in enumerate(self.labels)}
        self.rows: list[tuple[int, int, int, int, int, int]] = []
        self.counted: dict[tuple[str, int], int] = {}

    def right(self, doc: int, slot: str, hits: Iterable[Hit]) -> None:
        """What is right in a mapped pair."""
        label = self.place[slot]
        for hit in hits:
            for outcome, weight in ((0, hit.gold_weight), (1, hit.system_weight)):
                if weight:
                    self.rows.append((doc, label, outcome, weight, hit.gold, hit.system))
            for side, row, weight in (("gold", hit.gold, hit.gold_weight),
                                      ("system", hit.system, hit.system_weight)):  # fmt: skip
                self.counted[side, row] = self.counted.get((side, row), 0) + weight

    def rest(
        self,
        doc: int,
        forms: Sequence[Form],
        side: Literal["gold", "system"],
        typed: set[int] | None = None,
        *,
        strings: bool = False,
        times: Sequence[int] | None = None,
    ) -> None:
        """What is left of the templates of one side. `typed` are those whose type is right, None if
        types are no items. With `strings` every string of an entity counts, otherwise the entity;
        `times` says how often those of each template do.
        """
        outcome = 3 if side == "gold" else 2
        for number, form in enumerate(forms):
            for slot, own in form.slots.items():
                for entity in own:
                    whole = len(entity.strings) if strings else 1
                    left = whole * (times[number] if times else 1)
                    left -= self.counted.get((side, entity.row), 0)
                    if left > 0:
                        items = (entity.row, UNKNOWN) if side == "gold" else (UNKNOWN, entity.row)
                        self.rows.append((doc, self.place[slot], outcome, left, *items))
            if typed is not None and TYPE_ROW in self.place and form.type and number not in typed:
                self.rows.append((doc, self.place[TYPE_ROW], outcome, 1, UNKNOWN, UNKNOWN))

    def events(self) -> Events:
        """Everything that was collected."""
        doc, label, outcome, weight, gold, system = np.array(self.rows, np.int64).reshape(-1, 6).T
        return Events(OUTCOMES, doc, label, outcome, weight.astype(np.float64), gold, system,
                      labels=self.labels, items="filler")  # fmt: skip
