"""What a participant's computer does when a challenge cannot be reached."""

from __future__ import annotations

import socket
import time
from pathlib import Path

import pytest

from carob_challenge import client
from carob_challenge.client import Server, ServerError


def test_a_server_that_is_never_reached_is_given_up_soon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "answer.jsonl"
    file.write_text("{}\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    server = Server(
        f"http://127.0.0.1:{port}", "token",
        sleep=lambda pause: clock.__setitem__(0, clock[0] + pause),
    )  # fmt: skip
    with pytest.raises(ServerError, match=f"cannot reach http://127.0.0.1:{port}"):
        server.send("/api/submit", file, until=600.0)
    assert 0 < clock[0] <= client.UNREACHED
    # While a verdict is awaited, the server was there: it may be starting again.
    clock[0] = 0.0
    with pytest.raises(ServerError):
        server.get("/api/runs/1", until=200.0)
    assert clock[0] > 100
