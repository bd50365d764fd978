"""Measures carob against the goals it set itself, in one interleaved run, and says which are met.

    python benchmarks/goals.py            # all: about ten minutes
    python benchmarks/goals.py 1 2 5      # some
    python benchmarks/goals.py --write    # into docs/performance.md

CPU time of whole commands in fresh processes, the least of some rounds. Exits 1 if a command fails;
a goal that is not met is no failure.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import _pages
from _commands import EVERY, EXACT, MICRO_AND_MACRO, RESAMPLES, compare, score, script
from _data import data
from _less import WAYS
from _machine import machine
from _measure import measure
from _race import Contender, failures, markdown, race, rounded
from _stages import STAGES
from _tools import CONLLEVAL, F1_SCORE, NERVALUATE, POLARS, REPORT, peers

MEDIUM, LARGE = 2_000_000, 20_000_000
FEW_LABELS, MANY_LABELS = 4, 18


@dataclass(frozen=True, slots=True)
class Goal:
    """One line of the table: what was measured, and what it should be."""

    number: int
    says: str
    found: float | None
    wanted: float
    at_least: bool = False
    unit: str = "x"

    @property
    def met(self) -> bool | None:
        """None if something was missing."""
        if self.found is None:
            return None
        return self.found >= self.wanted if self.at_least else self.found <= self.wanted

    def row(self) -> list[str]:
        sign = "at least" if self.at_least else "at most"
        verdict = {True: "met", False: "**not met**", None: "not measured"}[self.met]
        found = "-" if self.found is None else f"{rounded(self.found)} {self.unit}"
        cells = [str(self.number), self.says, found, f"{sign} {self.wanted:g} {self.unit}", verdict]
        return [" ".join(cell.split()) for cell in cells]


class Results:
    """What the contenders of one run needed, by name."""

    def __init__(self, contenders: Sequence[Contender]) -> None:
        self.done = {each.name: each for each in contenders if each.done}

    def cpu(self, name: str) -> float | None:
        return self.done[name].cpu if name in self.done else None

    def peak(self, name: str) -> float | None:
        return self.done[name].peak if name in self.done else None

    def stage(self, name: str, stage: str) -> float | None:
        """What one stage took, of a run that tells its stages."""
        if name not in self.done:
            return None
        return min(float(json.loads(run.stdout)[stage]) for run in self.done[name].runs)

    def times(self, one: str, other: str) -> float | None:
        """How many times the CPU time of `other` is that of `one`."""
        return divided(self.cpu(one), self.cpu(other))


def divided(one: float | None, other: float | None) -> float | None:
    """Their ratio, if there are both and it means something."""
    return None if one is None or other is None or other <= 0 else one / other


def less(one: float | None, other: float | None) -> float | None:
    """Their difference, if there are both."""
    return None if one is None or other is None else one - other


def exponent(
    small: float | None, large: float | None, times: float = LARGE / MEDIUM
) -> float | None:
    """With what power of the size the cost grows: 1 if ten times the size costs ten times."""
    growth = divided(large, small)
    return None if growth is None or growth <= 0 else math.log(growth) / math.log(times)


# --- what is run ---


def commands(paths: Sequence[Path], mark: str = "") -> list[Contender]:
    """The commands of goals 1, 2 and 3 on gold and one system."""
    pair = paths[:2]
    return [
        Contender(f"exact{mark}", score(pair, EXACT)),
        Contender(f"every{mark}", score(pair, EVERY)),
        Contender(f"drawn{mark}", score(pair, MICRO_AND_MACRO, RESAMPLES)),
    ]


def staged(paths: Sequence[Path]) -> list[str]:
    """Goal 3's work in a process that tells what each stage took."""
    here = Path(__file__).resolve().with_name("_stages.py")
    return [sys.executable, str(here), *map(str, paths[:2])]


def less_able(way: str, command: Sequence[str]) -> list[str]:
    """A command of carob, with less than the processor or the installation has."""
    here = Path(__file__).resolve().with_name("_less.py")
    return [sys.executable, str(here), way, *command[1:]]


