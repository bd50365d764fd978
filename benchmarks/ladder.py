"""What somebody who submits again and again learns from the feedback of a phase.

60 documents with 300 candidates for a mention, of which 100 are right: an honest answer with all of
them has F1 = .50. The attacker submits 300 random subsets, and weighs each candidate by the mean of
the scores that were shown to subsets with it, minus the mean of those without. The last answer is
the best-weighed candidates, as many of them as serve the attacker best: nobody could choose better.
Its true F1 says what was learned about gold.

    python benchmarks/ladder.py             prints the table
    python benchmarks/ladder.py --write     writes it to docs/challenge.md
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from carob.arrays.types import BoolArray, FloatArray
from carob.counts.tally import Tally
from carob.evaluate.score import average
from carob.recipe import Recipe
from carob_challenge.config import Feedback
from carob_challenge.feedback import rounded
from carob_challenge.ladder import Rung, climb
from carob_challenge.tallies import StoredTally

DOCUMENTS, CANDIDATES, RIGHT, SUBMISSIONS = 60, 300, 100, 300
RULES = ("full", "rounded(2)", "ladder")
PAGE = Path(__file__).parents[1] / "docs" / "challenge.md"
RECIPE = Recipe.parse("exact.F1")


class World:
    """Candidates in documents, and which of them are right."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.doc = np.sort(rng.integers(0, DOCUMENTS, CANDIDATES))
        self.right = np.zeros(CANDIDATES, bool)
        self.right[rng.permutation(CANDIDATES)[:RIGHT]] = True

    def tally(self, chosen: BoolArray) -> StoredTally:
        """The counts of an answer, as exact matching has them."""
        outcomes = (chosen & self.right, chosen & ~self.right, ~chosen & self.right)
        counts: FloatArray = np.stack(
            [np.bincount(self.doc, each.astype(float), DOCUMENTS) for each in outcomes], axis=1
        )
        documents = np.arange(DOCUMENTS, dtype=np.int32)
        labels = np.zeros(DOCUMENTS, np.int32)
        tally = Tally(DOCUMENTS, ("X",), ("tp", "fp", "fn"), RECIPE.space.quantities, documents,
                      labels, counts)  # fmt: skip
        return StoredTally(tally, np.arange(DOCUMENTS))

    def f1(self, chosen: BoolArray) -> float:
        return float(average(RECIPE, self.tally(chosen).tally, None).value.item())

    def best_f1(self, weights: FloatArray) -> float:
        """The largest F1 of the candidates with the largest weights, however many they are."""
        right = np.cumsum(self.right[np.argsort(-weights, kind="stable")])
        return float((2 * right / (np.arange(1, CANDIDATES + 1) + RIGHT)).max())


def attack(rule: str, seed: int, submissions: int = SUBMISSIONS) -> float:
    """The true F1 of what an attacker has learned after so many submissions."""
    rng = np.random.default_rng(seed)
    world, feedback = World(rng), Feedback.parse(rule)
    every = rng.random((submissions, CANDIDATES)) < 0.5
    shown = np.empty(submissions)
    best: Rung | None = None
    for i, chosen in enumerate(every):
        value = world.f1(chosen)
        if feedback.kind == "ladder":
            best = climb(best, Rung(i, value, world.tally(chosen)), RECIPE)
            shown[i] = best.value
        else:
            kept = rounded(value, feedback.digits) if feedback.kind == "rounded" else value
            shown[i] = kept
    return world.best_f1(_weights(every, shown))


def _weights(every: BoolArray, shown: FloatArray) -> FloatArray:
    """How much better the subsets with each candidate looked than those without it."""
    centred = shown - shown.mean()
    counts = every.sum(axis=0)
    weights: FloatArray = centred @ every / np.maximum(counts, 1) - centred @ ~every / np.maximum(
        len(every) - counts, 1
    )
    return weights


def table(seeds: int) -> str:
    honest = World(np.random.default_rng(0)).f1(np.ones(CANDIDATES, bool))
    lines = ["| feedback | honest F1 | F1 after 300 submissions: mean | lowest | highest |",
             "|---|---:|---:|---:|---:|"]  # fmt: skip
    for rule in RULES:
        found = [attack(rule, seed) for seed in range(seeds)]
        lines.append(f"| `{rule}` | {honest:.2f} | {np.mean(found):.3f} | {min(found):.3f} | "
                     f"{max(found):.3f} |")  # fmt: skip
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    made = table(arguments.seeds)
    print(made)
    if arguments.write:
        begin, end = "<!-- ladder -->\n", "\n<!-- /ladder -->"
        text = PAGE.read_text(encoding="utf-8")
        head, _, rest = text.partition(begin)
        PAGE.write_text(f"{head}{begin}{made}{end}{rest.partition(end)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
