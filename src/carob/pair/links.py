"""Links: the relations and events of gold and system, on one vocabulary.

A relation has a label and arguments, each a mention in a role. A relation with an argument in the
role `trigger` is an event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from carob.arrays.types import BoolArray, IntArray
from carob.corpus.corpus import Corpus, Words
from carob.corpus.tables import UNKNOWN, Codes, Groups
from carob.pair.string_relations import has_strings, located

if TYPE_CHECKING:
    from carob.pair.pair import Pair

TRIGGER = "trigger"
"""The role that makes a relation an event."""


@dataclass(eq=False)
class Links:
    """The relations and clusters of one side. Documents are gold's; labels, roles and the labels of
    mentions are codes of the pair. The arguments of relation i are the rows of `role` and `mention`
    between `offsets[i]` and `[i + 1]`; a mention is -1 if it was left out.
    """

    doc: IntArray
    label: IntArray
    offsets: IntArray
    role: IntArray
    mention: IntArray
    is_event: BoolArray
    clusters: Groups

    def __len__(self) -> int:
        return len(self.doc)

    @property
    def relation(self) -> IntArray:
        """The relation that each argument belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))


@dataclass(eq=False)
class LinkedPair:
    """The relations and events of gold and system. `mentions` is the pair of all mentions, which
    arguments point to; `labels` and `roles` are the names of codes, `event_roles` the rows of
    arguments of events; `words` gives text and tokens of a document of gold.

    >>> from carob.pair.pair import Pair
    >>> ann = {"id": "a", "start": 0, "end": 1, "label": "PER"}
    >>> oslo = {"id": "o", "start": 2, "end": 3, "label": "LOC"}
    >>> born = {"label": "BORN", "arguments": {"who": "a", "where": "o"}}
    >>> words = {"tokens": ["Ann", "in", "Oslo"], "mentions": [ann, oslo]}
    >>> links = Pair.of(Corpus.of(words | {"relations": [born]}), Corpus.of(words)).links
    >>> links.labels, links.roles, len(links.gold), len(links.system)
    (('BORN',), ('where', 'who'), 1, 0)
    """

    gold: Links
    system: Links
    labels: tuple[str, ...]
    roles: tuple[str, ...]
    event_roles: tuple[str, ...]
    mentions: Pair
    words: Callable[[int], Words]
    ungrounded: int | None = None
    """How many arguments that are strings do not occur in the text; None if all have places."""
    of_strings: bool = False
    """Whether the relations of a side are stated by strings."""
    wordless: str = ""
    """An argument that is a string, and has no text to find it in."""
    duplicates: dict[object, int] = field(default_factory=dict)
    """How many items of each event space were stated more than once."""


def has_events(corpus: Corpus) -> bool:
    """Whether some relation of a corpus is an event.

    >>> has_events(Corpus.of("[Ann]PER slept"))
    False
    """
    return bool(_have_trigger(corpus.relations).any())


def linked(
    gold: Corpus, system: Corpus, place: IntArray, rows: RelationRows | None = None
) -> LinkedPair:
    """The relations of a pair of corpora; `place` is the gold document of each system document.

    `rows` are those of tables, beside those that the two corpora have.
    """
    from carob.pair.pair import Pair

    unit = gold.unit or system.unit or "token"
    words = _words_of(gold, system, place, unit)
    of_strings = has_strings(gold) or has_strings(system)
    gold, system, ungrounded, wordless = _with_places(gold, system, place, unit, words)
    tagset = tuple(sorted({*gold.labels, *system.labels}))
    ours, theirs = gold.relabelled(tagset), _placed(system.relabelled(tagset), gold, place)
    tables = (ours.relations, theirs.relations)
    own = relation_rows([ours, theirs])
    rows = own if rows is None else RelationRows(rows.labels, (*rows.roles, *own.roles))
    names = _words([table.label for table in tables], rows.labels)
    roles = _words([table.role for table in tables])
    mentions = Pair(ours.mentions, theirs.mentions, tagset, gold.documents, unit)
    return LinkedPair(
        _links(ours, names, roles), _links(theirs, names, roles), names, roles,
        tuple(sorted(set(rows.roles))), mentions, words, ungrounded, of_strings,
        wordless,
    )  # fmt: skip


class RelationRows(NamedTuple):
    """The rows of tables: labels of relations and events, and EVENT.role of arguments."""

    labels: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()


