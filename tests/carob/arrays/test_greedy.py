"""Greedy takes what looking at the pairs one after the other takes."""

from __future__ import annotations

import numpy as np
import pytest

from carob.arrays import greedy as module
from carob.arrays.greedy import greedy


def slowly(gold: list[int], system: list[int]) -> list[bool]:
    taken: list[tuple[int, int]] = []
    found = []
    for pair in zip(gold, system, strict=True):
        fits = all(pair[0] != other[0] and pair[1] != other[1] for other in taken)
        taken += [pair] * fits
        found.append(fits)
    return found


@pytest.mark.parametrize("rounds", [0, 1, 2, 100])
def test_rounds_take_what_one_after_the_other_takes(
    rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROUNDS", rounds)
    rng = np.random.default_rng(rounds)
    for _ in range(400):
        size = int(rng.integers(0, 14))
        gold, system = rng.integers(0, rng.integers(1, 9), size), rng.integers(0, 6, size)
        assert slowly(gold.tolist(), system.tolist()) == greedy(gold, system).tolist()


def test_a_chain_in_which_each_waits_for_the_one_before_is_no_trap() -> None:
    size = 20_000
    steps = np.arange(size)
    gold, system = (steps + 1) // 2, steps // 2
    expected = [i % 2 == 0 for i in range(size)]
    assert expected == greedy(gold, system).tolist()


def test_no_pairs_are_no_trouble() -> None:
    none = np.empty(0, np.int64)
    assert greedy(none, none).tolist() == []
