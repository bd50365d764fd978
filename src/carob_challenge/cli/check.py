"""carob check --challenge: every problem of a submission, as a challenge sees them."""

from __future__ import annotations

import argparse

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from carob.evaluate.check import Findings


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument(
        "--challenge", metavar="DIR-or-URL",
        help="check as this challenge does: against its public inputs and its task",
    )  # fmt: skip
    parser.add_argument(
        "--phase", metavar="NAME", help="of the challenge (default: the one that is open)"
    )


def check(arguments: argparse.Namespace) -> Findings | None:
    """What a challenge finds; None if the files are not for one."""
    if arguments.challenge is None:
        return None
    from carob.corpus.problems import UsageError
    from carob_challenge.remote import check_challenge

    if arguments.against is not None or arguments.task is not None:
        raise UsageError("a challenge has its own inputs and task: leave out --against and --task")
    return check_challenge(arguments.files, arguments.challenge, arguments.phase)[0]
