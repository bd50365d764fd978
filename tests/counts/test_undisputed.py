"""Mentions that both sides have and no other touches are counted apart: the counts of every event
space stay what they are when it looks at all mentions together.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from carob import Corpus, Mention, Pair, Tally, registry
from carob.counts import pieces, undisputed
from carob.counts.undisputed import Undisputed, worth_in
from carob.evaluate.options import Options
from carob.evaluate.sampling import Plan
from carob.evaluate.scoring import tallied
from carob.match._nugget import best_pairs, one_to_one, scored
from carob.recipe import Recipe
from tests.worlds import LABELS, random_pairs

SPACES = [
    "exact", "boundary", "overlap", "overlap(pairing=one)", "overlap(label=ignore)",
    "overlap(label=ignore,pairing=one)", "contains", "contains(k=0)", "constrained",
    "constrained(k1=0,k2=2)", "left", "left(pairing=one)", "right", "iou", "iou(t=1)", "ts",
    "ts(sep=0.25)", "ts(instances=count)", "token", "token(instances=count)", "slots", "mentions",
    "fair", "fair(focus=system)", "fair(weights=boundary)", "semeval", "semeval(mode=exact)",
    "semeval(mode=partial)", "semeval(mode=type)",
]  # fmt: skip


def space_of(text: str) -> Any:
    return Recipe.parse(f"{text}.F1").space


def pair_of(seed: int, count: int) -> Pair:
    gold, system = random_pairs(seed, count)
    return Pair.of(Corpus.of(*gold), Corpus.of(*system), LABELS)


def plan_of(pair: Pair) -> Plan:
    return Plan.of(pair.documents, Options(resamples=0))


def positions(mention: Mention) -> set[int]:
    return {place for start, end in mention.fragments for place in range(start, end)}


def by_hand(gold: list[Mention], system: list[Mention]) -> list[Mention]:
    """Mentions without gaps that both sides have, and into which no other extent reaches."""

    def free(one: Mention, side: list[Mention]) -> bool:
        near = [each for each in side if each.start < one.end and one.start < each.end]
        return near == [one]

    return [
        one for one in gold
        if len(one.fragments) == 1 and free(one, gold) and free(one, system)
    ]  # fmt: skip


def test_every_space_of_mentions_that_counts_whole_numbers_is_tried() -> None:
    names = {text.split("(")[0] for text in SPACES}
    every = {name: registry.load("match", name)() for name in registry.builtin("match")}
    assert names == {name for name, space in every.items() if hasattr(space, "undisputed")}


def test_undisputed_are_those_that_a_look_at_each_document_finds() -> None:
    gold, system = random_pairs(11, 3000)
    pair = Pair.of(Corpus.of(*gold), Corpus.of(*system), LABELS)
    found = Undisputed.of(pair)
    mentions, tokens = np.zeros((2, len(gold), len(LABELS)))
    for doc, (ours, theirs) in enumerate(zip(gold, system, strict=True)):
        for one in by_hand(list(ours.mentions), list(theirs.mentions)):
            mentions[doc, LABELS.index(one.label)] += 1
            tokens[doc, LABELS.index(one.label)] += len(positions(one))
    assert mentions.sum() > 300
    assert mentions.ravel().tolist() == found.mentions.tolist()
    assert tokens.ravel().tolist() == found.tokens.tolist()
    assert len(pair.gold) - mentions.sum() == len(found.others.gold)
    assert len(pair.system) - mentions.sum() == len(found.others.system)


@pytest.mark.parametrize("text", SPACES)
def test_counts_are_those_of_all_mentions_together(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair, space = pair_of(len(text), 2000), space_of(text)
    assert worth_in(space, pair)
    whole = Tally.of(space, pair)
    for size in (pieces.LARGE, 500):
        monkeypatch.setattr(pieces, "LARGE", size)
        monkeypatch.setattr(pieces, "PIECE", size)
        found, _, of_mentions = tallied(pair, [space], plan_of(pair))[space]
        assert np.array_equal(whole.counts, found.counts)
        assert np.array_equal(whole.unit, found.unit)
        assert np.array_equal(whole.label, found.label)
        assert of_mentions
        assert (whole.size is None) == (found.size is None)
        if whole.size is not None:
            assert np.array_equal(whole.size, found.size)  # type: ignore[arg-type]


@pytest.mark.parametrize("order", ["document", "file"])
def test_nuggets_are_the_pairs_that_a_search_among_all_mentions_finds(order: str) -> None:
    pair = pair_of(3, 3000)
    expected = one_to_one(pair, scored(pair, None), order)
    found = best_pairs(pair, order)
    assert len(Undisputed.of(pair).gold) > 300
    for name in ("gold", "system", "dice"):
        assert getattr(expected, name).tolist() == getattr(found, name).tolist()


def test_attributes_may_differ_where_mentions_do_not(tmp_path: Path) -> None:
    weights = tmp_path / "weights"
    weights.write_text("1\n2\n")
    pair = pair_of(1, 2)
    for text in ("slots(attributes=realis)", "mentions(attributes=realis)", "ts(supertag=X)",
                 "ts(sep=0.1)", f'ts(token_weights="{weights}")'):  # fmt: skip
        assert worth_in(space_of(text), pair) is None


def test_characters_and_large_tallies_are_counted_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    text = {"text": "Ann", "mentions": [{"start": 0, "end": 3, "label": "A"}]}
    assert worth_in(space_of("exact"), Pair.of(Corpus.of(text), Corpus.of(text))) is None
    monkeypatch.setattr(undisputed, "DENSE", 0)
    assert worth_in(space_of("exact"), pair_of(1, 2)) is None


@pytest.mark.parametrize("text", ["exact", "overlap", "slots", "semeval"])
def test_documents_that_lie_far_apart_on_a_line_do_not_meet(text: str) -> None:
    # On a line of documents the two mentions are 2^32 apart: the same in 32 bits.
    width, far = 1 << 18, 1 << 14
    long = {"tokens": ["w"] * width, "mentions": [{"start": 0, "end": width, "label": "A"}]}
    between = ["Ann slept"] * (far - 1)
    gold = Corpus.of("[Ann]A slept", *between, "Ann slept", long)
    system = Corpus.of("Ann slept", *between, "[Ann]A slept", long)
    pair = Pair.of(gold, system)
    found, _, _ = tallied(pair, [space_of(text)], plan_of(pair))[space_of(text)]
    quantities = found.by_unit()
    assert [0, 0] == quantities["gold_right"][[0, far]].tolist()
    assert [0, 0] == quantities["system_right"][[0, far]].tolist()


def test_without_mentions_nothing_is_undisputed() -> None:
    empty = Corpus.of("Ann slept")
    for gold, system in ((empty, empty), (Corpus.of("[Ann]A slept"), empty)):
        found = Undisputed.of(Pair.of(gold, system))
        assert not found.mentions.any()
