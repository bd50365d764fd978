"""A test that stops early decides what it would decide at its end, and every family by itself."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from carob.arrays.types import FloatArray
from carob.counts.quantities import ratio
from carob.counts.tally import Statistic, Table
from carob.infer import families
from carob.infer.families import ALPHA, STOP, Outcome, Question, decide
from carob.infer.randomization import Randomization
from carob.infer.ranking import holm
from carob.infer.resampling import Sampler, Units, exchanges

SIZE, TRIALS = 40, 1999


def sampler_of(rows: Sequence[FloatArray]) -> Sampler:
    """F of (tp, fp + fn) for each system."""
    return Sampler(
        [Statistic(Table.of(each), lambda s: ratio(2 * s[:, 0], 2 * s[:, 0] + s[:, 1]))
         for each in rows],
        Units.of(SIZE),
    )  # fmt: skip


def world(seed: int, systems: int = 6) -> list[FloatArray]:
    """Systems of which some are as good as others, and some are not."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(1, 9, SIZE)
    shares = 0.6 + 0.05 * rng.integers(0, 4, systems)
    return [
        np.stack([rng.binomial(gold, share), rng.integers(0, 4, SIZE)], axis=1).astype(float)
        for share in shares
    ]


def pairs_of(count: int) -> list[Question]:
    return [Question(pair, 0) for pair in itertools.combinations(range(count), 2)]


def whole(sampler: Sampler, questions: Sequence[Question]) -> FloatArray:
    """The corrected p of tests that all go on to their last trial."""
    pairs = [each.pair for each in questions]
    verdicts = Randomization(TRIALS).every(sampler, pairs, np.random.default_rng(0))
    return holm([verdict.p.item() for (verdict,) in verdicts])


def by_hand(rows: Sequence[FloatArray], pair: tuple[int, int]) -> tuple[float, int]:
    """p and the number of exchanges of a test that stops, one exchange after the other."""
    a, b = (rows[which] for which in pair)

    def difference(swapped: FloatArray) -> float:
        ours, theirs = (np.where(swapped[:, None], y, x).sum(axis=0) for x, y in ((a, b), (b, a)))
        f = [2 * tp / (2 * tp + wrong) for tp, wrong in (ours, theirs)]
        return float(f[0] - f[1])

    observed, extreme, draws = abs(difference(np.zeros(SIZE, bool))), 0, 0
    for block in exchanges(SIZE, TRIALS, np.random.default_rng(0)):
        for bits in block.astype(bool):
            draws += 1
            extreme += abs(difference(bits)) >= observed - 1e-12
            if extreme == STOP:
                return STOP / draws, draws
    return (1 + extreme) / (1 + TRIALS), draws


def test_p_is_that_of_one_exchange_after_the_other() -> None:
    rows = world(1)
    (outcomes,) = decide(Randomization(TRIALS), sampler_of(rows), [pairs_of(len(rows))], 0)
    stopped = 0
    for question, outcome in zip(pairs_of(len(rows)), outcomes, strict=True):
        p, draws = by_hand(rows, question.pair)
        if outcome.verdict.tried.item() == TRIALS:
            continue  # it went on, and is compared with a test of all trials below
        stopped += 1
        assert (p, draws) == (outcome.verdict.p.item(), outcome.verdict.tried.item())
    assert 5 < stopped < len(outcomes)


def test_what_is_significant_is_that_of_all_trials_but_for_their_own_error() -> None:
    """Of 600 tests in 40 worlds, those that a full run decides otherwise are near the level."""
    others, tests, trials = [], 0, 0
    for seed in range(40):
        sampler, questions = sampler_of(world(seed)), pairs_of(6)
        (outcomes,) = decide(Randomization(TRIALS), sampler, [questions], 0)
        for outcome, full in zip(outcomes, whole(sampler, questions).tolist(), strict=True):
            tests, trials = tests + 1, trials + outcome.verdict.tried.item()
            if (outcome.p_holm <= ALPHA) != (full <= ALPHA):
                others.append(full)
    assert len(others) <= tests / 100
    assert all(0.03 <= full <= 0.09 for full in others)
    assert trials < tests * TRIALS / 2


def test_a_test_that_is_not_decided_goes_on_to_its_last_trial() -> None:
    for seed in range(40):
        sampler, questions = sampler_of(world(seed)), pairs_of(6)
        (outcomes,) = decide(Randomization(TRIALS), sampler, [questions], 0)
        for outcome in outcomes:
            near = abs(outcome.p_holm - ALPHA) <= 2 * outcome.p_holm * np.sqrt(
                (1 - outcome.verdict.p.item()) / STOP
            )
            assert not near or TRIALS == outcome.verdict.tried.item()
        every = zip(outcomes, whole(sampler, questions).tolist(), strict=True)
        assert all(
            one.p_holm == full or one.p_holm > full / 2
            for one, full in every if one.verdict.tried.item() == TRIALS
        )  # fmt: skip


def found(outcomes: Sequence[Sequence[Outcome]]) -> list[tuple[float, float]]:
    return [(each.verdict.p.item(), each.p_holm) for family in outcomes for each in family]


@pytest.mark.parametrize("systems", [2, 5])
def test_families_are_independent_of_each_other_and_of_how_they_are_computed(
    systems: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = [*world(1, systems), *world(2, systems)]
    first = pairs_of(systems)
    second = [Question((a + systems, b + systems), place) for (a, b), place in first]
    test, sampler = Randomization(TRIALS), sampler_of(both)
    together = decide(test, sampler, [first, second], 0)
    for own, outcomes in zip((first, second), together, strict=True):
        assert found(decide(test, sampler, [own], 0)) == found([outcomes])
    monkeypatch.setattr(families, "WIDE", 0)
    assert found(together) == found(decide(test, sampler, [first, second], 0))
    monkeypatch.setattr("carob.infer.resampling.HELD", 200)
    assert found(together) == found(decide(test, sampler, [first, second], 0))


def test_without_a_score_there_is_no_p() -> None:
    rows = [*world(1, 2), np.zeros((SIZE, 2))]
    (outcomes,) = decide(Randomization(TRIALS), sampler_of(rows), [pairs_of(3)], 0)
    assert [False, True, True] == [bool(np.isnan(each.p_holm)) for each in outcomes]
    assert outcomes[0].p_holm == outcomes[0].verdict.p.item()
