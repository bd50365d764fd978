"""carob verify: recompute a stored result."""

from __future__ import annotations

import argparse

SUMMARY = "recompute a stored result from its signatures; exit 1 if a number differs"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument(
        "result", metavar="RESULT.json", help="what carob score --format json wrote"
    )


def run(arguments: argparse.Namespace) -> int:
    """Recompute and compare."""
    from carob.evaluate.verify import verified

    checked, differences = verified(arguments.result)
    for difference in differences:
        print(difference)
    if differences:
        print(f"{len(differences)} of {checked:,} numbers differ")
        return 1
    print(f"verified: {checked:,} numbers recomputed, all equal")
    return 0
