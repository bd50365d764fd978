"""carob task: draft a task definition."""

from __future__ import annotations

import argparse
import sys

from carob.cli import _options as options

SUMMARY = "draft a task definition from gold: corpus, slots, recipes, parts"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("action", metavar="init", choices=("init",), help="what to do: init")
    parser.add_argument("gold", metavar="GOLD", help="the gold file; - is standard input")
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="task.toml",
        help="where to write (default: task.toml; - is stdout); no file is overwritten",
    )  # fmt: skip
    options.add_preset(
        parser, "what the official recipes count",
        "mentions, nugget (default for tbf), or templates (default where gold has templates; "
        "choose it if systems answer with fillers)",
    )  # fmt: skip
    group = parser.add_argument_group("reading")
    group.add_argument("--gold-format", metavar="NAME", help="format of gold (detected by default)")
    options.add_conll(group)


def run(arguments: argparse.Namespace) -> int:
    """Read gold and write a draft."""
    from carob.cli import _given as given
    from carob.evaluate.draft import drafted, free
    from carob.evaluate.read import read

    free(arguments.output)
    how = given.reading(arguments, "gold", [arguments.gold])
    given.unused(arguments, list(how.values()))
    options = how[arguments.gold]
    text = drafted(read(options.pop("source"), **options), arguments.preset)
    given.deliver(text, arguments.output)
    if arguments.output != "-":
        print(f"wrote {arguments.output}; check it, then: "
              f"carob score --task {arguments.output} {arguments.gold} SYSTEM...",
              file=sys.stderr)  # fmt: skip
    return 0
