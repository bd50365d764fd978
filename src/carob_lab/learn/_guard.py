"""Runs a program, and ends it if whoever started this process dies: python _guard.py PROGRAM ...

A process that is killed cannot end the programs that it has started. Its end of a pipe is closed,
however, and this process reads the other end: its standard input.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress


def main(argv: list[str]) -> None:
    """Run the program, and end as it ends."""
    program = subprocess.Popen(argv, stdin=subprocess.DEVNULL)

    def wait() -> None:
        while os.read(0, 1):
            pass
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=wait, daemon=True).start()
    code = program.wait()
    if code < 0:
        with suppress(OSError):  # nothing can be done about SIGKILL
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main(sys.argv[1:])
