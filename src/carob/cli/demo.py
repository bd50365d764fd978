"""carob demo: write and score a built-in example."""

from __future__ import annotations

import argparse

from carob.cli import print_coverage, print_remark, write_output

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
    )


def run(arguments: argparse.Namespace) -> int:
    """Write gold and three systems, and score them."""
    from pathlib import Path

    from carob.evaluate.demo import write
    from carob.evaluate.score import score

    folder = Path(arguments.folder)
    files = write(folder, arguments.kind, documents=arguments.documents, seed=arguments.seed)
    systems = [str(file) for file in files if file.stem not in ("gold", "README")]
    gold = str(folder / f"gold{Path(systems[0]).suffix}")
    print_remark(f"wrote {len(files)} files to {folder}; now running\n")
    print_remark(f"  carob score {' '.join([gold, *systems])}\n")
    scores = score(gold, systems)
    print_coverage(scores.systems)
    write_output(str(scores), None)
    return 0
