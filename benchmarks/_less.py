"""carob with less than this machine has: `python _less.py WAY ARGUMENTS`."""

from __future__ import annotations

import os
import sys

WAYS = ("without AMX", "AVX2 alone", "no compiled helpers")


def main() -> int:
    """Takes something away, then runs the command."""
    way, *arguments = sys.argv[1:]
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does, before NumPy comes
    if way == "no compiled helpers":
        for helper in ("_draw", "_scan", "_weigh"):
            sys.modules[f"carob.arrays.{helper}"] = None  # type: ignore[assignment]
    from carob.cli import main as command

    if way != "no compiled helpers":
        from carob.arrays import scan, weigh

        weigh.LEVEL = 2 if way == "without AMX" else 1
        scan.WIDE = way == "without AMX"
    return command(arguments)


if __name__ == "__main__":
    sys.exit(main())
