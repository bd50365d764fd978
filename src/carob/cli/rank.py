"""carob rank: all submissions of a shared task in one table."""

from __future__ import annotations

import argparse
import os

from carob.cli import _arguments, print_warnings, report_text, unshown, write_output

SUMMARY = "rank all submissions in a folder; those that cannot be scored are set aside"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    _arguments.add_files(parser, "+", "; or one folder, in which every file is a submission")
    _arguments.add_recipes(
        parser, "the first ranks, others are shown beside it (repeatable; default: exact.F1, "
        "oads.F1 for slots, fields.F1 for records, or those of the task)",
    )  # fmt: skip
    _arguments.add_preset(parser, "instead of -m", headlines=True)
    _arguments.add_sort(parser)
    _arguments.add_reading(parser)
    _arguments.add_counting(parser)
    _arguments.add_statistics(parser)
    _arguments.add_trials(parser)
    _arguments.add_output(parser, intervals=True)


def run(arguments: argparse.Namespace) -> int:
    """Validate, rank and report."""
    from carob.evaluate.rank import rank

    recipes, options = _arguments.parse_recipes(arguments), _arguments.parse_options(arguments)
    folder = len(arguments.systems) == 1 and os.path.isdir(arguments.systems[0])  # noqa: PTH112
    ranking = rank(
        arguments.gold,
        arguments.systems[0] if folder else _arguments.parse_systems(arguments),
        recipes,
        trials=arguments.trials,
        sort=arguments.sort,
        **options,
    )
    text = report_text(ranking, arguments)
    warnings = [*(f"set aside: {each}" for each in ranking.set_aside), *ranking.gold.warnings]
    print_warnings(unshown(warnings, text, arguments))
    for system in ranking.systems:
        print_warnings(f"{system.name}: {warning}" for warning in system.warnings)
    write_output(text, arguments.output)
    return 0
