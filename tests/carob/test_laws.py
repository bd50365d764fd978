"""Laws that every event space, measure and average obeys, also those that are yet to be written:
they are taken from the registry, with their default parameters, and spaces also with every other
word that a parameter of theirs may be. What cannot be built, or does not fit together, is skipped.
"""

from __future__ import annotations

import contextlib
import random
from dataclasses import fields, replace
from functools import cache
from itertools import pairwise
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings

from carob import Corpus, Document, Pair, Recipe, RecipeError, Tally, UsageError, registry, score
from carob.corpus.document import Group
from carob.counts.count import Count
from carob.pair.links import RelationRows
from carob.plugin import hook
from tests.worlds import LABELS, Documents, documents, examples, named_pairs, pairs


def variants(name: str) -> list[str]:
    """A space as recipes write it: plain, and with each word that one of its parameters offers."""
    cls = registry.load("match", name)
    hints = get_type_hints(cls)
    return [name] + [
        f"{name}({field.name}={word})"
        for field in fields(cls)
        if get_origin(hints[field.name]) is Literal
        for word in get_args(hints[field.name])
        if word != field.default
    ]


SPACES = [each for name in registry.builtin("match") for each in variants(name)]
AVERAGES = [f"@{name}" if name != "label" else "@label:A" for name in registry.builtin("average")]

every_space = pytest.mark.parametrize("name", SPACES)
every_plain_space = pytest.mark.parametrize("name", registry.builtin("match"))
few = examples(0.075)


@cache
def built(name: str) -> Any:
    """The space; None if it needs parameters, or more of them."""
    try:
        return Recipe.parse(f"{name}.P").space
    except UsageError:
        return None


def space_of(name: str) -> Any:
    space = built(name)
    if space is None:
        pytest.skip(f"{name} has no default parameters")
    return space


def linked(document: Document) -> Document:
    """The document with relations and events: each mention is linked to the next one, and to the
    one after that with the one between as a trigger; the label is that of the first.
    """
    mentions = sorted(document.mentions, key=lambda m: (m.fragments, m.label, m.id or ""))
    named = [replace(m, id=str(i)) for i, m in enumerate(mentions)]
    groups = [
        Group(a.label, (("from", a.id), ("to", b.id))) for a, b in pairwise(named)
    ] + [
        Group(a.label, (("trigger", b.id), ("from", a.id), ("to", c.id)))
        for a, b, c in zip(named, named[1:], named[2:], strict=False)
    ]  # fmt: skip
    return replace(document, mentions=tuple(named), relations=tuple(groups))


def tally(space: Any, gold: Documents, system: Documents, labels: Any = LABELS) -> Tally:
    rows = RelationRows(tuple(labels), tuple(f"{a}.{b}" for a in labels for b in ("from", "to")))
    if space.items == "relation":
        gold, system = ([linked(document) for document in side] for side in (gold, system))
    both = Corpus.of(*gold), Corpus.of(*system)
    try:
        return Tally.of(space, Pair.of(*both, labels, relations=rows, bare_slots=tuple(labels)))
    except UsageError as error:
        pytest.skip(f"not for corpora of mentions: {error}")


def close(one: Any, other: Any) -> bool:
    return bool(np.allclose(one, other, rtol=1e-9, atol=1e-9))


@every_space
@few
@given(docs=documents)
def test_gold_against_itself_has_no_errors(name: str, docs: Documents) -> None:
    if name == "nugget(mapping=2015)":
        pytest.skip("overlapping mentions of a system may all go to one of gold")
    if name == "ceaf-rme(phi=subset)":
        pytest.skip("entities of a system that share strings may all hit one of gold")
    q = tally(space_of(name), docs, docs).by_unit()
    assert close(q["gold_all"], q["gold_right"])
    assert close(q["system_all"], q["system_right"])
    assert close(q["gold_all"], q["system_all"])
    for wrong in {"s", "d", "i"} & q.keys():
        assert close(0, q[wrong])


