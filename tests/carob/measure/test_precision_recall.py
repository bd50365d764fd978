"""P looks at the system's side, R at gold's; where a side is empty it has no value."""

from __future__ import annotations

import math

import numpy as np

from carob import Quantities
from carob.counts.count import Count
from carob.measure.precision import Precision
from carob.measure.recall import Recall

Q = Quantities.of(
    gold_right=np.array([3.0, 0, 0, 1.5]), gold_all=np.array([4.0, 0, 5, 2]),
    system_right=np.array([2.0, 0, 0, 1]), system_all=np.array([8.0, 1, 0, 1]),
)  # fmt: skip


def test_precision_is_the_share_of_the_answer_that_is_right() -> None:
    found = Precision()(Q)
    assert [0.25, 0.0, 1.0] == found[[0, 1, 3]].tolist()
    assert math.isnan(found[2])


def test_recall_is_the_share_of_gold_that_was_found() -> None:
    found = Recall()(Q)
    assert [0.75, 0.0, 0.75] == found[[0, 2, 3]].tolist()
    assert math.isnan(found[1])


def test_swapping_the_sides_swaps_precision_and_recall() -> None:
    swap = {"gold": "system", "system": "gold"}
    swapped = Quantities(
        {f"{swap[side]}_{what}": Q[f"{side}_{what}"] for side in swap for what in ("right", "all")}
    )
    np.testing.assert_array_equal(Precision()(Q), Recall()(swapped))
    np.testing.assert_array_equal(Recall()(Q), Precision()(swapped))


def test_a_mean_of_one_is_the_mean_itself() -> None:
    p, r = np.array([0.25]), np.array([0.75])
    assert (p, r) == (Precision().of_means(p, r), Recall().of_means(p, r))


def test_a_count_is_the_count() -> None:
    count = Count("gold_right")
    assert ("gold_right",) == count.needs
    assert Q["gold_right"].tolist() == count(Q).tolist()
