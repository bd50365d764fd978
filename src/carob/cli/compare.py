"""carob compare: systems against each other."""

from __future__ import annotations

import argparse

from carob.cli import _arguments, print_result

SUMMARY = "compare systems: differences, intervals, p values and rank ranges"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    _arguments.add_files(parser, "+", ": two or more")
    _arguments.add_recipes(
        parser, "what to compare by (repeatable; default: the F1 and SER that carob score shows)"
    )
    _arguments.add_preset(parser, "instead of -m, compare the F1 and SER of this table")
    parser.add_argument("--by-label", action="store_true", help="also compare every label")
    parser.add_argument(
        "--fail-if-worse", metavar="MARGIN", nargs="?", const="1pt",
        help="a release gate: exit 3 if the last system is worse than the first by more than "
        "MARGIN, written 0.01, 1pt or 1%% (default: 1pt, one point), 4 if these documents cannot "
        "tell",
    )  # fmt: skip
    _arguments.add_floors(parser, "of the last system ")
    parser.add_argument(
        "--all-pairs", action="store_true",
        help="show the differences of all pairs, also of more than three systems",
    )  # fmt: skip
    parser.add_argument(
        "--baseline", metavar="NAME", help="show the differences to this system only"
    )
    _arguments.add_sort(parser)
    _arguments.add_skip_invalid(parser)
    _arguments.add_reading(parser)
    _arguments.add_counting(parser)
    _arguments.add_statistics(parser)
    _arguments.add_trials(parser)
    _arguments.add_output(parser, layouts=("pairs", "systems", "labels"), intervals=True)


def run(arguments: argparse.Namespace) -> int:
    """Compare, report, and say whether the last system is worse, or below a floor."""
    from carob.evaluate.compare import compare

    recipes, options = _arguments.parse_recipes(arguments), _arguments.parse_options(arguments)
    comparison = compare(
        arguments.gold, _arguments.parse_systems(arguments), recipes, trials=arguments.trials,
        by_label=arguments.by_label or arguments.layout == "labels",
        floors=arguments.fail_under, by=arguments.by, **options,
    )  # fmt: skip
    if arguments.fail_if_worse is not None:
        comparison = comparison.with_gate(arguments.fail_if_worse)
    comparison = comparison.shown_as(
        sort=arguments.sort, all_pairs=arguments.all_pairs, baseline=arguments.baseline
    )
    print_result(comparison, arguments)
    return comparison.gate.exit_code if comparison.gate else 0
