"""A bar on the terminal for work that takes longer than a second; elsewhere, lines."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from types import TracebackType

from carob import progress
from carob.progress import Task

DELAY = 1.0
"""A command that is shorter than this many seconds has no bar."""
INTERVAL = 0.1
LINE_INTERVAL = 10.0
"""Seconds between two lines where there is no terminal."""
WIDEST = 100
"""A wider bar shows no more."""
CLEAR = "\r\x1b[K"
SIGNS, PLAIN_SIGNS = "█░…", "#-~"


class Bar:
    """Shows on stderr, in one line that is overwritten, what the process is doing. The line is gone
    whenever nothing is being done, so that nothing else is printed into it.
    """

    def __init__(self) -> None:
        self._tasks: list[Task] = []
        self._begun = time.monotonic()
        self._drawn = -INTERVAL
        """When the line was last drawn."""
        self._shown = False
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Bar:
        progress.observer = self
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        progress.observer = None
        self._stop.set()
        with self._lock:
            self._tasks.clear()
            self._clear()

    def begin(self, task: Task) -> None:
        """A task begins."""
        with self._lock:
            self._tasks.append(task)
            self._draw()

    def end(self, task: Task) -> None:
        """It ends; without any other, the line is cleared."""
        with self._lock:
            if task in self._tasks:
                self._tasks.remove(task)
            if not self._tasks:
                self._clear()

    def _watch(self) -> None:
        while not self._stop.wait(INTERVAL):
            with self._lock:
                self._draw()

    def _draw(self) -> None:
        """Draw the line, if there is something to show and the last one is old enough."""
        now = time.monotonic()
        seconds = now - self._begun
        if self._tasks and seconds >= DELAY and now - self._drawn >= INTERVAL:
            self._write(CLEAR + line(self._tasks, seconds, _columns(), _signs()))
            self._drawn, self._shown = now, True

    def _clear(self) -> None:
        if self._shown:
            self._write(CLEAR)
            self._shown = False

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # a terminal that is gone needs no bar
            sys.stderr.write(text)
            sys.stderr.flush()


class Lines(Bar):
    """Says every ten seconds, in a line of its own, what the process is doing: for logs."""

    def _draw(self) -> None:
        now = time.monotonic()
        if self._tasks and now - max(self._drawn, self._begun) >= LINE_INTERVAL:
            name, end = _parts(self._tasks, now - self._begun)
            self._write(f"{name}:{end}\n")
            self._drawn = now


def _signs() -> str:
    """The signs that the terminal can show."""
    try:
        SIGNS.encode(sys.stderr.encoding or "ascii")
    except UnicodeError:
        return PLAIN_SIGNS
    return SIGNS


def _columns() -> int:
    with suppress(OSError, ValueError):
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    return 80


def line(tasks: list[Task], seconds: float, columns: int, signs: str = SIGNS) -> str:
    """The tasks, a bar for the innermost, and the time, in less than so many columns.

    >>> line([Task("systems", 8, lambda: 2), Task("trials", 100, lambda: 50)], 3.2, 40)
    'systems 3/8, trials ████░░░░░  50 % 3 s'
    """
    full_sign, empty_sign, cut_sign = tuple(signs)
    name, end = _parts(tasks, seconds)
    share = _share(tasks[-1])
    # The last column stays free: some terminals break the line there.
    room = min(columns, WIDEST) - 1 - len(end)
    if len(name) > room - 8:
        name = name[: max(room - 9, 0)] + cut_sign
    width = max(room - len(name) - 1, 0)
    full = round(share * width)
    bar = full_sign * full + empty_sign * (width - full)
    return f"{name} {bar}{end}"[: max(columns - 1, 0)]


def _share(task: Task) -> float:
    return min(max(task.done() / task.total, 0.0), 1.0) if task.total > 0 else 0.0


def _parts(tasks: list[Task], seconds: float) -> tuple[str, str]:
    """What the tasks are called, and how far the innermost is."""
    *outer, last = tasks
    parts = [f"{task.what} {min(int(task.done()) + 1, task.total):,.0f}/{task.total:,.0f}"
             for task in outer]  # fmt: skip
    end = f" {_share(last):4.0%} {seconds:.0f} s".replace("%", " %")
    return ", ".join([*parts, last.what]), end
