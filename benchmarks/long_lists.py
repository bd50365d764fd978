"""Long lists of objects: carob, and the slow way beside it, in one run.

    python benchmarks/long_lists.py

Each list has rows of eight slots; the system has them in another order, with one wrong value in a
share of them. carob compares and aligns them (`fields`; reading is not counted). The slow way makes
the matrix of all similarities with NumPy and solves it with scipy. It is run up to 3,000 rows; both
must count the same. The last row is an assignment alone: all pairs of 700 by 700, with weights from
1 to 50. Processor time, the least of three (of one from 30,000 rows on).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

import carob
from carob.arrays.assign import assign

SLOTS = 8
LOW = (1000, 500, 200, 50, 20, 10, 5, 3)
"""How many values the slots have in rows that share most of them."""

Rows = list[dict[str, str]]


def unique(rng: random.Random, row: int, slot: int) -> str:
    """A value that no other row has."""
    return f"{row}-{slot}-{rng.randrange(1000)}"


def shared(rng: random.Random, row: int, slot: int) -> str:
    """A value that many rows have."""
    return f"value {rng.randrange(LOW[slot])}"


def lists(
    size: int, wrong: float, value: Callable[[random.Random, int, int], str]
) -> tuple[Rows, Rows]:
    """Rows of gold, and of a system that has a share of them wrong."""
    rng = random.Random(0)
    gold = [{f"c{j}": value(rng, i, j) for j in range(SLOTS)} for i in range(size)]
    system = []
    for i, row in enumerate(gold):
        slot = rng.randrange(SLOTS)
        changed = {f"c{slot}": value(rng, size + i, slot)} if rng.random() < wrong else {}
        system.append(row | changed)
    rng.shuffle(system)
    return gold, system


def by_carob(gold: Rows, system: Rows, *, keyed: bool) -> tuple[float, int]:
    """The time that carob takes to make columns of two lists, align and score them, and how many
    values are right.
    """
    slots = {name: {"type": "string"} for name in gold[0]}
    rows: dict[str, Any] = {
        "type": "array", "items": {"type": "object", "properties": slots},
        "x-carob": {"key": ["c0"]} if keyed else {},
    }  # fmt: skip
    schema = {"properties": {"rows": rows}}
    start = time.process_time()
    scores = carob.score_records(
        [{"rows": gold}], [{"rows": system}], schema, "fields.R", resamples=0
    )
    seconds = time.process_time() - start
    return seconds, round((scores.value or 0) * SLOTS * len(gold))


def slowly(gold: Rows, system: Rows) -> tuple[float, int]:
    """The same by the matrix of all similarities, without scoring: rows of equal length, and a
    floor of one half.
    """
    start = time.process_time()
    same = np.zeros((len(gold), len(system)), np.int8)
    for name in gold[0]:
        ours, theirs = (np.array([row[name] for row in side]) for side in (gold, system))
        same += ours[:, None] == theirs
    same[same < SLOTS / 2] = 0
    rows, columns = linear_sum_assignment(same, maximize=True)
    return time.process_time() - start, int(same[rows, columns].sum())


def full_graph(size: int) -> tuple[float, float]:
    """The time of the assignment alone, by carob and by scipy, of a full graph."""
    weight = np.random.default_rng(0).integers(1, 51, (size, size))
    row, column = (each.reshape(-1) for each in np.indices(weight.shape))
    start = time.process_time()
    taken = assign(row, column, [weight.reshape(-1)])
    middle = time.process_time()
    best = weight[linear_sum_assignment(weight, maximize=True)].sum()
    end = time.process_time()
    assert best == weight.reshape(-1)[taken].sum()
    return middle - start, end - middle


def main() -> None:
    """Print a row for each list."""
    print("| rows | | carob, s | matrix and scipy, s |")
    print("|---|---|---:|---:|")
    for what, size, wrong, value, keyed in (
        ("no value twice, 30 % of the rows wrong", 3000, 0.3, unique, False),
        ("values that many rows share, 30 % wrong", 3000, 0.3, shared, False),
        ("no value twice, 10 % wrong", 30_000, 0.1, unique, False),
        ("values that many rows share, 10 % wrong", 30_000, 0.1, shared, False),
        ("no value twice, 5 % wrong", 100_000, 0.05, unique, False),
        ("the same, with a key", 100_000, 0.05, unique, True),
    ):
        gold, system = lists(size, wrong, value)
        small = size <= 3000
        runs = [by_carob(gold, system, keyed=keyed) for _ in range(3 if small else 1)]
        slow = "-"
        if small:
            seconds, right = slowly(gold, system)
            assert right == runs[0][1], (right, runs[0][1])
            slow = f"{seconds:.1f}"
        print(f"| {size:,} | {what} | {min(runs)[0]:.2f} | {slow} |", flush=True)
    own, other = min(full_graph(700) for _ in range(3))
    print(f"| 700 | assignment alone: all pairs, weights 1 to 50 | {own:.2f} | {other:.3f} |")


if __name__ == "__main__":
    main()
