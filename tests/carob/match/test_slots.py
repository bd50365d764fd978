"""slots and mentions count what their definition says, for the right label on each side.

The alignment is: identical mentions first, then the fewest errors, the most correct slots, the most
shared positions, the smallest list.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from carob.corpus.corpus import Corpus
from carob.corpus.document import Document, Mention
from carob.corpus.problems import RecipeError, UsageError
from carob.counts.tally import Tally
from carob.match.slots import Alignment, Slots, WholeMentions, align
from carob.measure.e import E
from carob.measure.err import Err
from carob.measure.f import F
from carob.measure.ser import Ser
from carob.pair.pair import Pair
from carob.recipe import Recipe
from tests.carob.match._alignment import Counts, World, added, aligned, corpora, correct, worlds

WORLDS = worlds(seed=2, size=12 * settings().max_examples)


@cache
def pair_of(kind: str) -> Pair:
    if kind == "out of order":
        return corpora(WORLDS, np.random.default_rng(1))
    if kind == "exchanged":
        return corpora([(system, gold) for gold, system in WORLDS])
    if kind == "gold twice":
        return corpora([(gold, gold) for gold, _ in WORLDS])
    return corpora(WORLDS)


SPACES: list[Any] = [
    Slots(),
    Slots(("realis",)),
    Slots(("polarity", "realis")),
    WholeMentions(),
    WholeMentions(("realis",)),
]
every_space = pytest.mark.parametrize("space", SPACES, ids=str)


def fast(space: Any, pair: Pair) -> Counts:
    tally = Tally.of(space, pair)
    rows, columns = np.nonzero(tally.counts)
    return {
        (int(tally.unit[r]), tally.labels[tally.label[r]], tally.outcomes[c]): tally.counts[r, c]
        for r, c in zip(rows, columns, strict=True)
    }


def slow(space: Any, found: list[World]) -> Counts:
    counts: Counts = {}
    one = isinstance(space, WholeMentions)
    slots = 2 + len(space.attributes)
    for i, world in enumerate(found):
        gold, system = world
        links = aligned(world, None if one else space.attributes)
        for g, s in links:
            c = correct(gold[g], system[s], space.attributes)
            c, each = (int(c == slots), 1) if one else (c, slots)
            added(counts, i, gold[g].label, {"C": c, "S": each - c})
            added(counts, i, system[s].label, {"C_system": c, "S_system": each - c})
        for g in set(range(len(gold))) - {g for g, _ in links}:
            added(counts, i, gold[g].label, {"D": 1 if one else slots})
        for s in set(range(len(system))) - {s for _, s in links}:
            added(counts, i, system[s].label, {"I": 1 if one else slots})
    return counts


@every_space
def test_every_count_is_what_the_definition_says(space: Any) -> None:
    assert slow(space, WORLDS) == fast(space, pair_of("as it is"))


@every_space
def test_the_order_of_the_input_is_irrelevant(space: Any) -> None:
    expected = fast(space, pair_of("as it is"))
    assert expected == fast(space, pair_of("out of order"))


@every_space
def test_gold_against_gold_has_no_errors(space: Any) -> None:
    pair = pair_of("gold twice")
    q = Tally.of(space, pair).total()
    assert q["gold_all"] == q["gold_right"] == q["system_right"] == q["system_all"] > 0
    assert q["s"] == q["d"] == q["i"] == 0


@every_space
def test_exchanging_the_sides_exchanges_deletions_and_insertions(space: Any) -> None:
    one = Tally.of(space, pair_of("as it is")).by_unit()
    other = Tally.of(space, pair_of("exchanged")).by_unit()
    for name, twin in (("c", "c"), ("s", "s"), ("d", "i"), ("i", "d"),
                       ("gold_right", "system_right"), ("gold_all", "system_all")):  # fmt: skip
        assert one[name].tolist() == other[twin].tolist()


@every_space
def test_every_label_has_the_slots_of_its_mentions(space: Any) -> None:
    pair = pair_of("as it is")
    q = Tally.of(space, pair).by_label()
    slots = 1 if isinstance(space, WholeMentions) else 2 + len(space.attributes)
    assert (slots * np.bincount(pair.gold.label)).tolist() == q["gold_all"].tolist()
    assert (slots * np.bincount(pair.system.label)).tolist() == q["system_all"].tolist()
    assert q["C"].sum() == q["C_system"].sum()
    assert q["S"].sum() == q["S_system"].sum()


@every_space
def test_e_is_at_most_err_and_err_at_most_ser(space: Any) -> None:
    tally = Tally.of(space, pair_of("as it is"))
    for alpha in (0.0, 0.2, 0.5, 1.0):
        for q in (tally.by_unit(), tally.total()):
            e, err, ser = E(alpha=alpha)(q), Err()(q), Ser()(q)
            there = ~np.isnan(ser)
            assert there.any()
            assert np.all(e[there] <= err[there] + 1e-12)
            assert np.all(err[there] <= ser[there] + 1e-12)


@every_space
def test_f_is_correct_over_the_mixed_sizes(space: Any) -> None:
    q = Tally.of(space, pair_of("as it is")).total()
    n, m = q["c"] + q["s"] + q["d"], q["c"] + q["s"] + q["i"]
    for alpha in (0.0, 0.2, 0.5, 1.0):
        assert pytest.approx(q["c"] / ((1 - alpha) * n + alpha * m)) == F(alpha=alpha)(q)


def test_one_side_may_be_empty() -> None:
    found: list[World] = [(gold, []) for gold, _ in WORLDS[:50]]
    q = Tally.of(Slots(), corpora(found)).total()
    assert q["gold_all"] == q["d"] == 2 * sum(len(gold) for gold, _ in found)
    assert q["system_all"] == q["i"] == 0


def test_a_different_label_leaves_the_extent_right_under_both_labels() -> None:
    pair = Pair.of(Corpus.of("[Ann Lee]PER slept"), Corpus.of("[Ann Lee]ORG slept"))
    q = Tally.of(Slots(), pair).by_label()
    assert pair.labels == ("ORG", "PER")
    assert q["gold_right"].tolist() == [0, 1]
    assert q["system_right"].tolist() == [1, 0]


def one_mention(**attributes: str) -> Corpus:
    return Corpus.of(Document(tokens=("a", "b"), mentions=(Mention("A", 0, 1, (), attributes),)))


@pytest.mark.parametrize(
    ("gold", "system", "c"),
    [
        ({"realis": "actual"}, {"realis": "actual"}, 3),
        ({"realis": "actual"}, {"realis": "other"}, 2),
        ({"realis": "actual"}, {}, 2),
        ({}, {"realis": "actual"}, 2),
    ],
)
def test_an_attribute_is_a_slot(gold: dict[str, str], system: dict[str, str], c: int) -> None:
    pair = Pair.of(one_mention(**gold), one_mention(**system))
    counted = Tally.of(Slots(("realis",)), pair).counted()
    assert (c, 3 - c) == (counted["C"], counted["S"])
    assert (c == 3) == Tally.of(WholeMentions(("realis",)), pair).counted()["C"]


def test_an_attribute_absent_on_both_sides_is_right() -> None:
    two = (Mention("A", 0, 1), Mention("A", 1, 2, (), {"realis": "actual"}))
    corpus = Corpus.of(Document(tokens=("a", "b"), mentions=two))
    assert Tally.of(Slots(("realis",)), Pair.of(corpus, corpus)).counted()["C"] == 6


def test_identical_mentions_are_aligned_first_whatever_their_attributes() -> None:
    gold = Corpus.of(Document(tokens=("a",), mentions=tuple(
        Mention("A", 0, 1, (), {"realis": value}) for value in ("x", "y"))))  # fmt: skip
    system = Corpus.of(Document(tokens=("a",), mentions=(Mention("A", 0, 1, (), {"realis": "y"}),)))
    counted = Tally.of(Slots(("realis",)), Pair.of(gold, system)).counted()
    assert (counted["C"], counted["S"], counted["D"]) == (2, 1, 3)


def test_an_unknown_attribute_is_refused_by_name() -> None:
    pair = Pair.of(one_mention(realis="actual"), one_mention(polarity="yes"))
    for space in (Slots(("relais",)), WholeMentions(("relais",))):
        with pytest.raises(UsageError) as refused:
            space(pair)
        assert (
            str(refused.value)
            == "no attribute is called 'relais'; did you mean realis? there are: polarity, realis"
        )
    with pytest.raises(UsageError) as refused:
        Slots(("realis",))(Pair.of(Corpus.of("[a]A"), Corpus.of("[a]A")))
    assert str(refused.value) == "no attribute is called 'realis'; the mentions have no attributes"


def test_attributes_are_a_set_of_names() -> None:
    assert Slots(("a", "b")) == Slots(("b", "a"))
    with pytest.raises(RecipeError) as refused:
        Slots(("a", "a"))
    assert str(refused.value) == "slots(attributes=a+a): a name occurs twice"
    with pytest.raises(RecipeError) as refused:
        WholeMentions("realis")  # type: ignore[arg-type]
    assert str(refused.value) == "mentions(attributes=…): found 'realis', expected a tuple of names"


@pytest.mark.parametrize(
    "text",
    ["slots.SER", "slots(attributes=polarity+realis).SER(i=0.5)", 'slots(attributes="a b").E',
     "mentions(attributes=realis).ERR", "semeval(mode=partial).F1"],
)  # fmt: skip
def test_recipes_read_what_they_print(text: str) -> None:
    recipe = Recipe.parse(text)
    assert text == str(recipe)
    assert recipe == Recipe.parse(recipe.full)


def listed(pair: Pair, alignment: Alignment) -> list[list[tuple[int, int]]]:
    """For each document the links, by places in the document."""
    lists: list[list[tuple[int, int]]] = [[] for _ in range(pair.size)]
    first = [np.searchsorted(side.doc, np.arange(pair.size)) for side in (pair.gold, pair.system)]
    for g, s in zip(alignment.gold.tolist(), alignment.system.tolist(), strict=True):
        doc = int(pair.gold.doc[g])
        lists[doc].append((g - int(first[0][doc]), s - int(first[1][doc])))
    return lists


@pytest.mark.parametrize(
    "attributes", [None, (), ("realis",), ("polarity", "realis")], ids=lambda a: str(a)
)
def test_the_alignment_is_the_best_of_all(attributes: tuple[str, ...] | None) -> None:
    pair = pair_of("as it is")
    expected = [aligned(world, attributes) for world in WORLDS]
    assert expected == listed(pair, align(pair, attributes))


def test_an_alignment_is_computed_once() -> None:
    pair = corpora(WORLDS[:10])
    assert align(pair) is align(pair, ())
    assert align(pair, None) is align(pair, None)
    assert align(pair) is not align(pair, ("realis",))


def test_slots_prefer_two_half_right_pairs_to_three_wrong_ones() -> None:
    gold = Corpus.of("[a b]A [c d]B [e f]C")
    system = Corpus.of("a [b c]B [d e]C [f]D")
    pair = Pair.of(gold, system)
    assert listed(pair, align(pair)) == [[(1, 0), (2, 1)]]
    assert listed(pair, align(pair, None)) == [[(0, 0), (1, 1), (2, 2)]]
