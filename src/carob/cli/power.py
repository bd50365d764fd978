"""carob power: how many documents are needed to detect a difference?"""

from __future__ import annotations

import argparse

from carob.cli import _arguments, print_result

SUMMARY = "estimate from a pilot how many documents are needed to detect a difference"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    _arguments.add_files(parser, 2, ": two")
    parser.add_argument(
        "-m", "--measure", metavar="RECIPE",
        help="the score to compare (default: exact.F1; oads.F1 for slots; fields.F1 for records; "
        "the first recipe of the task)",
    )  # fmt: skip
    _arguments.add_preset(parser, "instead of -m", headlines=True)
    parser.add_argument(
        "--difference", metavar="X",
        help="the difference to detect: 0.02, 2pt and 2%% are two points (default: that of the "
        "pilot)",
    )  # fmt: skip
    parser.add_argument(
        "--power", metavar="P", type=float, default=0.8,
        help="the share of studies that must detect it (default: 0.8)",
    )  # fmt: skip
    parser.add_argument(
        "--alpha", metavar="P", type=float, default=0.05,
        help="the largest p that counts as detected (default: 0.05)",
    )  # fmt: skip
    parser.add_argument(
        "--simulations", metavar="N", type=int, default=1000,
        help="studies to simulate for each size (default: 1000; fewer for large ones)",
    )  # fmt: skip
    parser.add_argument(
        "--trials", metavar="N", type=int, default=999,
        help="trials of the randomization test in each study (default: 999)",
    )  # fmt: skip
    _arguments.add_skip_invalid(parser)
    _arguments.add_reading(parser)
    _arguments.add_counting(parser)
    _arguments.add_statistics(parser, intervals=False)
    _arguments.add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Simulate and report."""
    from carob.evaluate.power import power

    _arguments.check_preset(arguments)
    result = power(
        arguments.gold, _arguments.parse_systems(arguments), arguments.measure,
        difference=arguments.difference, power=arguments.power, alpha=arguments.alpha,
        simulations=arguments.simulations, trials=arguments.trials,
        **_arguments.parse_options(arguments),
    )  # fmt: skip
    print_result(result, arguments)
    return 0
