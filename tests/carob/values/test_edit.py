"""The edit distance is that of the table, with rapidfuzz and without it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carob.values import edit

SIGNS = st.text("ab \0é東\U0001f600\ud800\udc00", max_size=12)


@pytest.fixture
def without_rapidfuzz(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance.Levenshtein", None)
    edit._fastest.cache_clear()
    yield
    edit._fastest.cache_clear()


def levenshtein(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]


@pytest.mark.parametrize("distance", [edit.distance, edit.distance_by_bits])
@given(one=SIGNS, other=SIGNS)
def test_the_distance_is_that_of_the_table(
    distance: Callable[[str, str], int], one: str, other: str
) -> None:
    assert levenshtein(one, other) == distance(one, other)


@given(one=SIGNS.map(lambda text: text * 20), other=SIGNS.map(lambda text: text * 20))
def test_long_texts_have_the_same_distance_both_ways(one: str, other: str) -> None:
    assert edit.distance_by_bits(one, other) == edit.distance(one, other)


def test_rapidfuzz_is_taken_where_it_is_installed() -> None:
    levenshtein = pytest.importorskip("rapidfuzz.distance.Levenshtein")
    edit._fastest.cache_clear()
    assert levenshtein.distance == edit._fastest()


@pytest.mark.usefixtures("without_rapidfuzz")
def test_without_rapidfuzz_the_distance_is_by_bits() -> None:
    assert edit.distance_by_bits == edit._fastest()
    assert 3 == edit.distance("kitten", "sitting")
