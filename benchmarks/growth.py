"""Measure how carob's cost grows with tokens, labels, systems, resamples and trials.

    python benchmarks/growth.py            # about two minutes
    python benchmarks/growth.py --write    # into docs/performance.md

Whole commands in fresh processes, the least CPU time of several rounds. In each series one thing
grows, and everything else stays the same. Prints Markdown; exit status 1 if a command fails.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from _contenders import EVERY, RESAMPLES, SPACES, compare, score
from _data import data
from _race import Contender, failures, race
from _report import markdown, write_part

TOKENS = 200_000
RECIPES = ("exact.PRF", "overlap.PRF", "ts.PRF@macro", "fair.PRF", "slots.SER")
"""About what `carob score` shows by default."""


@dataclass(frozen=True, slots=True)
class Series:
    """Commands that differ in one thing only."""

    what: str
    values: tuple[int, ...]
    contenders: tuple[Contender, ...]

    def rows(self) -> list[list[str]]:
        """CPU seconds and memory of each command, with the ratio to the first."""
        base = self.contenders[0]
        rows = []
        for value, each in zip(self.values, self.contenders, strict=True):
            if not (each.done and base.done):
                rows.append([self.what, f"{value:,}", "failed"])
                continue
            ratio = f"{each.cpu / base.cpu:.2f}"
            rows.append([self.what, f"{value:,}", f"{each.cpu:.2f}", ratio, f"{each.peak:.0f}"])
        return rows


def series(what: str, commands: dict[int, list[str]]) -> Series:
    contenders = [Contender(f"{what}: {value:,}", command) for value, command in commands.items()]
    return Series(what, tuple(commands), tuple(contenders))


def every_series(sizes: Sequence[int]) -> list[Series]:
    """All series."""
    pair = data(TOKENS)
    many = data(TOKENS, systems=8)

    def pair_of(tokens: int, labels: int = 4, sentences: int = 15) -> list[Path]:
        return data(tokens, labels, sentences=sentences)

    return [
        series("tokens", {n: score(pair_of(n), RECIPES) for n in sizes}),
        series("tokens, 1,000 resamples", {n: score(pair_of(n), RECIPES, 1000) for n in sizes}),
        series("labels", {n: score(pair_of(TOKENS, n), RECIPES) for n in (2, 4, 18, 50, 200)}),
        series("labels, 1,000 resamples",
               {n: score(pair_of(TOKENS, n), RECIPES, 1000) for n in (2, 4, 18, 50, 200)}),
        series("systems", {n: score(many[: n + 1], RECIPES) for n in (1, 2, 4, 8)}),
        series("systems of `compare`, 1,000 resamples and trials",
               {n: compare(many[: n + 1], RECIPES, 1000, 1000) for n in (2, 4, 8)}),
        series("resamples", {n: score(pair, RECIPES, n) for n in (0, 100, 1000, RESAMPLES)}),
        series("trials and resamples of `compare`",
               {n: compare(many[:3], RECIPES, n, n) for n in (100, 1000, RESAMPLES)}),
        series("sentences per document",
               {n: score(pair_of(TOKENS, 4, n), RECIPES) for n in (1, 15, 150, 1500)}),
        series("event spaces", {n: score(pair, EVERY[:n]) for n in (1, 5, len(SPACES))}),
    ]  # fmt: skip


def table(measured: Sequence[Series]) -> str:
    """A row for each command."""
    head = ("what grows", "to", "CPU s", "ratio", "peak MiB")
    return markdown(head, [row for each in measured for row in each.rows()])


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure how carob's cost grows.")
    parser.add_argument("--tokens", type=int, nargs="+", default=[20_000, 200_000, 2_000_000])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--write", action="store_true", help="write into docs/performance.md")
    arguments = parser.parse_args()
    measured = every_series(sorted(arguments.tokens))
    contenders = [contender for each in measured for contender in each.contenders]
    race(contenders, arguments.repeats, budget=20)
    text = table(measured) + "\n"
    print(text, end="")
    if arguments.write:
        write_part("growth", text)
    problems = failures(contenders)
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
