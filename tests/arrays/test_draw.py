"""Random bytes become Poisson numbers, and balls fall into cells, as one by one in Python; whatever
the processor can.
"""

from __future__ import annotations

from math import exp, factorial, prod

import numpy as np
import pytest

from carob.arrays import draw, weigh
from carob.arrays.draw import Poisson, throw
from carob.arrays.types import ByteArray

LEVELS = (0, 1, 2, 3)


@pytest.fixture(params=LEVELS)
def level(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How much of the processor is used; where it has less, that much."""
    monkeypatch.setattr(weigh, "LEVEL", request.param)
    return int(request.param)


def one_by_one(poisson: Poisson, random: ByteArray, more: np.random.Generator) -> list[int]:
    """The number of each byte, by itself."""
    found = []
    for byte in random.ravel().tolist():
        number = sum(byte >= limit for limit in poisson.limits.tolist())
        if number == len(poisson.limits):
            fraction = more.random()
            number = sum(fraction >= each for each in poisson.remains.tolist())
        found.append(number)
    return found


def test_numbers_are_those_of_one_byte_at_a_time(level: int) -> None:
    rng = np.random.default_rng(level)
    for words in range(1, 30):
        rows, poisson = int(rng.integers(1, 5)), Poisson(float(rng.uniform(0.3, 1.1)))
        drawn = rng.integers(0, 1 << 64, (rows, words), dtype=np.uint64)
        if words % 3 == 0:  # many bytes that reach the last limit
            drawn |= np.uint64(0xF0FFFFFFFFFFFFFF)
        found, sums = poisson.numbers(drawn, np.random.default_rng(words))
        random = drawn.astype("<u8").view(np.uint8)
        expected = one_by_one(poisson, random, np.random.default_rng(words))
        assert expected == found.ravel().tolist()
        assert found.sum(axis=1).tolist() == sums.tolist()


def test_numbers_are_as_frequent_as_poisson_says(level: int) -> None:
    rng, mean, count = np.random.default_rng(3), 0.93, 800_000
    found, _ = Poisson(mean).numbers(rng.integers(0, 1 << 64, (8, count // 64), np.uint64), rng)
    for k in range(7):
        expected = count * exp(-mean) * mean**k / factorial(k)
        assert abs(expected - int((found == k).sum())) < 5 * expected**0.5


def test_balls_fall_where_they_are_thrown(monkeypatch: pytest.MonkeyPatch) -> None:
    for helper in (draw.compiled, None):
        monkeypatch.setattr(draw, "compiled", helper)
        rng = np.random.default_rng(5)
        for _ in range(50):
            rows, width = rng.integers(1, 9, 2).tolist()
            balls = rng.integers(0, 6, rows)
            cells = rng.integers(0, width, int(balls.sum()))
            weights = rng.integers(0, 9, (rows, width), dtype=np.uint8)
            expected, left = weights.tolist(), cells.tolist()
            for row, count in enumerate(balls.tolist()):
                for cell in left[:count]:
                    expected[row][cell] += 1
                left = left[count:]
            throw(cells, balls, weights)
            assert expected == weights.tolist()


def test_buffers_that_do_not_fit_are_refused() -> None:
    if draw.compiled is None:
        pytest.skip("there is no compiled helper")

    def ints(*shape: int, kind: type = np.int32) -> np.ndarray:
        return np.zeros(prod(shape), kind).reshape(shape)

    byte, limits = ints(2, 8, kind=np.uint8), np.array([9], np.uint8)
    for sizes in ((2, 15, 2, 40), (2, 16, 2, 31), (2, 16, 3, 40), (2, 16, 0, 40)):
        rows, out, sums, places = sizes
        with pytest.raises(ValueError, match="do not fit"):
            draw.compiled.numbers(
                byte[:rows], limits, ints(out, kind=np.uint8), ints(places), ints(sums), 3
            )
    with pytest.raises(ValueError, match="do not fit"):
        draw.compiled.numbers(byte, limits[:0], byte.copy(), ints(40), ints(2), 3)
    known, remains = np.zeros(4, np.uint8), np.zeros(3)
    for rising, fractions in (
        ([16], [0.5]), ([-1], [0.5]), ([3, 2], [0.5, 0.5]), ([3], [1.0]), ([3], [-0.1]),
        ([3], [np.nan]), ([3], []),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="do not fit"):
            draw.compiled.settle(
                byte.copy(),
                np.array(rising, np.int32),
                np.array(fractions),
                known,
                remains,
                ints(2),
            )
    one = np.array([1], np.int32), np.array([0.5])
    for told, rest in ((known[:0], remains), (known, np.zeros(255))):
        with pytest.raises(ValueError, match="do not fit"):
            draw.compiled.settle(byte.copy(), *one, told, rest, ints(2))
    for cells, balls in (([8], [0, 1]), ([-1], [1, 0]), ([1], [1, 1]), ([1, 1], [1, 0]),
                         ([1], [2, -1]), ([], [])):  # fmt: skip
        with pytest.raises(ValueError, match="do not fit"):
            draw.compiled.throw(np.array(cells, np.int64), np.array(balls, np.int64), byte.copy())
