"""The default interval must be the one of the rules, by hand and for whole columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from carob.counts.quantities import ratio
from carob.counts.tally import Scale, Statistic, Table
from carob.infer.effective import Effective
from carob.infer.interval import intervals
from carob.infer.resampling import Units
from carob.result.interval import Interval

Rows = Sequence[tuple[float, float]]


def f1(rows: Rows) -> Statistic:
    """F1 of (tp, fp + fn) in each document."""
    table = Table.of(np.array(rows, np.float64))
    scale = Scale((0.0, 1.0), items=lambda s: s.sum(axis=1))
    return Statistic(table, lambda s: ratio(2 * s[:, 0], 2 * s[:, 0] + s[:, 1]), scale=scale)


def rate(rows: Rows) -> Statistic:
    """Errors per gold item, of (gold, errors) in each document."""
    table = Table.of(np.array(rows, np.float64))
    scale = Scale((0.0, np.inf), items=lambda s: s[:, 0])
    return Statistic(table, lambda s: ratio(s[:, 1], s[:, 0]), scale=scale)


def one(statistic: Statistic, level: float = 0.95) -> Interval:
    units = Units.of(statistic.table.units)
    return intervals(Effective(level), [statistic], units)[0][0]


def difference(first: Statistic, second: Statistic) -> Interval:
    units = Units.of(first.table.units)
    return intervals(None, [first, second], units, contrasts=[(0, 1)])[0][0]


A: Rows = [(8, 2), (3, 3), (7, 1)]
B: Rows = [(6, 1), (5, 2), (7, 1)]
UNEVEN: Rows = [(5, 0), (4, 1), (3, 3), (6, 0), (2, 4), (5, 1), (4, 0), (7, 2), (1, 1), (3, 0)]


@pytest.mark.parametrize(
    ("statistic", "value", "error", "ends"),
    [
        (f1(A), 0.857142857, 0.057677509, (0.358129, 0.998509)),
        (f1(B), 0.9, 0.029862276, (0.637658, 0.992616)),
        (f1([(5, 0)] * 9 + [(4, 2)]), 0.98, 0.02, (0.694738, 1.0)),
        (f1([(5, 0)] * 10), 1.0, 0.0, (0.691503, 1.0)),
        (f1([(0, 4)] * 10), 0.0, 0.0, (0.0, 0.308497)),
        (f1(UNEVEN), 0.869565217, 0.049083177, (0.684652, 0.967185)),
        (rate([(4, 1), (4, 2), (6, 0), (4, 3), (7, 2)]), 0.32, None, (0.048991, 1.059005)),
        (rate([(4, 0)] * 10), 0.0, 0.0, (0.0, 0.368888)),
    ],
)
def test_known_values(
    statistic: Statistic, value: float, error: float | None, ends: tuple[float, float]
) -> None:
    made = one(statistic)
    assert made.value == pytest.approx(value, abs=1e-9)
    assert (made.low, made.high) == pytest.approx(ends, abs=5e-7)
    if error is not None:
        assert made.error == pytest.approx(error, abs=1e-9)


def test_known_differences() -> None:
    made = difference(f1(B), f1(A))
    assert (made.low, made.high) == pytest.approx((-0.098154, 0.183868), abs=5e-7)
    same = difference(f1(UNEVEN), f1(UNEVEN))
    assert (same.low, same.high) == pytest.approx((-0.308497, 0.308497), abs=5e-7)
