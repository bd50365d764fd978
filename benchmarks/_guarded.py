"""The fixed work whose instructions are counted: `python _guarded.py FOLDER`.

Run by guard.py under callgrind, which writes down its count and starts anew whenever getloadavg is
called. Nobody else calls it, so a call is a mark between two parts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

SPACES = ("boundary", "overlap", "iou", "ts", "slots", "fair", "nugget", "semeval")


def carob(*arguments: str) -> None:
    """The command line, in this process and without its output."""
    from contextlib import redirect_stderr, redirect_stdout
    from io import StringIO

    from carob.cli import main

    with redirect_stdout(StringIO()) as said, redirect_stderr(StringIO()) as remarks:
        try:
            code = main(arguments)
        except SystemExit as end:
            code = int(end.code or 0)
    if code or not said.getvalue():
        raise SystemExit(f"carob {' '.join(arguments)} exited with {code}: {remarks.getvalue()}")


def interpreter() -> None:
    """Bytecode, objects and imports without carob or NumPy: the yardstick of start-up."""
    import argparse
    import decimal
    import email.message
    import json
    import tomllib

    parser = argparse.ArgumentParser()
    for number in range(60):
        parser.add_argument(f"--option-{number}", type=int, default=number, help="a number")
    parser.format_help()
    rows = [{"id": number, "name": f"row {number}"} for number in range(3000)]
    rows = json.loads(json.dumps(rows))
    total = decimal.Decimal(0)
    for row in sorted(rows, key=lambda row: str(row["name"])):
        total += len(f"{row['id']:>8,} {row['name']}".split())
    tomllib.loads("\n".join(f'key-{number} = "{number}"' for number in range(300)))
    email.message.Message()["subject"] = str(total)


def numpy() -> None:
    """Loading NumPy, which carob cannot change."""
    import numpy.random  # noqa: F401


def arrays() -> None:
    """What carob does to bytes and columns, without carob: the yardstick of all else."""
    import numpy as np

    rng = np.random.Generator(np.random.PCG64(0))
    text = rng.integers(0, 40, 600_000).astype(np.uint8)
    lines = np.flatnonzero(text == 10)
    codes = text[lines - 1].astype(np.int64) << 20 | np.arange(len(lines))
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(lines, np.sort(rng.integers(0, len(text), 60_000)))
    counts = np.bincount(starts, minlength=len(lines)).cumsum()
    keys, sizes = np.unique(codes[order] >> 20, return_counts=True)
    np.repeat(keys, sizes).sum() + np.maximum.accumulate(counts)[-1]
    weights = rng.poisson(1, (300, 400)).astype(np.float64)
    (weights @ rng.random((400, 60))).sort(axis=0)
    for begin in range(0, 3000):
        part = lines[begin : begin + 8]
        np.concatenate([part, part + 1]).max()


def yardsticks() -> None:
    """Both."""
    interpreter()
    arrays()


def parts(folder: str) -> dict[str, Callable[[], None]]:
    """What is counted, in this order; the first part is what Python does before."""
    names = ("gold", "system-1", "system-2")
    small = [f"{folder}/small/{name}.conll" for name in names]
    large = [f"{folder}/large/{name}.conll" for name in names]
    jsonl = [f"{folder}/jsonl/{name}.jsonl" for name in names]
    exact, spaces = ("-mexact.PRF", "--by-label"), [f"-m{space}.PRF@macro" for space in SPACES]
    plain, drawn, trials = ("--resamples=0",), ("--resamples=2000",), ("--trials=2000",)

    def every_module() -> None:
        carob("score", *small[:2], *exact, *spaces, "--resamples=100")
        carob("compare", *small, *exact, "--resamples=100", "--trials=100")

    def in_pieces() -> None:
        from carob.counts import pieces

        usual = pieces.LARGE, pieces.PIECE
        pieces.LARGE = pieces.PIECE = 2000
        carob("score", *large[:2], *exact, *spaces, *plain)
        pieces.LARGE, pieces.PIECE = usual

    return {
        "python": lambda: None,
        "help": lambda: carob("--help"),
        "numpy": numpy,
        "first score": lambda: carob("score", *small[:2], "-mexact.F1", *plain),
        "every module": every_module,
        "small": lambda: carob("score", *small[:2], *exact, *plain),
        "small spaces": lambda: carob("score", *small[:2], *exact, *spaces, *plain),
        "conll": lambda: carob("score", *large[:2], *exact, *plain),
        "jsonl": lambda: carob("score", *jsonl[:2], *exact, *plain),
        "spaces": lambda: carob("score", *large[:2], *exact, *spaces, *plain),
        "pieces": in_pieces,
        "resamples": lambda: carob("score", *large[:2], *exact, *drawn),
        "compare": lambda: carob("compare", *large, *exact, *drawn, *trials),
        # Once before they count, so that it does not matter what carob has already loaded.
        "yardsticks": yardsticks,
        "interpreter": interpreter,
        "arrays": arrays,
    }


if __name__ == "__main__":
    todo = parts(sys.argv[1])
    for work in todo.values():
        work()
        os.getloadavg()
