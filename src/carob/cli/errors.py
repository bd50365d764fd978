"""carob errors: what is wrong with a system."""

from __future__ import annotations

import argparse

from carob.cli import _arguments, print_result

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing is slow to load
    from typing import Any

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
        "mentions, records (default for numbers and typed slots), or templates (default where gold "
        "has templates, or the system has templates and no mentions)",
    )  # fmt: skip
    parser.add_argument(
        "--by-confidence", action="store_true",
        help="of records: how many answers can be accepted at which confidence, and how many of "
        "them are wrong",
    )  # fmt: skip
    parser.add_argument(
        "--error-rate", metavar="SHARE", type=float, default=0.01,
        help="with --by-confidence: the share of wrong records that is tolerated (default 0.01)",
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
    from carob.evaluate.mistakes import are_records

    if arguments.examples < 0:
        raise UsageError("--examples must be 0 or more")
    several = (arguments.system, arguments.other)
    arguments.systems = [each for each in several if each is not None]
    systems = _arguments.parse_systems(arguments)
    options = _arguments.parse_options(arguments)
    if arguments.by_confidence or (
        arguments.other is None and are_records(arguments.gold, options)
    ):
        return _of_records(arguments, systems, options)
    result = errors(
        arguments.gold,
        *systems.values(),
        recipes=arguments.measure,
        examples=0 if _arguments.for_programs(arguments) else arguments.examples,
        types=arguments.type,
        label=arguments.label,
        ledger_to=arguments.ledger,
        names=list(systems),
        **options,
    )
    print_result(result, arguments, result.remarks)
    return 0


def _of_records(
    arguments: argparse.Namespace, systems: dict[str, Any], options: dict[str, Any]
) -> int:
    """Mistakes of records, or how many can be accepted."""
    from carob.evaluate.mistakes import automation_curve, mistakes

    system, names = next(iter(systems.values())), list(systems)[:1]
    result: Any
    if arguments.by_confidence:
        rate = arguments.error_rate
        result = automation_curve(arguments.gold, system, error=rate, names=names, **options)
    else:
        examples = 0 if _arguments.for_programs(arguments) else arguments.examples
        result = mistakes(
            arguments.gold, system, examples=examples, label=arguments.label, names=names, **options
        )
    print_result(result, arguments, result.remarks)
    return 0
