"""carob submit: send a file to a challenge, and wait for the verdict."""

from __future__ import annotations

import argparse

from carob.cli import print_remark

SUMMARY = "send a file to a challenge, and wait for the verdict"

ABOUT = {
    "name": "what the run is called", "description": "what the run is",
    "paper": "a link to its paper", "code": "a link to its code",
}  # fmt: skip
_TEXTS = ("name", "description")


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("file", metavar="FILE", help="the output of your system")
    parser.add_argument("--to", metavar="URL", required=True, help="the address of the challenge")
    parser.add_argument(
        "--token", metavar="T",
        help="the token of your team (default: the environment variable CAROB_TOKEN)",
    )  # fmt: skip
    parser.add_argument("--phase", metavar="NAME", help="the phase (default: the one that is open)")
    for name, text in ABOUT.items():
        parser.add_argument(f"--{name}", metavar="TEXT" if name in _TEXTS else "URL", help=text)
    parser.add_argument(
        "--wait", metavar="SECONDS", type=float, default=600.0,
        help="for how long to wait for the verdict; 0 only sends the file (default: 600)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Send, wait and print; exit 1 if the submission is not valid."""
    import os

    from carob_challenge.client import submit

    verdict = submit(
        arguments.file, arguments.to, arguments.token or os.environ.get("CAROB_TOKEN"),
        phase=arguments.phase, wait=arguments.wait, watch=print_remark,
        about={name: getattr(arguments, name) for name in ABOUT},
    )  # fmt: skip
    print(verdict.to_json() if arguments.json else verdict)
    return 0 if verdict.is_valid else 1
