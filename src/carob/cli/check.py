"""carob check: every problem of files."""

from __future__ import annotations

import argparse

from carob.cli import _arguments

SUMMARY = "report every problem of files; exit 1 if there is an error"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="a file to check")
    parser.add_argument("--against", metavar="GOLD", help="also compare with this gold file")
    _arguments.add_reading(parser)
    _arguments.add_task(parser)
    parser.add_argument(
        "--challenge", metavar="DIR-or-URL",
        help="check as this challenge does: against its public inputs and its task",
    )  # fmt: skip
    parser.add_argument(
        "--phase", metavar="NAME", help="of the challenge (default: the one that is open)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Check and report."""
    if arguments.challenge is not None:
        return _check_challenge(arguments)
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
    print(findings.to_json() if arguments.json else findings)
    return 1 if findings.errors else 0


def _check_challenge(arguments: argparse.Namespace) -> int:
    """Check as a challenge does."""
    from carob.corpus.problems import UsageError
    from carob_challenge.remote import check_challenge

    if arguments.against is not None or arguments.task is not None:
        raise UsageError("a challenge has its own inputs and task: leave out --against and --task")
    findings, _ = check_challenge(arguments.files, arguments.challenge, arguments.phase)
    print(findings.to_json() if arguments.json else findings)
    return 1 if findings.errors else 0
