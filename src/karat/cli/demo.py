"""karat demo: write and score the built-in example."""

from __future__ import annotations

import argparse
import sys

SUMMARY = "write the built-in example into a folder and score it"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument(
        "folder", metavar="DIR", nargs="?", default="karat-demo",
        help="where to write (default: karat-demo)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Write gold and three systems, then do what anybody would do with them."""
    from pathlib import Path

    from karat.cli import main
    from karat.demo import written

    folder = Path(arguments.folder)
    files = written(folder)
    systems = [file for file in files if file.stem not in ("gold", "README")]
    call = ["score", str(folder / "gold.conll"), *map(str, systems)]
    print(f"wrote {len(files)} files to {folder}; now running\n", file=sys.stderr)
    print(f"  karat {' '.join(call)}\n", file=sys.stderr)
    return main(call)
