"""Work on what others have sent, in a child process with limits of time and memory.

Whatever the content makes the child do, this process lives and gets an answer. The child sends JSON
and bytes, nothing that could run here.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

LARGEST_REPLY = 1 << 28
_MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Reply:
    """What became of the work: `done`, or `time`, `memory`, `crash` or `error` (a message)."""

    outcome: str
    content: Mapping[str, Any] = field(default_factory=dict)
    blobs: tuple[bytes, ...] = ()
    message: str = ""


def run_limited(
    work: str,
    arguments: Mapping[str, Any],
    seconds: float,
    megabytes: int,
    beat: Callable[[], None] = lambda: None,
) -> Reply:
    """Call the function `module:name` of carob_challenge in a child, and wait for its answer.

    `beat` is called about twice a second meanwhile; what it raises ends the child.

    >>> run_limited("child:echo", {"say": "hello"}, 20, 2048).content
    {'say': 'hello'}
    >>> run_limited("child:echo", {"sleep": 60}, 0.3, 2048).outcome
    'time'
    """
    context = _context()
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(
        target=_main, args=(theirs, work, dict(arguments), seconds, megabytes), daemon=True
    )
    process.start()
    theirs.close()
    try:
        return _answer(ours, seconds, beat)
    finally:
        process.kill()
        process.join()
        ours.close()


def _context() -> Any:
    """Forking is quick, and safe in a process without threads; others ask a process that has none.

    The latter has imported everything when it forks.
    """
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    if sys.platform == "linux" and threading.active_count() == 1:
        return multiprocessing.get_context("fork")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["carob_challenge.scoring"])
    return context


def _answer(pipe: Connection, seconds: float, beat: Callable[[], None]) -> Reply:
    # The child ends itself in time; a little later it is ended.
    end = time.monotonic() + seconds + 2.0
    while not pipe.poll(max(0.0, min(0.5, end - time.monotonic()))):
        if time.monotonic() >= end:
            return Reply("time")
        beat()
    try:
        head = json.loads(pipe.recv_bytes(LARGEST_REPLY))
        blobs = tuple(pipe.recv_bytes(LARGEST_REPLY) for _ in range(head["blobs"]))
    except (EOFError, OSError, ValueError):
        return Reply("time" if time.monotonic() >= end - 2.0 else "crash")
    return Reply(head["outcome"], head["content"], blobs, head["message"])


def _main(pipe: Connection, work: str, arguments: Any, seconds: float, megabytes: int) -> None:
    """In the child: set the limits, work, answer."""
    _limit(seconds, megabytes)
    content: Mapping[str, Any] = {}
    blobs: tuple[bytes, ...] = ()
    outcome, message = "done", ""
    try:
        module, _, name = work.partition(":")
        content, blobs = getattr(import_module(f"carob_challenge.{module}"), name)(**arguments)
    except MemoryError:
        outcome = "memory"
    except RecursionError:
        outcome = "crash"
    except Exception as error:
        outcome, message = "error", f"{type(error).__name__}: {error}"[:2000]
    with suppress(OSError, MemoryError):
        head = {"outcome": outcome, "content": content, "blobs": len(blobs), "message": message}
        pipe.send_bytes(json.dumps(head).encode())
        for blob in blobs:
            pipe.send_bytes(blob)


def _limit(seconds: float, megabytes: int) -> None:
    """Whatever happens to the parent, this process ends; it writes no core and starts no other."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    devnull = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(devnull, stream)
    if sys.platform == "win32":
        return
    import resource

    os.nice(10)  # pages come first

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(ValueError, OSError):
        most = _address_space() + megabytes * _MEGABYTE
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _address_space() -> int:
    """How many bytes the program itself has reserved, before it does anything."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (OSError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def echo(**arguments: Any) -> tuple[Mapping[str, Any], tuple[bytes, ...]]:
    """Say what was said; for the examples and tests of this module."""
    time.sleep(arguments.get("sleep", 0))
    bytearray(arguments.get("allocate", 0))
    if "exit" in arguments:
        os._exit(arguments["exit"])
    return arguments, ()
