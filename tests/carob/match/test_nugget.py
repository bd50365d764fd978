"""nugget counts what sorting all pairs of mentions and going through the list counts.

Dice is compared as a fraction, so ties are ties. The paper's examples come out, and documents in
which a side is empty still count.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carob
from carob.corpus.corpus import Corpus
from carob.corpus.document import Document, Mention
from carob.corpus.problems import InputError, RecipeError, UsageError
from carob.counts.tally import Tally
from carob.match.nugget import Nugget
from carob.pair.pair import Pair
from tests.worlds import times

LENGTH = 7
DOCUMENTS = times(20)
HIDDEN = frozenset({2, 5})
LABELS = ("Life.Die", "LIFE_DIE", "Merge", "NOT_ANNOTATED")
REALIS = ("Actual", "ACTUAL", "Other", "NOT_ANNOTATED", None)
Key = tuple[int, str, str]


@cache
def documents() -> tuple[list[Document], list[Document]]:
    """Small documents, mentions in no order; they nest, cross, repeat and have gaps."""
    rng = np.random.default_rng(5)

    def mention() -> Mention:
        name = LABELS[rng.integers(len(LABELS))]
        realis = REALIS[rng.integers(len(REALIS))]
        attributes = {} if realis is None else {"realis": realis}
        if rng.random() < 0.3:
            covered = np.flatnonzero(rng.random(LENGTH) < 0.4).tolist() or [0]
            return Mention.of(name, [(i, i + 1) for i in covered], attributes)
        start = int(rng.integers(LENGTH))
        end = min(LENGTH, start + int(rng.integers(1, 4)))
        return Mention.of(name, [(start, end)], attributes)

    sides: tuple[list[Document], list[Document]] = ([], [])
    for number in range(DOCUMENTS):
        ours = [mention() for _ in range(rng.integers(0, 5))]
        theirs = [mention() for _ in range(rng.integers(0, 5))]
        theirs += [each for each in ours if rng.random() < 0.2]
        for side, mentions in zip(sides, (ours, theirs), strict=True):
            side.append(Document(f"d{number}", None, ("w",) * LENGTH, tuple(mentions)))
    return sides


@cache
def paired() -> Pair:
    ours, theirs = documents()
    return Pair.of(Corpus.of(*ours), Corpus.of(*theirs))


def value(mention: Mention, name: str) -> str | None:
    raw = mention.label if name == "type" else mention.attributes.get(name)
    return None if raw is None else "".join(c for c in raw if c.isalnum()).lower()


def agree(gold: Mention, system: Mention, names: tuple[str, ...]) -> bool:
    return all(
        value(gold, name) == value(system, name) or value(gold, name) == "notannotated"
        for name in names
    )


def dice(gold: Mention, system: Mention, hidden: frozenset[int]) -> Fraction:
    g, s = ({p for part in m.fragments for p in range(*part)} - hidden for m in (gold, system))
    return Fraction(2 * len(g & s), max(len(g) + len(s), 1))


def in_order(mentions: tuple[Mention, ...], order: str) -> list[Mention]:
    if order == "file":
        return list(mentions)
    return sorted(mentions, key=lambda m: (m.fragments, m.label, m.attributes.get("realis", "")))


Edges = list[tuple[Fraction, int, int]]
World = list[tuple[list[Mention], list[Mention], Edges]]


@cache
def world(order: str, hidden: frozenset[int]) -> World:
    """The mentions of each document and all pairs with Dice: highest first, then system, gold."""
    found: World = []
    for ours, theirs in zip(*documents(), strict=True):
        gold, system = in_order(ours.mentions, order), in_order(theirs.mentions, order)
        edges = [
            (-dice(g, s, hidden), k, i) for i, g in enumerate(gold) for k, s in enumerate(system)
        ]
        found.append((gold, system, sorted(edge for edge in edges if edge[0] < 0)))
    return found


def slowly(
    gold: list[Mention], system: list[Mention], edges: Edges, space: Nugget
) -> dict[tuple[str, str], Fraction | int]:
    """One document: label and outcome, summed."""
    found: defaultdict[tuple[str, str], Fraction | int] = defaultdict(int)
    for g in gold:
        found[g.label, "N_G"] += 1
    for s in system:
        found[s.label, "N_S"] += 1

    def right(i: int, k: int, score: Fraction) -> None:
        found[gold[i].label, "TP"] += score
        found[system[k].label, "TP_system"] += score

    if space.mapping == "greedy":
        used: tuple[set[int], set[int]] = (set(), set())
        for score, k, i in edges:
            free = i not in used[0] and k not in used[1]
            if free and agree(gold[i], system[k], space.attributes):
                used[0].add(i)
                used[1].add(k)
                right(i, k, -score)
        return found
    mapping: dict[int, list[tuple[int, Fraction]]] = {i: [] for i in range(len(gold))}
    taken = set()
    for score, k, i in edges:
        if k not in taken:
            taken.add(k)
            mapping[i].append((k, -score))
    for i, g in enumerate(gold):
        if not mapping[i]:
            found[g.label, "unmapped"] += 1
        fits = [(k, d) for k, d in mapping[i] if agree(g, system[k], space.attributes)]
        if space.attributes:
            found[g.label, "agree"] += Fraction(len(fits), max(len(mapping[i]), 1))
        if fits:
            right(i, *max(fits, key=lambda pair: pair[1]))
    return found


@pytest.fixture(scope="module")
def hidden(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file that hides two positions of every document, some of them twice."""
    file = tmp_path_factory.mktemp("hidden") / "invisible.tab"
    lines = [f"d{i}\t{p}\t{p + 1}\n" for i in range(DOCUMENTS) for p in sorted(HIDDEN)]
    file.write_text("\n" + "".join(lines) + "d0\t2\t3\nd7\t5\t6\n")
    return str(file)


