"""What the commands that run a server have in common: where it listens, and what they print."""

from __future__ import annotations

import argparse

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from carob_challenge.challenge import Challenge


def add_address(parser: argparse._ActionsContainer) -> None:
    """Where the server listens."""
    parser.add_argument(
        "--host", default="127.0.0.1",
        help="the address to listen at; 0.0.0.0 is every one (default: 127.0.0.1)",
    )  # fmt: skip
    parser.add_argument(
        "--port", metavar="N", type=int, default=8080,
        help="the port to listen at; 0 is any that is free (default: 8080)",
    )  # fmt: skip


def check_libraries() -> None:
    """Say what is missing before anything is done."""
    from importlib.util import find_spec

    from carob.result.result import library

    for name in ("starlette", "uvicorn", "jinja2", "sqlalchemy", "alembic"):
        if find_spec(name) is None:
            library(name, "challenge")


def print_addresses(challenge: Challenge, url: str) -> None:
    """Where the challenge is, and where the organiser logs in."""
    from carob_challenge.web.serve import login_url

    print(f"challenge  {url}")
    print(f"organiser  {login_url(challenge, url)}")
    print("           (works once, within 15 minutes; carob challenge login DIR prints another)")
    print("stop with Ctrl+C", flush=True)
