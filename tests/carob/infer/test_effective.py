"""The default interval must be the one of the rules, by hand and for whole columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carob.arrays.types import FloatArray
from carob.counts.quantities import mean, ratio
from carob.counts.tally import Scale, Statistic, Table
from carob.infer import resampling
from carob.infer.effective import Effective
from carob.infer.interval import JackknifeT, intervals
from carob.infer.quantiles import student
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


def by_hand(values: FloatArray) -> tuple[FloatArray, float, float]:
    """Deviations, standard error and degrees of freedom of leave-one-out scores, one by one."""
    there = [x for x in values.tolist() if not math.isnan(x)]
    count, mean = len(there), math.fsum(there) / len(there)
    away = np.array([0.0 if math.isnan(x) else x - mean for x in values.tolist()])
    square = math.fsum(u * u for u in away)
    kurtosis = count * math.fsum(u**4 for u in away) / square**2 if square else math.nan
    error = math.sqrt((count - 1) / count * square)
    return away, error, 2 * count / (kurtosis - 1 + 2 * count / (count - 1))


def clopper_pearson(share: float, size: float, level: float = 0.95) -> tuple[float, float]:
    stats = pytest.importorskip("scipy.stats")
    tail = (1 - level) / 2
    right, wrong = share * size, (1 - share) * size
    low = float(stats.beta.ppf(tail, right, wrong + 1)) if right > 0 else 0.0
    high = float(stats.beta.ppf(1 - tail, right + 1, wrong)) if wrong > 0 else 1.0
    return min(low, share), max(high, share)


def effective_ends(
    share: float, left: FloatArray, level: float = 0.95, scale: float = 1.0
) -> tuple[float, float]:
    """Rule 2, from scipy."""
    stats = pytest.importorskip("scipy.stats")
    _, error, freedom = by_hand(left)
    ratio_of = stats.norm.ppf((1 + level) / 2) / stats.t.ppf((1 + level) / 2, freedom)
    size = share * (1 - share) / (error / scale) ** 2 * ratio_of**2
    return clopper_pearson(share, size, level)


def random_rows(seed: int, size: int = 14) -> FloatArray:
    rng = np.random.default_rng(seed)
    all_ = 1 + rng.poisson(4, size)
    wrong = rng.binomial(all_, rng.beta(2, 6, size))
    wrong[:2] = 1, 0
    return np.stack([all_ - wrong, wrong], axis=1).astype(np.float64)


def without(rows: FloatArray, place: int) -> FloatArray:
    kept: FloatArray = np.delete(rows, place, axis=0).sum(axis=0)
    return kept


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("seed", range(5))
def test_shares_are_those_of_the_slow_twin(seed: int, level: float) -> None:
    rows = random_rows(seed)
    left = np.array([2 * t / (2 * t + f) for t, f in (without(rows, i) for i in range(len(rows)))])
    made = one(f1([tuple(row) for row in rows.tolist()]), level)
    assert made.value is not None
    assert (made.low, made.high) == pytest.approx(effective_ends(made.value, left, level), abs=1e-9)
    assert made.error == pytest.approx(by_hand(left)[1], rel=1e-9)


def test_leave_one_out_scores_that_agree_far_from_the_score_agree() -> None:
    """The score is .7, and .1 without any one of the units: no spread, whatever the rounding."""
    table = Table.of(np.ones((10, 1)))
    scale = Scale((0.0, 1.0), items=lambda s: s)
    made = one(Statistic(table, lambda s: np.where(s[:, 0] == 10, 0.7, 0.1), scale=scale))
    assert made.effective == 10 and made.error == 0
    other = Statistic(table, lambda s: np.zeros(len(s)), scale=scale)
    far = difference(
        Statistic(table, lambda s: np.where(s[:, 0] == 10, 0.7, 0.1), scale=scale), other
    )
    assert far.high == pytest.approx(0.7 + 1 - 0.025**0.1)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("seed", range(3))
def test_correlations_reach_as_far_up_as_shares(seed: int, sign: float) -> None:
    """A measure from -1 to 1: rule 2 on the half of it, the upper end also on its positive part."""
    rows = random_rows(seed)

    def value(sums: FloatArray) -> FloatArray:
        share: FloatArray = ratio(sums[:, 0] - sums[:, 1], sums[:, 0] + sums[:, 1])
        return share if sign > 0 else -share

    scale = Scale((-1.0, 1.0), items=lambda s: s.sum(axis=1))
    made = one(Statistic(Table.of(rows), value, scale=scale))
    left = np.array([value(without(rows, i)[None]).item() for i in range(len(rows))])
    point = made.value or 0.0
    low, high = (2 * end - 1 for end in effective_ends((point + 1) / 2, left, scale=2.0))
    above = effective_ends(point, left)[1] if point > 0 else clopper_pearson(0.0, len(rows))[1]
    assert (made.low, made.high) == pytest.approx((low, max(high, above)), abs=1e-9)


def labels_and_mean(rows: FloatArray, answers: str = "") -> tuple[Statistic, Statistic]:
    """F1 of each of some labels, whose counts are pairs of columns; and the mean of these."""
    table, count = Table.of(rows), rows.shape[1] // 2

    def each(sums: FloatArray) -> FloatArray:
        return ratio(2 * sums[:, :count], 2 * sums[:, :count] + sums[:, count:])

    def items(sums: FloatArray) -> FloatArray:
        return sums[:, :count] + sums[:, count:]

    columns = tuple(np.array([i, count + i]) for i in range(count))
    scale = Scale((0.0, 1.0), items, items, of_label=True)
    labels = Statistic(table, each, columns, scale, answers)
    mean_scale = Scale((0.0, 1.0), terms=labels)
    return labels, Statistic(table, lambda s: mean(each(s)), scale=mean_scale, answers=answers)


def label_rows(seed: int, size: int = 16) -> FloatArray:
    """Counts of three labels, the last in two documents alone, where it is right."""
    parts = [random_rows(seed + 100 * i, size) for i in range(2)]
    rare = np.zeros((size, 2))
    rare[[3, 7], 0] = 1.0
    return np.concatenate([np.stack([p[:, i] for p in (*parts, rare)], axis=1) for i in (0, 1)], 1)


@pytest.mark.parametrize("seed", range(4))
def test_means_over_labels_combine_the_intervals_of_labels(seed: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    rows = label_rows(seed)
    labels, whole = labels_and_mean(rows)
    units = Units.of(len(rows))
    [of_labels, [made]] = intervals(None, [labels, whole], units)
    each = np.array([labels.values(without(rows, i)[None])[0] for i in range(len(rows))])
    left = np.array([whole.values(without(rows, i)[None]).item() for i in range(len(rows))])
    u, _, freedom = by_hand(left)
    beyond = u.copy()
    squares, terms = [0.0, 0.0], [np.zeros(len(rows)), np.zeros(len(rows))]
    for k, row in enumerate(of_labels):
        own = by_hand(each[:, k])[0]
        beyond -= own / 3
        assert row.value is not None and row.low is not None and row.high is not None
        for side, distance in enumerate((row.value - row.low, row.high - row.value)):
            if (own**2).sum() < 1e-20:
                squares[side] += (distance / 3) ** 2
            else:
                terms[side] += distance * own / math.sqrt((own**2).sum()) / 3
    t = float(stats.t.ppf(0.975, freedom)) * math.sqrt((len(rows) - 1) / len(rows))
    down, up = (
        math.sqrt(square + ((term + t * beyond) ** 2).sum())
        for square, term in zip(squares, terms, strict=True)
    )
    point = made.value or 0.0
    expected = max(0.0, point - down), min(1.0, point + up)
    assert (made.low, made.high) == pytest.approx(expected, abs=1e-9)
    assert made.effective is None
    assert of_labels[2].low == pytest.approx(0.025**0.5)


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_labels_differ_by_their_own_intervals(seed: int) -> None:
    """Zou and Donner's square-and-add, with the correlation of the leave-one-out scores."""
    both = [label_rows(seed), label_rows(seed + 17)]
    (first, _), (second, _) = (labels_and_mean(rows) for rows in both)
    units = Units.of(len(both[0]))
    ours, theirs = intervals(None, [first, second], units)
    [made] = intervals(None, [first, second], units, contrasts=[(0, 1)])
    for k in range(2):
        left = [
            np.array([s.values(without(rows, i)[None])[0, k] for i in range(len(rows))])
            for s, rows in zip((first, second), both, strict=True)
        ]
        rho = float(np.corrcoef(left[0], left[1])[0, 1])
        a, b, d = ours[k], theirs[k], made[k]
        assert None not in (a.value, a.low, a.high, b.value, b.low, b.high, d.value)
        a1, a2 = a.value - a.low, a.high - a.value  # type: ignore[operator]
        b1, b2 = b.value - b.low, b.high - b.value  # type: ignore[operator]
        low = d.value - math.sqrt(a1**2 + b2**2 - 2 * rho * a1 * b2)  # type: ignore[operator]
        high = d.value + math.sqrt(a2**2 + b1**2 - 2 * rho * a2 * b1)  # type: ignore[operator]
        assert (d.low, d.high) == pytest.approx((low, high), abs=1e-9)
    assert (made[2].low, made[2].remarks) == (
        None, ("only 2 documents have the label: no interval from fewer than 10",),
    )  # fmt: skip


