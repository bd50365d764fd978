"""The log: one line of JSON for each request, without anything that is a secret.

Written are the time, the method, the path, the status, the time it took, the address and who asked.
Never written are query strings, headers, cookies, bodies and what is in an answer; a login URL has
its key in the query string for this reason.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from carob_challenge.log import Write, line
from carob_challenge.web.guard import METHODS
from carob_challenge.web.metrics import Metrics

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Log:
    """Writes a line for each request, when it is answered."""

    def __init__(self, app: ASGIApp, write: Write, metrics: Metrics) -> None:
        self.app, self.write, self.metrics = app, write, metrics

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
            seconds = time.perf_counter() - began
            method = scope["method"] if scope["method"] in METHODS else "other"
            self.metrics.answered(method, status, seconds)
            self.write(line(
                "request", method=scope["method"][:20], path=scope["path"][:200], status=status,
                milliseconds=round(seconds * 1000, 1),
                address=(scope.get("client") or ("",))[0],
                who=scope.get("state", {}).get("who", "nobody"),
            ))  # fmt: skip
