"""A process with little memory that runs one piece of work after the other, and measures each.

It starts once for all tests of a file, because to start Python and NumPy takes longer than most of
what is measured.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

import carob

SERVE = """
import gc, json, resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
{work}
for line in sys.stdin:
    gc.collect()  # errors and their tracebacks refer to each other, and to what was read
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak of memory begins again with what is in use
    began = time.process_time()
    found = work(*json.loads(line))
    spent = time.process_time() - began
    with open("/proc/self/status") as file:
        (peak,) = (int(line.split()[1]) for line in file if line.startswith("VmHWM"))
    print(json.dumps([found, spent, peak >> 10]), flush=True)
"""


RUN_CAROB = """
import contextlib, io, os, traceback
from carob.cli import main

def work(folder, *arguments):
    os.chdir(folder)
    out, messages = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(messages):
        try:
            code = main(arguments)
        except BaseException:
            traceback.print_exc()
            code = -1
    return code, out.getvalue(), messages.getvalue()
"""
"""Work that runs a command in a folder: its exit code, output and messages."""


class Limited:
    """A process that runs `work`, a function that the source in `code` defines."""

    def __init__(self, code: str, memory: int) -> None:
        source = str(Path(carob.__file__).parents[1])
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVE.format(work=code, memory=memory)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=os.environ | {"PYTHONPATH": source, "OPENBLAS_NUM_THREADS": "1"},
        )  # fmt: skip

    def __enter__(self) -> Limited:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.communicate(timeout=60)

    def __call__(self, *arguments: str) -> tuple[Any, float, int]:
        """What the work returns, its seconds of the processor, and the peak of memory in MiB."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(arguments) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, "the process has ended"
        found, seconds, peak = json.loads(answer)
        return found, seconds, peak
