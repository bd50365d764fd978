"""Run a program that may hang, crash, or write without end: each is one clear error."""

from __future__ import annotations

import errno
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from carob.corpus.problems import DataError, many, plain

GUARD = Path(__file__).with_name("_guard.py")
"""What the program is run by."""

TAIL = 4096
"""How many bytes of what a program prints are kept, from its end."""

LINES = 10
"""How many of its last lines a message quotes."""

LONGEST_WAIT = 0.1
"""Seconds between two looks at what a program has written."""


def run_program(
    argv: Sequence[str], what: str, *, time_limit: float, output_limit: int, folder: Path
) -> None:
    """Run a program to its end. It is not run by a shell.

    It is ended if it takes more than `time_limit` seconds, or if what it prints, or the files in
    `folder`, come to more than `output_limit` bytes. Programs that it has started are ended too,
    and all are ended if this process is killed.

    >>> import sys, tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     limits = {"time_limit": 60, "output_limit": 1000, "folder": Path(name)}
    ...     run_program([sys.executable, "-c", "raise SystemExit(3)"], "train", **limits)
    Traceback (most recent call last):
    carob.corpus.problems.DataError: train failed with exit code 3: ... -c 'raise SystemExit(3)'
    """
    # Where processes have no groups, a program may outlive a carob that is killed.
    guard = [sys.executable, "-I", "-S", str(GUARD)] if hasattr(os, "killpg") else []
    try:
        if shutil.which(argv[0]) is None:
            raise FileNotFoundError(errno.ENOENT, "no such program")
        process = subprocess.Popen(
            [*guard, *argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{what}: cannot run {plain(argv[0])}: {reason}") from None
    printed = _Printed(process)
    try:
        trouble = _watch(process, printed, time_limit, output_limit, folder)
    finally:
        _end(process)
    if trouble:
        raise DataError(f"{what} {trouble}: {_command_line(argv)}{printed.quoted()}")


def _watch(
    process: subprocess.Popen[bytes], printed: _Printed, time_limit: float, output_limit: int,
    folder: Path,
) -> str:  # fmt: skip
    """Wait for a program; what went wrong, or nothing."""
    begin, wait = time.monotonic(), 0.005
    while True:
        try:
            code = process.wait(wait)
        except subprocess.TimeoutExpired:
            code = None
        if code is not None:
            printed.finish()
        if printed.size > output_limit:
            return f"printed more than {output_limit:,} bytes (output_limit) and was ended"
        if size_of(folder, output_limit) > output_limit:
            ended = "" if code is not None else " and was ended"
            return f"wrote more than {output_limit:,} bytes (output_limit){ended}"
        if code is not None:
            return _reason(code)
        if time.monotonic() - begin > time_limit:
            return f"took more than {many_seconds(time_limit)} (time_limit) and was ended"
        wait = min(2 * wait, LONGEST_WAIT)


def _reason(code: int) -> str:
    if code >= 0:
        return f"failed with exit code {code}" if code else ""
    try:
        return f"was ended by the signal {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by the signal {-code}"


def many_seconds(seconds: float) -> str:
    """A number of seconds.

    >>> many_seconds(1), many_seconds(0.5)
    ('1 second', '0.5 seconds')
    """
    whole = float(seconds).is_integer()
    return many(int(seconds), "second") if whole else f"{seconds:g} seconds"


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program and those of its group that still run."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (OSError, AttributeError):  # none is left; or the system has no groups
        process.kill()
    process.wait()
    if process.stdin is not None:
        process.stdin.close()


def size_of(folder: Path, enough: int) -> int:
    """The bytes of the files in a folder; the count ends when it is more than `enough`."""
    total = 0
    for here, _, files in os.walk(folder):
        for name in files:
            try:
                total += (Path(here) / name).lstat().st_size
            except OSError:
                continue  # gone in the meantime
        if total > enough:
            break
    return total


def _command_line(argv: Sequence[str]) -> str:
    text = plain(shlex.join(argv))
    return text if len(text) <= 500 else f"{text[:500]}…"


class _Printed:
    """What a program prints: how much it is, and its end."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.size, self._tail, self._process = 0, b"", process
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            while part := os.read(pipe.fileno(), 1 << 16):
                self.size += len(part)
                self._tail = (self._tail + part)[-TAIL:]

    def finish(self) -> None:
        """Wait for the rest. A program that was started in the background may hold the pipe open;
        it is not waited for.
        """
        self._reader.join(0.5)

    def quoted(self) -> str:
        """The last lines, for a message."""
        self.finish()
        lines = self._tail.decode("utf-8", "backslashreplace").splitlines()
        last = [plain(line.rstrip())[:200] for line in lines if line.strip()][-LINES:]
        return "".join(f"\n  {line}" for line in last)
