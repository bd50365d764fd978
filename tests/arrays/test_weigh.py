"""Bytes are multiplied to the same numbers, whatever the processor can; the twins are products of
whole numbers in Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from carob.arrays import weigh
from carob.arrays.weigh import Digits, Exact, Weigher, grouped, unpacked

LEVELS = (0, 1, 2, 3)


@pytest.fixture(params=LEVELS)
def level(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How much of the processor is used; where it has less, that much."""
    monkeypatch.setattr(weigh, "LEVEL", request.param)
    return int(request.param)


def test_products_are_exact_at_every_level(level: int) -> None:
    rng = np.random.default_rng(level)
    for _ in range(300):
        height, draws, units = rng.integers(1, 40), rng.integers(1, 40), rng.integers(1, 200)
        scale = rng.choice([1, 3, 100, 127, 128, 300, 40_000])
        lines = rng.integers(-scale, scale + 1, (height, units)).astype(float)
        lines *= rng.choice([1.0, 1.0, 0.5, 0.25, 1024.0], (height, 1))
        weights = rng.integers(0, 128, (draws, units + 3), dtype=np.uint8)[:, :units]
        cuts = sorted({*rng.integers(1, 200, 2).tolist()} & {*range(1, units)})
        found = products(lines, weights, cuts, int(rng.integers(1, 50)))
        expected = (lines * 4).astype(int) @ weights.astype(int).T / 4
        assert expected.tolist() == found.tolist()


