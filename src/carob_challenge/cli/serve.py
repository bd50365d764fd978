"""carob serve: run the server of a challenge."""

from __future__ import annotations

import argparse

from carob_challenge.cli import _serving

SUMMARY = "run the server of a challenge: pages, submissions, scoring, the leaderboard"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("folder", metavar="DIR", help="the folder of the challenge")
    _serving.add_address(parser)
    parser.add_argument(
        "--database", metavar="URL",
        help="a PostgreSQL database, like postgresql+psycopg://user@host/name (default: the "
        "environment variable CAROB_DATABASE, otherwise SQLite in the folder)",
    )  # fmt: skip
    parser.add_argument(
        "--workers", metavar="N", type=int, default=1,
        help="number of processes that score; with 0, start carob challenge worker elsewhere "
        "(default: 1)",
    )  # fmt: skip
    parser.add_argument(
        "--url", metavar="URL",
        help="where people find the challenge, if a proxy stands before this server",
    )  # fmt: skip
    parser.add_argument(
        "--proxy", metavar="ADDRESS", default="",
        help="the address of that proxy: it is believed when it says whom it asks for",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Serve until stopped."""
    import os

    from carob.corpus.problems import UsageError

    _serving.check_libraries()
    if arguments.workers < 0:
        raise UsageError(f"found --workers {arguments.workers}, expected 0 or more")
    from carob_challenge.web.serve import DATABASE, serve

    serve(
        arguments.folder, host=arguments.host, port=arguments.port, workers=arguments.workers,
        database=arguments.database or os.environ.get(DATABASE), url=arguments.url,
        proxy=arguments.proxy, ready=_serving.print_addresses,
    )  # fmt: skip
    return 0
