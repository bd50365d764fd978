"""carob convert: from one format to another."""

from __future__ import annotations

import argparse
import sys

from carob.cli import _options as options

SUMMARY = "write a file in another format; refuse, or leave out and count, what it cannot hold"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("input", metavar="IN", help="a file or folder; - is standard input")
    parser.add_argument("output", metavar="OUT", help="a file or folder; - is standard output")
    parser.add_argument(
        "--from", metavar="NAME", dest="source_format", help="format of IN (detected by default)"
    )
    parser.add_argument("--to", metavar="NAME", help="format of OUT (default: by its extension)")
    parser.add_argument(
        "--lossy", action="store_true", help="leave out and count what OUT cannot hold"
    )
    options.add_tokenizer(parser)
    options.add_conll(parser)
    parser.add_argument(
        "--write", metavar="KEY=VALUE", action="append", default=[],
        help="a parameter of the format of OUT, such as scheme=iobes (repeatable)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Read, fit, write, report."""
    from carob.cli import _given as given
    from carob.corpus.source import Source
    from carob.evaluate.convert import convert
    from carob.evaluate.read import read

    source = Source(arguments.input)
    arguments.gold_format = arguments.source_format
    ours = given.reading(arguments, "gold", [arguments.input], {arguments.input: source})
    given.unused(arguments, ours.values())
    how = ours[arguments.input]
    corpus = read(how.pop("source"), **how)
    done = convert(
        corpus, arguments.output, arguments.to, lossy=arguments.lossy,
        tokenizer=arguments.tokenizer, write_options=given.pairs("--write", arguments.write),
    )  # fmt: skip
    print(done, file=sys.stderr)
    return 0
