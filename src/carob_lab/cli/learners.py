"""carob learners: list the learners, or explain one."""

from __future__ import annotations

import argparse

SUMMARY = "list or explain the learners that carob train knows"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="explain this one")


def run(arguments: argparse.Namespace) -> int:
    """List all, or explain one."""
    from carob_lab.learn.train import explained

    if arguments.name is not None:
        print(explained(arguments.name))
        return 0
    from carob.registry import load, names

    print("A learner is written with its parameters: rote(precision=0.7).\n")
    for name in names("learn"):
        line = " ".join((load("learn", name).__doc__ or "").split())
        print(f"  {name:<14} {line.split('. ')[0].rstrip('.')}.")
    print("\ncarob learners NAME explains one.")
    return 0
