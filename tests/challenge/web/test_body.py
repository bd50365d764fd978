"""A body is cut off where it becomes too long or too slow, and not earlier."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message, Receive

from carob_challenge.web.body import BodyTooLargeError, BodyTooSlowError, LimitedBody, Limits


def channel(pieces: Iterable[bytes], pause: float = 0.0) -> Receive:
    left = list(pieces)

    async def receive() -> Message:
        await asyncio.sleep(pause)
        piece = left.pop(0) if left else b""
        return {"type": "http.request", "body": piece, "more_body": bool(left)}

    return receive


def whole(receive: Receive) -> bytes:
    async def read() -> bytes:
        content, more = b"", True
        while more:
            message = await receive()
            content, more = content + message["body"], message["more_body"]
        return content

    return asyncio.run(read())


@given(st.lists(st.binary(max_size=5), max_size=5), st.integers(0, 20))
def test_exactly_the_limit_is_allowed(pieces: list[bytes], limit: int) -> None:
    content = b"".join(pieces)
    body = LimitedBody(channel(pieces), Limits(limit))
    if len(content) <= limit:
        assert content == whole(body)
    else:
        with pytest.raises(BodyTooLargeError):
            whole(body)


def test_a_length_that_is_announced_is_refused_before_a_byte_is_read() -> None:
    async def never() -> Message:
        raise AssertionError("read")

    with pytest.raises(BodyTooLargeError, match="larger than the limit of 1,000 bytes"):
        whole(LimitedBody(never, Limits(1000), "1001"))


def test_a_false_length_does_not_help() -> None:
    with pytest.raises(BodyTooLargeError):
        whole(LimitedBody(channel([b"x" * 11]), Limits(10), "3"))


def test_a_pause_that_is_too_long_ends_the_upload() -> None:
    with pytest.raises(BodyTooSlowError):
        whole(LimitedBody(channel([b"x"], pause=5), Limits(10, idle_seconds=0.01)))


def test_many_short_pauses_end_it_too() -> None:
    pieces = [b"x"] * 200
    with pytest.raises(BodyTooSlowError):
        whole(LimitedBody(channel(pieces, 0.002), Limits(1000, idle_seconds=1, seconds=0.05)))
