"""carob generate: a corpus whose truth is known."""

from __future__ import annotations

import argparse

from carob.cli import print_remark

SUMMARY = "generate a corpus: announcements of seminars, or calls for papers"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument(
        "kind", metavar="KIND", choices=("seminars", "calls"),
        help="seminars: announcements with four slots; calls: calls for papers with eleven",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="-",
        help="where to write, as jsonl (default: stdout)",
    )  # fmt: skip
    parser.add_argument(
        "--documents", metavar="N", type=int, default=485, help="number of documents (default: 485)"
    )
    parser.add_argument(
        "--seed", metavar="N", type=int, default=0, help="seed for all random draws (default: 0)"
    )
    parser.add_argument(
        "--families", metavar="N", type=int, help="number of layout families (default: all)"
    )
    for option, default, text in (
        ("--reposts", 0.07, "share of documents that are an earlier one, posted again"),
        ("--noise", 0.0, "share of mentions that annotators miss, confuse or mark without reason"),
        ("--boundary-noise", 0.0, "share of mentions with a word too many or too few"),
        ("--drift", 0.0, "how much layouts and phrases depend on the date, from 0 to 1"),
    ):
        parser.add_argument(
            option, metavar="X", type=float, default=default, help=f"{text} (default: {default:g})"
        )
    parser.add_argument(
        "--unlabelled", metavar="N", type=int, default=0,
        help="number of further documents without mentions, in a file of their own beside FILE: "
        "corpus.jsonl, corpus.unlabelled.jsonl",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Generate and write."""
    from carob_lab.make.generate import Knobs, write_generated

    knobs = Knobs(
        arguments.families, arguments.reposts, arguments.noise, arguments.boundary_noise,
        arguments.drift,
    )  # fmt: skip
    files = write_generated(
        arguments.output, arguments.kind, arguments.documents, arguments.seed, knobs,
        arguments.unlabelled,
    )  # fmt: skip
    for file, count in files.items():
        print_remark(f"wrote {count:,} documents to {file}")
    return 0
