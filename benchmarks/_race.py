"""Run commands in fresh processes, in turn, and measure their time and memory.

The commands take turns, so that a slow minute of the machine affects all of them.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MAXRSS_PER_MIB = 1 << 20 if sys.platform == "darwin" else 1 << 10


@dataclass(frozen=True, slots=True)
class Run:
    """One finished process: seconds, peak memory in MiB, exit code and output."""

    wall: float
    cpu: float
    peak: float
    code: int
    stdout: str
    stderr: str


def environment() -> dict[str, str]:
    """The environment without Python's own variables.

    Most users have none of them: bytecode is kept, and nothing is imported from other folders.
    """
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def measure(command: Sequence[str]) -> Run:
    """Run a command to its end. CPU is user and system time of the process and its children."""
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, env=environment()
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        stdout.seek(0)
        stderr.seek(0)
        return Run(
            wall=wall,
            cpu=usage.ru_utime + usage.ru_stime,
            peak=usage.ru_maxrss / MAXRSS_PER_MIB,
            code=process.returncode,
            stdout=stdout.read().decode(errors="replace"),
            stderr=stderr.read().decode(errors="replace"),
        )


def peak_floor() -> float:
    """Peak memory of this process in MiB: Linux reports no smaller peak for its children.

    A child starts as a copy of its parent, and Linux counts the peak that it had before it became
    another program. So the process that measures must stay small and does not import NumPy.
    """
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MAXRSS_PER_MIB


@dataclass(slots=True)
class Contender:
    """A command to measure, the package it needs, and its runs so far.

    `claims` maps recipes of carob to tolerances: the command prints a score for each of them, which
    must equal carob's. `scores` reads these scores from the output.
    """

    name: str
    command: list[str]
    needs: str | None = None
    claims: dict[str, float] = field(default_factory=dict)
    scores: Callable[[str], dict[str, Any]] = json.loads
    runs: list[Run] = field(default_factory=list)
    why_not_run: str = ""

    @property
    def failed(self) -> bool:
        return any(run.code != 0 for run in self.runs)

    @property
    def done(self) -> bool:
        """Whether there is something to report."""
        return bool(self.runs) and not self.failed

    @property
    def wall(self) -> float:
        return min(run.wall for run in self.runs)

    @property
    def cpu(self) -> float:
        return min(run.cpu for run in self.runs)

    @property
    def peak(self) -> float:
        return max(run.peak for run in self.runs)

    def total_cpu(self) -> float:
        """CPU seconds of all runs: wall time would include what else the machine does."""
        return sum(run.cpu for run in self.runs)


def race(contenders: Sequence[Contender], repeats: int, budget: float) -> None:
    """Run each contender once a round, until it fails or has used its budget of CPU seconds."""
    for contender in contenders:
        if contender.needs is not None and find_spec(contender.needs) is None:
            contender.why_not_run = f"skipped: {contender.needs} is not installed"
    for number in range(repeats):
        for contender in contenders:
            if contender.why_not_run or contender.failed or contender.total_cpu() > budget:
                continue
            print(f"  round {number + 1}: {contender.name}", file=sys.stderr, flush=True)
            contender.runs.append(measure(contender.command))


def skip_slow(
    contenders: Sequence[Contender], smaller: Sequence[Contender], times: float, budget: float
) -> None:
    """Exclude contenders that would exceed the budget, judging by their time on a smaller file."""
    by_name = {contender.name: contender for contender in smaller}
    for contender in contenders:
        before = by_name.get(contender.name)
        if before is None:
            continue
        if before.why_not_run:
            contender.why_not_run = before.why_not_run
        elif before.done and before.cpu * times > budget:
            contender.why_not_run = f"not run: about {before.cpu * times:,.0f} s"


def last_line(run: Run) -> str:
    """The last line that a failed process wrote to stderr, without the paths of this machine."""
    text = run.stderr.replace(sys.executable, "python").replace(f"{ROOT}{os.sep}", "")
    lines = text.strip().splitlines()
    return lines[-1] if lines else f"exit {run.code}, nothing on stderr"


def failures(contenders: Sequence[Contender]) -> list[str]:
    """A sentence for each contender that failed."""
    return [f"{c.name}: {last_line(c.runs[-1])}" for c in contenders if c.failed]


def disagreements(scores: dict[str, float], contenders: Sequence[Contender]) -> list[str]:
    """A sentence for each score that differs from carob's by more than its tolerance."""
    sentences = []
    for contender in contenders:
        for recipe, tolerance in contender.claims.items() if contender.done else ():
            for value in sorted({contender.scores(run.stdout)[recipe] for run in contender.runs}):
                if not abs(value - scores[recipe]) <= tolerance:
                    sentences.append(
                        f"{contender.name} has {recipe} {value!r}, carob {scores[recipe]!r}"
                    )
    return sentences
