"""carob errors: what is wrong with a system."""

from __future__ import annotations

import argparse
import sys

from carob.cli import _options as options

SUMMARY = "kinds of errors, confusions, examples, and what correcting each kind would gain"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("gold", metavar="GOLD", help="the gold file")
    parser.add_argument("system", metavar="SYSTEM", help="a system's file")
    parser.add_argument(
        "other", metavar="B", nargs="?", help="a second system: what did it fix and break?"
    )
    parser.add_argument(
        "-m", "--measure", metavar="RECIPE", action="append",
        help="scores for which gains are shown (repeatable; the first decides the order of attack)",
    )  # fmt: skip
    options.add_preset(
        parser, "what to analyse",
        "mentions, or templates (default where gold has templates, or the system has templates and "
        "no mentions)",
    )  # fmt: skip
    parser.add_argument(
        "--examples",
        metavar="N",
        type=int,
        default=1,
        help="number of examples of each type (default 1)",
    )
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
    options.add_reading(parser)
    options.add_choices(parser)
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format", choices=("terminal", "json", "csv", "markdown", "latex"),
        default="terminal", help="default: terminal; csv is the confusion matrix",
    )  # fmt: skip
    group.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of stdout")


def run(arguments: argparse.Namespace) -> int:
    """Analyse and report."""
    from carob.cli import _given as given
    from carob.cli.score import remarks, stem
    from carob.corpus.problems import UsageError
    from carob.evaluate.errors import errors
    from carob.evaluate.read import read

    if arguments.examples < 0:
        raise UsageError("--examples must be 0 or more")
    given_ = [given.named(each) for each in (arguments.system, arguments.other) if each is not None]
    systems = [path for _, path in given_]
    names = [name or stem(path) for name, path in given_]
    if len(set(names)) < len(names):
        names = ["first", "second"]
    if [arguments.gold, *systems].count("-") > 1:
        raise UsageError("only one file can be standard input")
    ours = given.reading(arguments, "gold", [arguments.gold])
    theirs = given.reading(arguments, "system", systems)
    given.unused(arguments, [*ours.values(), *theirs.values()])
    corpora = [
        read(how.pop("source"), **how)
        for how in (ours[arguments.gold], *(dict(theirs[path]) for path in systems))
    ]
    chosen = given.choices(arguments)
    chosen.pop("zero_division")
    found = errors(
        *corpora,
        recipes=arguments.measure,
        preset=arguments.preset,
        examples=0 if arguments.format in ("json", "csv") else arguments.examples,
        types=arguments.type,
        label=arguments.label,
        ledger_to=arguments.ledger,
        names=names,
        **chosen,
    )
    remarks(found.systems)
    for remark in found.remarks:
        print(f"warning: {remark}", file=sys.stderr)
    how: dict[str, object] = {}
    if arguments.format == "csv":
        how = {"table": "confusion"}
    elif arguments.format == "terminal" and arguments.output is not None:
        how = {"color": False}
    text = found.to(arguments.format, **how)
    given.deliver(text, arguments.output)
    return 0