@pytest.mark.parametrize("order", ["document", "file"])
@pytest.mark.parametrize("attributes", [(), ("type",), ("realis",), ("realis", "type")])
@pytest.mark.parametrize("mapping", ["greedy", "2015"])
@pytest.mark.parametrize("with_hidden", [False, True])
def test_counts_are_those_of_going_through_the_sorted_list(
    order: Any, attributes: tuple[str, ...], mapping: Any, with_hidden: bool, hidden: str
) -> None:
    space = Nugget(attributes, mapping, order=order, invisible=hidden if with_hidden else None)
    pair = paired()
    expected: defaultdict[Key, float] = defaultdict(float)
    for doc, case in enumerate(world(order, HIDDEN if with_hidden else frozenset())):
        for (name, outcome), number in slowly(*case, space).items():
            if number:
                expected[doc, name, outcome] = float(number)
    found: defaultdict[Key, float] = defaultdict(float)
    events = space(pair)
    for doc, code, outcome, weight in zip(
        events.doc.tolist(), events.label.tolist(), events.outcome.tolist(),
        events.weight.tolist(), strict=True,
    ):  # fmt: skip
        found[doc, pair.labels[code], events.outcomes[outcome]] += weight
    assert set(expected) == set(found)
    worst = max(abs(expected[key] - found[key]) for key in found)
    assert worst < 1e-12


def test_the_order_of_the_input_matters_only_if_asked_for() -> None:
    ours, theirs = documents()
    turned = [
        [replace(document, mentions=document.mentions[::-1]) for document in side]
        for side in (ours, theirs)
    ]
    pair = Pair.of(Corpus.of(*turned[0]), Corpus.of(*turned[1]))
    differ = set()
    orders: tuple[Any, ...] = ("document", "file")
    mappings: tuple[Any, ...] = ("greedy", "2015")
    for order in orders:
        for mapping in mappings:
            space = Nugget(mapping=mapping, order=order)
            one, other = (Tally.of(space, each).by_label() for each in (paired(), pair))
            if any(not np.allclose(one[name], other[name]) for name in space.quantities):
                differ.add((order, mapping))
    assert differ == {("file", "greedy"), ("file", "2015")}


def test_the_place_in_the_file_survives_blocks_and_labels(tmp_path: Path) -> None:
    def line(name: str, *mentions: tuple[int, int, str]) -> str:
        listed = [{"start": a, "end": b, "label": label} for a, b, label in mentions]
        return json.dumps({"id": name, "tokens": ["w"] * 4, "mentions": listed}) + "\n"

    # Both gold mentions share half with the system's; the file has the later one first.
    gold, system = tmp_path / "gold.jsonl", tmp_path / "system.jsonl"
    gold.write_text(line("a") + line("b", (2, 4, "X"), (0, 2, "Y")))
    system.write_text(line("b", (1, 3, "Z")) + line("a"))
    for order, label in (("document", "Y"), ("file", "X")):
        recipe = f"nugget(order={order}).TP@label:{label}"
        assert carob.score(gold, system, recipe).value == 0.5
    parts = [carob.read(gold), Corpus.of({"id": "c", "tokens": ["w"], "mentions": []})]
    places = Corpus.joined(parts).mapped({"X": "Q"}).mentions.place
    assert places is not None
    assert places.tolist() == [1, 0]


