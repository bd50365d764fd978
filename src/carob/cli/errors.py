"""carob errors: what is wrong with a system."""

from __future__ import annotations

import argparse

from carob.cli import _arguments

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
        "--label", metavar="LABEL", help="show examples with this label or slot only"
    )
    parser.add_argument(
        "--ledger", metavar="FILE",
        help="write every event of the recipes' spaces: .csv, .jsonl or .parquet",
    )  # fmt: skip
    _arguments.add_reading(parser)
    _arguments.add_counting(parser, zero_division=False)
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format", choices=("terminal", "json", "csv", "markdown", "latex"),
        default="terminal", help="default: terminal; csv is the confusion matrix",
    )  # fmt: skip
    group.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of stdout")


def run(arguments: argparse.Namespace) -> int:
    """Analyse and report."""
    from carob.cli._output import print_coverage, print_warnings, write_output
    from carob.corpus.problems import UsageError
    from carob.evaluate.errors import errors
    from carob.evaluate.run import stem

    if arguments.examples < 0:
        raise UsageError("--examples must be 0 or more")
    texts = [each for each in (arguments.system, arguments.other) if each is not None]
    systems = [_arguments.parse_name(each) for each in texts]
    paths = [path for _, path in systems]
    names = [name or stem(path) for name, path in systems]
    _arguments.check_standard_input([arguments.gold, *paths])
    result = errors(
        arguments.gold,
        *paths,
        recipes=arguments.measure,
        examples=0 if arguments.format in ("json", "csv") else arguments.examples,
        types=arguments.type,
        label=arguments.label,
        ledger_to=arguments.ledger,
        names=names if len(set(names)) == len(names) else ["first", "second"],
        **_arguments.parse_options(arguments),
    )
    print_coverage(result.systems)
    print_warnings(result.remarks)
    details: dict[str, object] = {}
    if arguments.format == "csv":
        details = {"table": "confusion"}
    elif arguments.format == "terminal" and arguments.output is not None:
        details = {"color": False}
    write_output(result.to(arguments.format, **details), arguments.output)
    return 0
