"""What a participant's computer does: send a file to a challenge, and wait for the verdict.

It needs nothing but the standard library. To send the same bytes again is harmless: they give the
same result and use no quota. So a server that asks to try again later, or that cannot be reached
for a moment, is simply asked again.
"""

from __future__ import annotations

import http.client
import json
import os
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from socket import gaierror
from typing import Any, BinaryIO
from urllib.parse import quote, urlencode, urlsplit

from carob._version import __version__
from carob.corpus.problems import DataError, UsageError, plain, shown

WAIT = 600.0
"""For how many seconds a verdict is awaited."""

TIMEOUT = 60.0
"""For how many seconds one answer is awaited."""

UNREACHED = 20.0
"""For how many seconds a server that was never reached is tried: its address may be wrong."""

_LATER = (429, 502, 503, 504)


class ServerError(DataError):
    """A challenge server refused, or cannot be reached."""


@dataclass(frozen=True, slots=True)
class Server:
    """A challenge, by its address, and who asks.

    >>> Server("http://127.0.0.1:8080/", "token")
    Server('http://127.0.0.1:8080')
    >>> Server("ftp://example.org")
    Traceback (most recent call last):
        ...
    carob.corpus.problems.UsageError: found 'ftp://example.org', expected ...
    """

    url: str
    token: str | None = field(default=None, repr=False)
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(
                f"found {shown(self.url)}, expected the address of a challenge, such as "
                "https://task.example.org"
            )
        object.__setattr__(self, "url", f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}")
        if self.token is not None and not (self.token.isascii() and self.token.isprintable()):
            raise UsageError("the token has characters that no token has; copy it again")

    def __repr__(self) -> str:
        return f"Server({self.url!r})"

    def get(self, path: str, *, until: float) -> Any:
        """What a page has, as JSON."""
        return self._ask("GET", path, None, until)

    def send(self, path: str, file: Path, *, until: float) -> Any:
        """Send a file, and what the page answers."""
        return self._ask("POST", path, file, until)

    def download(self, path: str, target: BinaryIO, limit: int) -> None:
        """Write a public file into another."""
        connection = self._connection()
        try:
            answer = self._answer(connection, "GET", path, None, accept="*/*")
            if answer.status != 200:
                raise ServerError(_refusal(answer.status, answer.read(1 << 20)))
            while piece := answer.read(1 << 20):
                target.write(piece)
                limit -= len(piece)
                if limit < 0:
                    raise ServerError(f"{self.url}{path} is larger than expected")
        except (OSError, http.client.HTTPException) as error:
            raise ServerError(f"cannot reach {self.url}: {_reason(error)}") from None
        finally:
            connection.close()

    def _ask(self, method: str, path: str, file: Path | None, until: float) -> Any:
        pause, reached_by = 0.5, time.monotonic() + UNREACHED
        while True:
            connection = self._connection()
            try:
                answer = self._answer(connection, method, path, file)
                status, body = answer.status, answer.read(32 << 20)
                after = answer.headers.get("retry-after", "")
            except (OSError, http.client.HTTPException) as error:
                status, body, after = 0, b"", ""
                reason = f"cannot reach {self.url}: {_reason(error)}"
                if file is not None and isinstance(error, (ConnectionRefusedError, gaierror)):
                    until = min(until, reached_by)
            else:
                reason = _refusal(status, body)
            finally:
                connection.close()
            if 200 <= status < 300:
                return _json(body)
            pause = min(max(float(after) if after.isdecimal() else pause * 2, 0.1), 30.0)
            if (status and status not in _LATER) or time.monotonic() + pause > until:
                raise ServerError(reason)
            self.sleep(pause)

    def _connection(self) -> http.client.HTTPConnection:
        parts = urlsplit(self.url)
        assert parts.hostname is not None
        try:
            port = parts.port
        except ValueError:
            raise UsageError(f"found {shown(self.url)}, expected a port up to 65535") from None
        if parts.scheme == "https":
            safe = ssl.create_default_context()
            return http.client.HTTPSConnection(parts.hostname, port, timeout=TIMEOUT, context=safe)
        return http.client.HTTPConnection(parts.hostname, port, timeout=TIMEOUT)

    def _answer(
        self, connection: http.client.HTTPConnection, method: str, path: str, file: Path | None,
        accept: str = "application/json",
    ) -> http.client.HTTPResponse:  # fmt: skip
        headers = {"Accept": accept, "User-Agent": f"carob/{__version__}"}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        address = urlsplit(self.url).path + path
        if file is None:
            connection.request(method, address, headers=headers)
            return connection.getresponse()
        with file.open("rb") as body:
            headers["Content-Type"] = "application/octet-stream"
            headers["Content-Length"] = str(os.fstat(body.fileno()).st_size)
            # A server that refuses a file may answer, and close, before all of it is sent.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, address, body=body, headers=headers)
            return connection.getresponse()


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        raise ServerError("the answer is no JSON: is this the address of a challenge?") from None


