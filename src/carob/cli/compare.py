"""carob compare: systems against each other."""

from __future__ import annotations

import argparse
import sys

from carob.cli import _options as options

SUMMARY = "compare systems: differences, intervals, p values and rank ranges"

NO = 3
"""The exit code of a release gate that fails."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("gold", metavar="GOLD", help="the gold file; - is standard input")
    parser.add_argument(
        "systems", metavar="SYSTEM", nargs="+", help="a system's file, or name=path: two or more"
    )
    parser.add_argument(
        "-m", "--measure", metavar="RECIPE", action="append",
        help="what to compare by (repeatable; default: the F1 and SER that carob score shows)",
    )  # fmt: skip
    options.add_preset(parser, "instead of -m, compare the F1 and SER of this table")
    parser.add_argument("--by-label", action="store_true", help="also compare every label")
    parser.add_argument(
        "--fail-if-worse", metavar="MARGIN", type=float, nargs="?", const=0.0,
        help="exit 3 if the last system is significantly worse than the first (by more than "
        "MARGIN; 0.01 is one point)",
    )  # fmt: skip
    options.add_reading(parser)
    options.add_choices(parser)
    options.add_statistics(parser)
    parser.add_argument(
        "--trials", metavar="N", type=int, default=9999,
        help="trials of the randomization test (default: 9999)",
    )  # fmt: skip
    options.add_output(parser, ("terminal", "json", "csv", "markdown"))


def run(arguments: argparse.Namespace) -> int:
    """Read, compare, report, and fail if the gate does."""
    from carob.cli import _given as given
    from carob.cli.score import corpora, recipes, remarks
    from carob.evaluate.compare import compare

    wanted = recipes(arguments)
    chosen = given.choices(arguments) | given.statistics(arguments)
    gold, systems = corpora(arguments)
    found = compare(
        gold,
        systems,
        wanted,
        preset=arguments.preset,
        trials=arguments.trials,
        by_label=arguments.by_label,
        **chosen,
    )
    text = found.to(arguments.format)
    worse = [] if arguments.fail_if_worse is None else found.worse(arguments.fail_if_worse)
    remarks(found.systems, found.gold)
    given.deliver(text, arguments.output)
    for each in worse:
        print(f"worse: {each.recipe}: {each.sentence(found.unit)}", file=sys.stderr)
    return NO if worse else 0