@pytest.mark.parametrize(("draws", "units"), [(64, 512), (129, 1100), (200, 8192), (63, 65)])
def test_products_of_many_draws_and_units_are_exact(level: int, draws: int, units: int) -> None:
    rng = np.random.default_rng(draws)
    lines = rng.integers(-128, 128, (35, units)).astype(float)
    weights = rng.integers(0, 128, (draws, units), dtype=np.uint8)
    expected = (lines.astype(int) @ weights.astype(int).T).tolist()
    assert expected == products(lines, weights, step=draws).tolist()
    assert expected == products(lines, weights, [units // 3], step=draws // 2).tolist()


def test_weights_may_be_bits(level: int) -> None:
    rng = np.random.default_rng(level)
    for units in (1, 7, 8, 63, 64, 65, 500, 1025, 3000):
        for draws in (1, 3, 64, 130):
            lines = rng.integers(-300, 300, (5, units)).astype(float)
            words = rng.integers(0, 1 << 64, (draws, -(-units // 64)), dtype=np.uint64)
            bits = [
                [int(word) >> (8 * (u // 8 % 8) + 7 - u % 8) & 1 for u in range(64)]
                for word in words.ravel()
            ]
            weights = np.array(bits).reshape(draws, -1)[:, :units]
            assert weights.tolist() == unpacked(words, units).tolist()
            weigher = Weigher([list(lines)], units, [units])
            sums = weigher.room(draws)
            weigher.add(sums, 0, words)
            assert (lines.astype(int) @ weights.T).tolist() == weigher.total(sums).tolist()


def products(
    lines: NDArray[np.float64], weights: NDArray[Any], cuts: Sequence[int] = (), step: int = 9
) -> NDArray[np.float64]:
    """The products of lines and weights, with units in blocks and draws in steps."""
    blocks = [list(block) for block in np.split(lines, cuts, axis=1)]
    bounds = [0, *cuts, lines.shape[1]]
    most = int(weights.sum(axis=1, dtype=int).max())
    weigher = Weigher(blocks, most, [most] * len(blocks))
    sums = weigher.room(len(weights))
    for block, (first, end) in enumerate(pairwise(bounds)):
        for start in range(0, len(weights), step):
            some = slice(start, start + step)
            weigher.add(sums[some], block, weights[some, first:end])
    return weigher.total(sums)


def test_lines_that_are_not_whole_come_out_the_same_at_every_level(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        units = int(rng.integers(2, 300))
        lines = rng.random((4, units)) ** rng.integers(1, 30)
        weights = rng.integers(0, 5, (7, units), dtype=np.uint8)
        found = []
        for each in LEVELS:
            monkeypatch.setattr(weigh, "LEVEL", each)
            found.append(products(lines, weights, step=3))
            found.append(products(lines, weights.astype(np.float32), [units // 2]))
        assert all(each.tolist() == found[0].tolist() for each in found)
        exact = [
            [sum(Fraction(x) * int(w) for x, w in zip(line, row, strict=True)) for row in weights]
            for line in lines.tolist()
        ]
        largest = lines.max(axis=1) * weights.sum(axis=1, dtype=int).max()
        away = np.array([[float(abs(Fraction(a) - b)) for a, b in zip(x, y, strict=True)]
                         for x, y in zip(found[0].tolist(), exact, strict=True)])  # fmt: skip
        assert (away <= largest[:, None] * 2.0**-51).all()


def test_very_large_and_very_small_numbers_have_sums_at_every_level(
    level: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = np.array([[1e39, 2e39], [0.1, 1e39], [1e-50, 2e-50], [5e-324, 0.0], [1e300, -1.0]])
    weights = np.array([[1, 1], [2, 0]], np.uint8)
    expected = [[3e39, 2e39], [1e39, 0.2], [3e-50, 2e-50], [1e-323 / 2, 1e-323], [1e300, 2e300]]
    assert np.allclose(expected, products(lines, weights), rtol=1e-15, atol=1e24)
    assert np.allclose(expected[2:4], products(lines, weights)[2:4], rtol=1e-15, atol=0)
    found = products(lines, weights, [1]).tolist()
    monkeypatch.setattr(weigh, "compiled", None)
    assert found == products(lines, weights, [1]).tolist()


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 1e308])
def test_a_line_whose_sums_may_not_be_finite_has_none(level: int, odd: float) -> None:
    lines = np.array([[1.0, 2.0, 3.0, 0.5], [1.0, odd, 3.0, 0.5]])
    weights = np.array([[1, 1, 1, 1], [4, 0, 0, 0]], np.uint8)
    for cuts in ([], [2]):
        whole, none = products(lines, weights, cuts).tolist()
        assert [6.5, 4.0] == whole
        assert np.isnan(none).all()


def test_the_largest_weights_and_lines_do_not_overflow(level: int) -> None:
    for value in (127.0, -128.0):
        lines = np.full((3, 1 << 16), value)
        weights = np.full((2, 1 << 16), 127, np.uint8)
        found = products(lines, weights)
        assert [[value * 127 * (1 << 16)] * 2] * 3 == found.tolist()


def test_digits_add_up_to_the_lines() -> None:
    rng = np.random.default_rng(2)
    lines = np.concatenate([
        rng.integers(-(1 << 40), 1 << 40, (20, 30)).astype(float),
        rng.integers(-200, 200, (20, 30)) / 8,
        rng.integers(-128, 128, (5, 30)).astype(float),
        np.zeros((1, 30)),
        rng.random((1, 30)),
    ])  # fmt: skip
    blocks = [list(block) for block in np.split(lines, [7], axis=1)]
    exact = Exact(blocks, 30)
    digits = Digits(exact)
    every = np.concatenate([digits.of(block)[:, : len(block[0])] for block in blocks], axis=1)
    total = [[Fraction(int(x)) for x in line] for line in every[: digits.height]]
    first = digits.height
    for number, whose in enumerate(digits.more, 1):
        for line in whose.tolist():
            for i, x in enumerate(every[first].tolist()):
                total[line][i] += x * 256**number
            first += 1
    assert not every[first:].any()
    assert len(every) == digits.width
    worth = np.ones(digits.height)
    worth[exact.odd] = exact.unit[:, 0]
    scaled = [[x * Fraction(u) for x in t] for t, u in zip(total, worth.tolist(), strict=True)]
    for place, line in enumerate(exact.rough.tolist()):
        for i, x in enumerate(scaled[len(lines) + place]):
            scaled[line][i] += x
    assert lines[:-1].tolist() == [[float(x) for x in line] for line in scaled[: len(lines) - 1]]
    assert [len(lines) - 1] == exact.rough.tolist()
    assert np.abs(np.array(scaled[len(lines) - 1], float) - lines[-1]).max() < 2.0**-53


@pytest.mark.parametrize(("held", "passes"), [(1 << 28, 2), (0, 3)])
def test_lines_that_are_not_kept_are_made_once_for_all_blocks(
    monkeypatch: pytest.MonkeyPatch, held: int, passes: int
) -> None:
    monkeypatch.setattr(weigh, "HELD", held)
    made: list[int] = []

    class Blocks:
        def __iter__(self) -> Iterator[list[NDArray[np.float64]]]:
            for number in range(50):
                made.append(number)
                yield [np.array([number, 0.5])]

    weigher = Weigher(Blocks(), 100, [100] * 50)
    for _ in range(2):
        sums = weigher.room(4)
        for block in range(50):
            for some in (slice(0, 2), slice(2, 4)):
                weigher.add(sums[some], block, np.array([[1, 0], [0, 1]], np.uint8))
        assert [[1225.0, 25.0] * 2] == weigher.total(sums).tolist()
    assert passes * 50 == len(made)
    assert [[7.0, 0.5]] == one_block(weigher, 7).tolist()


def one_block(weigher: Weigher, block: int) -> NDArray[np.float64]:
    sums = weigher.room(2)
    weigher.add(sums, block, np.array([[1, 0], [0, 1]], np.uint8))
    return weigher.total(sums)


def test_tables_that_do_not_fit_are_refused() -> None:
    if weigh.compiled is None:
        pytest.skip("there is no compiled helper")
    one, weights = grouped(np.ones((16, 64), np.int8)), np.ones((3, 8), np.uint8)
    out = np.zeros((3, 16), np.int32)
    for lines, drawn, found in [
        (one[:, :7].copy(), weights, out),
        (one, np.ones((3, 65), np.uint8), out),
        (one, weights, out[:, :15]),
        (one, weights, out[:2]),
        (one, weights, np.empty((3, 32), np.int32)[:, ::2]),
        (one, weights, out.astype(np.int64)),
        (one, weights.T, out),
        (one, weights[0], out),
        (one, weights[:0], out[:0]),
    ]:
        with pytest.raises(ValueError, match="table"):
            weigh.compiled.weigh(lines, drawn, drawn.shape[-1], found, 3)
    words = weights.astype(np.uint64)
    for units, drawn in [
        (9, weights), (0, weights), ((1 << 63) - 1, weights), (1, np.zeros((3, 1), "V0")),
        (65, words), (8, weights.astype(np.uint16)), (8, words[:, :2]),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match="table"):
            weigh.compiled.weigh(one, drawn, units, out, 3)
    assert not weigh.compiled.weigh(one, weights, 8, out, 0)


def test_without_the_helper_numpy_multiplies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weigh, "compiled", None)
    assert weigh.level() == 0
    found = products(np.array([[2.0, 0.5]]), np.array([[3, 1]], np.uint8))
    assert [[6.5]] == found.tolist()
