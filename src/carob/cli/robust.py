"""carob robust: would another scorer rank the systems differently?"""

from __future__ import annotations

import argparse

from carob.cli import _arguments, print_result

SUMMARY = "rank systems under many reasonable choices: does the winner stay the winner?"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    _arguments.add_files(parser, "+", ": two or more")
    _arguments.add_recipes(
        parser,
        "rank by these instead of the built-in grid (repeatable); the first is the reference",
    )
    _arguments.add_preset(parser, "instead of -m, the built-in grid for this table")
    parser.add_argument(
        "--repairs", metavar="A,B",
        help="repair policies for invalid tag sequences (default: conlleval,discard)",
    )  # fmt: skip
    _arguments.add_skip_invalid(parser)
    _arguments.add_reading(parser)
    _arguments.add_counting(parser)
    _arguments.add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Rank under every choice, report."""
    from carob.corpus.problems import UsageError
    from carob.evaluate.robust import REPAIRS, robust

    recipes, options = _arguments.parse_recipes(arguments), _arguments.parse_options(arguments)
    if arguments.repair is not None and arguments.repairs is not None:
        raise UsageError("give --repair or --repairs, not both")
    one = None if arguments.repair is None else [arguments.repair]
    several = None if arguments.repairs is None else arguments.repairs.split(",")
    robustness = robust(
        arguments.gold, _arguments.parse_systems(arguments), recipes,
        repairs=one or several or REPAIRS, **options,
    )  # fmt: skip
    print_result(robustness, arguments)
    return 0
