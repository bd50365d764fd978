"""Do intervals cover the true score, and does the test reject too often? A simulation.

Documents differ in length and in difficulty, so that errors come in clusters. The true F1 is .70,
with about nine mentions per document. Prints a Markdown table:

    python benchmarks/calibrate.py [--simulations 8000] [--tests 2000] [--seed 0]

Coverage is the share of the 95 % intervals that contain the true score. Type I is how often the
test rejects at .05 although the two systems are equally good on every document.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from carob.arrays.types import FloatArray
from carob.counts.quantities import ratio
from carob.counts.tally import Statistic, Table
from carob.infer.interval import Method, Percentile, default, intervals
from carob.infer.randomization import Randomization
from carob.infer.resampling import Units

SIZES = (5, 10, 20, 50, 100)
TRUTH = 0.7
MENTIONS, SPREAD = 9.0, 8.0
"""Mean mentions per document; how similar documents are in difficulty (larger: more similar)."""


def simulated(rng: np.random.Generator, size: int, systems: int = 1) -> list[FloatArray]:
    """Counts (tp, fp, fn) of each document for systems that are equally good on each of them."""
    mentions = 1 + rng.negative_binomial(2, 2 / (1 + MENTIONS), size)
    skill = rng.beta(TRUTH * SPREAD, (1 - TRUTH) * SPREAD, size)
    counts = []
    for _ in range(systems):
        tp = rng.binomial(mentions, skill)
        fp = rng.binomial(mentions, 1 - skill)
        counts.append(np.stack([tp, fp, mentions - tp], axis=1).astype(np.float64))
    return counts


def f1(rows: FloatArray) -> Statistic:
    return Statistic(Table.of(rows), lambda s: ratio(2 * s[:, 0], 2 * s[:, 0] + s[:, 1] + s[:, 2]))


def covers(method: Method, rows: FloatArray, seed: int, resamples: int) -> bool:
    interval = intervals(method, [f1(rows)], Units.of(len(rows)), resamples, seed)[0][0]
    low, high = interval.low, interval.high
    return low is not None and high is not None and low <= TRUTH <= high


def mentions_cover(rows: FloatArray, rng: np.random.Generator, resamples: int) -> bool:
    """Whether the interval covers if mentions are resampled instead of documents."""
    tp, fp, fn = rows.sum(axis=0).tolist()
    total = int(tp + fp + fn)
    drawn = rng.multinomial(total, [tp / total, fp / total, fn / total], size=resamples)
    scores = 2 * drawn[:, 0] / (2 * drawn[:, 0] + drawn[:, 1] + drawn[:, 2])
    low, high = np.quantile(scores, [0.025, 0.975])
    return bool(low <= TRUTH <= high)


def rejects(first: FloatArray, second: FloatArray, seed: int) -> bool:
    rng = np.random.default_rng(seed)
    return bool(Randomization()(f1(first), f1(second), Units.of(len(first)), rng).p.item() <= 0.05)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--simulations", type=int, default=8000, help="for coverage")
    parser.add_argument("--tests", type=int, default=2000, help="for type I errors")
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print("| documents | default | covers | percentile covers | mentions cover | type I |")
    print("|--:|:--|--:|--:|--:|--:|")
    for size in SIZES:
        rng = np.random.default_rng([arguments.seed, size])
        counts = np.zeros(4)
        for i in range(arguments.simulations):
            rows = simulated(rng, size)[0]
            counts[0] += covers(default(size), rows, i, arguments.resamples)
            counts[1] += covers(Percentile(), rows, i, arguments.resamples)
            counts[2] += mentions_cover(rows, rng, arguments.resamples)
        for i in range(arguments.tests):
            first, second = simulated(rng, size, 2)
            counts[3] += rejects(first, second, i)
        totals = [arguments.simulations] * 3 + [arguments.tests]
        shares = [f"{100 * count / n:.1f} %" for count, n in zip(counts, totals, strict=True)]
        print(f"| {size} | {default(size).name} | {' | '.join(shares)} |", flush=True)
    errors = [100 * math.sqrt(0.05 * 0.95 / n) for n in (arguments.simulations, arguments.tests)]
    print(
        f"\n{arguments.simulations:,} simulations and {arguments.tests:,} tests per row; the "
        f"standard error of a coverage of 95 % is {errors[0]:.1f} points, of a type I error of 5 % "
        f"{errors[1]:.1f}."
    )


if __name__ == "__main__":
    main()
