"""The overlap family counts what comparing all mentions, as sets of positions, counts.

Each side is counted by itself, unless pairs are one-to-one; then there are as many as there can
be. The order of the input is irrelevant, and label rows add up to the total.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import carob
from carob import registry
from carob.corpus.corpus import Corpus
from carob.corpus.document import Document, Mention
from carob.corpus.problems import RecipeError
from carob.counts.events import Events
from carob.counts.tally import Tally
from carob.match import overlap
from carob.match.exact import Exact
from carob.match.overlap import Constrained, Contains, Iou, Left, Overlap, Right
from carob.pair.pair import Pair
from tests.worlds import times

LENGTH = 8
DOCUMENTS = times(25)
Places = frozenset[int]
Rule = Callable[[Places, Places], bool]


def close(k1: int, k2: int) -> Rule:
    return lambda g, s: len(s - g) <= k1 and len(g - s) <= k2


def much(least: str) -> Rule:
    return cache(lambda g, s: Fraction(len(g & s), len(g | s)) >= Fraction(least))


RULES: dict[Any, Rule] = {
    Overlap: lambda g, s: True,
    Contains: close(1, 0),
    Constrained: close(1, 1),
    Left: lambda g, s: min(g) == min(s),
    Right: lambda g, s: max(g) == max(s),
    Iou: much("0.5"),
}
VARIANTS: list[tuple[Any, dict[str, Any], Rule]] = [
    *((space, {}, rule) for space, rule in RULES.items()),
    (Contains, {"k": 0}, close(0, 0)),
    (Contains, {"k": 3}, close(3, 0)),
    (Constrained, {"k1": 0, "k2": 2}, close(0, 2)),
    (Iou, {"t": 0.3}, much("0.3")),
    (Iou, {"t": 0.6}, much("0.6")),
    (Iou, {"t": 1.0}, much("1")),
]
SPACES = pytest.mark.parametrize("cls", list(RULES))
PAIRINGS = pytest.mark.parametrize("pairing", ["many", "one"])
LABELS = pytest.mark.parametrize("label", ["match", "ignore"])


@cache
def world(seed: int) -> tuple[Corpus, Corpus]:
    """Small documents; mentions nest, cross, repeat, have gaps; the system copies some."""
    rng = np.random.default_rng(seed)

    def mention() -> Mention:
        label = "AB"[rng.integers(2)]
        if rng.random() < 0.25:
            covered = np.flatnonzero(rng.random(LENGTH) < 0.4).tolist() or [0]
            return Mention.of(label, [(i, i + 1) for i in covered])
        start = int(rng.integers(LENGTH))
        return Mention(label, start, min(LENGTH, start + int(rng.integers(1, 5))))

    gold: list[Document] = []
    system: list[Document] = []
    for _ in range(DOCUMENTS):
        ours = [mention() for _ in range(rng.integers(0, 5))]
        theirs = [mention() for _ in range(rng.integers(0, 4))]
        theirs += [each for each in ours if rng.random() < 0.3]
        for side, mentions in ((gold, ours), (system, theirs)):
            side.append(Document(tokens=("w",) * LENGTH, mentions=tuple(mentions)))
    return Corpus.of(*gold), Corpus.of(*system)


@cache
def paired(seed: int) -> Pair:
    return Pair.of(*world(seed))


def places(mention: Mention) -> Places:
    return frozenset(p for fragment in mention.fragments for p in range(*fragment))


@cache
def sets(seed: int) -> list[tuple[list[tuple[str, Places]], ...]]:
    """Label and positions of the mentions of each document, in document order."""
    return [
        tuple([(m.label, places(m)) for m in doc.mentions] for doc in docs)
        for docs in zip(*world(seed), strict=True)
    ]


def largest(edges: list[list[int]], used: frozenset[int] = frozenset()) -> int:
    """The size of the largest one-to-one pairing: try every partner of the first, and none."""
    if not edges:
        return 0
    rest = edges[1:]
    skip = largest(rest, used)
    return max([skip, *(1 + largest(rest, used | {s}) for s in edges[0] if s not in used)])


def matches(ours: Any, theirs: Any, rule: Rule, label: str) -> list[list[int]]:
    return [
        [
            k
            for k, (b, s) in enumerate(theirs)
            if (a == b or label == "ignore") and g & s and rule(g, s)
        ]
        for a, g in ours
    ]


def counts(events: Events, labels: tuple[str, ...]) -> Counter[tuple[int, str, str]]:
    found: Counter[tuple[int, str, str]] = Counter()
    columns = (each.tolist() for each in (events.doc, events.label, events.outcome))
    for doc, label, outcome in zip(*columns, strict=True):
        found[doc, labels[label], events.outcomes[outcome]] += 1
    assert set(events.weight.tolist()) <= {1.0}
    return found


@LABELS
@pytest.mark.parametrize(("cls", "parameters", "rule"), VARIANTS)
def test_many_counts_mentions_with_any_match(
    cls: Any, parameters: dict[str, Any], rule: Rule, label: str
) -> None:
    pair = paired(0)
    expected: Counter[tuple[int, str, str]] = Counter()
    for doc, (ours, theirs) in enumerate(sets(0)):
        edges = matches(ours, theirs, rule, label)
        for (name, _), partners in zip(ours, edges, strict=True):
            expected[doc, name, "tp" if partners else "fn"] += 1
        for k, (name, _) in enumerate(theirs):
            right = any(k in partners for partners in edges)
            expected[doc, name, "tp_system" if right else "fp"] += 1
    assert expected == counts(cls(**parameters, label=label)(pair), pair.labels)


@LABELS
@pytest.mark.parametrize(("cls", "parameters", "rule"), VARIANTS)
def test_one_counts_a_largest_pairing(
    cls: Any, parameters: dict[str, Any], rule: Rule, label: str
) -> None:
    pair = paired(1)
    events = cls(**parameters, label=label, pairing="one")(pair)
    expected: Counter[tuple[int, str]] = Counter()
    allowed = set()
    first, behind = 0, 0
    for doc, (ours, theirs) in enumerate(sets(1)):
        edges = matches(ours, theirs, rule, label)
        size = largest(edges)
        expected.update({(doc, "tp"): size, (doc, "tp_system"): size})
        expected.update({(doc, "fn"): len(ours) - size, (doc, "fp"): len(theirs) - size})
        allowed |= {(first + i, behind + k) for i, row in enumerate(edges) for k in row}
        first, behind = first + len(ours), behind + len(theirs)
    found: Counter[tuple[int, str]] = Counter()
    for (doc, _, outcome), count in counts(events, pair.labels).items():
        found[doc, outcome] += count
    assert +expected == found

    def pairs(outcome: str) -> list[tuple[int, int]]:
        rows = events.outcome == events.outcomes.index(outcome)
        return list(zip(events.gold[rows].tolist(), events.system[rows].tolist(), strict=True))

    assert pairs("tp") == pairs("tp_system")
    assert set(pairs("tp")) <= allowed
    assert {len(pairs("tp"))} == {len({row[side] for row in pairs("tp")}) for side in (0, 1)}


@LABELS
@SPACES
def test_a_matched_mention_names_the_partner_it_shares_most_with(cls: Any, label: str) -> None:
    pair = paired(0)
    events = cls(label=label)(pair)
    expected = set()
    first, behind = 0, 0
    for ours, theirs in sets(0):
        edges = matches(ours, theirs, RULES[cls], label)
        for i, partners in enumerate(edges):
            if partners:
                best = min(partners, key=lambda k: (-len(ours[i][1] & theirs[k][1]), k))
                expected.add(("tp", first + i, behind + best))
        for k in range(len(theirs)):
            if partners := [i for i, row in enumerate(edges) if k in row]:
                best = min(partners, key=lambda i: (-len(ours[i][1] & theirs[k][1]), i))
                expected.add(("tp_system", first + best, behind + k))
        first, behind = first + len(ours), behind + len(theirs)
    found = {
        (events.outcomes[outcome], int(g), int(s))
        for outcome, g, s in zip(events.outcome, events.gold, events.system, strict=True)
        if g >= 0 and s >= 0
    }
    assert expected == found


def by_label(space: Any, pair: Pair) -> dict[str, list[float]]:
    found = Tally.of(space, pair).by_label()
    return {name: found[name].tolist() for name in space.quantities}


@cache
def shuffled(seed: int) -> Pair:
    rng = np.random.default_rng(7)
    sides = []
    for corpus in world(seed):
        docs = []
        for doc in corpus:
            order = rng.permutation(len(doc.mentions)).tolist()
            docs.append(replace(doc, mentions=tuple(doc.mentions[i] for i in order)))
        sides.append(Corpus.of(*docs))
    return Pair.of(sides[0], sides[1])


@cache
def swapped(seed: int) -> Pair:
    gold, system = world(seed)
    return Pair.of(system, gold)


@SPACES
@PAIRINGS
@LABELS
def test_the_order_of_the_input_is_irrelevant(cls: Any, pairing: str, label: str) -> None:
    space = cls(pairing=pairing, label=label)
    assert by_label(space, paired(0)) == by_label(space, shuffled(0))


@SPACES
@PAIRINGS
@LABELS
def test_label_rows_add_up_and_every_mention_counts_once(
    cls: Any, pairing: str, label: str
) -> None:
    pair = paired(0)
    tally = Tally.of(cls(pairing=pairing, label=label), pair)
    rows, total = tally.by_label(), tally.total()
    for name, values in rows.items():
        assert float(values.sum()) == float(total[name])
    for side, mentions in (("gold_all", pair.gold), ("system_all", pair.system)):
        assert np.bincount(mentions.label).tolist() == rows[side].tolist()


@SPACES
@PAIRINGS
@LABELS
def test_gold_against_itself_is_perfect(cls: Any, pairing: str, label: str) -> None:
    gold, _ = world(0)
    found = by_label(cls(pairing=pairing, label=label), Pair.of(gold, gold))
    assert found["gold_all"] == found["gold_right"] == found["system_right"] == found["system_all"]


@PAIRINGS
@LABELS
@pytest.mark.parametrize(
    ("space", "mirrored"),
    [
        (Overlap(), Overlap()),
        (Left(), Left()),
        (Right(), Right()),
        (Iou(), Iou()),
        (Constrained(), Constrained()),
        (Constrained(k1=2, k2=0), Constrained(k1=0, k2=2)),
        (Contains(), Constrained(k1=0, k2=1)),
    ],
)
def test_swapping_sides_swaps_precision_and_recall_of_every_label(
    space: Any, mirrored: Any, pairing: Any, label: Any
) -> None:
    one = by_label(replace(space, pairing=pairing, label=label), paired(0))
    other = by_label(replace(mirrored, pairing=pairing, label=label), swapped(0))
    for here, there in (("gold_right", "system_right"), ("gold_all", "system_all")):
        assert one[here] == other[there]
        assert one[there] == other[here]


def test_contains_is_constrained_with_nothing_missing() -> None:
    for k in (0, 1, 2):
        expected = by_label(Constrained(k1=k, k2=0), paired(0))
        assert expected == by_label(Contains(k=k), paired(0))


def test_nothing_is_lost_when_a_side_is_empty() -> None:
    some, none = Corpus.of("[a]A b"), Corpus.of("a b")
    for cls in RULES:
        for pairing in ("many", "one"):
            space = cls(pairing=pairing)
            missed = Tally.of(space, Pair.of(some, none)).counted()
            invented = Tally.of(space, Pair.of(none, some)).counted()
            assert missed == {"tp": 0.0, "tp_system": 0.0, "fp": 0.0, "fn": 1.0}
            assert invented == {"tp": 0.0, "tp_system": 0.0, "fp": 1.0, "fn": 0.0}
            assert {0.0} == set(Tally.of(space, Pair.of(none, none)).counted().values())


def test_the_example_of_the_paper_has_the_scores_of_the_paper() -> None:
    gold = Corpus.of("The [quick brown]C fox jumps over the [lazy dog]C")
    system = Corpus.of("The [quick brown fox]C jumps over the [lazy]C [dog]C")
    recipes = ["overlap.P", "overlap.R", "overlap.F1", "overlap(pairing=one).F1", "exact.F1"]
    found = carob.score(gold, system, recipes)
    expected = [1.0, 1.0, 1.0, 0.8, 0.0]
    assert expected == [score.value for score in found.scores]


def test_a_system_that_marks_the_whole_text_finds_everything_by_overlap() -> None:
    gold, system = Corpus.of("[a]X b [c]X d [e]X"), Corpus.of("[a b c d e]X")
    expected = {"tp": 3.0, "tp_system": 1.0, "fp": 0.0, "fn": 0.0}
    assert expected == Tally.of(Overlap(), Pair.of(gold, system)).counted()


def test_iou_of_one_with_labels_is_exact_where_nothing_repeats() -> None:
    gold, system = Corpus.of("[a b]X [c]Y [d]X"), Corpus.of("[a b]X [c]X [d]X")
    pair = Pair.of(gold, system)
    expected = Tally.of(Exact(), pair).counted()
    found = Tally.of(Iou(t=1.0), pair).counted()
    assert expected == {name: found[name] for name in expected}


def test_iou_reaches_the_decimal_that_was_written() -> None:
    def corpus(length: int) -> Corpus:
        return Corpus.of(Document(tokens=("w",) * 100, mentions=(Mention("X", 0, length),)))

    whole = corpus(100)
    for part in range(1, 101):
        pair = Pair.of(whole, corpus(part))
        assert Tally.of(Iou(t=float(f"{part}e-2")), pair).counted()["tp"] == 1.0
        if part < 100:
            assert Tally.of(Iou(t=part / 100 + 1e-9), pair).counted()["tp"] == 0.0


@dataclass(eq=False)
class Spelled(Pair):
    """A pair in characters whose tokens are four characters wide, with a space between."""

    @property
    def in_tokens(self) -> Pair:
        gold, system = (
            replace(table, start=table.start // 5, end=(table.end + 4) // 5)
            for table in (self.gold, self.system)
        )
        return Pair(gold, system, self.labels, self.documents, "token")


def test_characters_are_compared_in_tokens_if_they_share_a_character() -> None:
    text = "aaaa bbbb cccc dddd"

    def pair(gold: tuple[int, int], *system: tuple[int, int]) -> Spelled:
        found = Pair.of(
            Corpus.of(Document(text=text, mentions=(Mention("X", *gold),))),
            Corpus.of(Document(text=text, mentions=tuple(Mention("X", *s) for s in system))),
        )
        return Spelled(found.gold, found.system, found.labels, found.documents, found.unit)

    def right(space: Any, gold: tuple[int, int], *system: tuple[int, int]) -> float:
        return Tally.of(space, pair(gold, *system)).counted()["tp_system"]

    assert right(Contains(k=1), (5, 9), (5, 14)) == 1.0
    assert right(Contains(k=0), (5, 9), (5, 14)) == 0.0
    assert right(Contains(k=1), (5, 9), (0, 14)) == 0.0
    assert right(Contains(k=0), (5, 9), (6, 8)) == 1.0
    assert right(Contains(k=0), (5, 7), (7, 9), (5, 6)) == 1.0
    assert right(Constrained(k1=0, k2=1), (5, 14), (5, 9), (10, 14), (0, 6)) == 2.0


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ("contains(k=-1).F1",
         "contains(k=…): found -1, expected a whole number of tokens, 0 or more"),
        ("constrained(k1=1,k2=-2).F1",
         "constrained(k2=…): found -2, expected a whole number of tokens, 0 or more"),
        ("iou(t=0).F1", "iou(t=…): found 0.0, expected a number above 0 and at most 1"),
        ("iou(t=1.5).F1", "iou(t=…): found 1.5, expected a number above 0 and at most 1"),
        ("overlap(pairing=on).F1",
         "overlap(pairing=…): found on; did you mean one? there are: many, one"),
    ],
)  # fmt: skip
def test_parameters_that_mean_nothing_are_refused(recipe: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        carob.Recipe.parse(recipe)
    assert message == str(caught.value)


@SPACES
def test_words_that_mean_nothing_are_refused_in_python_too(cls: Any) -> None:
    for key, there in (("label", "ignore, match"), ("pairing", "many, one")):
        with pytest.raises(RecipeError) as caught:
            cls(**{key: "xyz"})
        assert f"{cls.name}({key}=…): found xyz; there are: {there}" == str(caught.value)


def test_numbers_that_are_none_are_refused_in_python_too() -> None:
    wrong: list[tuple[Any, Any]] = [
        (Contains, 1.5),
        (Contains, True),
        (Iou, float("nan")),
        (Iou, "much"),
    ]
    for cls, value in wrong:
        with pytest.raises(RecipeError):
            cls(value)


def test_a_recipe_prints_what_it_came_from() -> None:
    for text in ("iou(t=0.7).F1", "constrained(k1=0,label=ignore).R@macro", "left(pairing=one).P"):
        assert text == str(carob.Recipe.parse(text))


def test_documents_that_lie_far_apart_on_a_line_do_not_meet() -> None:
    # On a line of documents the two mentions are 2^32 apart: the same in 32 bits.
    width, far = 1 << 18, 1 << 14
    long = {"tokens": ["w"] * width, "mentions": [{"start": 0, "end": width, "label": "A"}]}
    between = ["Ann slept"] * (far - 1)
    gold = Corpus.of("[Ann]A slept", *between, "Ann slept", long)
    system = Corpus.of("Ann slept", *between, "[Ann]A slept", long)
    pair = Pair.of(gold, system)
    for name in ("exact", "overlap", "slots", "semeval"):
        quantities = Tally.of(registry.load("match", name)(), pair).by_unit()
        assert [0, 0] == quantities["gold_right"][[0, far]].tolist(), name
        assert [0, 0] == quantities["system_right"][[0, far]].tolist(), name


def test_the_best_overlap_of_each_mention_is_the_first_that_shares_most() -> None:
    rng = np.random.default_rng(0)
    for world in range(500):
        rows, shared = rng.integers(0, 5, (2, int(rng.integers(0, 9))))
        if world % 2:
            rows.sort()  # mentions that are neither nested nor cross
        best = {
            row: max(np.flatnonzero(rows == row).tolist(), key=lambda i: shared[i])
            for row in rows.tolist()
        }
        assert sorted(overlap._best(rows, shared).tolist()) == sorted(best.values())