@every_space
@few
@given(pair=named_pairs)
def test_the_order_of_the_input_is_irrelevant(name: str, pair: tuple[Documents, Documents]) -> None:
    if name == "nugget(order=file)":
        pytest.skip("it takes the order of the file, and says so")
    space, rng = space_of(name), random.Random(len(pair[0]))
    before = tally(space, *pair)
    shuffled = [
        [replace(doc, mentions=tuple(rng.sample(doc.mentions, len(doc.mentions)))) for doc in side]
        for side in pair
    ]
    order = rng.sample(range(len(shuffled[0])), len(shuffled[0]))
    gold = [shuffled[0][i] for i in order]
    rng.shuffle(shuffled[1])
    after = tally(space, gold, shuffled[1])
    for quantity, values in before.by_label().items():
        assert close(values, after.by_label()[quantity])
        assert close(before.by_unit()[quantity][order], after.by_unit()[quantity])


@every_space
@few
@given(pair=pairs)
def test_label_rows_and_documents_add_up_to_the_total(
    name: str, pair: tuple[Documents, Documents]
) -> None:
    space = space_of(name)
    found = tally(space, *pair)
    # A document counts the same alone and among others, unless the space says that it does not.
    across = hook(space, "across_documents")
    (first, *others), (answer, *answers) = pair
    parts = [] if across else [([first], [answer]), (others, answers)]
    alone = [tally(space, *part).by_label() for part in parts]
    for quantity, total in found.total().items():
        by_label = found.by_label()[quantity]
        assert close(total, by_label.sum())
        assert close(total, found.by_unit()[quantity].sum())
        assert across or close(by_label, sum(each[quantity] for each in alone))


@every_space
@few
@given(pair=pairs)
def test_swapping_the_sides_swaps_precision_and_recall(
    name: str, pair: tuple[Documents, Documents]
) -> None:
    space = space_of(name)
    if not space.symmetric:
        pytest.skip(f"{name} is not symmetric, and says so")
    assert sides_swap(space, pair)


def sides_swap(space: Any, pair: tuple[Documents, Documents]) -> bool:
    """Whether exchanging gold and system exchanges their quantities."""
    gold, system = pair
    there, back = tally(space, gold, system).total(), tally(space, system, gold).total()
    return all(
        close(there[f"gold_{what}"], back[f"system_{what}"])
        and close(there[f"system_{what}"], back[f"gold_{what}"])
        for what in ("right", "all")
    )


@pytest.mark.parametrize("recipe", ["fair.F1", "contains.F1", "nugget(mapping=2015).F1"])
def test_a_space_that_is_not_symmetric_has_a_reason(recipe: str) -> None:
    space = Recipe.parse(recipe).space
    assert not space.symmetric
    # Any will do: looking for the smallest would take longer than finding one.
    found = settings(max_examples=2000, phases=[Phase.generate])
    pair = find(pairs, lambda pair: not sides_swap(space, pair), settings=found)
    assert not sides_swap(space, pair)


@every_space
@few
@given(pair=pairs)
def test_right_is_never_more_than_all_nor_less_than_nothing(
    name: str, pair: tuple[Documents, Documents]
) -> None:
    q = tally(space_of(name), *pair).by_unit()
    for side in ("gold", "system"):
        right, every = q[f"{side}_right"], q[f"{side}_all"]
        assert (right >= -1e-9).all()
        assert (right <= every + 1e-9).all()


@every_space
@few
@given(pair=pairs)
def test_renaming_labels_renames_rows(name: str, pair: tuple[Documents, Documents]) -> None:
    if name == "record":
        return  # its one row is not a label
    # Names that sort as the old ones do: document order, which breaks ties, knows labels.
    space, new = space_of(name), [f"x-{label}" for label in LABELS]
    renamed = [
        [
            replace(doc, mentions=tuple(replace(m, label=f"x-{m.label}") for m in doc.mentions))
            for doc in side
        ]
        for side in pair
    ]
    before, after = tally(space, *pair), tally(space, renamed[0], renamed[1], new)
    assert tuple(f"x-{label}" for label in before.labels) == after.labels
    for quantity, values in before.by_label().items():
        assert close(values, after.by_label()[quantity])


@every_space
@few
@given(pair=named_pairs)
def test_a_missing_answer_counts_as_an_empty_one(
    name: str, pair: tuple[Documents, Documents]
) -> None:
    space = space_of(name)
    gold, system = pair
    silent = [replace(system[0], mentions=()), *system[1:]]
    empty, missing = tally(space, gold, silent).by_unit(), tally(space, gold, silent[1:]).by_unit()
    for quantity, values in empty.items():
        assert close(values, missing[quantity])


