"""The fixed work whose instructions the guard counts: `python _guard_work.py FOLDER`.

guard.py runs this under callgrind, which writes its count to a file and starts again at each call
of getloadavg. Nothing else calls that function, so a call marks the end of a part.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

SPACES = ("boundary", "overlap", "iou", "ts", "slots", "fair", "nugget", "semeval")


def carob(*arguments: str) -> None:
    """Run the command line in this process, without its output."""
    from contextlib import redirect_stderr, redirect_stdout
    from io import StringIO

    from carob.cli import main

    with redirect_stdout(StringIO()) as output, redirect_stderr(StringIO()) as remarks:
        try:
            code = main(arguments)
        except SystemExit as end:
            code = int(end.code or 0)
    if code or not output.getvalue():
        raise SystemExit(f"carob {' '.join(arguments)} exited with {code}: {remarks.getvalue()}")


def interpreter() -> None:
    """Bytecode, objects and imports, without carob and NumPy: the yardstick of start-up."""
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
    """Work on bytes and columns like that of carob, without carob: the yardstick of the rest."""
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
    """The parts that are counted, in this order; the first is the start of Python."""
    names = ("gold", "system-1", "system-2")
    small = [f"{folder}/small/{name}.conll" for name in names]
    large = [f"{folder}/large/{name}.conll" for name in names]
    jsonl = [f"{folder}/jsonl/{name}.jsonl" for name in names]
    exact, spaces = ("-mexact.PRF", "--by-label"), [f"-m{space}.PRF@macro" for space in SPACES]
    plain, resampled, trials = ("--resamples=0",), ("--resamples=2000",), ("--trials=2000",)

    def every_module() -> None:
        carob("score", *small[:2], *exact, *spaces, "--resamples=100")
        carob("compare", *small, *exact, "--resamples=100", "--trials=100")

    def in_pieces() -> None:
        from carob.pair import pair as pieces

        usual = pieces.PIECE
        pieces.PIECE = 2000
        carob("score", *large[:2], *exact, *spaces, *plain)
        pieces.PIECE = usual

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
        "resamples": lambda: carob("score", *large[:2], *exact, *resampled),
        "compare": lambda: carob("compare", *large, *exact, *resampled, *trials),
        # Once before they are counted, so that it does not matter which modules carob has loaded.
        "yardsticks": yardsticks,
        "interpreter": interpreter,
        "arrays": arrays,
    }


if __name__ == "__main__":
    for work in parts(sys.argv[1]).values():
        work()
        os.getloadavg()
