"""carob demo: write and score a built-in example."""

from __future__ import annotations

import argparse
import sys

SUMMARY = "write a built-in example into a folder and score it"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument(
        "folder", metavar="DIR", nargs="?", default="carob-demo",
        help="where to write (default: carob-demo)",
    )  # fmt: skip
    parser.add_argument(
        "--kind", choices=("mentions", "seminars"), default="mentions",
        help="mentions: named entities in 30 short documents (default); "
        "seminars: generated announcements, with slots to fill",
    )  # fmt: skip
    parser.add_argument(
        "--documents", metavar="N", type=int, help="number of announcements (default: 300)"
    )
    parser.add_argument(
        "--seed", metavar="N", type=int, help="seed for the announcements (default: 0)"
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Write gold and three systems, then score them."""
    from pathlib import Path

    from carob.cli import main
    from carob.evaluate.demo import write

    folder = Path(arguments.folder)
    files = write(folder, arguments.kind, documents=arguments.documents, seed=arguments.seed)
    systems = [file for file in files if file.stem not in ("gold", "README")]
    gold = folder / f"gold{systems[0].suffix}"
    call = ["score", str(gold), *map(str, systems)]
    print(f"wrote {len(files)} files to {folder}; now running\n", file=sys.stderr)
    print(f"  carob {' '.join(call)}\n", file=sys.stderr)
    return main(call)
