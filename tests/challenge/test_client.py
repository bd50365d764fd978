"""What a participant's computer does: through proxies, and when a challenge refuses or is gone."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from carob.corpus.problems import UsageError
from carob_challenge import client
from carob_challenge.client import Server, ServerError

NAMED = "http://task.example.org"
TOKEN = "the-token"


class Double(ThreadingHTTPServer):
    """A server, or a proxy, that notes what it is asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Asked)
        self.asked: list[tuple[str, str, str | None, str | None, int]] = []
        self.answer: tuple[int, dict[str, str], Any] = (200, {}, {"fine": True})
        self.tunnel: ssl.SSLContext | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *arguments: object) -> None:
        """A client that hangs up is no error here."""


class Asked(BaseHTTPRequestHandler):
    server: Double

    def answer(self) -> None:
        left = size = int(self.headers.get("Content-Length", 0))
        while left and (piece := self.rfile.read(min(left, 1 << 16))):
            left -= len(piece)
        self.note(size)
        status, headers, content = self.server.answer
        self.send_response(status)
        body = json.dumps(content).encode()
        for name, value in (headers | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer  # noqa: N815 - names of http.server

    def do_CONNECT(self) -> None:
        self.note(0)
        if self.server.tunnel is None:
            self.send_error(403)
            return
        self.send_response(200)
        self.end_headers()
        with self.server.tunnel.wrap_socket(self.connection, server_side=True) as inside:
            self.rfile, self.wfile = inside.makefile("rb"), inside.makefile("wb")
            self.handle_one_request()
        self.close_connection = True

    def note(self, size: int) -> None:
        headers = [self.headers.get(name) for name in ("Authorization", "Proxy-Authorization")]
        self.server.asked.append((self.command, self.path, headers[0], headers[1], size))

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def double() -> Iterator[Callable[[], Double]]:
    servers: list[tuple[Double, threading.Thread]] = []

    def new() -> Double:
        server = Double()
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        servers.append((server, thread))
        return server

    yield new
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "answer.jsonl"
    file.write_text("{}\n")
    return file


def test_a_file_goes_through_the_proxy(
    double: Callable[[], Double], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = double()
    monkeypatch.setenv("http_proxy", proxy.url.replace("//", "//me:pass%20word@"))
    assert {"fine": True} == Server(NAMED, TOKEN).send("/api/submit?phase=a", file, until=0)
    assert {"fine": True} == Server(NAMED, TOKEN).get("/api/runs/1", until=0)
    own, login = f"Bearer {TOKEN}", "Basic bWU6cGFzcyB3b3Jk"  # me:pass word
    assert [
        ("POST", f"{NAMED}/api/submit?phase=a", own, login, 3),
        ("GET", f"{NAMED}/api/runs/1", own, login, 0),
    ] == proxy.asked


def test_no_proxy_and_addresses_of_this_machine_are_asked_directly(
    double: Callable[[], Double], monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy, server = double(), double()
    monkeypatch.setenv("http_proxy", proxy.url)
    Server(server.url, TOKEN).get("/a", until=0)
    connect: Any = socket.create_connection
    there = {"task.example.org": ("127.0.0.1", server.server_port)}
    monkeypatch.setattr(
        socket,
        "create_connection",
        lambda address, *more: connect(there.get(address[0]) or address, *more),
    )
    monkeypatch.setenv("no_proxy", "elsewhere.org, .example.org")
    Server(NAMED, TOKEN).get("/b", until=0)
    assert ["/a", "/b"] == [path for _, path, *_ in server.asked]
    assert [] == proxy.asked


def test_a_proxy_that_opens_no_tunnel_is_named_soon_and_never_sees_the_token(
    double: Callable[[], Double], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = double()
    monkeypatch.setenv("https_proxy", proxy.url)
    clock = stopped_clock(monkeypatch)
    server = Server("https://task.example.org", TOKEN, sleep=clock)
    with pytest.raises(ServerError) as refused:
        server.send("/api/submit", file, until=600.0)
    assert "cannot reach https://task.example.org: Tunnel connection failed: 403 Forbidden" == str(
        refused.value
    )
    assert {("CONNECT", "task.example.org:443", None, None, 0)} == set(proxy.asked)
    assert time.monotonic() <= client.UNREACHED


@pytest.mark.slow
def test_a_file_goes_through_a_tunnel(
    double: Callable[[], Double], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = double()
    key, certificate = file.with_name("key.pem"), file.with_name("certificate.pem")
    if (openssl := shutil.which("openssl")) is None:
        pytest.skip("there is no openssl on this machine")
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=task.example.org", "-addext", "subjectAltName=DNS:task.example.org",
         "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    proxy.tunnel = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    proxy.tunnel.load_cert_chain(certificate, key)
    monkeypatch.setenv("https_proxy", proxy.url.replace("//", "//me:word@"))
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert {"fine": True} == Server("https://task.example.org", TOKEN).send("/api/x", file, until=0)
    login = "Basic bWU6d29yZA=="
    assert [
        ("CONNECT", "task.example.org:443", None, login, 0),
        ("POST", "/api/x", f"Bearer {TOKEN}", None, 3),
    ] == proxy.asked
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(ServerError, match=r"certificate verify failed"):
        Server("https://task.example.org", TOKEN).send("/api/x", file, until=0)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(double: Callable[[], Double], file: Path, status: int) -> None:
    server, other = double(), double()
    server.answer = (status, {"Location": f"{other.url}/new/api/submit?filename=x"}, None)
    here = Server(server.url, TOKEN)
    for part in (file, None):
        with pytest.raises(ServerError) as refused:
            here.send("/api/submit", part, until=0) if part else here.get("/api/runs/1", until=0)
        assert str(refused.value) == (
            f"the server redirects to {other.url}/new; if the challenge is there, give that address"
        )
    assert (2, []) == (len(server.asked), other.asked)


def test_a_large_file_is_not_held_in_memory(double: Callable[[], Double], file: Path) -> None:
    server = double()
    with file.open("wb") as sparse:
        sparse.truncate(1 << 25)
    tracemalloc.start()
    try:
        Server(server.url, TOKEN).send("/api/submit", file, until=0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [1 << 25] == [asked[-1] for asked in server.asked]
    assert peak < 1 << 22


def test_a_refusal_that_comes_early_is_read(file: Path) -> None:
    with file.open("wb") as sparse:
        sparse.truncate(1 << 25)
    body = b'{"error": "the file is too large"}'
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def refuse() -> None:
            connection = listener.accept()[0]
            with connection:
                while b"\r\n\r\n" not in connection.recv(1 << 16):
                    pass
                connection.sendall(b"HTTP/1.1 413 Too Large\r\nConnection: close\r\n\r\n" + body)

        thread = threading.Thread(target=refuse)
        thread.start()
        with pytest.raises(ServerError) as refused:
            Server(f"http://127.0.0.1:{listener.getsockname()[1]}").send("/x", file, until=0)
        thread.join()
    assert "the file is too large" == str(refused.value)


@pytest.mark.parametrize("url", ["http://127.0.0.1:70000", "https://task.example.org:x"])
def test_a_port_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(UsageError) as refused:
        Server(url)
    assert f"found {url!r}, expected a port up to 65535" == str(refused.value)


def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """A clock that moves only when a client sleeps."""
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    return lambda pause: clock.__setitem__(0, clock[0] + pause)


def test_a_server_that_is_never_reached_is_given_up_soon(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Server(f"http://127.0.0.1:{port}", "token", sleep=stopped_clock(monkeypatch))
    with pytest.raises(ServerError, match=f"cannot reach http://127.0.0.1:{port}"):
        server.send("/api/submit", file, until=600.0)
    assert 0 < time.monotonic() <= client.UNREACHED
    # While a verdict is awaited, the server was there: it may be starting again.
    server = Server(server.url, "token", sleep=stopped_clock(monkeypatch))
    with pytest.raises(ServerError):
        server.get("/api/runs/1", until=200.0)
    assert time.monotonic() > 100
