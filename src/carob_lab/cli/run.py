"""carob run: an experiment with learners, splits and statistics."""

from __future__ import annotations

import argparse

from carob.cli import _arguments, print_remark, write_output

SUMMARY = "run an experiment file: train and test learners on the splits of a corpus"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument(
        "input", metavar="FILE",
        help="an experiment file; with --init a corpus, with --status the folder of a run",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", metavar="DIR",
        help="the folder of the run: what is done there is not done again; with --init the file "
        "to write",
    )  # fmt: skip
    parser.add_argument(
        "--jobs", metavar="N", type=int, default=1, help="cells that run at a time (default: 1)"
    )
    parser.add_argument(
        "--init", action="store_true", help="draft an experiment file for the corpus FILE"
    )
    parser.add_argument("--status", action="store_true", help="say how far the run in FILE is")
    parser.add_argument("--by-label", action="store_true", help="show a row for each slot as well")
    _arguments.add_reading(parser, ["gold"], tag_scheme=False)


def run(arguments: argparse.Namespace) -> int:
    """Run, draft, or say how far a run is."""
    from carob.corpus.problems import UsageError

    if arguments.init and arguments.status:
        raise UsageError("--init and --status are two questions; ask one")
    if arguments.init:
        return _draft(arguments)
    if arguments.status:
        return _print_status(arguments.input)
    if arguments.output is None:
        raise UsageError("give the folder of the run: -o DIR")
    if not 1 <= arguments.jobs <= 1000:
        raise UsageError(f"--jobs is from 1 to 1,000, not {arguments.jobs}")
    from carob_lab.run.results import missing_for_page, run_experiment

    try:
        result = run_experiment(arguments.input, arguments.output, jobs=arguments.jobs)
    except KeyboardInterrupt:
        print_remark("stopped; the same command goes on where it was")
        raise
    write_output(result.to("terminal", by_label=arguments.by_label), None)
    missing = missing_for_page()
    page = ", report.html" if missing is None else f"; no report.html: {missing}"
    print_remark(f"wrote {arguments.output}: results.json, results.csv, manifest.json{page}")
    return 1 if result.failures else 0


def _draft(arguments: argparse.Namespace) -> int:
    from carob_lab.run.draft import draft

    options = _arguments.parse_reading(arguments, "gold")
    text = draft(arguments.input, arguments.output, options)
    write_output(text, arguments.output)
    if arguments.output not in (None, "-"):
        print_remark(f"wrote {arguments.output}; then: carob run {arguments.output} -o DIR")
    return 0


def _print_status(folder: str) -> int:
    from carob.corpus.problems import plain
    from carob_lab.run.verify import status

    state = status(folder)
    width = max(map(len, state["learners"]))
    lines = [
        f"{name:<{width}}  {own['done']:>4} done  {own['failed']:>4} failed  "
        f"{own['waiting']:>4} waiting"
        for name, own in state["learners"].items()
    ]
    lines += [f"failed: {plain(each['cell'])}: {plain(each['reason'])}"
              for each in state["failures"]]  # fmt: skip
    write_output("\n".join(lines) + "\n", None)
    return 0
