"""Measure carob against its goals, all commands in turn in one run, and report which are met.

    python benchmarks/goals.py            # all: about ten minutes
    python benchmarks/goals.py 1 2 5      # some of them
    python benchmarks/goals.py --write    # into docs/performance.md

A goal compares the CPU time of whole commands in fresh processes, the least of several rounds.
Goals 1 to 4 are set for NumPy alone, so their commands run without the compiled scanner as well.
Exit status 1 means that a command failed; a goal that is missed is not a failure.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from _contenders import (
    EVERY,
    EXACT,
    MICRO_AND_MACRO,
    POLARS,
    REPORT,
    RESAMPLES,
    compare,
    numpy_alone,
    peers,
    score,
    script,
)
from _data import data
from _race import Contender, failures, measure, race
from _report import machine, markdown, rounded, write_part
from _stages import STAGES

MEDIUM, LARGE = 2_000_000, 20_000_000
ALONE = ", NumPy alone"


@dataclass(frozen=True, slots=True)
class Goal:
    """One line of the table: what was measured, its value, and the limit that it must keep; None
    for a line that is no goal, and is shown beside one.
    """

    number: int
    what: str
    value: float | None
    limit: float | None
    at_least: bool = False
    unit: str = "x"

    @property
    def met(self) -> bool | None:
        """None if a measurement is missing, or there is no limit."""
        if self.value is None or self.limit is None:
            return None
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def row(self) -> list[str]:
        sign = "at least" if self.at_least else "at most"
        limit = "none" if self.limit is None else f"{sign} {self.limit:g} {self.unit}"
        value = "-" if self.value is None else f"{rounded(self.value)} {self.unit}"
        unknown = "not measured" if self.value is None else ""
        verdict = {True: "met", False: "**missed**", None: unknown}[self.met]
        return [str(self.number), self.what, limit, value, verdict]


class Results:
    """The measurements of the contenders of one run, by name; None if there are none."""

    def __init__(self, contenders: Sequence[Contender]) -> None:
        self.done = {each.name: each for each in contenders if each.done}

    def cpu(self, name: str) -> float | None:
        return self.done[name].cpu if name in self.done else None

    def peak(self, name: str) -> float | None:
        return self.done[name].peak if name in self.done else None

    def stage(self, name: str, stage: str) -> float | None:
        """CPU seconds of one stage, of a run that prints its stages."""
        if name not in self.done:
            return None
        return min(float(json.loads(run.stdout)[stage]) for run in self.done[name].runs)

    def ratio(self, one: str, other: str) -> float | None:
        """The CPU time of `one`, as a multiple of that of `other`."""
        return ratio(self.cpu(one), self.cpu(other))


def ratio(one: float | None, other: float | None) -> float | None:
    """Their ratio, if both exist and it is defined."""
    return None if one is None or other is None or other <= 0 else one / other


def difference(one: float | None, other: float | None) -> float | None:
    """Their difference, if both exist."""
    return None if one is None or other is None else one - other


def exponent(
    small: float | None, large: float | None, times: float = LARGE / MEDIUM
) -> float | None:
    """The power of the size with which the cost grows: 1 if ten times the size costs ten times."""
    growth = ratio(large, small)
    return None if growth is None or growth <= 0 else math.log(growth) / math.log(times)


# --- the commands ---


def scoring(paths: Sequence[Path], size: str = "") -> list[Contender]:
    """The commands of goals 1, 2 and 3 on gold and one system."""
    pair = paths[:2]
    return [
        Contender(f"exact{size}", score(pair, EXACT)),
        Contender(f"every{size}", score(pair, EVERY)),
        Contender(f"resampled{size}", score(pair, MICRO_AND_MACRO, RESAMPLES)),
    ]


def stages(paths: Sequence[Path], size: str = "") -> Contender:
    """The work of goal 3 in one process that prints the time of each stage."""
    file = Path(__file__).resolve().with_name("_stages.py")
    return Contender(f"stages{size}", [sys.executable, str(file), *map(str, paths[:2])])


def contenders_of(numbers: set[int]) -> tuple[list[Contender], list[Contender]]:
    """The commands that these goals need, on 2 million tokens and on 20 million."""
    paths = data(MEDIUM, systems=4)
    medium = scoring(paths)
    large: list[Contender] = []
    if 4 in numbers:
        pair = paths[:3], MICRO_AND_MACRO
        medium.append(Contender("compared", compare(*pair, None)))
        medium.append(Contender("compared, more resamples", compare(*pair)))
    if numbers & {1, 2, 3, 4}:
        medium += [Contender(f"{c.name}{ALONE}", numpy_alone(c.command)) for c in medium]
        medium += [peer for peer in peers(paths) if peer.name in (REPORT, POLARS)]
    if 5 in numbers:
        medium.append(Contender("--help", [script(), "--help"]))
        medium.append(Contender("--version", [script(), "--version"]))
        medium.append(Contender("pass", [sys.executable, "-c", "pass"]))
    if 7 in numbers:
        medium += scoring(data(MEDIUM, sentences=1500), " 1500")
        medium.append(stages(paths))
    if 8 in numbers:
        medium.append(Contender("exact of four", score(paths, EXACT)))
        medium.append(Contender("every of four", score(paths, EVERY)))
    if 6 in numbers:
        large.append(scoring(data(LARGE), " 20M")[0])
    if 7 in numbers:
        large.append(stages(data(LARGE), " 20M"))
    return medium, large


# --- the goals ---


def faster_than_seqeval(
    number: int, what: str, command: str, limit: float | None, run: Results
) -> Iterator[Goal]:
    for way in (ALONE, ""):
        value = run.ratio(REPORT, f"{command}{way}")
        yield Goal(
            number, f"{what}{way}: times faster than seqeval's report", value, limit, at_least=True
        )


def goal_1(run: Results) -> Iterator[Goal]:
    what = "exact P, R, F1 by label"
    yield from faster_than_seqeval(1, what, "exact", 60, run)
    for way in (ALONE, ""):
        value = run.ratio(f"exact{way}", POLARS)
        yield Goal(1, f"{what}{way}: share of the time that polars parses", value, 0.7)


def goal_2(run: Results) -> Iterator[Goal]:
    yield from faster_than_seqeval(2, f"{len(EVERY)} event spaces by label", "every", 40, run)


def goal_3(run: Results) -> Iterator[Goal]:
    what = f"the same, micro and macro, {RESAMPLES:,} resamples"
    yield from faster_than_seqeval(3, what, "resampled", 10, run)


def goal_4(run: Results) -> Iterator[Goal]:
    what = f"two systems compared under all of these, {RESAMPLES:,} trials"
    yield from faster_than_seqeval(4, what, "compared", 8, run)
    # The default interval draws nothing. What resamples add is shown as well.
    what += f" and {RESAMPLES:,} resamples"
    yield from faster_than_seqeval(4, what, "compared, more resamples", None, run)


def goal_5(run: Results) -> Iterator[Goal]:
    for name in ("--help", "--version"):
        above = difference(run.cpu(name), run.cpu("pass"))
        value = None if above is None else 1000 * above
        yield Goal(5, f"`carob {name}`: time above `python -c pass`", value, 60, unit="ms")


def goal_6(run: Results) -> Iterator[Goal]:
    # 60 MiB for Python and NumPy, and 4 bytes a token.
    limit = round(60 + 4 * LARGE / (1 << 20))
    what = f"peak memory of goal 1's command on {LARGE:,} tokens"
    yield Goal(6, what, run.peak("exact 20M"), limit, unit="MiB")


def goal_7(run: Results) -> Iterator[Goal]:
    for stage in STAGES:
        what = f"growth from {MEDIUM:,} to {LARGE:,} tokens, {stage}"
        value = exponent(run.stage("stages", stage), run.stage("stages 20M", stage))
        yield Goal(7, what, value, 1.05, unit="exponent")
    for command, number in (("exact", 1), ("every", 2)):
        longer = run.ratio(f"{command} 1500", command)
        value = None if longer is None else max(longer, 1 / longer)
        what = f"documents of 1,500 sentences and of 15, goal {number}'s command: the larger time"
        yield Goal(7, what, value, 1.2)
    # Only one way: there are fewer long documents, and so there is less to resample.
    what = "documents of 1,500 sentences, goal 3's command: share of the time for 15"
    yield Goal(7, what, run.ratio("resampled 1500", "resampled"), 1.2)


def goal_8(run: Results) -> Iterator[Goal]:
    for command, number in (("exact", 1), ("every", 2)):
        one = run.cpu(command)
        three_more = difference(run.cpu(f"{command} of four"), one)
        value = None if three_more is None else ratio(three_more / 3, one)
        what = f"each further system, goal {number}'s command: share of the time for the first"
        yield Goal(8, what, value, 0.6)


GOALS = dict(enumerate((goal_1, goal_2, goal_3, goal_4, goal_5, goal_6, goal_7, goal_8), 1))


def goals(run: Results, numbers: set[int]) -> list[Goal]:
    """All lines of the table."""
    return [goal for number in sorted(numbers) for goal in GOALS[number](run)]


def table(judged: Sequence[Goal], contenders: Sequence[Contender]) -> str:
    """The goals with their measurements, then the time and memory of each command."""
    costs = [
        [each.name, str(len(each.runs)), f"{each.cpu:.3f}", f"{each.wall:.3f}",
         f"{each.peak:.0f}"]
        for each in contenders if each.done
    ]  # fmt: skip
    return "\n\n".join([
        markdown(("number", "what", "goal", "measured", ""), [goal.row() for goal in judged], 5),
        "Time and memory of the commands (exact, every and resampled belong to goals 1, 2 and 3, "
        "compared to goal 4):",
        markdown(("command", "runs", "CPU s", "wall s", "peak MiB"), costs),
    ])  # fmt: skip


def main() -> int:
    """Run, judge and print."""
    parser = argparse.ArgumentParser(description="Measure carob against its goals.")
    parser.add_argument("goals", type=int, nargs="*", default=[], help="1 to 8 (default: all)")
    parser.add_argument("--repeats", type=int, default=7, help="rounds (20 million tokens: four)")
    parser.add_argument(
        "--budget", type=float, default=45, metavar="SECONDS",
        help="a command that has used more CPU time does not run again",
    )  # fmt: skip
    parser.add_argument("--write", action="store_true", help="write into docs/performance.md")
    arguments = parser.parse_args()
    numbers = set(arguments.goals or GOALS)
    if not numbers <= set(GOALS) or arguments.repeats < 1:
        parser.error("expected goals from 1 to 8, and at least one round")
    medium, large = contenders_of(numbers)
    measure([script(), "--help"])  # so that bytecode exists before the first round
    race(medium, arguments.repeats, arguments.budget)
    race(large, min(4, arguments.repeats), math.inf)
    contenders = [*medium, *large]
    text = f"{machine()}\n\n{table(goals(Results(contenders), numbers), contenders)}\n"
    print(text, end="")
    if arguments.write:
        write_part("goals", text)
    problems = failures(contenders)
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
