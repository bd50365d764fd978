"""What somebody who submits again and again learns from the feedback of a phase.

60 documents with 300 candidates for a mention, of which 100 are right: an answer with all of them
has F1 = .50, a random half of them .40. Two attackers make 300 submissions each:

climbs      changes some candidates of the best answer so far, and keeps the change if the feedback
            says that it is better. The true F1 of the last answer is what was learned about gold.
averages    changes some candidates of the first answer, again and again, and weighs each candidate
            by the mean of the scores that were shown with it, minus the mean of those without. The
            answer that counts has the candidates with the largest weights, as many as serve best:
            nobody could choose better.

Both begin with all candidates or with a random half. Five teams that share what they learn make 300
submissions each, each with a ladder of its own.

    python benchmarks/ladder.py             prints the table
    python benchmarks/ladder.py --write     writes it to docs/challenge.md
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np

from carob.arrays.types import BoolArray, FloatArray
from carob.counts.tally import Tally
from carob.evaluate.score import average
from carob.recipe import Recipe
from carob_challenge.config import Phase
from carob_challenge.ladder import DIGITS, Ladder, Rung
from carob_challenge.tallies import StoredTally

DOCUMENTS, CANDIDATES, RIGHT, SUBMISSIONS = 60, 300, 100, 300
PROBES = (2, 3, 4, 14, 30, 60, 100)
RULES = ("headline", "rounded(2)", "ladder")
REVEALS = next(int(str(each.default)) for each in fields(Phase) if each.name == "reveals")
PAGE = Path(__file__).parents[1] / "docs" / "challenge.md"
RECIPE = Recipe.parse("exact.F1")


class World:
    """Candidates in documents, and which of them are right."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.doc = np.sort(rng.integers(0, DOCUMENTS, CANDIDATES))
        self.right = np.zeros(CANDIDATES, bool)
        self.right[rng.permutation(CANDIDATES)[:RIGHT]] = True

    def start(self, share: float) -> BoolArray:
        """All candidates, or a random share of them."""
        chosen: BoolArray = self.rng.random(CANDIDATES) < share
        return chosen

    def probe(self, chosen: BoolArray, size: int) -> BoolArray:
        """An answer in which some candidates are changed."""
        changed = chosen.copy()
        which = self.rng.choice(CANDIDATES, size, replace=False)
        changed[which] = ~changed[which]
        return changed

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


@dataclass
class Team:
    """Whoever submits, and what the feedback shows to them."""

    world: World
    rule: str
    ladder: Ladder = field(default_factory=Ladder)
    best: float = -1.0

    def submit(self, chosen: BoolArray) -> tuple[float, bool]:
        """The score that is shown, and whether it is a new best."""
        value = self.world.f1(chosen)
        if self.rule == "ladder":
            before = self.ladder
            rung = Rung(before.reveals, value, self.world.tally(chosen))
            self.ladder = before.climb(rung, RECIPE, REVEALS)
            assert self.ladder.best is not None
            assert self.ladder.best.value is not None
            return round(self.ladder.best.value, DIGITS), self.ladder is not before
        shown = round(value, 2) if self.rule == "rounded(2)" else value
        is_new, self.best = shown > self.best, max(shown, self.best)
        return shown, is_new


@dataclass(frozen=True)
class Attack:
    """One way to learn about gold."""

    kind: str
    probe: int
    share: float = 1.0
    teams: int = 1

    def __call__(self, rule: str, seed: int) -> float:
        """The true F1 of what was learned in a random world."""
        world = World(np.random.default_rng(seed))
        teams = [Team(world, rule) for _ in range(self.teams)]
        first = world.start(self.share)
        learned = self._climb if self.kind == "climbs" else self._average
        return learned(world, teams, first)

    def _climb(self, world: World, teams: list[Team], best: BoolArray) -> float:
        highest = -1.0
        for number in range(SUBMISSIONS):
            for team in teams:
                # What the other teams have learned is where each of them goes on.
                chosen = world.probe(best, self.probe) if number else best
                shown, is_new = team.submit(chosen)
                if is_new and shown >= highest:
                    best, highest = chosen, shown
        return world.f1(best)

    def _average(self, world: World, teams: list[Team], first: BoolArray) -> float:
        every = np.stack([world.probe(first, self.probe) for _ in range(SUBMISSIONS * len(teams))])
        shown = np.array(
            [teams[i % len(teams)].submit(chosen)[0] for i, chosen in enumerate(every)]
        )
        # A team whose first submission was lucky is shown a high score for everything.
        shown -= np.array([shown[i :: len(teams)].mean() for i in range(len(teams))])[
            np.arange(len(shown)) % len(teams)
        ]
        counts = every.sum(axis=0)
        return world.best_f1(
            shown @ every / np.maximum(counts, 1)
            - shown @ ~every / np.maximum(len(every) - counts, 1)
        )


def attacks() -> Iterator[Attack]:
    """Every attack, as the tests run them."""
    for kind in ("climbs", "averages"):
        for share in (1.0, 0.5):
            for probe in PROBES:
                yield Attack(kind, probe, share)
        for probe in PROBES:
            yield Attack(kind, probe, 1.0, 5)


def table(seeds: int) -> str:
    lines = ["| attacker | begins with | teams | changes | `headline` | `rounded(2)` | `ladder` | "
             "highest |", "|---|---|--:|--:|---:|---:|---:|---:|"]  # fmt: skip
    for attack in attacks():
        found = {rule: [attack(rule, seed) for seed in range(seeds)] for rule in RULES}
        means = " | ".join(f"{np.mean(each):.3f}" for each in found.values())
        start = "all (.50)" if attack.share == 1 else "half (.40)"
        lines.append(f"| {attack.kind} | {start} | {attack.teams} | {attack.probe} | {means} | "
                     f"{max(found['ladder']):.3f} |")  # fmt: skip
        print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    made = table(arguments.seeds)
    if arguments.write:
        begin, end = "<!-- ladder -->\n", "\n<!-- /ladder -->"
        text = PAGE.read_text(encoding="utf-8")
        head, _, rest = text.partition(begin)
        PAGE.write_text(f"{head}{begin}{made}{end}{rest.partition(end)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
