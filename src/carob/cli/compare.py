"""carob compare: systems against each other."""

from __future__ import annotations

import argparse
import sys

from carob.cli import _arguments, print_result

SUMMARY = "compare systems: differences, intervals, p values and rank ranges"

WORSE = 3
"""The exit code of --fail-if-worse when the last system is worse."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    _arguments.add_files(parser, "+", ": two or more")
    _arguments.add_recipes(
        parser, "what to compare by (repeatable; default: the F1 and SER that carob score shows)"
    )
    _arguments.add_preset(parser, "instead of -m, compare the F1 and SER of this table")
    parser.add_argument("--by-label", action="store_true", help="also compare every label")
    parser.add_argument(
        "--fail-if-worse", metavar="MARGIN", type=float, nargs="?", const=0.0,
        help="exit 3 if the last system is significantly worse than the first (by more than "
        "MARGIN; 0.01 is one point)",
    )  # fmt: skip
    _arguments.add_reading(parser)
    _arguments.add_counting(parser)
    _arguments.add_statistics(parser)
    parser.add_argument(
        "--trials", metavar="N", type=int, default=9999,
        help="trials of the randomization test (default: 9999)",
    )  # fmt: skip
    _arguments.add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare, report, and fail if the last system is worse."""
    from carob.evaluate.compare import compare

    recipes, options = _arguments.parse_recipes(arguments), _arguments.parse_options(arguments)
    comparison = compare(
        arguments.gold, _arguments.parse_systems(arguments), recipes, trials=arguments.trials,
        by_label=arguments.by_label, **options,
    )  # fmt: skip
    margin = arguments.fail_if_worse
    worse = [] if margin is None else comparison.worse(margin)
    print_result(comparison, arguments)
    for each in worse:
        print(f"worse: {each.recipe}: {each.sentence(comparison.unit)}", file=sys.stderr)
    return WORSE if worse else 0
