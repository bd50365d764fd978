"""Times carob and other tools on the same files, whole commands in fresh processes.

    python benchmarks/run.py                  # 200,000 tokens, conll and jsonl: about a minute
    python benchmarks/run.py --all --write    # every size, into docs/performance.md

Prints Markdown. Exits 1 if a contender fails or the scores disagree.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import _pages
from _commands import scorers, script, truth
from _data import data
from _machine import machine
from _race import Contender, disagreements, failures, race, spare, table
from _tools import RECIPES, peers

SMALL, LARGE = (200_000,), (200_000, 2_000_000, 20_000_000)


def starters() -> list[Contender]:
    """What a process costs before it does anything."""
    python = sys.executable
    return [
        Contender("`carob --version`", [script(), "--version"]),
        Contender("`carob --help`", [script(), "--help"]),
        Contender("`python -c pass`", [python, "-c", "pass"]),
        Contender('`python -c "import numpy"`', [python, "-c", "import numpy"]),
        Contender('`python -c "import polars"`', [python, "-c", "import polars"], "polars"),
        Contender('`python -c "import seqeval.metrics"`',
                  [python, "-c", "import seqeval.metrics"], "seqeval"),
        Contender('`python -c "import spacy"`', [python, "-c", "import spacy"], "spacy"),
    ]  # fmt: skip


def agreement(paths: Sequence[Path], contenders: Sequence[Contender]) -> tuple[str, list[str]]:
    """One sentence on whether the scores were compared and agree, and the problems if not."""
    compared = [each.name for each in contenders if each.claims and each.done]
    if not compared:
        return "Scores were not compared: nobody to compare with.", []
    try:
        problems = disagreements(truth(paths, RECIPES), contenders)
    except (ValueError, LookupError, TypeError) as error:
        return "**Scores could not be compared.**", [f"comparing scores: {error}"]
    if problems:
        return "**Scores do not agree**, see the errors below.", problems
    return f"Scores agree with carob's: {'; '.join(compared)}.", []


def sized(
    sizes: Sequence[int], labels: int, format: str, seed: int, repeats: int, budget: float
) -> tuple[list[str], list[str]]:
    """The tables of one kind of file, small before large, and what went wrong."""
    parts: list[str] = []
    problems: list[str] = []
    smaller: list[Contender] = []
    before = 0
    for tokens in sorted(sizes):
        paths = data(tokens, labels, format, 1, seed=seed)
        others = peers(paths)
        if smaller:
            spare(others, smaller, tokens / before, budget)
        contenders = [*scorers(paths), *others]
        print(f"{tokens:,} tokens, {labels} labels, {format}", file=sys.stderr)
        race(contenders, repeats, budget / repeats)
        sentence, differing = agreement(paths, contenders)
        problems += failures(contenders) + differing
        title = f"### {tokens:,} tokens, {labels} labels, {format}"
        parts += [title, table(contenders), sentence]
        smaller, before = contenders, tokens
    return parts, problems


def bench(
    kinds: Sequence[tuple[Sequence[int], int, str]], seed: int, repeats: int, budget: float
) -> tuple[str, list[str]]:
    """The whole report, and what went wrong."""
    parts = [machine()]
    problems: list[str] = []
    measured: list[Contender] = starters()
    race(measured, 3 * repeats, budget)
    for sizes, labels, format in kinds:
        tables, wrong = sized(sizes, labels, format, seed, repeats, budget)
        parts += tables
        problems += wrong
    parts += ["### Start-up", table(measured, digits=3)]
    problems += failures(measured)
    if problems:
        parts += ["### Errors", "\n".join(f"- {problem}" for problem in problems)]
    return "\n\n".join(parts) + "\n", problems


def parser() -> argparse.ArgumentParser:
    """The options."""
    options = argparse.ArgumentParser(description="Times carob and other tools on the same files.")
    options.add_argument("--all", action="store_true", help="every size; 18 labels at 2,000,000")
    options.add_argument("--tokens", type=int, nargs="+", default=list(SMALL))
    options.add_argument("--labels", type=int, nargs="+", default=[4])
    options.add_argument("--formats", nargs="+", default=["conll", "jsonl"])
    options.add_argument("--seed", type=int, default=0)
    options.add_argument(
        "--repeats", type=int, default=3, help="rounds (start-up: three times as many)"
    )
    options.add_argument(
        "--budget", type=float, default=75, metavar="SECONDS",
        help="a contender that would use more on one size does not run; after a share of it, "
        "no second time",
    )  # fmt: skip
    options.add_argument("--write", action="store_true", help="put it into docs/performance.md")
    options.add_argument("-o", "--output", type=Path, metavar="FILE", help="also write it here")
    return options


def main() -> int:
    """Runs everything, prints the report; 1 if anything went wrong."""
    given = parser().parse_args()
    if given.repeats < 1:
        parser().error(f"found --repeats {given.repeats}, expected at least 1")
    kinds = [(given.tokens, count, format) for count in given.labels for format in given.formats]
    if given.all:
        kinds = [(LARGE, 4, "conll"), (LARGE, 4, "jsonl"), (LARGE[1:2], 18, "conll")]
    text, problems = bench(kinds, given.seed, given.repeats, given.budget)
    print(text, end="")
    if given.output:
        given.output.parent.mkdir(parents=True, exist_ok=True)
        given.output.write_text(text, encoding="utf-8")
    if given.write:
        _pages.write("peers", text)
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
