"""Measure carob and other tools on the same files, as whole commands in fresh processes.

    python benchmarks/run.py                  # 200,000 tokens, conll and jsonl: about a minute
    python benchmarks/run.py --all --write    # every size, into docs/performance.md

Prints Markdown. Exit status 1 if a contender fails or the scores disagree.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from _contenders import COMPARED_RECIPES, carob_contenders, carob_scores, peers, script
from _data import data
from _race import Contender, disagreements, failures, race, skip_slow
from _report import machine, table, write_part

SMALL, LARGE = (200_000,), (200_000, 2_000_000, 20_000_000)


def start_up() -> list[Contender]:
    """Processes that start and do nothing else."""
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
    """A sentence that says whether the scores agree, and a problem for each that does not."""
    compared = [each.name for each in contenders if each.claims and each.done]
    if not compared:
        return "Scores were not compared: no tool was run that counts the same.", []
    try:
        problems = disagreements(carob_scores(paths, COMPARED_RECIPES), contenders)
    except (ValueError, LookupError, TypeError) as error:
        return "**Scores could not be compared.**", [f"comparing scores: {error}"]
    if problems:
        return "**Scores do not agree**, see the errors below.", problems
    return f"Scores agree with carob's: {'; '.join(compared)}.", []


def measure_sizes(
    sizes: Sequence[int], labels: int, format: str, seed: int, repeats: int, budget: float
) -> tuple[list[str], list[str]]:
    """The tables of one kind of file, small sizes first, and the problems."""
    parts: list[str] = []
    problems: list[str] = []
    smaller: list[Contender] = []
    before = 0
    for tokens in sorted(sizes):
        paths = data(tokens, labels, format, 1, seed=seed)
        others = peers(paths)
        if smaller:
            skip_slow(others, smaller, tokens / before, budget)
        contenders = [*carob_contenders(paths), *others]
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
    """The whole report, and the problems."""
    parts = [machine()]
    problems: list[str] = []
    starting = start_up()
    race(starting, 3 * repeats, budget)
    for sizes, labels, format in kinds:
        tables, more = measure_sizes(sizes, labels, format, seed, repeats, budget)
        parts += tables
        problems += more
    parts += ["### Start-up", table(starting, digits=3)]
    problems += failures(starting)
    if problems:
        parts += ["### Errors", "\n".join(f"- {problem}" for problem in problems)]
    return "\n\n".join(parts) + "\n", problems


def parser() -> argparse.ArgumentParser:
    """The options."""
    options = argparse.ArgumentParser(description="Measure carob and other tools.")
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
        help="CPU seconds of a contender on one size: one that would use more does not run",
    )  # fmt: skip
    options.add_argument("--write", action="store_true", help="write into docs/performance.md")
    options.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="also write it to a file"
    )
    return options


def main() -> int:
    """Measure and print; 1 if there are problems."""
    arguments = parser().parse_args()
    if arguments.repeats < 1:
        parser().error(f"found --repeats {arguments.repeats}, expected at least 1")
    kinds = [
        (arguments.tokens, count, format)
        for count in arguments.labels
        for format in arguments.formats
    ]
    if arguments.all:
        kinds = [(LARGE, 4, "conll"), (LARGE, 4, "jsonl"), (LARGE[1:2], 18, "conll")]
    text, problems = bench(kinds, arguments.seed, arguments.repeats, arguments.budget)
    print(text, end="")
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(text, encoding="utf-8")
    if arguments.write:
        write_part("peers", text)
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