def _refusal(status: int, body: bytes) -> str:
    """The sentence with which a server refused."""
    with suppress(ValueError):
        answer = json.loads(body)
        if isinstance(answer, dict) and isinstance(answer.get("error"), str):
            return f"{answer['error']}"
    text = body.decode("utf-8", "replace").strip()
    if text and len(text) < 500 and "<" not in text:
        return text
    return f"the server answered {status} {http.client.responses.get(status, '')}".strip()


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a submission, as its page says."""

    content: Any

    @property
    def is_valid(self) -> bool:
        """Whether it counts."""
        return bool(self.content["run"]["valid"])

    def to_json(self) -> str:
        """Everything."""
        return json.dumps(self.content, indent=1)

    def __str__(self) -> str:
        return "\n".join(_lines(self.content))


def submit(
    file: str | Path, url: str, token: str | None, *, phase: str | None = None, wait: float = WAIT,
    watch: Callable[[str], None] = lambda text: None, about: Mapping[str, str | None] | None = None,
) -> Verdict:  # fmt: skip
    """Send a file to a challenge, and wait until it has a verdict: that it is not valid, or what
    the phase shows of its score. `watch` is called with what happens meanwhile. `about` is what the
    team says about the run: name, description, paper and code.
    """
    path = Path(file)
    if not path.is_file():
        raise UsageError(f"there is no file {shown(str(file))}")
    if not token:
        raise UsageError(
            "give the token of your team: --token, or the environment variable CAROB_TOKEN"
        )
    server, until = Server(url, token), time.monotonic() + max(wait, TIMEOUT)
    fields = {"filename": path.name, "phase": phase, **(about or {})}
    query = urlencode({key: text for key, text in fields.items() if text})
    answer = _of_challenge(server.send(f"/api/submit?{query}", path, until=until))
    number = answer["run"]["id"]
    watch(f"received as run {number}" + (", the same as before" if answer["duplicate"] else ""))
    until, pause = time.monotonic() + wait, 0.2
    while answer["run"]["state"] in ("waiting", "scoring") and time.monotonic() + pause < until:
        server.sleep(pause)
        pause = min(pause * 1.5, 5.0)
        answer = _of_challenge(server.get(f"/api/runs/{quote(str(number))}", until=until))
    return Verdict(answer)


def _of_challenge(answer: Any) -> Any:
    """An answer about a run; another one comes from another kind of server."""
    if isinstance(answer, dict) and isinstance(answer.get("run"), dict):
        return {"duplicate": False, **answer}
    raise ServerError("the answer is not about a submission: is this the address of a challenge?")


def _lines(content: Mapping[str, Any]) -> Iterator[str]:
    """A verdict for people."""
    run = content["run"]
    words = {
        "invalid": "is not valid", "waiting": "is valid, and waits to be scored",
        "scoring": "is valid, and is being scored", "scored": "is valid",
        "failed": "is valid, but could not be scored; the organiser can see why",
    }  # fmt: skip
    late = ", late: it will not be ranked" if run["late"] else ""
    yield f"run {run['id']} ({plain(run['phase'])}) {words.get(run['state'], run['state'])}{late}"
    yield from (plain(problem["message"]) for problem in run["problems"])
    if run["disqualified"] is not None:
        yield f"disqualified: {plain(run['disqualified'])}"
    if (score := run["shown"]) is not None:
        if score["official"] is not None:
            yield _score(score["official"])
        yield from map(_score, score["labels"])
        if score["sentence"]:
            yield score["sentence"]
    if (left := content["quota"]) is not None:
        parts = [
            f"{left[key]} {text}"
            for key, text in (("left_today", "today"), ("left", "in this phase"))
            if left[key] is not None
        ]
        yield f"left: {', '.join(parts) or 'any number'}"


def _score(value: Mapping[str, Any]) -> str:
    number, low, high = value["value"], value["low"], value["high"]
    text = "no score" if number is None else f"{number:.{value.get('digits', 4)}f}"
    interval = f"  ({low:.4f} to {high:.4f})" if low is not None and high is not None else ""
    return f"{plain(value['name'])}  {text}{interval}"
