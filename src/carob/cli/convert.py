"""carob convert: from one format to another."""

from __future__ import annotations

import argparse

from carob.cli import _arguments, print_remark

SUMMARY = "write a file in another format; refuse, or leave out and count, what it cannot hold"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("input", metavar="IN", help="a file or folder; - is standard input")
    parser.add_argument("output", metavar="OUT", help="a file or folder; - is standard output")
    parser.add_argument(
        "--from", metavar="NAME", dest="gold_format", help="format of IN (detected by default)"
    )
    parser.add_argument("--to", metavar="NAME", help="format of OUT (default: by its extension)")
    parser.add_argument(
        "--lossy", action="store_true", help="leave out and count what OUT cannot hold"
    )
    _arguments.add_tokenizer(parser)
    _arguments.add_conll(parser)
    parser.add_argument(
        "--write", metavar="KEY=VALUE", action="append", default=[],
        help="a parameter of the format of OUT, such as scheme=iobes (repeatable)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Convert, and say what was lost."""
    from carob.evaluate.convert import convert

    done = convert(
        arguments.input, arguments.output, arguments.to, lossy=arguments.lossy,
        tokenizer=arguments.tokenizer, options=_arguments.parse_reading(arguments, "gold"),
        write_options=_arguments.parse_pairs("--write", arguments.write),
    )  # fmt: skip
    print_remark(done)
    return 0
