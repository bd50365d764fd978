"""carob demo --kind challenge: write a challenge, and serve it."""

from __future__ import annotations

import argparse

from carob.cli import print_remark
from carob_challenge.cli import _serving

SUMMARY = "a shared task with three teams and twelve submissions, served at once"

DOCUMENTS = "120 for a challenge"


def configure(parser: argparse._ActionsContainer) -> None:
    """The arguments."""
    parser.add_argument(
        "--data", choices=("mentions", "slots", "records", "relations"), default="mentions",
        help="what systems find in the announcements (default: mentions)",
    )  # fmt: skip
    _serving.add_address(parser)
    parser.add_argument(
        "--no-serve", action="store_false", dest="serve", help="write the folder, start no server"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write a challenge, and serve it."""
    _serving.check_libraries()
    from carob_challenge import demo

    print_remark("writing a corpus, and scoring twelve submissions ...")
    made = demo.write(
        arguments.folder,
        data=arguments.data,
        count=demo.DOCUMENTS if arguments.documents is None else arguments.documents,
        seed=arguments.seed or 0,
    )
    for team, token in made.tokens.items():
        print(f"{team}'s token  {token}")
    print(f"something to submit  {made.example}", flush=True)
    if not arguments.serve:
        print_remark(f"now: carob serve {made.folder}")
        return 0
    from carob_challenge.web.serve import serve

    serve(made.folder, host=arguments.host, port=arguments.port, ready=_serving.print_addresses)
    return 0
