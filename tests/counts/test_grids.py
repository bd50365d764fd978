"""Counts in small numbers, and quantities made of them when somebody asks, are the same."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from carob.counts.pieces import Gathered
from carob.counts.tally import PLAIN, Tally, every_cell

OUTCOMES = ("tp", "fp", "fn")
PICKED: list[list[float]] = [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]]
ADDED: list[list[float]] = [[1, 0, 0.5], [1, 0, 1], [1, 0, 0.5], [1, 1, 0]]
KINDS = {
    "small": lambda rng, size: rng.integers(0, 50, size).astype(float),
    "large": lambda rng, size: rng.choice([0.0, 32767.0, 32768.0, 1e6], size),
    "negative": lambda rng, size: rng.choice([-32768.0, -1.0, 5.0], size),
    "parts": lambda rng, size: rng.choice([0.0, 1.0, 1 / 3], size),
}


def tally_of(
    rng: np.random.Generator, units: int, kinds: list[str], linear: list[list[float]], sized: bool
) -> Tally:
    """A tally with a row for every unit and label."""
    labels = ("A", "B", "C")
    counts = np.array([KINDS[kind](rng, 3 * units) for kind in kinds]).T
    size = rng.integers(1, 9, units).astype(float) if sized else None
    factors = np.array(linear, float)
    if sized:
        factors = np.concatenate([factors, np.zeros((4, 1))], axis=1)
    return Tally(
        units, labels, OUTCOMES, PLAIN, factors, *every_cell(units, 3), counts, size,
    )  # fmt: skip


def part(tally: Tally, first: int, end: int) -> Tally:
    return Tally(
        end - first, tally.labels, tally.outcomes, tally.names, tally.linear,
        *every_cell(end - first, 3), tally.counts[3 * first : 3 * end],
        None if tally.size is None else tally.size[first:end],
    )  # fmt: skip


@pytest.mark.parametrize("linear", [PICKED, ADDED])
@pytest.mark.parametrize("sized", [False, True])
def test_a_grid_gathered_from_pieces_is_the_tally_itself(
    linear: list[list[float]], sized: bool
) -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        units = int(rng.integers(1, 12))
        kinds = rng.choice(list(KINDS), 3).tolist()
        tally = tally_of(rng, units, kinds, linear, sized)
        gathered = Gathered(units)
        cuts = sorted({0, units, *rng.integers(0, units + 1, 2).tolist()})
        for first, end in pairwise(cuts):
            gathered.add(part(tally, first, end))
        found = gathered.done()
        assert np.array_equal(tally.counts, found.counts)
        assert tally.whole == found.whole == bool((tally.counts % 1 == 0).all())
        index = rng.permutation(units)[: rng.integers(1, units + 1)]
        expected = tally.counts.reshape(units, 3, 3).transpose(2, 1, 0)[:, :, index]
        for each in (tally, found):
            assert np.array_equal(expected.reshape(9, -1), np.asarray(each.lines(index)))
        for one, other in ((tally, found), (tally.plain, found.plain)):
            for rows in ("rows", "unit_rows"):
                ours, theirs = getattr(one, rows), getattr(other, rows)
                assert np.array_equal(ours.block(index), theirs.block(index))
                assert np.array_equal(ours.totals, theirs.totals)
            assert np.array_equal(one.rows_of("B").block(index), other.rows_of("B").block(index))
            assert one.total() == other.total()


def test_plain_quantities_are_sums_of_outcomes() -> None:
    rng = np.random.default_rng(1)
    tally = tally_of(rng, 9, ["small", "small", "large"], ADDED, sized=False)
    plain = tally.plain
    assert plain is not tally
    index = np.array([8, 0, 3])
    expected = np.array(ADDED) @ tally.counts.T
    assert np.array_equal(expected.T, plain.counts)
    lines = expected.reshape(4, 9, 3).transpose(0, 2, 1)[:, :, index].reshape(12, 3)
    assert lines.tolist() == np.asarray(plain.lines(index)).tolist()
    assert (tally.whole, plain.whole) == (True, False)


def test_quantities_that_would_be_rounded_are_not_made() -> None:
    """Parts of counts that are no whole numbers themselves."""
    rng = np.random.default_rng(2)
    tally = tally_of(rng, 9, ["small", "parts", "small"], ADDED, sized=False)
    assert tally.plain is tally
    assert tally_of(rng, 9, ["small", "parts", "small"], PICKED, sized=False).plain.whole is False
