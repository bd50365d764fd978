"""The body of a request: counted while it comes, cut off when it is too long or too slow."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import Message, Receive

FORM_BYTES = 64 * 1024
"""A form without a file is no longer."""

AROUND_A_FILE = 16 * 1024
"""What a form may have beside a file: other fields, and the lines around the parts."""


class BodyError(Exception):
    """A body that is not read to its end."""

    status = 400


class BodyTooLargeError(BodyError):
    """More bytes than are allowed."""

    status = 413

    def __init__(self, limit: int) -> None:
        super().__init__(f"the upload is larger than the limit of {limit:,} bytes")


class BodyTooSlowError(BodyError):
    """Bytes come too slowly."""

    status = 408

    def __init__(self) -> None:
        super().__init__("the upload was too slow and was cut off; please try again")


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a body may be and take."""

    bytes: int = FORM_BYTES
    idle_seconds: float = 20.0
    seconds: float = 600.0


class LimitedBody:
    """Receives what another channel receives, as far as the limits go.

    A length that is announced and too large is refused before the first byte is read.
    """

    def __init__(self, receive: Receive, limits: Limits, announced: str | None = None) -> None:
        self._receive, self._limits, self._announced = receive, limits, announced
        self._bytes = 0
        self._ends_at = time.monotonic() + limits.seconds

    async def __call__(self) -> Message:
        """The next piece."""
        if (self._announced or "").isdecimal() and int(self._announced or 0) > self._limits.bytes:
            raise BodyTooLargeError(self._limits.bytes)
        rest = min(self._limits.idle_seconds, self._ends_at - time.monotonic())
        try:
            message = await asyncio.wait_for(self._receive(), max(rest, 0.001))
        except TimeoutError:
            raise BodyTooSlowError from None
        self._bytes += len(message.get("body", b""))
        if self._bytes > self._limits.bytes:
            raise BodyTooLargeError(self._limits.bytes)
        return message
