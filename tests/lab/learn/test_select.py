"""Documents to label next: those of the most worth, whatever their order in the file."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carob.arrays.types import FloatArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import CarobError, UsageError
from carob.pair.texts import Texts
from carob_lab.learn.rote import RoteModel
from carob_lab.learn.select import STRATEGIES, distances, pick


@dataclass(frozen=True)
class Unsure(RoteModel):
    """A model that finds nothing, and is unsure of documents with an x or a y in them."""

    def uncertainty(self, texts: Texts) -> tuple[FloatArray, FloatArray]:
        words = [texts.corpus.words(row)[1] or () for row in range(len(texts))]
        return tuple(np.array([float(own.count(x)) for own in words]) for x in "xy")  # type: ignore[return-value]


MODEL = Unsure((), ())


def texts(*documents: str) -> Texts:
    return Texts.of(Corpus.of(*({"id": d, "tokens": d.split(), "mentions": []} for d in documents)))


def chosen(strategy: str, pool: Texts, count: int, labelled: Texts, seed: int = 0) -> list[str]:
    rows = pick(strategy, MODEL, labelled, pool, count, np.random.default_rng(seed))
    return [pool.corpus.documents.name(row) for row in rows.tolist()]


def test_the_least_sure_come_first() -> None:
    pool, labelled = texts("a", "x y y", "x x y", "x x x"), texts("x x x")
    assert ["x x x", "x x y"] == chosen("uncertainty", pool, 2, labelled)
    assert ["x y y", "x x y"] == chosen("sequence", pool, 2, labelled)
    # The surest document of those with an x is the most different one from what is labelled.
    assert ["x x y", "x y y"] == chosen("diverse", pool, 2, labelled)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_order_in_the_file_changes_nothing(strategy: str) -> None:
    names = [f"a{n} b x" for n in range(9)]
    one = chosen(strategy, texts(*names), 4, texts("b"))
    assert one == chosen(strategy, texts(*reversed(names)), 4, texts("b"))
    assert 4 == len(set(one))
    assert one != chosen(strategy, texts(*names), 4, texts("b"), seed=1)


def test_random_takes_every_document_equally_often() -> None:
    pool = texts("a", "b", "c")
    first = Counter(chosen("random", pool, 1, pool, seed)[0] for seed in range(300))
    assert {"a", "b", "c"} == set(first)
    assert min(first.values()) > 70


@pytest.mark.parametrize(("count", "size"), [(0, 0), (5, 2), (-1, 0)])
def test_no_more_is_picked_than_there_is(count: int, size: int) -> None:
    assert size == len(chosen("uncertainty", texts("a", "b"), count, texts()))


def test_a_model_that_does_not_say_how_unsure_it_is_can_only_pick_at_random() -> None:
    pool, rng = texts("a"), np.random.default_rng(0)
    assert [0] == pick("random", RoteModel((), ()), pool, pool, 1, rng).tolist()
    with pytest.raises(UsageError, match="the strategy diverse needs a learner whose models say"):
        pick("diverse", RoteModel((), ()), pool, pool, 1, rng)
    with pytest.raises(UsageError, match="no strategy is called 'sure'"):
        pick("sure", MODEL, pool, pool, 1, rng)


def test_an_uncertainty_that_is_no_number_is_refused() -> None:
    class Broken(RoteModel):
        def uncertainty(self, texts: Texts) -> tuple[FloatArray, FloatArray]:
            return np.array([np.nan]), np.array([1.0, 2.0])

    for strategy in ("uncertainty", "sequence"):
        with pytest.raises(CarobError, match="a number for each document"):
            pick(strategy, Broken((), ()), texts(), texts("a"), 1, np.random.default_rng(0))


WORDS = st.lists(st.lists(st.sampled_from(["a", "A", "b", "c"]), max_size=4), max_size=4)


@given(WORDS, WORDS)
def test_distances_are_those_of_the_definition(one: list[list[str]], two: list[list[str]]) -> None:
    parts = [
        Texts.of(Corpus.of(*({"tokens": own, "mentions": []} for own in each)))
        for each in (one, two)
    ]
    counts = [Counter(word.lower() for word in own) for own in one + two]
    idf = {
        w: math.log(len(counts) / sum(w in own for own in counts)) for own in counts for w in own
    }
    vectors = [{w: n * idf[w] for w, n in own.items()} for own in counts]

    def distance(v: dict[str, float], w: dict[str, float]) -> float:
        norms = math.sqrt(sum(x * x for x in v.values()) * sum(x * x for x in w.values()))
        return 1 - sum(x * w.get(k, 0) for k, x in v.items()) / norms if norms else 1.0

    expected = [
        sum(distance(v, w) for w in vectors[: len(one)]) / len(one) if one else 1.0
        for v in vectors[len(one) :]
    ]
    assert expected == pytest.approx(distances(*parts).tolist(), abs=1e-9)
