"""Runs a command in a fresh process and says what it cost."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Run:
    """One finished process: seconds, peak memory in MiB, and what it said."""

    wall: float
    cpu: float
    peak: float
    code: int
    stdout: str
    stderr: str


def environment() -> dict[str, str]:
    """The environment without Python's own variables.

    As most users have it: bytecode is kept, output is buffered, nothing comes from other folders.
    """
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def measure(command: Sequence[str]) -> Run:
    """Runs a command to its end; CPU is user and system time of the process and its children."""
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        begun = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, env=environment()
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        stdout.seek(0)
        stderr.seek(0)
        return Run(
            wall=wall,
            cpu=usage.ru_utime + usage.ru_stime,
            peak=usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10),
            code=process.returncode,
            stdout=stdout.read().decode(errors="replace"),
            stderr=stderr.read().decode(errors="replace"),
        )


def peak_floor() -> float:
    """Peak memory of this process in MiB: Linux reports no smaller one for its children.

    A child starts as a copy of its parent, and the peak it had before it became another program
    still counts. So whoever measures should stay small: no NumPy here.
    """
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1 << 20 if sys.platform == "darwin" else 1 << 10
    )
