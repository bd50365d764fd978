"""Run a challenge: the web server in this process, scoring workers as children of it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from carob.corpus.problems import UsageError
from carob_challenge import sessions
from carob_challenge.challenge import Challenge
from carob_challenge.log import Write, line
from carob_challenge.web.app import application
from carob_challenge.web.settings import Settings

STOP = 15.0
"""How many seconds workers have to stop by themselves."""

DATABASE = "CAROB_DATABASE"
"""The environment variable with the address of the database, which may hold a password."""


def login_url(challenge: Challenge, url: str) -> str:
    """An address at which an organiser can log in once. The key is in the query: no log has it."""
    return f"{url.rstrip('/')}/organiser/login?key={sessions.new_login(challenge)}"


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens here; port 0 is any that is free."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        made = socket.socket(family, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(
            f"cannot serve at {host}:{port}: {reason}; choose another --host or --port"
        ) from None
    return made


def public_url(host: str, port: int) -> str:
    """What people call a server that no proxy stands before.

    >>> public_url("127.0.0.1", 8080), public_url("::1", 80)
    ('http://127.0.0.1:8080', 'http://[::1]:80')
    """
    if host in ("0.0.0.0", "::", ""):
        host = socket.gethostname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Workers:
    """Child processes that score. One that ends unexpectedly is started again."""

    def __init__(self, folder: Path, database: str | None, number: int, write: Write) -> None:
        self._command = [sys.executable, "-m", "carob", "challenge", "worker", str(folder),
                         "--parent", str(os.getpid())]  # fmt: skip
        self._environment = os.environ | ({DATABASE: database} if database else {})
        self._number, self._write = number, write
        self._children: list[subprocess.Popen[bytes]] = []
        self._stopping = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def start(self) -> None:
        """Start all, and watch them."""
        self._children = [self._new() for _ in range(self._number)]
        self._watcher.start()

    def _new(self) -> subprocess.Popen[bytes]:
        # In its own group, so that Ctrl+C reaches the server, which then stops the workers.
        return subprocess.Popen(
            self._command, env=self._environment, stdin=subprocess.DEVNULL, start_new_session=True
        )

    def _watch(self) -> None:
        pause = 0.5
        while not self._stopping.wait(pause):
            pause = 0.5
            for i, child in enumerate(self._children):
                if child.poll() is not None and not self._stopping.is_set():
                    self._write(line("worker ended", code=child.returncode))
                    self._children[i] = self._new()
                    pause = 5.0

    def stop(self) -> None:
        """Ask all to stop, and end those that do not."""
        self._stopping.set()
        if self._watcher.is_alive():
            self._watcher.join()
        for child in self._children:
            child.send_signal(signal.SIGTERM)
        ends_at = time.monotonic() + STOP
        for child in self._children:
            try:
                child.wait(max(0.0, ends_at - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def serve(
    folder: str | Path, *, host: str = "127.0.0.1", port: int = 8080, database: str | None = None,
    workers: int = 1, url: str | None = None, proxy: str = "",
    ready: Callable[[Challenge, str], None] | None = None, **settings: Any,
) -> None:  # fmt: skip
    """Serve a challenge until the process is asked to stop. `ready` is called with the challenge
    and its address when it can be reached.
    """
    import uvicorn

    listener = bind(host, port)
    address = (url or public_url(host, listener.getsockname()[1])).rstrip("/")
    chosen = Settings(address, **settings)
    challenge = Challenge.open(folder, database)
    children = Workers(Path(folder), database, workers, chosen.write)
    server = uvicorn.Server(uvicorn.Config(
        application(challenge, chosen), log_config=None, access_log=False, server_header=False,
        proxy_headers=bool(proxy), forwarded_allow_ips=proxy or None, lifespan="off", ws="none",
        timeout_keep_alive=30, timeout_graceful_shutdown=10,
    ))  # fmt: skip
    try:
        listener.listen(256)
        children.start()
        if ready is not None:
            ready(challenge, address)
        # uvicorn raises the signal again that stopped it, which would end this process before it
        # has stopped the workers.
        signal.signal(signal.SIGTERM, lambda number, frame: None)
        server.run(sockets=[listener])
    finally:
        children.stop()
        challenge.close()
        listener.close()
