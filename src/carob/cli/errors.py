"""carob errors: what is wrong with a system."""

from __future__ import annotations

import argparse

from carob.cli import _arguments, print_result

SUMMARY = "kinds of errors, confusions, examples, and what correcting each kind would gain"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("gold", metavar="GOLD", help="the gold file; - is standard input")
    parser.add_argument("system", metavar="SYSTEM", help="a system's file, or name=path")
    parser.add_argument(
        "other", metavar="B", nargs="?", help="a second system: what did it fix and break?"
    )
    _arguments.add_recipes(
        parser,
        "scores for which gains are shown (repeatable; the first decides the order of attack)",
    )
    _arguments.add_preset(
        parser, "what to analyse",
        "mentions, or templates (default where gold has templates, or the system has templates and "
        "no mentions)",
    )  # fmt: skip
    parser.add_argument(
        "--examples", metavar="N", type=int, default=1,
        help="number of examples of each type (default 1)",
    )  # fmt: skip
    parser.add_argument(
        "--type", metavar="TYPE", action="append",
        help="show examples of this type only: LE, BE, BES, BEL, BEO, LBE, FP, FN, TP; for slots "
        "PAR, INC, MIS, SPU, ungrounded, COR (repeatable)",
    )  # fmt: skip
    parser.add_argument(
        "--label", metavar="LABEL",
        help="show examples, and what B fixed and broke, with this label or slot only",
    )  # fmt: skip
    parser.add_argument(
        "--ledger", metavar="FILE",
        help="write every event of the recipes' spaces: .csv, .jsonl or .parquet",
    )  # fmt: skip
    _arguments.add_skip_invalid(parser)
    _arguments.add_reading(parser)
    _arguments.add_counting(parser, zero_division=False)
    _arguments.add_output(parser, "; csv is the confusion matrix")


def run(arguments: argparse.Namespace) -> int:
    """Analyse and report."""
    from carob.corpus.problems import UsageError
    from carob.evaluate.errors import errors

    if arguments.examples < 0:
        raise UsageError("--examples must be 0 or more")
    several = (arguments.system, arguments.other)
    arguments.systems = [each for each in several if each is not None]
    systems = _arguments.parse_systems(arguments)
    result = errors(
        arguments.gold,
        *systems.values(),
        recipes=arguments.measure,
        examples=0 if _arguments.for_programs(arguments) else arguments.examples,
        types=arguments.type,
        label=arguments.label,
        ledger_to=arguments.ledger,
        names=list(systems),
        **_arguments.parse_options(arguments),
    )
    print_result(result, arguments, result.remarks)
    return 0
