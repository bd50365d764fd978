"""Count the instructions of a fixed small run, and fail if carob needs more than before.

    python benchmarks/guard.py             # against benchmarks/baseline.json
    python benchmarks/guard.py --update    # record a new baseline

On a shared machine seconds vary by a half, but instructions under callgrind hardly vary. They
differ a little between versions of Python and NumPy, so the same run includes two yardsticks: work
of the same kind without carob. A stage has grown if it needs more instructions, and also more in
proportion to its yardstick. Exit status 1 if a stage has grown, 2 if valgrind is missing.
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

from _guard_work import parts
from _race import environment
from _report import markdown

HERE = Path(__file__).resolve().parent
BASELINE = HERE / "baseline.json"
LIMIT = 1.25
"""A stage may need this many times the recorded instructions. Noise and versions stay below."""

ONE_THREAD = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "POLARS_MAX_THREADS")


@dataclass(frozen=True, slots=True)
class Stage:
    """A sum of parts of the run, minus others, with the yardstick to compare it with."""

    name: str
    adds: tuple[str, ...]
    yardstick: str
    less: tuple[str, ...] = ()

    def cost(self, counts: Mapping[str, int]) -> int:
        """Its instructions, at least a million: start-up varies by as much."""
        total = sum(counts[part] for part in self.adds) - sum(counts[part] for part in self.less)
        return max(total, 1_000_000)

    def growth(self, counts: Mapping[str, int], recorded: Mapping[str, int]) -> tuple[float, float]:
        """The ratio to the record: in instructions, and in proportion to the yardstick."""
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
    """The count of every part, from the files that callgrind wrote: `out.PID.1`, `out.PID.2` ..."""
    names = list(parts(""))
    dumps = sorted((int(file.suffix[1:]), file) for file in folder.glob("out.*.*"))
    if [number for number, _ in dumps] != list(range(1, len(names) + 1)):
        raise ValueError(f"found {len(dumps)} counts of callgrind, expected {len(names)}")
    return {name: total(file) for name, (_, file) in zip(names, dumps, strict=True)}


def total(file: Path) -> int:
    """The instructions in one of callgrind's files."""
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        key, _, value = line.partition(":")
        if key in ("summary", "totals"):
            return int(value.split()[0])
    raise ValueError(f"{file.name} has no total")


def count_parts(valgrind: str) -> dict[str, int]:
    """Run the work twice: once so that bytecode exists, then under callgrind."""
    with tempfile.TemporaryDirectory(prefix="carob-guard-") as place:
        folder = Path(place)
        kinds = {"small": (600, "conll"), "large": (46_000, "conll"), "jsonl": (8_000, "jsonl")}
        for name, (tokens, format) in kinds.items():
            generate(folder / name, tokens, format)
        work = [sys.executable, str(HERE / "_guard_work.py"), str(folder)]
        callgrind = [
            valgrind, "--quiet", "--tool=callgrind", "--dump-before=getloadavg",
            f"--callgrind-out-file={folder}/out.%p",
        ]  # fmt: skip
        for command in (work, [*callgrind, *work]):
            done = subprocess.run(
                command, env=fixed_environment(), capture_output=True, text=True, check=False,
                preexec_fn=one_core,
            )  # fmt: skip
            if done.returncode:
                raise ValueError(f"the guarded run failed: {done.stderr.strip()[-500:]}")
        return instructions(folder)


def generate(folder: Path, tokens: int, format: str) -> None:
    """Gold and two systems, in many short documents, so that resampling has enough to do."""
    options = [f"--tokens={tokens}", "--systems=2", f"--formats={format}"]
    options.append("--sentences-per-document=6")
    command = [sys.executable, str(HERE / "generate.py"), str(folder), *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment())


def fixed_environment() -> dict[str, str]:
    """An environment in which the same work needs the same instructions.

    Valgrind hides AVX-512 from NumPy; OpenBLAS detects the processor itself and needs the variable.
    """
    fixed = {"PYTHONHASHSEED": "0", "OPENBLAS_CORETYPE": "Haswell", "LC_ALL": "C.UTF-8"}
    return environment() | fixed | dict.fromkeys(ONE_THREAD, "1")


def one_core() -> None:
    """Allow one core only: carob then does everything in one thread, in the same order."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def versions() -> dict[str, str]:
    """What the counts depend on besides carob."""
    from importlib.metadata import version
    from platform import machine, python_version

    return {"python": python_version(), "numpy": version("numpy"), "machine": machine()}


def judge(
    counts: Mapping[str, int], recorded: Mapping[str, int], limit: float
) -> tuple[str, list[str], list[str]]:
    """The table, the stages that have grown beyond the limit, and those that have shrunk."""
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
    """Count, then compare or record."""
    parser = argparse.ArgumentParser(
        description="Fail if carob needs more instructions than recorded."
    )
    parser.add_argument("--update", action="store_true", help="record the counts of this run")
    parser.add_argument(
        "--limit", type=float, default=LIMIT, help=f"largest ratio to the record (default: {LIMIT})"
    )
    options = parser.parse_args(arguments)
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        print("guard: valgrind is not installed (apt-get install valgrind)", file=sys.stderr)
        return 2
    try:
        counts = count_parts(valgrind)
    except ValueError as error:
        print(f"guard: {error}", file=sys.stderr)
        return 1
    if options.update:
        record = {"versions": versions(), "instructions": counts}
        BASELINE.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    recorded = json.loads(BASELINE.read_text(encoding="utf-8"))
    table, grown, shrunk = judge(counts, recorded["instructions"], options.limit)
    print(f"{table}\n\nrecorded: {recorded['versions']}\nnow: {versions()}")
    for sentence in grown:
        print(f"guard: {sentence}, at most {options.limit}", file=sys.stderr)
    if grown or shrunk:
        print(
            "guard: if this is intended, record it: python benchmarks/guard.py --update",
            file=sys.stderr,
        )
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
