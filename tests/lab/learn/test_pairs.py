"""Pairs of starts and ends against loops over all of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from carob.corpus.corpus import Corpus
from carob.pair.texts import Texts
from carob_lab.learn._pairs import best_first, candidates

PLACES = st.sets(st.integers(0, 8))


@settings(max_examples=100)
@given(PLACES, PLACES, st.integers(1, 5), st.integers(0, 8))
def test_candidates_are_all_pairs_within_a_document(
    starts: set[int], ends: set[int], longest: int, cut: int
) -> None:
    texts = Texts.of(Corpus.of({"tokens": ["a"] * cut}, {"tokens": ["a"] * (9 - cut)}))
    expected = sorted(
        (i, j) for i in starts for j in ends
        if i <= j < i + longest and (i < cut) == (j < cut)
    )  # fmt: skip
    first, last = candidates(
        np.array(sorted(starts), np.int64), np.array(sorted(ends), np.int64), longest, texts
    )
    assert expected == sorted(zip(first.tolist(), last.tolist(), strict=True))


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2), st.integers(1, 3)), max_size=8))
def test_the_best_pair_is_taken_then_the_best_of_the_rest(rows: list[tuple[int, int, int]]) -> None:
    pairs = [(i, i + size, float(score)) for i, size, score in rows]
    kept: list[tuple[int, int, float]] = []
    left = list(pairs)
    while left:
        top = min(left, key=lambda pair: (-pair[2], pair[0], pair[1]))
        kept.append(top)
        left = [pair for pair in left if pair[1] < top[0] or pair[0] > top[1]]
    columns = np.array(pairs).reshape(-1, 3).T
    chosen = best_first(columns[0].astype(int), columns[1].astype(int), columns[2])
    assert sorted(kept) == [pairs[row] for row in chosen.tolist()]
