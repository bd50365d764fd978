"""Counts carob's work on a fixed small run, in instructions, and fails if it has grown.

    python benchmarks/guard.py             # against benchmarks/baseline.json
    python benchmarks/guard.py --update    # record a new baseline

Seconds on a shared machine vary by half; instructions under callgrind hardly at all. Other versions
of Python and NumPy change them a little, so there are two yardsticks in the same run, work of the
same kind without carob: a stage has grown if it has both in instructions and in instructions for
each of its yardstick's. Exits 1 if a stage has grown, 2 if valgrind is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from _guarded import parts
from _measure import environment
from _race import markdown

HERE = Path(__file__).resolve().parent
BASELINE = HERE / "baseline.json"
LIMIT = 1.25
"""A stage may cost this much more than recorded: a regression by half again is well above."""

ONE_THREAD = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "POLARS_MAX_THREADS")


@dataclass(frozen=True, slots=True)
class Stage:
    """Some parts of the run, less others, measured in instructions of a yardstick."""

    name: str
    adds: tuple[str, ...]
    yardstick: str
    less: tuple[str, ...] = ()

    def cost(self, counts: Mapping[str, int]) -> int:
        """Its instructions; less than a million, what start-up varies by, counts as that."""
        spent = sum(counts[part] for part in self.adds) - sum(counts[part] for part in self.less)
        return max(spent, 1_000_000)

    def growth(self, counts: Mapping[str, int], recorded: Mapping[str, int]) -> tuple[float, float]:
        """How many times what is recorded: in instructions, and by the yardstick."""
        times = self.cost(counts) / self.cost(recorded)
        return times, times * recorded[self.yardstick] / counts[self.yardstick]


STAGES = (
    Stage("start-up, `carob --help`", ("help",), "interpreter"),
    Stage("loading for a first score", ("first score",), "interpreter"),
    Stage("loading everything else", ("every module",), "interpreter"),
    Stage("a small file, nine spaces", ("small spaces",), "interpreter"),
    Stage("reading conll, exact", ("conll",), "arrays", ("small",)),
    Stage("reading jsonl, exact", ("jsonl",), "interpreter"),
    Stage("counting eight more spaces", ("spaces", "small"), "arrays", ("conll", "small spaces")),
    Stage("counting in pieces", ("pieces",), "arrays", ("conll",)),
    Stage("resampling", ("resamples",), "arrays", ("conll",)),
    Stage("comparing two systems", ("compare",), "arrays", ("conll",)),
)


def instructions(folder: Path) -> dict[str, int]:
    """The count of every part, from the files that callgrind left: `out.PID.1`, `out.PID.2` ..."""
    names = list(parts(""))
    found = sorted((int(file.suffix[1:]), file) for file in folder.glob("out.*.*"))
    if [number for number, _ in found] != list(range(1, len(names) + 1)):
        raise ValueError(f"found {len(found)} counts of callgrind, expected {len(names)}")
    return {name: total(file) for name, (_, file) in zip(names, found, strict=True)}


def total(file: Path) -> int:
    """The instructions in one of callgrind's files."""
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        key, _, value = line.partition(":")
        if key in ("summary", "totals"):
            return int(value.split()[0])
    raise ValueError(f"{file.name} has no total")


def counted(valgrind: str) -> dict[str, int]:
    """Runs the work twice: once so that bytecode and files are there, once under callgrind."""
    with tempfile.TemporaryDirectory(prefix="carob-guard-") as place:
        folder = Path(place)
        kinds = {"small": (600, "conll"), "large": (46_000, "conll"), "jsonl": (8_000, "jsonl")}
        for name, (tokens, format) in kinds.items():
            generate(folder / name, tokens, format)
        work = [sys.executable, str(HERE / "_guarded.py"), str(folder)]
        callgrind = [
            valgrind, "--quiet", "--tool=callgrind", "--dump-before=getloadavg",
            f"--callgrind-out-file={folder}/out.%p",
        ]  # fmt: skip
        for command in (work, [*callgrind, *work]):
            ran = subprocess.run(
                command, env=steady(), capture_output=True, text=True, check=False,
                preexec_fn=one_core,
            )  # fmt: skip
            if ran.returncode:
                raise ValueError(f"the guarded run failed: {ran.stderr.strip()[-500:]}")
        return instructions(folder)


def generate(folder: Path, tokens: int, format: str) -> None:
    """Gold and two systems; documents so short that there are enough for every way of drawing."""
    options = [f"--tokens={tokens}", "--systems=2", f"--formats={format}"]
    options.append("--sentences-per-document=6")
    command = [sys.executable, str(HERE / "generate.py"), str(folder), *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment())


def steady() -> dict[str, str]:
    """An environment in which the same work is the same instructions.

    Valgrind shows NumPy a processor without AVX-512, whatever the machine has; OpenBLAS is told.
    """
    fixed = {"PYTHONHASHSEED": "0", "OPENBLAS_CORETYPE": "Haswell", "LC_ALL": "C.UTF-8"}
    return environment() | fixed | dict.fromkeys(ONE_THREAD, "1")


def one_core() -> None:
    """With one core carob does everything in one thread, in the same order each time."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def versions() -> dict[str, str]:
    """What the counts depend on, beside carob."""
    from importlib.metadata import version
    from platform import machine, python_version

    return {"python": python_version(), "numpy": version("numpy"), "machine": machine()}


def judged(
    counts: Mapping[str, int], recorded: Mapping[str, int], limit: float
) -> tuple[str, list[str], list[str]]:
    """The table, the stages that grew beyond the limit, and those that shrank as much."""
    rows, grown, shrunk = [], [], []
    for stage in STAGES:
        growth = stage.growth(counts, recorded)
        verdict = "as before"
        if min(growth) > limit:
            verdict = "GROWN"
            grown.append(f"{stage.name}: {min(growth):.2f} times the recorded work")
        elif max(growth) < 1 / limit:
            verdict = "shrunk"
            shrunk.append(stage.name)
        costs = (f"{stage.cost(each) / 1e6:,.1f}" for each in (recorded, counts))
        rows.append([stage.name, verdict, *costs, *(f"{times:.2f}" for times in growth)])
    head = ("stage", "", "recorded, million", "now, million", "ratio", "by yardstick")
    return markdown(head, rows, text_columns=2), grown, shrunk


def main(arguments: Sequence[str] | None = None) -> int:
    """Counts, then compares or records."""
    parser = argparse.ArgumentParser(description="Fails if carob's work has grown.")
    parser.add_argument("--update", action="store_true", help="record what is counted now")
    parser.add_argument("--limit", type=float, default=LIMIT, help=f"default: {LIMIT}")
    given = parser.parse_args(arguments)
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        print("guard: valgrind is not installed (apt-get install valgrind)", file=sys.stderr)
        return 2
    try:
        counts = counted(valgrind)
    except ValueError as error:
        print(f"guard: {error}", file=sys.stderr)
        return 1
    if given.update:
        record = {"versions": versions(), "instructions": counts}
        BASELINE.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    recorded = json.loads(BASELINE.read_text(encoding="utf-8"))
    table, grown, shrunk = judged(counts, recorded["instructions"], given.limit)
    print(f"{table}\n\nrecorded: {recorded['versions']}\nnow: {versions()}")
    for sentence in grown:
        print(f"guard: {sentence}, at most {given.limit}", file=sys.stderr)
    if grown or shrunk:
        print(
            "guard: if this is meant to stay, record it: python benchmarks/guard.py --update",
            file=sys.stderr,
        )
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
