"""carob report: everything about some systems on one page."""

from __future__ import annotations

import argparse

from carob.cli import _arguments, print_coverage, print_remark, write_output

SUMMARY = "write one page with scores, comparison, errors and robustness, to open in a browser"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    _arguments.add_files(parser, "*")
    _arguments.add_recipes(
        parser,
        "what to score, such as exact.F1 or exact.PRF@macro (repeatable; see carob measures)",
    )
    _arguments.add_preset(parser, "a table of recipes instead of -m")
    parser.add_argument(
        "--baseline", metavar="NAME",
        help="show what every other system fixed and broke against this one (two systems: the "
        "first)",
    )  # fmt: skip
    parser.add_argument(
        "--examples", metavar="N", type=int, default=3,
        help="number of examples of each type of error that are in the page itself (default: 3)",
    )  # fmt: skip
    parser.add_argument(
        "--browser-documents", metavar="N", type=int, default=5000,
        help="at most this many documents are in the error browser of the page, those with errors "
        "first (default: 5000)",
    )  # fmt: skip
    parser.add_argument(
        "--browser-megabytes", metavar="MB", type=float, default=20,
        help="at most this much of the page are documents of the error browser (default: 20)",
    )  # fmt: skip
    _arguments.add_skip_invalid(parser)
    _arguments.add_reading(parser)
    _arguments.add_counting(parser)
    _arguments.add_statistics(parser)
    _arguments.add_trials(parser)
    group = parser.add_argument_group("output")
    group.add_argument(
        "-o", "--output", metavar="FILE", default="report.html",
        help="the page (default: report.html; -: standard output)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Evaluate, write the page, and say where it is."""
    from shlex import join

    from carob.evaluate.report import report
    from carob.result.result import library

    for name in ("jinja2", "matplotlib"):
        library(name, "report")  # that it is missing costs no time
    arguments.format = "html"
    made = report(
        arguments.gold, _arguments.parse_systems(arguments), _arguments.parse_recipes(arguments),
        baseline=arguments.baseline, trials=arguments.trials, examples=arguments.examples,
        browser_documents=arguments.browser_documents,
        browser_megabytes=arguments.browser_megabytes,
        command=join(["carob", *arguments.command_line]), **_arguments.parse_options(arguments),
    )  # fmt: skip
    text = made.to_html()
    print_coverage(made.systems, made.gold.warnings)
    write_output(text, arguments.output)
    if arguments.output != "-":
        print_remark(f"{arguments.output}: {len(text.encode()) / 1e6:.1f} MB")
    return 0
