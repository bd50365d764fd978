"""carob demo: write and score a built-in example."""

from __future__ import annotations

import argparse

from carob.cli import _serving, print_coverage, print_remark, write_output

SUMMARY = "write a built-in example into a folder and score it"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument(
        "folder", metavar="DIR", nargs="?", default="carob-demo",
        help="where to write (default: carob-demo)",
    )  # fmt: skip
    parser.add_argument(
        "--kind", choices=("mentions", "seminars", "invoices", "challenge"), default="mentions",
        help="mentions: named entities in 30 short documents (default); "
        "seminars: generated announcements, with slots to fill; "
        "invoices: generated records with numbers, dates and amounts, and their schema; "
        "challenge: a shared task with three teams and twelve submissions, served at once",
    )  # fmt: skip
    parser.add_argument(
        "--documents",
        metavar="N",
        type=int,
        help="number of announcements or invoices (default: 300, or 120 for a challenge)",
    )
    parser.add_argument(
        "--seed", metavar="N", type=int, help="seed for announcements and invoices (default: 0)"
    )
    group = parser.add_argument_group("with --kind challenge")
    _serving.add_address(group)
    group.add_argument(
        "--no-serve", action="store_false", dest="serve", help="write the folder, start no server"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write gold and three systems, and score them."""
    from pathlib import Path

    if arguments.kind == "challenge":
        return _challenge(arguments)
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


def _challenge(arguments: argparse.Namespace) -> int:
    """Write a challenge, and serve it."""
    _serving.check_libraries()
    from carob_challenge import demo

    print_remark("writing a corpus, and scoring twelve submissions ...")
    made = demo.write(
        arguments.folder,
        count=demo.DOCUMENTS if arguments.documents is None else arguments.documents,
        seed=arguments.seed or 0,
    )
    for team, token in made.tokens.items():
        print(f"{team}'s token  {token}")
    print(f"something to submit  {made.example}", flush=True)
    if not arguments.serve:
        print_remark(f"now: carob serve {made.folder}")
        return 0
    from carob_challenge.web.serve import serve

    serve(made.folder, host=arguments.host, port=arguments.port, ready=_serving.print_addresses)
    return 0
