"""carob verify: recompute a stored result."""

from __future__ import annotations

import argparse

SUMMARY = "recompute a stored result from its signatures; exit 1 if a number differs"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument(
        "result", metavar="RESULT.json",
        help="what carob score, compare or errors --by-confidence --format json wrote, or the "
        "manifest.json of carob run",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Recompute and compare."""
    from carob.evaluate.verify import verify

    verification = verify(arguments.result)
    print(verification)
    return 1 if verification.differences else 0
