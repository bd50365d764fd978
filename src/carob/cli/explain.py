"""carob explain: why another tool prints another number."""

from __future__ import annotations

import argparse

from carob.cli import _arguments, print_result

SUMMARY = "what other tools print for the same files, and which of their rules make the difference"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    _arguments.add_files(parser, "?")
    parser.add_argument(
        "--like", metavar="TOOL", action="append",
        help="a tool, with parameters if it has any, such as seqeval or 'seqeval(mode=strict)'; "
        "with the F1 that it printed: 'seqeval(mode=strict)=84.31' (repeatable; default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--examples", metavar="N", type=int, default=2,
        help="number of examples of each rule (default 2)",
    )  # fmt: skip
    _arguments.add_reading(parser)
    group = parser.add_argument_group("counting")
    _arguments.add_pairing(group)
    _arguments.add_tokenizer(group)
    _arguments.add_output(parser, "; csv has a row for each number and rule")


def run(arguments: argparse.Namespace) -> int:
    """Explain and report."""
    from carob.evaluate.explain import explain

    arguments.systems = [] if arguments.systems is None else [arguments.systems]
    systems = _arguments.parse_systems(arguments)
    result = explain(
        arguments.gold, next(iter(systems.values())), arguments.like, examples=arguments.examples,
        names=list(systems), gold_options=_arguments.parse_reading(arguments, "gold"),
        system_options=_arguments.parse_reading(arguments, "system"),
        extra_docs=arguments.extra_docs, words=arguments.words, tokenizer=arguments.tokenizer,
    )  # fmt: skip
    print_result(result, arguments)
    return 0
