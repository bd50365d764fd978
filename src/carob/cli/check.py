"""carob check: every problem of files.

An entry point of `carob.check` is a module that adds options by `configure(parser)`, and whose
`check(arguments)` returns findings, or None if none of its options is there.
"""

from __future__ import annotations

import argparse

from carob.cli import _arguments
from carob.entry_points import entry_points

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from carob.evaluate.check import Findings

SUMMARY = "report every problem of files; exit 1 if there is an error"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="a file to check")
    parser.add_argument("--against", metavar="GOLD", help="also compare with this gold file")
    _arguments.add_reading(parser)
    _arguments.add_task(parser)
    for kind in entry_points("carob.check").values():
        kind.load().configure(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Check and report."""
    for kind in entry_points("carob.check").values():
        if (findings := kind.load().check(arguments)) is not None:
            return _report(findings, arguments)
    from carob.corpus.problems import UsageError
    from carob.evaluate.check import check

    if arguments.gold_format is not None and arguments.against is None:
        raise UsageError(
            "--gold-format is that of --against; --system-format names that of the files"
        )
    findings = check(
        arguments.files,
        arguments.against,
        options=_arguments.parse_reading(arguments, "system"),
        gold_options=_arguments.parse_reading(arguments, "gold"),
        task=arguments.task,
    )
    return _report(findings, arguments)


def _report(findings: Findings, arguments: argparse.Namespace) -> int:
    print(findings.to_json() if arguments.json else findings)
    return 1 if findings.errors else 0