def relation_rows(corpora: Iterable[Corpus]) -> RelationRows:
    """The rows that the relations and events of some corpora have, sorted.

    >>> relation_rows([Corpus.of("[Ann]PER slept")])
    RelationRows(labels=(), roles=())
    """
    labels: set[str] = set()
    roles: set[str] = set()
    for corpus in corpora:
        if has_strings(corpus):
            labels.update(corpus.templates.label.values)
        table = corpus.relations
        codes, of_event = table.label.codes, _have_trigger(table)
        labels.update(table.label[row] or "" for row in _one_of_each(codes).tolist())
        relation = np.repeat(np.arange(len(table)), np.diff(table.offsets))
        rows = np.flatnonzero(of_event[relation])
        width = len(table.role.values) + 1
        pairs = codes[relation[rows]].astype(np.int64) * width + table.role.codes[rows]
        for row in rows[_one_of_each(pairs)].tolist():
            if table.role[row] != TRIGGER:
                roles.add(event_role(table.label[int(relation[row])], table.role[row]))
    return RelationRows(tuple(sorted(labels)), tuple(sorted(roles)))


def event_role(label: str | None, role: str | None) -> str:
    """The row of an argument.

    >>> event_role("Trade", "seller")
    'Trade.seller'
    """
    return f"{label or ''}.{role or ''}"


def _one_of_each(codes: IntArray) -> IntArray:
    """A row with each code."""
    return np.unique(codes, return_index=True)[1]


def _have_trigger(table: Groups) -> BoolArray:
    """Which relations are events."""
    found = np.zeros(len(table), bool)
    if TRIGGER in table.role.values:
        relation = np.repeat(np.arange(len(table)), np.diff(table.offsets))
        found[relation[table.role.codes == table.role.values.index(TRIGGER)]] = True
    return found


def _words(columns: Sequence[Codes], more: Sequence[str] = ()) -> tuple[str, ...]:
    """The words of some columns, and the empty one if a row has none."""
    empty = [""] if any(np.any(column.codes == UNKNOWN) for column in columns) else []
    return tuple(sorted({*more, *empty, *(word for each in columns for word in each.values)}))


def _links(corpus: Corpus, names: tuple[str, ...], roles: tuple[str, ...]) -> Links:
    table = corpus.relations

    def coded(column: Codes, words: tuple[str, ...]) -> IntArray:
        codes = column.onto(words).codes.astype(np.int64)
        return np.where(codes == UNKNOWN, words.index(""), codes) if "" in words else codes

    return Links(
        table.doc.astype(np.int64), coded(table.label, names), table.offsets,
        coded(table.role, roles), table.mention.astype(np.int64), _have_trigger(table),
        corpus.clusters,
    )  # fmt: skip


def _words_of(gold: Corpus, system: Corpus, place: IntArray, unit: str) -> Callable[[int], Words]:
    """The words of documents of gold, or those that the system has of them."""
    theirs = {int(ours): row for row, ours in enumerate(place.tolist()) if ours != UNKNOWN}

    def words(doc: int) -> Words:
        found = gold.words(doc)
        known = found[0] if unit == "char" else found[1]
        return system.words(theirs[doc]) if known is None and doc in theirs else found

    return words


def _with_places(
    gold: Corpus, system: Corpus, place: IntArray, unit: str, words: Callable[[int], Words]
) -> tuple[Corpus, Corpus, int | None, str]:
    """Both sides with relations between mentions, how many of their strings are not found, and one
    that there is no text for.
    """
    if not (has_strings(gold) or has_strings(system)):
        return gold, system, None, ""
    lost, wordless = 0, ""
    if has_strings(gold):
        gold, lost, wordless = located(gold, gold, list(range(len(gold))), unit, words)
    if has_strings(system):
        system, more, other = located(system, gold, place.tolist(), unit, words)
        lost, wordless = lost + more, wordless or other
    return gold, system, None if wordless else lost, wordless


def _placed(system: Corpus, gold: Corpus, place: IntArray) -> Corpus:
    """The system in gold's documents, without those that gold lacks."""
    system = system.kept(np.flatnonzero(place[system.mentions.doc] != UNKNOWN))

    def moved(groups: Groups) -> Groups:
        groups = groups.take(np.flatnonzero(place[groups.doc] != UNKNOWN))
        return replace(groups, doc=place[groups.doc])

    return replace(
        system,
        documents=gold.documents,
        mentions=replace(system.mentions, doc=place[system.mentions.doc]),
        relations=moved(system.relations),
        clusters=moved(system.clusters),
    ).ordered()
