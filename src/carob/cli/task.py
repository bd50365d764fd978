"""carob task: draft a task definition."""

from __future__ import annotations

import argparse

from carob.cli import _arguments, print_remark, write_output

SUMMARY = "draft a task definition from gold: corpus, slots, recipes, parts"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("action", metavar="init", choices=("init",), help="what to do: init")
    parser.add_argument("gold", metavar="GOLD", help="the gold file; - is standard input")
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="task.toml",
        help="where to write (default: task.toml; - is stdout); no file is overwritten",
    )  # fmt: skip
    _arguments.add_preset(
        parser, "what the official recipes count; templates also if systems answer with fillers"
    )
    parser.add_argument(
        "--schema", metavar="FILE",
        help="a JSON Schema of the records, such as Pydantic's model_json_schema() gives: "
        "types of slots are taken from it",
    )  # fmt: skip
    parser.add_argument(
        "--versions", metavar="OLD", nargs="+", default=[],
        help="earlier versions of GOLD, the oldest first: the draft states their history",
    )  # fmt: skip
    _arguments.add_reading(parser, ["gold"])


def run(arguments: argparse.Namespace) -> int:
    """Draft, and say what to do next."""
    from carob.evaluate.draft import check_free, draft_with_remarks

    check_free(arguments.output)
    reading = _arguments.parse_reading(arguments, "gold")
    schema = None
    if arguments.schema is not None:
        from carob.evaluate.json_schema import read_schema

        schema = read_schema(arguments.schema)
    task = draft_with_remarks(
        arguments.gold, arguments.preset, arguments.versions, schema, **reading
    )
    write_output(task.text, arguments.output)
    for remark in task.remarks:
        print_remark(f"warning: {remark}")
    if arguments.output != "-":
        print_remark(
            f"wrote {arguments.output}; check it, then: "
            f"carob score --task {arguments.output} {arguments.gold} SYSTEM..."
        )
    return 0