@every_space
@few
@given(pair=pairs)
def test_the_ledger_points_to_the_mentions_it_counts(
    name: str, pair: tuple[Documents, Documents]
) -> None:
    space = space_of(name)
    both = Pair.of(Corpus.of(*pair[0]), Corpus.of(*pair[1]), LABELS)
    try:
        events = space(both)
    except UsageError as error:
        pytest.skip(f"not for corpora of mentions: {error}")
    assert tuple(events.outcomes) == tuple(space.outcomes)
    sides: Any = both
    if events.items in ("filler", "record"):
        sides = both.filled if events.items == "filler" else both.records
    for rows, doc in ((events.gold, sides.gold.doc), (events.system, sides.system.doc)):
        there = (rows >= 0) & (rows < len(doc))
        assert (there | (rows == -1)).all()
        assert (doc[rows[there]] == events.doc[there]).all()


def test_every_quantity_is_linear_in_outcomes_that_exist() -> None:
    for name in SPACES:
        space = built(name)
        if space is None:
            continue
        assert {"gold_right", "gold_all", "system_right", "system_all"} <= set(space.quantities)
        for parts in space.quantities.values():
            # The size of an event space is no outcome, but quantities may be made of it.
            assert set(parts) <= {*space.outcomes, "total"}


@cache
def recipes_of(name: str) -> list[Recipe]:
    """Every measure and count under every average that fits the space."""
    recipes = []
    space = space_of(name)
    for measure in (*registry.builtin("measure"), *space.outcomes, *space.quantities):
        # What does not fit the space under one average does not under another.
        with contextlib.suppress(RecipeError):
            recipes.append(Recipe.parse(f"{name}.{measure}"))
            for average in AVERAGES:
                row = average.replace(":A", ":record") if name == "record" else average
                with contextlib.suppress(RecipeError):
                    recipes.append(Recipe.parse(f"{name}.{measure}{row}"))
    return list(dict.fromkeys(recipes))


@every_plain_space
@examples(0.05)
@given(pair=pairs)
def test_a_score_lies_in_its_range(name: str, pair: tuple[Documents, Documents]) -> None:
    gold, system = (Corpus.of(*side) for side in pair)
    try:
        found = score(gold, system, recipes_of(name), labels=LABELS, resamples=0)
        same = score(gold, gold, recipes_of(name), labels=LABELS, resamples=0)
    except UsageError as error:
        pytest.skip(f"not for corpora of mentions: {error}")
    for recipe, each, perfect in zip(recipes_of(name), found, same, strict=True):
        low, high = recipe.measure.range
        if not isinstance(recipe.measure, Count) and perfect.value is not None:
            best = low if recipe.measure.lower_is_better else high
            assert close(best, perfect.value), recipe
        values = [each.value, perfect.value, *(row.value for row in each.by_label.values())]
        for value in values:
            assert value is None or low - 1e-9 <= value <= high + 1e-9, recipe


@every_plain_space
@examples(0.05)
@given(pair=pairs)
def test_an_interval_holds_its_score_lies_in_its_range_and_is_no_point(
    name: str, pair: tuple[Documents, Documents]
) -> None:
    gold, system = (Corpus.of(*side) for side in pair)
    try:
        found = score(gold, system, recipes_of(name), labels=LABELS)
    except UsageError as error:
        pytest.skip(f"not for corpora of mentions: {error}")
    for recipe, each in zip(recipes_of(name), found, strict=True):
        smallest, largest = recipe.measure.range
        for row in (each.overall, *each.by_label.values()):
            if row.value is None or row.low is None or row.high is None:
                continue
            assert smallest <= row.low <= row.value <= row.high <= largest, recipe
            assert isinstance(recipe.measure, Count) or row.low < row.high, recipe
            assert row.effective is None or row.effective >= 0, recipe


def test_what_a_measure_divides_by_is_among_what_it_needs() -> None:
    for name in registry.builtin("measure"):
        measure = registry.load("measure", name)()
        common = {"gold_right", "gold_all", "system_right", "system_all"}
        own = {*getattr(measure, "denominator", ()), *getattr(measure, "share", ())}
        assert own <= {*measure.needs, *common}, name
