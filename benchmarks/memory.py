"""Measure scoring of lists in memory: carob, seqeval and nervaluate on the same lists of tags.

    python benchmarks/memory.py                     # 10, 1,000 and 100,000 sentences: three minutes
    python benchmarks/memory.py --sentences 10 1000
    python benchmarks/memory.py --write             # into docs/performance.md

All run in one process, one after the other, and must find the same F1. Goals: at least as fast as
the other tool with 10 sentences, 5 times as fast with 1,000, 20 times with 100,000: for one number,
for a report by label, and for nervaluate's four modes. Prints Markdown; exit status 1 if a goal is
missed or scores differ.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import carob
from _report import machine, markdown, rounded, write_part
from carob.compat import nervaluate as our_nervaluate
from carob.compat import seqeval as ours

GOALS = {10: 1, 1_000: 5, 100_000: 20}
LABELS = ("PER", "LOC", "ORG", "MISC")
BUDGET = 1.0
"""Seconds for the rounds of one contender; at least three rounds, at most 200."""


def sentences(count: int, seed: int = 0) -> tuple[list[list[str]], list[list[str]]]:
    """Gold and an answer: 14 tokens on average, 17 % in mentions, one mention in eight is wrong."""
    rng = random.Random(seed)
    gold, system = [], []
    for _ in range(count):
        ours: list[str] = []
        theirs: list[str] = []
        for _ in range(rng.randint(4, 20)):
            if rng.random() < 0.12:
                label, size = rng.choice(LABELS), rng.choice((1, 1, 2, 3))
                other = rng.choice(LABELS) if rng.random() < 1 / 8 else label
                ours += [f"B-{label}", *[f"I-{label}"] * (size - 1)]
                theirs += [f"B-{other}", *[f"I-{other}"] * (size - 1)]
            else:
                ours.append("O")
                theirs.append("O")
        gold.append(ours)
        system.append(theirs)
    return gold, system


Contender = tuple[str, Callable[[Any, Any], float]]


def contenders() -> dict[str, list[Contender]]:
    """What is compared: one number, a report and the four modes. The first is the yardstick of the
    others.
    """
    peer = import_module("seqeval.metrics")
    nervaluate = import_module("nervaluate")

    def report(tool: Any) -> Callable[[Any, Any], float]:
        return lambda gold, system: float(
            tool.classification_report(gold, system, output_dict=True)["micro avg"]["f1-score"]
        )

    def number(gold: Any, system: Any) -> float:
        return carob.score(gold, system, "exact.F1", resamples=0)["exact.F1"].value or 0

    def table(resamples: int) -> Callable[[Any, Any], float]:
        def scored(gold: Any, system: Any) -> float:
            scores = carob.score(gold, system, "exact.PRF", resamples=resamples)
            scores.rows()  # those of labels are made when they are read
            return scores["exact.F1"].value or 0

        return scored

    def four_modes(tool: Any) -> Callable[[Any, Any], float]:
        def strict(gold: Any, system: Any) -> float:
            evaluator = tool.Evaluator(gold, system, tags=list(LABELS), loader="list")
            return float(evaluator.evaluate()["overall"]["strict"].f1)

        return strict

    return {
        "number": [
            ("seqeval `f1_score`", lambda gold, system: float(peer.f1_score(gold, system))),
            (
                "carob.compat.seqeval `f1_score`",
                lambda gold, system: float(ours.f1_score(gold, system)),
            ),
            ("`carob.score`, `exact.F1`", number),
        ],
        "report": [
            ("seqeval `classification_report`", report(peer)),
            ("carob.compat.seqeval `classification_report`", report(ours)),
            ("`carob.score`, `exact.PRF`", table(0)),
            ("the same with 1,000 resamples", table(1000)),
        ],
        "four modes": [
            ("nervaluate", four_modes(nervaluate)),
            ("carob.compat.nervaluate", four_modes(our_nervaluate)),
        ],
    }


def least_time(
    function: Callable[[Any, Any], float], gold: Any, system: Any
) -> tuple[float, float]:
    """The score, and the seconds of the processor in the fastest round: other programs, which may
    run at the same time, count as little as possible.
    """
    best, spent, rounds, value = float("inf"), 0.0, 0, 0.0
    while rounds < 3 or (spent < BUDGET and rounds < 200):
        start = time.process_time()
        value = function(gold, system)
        seconds = time.process_time() - start
        best, spent, rounds = min(best, seconds), spent + seconds, rounds + 1
    return value, best


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sentences", type=int, nargs="+", default=list(GOALS))
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    rows, fine = [], True
    for count in arguments.sentences:
        gold, system = sentences(count)
        for what, group in contenders().items():
            first, expected = None, 0.0
            for name, function in group:
                print(f"  {count:,} sentences: {name}", file=sys.stderr, flush=True)
                function(*sentences(10))  # imports are no part of the time
                value, seconds = least_time(function, gold, system)
                if first is None:
                    first, expected = seconds, value
                ratio, goal = first / seconds, GOALS.get(count)
                judged = "carob" in name and goal is not None
                met = not judged or ratio >= (goal or 0)
                fine &= met and abs(value - expected) < 1e-9
                verdict = ("met" if met else "**missed**") if judged else ""
                rows.append(
                    [f"{count:,}", what, name, rounded(1000 * seconds), f"{ratio:.1f}",
                     f"{goal}" if judged else "", verdict]
                )  # fmt: skip
    head = ["sentences", "what", "tool", "ms", "times as fast", "goal", ""]
    table = markdown(head, rows, text_columns=3)
    print(table)
    if arguments.write:
        write_part("memory", f"{machine()}\n\n{table}")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
