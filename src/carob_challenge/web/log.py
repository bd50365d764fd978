"""The log: one line of JSON for each request, without anything that is a secret.

Written are the time, the method, the path, the status, the time it took, the address and who asked.
Never written are query strings, headers, cookies, bodies and what is in an answer; a login URL has
its key in the query string for this reason.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

Write = Callable[[str], object]


def line(event: str, **fields: Any) -> str:
    """One line of the log.

    >>> import json
    >>> json.loads(line("start", port=8080))["port"]
    8080
    """
    when = datetime.now(UTC).isoformat(timespec="milliseconds")
    return json.dumps({"time": when, "event": event, **fields}, default=str)


def to_stderr(text: str) -> None:
    """Write a line where a service manager reads it."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


class Log:
    """Writes a line for each request, when it is answered."""

    def __init__(self, app: ASGIApp, write: Write) -> None:
        self.app, self.write = app, write

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_noted)
        finally:
            self.write(line(
                "request", method=scope["method"][:20], path=scope["path"][:200], status=status,
                milliseconds=round((time.perf_counter() - began) * 1000, 1),
                address=(scope.get("client") or ("",))[0],
                who=scope.get("state", {}).get("who", "nobody"),
            ))  # fmt: skip