def test_exchanging_the_sides_exchanges_what_is_right() -> None:
    ours, theirs = documents()
    turned = Pair.of(Corpus.of(*theirs), Corpus.of(*ours))
    one, other = (Tally.of(Nugget(), pair).by_label() for pair in (paired(), turned))
    for here, there in (("gold_right", "system_right"), ("gold_all", "system_all")):
        assert np.allclose(one[here], other[there])
        assert np.allclose(one[there], other[here])
    assert tuple(
        space.symmetric for space in (Nugget(), Nugget(mapping="2015"), Nugget(("type",)))
    ) == (True, False, False)


WORDS = ("He", "carried", "out", "the", "assassination")


def system_with(*labels: str) -> Corpus:
    places = ((1, 2), (4, 5))
    mentions = tuple(Mention(name, *at) for name, at in zip(labels, places, strict=True))
    return Corpus.of(Document("d", None, WORDS, mentions))


GOLD = Corpus.of(Document("d", None, WORDS, (Mention.of("Life.Die", [(1, 3), (4, 5)]),)))


@pytest.mark.parametrize(
    ("labels", "accuracy"), [(("Life.Die", "Life.Die"), 1.0), (("Business.MERGE", "Life.Die"), 0.5)]
)
def test_the_two_systems_of_the_paper(labels: tuple[str, str], accuracy: float) -> None:
    system = system_with(*labels)
    expected = {
        "nugget(mapping=2015).TP": 0.5,
        "nugget(mapping=2015).P": 0.25,
        "nugget(mapping=2015).R": 0.5,
        "nugget(mapping=2015,precision=pilot).P": 1.0,
        "nugget(mapping=2015,precision=pilot).R": 0.5,
        "nugget(attributes=type,mapping=2015).attribute-accuracy": accuracy,
        "nugget(attributes=type,mapping=2015).TP": 0.5,
        "nugget.TP": 0.5,
        "nugget.P": 0.25,
    }
    assert expected == {r: carob.score(GOLD, system, r).value for r in expected}


def test_with_attributes_the_best_mention_that_agrees_counts() -> None:
    gold = Corpus.of("[a b c]X d")
    system = Corpus.of("[a b]Y [c]X d")
    expected = {
        "nugget(mapping=2015).TP": 0.8,
        "nugget(attributes=type,mapping=2015).TP": 0.5,
        "nugget(attributes=type,mapping=2015).attribute-accuracy": 0.5,
        "nugget(attributes=type).TP": 0.5,
    }
    assert expected == {r: carob.score(gold, system, r).value for r in expected}


def test_greedy_runs_anew_with_attributes_and_the_mapping_of_2015_does_not() -> None:
    gold, system = Corpus.of("[a b c]X d"), Corpus.of("[[a b]X c d]Y")
    other = Corpus.of("[a b c]Y [d]X")
    assert carob.score(gold, system, "nugget(attributes=type).TP").value == 0.8
    # The system's one mention is mapped to the gold mention it shares most with, of another type.
    both = Corpus.of("[[a]X b]Y")
    answer = Corpus.of("[a b]X")
    recipes = ["nugget(attributes=type).TP", "nugget(attributes=type,mapping=2015).TP"]
    assert [carob.score(both, answer, recipe).value for recipe in recipes] == [2 / 3, 0.0]
    assert carob.score(gold, other, "nugget(attributes=type).TP").value == 0.0


def test_gaps_count_as_gaps(tmp_path: Path) -> None:
    def file(name: str, span: str) -> Path:
        path = tmp_path / f"{name}.tbf"
        path.write_text(
            f"#BeginOfDocument d\n{name}\td\tE1\t{span}\tw\tMovement\tActual\n#EndOfDocument\n"
        )
        return path

    gold, system = file("gold", "4,8;13,16"), file("system", "4,8")
    assert carob.score(gold, system, "nugget.TP").value == 2 * 4 / (7 + 4)
    assert carob.score(gold, system, "nugget(attributes=realis+type).TP").value == 2 * 4 / (7 + 4)


def test_documents_in_which_a_side_is_empty_count() -> None:
    gold = Corpus.of("[a]X b", "[a]X b", "a b", "a b")
    system = Corpus.of("[a]X b", "a b", "[a]X [b]X", "a b")
    expected = {"nugget.N_G": 2.0, "nugget.N_S": 3.0, "nugget.P": 1 / 3, "nugget.R": 0.5}
    assert expected == {r: carob.score(gold, system, r).value for r in expected}
    for space in (Nugget(), Nugget(("type",), "2015"), Nugget(mapping="2015", precision="pilot")):
        none = Pair.of(Corpus.of("a"), Corpus.of("a"))
        assert {0.0} == set(Tally.of(space, none).counted().values())


