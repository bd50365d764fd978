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
    _arguments.add_preset(parser, "what to analyse", ("mentions", "templates", "records"))
    parser.add_argument(
        "--examples", metavar="N", type=int, default=1,
        help="number of examples of each type (default 1)",
    )  # fmt: skip
    parser.add_argument(
        "--type", metavar="TYPE", action="append",
        help="show examples, and what B fixed and broke, of this type only: LE, BE, BES, BEL, BEO, "
        "LBE, FP, FN, TP; for slots PAR, INC, MIS, SPU, ungrounded, COR; for records 'wrong "
        "value', 'wrong format', missing, spurious, invented, 'wrong field', swapped, 'partly "
        "right', right (repeatable)",
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
    group = parser.add_argument_group("answers by confidence")
    group.add_argument(
        "--by-confidence", action="store_true",
        help="instead: which records can be accepted by their confidence, and how many of these "
        "are wrong; -m fields: which values; -m 'record(of=LIST)': which objects of a list",
    )  # fmt: skip
    group.add_argument(
        "--error-rate", metavar="X", type=float, action="append",
        help="the threshold from which on at most this share is wrong; 0.01 is 1 %% (repeatable; "
        "default: 0.01, 0.02, 0.05)",
    )  # fmt: skip
    group.add_argument(
        "--resamples", metavar="N", type=int,
        help="number of resamples for intervals of thresholds (default: 1000; 0: no intervals); if "
        "given, other intervals are bca",
    )  # fmt: skip
    group.add_argument("--seed", metavar="N", type=int, help="seed for resamples (default: 0)")
    _arguments.add_reading(parser)
    _arguments.add_counting(parser, zero_division=False)
    _arguments.add_output(parser, "; csv is the confusion matrix, or the thresholds")


def run(arguments: argparse.Namespace) -> int:
    """Analyse and report."""
    from carob.corpus.problems import UsageError
    from carob.evaluate.errors import errors

    if arguments.examples < 0:
        raise UsageError("--examples must be 0 or more")
    several = (arguments.system, arguments.other)
    arguments.systems = [each for each in several if each is not None]
    systems = _arguments.parse_systems(arguments)
    if arguments.by_confidence:
        return _by_confidence(arguments, systems)
    for name in ("error_rate", "resamples", "seed"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name.replace('_', '-')} is for --by-confidence")
        delattr(arguments, name)
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


def _by_confidence(arguments: argparse.Namespace, systems: dict[str, str]) -> int:
    """Which answers can be accepted."""
    from carob.corpus.problems import UsageError
    from carob.evaluate.by_confidence import ERROR_RATES, by_confidence

    for name in ("type", "ledger", "preset"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name} is not for --by-confidence")
    spaces = arguments.measure or ["record"]
    if len(spaces) > 1:
        raise UsageError(f"--by-confidence has one -m, found {', '.join(spaces)}")
    if arguments.seed is None:
        arguments.seed = 0
    result = by_confidence(
        arguments.gold,
        systems,
        spaces[0],
        error_rates=arguments.error_rate or ERROR_RATES,
        label=arguments.label,
        **_arguments.parse_options(arguments),
    )
    print_result(result, arguments)
    return 0
