"""carob split: divide a corpus into training and test documents."""

from __future__ import annotations

import argparse

from carob.cli import _arguments, print_remark, write_output

SUMMARY = "divide a corpus into training and test documents, or check a plan that does"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("input", metavar="CORPUS", help="a file or folder; - is standard input")
    parser.add_argument(
        "-o", "--output", metavar="FILE",
        help="where to write the plan; - is stdout (default: only describe it)",
    )  # fmt: skip
    parser.add_argument(
        "--check", metavar="PLAN", help="check that PLAN is a plan of CORPUS; nothing is written"
    )
    parser.add_argument(
        "--scheme", metavar="SCHEME", dest="splits", default="repeated(train=0.5,n=10)",
        help="holdout(train=0.5), repeated(train=0.5,n=10) (default), kfold(k=10), pascal(k=4), "
        "temporal(key=ATTRIBUTE,train=0.5), or parts, those of --task",
    )  # fmt: skip
    parser.add_argument(
        "--seed", metavar="N", type=int, default=0, help="seed for all random draws (default: 0)"
    )
    parser.add_argument(
        "--group", metavar="RULE", default="none",
        help="what is never on both sides: an attribute of documents, or near-duplicates(t=0.5)",
    )  # fmt: skip
    parser.add_argument(
        "--stratify", metavar="NAME", default="none",
        help="divide the documents of each value of this attribute by themselves",
    )  # fmt: skip
    _arguments.add_task(parser)
    _arguments.add_reading(parser, ["gold"], tag_scheme=False)


def run(arguments: argparse.Namespace) -> int:
    """Divide and describe, or check."""
    from carob.corpus.problems import many
    from carob.evaluate.read import read
    from carob_lab.plan.plan import Plan, check_plan, make_plan

    plan = Plan.read(arguments.check) if arguments.check is not None else None
    corpus = read(arguments.input, **_arguments.parse_reading(arguments, "gold"))
    if plan is not None:
        check_plan(plan, corpus)
        splits = many(len(plan.splits), "split")
        write_output(f"{plan.path} is a plan of this corpus, {splits}\n{plan.summary()}", None)
        return 0
    plan = make_plan(
        corpus, arguments.splits, arguments.seed, arguments.group, arguments.stratify,
        task=arguments.task,
    )  # fmt: skip
    if arguments.output == "-":
        print_remark(plan.summary().rstrip("\n"))
        write_output(plan.to_json(), None)
        return 0
    if arguments.output is not None:
        plan.write(arguments.output)
    write_output(plan.summary(), None)
    return 0