def test_differences_of_means_combine_the_differences_of_labels() -> None:
    stats = pytest.importorskip("scipy.stats")
    both = [label_rows(3), label_rows(20)]
    means = [labels_and_mean(rows)[1] for rows in both]
    made = difference(*means)
    square, term = 0.0, np.zeros(16)
    for k in range(3):
        left = np.zeros(16)
        for sign, statistic, rows in zip((1, -1), means, both, strict=True):
            labels = statistic.scale.terms
            assert labels is not None
            left += [sign * labels.values(without(rows, i)[None])[0, k] for i in range(16)]
        u, error, freedom = by_hand(left)
        if error < 1e-12:
            square += ((1 - 0.025 ** (1 / 2)) / 3) ** 2
        else:
            half = float(stats.t.ppf(0.975, freedom)) * error
            term += half * u / math.sqrt((u**2).sum()) / 3
    distance = math.sqrt(square + (term**2).sum())
    point = made.value or 0.0
    assert (made.low, made.high) == pytest.approx((point - distance, point + distance), abs=1e-9)


def test_identical_answers_differ_by_nothing() -> None:
    rows = label_rows(1)
    labels, whole = labels_and_mean(rows, "same")
    units = Units.of(16)
    for made in intervals(None, [labels, whole], units, contrasts=[(0, 0), (1, 1)]):
        assert {(each.low, each.high) for each in made} == {(0.0, 0.0)}


