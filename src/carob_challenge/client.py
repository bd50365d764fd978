"""What a participant's computer does: send a file to a challenge, and wait for the verdict.

It needs nothing but the standard library. To send the same bytes again is harmless: they give the
same result and use no quota. So a server that asks to try again later, or that cannot be reached
for a moment, is simply asked again.

Proxies are the ones of the environment (http_proxy, https_proxy, no_proxy), but for addresses of
this machine. A redirect is never followed: the token is for the challenge alone.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from socket import gaierror
from typing import Any
from urllib.error import URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import (
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    build_opener,
)

from carob._version import __version__
from carob.corpus.problems import DataError, UsageError, plain, shown

WAIT = 600.0
"""For how many seconds a verdict is awaited."""

TIMEOUT = 60.0
"""For how many seconds one answer is awaited."""

UNREACHED = 20.0
"""For how many seconds a server that was never reached is tried: its address may be wrong."""

_LATER = (429, 502, 503, 504)

_HOPELESS = (ConnectionRefusedError, gaierror, ssl.SSLCertVerificationError, OSError)
"""What is wrong with an address; a proxy that opens no tunnel is a plain OSError."""

_HERE = re.compile(r"localhost|127(\.\d+){3}|::1")


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
    _opener: OpenerDirector = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(
                f"found {shown(self.url)}, expected the address of a challenge, such as "
                "https://task.example.org"
            )
        try:
            parts.port  # noqa: B018 - it is looked at when it is asked for
        except ValueError:
            raise UsageError(f"found {shown(self.url)}, expected a port up to 65535") from None
        host = parts.netloc.rpartition("@")[2]
        object.__setattr__(self, "url", f"{parts.scheme}://{host}{parts.path.rstrip('/')}")
        object.__setattr__(self, "_opener", _opener(parts.hostname))
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

    def _ask(self, method: str, path: str, file: Path | None, until: float) -> Any:
        pause, reached_by = 0.5, time.monotonic() + UNREACHED
        while True:
            try:
                with self._answer(method, path, file) as answer:
                    status, body, headers = answer.status, answer.read(32 << 20), answer.headers
            except (OSError, http.client.HTTPException) as error:
                status, after = 0, ""
                cause = error.reason if isinstance(error, URLError) else error
                reason = f"cannot reach {self.url}: {_reason(cause)}"
                if file is not None and type(cause) in _HOPELESS:
                    until = min(until, reached_by)
            else:
                after = headers.get("retry-after", "")
                reason = _refusal(status, body, headers.get("location"))
            if 200 <= status < 300:
                return _json(body)
            pause = min(max(float(after) if after.isdecimal() else pause * 2, 0.1), 30.0)
            if (status and status not in _LATER) or time.monotonic() + pause > until:
                raise ServerError(reason)
            self.sleep(pause)

    def _answer(self, method: str, path: str, file: Path | None) -> http.client.HTTPResponse:
        headers = {"Accept": "application/json", "User-Agent": f"carob/{__version__}"}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        request = Request(self.url + path, headers=headers, method=method)
        with ExitStack() as stack:
            if file is not None:
                body = stack.enter_context(file.open("rb"))
                request.data = body
                request.add_header("Content-Type", "application/octet-stream")
                request.add_header("Content-Length", str(os.fstat(body.fileno()).st_size))
            answer: http.client.HTTPResponse = self._opener.open(request, timeout=TIMEOUT)
            return answer


def _opener(host: str) -> OpenerDirector:
    """What opens addresses of a host: no proxy could reach one of this machine."""
    proxies = ProxyHandler({} if _HERE.fullmatch(host) else None)
    return build_opener(proxies, _AnyAnswer(), _Http(), _Https())


class _AnyAnswer(HTTPErrorProcessor):
    """Every answer is handed over as it is: refusals are read, redirects are not followed."""

    def http_response(self, request: Request, response: Any) -> Any:
        return response

    https_response = http_response


class _HttpConnection(http.client.HTTPConnection):
    """A server that refuses a file may answer, and close, before all of it is sent."""

    def request(self, *arguments: Any, **options: Any) -> None:
        self.connect()  # not below: a connection that was reset before has no answer
        with suppress(BrokenPipeError, ConnectionResetError):
            super().request(*arguments, **options)


class _HttpsConnection(_HttpConnection, http.client.HTTPSConnection):
    pass


class _Http(HTTPHandler):
    def http_open(self, request: Request) -> http.client.HTTPResponse:
        return self.do_open(_HttpConnection, request)


class _Https(HTTPSHandler):
    def https_open(self, request: Request) -> http.client.HTTPResponse:
        return self.do_open(_HttpsConnection, request, context=ssl.create_default_context())


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        raise ServerError("the answer is no JSON: is this the address of a challenge?") from None


def _refusal(status: int, body: bytes, location: str | None) -> str:
    """The sentence with which a server refused."""
    if 300 <= status < 400 and location:
        where = plain(location.partition("/api/")[0] or location)
        return f"the server redirects to {where}; if the challenge is there, give that address"
    with suppress(ValueError):
        answer = json.loads(body)
        if isinstance(answer, dict) and isinstance(answer.get("error"), str):
            return f"{answer['error']}"
    text = body.decode("utf-8", "replace").strip()
    if text and len(text) < 500 and "<" not in text:
        return text
    return f"the server answered {status} {http.client.responses.get(status, '')}".strip()


def _reason(error: object) -> str:
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
