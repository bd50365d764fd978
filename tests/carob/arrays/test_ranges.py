"""Ranges and groups: each function is its slow version."""

from __future__ import annotations

from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from carob.arrays.ranges import owners_and_rows, place_in_group, rows_of, sum_before
from carob.arrays.types import IntArray

Kind = type[np.int32] | type[np.int64]

RANGES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), max_size=6)
ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=9)


def columns(pairs: list[tuple[int, int]], kind: Kind) -> tuple[IntArray, IntArray]:
    first: IntArray = np.array([one for one, _ in pairs], kind)
    second: IntArray = np.array([other for _, other in pairs], kind)
    return first, second


@given(pairs=RANGES, kind=st.sampled_from([np.int32, np.int64]))
def test_rows_are_listed_range_by_range(pairs: list[tuple[int, int]], kind: Kind) -> None:
    first, count = columns(pairs, kind)
    rows = [list(range(start, start + size)) for start, size in pairs]
    assert list(chain(*rows)) == rows_of(first, count).tolist()
    assert [row - own[0] for own in rows for row in own] == rows_of(0, count).tolist()
    owner, again = owners_and_rows(first, count)
    assert [i for i, own in enumerate(rows) for _ in own] == owner.tolist()
    assert rows_of(first, count).tolist() == again.tolist()
    assert {np.dtype(np.int64)} == {owner.dtype, again.dtype, rows_of(0, count).dtype}


@given(pairs=ROWS, kind=st.sampled_from([np.int32, np.int64]))
def test_the_place_in_a_group_counts_the_rows_before(
    pairs: list[tuple[int, int]], kind: Kind
) -> None:
    group = [one for one, _ in pairs]
    expected = [group[:row].count(one) for row, one in enumerate(group)]
    assert expected == place_in_group(columns(pairs, kind)[0]).tolist()


@given(pairs=ROWS, as_flags=st.booleans())
def test_the_sum_before_is_within_the_run(pairs: list[tuple[int, int]], as_flags: bool) -> None:
    expected: list[int] = []
    for row, (group, _) in enumerate(pairs):
        goes_on = row > 0 and pairs[row - 1][0] == group
        size = pairs[row - 1][1] if goes_on else 0
        expected.append(expected[-1] + (bool(size) if as_flags else size) if goes_on else 0)
    groups, sizes = columns(pairs, np.int64)
    assert expected == sum_before(groups, sizes > 0 if as_flags else sizes).tolist()
