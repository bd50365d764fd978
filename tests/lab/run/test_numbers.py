"""Means over splits, pooled scores, intervals and tests, against direct computation."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carob
from carob import Corpus, Recipe
from carob.evaluate.options import Options
from carob.formats.jsonl import Jsonl
from carob_lab.run.cells import Cell, Finished, count
from carob_lab.run.numbers import (
    Contender,
    Documents,
    Row,
    Stack,
    areas,
    compare,
    corrected_t,
    estimates,
    table_rows,
)

SLOTS = ("a", "b")
OPTIONS = Options(labels=SLOTS, slots=SLOTS, resamples=0)
RECIPES = [Recipe.parse(text) for text in ("oas.F1", "oaod.P", "oaod.F1", "exact.F1@macro")]
WORDS = "x y z x y z w w"


def document(rng: random.Random, name: str) -> dict[str, Any]:
    """A document with some random mentions."""
    starts = rng.sample(range(8), rng.randrange(4))
    mentions = [
        {"start": at, "end": at + 1, "label": rng.choice(SLOTS)} for at in sorted(starts)
    ]  # fmt: skip
    return {"id": name, "tokens": WORDS.split(), "mentions": mentions}


def world(seed: int, folder: Path, splits: int = 3) -> tuple[Corpus, dict[str, list[Finished]]]:
    """Gold, and the finished cells of two learners that answer at random."""
    rng = random.Random(seed)
    names = [f"d{number}" for number in range(6)]
    gold = Corpus.of(*(document(rng, name) for name in names))
    tests = [tuple(rng.sample(names, 3)) for _ in range(splits)]
    cells: dict[str, list[Finished]] = {"one": [], "two": []}
    for learner, number in itertools.product(cells, range(splits)):
        place = folder / f"{learner}{number}"
        place.mkdir(exist_ok=True)
        test = tests[number]
        train = tuple(name for name in names if name not in test)
        cell = Cell(f"split-{number}", learner, 0, "all", train, test)
        answers = Corpus.of(*(document(rng, name) for name in sorted(test)))
        with (place / "answers.jsonl").open("wb") as file:
            Jsonl().write(answers, file)
        tallies = count(place, cell, gold, RECIPES, OPTIONS)
        cells[learner].append(Finished(cell, place, tallies, {}, {}))
    return gold, cells


def order(gold: Corpus) -> dict[str, int]:
    return {gold.documents.name(row): row for row in range(len(gold))}


def part(corpus: Corpus, names: list[str]) -> list[dict[str, Any]]:
    """Documents by name, as often as they are named, under new names."""
    rows = {corpus.documents.name(row): row for row in range(len(corpus))}
    return [
        {"id": f"{number}", "tokens": WORDS.split(),
         "mentions": [{"start": m.start, "end": m.end, "label": m.label}
                      for m in corpus[rows[name]].mentions]}
        for number, name in enumerate(names)
    ]  # fmt: skip


def direct(gold: Corpus, answers: list[tuple[list[str], Corpus]], recipe: Recipe) -> float:
    """The score of documents of several answer files together, by the public function."""
    ours: list[dict[str, Any]] = []
    theirs: list[dict[str, Any]] = []
    for number, (names, corpus) in enumerate(answers):
        for side, whole in ((ours, gold), (theirs, corpus)):
            side += [each | {"id": f"{number}-{each['id']}"} for each in part(whole, names)]
    if not ours:
        return math.nan
    scored = carob.score(
        Corpus.of(*ours), Corpus.of(*theirs), str(recipe), resamples=0, labels=SLOTS, slots=SLOTS
    )
    return math.nan if scored.value is None else scored.value


def read(done: Finished) -> Corpus:
    return carob.read(done.folder / "answers.jsonl")


def near(value: float, other: float) -> bool:
    return (math.isnan(value) and math.isnan(other)) or abs(value - other) < 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_mean_and_pooled_score_are_those_of_the_splits(seed: int, tmp_path: Path) -> None:
    gold, cells = world(seed, tmp_path)
    documents = Documents.of(cells["one"])
    for recipe in RECIPES:
        stack = Stack(recipe, cells["one"], order(gold), documents)
        each = [direct(gold, [(list(d.cell.test), read(d))], recipe) for d in cells["one"]]
        there = [value for value in each if not math.isnan(value)]
        mean = sum(there) / len(there) if there else math.nan
        pooled = direct(gold, [(list(d.cell.test), read(d)) for d in cells["one"]], recipe)
        assert all(map(near, stack.by_cell.tolist(), each))
        assert near(float(stack.statistic.point[0]), mean)
        assert near(float(stack.statistic.point[1]), pooled)
        [own] = estimates([stack], documents.units, 0, 0)
        assert own.sd is None or near(own.sd, float(np.std(there, ddof=1)))


@pytest.mark.parametrize("seed", range(4))
def test_a_resample_takes_all_counts_of_a_document(seed: int, tmp_path: Path) -> None:
    gold, cells = world(seed, tmp_path)
    documents = Documents.of(cells["one"])
    names, rng = list(documents.place), random.Random(seed)
    for recipe in RECIPES[:3]:
        stack = Stack(recipe, cells["one"], order(gold), documents)
        drawn = rng.choices(names, k=len(names))
        weights = np.array([[drawn.count(name) for name in names]], np.float64)
        sums = weights @ stack.table.rows(np.arange(len(names)))
        answers = [([n for n in drawn if n in d.cell.test], read(d)) for d in cells["one"]]
        each = [direct(gold, [own], recipe) for own in answers]
        there = [value for value in each if not math.isnan(value)]
        assert near(float(stack.values(sums)[0, 0]), sum(there) / len(there) if there else math.nan)
        assert near(float(stack.values(sums)[0, 1]), direct(gold, answers, recipe))


@pytest.mark.parametrize("seed", range(2))
def test_a_trial_swaps_all_answers_of_a_document(seed: int, tmp_path: Path) -> None:
    """The exact p, by swapping the documents of the answer files themselves."""
    gold, cells = world(seed, tmp_path, splits=2)
    recipe = Recipe.parse("oaod.F1")
    names = sorted({name for done in cells["one"] for name in done.cell.test})

    @cache
    def swapped_score(own: str, other: str, split: int, moved: tuple[str, ...]) -> float:
        mine, theirs = cells[own][split], cells[other][split]
        kept = [name for name in mine.cell.test if name not in moved]
        return direct(gold, [(kept, read(mine)), (list(moved), read(theirs))], recipe)

    def difference(swapped: tuple[str, ...]) -> float:
        means = []
        for own, other in (("one", "two"), ("two", "one")):
            values = []
            for split, mine in enumerate(cells[own]):
                moved = tuple(name for name in mine.cell.test if name in swapped)
                values.append(swapped_score(own, other, split, moved))
            means.append(sum(values) / len(values))
        return means[1] - means[0]

    observed = difference(())
    every = [
        difference(some) for size in range(len(names) + 1)
        for some in itertools.combinations(names, size)
    ]  # fmt: skip
    expected = sum(abs(each) >= abs(observed) - 1e-12 for each in every) / len(every)
    contenders = [Contender(name, cells[name]) for name in ("one", "two")]
    [made] = compare(
        [(contenders[0], contenders[1])], [Row(recipe)], order(gold), resamples=0, trials=None,
        seed=0,
    )  # fmt: skip
    assert made.difference == pytest.approx(observed, abs=1e-12)
    assert made.exact
    assert made.p == pytest.approx(expected)


@given(
    st.lists(st.floats(-1, 1), min_size=2, max_size=12),
    st.floats(0.05, 3),
)
def test_corrected_t_is_the_formula(differences: list[float], ratio: float) -> None:
    stats = pytest.importorskip("scipy.stats")
    count, variance = len(differences), float(np.var(differences, ddof=1))
    if variance < 1e-12:
        return
    t = float(np.mean(differences)) / math.sqrt((1 / count + ratio) * variance)
    expected = 2 * stats.t.sf(abs(t), count - 1)
    assert corrected_t(differences, ratio) == pytest.approx(expected, abs=1e-9)


def test_corrected_t_without_an_answer() -> None:
    assert corrected_t([0.1], 1.0) is None
    assert corrected_t([0.1, math.nan], 1.0) is None


def test_corrected_t_of_differences_that_are_all_alike() -> None:
    assert corrected_t([0.1, 0.1, 0.1], 1.0) == 0.0
    assert corrected_t([0.0, 0.0], 1.0) == 1.0


@settings(max_examples=50)
@given(st.lists(st.integers(1, 500), min_size=2, max_size=6, unique=True).map(sorted))
def test_the_area_of_a_curve_is_its_trapezoids(sizes: list[int]) -> None:
    rng = random.Random(sum(sizes))
    heights = [rng.random() for _ in sizes]
    logs = np.log(sizes)
    expected = float(np.trapezoid(heights, logs)) / (logs[-1] - logs[0])
    weights = areas(sizes)
    assert sum(w * h for w, h in zip(weights, heights, strict=True)) == pytest.approx(expected)
    assert sum(weights) == pytest.approx(1)


def test_learners_are_compared_over_the_splits_that_both_have(tmp_path: Path) -> None:
    gold, cells = world(1, tmp_path)
    one, two = Contender("one", cells["one"]), Contender("two", cells["two"][1:])
    row = Row(Recipe.parse("oaod.F1"))
    settings: dict[str, Any] = {"resamples": 0, "trials": 99, "seed": 0}
    [made] = compare([(one, two)], [row], order(gold), **settings)
    shorter = replace(one, cells=cells["one"][1:])
    [same] = compare([(shorter, two)], [row], order(gold), **settings)
    assert made == same
    assert made.splits == 2


def test_splits_weigh_sizes_as_the_area_does(tmp_path: Path) -> None:
    gold, cells = world(3, tmp_path)
    documents = Documents.of(cells["one"])
    recipe = Recipe.parse("oaod.F1")
    # The answers of both learners stand for two sizes of one.
    both = [done for pair in zip(cells["one"], cells["two"], strict=True) for done in pair]
    stack = Stack(recipe, both, order(gold), documents, [0.25, 0.75] * len(cells["one"]))
    for name, value in stack.by_split().items():
        small, large = (direct(gold, [(list(done.cell.test), read(done))], recipe)
                        for done in both if done.cell.split == name)  # fmt: skip
        assert near(value, 0.25 * small + 0.75 * large)


def test_learners_with_other_seeds_are_compared_seed_by_seed(tmp_path: Path) -> None:
    gold, cells = world(1, tmp_path)

    def again(done: Finished, seed: int) -> Finished:
        return replace(done, cell=replace(done.cell, seed=seed))

    row = Row(Recipe.parse("oaod.F1"))
    settings: dict[str, Any] = {"resamples": 0, "trials": 99, "seed": 0}
    one, two = Contender("one", cells["one"]), Contender("two", cells["two"])
    [same] = compare([(one, two)], [row], order(gold), **settings)
    other = Contender("two", [again(done, 9) for done in cells["two"]])
    assert [same] == compare([(one, other)], [row], order(gold), **settings)
    # The second seed of one learner has no partner.
    more = Contender("two", [*other.cells, *(again(done, 10) for done in cells["one"])])
    assert [same] == compare([(one, more)], [row], order(gold), **settings)


def test_a_table_has_slots_only_for_micro_averages() -> None:
    rows = table_rows(RECIPES, SLOTS, labels=True)
    assert [str(row.recipe) for row in rows if row.label == "a"] == ["oas.F1", "oaod.P", "oaod.F1"]