def test_shares_of_units_are_exact() -> None:
    rows = np.array([[1.0, 1.0]] * 7 + [[0.0, 1.0]] * 5 + [[0.0, 0.0]] * 3)

    def statistic(rows: FloatArray) -> Statistic:
        scale = Scale((0.0, 1.0), lambda s: s[:, 1], share=lambda s: (s[:, 0], s[:, 1]))
        return Statistic(Table.of(rows), lambda s: ratio(s[:, 0], s[:, 1]), scale=scale)

    made = one(statistic(rows))
    assert (made.low, made.high) == pytest.approx(clopper_pearson(7 / 12, 12), abs=1e-9)
    assert made.effective == 12
    # A unit with two answers is no single answer: these may be alike.
    several = one(statistic(2 * rows))
    assert several.effective is not None and several.effective < 14


def test_items_are_capped_and_chance_is_added() -> None:
    table = Table.of(np.array([[0.1, 1.0], [0.3, 1.0], [0.2, 1.0], [0.1, 1.0]]))
    scale = Scale((0.0, 1.0), lambda s: s[:, 1])

    def made(**more: Any) -> Interval:
        own = scale._replace(**more)
        return one(Statistic(table, lambda s: ratio(s[:, 0], s[:, 1]), scale=own))

    free, capped = made(), made(most=lambda s: s[:, 1])
    assert free.effective is not None and free.effective > 4
    assert capped.effective == 4
    assert (capped.low, capped.high) == pytest.approx(clopper_pearson(0.175, 4), abs=1e-9)
    plain = intervals(JackknifeT(), [Statistic(table, lambda s: ratio(s[:, 0], s[:, 1]))],
                      Units.of(4))[0][0]  # fmt: skip
    chance = made(by_chance=lambda s: np.array([0.05]))
    _, error, freedom = by_hand(np.array([0.6 / 3, 0.4 / 3, 0.5 / 3, 0.6 / 3]))
    away = student(0.975, freedom).item() * error
    assert (chance.low, chance.high) == pytest.approx((max(0, 0.125 - away), 0.175 + away))
    assert plain.error == pytest.approx(error) and chance.effective is None
    why = scale._replace(why_not=lambda s: ["only 3 answers are wrong"])
    none = one(Statistic(table, lambda s: ratio(s[:, 0], s[:, 1]), scale=why))
    assert (none.low, none.remarks) == (None, ("only 3 answers are wrong",))


def test_counts_have_plain_intervals() -> None:
    rows = np.array([[1.0], [4.0], [2.0], [2.0], [7.0]])
    made = one(Statistic(Table.of(rows), lambda s: s[:, 0]))
    _, error, freedom = by_hand(16 - rows[:, 0])
    half = student(0.975, freedom).item() * error
    assert (made.low, made.high) == pytest.approx((16 - half, 16 + half))


def test_a_stratum_of_one_joins_the_next() -> None:
    rows = random_rows(5)
    strata = np.array([0, *[1] * 6, *[2] * 7])
    joined = np.where(strata == 0, 1, strata)
    ends = [
        (each.low, each.high)
        for units in (Units.of(14, strata=strata), Units.of(14, strata=joined))
        for each in intervals(None, [f1([tuple(row) for row in rows.tolist()])], units)[0]
    ]
    assert ends[0] == pytest.approx(ends[1])


def test_large_tables_leave_out_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = label_rows(2, 60)
    _, whole = labels_and_mean(rows)
    [[single]] = intervals(None, [whole], Units.of(60))
    monkeypatch.setattr(resampling, "LARGE", 0)
    monkeypatch.setattr(resampling, "GROUPS", 30)
    [[grouped]] = intervals(None, [whole], Units.of(60))
    assert single.low is not None and grouped.low is not None
    assert single.value == grouped.value
    assert abs(single.low - grouped.low) < 0.5 * (single.value or 0) - 0.5 * single.low


@pytest.mark.parametrize("size", [2, 3, 5])
@given(data=st.data())
def test_every_interval_holds_its_score_and_is_no_point(size: int, data: st.DataObject) -> None:
    counts = st.lists(st.integers(0, 4), min_size=4, max_size=4)
    rows = np.array(data.draw(st.lists(counts, min_size=size, max_size=size)), np.float64)
    labels, whole = labels_and_mean(rows)
    for made in intervals(None, [labels, whole], Units.of(size)):
        for each in made:
            if each.low is not None and each.high is not None and each.value is not None:
                assert 0 <= each.low <= each.value <= each.high <= 1
                assert each.low < each.high
