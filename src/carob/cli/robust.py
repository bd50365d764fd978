"""carob robust: would another scorer rank the systems differently?"""

from __future__ import annotations

import argparse

from carob.cli import _options as options

SUMMARY = "rank systems under many reasonable choices: does the winner stay the winner?"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("gold", metavar="GOLD", help="the gold file; - is standard input")
    parser.add_argument(
        "systems", metavar="SYSTEM", nargs="+", help="a system's file, or name=path: two or more"
    )
    parser.add_argument(
        "-m", "--measure", metavar="RECIPE", action="append",
        help="rank by these instead of the built-in grid (repeatable); the first is the reference",
    )  # fmt: skip
    options.add_preset(parser, "instead of -m, the built-in grid for this table")
    parser.add_argument(
        "--repairs", metavar="A,B",
        help="repair policies for invalid tag sequences (default: conlleval,discard)",
    )  # fmt: skip
    options.add_reading(parser)
    options.add_choices(parser)
    options.add_output(parser, ("terminal", "json"))


def run(arguments: argparse.Namespace) -> int:
    """Read in every way, rank, report."""
    from carob.cli import _given as given
    from carob.cli.score import files, recipes, remarks
    from carob.corpus.problems import UsageError
    from carob.corpus.source import Source
    from carob.evaluate.robust import REPAIRS, robust

    wanted = recipes(arguments)
    if arguments.repair is not None and arguments.repairs is not None:
        raise UsageError("give --repair or --repairs, not both")
    one = None if arguments.repair is None else [arguments.repair]
    several = None if arguments.repairs is None else arguments.repairs.split(",")
    paths = files(arguments)
    sources: dict[str, Source] = {}
    ours = given.reading(arguments, "gold", [arguments.gold], sources)
    theirs = given.reading(arguments, "system", paths.values(), sources)
    given.unused(arguments, [*ours.values(), *theirs.values()])
    found = robust(
        sources[arguments.gold], {name: sources[path] for name, path in paths.items()}, wanted,
        preset=arguments.preset, repairs=one or several or REPAIRS,
        gold_options=given.asked(arguments, "gold"),
        system_options=given.asked(arguments, "system"), **given.choices(arguments),
    )  # fmt: skip
    text = found.to(arguments.format)
    remarks(found.systems, found.gold)
    given.deliver(text, arguments.output)
    return 0
