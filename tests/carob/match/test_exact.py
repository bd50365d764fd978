"""exact and boundary count as multisets do: compared with a Counter and with a search through
all pairings, on documents with nested, crossing, repeated, multi-tag and discontinuous mentions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import permutations
from typing import Any

from carob import Corpus, Document, Mention, Pair, Tally
from carob.match.exact import Boundary, Exact
from tests.worlds import Documents, corpora, random_pairs

Counts = dict[tuple[int, str, str], int]
"""(document, label, outcome) -> how many."""

WORLD = random_pairs(11, 2000)


def counted(space: Any, world: tuple[Documents, Documents]) -> Counts:
    pair = Pair.of(*corpora(world))
    tally = Tally.of(space, pair)
    return {
        (int(tally.unit[row]), tally.labels[tally.label[row]], outcome): int(tally.counts[row, k])
        for row in range(len(tally.counts))
        for k, outcome in enumerate(tally.outcomes)
        if tally.counts[row, k]
    }


def slow_exact(world: tuple[Documents, Documents]) -> Counts:
    found: Counter[tuple[int, str, str]] = Counter()
    for doc, (gold, system) in enumerate(zip(*world, strict=True)):
        ours = Counter((m.label, m.fragments) for m in gold.mentions)
        theirs = Counter((m.label, m.fragments) for m in system.mentions)
        for outcome, rows in (("tp", ours & theirs), ("fn", ours - theirs), ("fp", theirs - ours)):
            for (label, _), times in rows.items():
                found[doc, label, outcome] += times
    return dict(found)


def places(document: Document) -> dict[Any, list[str]]:
    found = defaultdict(list)
    for mention in document.mentions:
        found[mention.fragments].append(mention.label)
    return found


def slow_boundary(world: tuple[Documents, Documents]) -> Counts:
    """At each place: equal labels pair first, then what is left in document order."""
    found: Counter[tuple[int, str, str]] = Counter()
    for doc, (gold, system) in enumerate(zip(*world, strict=True)):
        ours, theirs = places(gold), places(system)
        for place in {*ours, *theirs}:
            left, right = sorted(ours.get(place, [])), sorted(theirs.get(place, []))
            size = min(len(left), len(right))
            for label in list(left):
                if label in right:
                    left.remove(label)
                    right.remove(label)
                    size -= 1
                    found[doc, label, "tp"] += 1
                    found[doc, label, "tp_system"] += 1
            for labels, right_name, wrong_name in ((left, "tp", "fn"), (right, "tp_system", "fp")):
                for rank, label in enumerate(labels):
                    found[doc, label, right_name if rank < size else wrong_name] += 1
    return dict(found)


def test_exact_counts_as_a_counter_does() -> None:
    assert slow_exact(WORLD) == counted(Exact(), WORLD)


def test_boundary_counts_as_its_definition_does() -> None:
    assert slow_boundary(WORLD) == counted(Boundary(), WORLD)


def most_pairs(left: list[str], right: list[str]) -> tuple[int, int]:
    """Of all one-to-one pairings: the most pairs, and among those the most with equal labels."""
    few, many = sorted((left, right), key=len)
    ways = permutations(many, len(few))
    return len(few), max(sum(a == b for a, b in zip(few, way, strict=True)) for way in ways)


def test_boundary_pairs_all_it_can_and_prefers_equal_labels() -> None:
    pair = Pair.of(*corpora(WORLD))
    events = Boundary()(pair)
    rows = [i for i, o in enumerate(events.outcome) if events.outcomes[o] == "tp"]
    made: dict[Any, list[bool]] = defaultdict(list)
    for row in rows:
        gold, system = int(events.gold[row]), int(events.system[row])
        place = (int(pair.gold.doc[gold]), pair.gold.fragments_of(gold))
        assert place == (int(pair.system.doc[system]), pair.system.fragments_of(system))
        made[place].append(bool(pair.gold.label[gold] == pair.system.label[system]))
    expected = {}
    for doc, (gold_doc, system_doc) in enumerate(zip(*WORLD, strict=True)):
        ours, theirs = places(gold_doc), places(system_doc)
        for place in ours.keys() & theirs.keys():
            expected[doc, place] = most_pairs(ours[place], theirs[place])
    assert expected == {place: (len(equal), sum(equal)) for place, equal in made.items()}


def test_every_mention_is_in_the_ledger_once() -> None:
    pair = Pair.of(*corpora(WORLD))
    for space, sides in (
        (Exact(), ("tp", "fn", "fp")),
        (Boundary(), ("tp", "fn", "tp_system", "fp")),
    ):
        events = space(pair)
        assert sides == tuple(o for o in ("tp", "fn", "tp_system", "fp") if o in events.outcomes)
        names = [events.outcomes[o] for o in events.outcome]
        gold = [g for g, o in zip(events.gold.tolist(), names, strict=True) if o in ("tp", "fn")]
        own = "tp_system" if "tp_system" in events.outcomes else "tp"
        system = [s for s, o in zip(events.system.tolist(), names, strict=True) if o in (own, "fp")]
        assert list(range(len(pair.gold))) == sorted(gold)
        assert list(range(len(pair.system))) == sorted(system)


def test_a_mention_given_twice_is_right_as_often_as_gold_has_it() -> None:
    gold = Corpus.of(Document(tokens=("a", "b"), mentions=(Mention("X", 0, 1),)))
    system = Corpus.of(Document(tokens=("a", "b"), mentions=(Mention("X", 0, 1),) * 3))
    assert {"tp": 1, "fp": 2, "fn": 0} == Tally.of(Exact(), Pair.of(gold, system)).counted()
    assert {"tp": 1, "fp": 0, "fn": 2} == Tally.of(Exact(), Pair.of(system, gold)).counted()


def test_all_fragments_must_agree() -> None:
    tokens = ("a",) * 6
    gold = Corpus.of(Document(tokens=tokens, mentions=(Mention.of("X", [(0, 1), (2, 4)]),)))
    for fragments, right in (
        ([(0, 1), (2, 4)], 1), ([(0, 1), (3, 4)], 0), ([(0, 4)], 0), ([(0, 1), (2, 3), (4, 5)], 0),
    ):  # fmt: skip
        system = Corpus.of(Document(tokens=tokens, mentions=(Mention.of("X", fragments),)))
        assert right == Tally.of(Exact(), Pair.of(gold, system)).counted()["tp"]


def test_boundary_counts_a_pair_with_different_labels_under_each_label() -> None:
    pair = Pair.of(Corpus.of("[a]X"), Corpus.of("[a]Y"))
    by_label = Tally.of(Boundary(), pair).by_label()
    assert ("X", "Y") == pair.labels
    assert [1, 0] == by_label["gold_right"].tolist() == by_label["gold_all"].tolist()
    assert [0, 1] == by_label["system_right"].tolist() == by_label["system_all"].tolist()
