"""carob score: systems against gold."""

from __future__ import annotations

import argparse

from carob.cli import _arguments

SUMMARY = "score systems against gold: a table of systems and measures"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    _arguments.add_files(parser, "*")
    _arguments.add_recipes(
        parser,
        "what to score, such as exact.F1 or exact.PRF@macro (repeatable; see carob measures)",
    )
    _arguments.add_preset(parser, "a table of recipes instead of -m")
    parser.add_argument("--by-label", action="store_true", help="also show a row for each label")
    _arguments.add_reading(parser)
    _arguments.add_counting(parser)
    _arguments.add_statistics(parser)
    _arguments.add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Score and report."""
    from carob.cli._output import print_coverage, print_warnings, write_output
    from carob.evaluate.score import score
    from carob.registry import load

    report = load("report", arguments.format)(by_label=arguments.by_label)
    recipes, options = _arguments.parse_recipes(arguments), _arguments.parse_options(arguments)
    scores = score(arguments.gold, _arguments.parse_systems(arguments), recipes, **options)
    print_coverage(scores.systems, scores.gold)
    if arguments.format in ("json", "csv"):  # other formats show the remarks themselves
        print_warnings(each for each in scores.remarks if each not in scores.gold.warnings)
    write_output(report(scores), arguments.output)
    return 0
