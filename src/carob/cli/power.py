"""carob power: how many documents are needed to detect a difference?"""

from __future__ import annotations

import argparse
import sys

from carob.cli import _options as options

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from carob.result.power import Point

SUMMARY = "estimate from a pilot how many documents are needed to detect a difference"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("gold", metavar="GOLD", help="the gold file; - is standard input")
    parser.add_argument(
        "systems", metavar="SYSTEM", nargs=2, help="a system's file, or name=path: two"
    )
    parser.add_argument(
        "-m", "--measure", metavar="RECIPE",
        help="the score to compare (default: exact.F1; oads.F1 for slots; the first recipe of the "
        "task)",
    )  # fmt: skip
    parser.add_argument(
        "--difference", metavar="X", type=float,
        help="the difference to detect; 0.02 is two points (default: that of the pilot)",
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
    options.add_reading(parser)
    options.add_choices(parser)
    options.add_units(parser.add_argument_group("statistics"))
    options.add_output(parser, ("terminal", "json"))


def run(arguments: argparse.Namespace) -> int:
    """Read, simulate, report."""
    from carob.cli import _given as given
    from carob.cli.score import corpora, remarks
    from carob.evaluate.power import power

    names = ("difference", "power", "alpha", "simulations", "trials", "seed", "resample_by",
             "strata")  # fmt: skip
    chosen = given.choices(arguments) | {name: getattr(arguments, name) for name in names}
    gold, systems = corpora(arguments)
    watched = sys.stderr.isatty()
    found = power(
        gold, systems, arguments.measure, progress=_progress if watched else None, **chosen
    )
    if watched:
        print("\r\x1b[K", end="", file=sys.stderr)
    text = found.to(arguments.format)
    remarks(found.systems, found.gold)
    given.deliver(text, arguments.output)
    return 0


def _progress(point: Point) -> None:
    """Show the progress, in one line that is overwritten."""
    line = f"\r\x1b[K{point.documents:,} documents: power {point.power:.2f}"
    print(line, end="", file=sys.stderr, flush=True)