def chosen_peers(paths: Sequence[Path], names: Sequence[str], mark: str = "") -> list[Contender]:
    found = [peer for peer in peers(paths) if peer.name in names]
    for peer in found:
        peer.name += mark
    return found


def field(wanted: set[int]) -> tuple[list[Contender], list[Contender]]:
    """Who runs for these goals: at medium size, and the heavy ones of 20 million tokens."""
    paths = data(MEDIUM, FEW_LABELS, systems=4)
    medium = commands(paths)
    comparing = compare(paths[:3], MICRO_AND_MACRO)
    heavy: list[Contender] = []
    if wanted & {1, 2, 3, 4}:
        medium += chosen_peers(paths, (REPORT, F1_SCORE, NERVALUATE, CONLLEVAL, POLARS))
    if 2 in wanted:
        many = data(MEDIUM, MANY_LABELS)
        medium += [*commands(many, " 18")[1:2], *chosen_peers(many, (REPORT, NERVALUATE), " 18")]
    if 4 in wanted:
        medium.append(Contender("drawn of two", score(paths[:3], MICRO_AND_MACRO, RESAMPLES)))
        medium.append(Contender("compared", comparing))
    if wanted & {3, 4}:
        for way in WAYS:
            medium.append(Contender(f"drawn, {way}", less_able(way, medium[2].command)))
            if 4 in wanted:
                medium.append(Contender(f"compared, {way}", less_able(way, comparing)))
    if 5 in wanted:
        small = data(46_000, FEW_LABELS)
        plain = score(small, ("exact.F1",), by_label=False)
        medium += [
            Contender("--version", [script(), "--version"]),
            Contender("--help", [script(), "--help"]),
            Contender("pass", [sys.executable, "-c", "pass"]),
            Contender("numpy", [sys.executable, "-c", "import numpy"]),
            Contender("small", plain),
        ]
    if 7 in wanted:
        medium += commands(data(MEDIUM, FEW_LABELS, sentences=1500), " 1500")
        medium.append(Contender("stages", staged(paths)))
    if 8 in wanted:
        medium.append(Contender("exact of four", score(paths, EXACT)))
        medium.append(Contender("every of four", score(paths, EVERY)))
    if wanted & {6, 7}:
        heavy = commands(data(LARGE, FEW_LABELS), " 20M")
        heavy = heavy if 7 in wanted else heavy[:1]
        if 7 in wanted:
            heavy.append(Contender("stages 20M", staged(data(LARGE, FEW_LABELS))))
    return medium, heavy


# --- what it means ---


def goal_1(run: Results) -> Iterator[Goal]:
    says = "P, R, F1 by label, less CPU than"
    for name, wanted in ((REPORT, 60), (F1_SCORE, 20), (CONLLEVAL, 8)):
        yield Goal(1, f"{says} {name}", run.times(name, "exact"), wanted, at_least=True)
    yield Goal(1, f"the same, of {POLARS}", run.times("exact", POLARS), 0.7)


def goal_2(run: Results) -> Iterator[Goal]:
    says = f"{len(EVERY)} event spaces by label, less CPU than"
    yield Goal(2, f"{says} {REPORT}", run.times(REPORT, "every"), 50, at_least=True)
    yield Goal(2, f"{says} {NERVALUATE}", run.times(NERVALUATE, "every"), 30, at_least=True)
    many = f"{says} {NERVALUATE}, {MANY_LABELS} labels"
    yield Goal(2, many, run.times(f"{NERVALUATE} 18", "every 18"), 60, at_least=True)


def goal_3(run: Results) -> Iterator[Goal]:
    says = f"the same, micro and macro, {RESAMPLES:,} resamples,"
    yield Goal(3, f"{says} less than {REPORT}", run.times(REPORT, "drawn"), 25, at_least=True)
    yield Goal(3, f"{says} of {POLARS}", run.times("drawn", POLARS), 2)


def goal_4(run: Results) -> Iterator[Goal]:
    says = f"`compare` of two systems, everything of 3 and {RESAMPLES:,} trials, less than"
    yield Goal(4, f"{says} {REPORT}", run.times(REPORT, "compared"), 20, at_least=True)


