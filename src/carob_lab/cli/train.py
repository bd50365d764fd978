"""carob train: from a corpus to a model."""

from __future__ import annotations

import argparse

from carob.cli import _arguments, print_remark, print_warnings

SUMMARY = "train a learner on a corpus, and write its model to a folder"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument(
        "learner",
        metavar="LEARNER",
        help="a learner, such as crf or crf(c1=0.1); see carob learners",
    )
    parser.add_argument(
        "input", metavar="CORPUS", help="a file or folder whose mentions fill slots; - is stdin"
    )
    parser.add_argument(
        "-o", "--output", metavar="MODEL", required=True, help="the folder for the model"
    )
    parser.add_argument(
        "-p", "--parameter", metavar="KEY=VALUE", action="append", default=[],
        help="a parameter of the learner (repeatable)",
    )  # fmt: skip
    parser.add_argument("--slots", metavar="A,B", help="the slots to learn (default: all labels)")
    parser.add_argument(
        "--seed", metavar="N", type=int, default=0, help="seed for all random draws (default: 0)"
    )
    parser.add_argument(
        "--unlabelled", metavar="FILE", help="more documents, for learners that can use them"
    )
    parser.add_argument(
        "--from", metavar="NAME", dest="gold_format", help="format of CORPUS (detected by default)"
    )
    _arguments.add_tokenizer(parser)
    _arguments.add_conll(parser)


def run(arguments: argparse.Namespace) -> int:
    """Train, save, and say what was learned."""
    from carob_lab.learn.train import train

    slots = None if arguments.slots is None else [s.strip() for s in arguments.slots.split(",")]
    model = train(
        arguments.learner, arguments.input, slots, seed=arguments.seed,
        tokenizer=arguments.tokenizer, unlabelled=arguments.unlabelled,
        parameters=_arguments.parse_pairs("-p ", arguments.parameter),
        options=_arguments.parse_reading(arguments, "gold"),
    )  # fmt: skip
    model.save(arguments.output)
    print_remark(model)
    print_warnings(model.remarks)
    return 0
