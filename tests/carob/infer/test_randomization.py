"""p must be exact where it can be, honest where it cannot, and the same for A and B exchanged."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from carob.arrays.types import FloatArray
from carob.counts.quantities import ratio
from carob.counts.tally import Statistic, Table
from carob.infer import randomization, resampling
from carob.infer.randomization import Randomization, Verdict
from carob.infer.resampling import Sampler, Units

Rows = list[tuple[float, float]] | FloatArray


def f(rows: Rows) -> Statistic:
    """Of (tp, fp + fn)."""
    values = np.array(rows, np.float64).reshape(-1, 2)
    return Statistic(Table.of(values), lambda s: ratio(2 * s[:, 0], 2 * s[:, 0] + s[:, 1]))


def tried(a: Rows, b: Rows, trials: int = 9999, seed: int = 0) -> Verdict:
    rng = np.random.default_rng(seed)
    return Randomization(trials)(f(a), f(b), Units.of(len(a)), rng)


def by_hand(a: FloatArray, b: FloatArray) -> float:
    """Every exchange of every unit, one by one."""

    def score(rows: list[FloatArray]) -> float:
        tp, wrong = sum(r[0] for r in rows), sum(r[1] for r in rows)
        return 2 * float(tp) / float(2 * tp + wrong)

    pairs = list(zip(a, b, strict=True))
    observed = abs(score([x for x, _ in pairs]) - score([y for _, y in pairs]))
    count = 0
    for swap in itertools.product((False, True), repeat=len(pairs)):
        ours = [y if s else x for (x, y), s in zip(pairs, swap, strict=True)]
        theirs = [x if s else y for (x, y), s in zip(pairs, swap, strict=True)]
        count += abs(score(ours) - score(theirs)) >= observed - 1e-12
    return count / float(2 ** len(pairs))


def world(size: int, seed: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    right = rng.integers(1, 9, size)
    return tuple(  # type: ignore[return-value]
        np.stack([rng.binomial(right, share), rng.integers(0, 5, size)], axis=1).astype(float)
        for share in (0.6, 0.8)
    )


def test_the_specification_s_example() -> None:
    a, b = [(8.0, 2.0), (3.0, 3.0), (7.0, 1.0)], [(6.0, 1.0), (5.0, 2.0), (7.0, 1.0)]
    assert [f(a).point.round(9).item(), f(b).point.round(9).item()] == [0.857142857, 0.9]
    assert tried(a, b).p.item() == 0.5
    assert by_hand(np.array(a), np.array(b)) == 0.5


@pytest.mark.parametrize("size", [1, 5, 40])
def test_one_differing_document_proves_nothing(size: int) -> None:
    a = [(3.0, 1.0)] * size
    assert tried(a, [(1.0, 3.0), *a[1:]]).p.item() == 1.0


@pytest.mark.parametrize("size", [3, 40])
def test_the_same_system_twice(size: int) -> None:
    rows = [(3.0, 1.0)] * size
    found = tried(rows, rows)
    assert (
        found.p.item(), found.difference.item(), found.differing, found.smallest,
    ) == (1.0, 0.0, 0, 1.0)  # fmt: skip


@pytest.mark.parametrize(("size", "p"), [(4, 0.125), (5, 0.0625), (6, 0.03125), (10, 0.001953125)])
def test_all_documents_in_one_direction(size: int, p: float) -> None:
    found = tried([(2.0, 2.0)] * size, [(3.0, 1.0)] * size)
    assert found.exact
    assert (p, p) == (found.p.item(), found.smallest)


def test_four_documents_never_reject() -> None:
    for seed in range(200):
        assert tried(*world(4, seed)).p.item() > 0.05


def test_exact_p_is_that_of_every_exchange_by_hand() -> None:
    for seed in range(40):
        a, b = world(1 + seed % 8, seed)
        assert by_hand(a, b) == tried(a, b).p.item()


def test_exact_p_is_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    a, b = world(9, 5)

    def difference(x: FloatArray, y: FloatArray) -> float:
        one, other = a.copy(), b.copy()
        one[x < 0], other[x < 0] = b[x < 0], a[x < 0]
        return float(f(one).point.item() - f(other).point.item())

    signs = np.ones(9)
    theirs = stats.permutation_test(
        (signs, -signs), difference, permutation_type="samples", n_resamples=np.inf,
        alternative="two-sided",
    )  # fmt: skip
    # scipy doubles the smaller tail; the distribution is symmetric, so this is the same p.
    assert tried(a, b).p.item() == pytest.approx(theirs.pvalue, abs=1e-12)


def test_approximate_p_comes_close_to_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = world(12, 3)
    exact = tried(a, b)
    monkeypatch.setattr(randomization, "EXACT", 0)
    found = tried(a, b)
    assert not found.exact
    assert found.p.item() == pytest.approx(exact.p.item(), abs=0.02)
    assert found.tried == 9999


def test_approximate_p_is_never_zero() -> None:
    assert tried([(1.0, 9.0)] * 60, [(9.0, 1.0)] * 60).p.item() == 1e-4


@pytest.mark.parametrize("size", [8, 60])
def test_p_is_the_same_for_a_and_b_exchanged(size: int) -> None:
    for seed in range(10):
        a, b = world(size, seed)
        one, other = tried(a / 3, b / 3, 500), tried(b / 3, a / 3, 500)
        assert one.p.item() == other.p.item()
        assert one.difference.item() == -other.difference.item()


def test_p_does_not_depend_on_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = world(70, 1)
    whole = tried(a, b, 500)
    monkeypatch.setattr(resampling, "HELD", 200)
    parts = tried(a, b, 500)
    assert whole.p.tobytes() == parts.p.tobytes()


def test_p_follows_the_order_of_drawing_and_not_that_of_the_rows() -> None:
    a, b = world(50, 2)
    order = np.random.default_rng(0).permutation(50)
    here = Randomization(500)(f(a), f(b), Units.of(50), np.random.default_rng(1))
    units = Units.of(50, np.argsort(order))
    there = Randomization(500)(f(a[order]), f(b[order]), units, np.random.default_rng(1))
    assert here.p.item() == there.p.item()


def test_exchanges_without_value_are_left_out_and_counted() -> None:
    """Exchanging the one document that has anything leaves one system with nothing."""
    a: Rows = [(3.0, 1.0), (0.0, 0.0)]
    b: Rows = [(0.0, 0.0), (1.0, 3.0)]
    found = tried(a, b)
    assert (found.dropped.item(), found.p.item()) == (1, 1.0)


def test_a_difference_without_value_has_no_p() -> None:
    assert np.isnan(tried([(0.0, 0.0)] * 3, [(1.0, 1.0)] * 3).p.item())


def test_several_scores_are_tested_at_once() -> None:
    a, b = world(9, 1)
    both = [
        Statistic(Table.of(rows), lambda s: np.stack([s[:, 0], ratio(s[:, 0], s[:, 1])], axis=1))
        for rows in (a, b)
    ]
    found = Randomization()(both[0], both[1], Units.of(9), np.random.default_rng(0))
    assert found.p.shape == (2,)


@pytest.mark.parametrize("size", [9, 60])
def test_many_pairs_are_tested_as_each_by_itself(size: int) -> None:
    systems = [f(rows) for seed in (1, 2) for rows in world(size, seed)]
    pairs = list(itertools.combinations(range(len(systems)), 2))
    sampler = Sampler(systems, Units.of(size))
    found = Randomization(300).every(sampler, pairs, np.random.default_rng(5))
    for (a, b), (verdict,) in zip(pairs, found, strict=True):
        alone = Randomization(300)(
            systems[a], systems[b], Units.of(size), np.random.default_rng(5)
        )  # fmt: skip
        assert alone.p.tolist() == verdict.p.tolist()
        assert alone.differing == verdict.differing


@pytest.mark.parametrize("cells", [1, 20, 1 << 20])
def test_exact_p_is_that_of_all_exchanges_one_by_one(
    cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where many units change alike, which are exchanged by their number."""
    monkeypatch.setattr(randomization, "CELLS", cells)
    rng = np.random.default_rng(cells)
    for _ in range(40):
        size = int(rng.integers(1, 9))
        a = rng.integers(1, 4, (size, 2)).astype(float)
        b = a + rng.integers(0, 2, (size, 2)).astype(float)
        found = tried(a, b)
        assert found.exact
        assert found.p.item() == pytest.approx(by_hand(a, b), abs=1e-12)
        assert 1 << max(found.differing - 1, 0) == found.tried
