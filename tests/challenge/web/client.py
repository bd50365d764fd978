"""A server on a free port, and a client that is less than a browser: it keeps cookies, and follows
nothing by itself.
"""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode, urlsplit

import uvicorn

from carob_challenge.challenge import Challenge
from carob_challenge.web.app import application
from carob_challenge.web.serve import bind
from carob_challenge.web.settings import Settings


@dataclass
class Served:
    """A challenge that is served."""

    challenge: Challenge
    url: str
    log: list[str]

    def client(self, token: str | None = None) -> Client:
        """Somebody new."""
        return Client(self.url, token)


@contextmanager
def serving(challenge: Challenge, **settings: Any) -> Iterator[Served]:
    """Serve a challenge from a thread of this process."""
    listener = bind("127.0.0.1", 0)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    log: list[str] = []
    app = application(
        challenge, Settings(url, write=log.append, **{"keep_seconds": 0.0, **settings})
    )
    server = uvicorn.Server(uvicorn.Config(
        app, log_config=None, lifespan="off", ws="none", server_header=False,
        timeout_graceful_shutdown=1,
    ))  # fmt: skip
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        for _ in range(1000):
            if server.started:
                break
            time.sleep(0.005)
        yield Served(challenge, url, log)
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def to(self) -> str:
        """Where a redirect leads."""
        return self.headers["location"] or ""


@dataclass
class Client:
    """Somebody with a computer."""

    url: str
    token: str | None = None
    cookies: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    is_browser: bool = True

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, headers=_named(headers))

    def json(self, path: str) -> Any:
        return self.get(path, accept="application/json").json

    def post(
        self, path: str, form: Mapping[str, str] | None = None, *, file: bytes | None = None,
        filename: str = "answer.jsonl", body: bytes | None = None, **headers: str,
    ) -> Answer:  # fmt: skip
        """Send a form, a form with a file, or a body as it is."""
        more = _named(headers)
        if body is None and file is not None:
            body, kind = multipart(form or {}, file, filename)
        elif body is None:
            body, kind = urlencode(form or {}).encode(), "application/x-www-form-urlencoded"
        else:
            kind = "application/octet-stream"
        return self.ask("POST", path, body, {"Content-Type": kind} | more)

    def ask(
        self, method: str, path: str, body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:  # fmt: skip
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=60)
        try:
            connection.request(method, path, body, self._headers(method) | dict(headers or {}))
            response = connection.getresponse()
            answer = Answer(response.status, response.headers, response.read())
        finally:
            connection.close()
        for line in answer.headers.get_all("set-cookie") or []:
            for name, cookie in SimpleCookie(line).items():
                self.cookies[name] = cookie.value
                if not cookie.value:
                    del self.cookies[name]
        return answer

    def _headers(self, method: str) -> dict[str, str]:
        headers = dict(self.headers)
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{key}={text}" for key, text in self.cookies.items())
        if self.is_browser and method == "POST":
            headers |= {"Origin": self.url, "Sec-Fetch-Site": "same-origin"}
        return headers


def _named(headers: Mapping[str, str]) -> dict[str, str]:
    return {key.replace("_", "-"): value for key, value in headers.items()}


def multipart(form: Mapping[str, str], file: bytes, filename: str) -> tuple[bytes, str]:
    """A form with a file, as browsers send it."""
    mark = uuid.uuid4().hex
    parts = [
        f'--{mark}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{text}\r\n'.encode()
        for key, text in form.items()
    ]
    head = f'Content-Disposition: form-data; name="file"; filename="{filename}"'
    parts.append(f"--{mark}\r\n{head}\r\n\r\n".encode() + file + b"\r\n")
    return b"".join(parts) + f"--{mark}--\r\n".encode(), f"multipart/form-data; boundary={mark}"


def words(text: str) -> str:
    """What a reader sees of a page."""
    body = re.sub(r"<(script|style).*?</\1>", "", text, flags=re.S)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())
