"""carob score: systems against gold."""

from __future__ import annotations

import argparse

from carob.cli import _arguments, print_result

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
    _arguments.add_floors(parser)
    parser.add_argument(
        "--audit", action="store_true",
        help="also check the evaluation itself: gold against itself, the order of documents, names "
        "of labels, duplicates, columns, and how much both sides mark",
    )  # fmt: skip
    parser.add_argument(
        "--like", metavar="TOOL", action="append",
        help="print what another tool prints: conlleval, seqeval or faireval, with parameters as "
        "in seqeval(digits=4); without SYSTEM, GOLD holds both tags in its last two columns",
    )  # fmt: skip
    _arguments.add_skip_invalid(parser)
    _arguments.add_reading(parser)
    _arguments.add_counting(parser)
    _arguments.add_statistics(parser)
    _arguments.add_output(parser, layouts=("systems", "labels"), intervals=True)


def run(arguments: argparse.Namespace) -> int:
    """Score and report."""
    if arguments.like is not None:
        return _print_like(arguments)
    from carob.evaluate.score import score

    recipes, options = _arguments.parse_recipes(arguments), _arguments.parse_options(arguments)
    scores = score(
        arguments.gold, _arguments.parse_systems(arguments), recipes, audit=arguments.audit,
        **options,
    )  # fmt: skip
    warnings = [each for each in scores.remarks if each not in scores.gold.warnings]
    # Only if asked for: the report of a plugin may not know it.
    details = {"by_label": True} if arguments.by_label else {}
    if arguments.fail_under:
        scores = scores.with_floors(arguments.fail_under, arguments.by)
    print_result(
        scores, arguments, warnings if _arguments.for_programs(arguments) else (), **details
    )
    return scores.gate.exit_code if scores.gate else 0


def _print_like(arguments: argparse.Namespace) -> int:
    """Print what another tool prints for one system."""
    from carob.cli import write_output
    from carob.corpus.problems import UsageError
    from carob.evaluate.like import like

    if len(arguments.like) > 1:
        raise UsageError(
            f"--like prints what one tool prints, and there are {len(arguments.like)}: "
            f"{', '.join(arguments.like)}; call carob score for each, or carob explain for all"
        )
    for name in ("measure", "preset", "by_label", "fail_under", "skip_invalid", "audit"):
        if getattr(arguments, name):
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f"--like prints what the tool prints: {option} has no use there")
    if arguments.format != "terminal":
        raise UsageError(f"--like prints what the tool prints: there is no {arguments.format}")
    if not arguments.systems and arguments.columns is None:
        arguments.columns = "gold=-2,system=-1"
    systems = _arguments.parse_systems(arguments)
    if len(systems) > 1:
        raise UsageError(f"--like is for one system, and there are {len(systems)}")
    (system,) = systems.values()
    options = _arguments.parse_options(arguments)
    write_output(like(arguments.gold, system, arguments.like[0], **options), arguments.output)
    return 0
