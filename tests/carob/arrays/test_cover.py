"""A cover says for every position how often each side covers it, and nothing else; the rows it
points to do cover it; weights add up.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from carob.arrays.cover import Stretches, cover, lengths
from carob.arrays.types import IntArray
from tests.worlds import times

Spans = list[tuple[int, int]]


def _arrays(spans: Spans) -> tuple[IntArray, IntArray]:
    table = np.array(spans, np.int32).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _positions(spans: Spans) -> Counter[int]:
    return Counter(place for begin, end in spans for place in range(begin, end))


def _furthest(spans: Spans, place: int) -> int:
    best, row = (-1, 0, 0), -1
    for i, (begin, end) in enumerate(spans):
        if begin <= place < end and (end, -begin, -i) > best:
            best, row = (end, -begin, -i), i
    return row


def _check(left: Spans, right: Spans) -> Stretches:
    found = cover(_arrays(left), _arrays(right))
    ours, theirs = Counter[int](), Counter[int]()
    previous = 0
    for begin, end, n, m, row, other in zip(
        found.begin.tolist(), found.end.tolist(), found.left.tolist(), found.right.tolist(),
        found.left_row.tolist(), found.right_row.tolist(), strict=True,
    ):  # fmt: skip
        assert previous <= begin < end
        assert n + m > 0
        previous = end
        for place in range(begin, end):
            ours[place] += n
            theirs[place] += m
            assert _furthest(left, place) == row
            assert _furthest(right, place) == other
    assert _positions(left) == +ours
    assert _positions(right) == +theirs
    return found


def test_a_cover_is_what_counting_position_by_position_gives() -> None:
    random = np.random.default_rng(0)
    for _ in range(times(25)):
        sides: list[Spans] = []
        for _ in range(2):
            begin = random.integers(0, 9, random.integers(0, 6))
            size = random.integers(0 if random.random() < 0.2 else 1, 5, len(begin))
            sides.append(list(zip(begin.tolist(), (begin + size).tolist(), strict=True)))
        found = _check(*sides)
        size = (found.end - found.begin).tolist()
        both = np.minimum(found.left, found.right)
        a, b = (_positions(side) for side in sides)
        assert len(a | b) == sum(size)
        assert len(a & b) == sum(np.array(size, int)[both > 0])
        assert (a & b).total() == sum(both * size)
        assert (a - b).total() == sum(np.maximum(found.left - found.right, 0) * size)


def test_the_order_of_intervals_changes_no_stretch() -> None:
    random = np.random.default_rng(1)
    left = [(0, 5), (1, 3), (1, 3), (4, 9), (8, 9)]
    right = [(2, 8), (2, 4), (5, 9)]
    expected = _check(left, right)
    for _ in range(20):
        found = _check([left[i] for i in random.permutation(5)], right[::-1])
        assert expected.begin.tolist() == found.begin.tolist()
        assert expected.left.tolist() == found.left.tolist()
        assert expected.right.tolist() == found.right.tolist()


@pytest.mark.parametrize(("left", "right"), [([], []), ([(3, 3)], []), ([], [(0, 2)])])
def test_a_side_may_be_empty(left: Spans, right: Spans) -> None:
    _check(left, right)


def test_long_intervals_cost_no_more_than_short_ones() -> None:
    found = cover(_arrays([(0, 2**31 - 1)]), _arrays([(5, 2**31 - 2)]))
    expected = [0, 5, 2**31 - 2]
    assert expected == found.begin.tolist()


def test_weights_of_a_stretch_add_up() -> None:
    random = np.random.default_rng(2)
    for _ in range(300):
        weights = random.integers(0, 5, random.integers(0, 12)) / 4
        begin = random.integers(0, len(weights) + 1, 5)
        end = np.array([random.integers(i, len(weights) + 1) for i in begin])
        expected = [sum(weights[i:j]) for i, j in zip(begin, end, strict=True)]
        assert expected == lengths(begin, end, weights).tolist()


def test_a_stretch_late_in_a_long_line_keeps_its_digits() -> None:
    weights = np.full(100_000, 0.1)
    weights[0] = 1e12
    one = lengths(np.array([50_000]), np.array([50_003]), weights)
    assert sum([0.1, 0.1, 0.1]) == pytest.approx(one.item(), rel=1e-15)