def goal_5(run: Results) -> Iterator[Goal]:
    for name in ("--help", "--version"):
        above = less(run.cpu(name), run.cpu("pass"))
        found = None if above is None else 1000 * above
        yield Goal(5, f"`carob {name}`, above `python -c pass`", found, 30, unit="ms")
    says = '`exact.F1` of 46,000 tokens, of `python -c "import numpy"`'
    yield Goal(5, says, run.times("small", "numpy"), 1.6)


def goal_6(run: Results) -> Iterator[Goal]:
    wanted = 60 + 4 * LARGE / (1 << 20)
    says = f"peak memory of goal 1's command, {LARGE:,} tokens"
    yield Goal(6, says, run.peak("exact 20M"), round(wanted), unit="MiB")


def goal_7(run: Results) -> Iterator[Goal]:
    for stage in STAGES:
        says = f"growth from {MEDIUM:,} to {LARGE:,} tokens, {stage}"
        medium, large = (run.stage(f"stages{mark}", stage) for mark in ("", " 20M"))
        yield Goal(7, says, exponent(medium, large), 1.05, unit="exponent")
    for name, says in (("exact", "goal 1's command"), ("every", "goal 2's command")):
        one = run.times(f"{name} 1500", name)
        found = None if one is None else max(one, 1 / one)
        yield Goal(7, f"documents of 15 or 1,500 sentences, {says}", found, 1.2)
    found = run.times("drawn 1500", "drawn")
    yield Goal(
        7, "the same, goal 3's: long ones cost less, for there are fewer to resample", found, 1.2
    )


def goal_8(run: Results) -> Iterator[Goal]:
    for name, says in (("exact", "goal 1's command"), ("every", "goal 2's command")):
        one = run.cpu(name)
        more = less(run.cpu(f"{name} of four"), one)
        found = None if more is None else divided(more / 3, one)
        yield Goal(8, f"each further system, of the first, {says}", found, 0.6)


GOALS = dict(enumerate((goal_1, goal_2, goal_3, goal_4, goal_5, goal_6, goal_7, goal_8), 1))


def goals(run: Results, wanted: set[int]) -> list[Goal]:
    """All lines of the table."""
    return [goal for number in sorted(wanted) for goal in GOALS[number](run)]


def table(found: Sequence[Goal], contenders: Sequence[Contender]) -> str:
    """What was found against what is wanted, then what each command needed."""
    head = ("goal", "what", "found", "wanted", "")
    rows = [goal.row() for goal in found]
    spent = [
        [each.name, str(len(each.runs)), f"{each.cpu:.3f}", f"{each.wall:.3f}",
         f"{each.peak:.0f}"]
        for each in contenders if each.done
    ]  # fmt: skip
    return "\n\n".join([
        markdown(head, rows, text_columns=5),
        "What the commands needed (exact, every and drawn are those of goals 1, 2 and 3):",
        markdown(("command", "runs", "CPU s", "wall s", "peak MiB"), spent),
    ])  # fmt: skip


def main() -> int:
    """Runs, judges, prints."""
    options = argparse.ArgumentParser(description="Measures carob against its goals.")
    options.add_argument("goals", type=int, nargs="*", default=[], help="1 to 8; default: all")
    options.add_argument("--repeats", type=int, default=7, help="rounds (20 million tokens: four)")
    options.add_argument(
        "--budget", type=float, default=45, metavar="SECONDS",
        help="who has used more does not run again",
    )  # fmt: skip
    options.add_argument("--write", action="store_true", help="put it into docs/performance.md")
    given = options.parse_args()
    wanted = set(given.goals or GOALS)
    if not wanted <= set(GOALS) or given.repeats < 1:
        options.error("the goals are 1 to 8, and there is at least one round")
    medium, heavy = field(wanted)
    measure([script(), "--help"])  # so that bytecode is there
    race(medium, given.repeats, given.budget)
    race(heavy, min(4, given.repeats), math.inf)
    everyone = [*medium, *heavy]
    found = goals(Results(everyone), wanted)
    text = f"{machine()}\n\n{table(found, everyone)}\n"
    print(text, end="")
    if given.write:
        _pages.write("goals", text)
    problems = failures(everyone)
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
