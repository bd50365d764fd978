"""carob predict: the answers of a model."""

from __future__ import annotations

import argparse

from carob.cli import _arguments, print_remark

SUMMARY = "let a model of carob train answer, and write the answers in any format"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("model", metavar="MODEL", help="the folder that carob train wrote")
    parser.add_argument(
        "input", metavar="INPUT",
        help="the documents; what is marked in them is not looked at; - is standard input",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", metavar="OUT", default="-", help="a file or folder (default: stdout)"
    )
    parser.add_argument(
        "--to", metavar="NAME", help="format of OUT (default: by its extension, otherwise jsonl)"
    )
    parser.add_argument(
        "--lossy", action="store_true", help="leave out and count what OUT cannot hold"
    )
    parser.add_argument(
        "--programs", action="store_true",
        help="load a model of the learner command, which runs a program",
    )  # fmt: skip
    parser.add_argument(
        "--from", metavar="NAME", dest="gold_format", help="format of INPUT (detected by default)"
    )
    _arguments.add_conll(parser)


def run(arguments: argparse.Namespace) -> int:
    """Load, answer, write."""
    from carob_lab.learn.train import predict

    done = predict(
        arguments.model, arguments.input, arguments.output, arguments.to, lossy=arguments.lossy,
        programs=arguments.programs, options=_arguments.parse_reading(arguments, "gold"),
    )  # fmt: skip
    print_remark(done)
    return 0