def test_a_mention_that_is_all_invisible_has_no_dice(tmp_path: Path) -> None:
    file = tmp_path / "invisible.tab"
    file.write_text("1\t0\t2\n")
    words = ("a", "b", "c", "d")
    crossing = (Mention("X", 0, 2), Mention("X", 1, 3))
    gold, system = Corpus.of("[a b]X [c d]X"), Corpus.of(Document(None, None, words, crossing))
    space = Nugget(invisible=str(file))
    counted = Tally.of(space, Pair.of(gold, system)).counted()
    assert counted == {"TP": 2 / 3, "TP_system": 2 / 3, "N_G": 2.0, "N_S": 2.0}


def test_the_file_is_sealed_in_the_signature(tmp_path: Path) -> None:
    file = tmp_path / "invisible.tab"
    file.write_text("1\t0\t1\n")
    recipe = carob.Recipe.parse(f'nugget(invisible="{file}").F1')
    assert f'nugget(invisible="{file}").F1' == str(recipe)
    assert "#sha256=" in recipe.full
    assert recipe == carob.Recipe.parse(recipe.full)
    full = recipe.full
    file.write_text("1\t0\t2\n")
    with pytest.raises(InputError) as caught:
        carob.Recipe.parse(full)
    assert "the invisible positions that were used" in str(caught.value)
    assert recipe != carob.Recipe.parse(str(recipe))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1\t0\n", "2: K811 found '1\\t0', expected a document, a start and an end, "
                    "separated by tabs"),
        ("1\t3\t3\n", "2: K811 found the span 3..3, expected a start before its end, which is "
                      "exclusive"),
        ("1\t0\t9999999999\n", "2: K811 found the span 0..9999999999, expected a start before its "
                               "end, which is exclusive"),
        ("x\t0\t1\n", "2: K812 found the document 'x', expected a document that gold has"),
        ("1\t0\t3\n", "2: K812 found an end at 3, expected one within the 2 positions"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used_is_refused_with_its_line(
    content: str, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "invisible.tab"
    file.write_text("1\t0\t1\n" + content)
    corpus = Corpus.of("[a]X b")
    with pytest.raises(InputError) as caught:
        carob.score(corpus, corpus, f'nugget(invisible="{file}").F1')
    assert f"{file}:{message}" == str(caught.value)


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ("nugget(precision=pilot).P",
         "nugget(precision=pilot) is the formula of the pilot study and goes with its mapping: "
         "write nugget(mapping=2015,precision=pilot)"),
        ("nugget(mapping=2016).P",
         "nugget(mapping=…): found 2016; did you mean 2015? there are: 2015, greedy"),
        ("nugget(attributes=type+type).P", "nugget(attributes=type+type): a name occurs twice"),
        ("nugget(mapping=2015).attribute-accuracy",
         "attribute-accuracy needs attribute_agree, which nugget(mapping=2015) does not count; "
            "write nugget(attributes=type,mapping=2015).attribute-accuracy"),
        ("nugget.agree", None),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(recipe: str, message: str | None) -> None:
    with pytest.raises(RecipeError) as caught:
        carob.Recipe.parse(recipe)
    assert message is None or message == str(caught.value)


def test_words_that_mean_nothing_are_refused_in_python_too() -> None:
    for key in ("mapping", "precision", "order"):
        with pytest.raises(RecipeError):
            Nugget(**{key: "xyz"})  # type: ignore[arg-type]


def test_an_attribute_nobody_has_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        carob.score(GOLD, GOLD, "nugget(attributes=realiss).P")
    assert str(caught.value) == "no attribute is called 'realiss'; there are: type"


def test_an_attribute_that_one_side_has_is_absent_on_the_other() -> None:
    def corpus(**attributes: str) -> Corpus:
        mention = Mention.of("X", [(0, 1)], attributes)
        return Corpus.of(Document(tokens=("w",), mentions=(mention,)))

    def right(gold: Corpus, system: Corpus) -> float | None:
        return carob.score(gold, system, "nugget(attributes=realis).TP").value

    assert right(corpus(realis="Actual"), corpus()) == 0.0
    assert right(corpus(), corpus(realis="Actual")) == 0.0
    assert right(corpus(realis="NOT_ANNOTATED"), corpus()) == 1.0
    assert right(corpus(realis="actual"), corpus(realis="A.C.T.ual")) == 1.0


def test_a_recipe_prints_what_it_came_from() -> None:
    for text in ("nugget(attributes=realis+type,mapping=2015).F1@macro-doc-pr",
                 "nugget(mapping=2015,precision=pilot).P", "nugget(order=file).F1"):  # fmt: skip
        assert text == str(carob.Recipe.parse(text))
        assert carob.Recipe.parse(text) == carob.Recipe.parse(carob.Recipe.parse(text).full)
