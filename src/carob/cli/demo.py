"""carob demo: write and score a built-in example.

An entry point of `carob.demo` is a module that brings a kind of example: SUMMARY, DOCUMENTS (how
many it has by default, in words), `configure(group)` for its options, and
`run(arguments) -> exit code`.
"""

from __future__ import annotations

import argparse

from carob.cli import print_coverage, print_remark, write_output
from carob.entry_points import entry_points

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from collections.abc import Mapping

    from carob.entry_points import EntryPoint

OWN = ("mentions", "seminars", "invoices")

SUMMARY = "write a built-in example into a folder and score it"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument(
        "folder", metavar="DIR", nargs="?", default="carob-demo",
        help="where to write (default: carob-demo)",
    )  # fmt: skip
    brought = {name: entry.load() for name, entry in _brought().items()}
    parser.add_argument(
        "--kind", choices=(*OWN, *brought), default="mentions",
        help="mentions: named entities in 30 short documents (default); "
        "seminars: generated announcements, with slots to fill; "
        "invoices: generated records with numbers, dates and amounts, and their schema"
        + "".join(f"; {name}: {module.SUMMARY}" for name, module in brought.items()),
    )  # fmt: skip
    numbers = ", or ".join(["300", *(module.DOCUMENTS for module in brought.values())])
    parser.add_argument(
        "--documents", metavar="N", type=int,
        help=f"number of announcements or invoices (default: {numbers})",
    )  # fmt: skip
    parser.add_argument(
        "--seed", metavar="N", type=int, help="seed for announcements and invoices (default: 0)"
    )
    for name, module in brought.items():
        module.configure(parser.add_argument_group(f"with --kind {name}"))


def _brought() -> Mapping[str, EntryPoint]:
    """The kinds of other packages."""
    return entry_points("carob.demo", {name: f"the example {name} of carob" for name in OWN})


def run(arguments: argparse.Namespace) -> int:
    """Write gold and three systems, and score them."""
    from pathlib import Path

    if arguments.kind not in OWN:
        code: int = _brought()[arguments.kind].load().run(arguments)
        return code
    from carob.evaluate.demo import write
    from carob.evaluate.score import score

    folder = Path(arguments.folder)
    files = write(folder, arguments.kind, documents=arguments.documents, seed=arguments.seed)
    beside = ("gold", "README", "schema", "task")
    systems = [str(file) for file in files if file.stem not in beside]
    gold = str(folder / f"gold{Path(systems[0]).suffix}")
    print_remark(f"wrote {len(files)} files to {folder}; now running\n")
    task = [str(file) for file in files if file.name == "task.toml"]
    command = [*(f"--task {each}" for each in task), gold, *systems]
    print_remark(f"  carob score {' '.join(command)}\n")
    scores = score(gold, systems, task=task[0]) if task else score(gold, systems)
    print_coverage(scores.systems)
    write_output(str(scores), None)
    return 0
