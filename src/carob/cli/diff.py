"""carob diff: what changed between two versions of a corpus?"""

from __future__ import annotations

import argparse

from carob.cli import _arguments, report_text, write_output

SUMMARY = "compare two versions of a corpus: documents, texts and mentions that changed"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("gold", metavar="OLD", help="the old version, a file or folder")
    parser.add_argument("other", metavar="NEW", help="the new version")
    _arguments.add_task(parser)
    _arguments.add_reading(parser, ["gold"])
    _arguments.add_output(parser, scores=False)


def run(arguments: argparse.Namespace) -> int:
    """Compare and report."""
    from carob.evaluate.diff import diff
    from carob.registry import load

    load("report", arguments.format)
    reading = _arguments.parse_reading(arguments, "gold")
    changes = diff(arguments.gold, arguments.other, task=arguments.task, **reading)
    write_output(report_text(changes, arguments), arguments.output)
    return 0
