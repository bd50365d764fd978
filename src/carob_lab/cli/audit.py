"""carob audit: which numbers of a published table cannot be right?"""

from __future__ import annotations

import argparse

from carob.cli import _arguments, report_text, write_output

SUMMARY = "find numbers of a published table that cannot be right, and what it does not state"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument(
        "input", metavar="TABLE",
        help="CSV with a head: system, slot, P, R, F, and if available support, tp, fp, fn, low, "
        "high, corpus; - is standard input",
    )  # fmt: skip
    parser.add_argument(
        "--slots", metavar="A,B", help="the slots that every system of the table must have"
    )
    parser.add_argument(
        "--corpus", metavar="NAME",
        help="the same for a well-known corpus: seminars, acquisitions, jobs, conll2003",
    )  # fmt: skip
    _arguments.add_task(parser)
    _arguments.add_output(parser, scores=False)


def run(arguments: argparse.Namespace) -> int:
    """Audit and report; exit 1 if a number cannot be right."""
    from carob.registry import load
    from carob_lab.make.audit import audit

    load("report", arguments.format)
    slots = [each.strip() for each in (arguments.slots or "").split(",")]
    findings = audit(
        arguments.input, slots=[each for each in slots if each], corpus=arguments.corpus,
        task=arguments.task,
    )  # fmt: skip
    write_output(report_text(findings, arguments), arguments.output)
    return 1 if findings.wrong else 0
