"""What every request passes first: refusals that no page needs to know of, and headers of answers.

Refused are: hosts that this server is not called, paths that try to leave the site, requests that
ask to be treated as another method, and unsafe requests that another site has made a browser send.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE = ("GET", "HEAD")
METHODS = (*SAFE, "POST")
"""There are no others: a page reads, a form changes."""

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""No script runs but those of this server, and none of them stands in a page."""

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "cache-control": "no-store",
}
"""Headers of every answer that does not set them itself."""

_OVERRIDES = ("x-http-method-override", "x-http-method", "x-method-override")
_REWRITES = ("x-original-url", "x-rewrite-url")
_OUTSIDE = re.compile(r"(^|[/\\])\.\.?([/\\]|$)|[\\\x00-\x1f\x7f]|//")
_ENCODED = re.compile(rb"%(2f|5c|00|25)", re.IGNORECASE)
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RefusedRequestError(Exception):
    """A request is refused before any page sees it."""

    status: int
    reason: str


def refuse_host(host: str, names: Iterable[str]) -> None:
    """Refuse a host that is none of these names. An address in numbers is always one: a name that
    someone else has pointed to this server is what must be refused.

    >>> refuse_host("127.0.0.1:8080", ()), refuse_host("Task.example.org", ["task.example.org"])
    (None, None)
    >>> refuse_host("evil.example", ["task.example.org"])
    Traceback (most recent call last):
        ...
    carob_challenge.web.guard.RefusedRequestError: (421, 'this server is not called ...')
    """
    match = _HOST.fullmatch(host)
    if match is None:
        raise RefusedRequestError(400, "the header Host is missing or malformed")
    name = match["name"].lower().rstrip(".")
    if name not in {each.lower() for each in names} and not _is_address(name):
        raise RefusedRequestError(
            421, f"this server is not called {name}; carob serve --url says what it is called"
        )


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def refuse_path(path: str, raw: bytes) -> None:
    """Refuse a path that tries to leave the site.

    >>> refuse_path("/board/test", b"/board/test")
    >>> refuse_path("/inputs/../gold", b"/inputs/%2e%2e/gold")
    Traceback (most recent call last):
        ...
    carob_challenge.web.guard.RefusedRequestError: (400, 'the address is malformed')
    """
    if _OUTSIDE.search(path) or _ENCODED.search(raw):
        raise RefusedRequestError(400, "the address is malformed")


def refuse_method(method: str, headers: Headers) -> None:
    """Refuse methods that no page has, and requests that ask to be another one."""
    if method not in METHODS:
        raise RefusedRequestError(405, f"no page takes the method {method[:20]}")
    for name in (*_OVERRIDES, *_REWRITES):
        if name in headers:
            raise RefusedRequestError(400, f"the header {name} is not accepted")


def is_cross_site(method: str, headers: Headers) -> bool:
    """Whether a browser sends this unsafe request for another site.

    A request with a bearer token is none: no browser adds that by itself. Browsers say where a
    request comes from in Sec-Fetch-Site, older ones in Origin. A request with a cookie and with
    neither header could come from anywhere.

    >>> from starlette.datastructures import Headers
    >>> is_cross_site("POST", Headers({"sec-fetch-site": "cross-site", "cookie": "a=b"}))
    True
    >>> is_cross_site("POST", Headers({"host": "a.org", "origin": "https://a.org"}))
    False
    """
    if method in SAFE or headers.get("authorization", "").lower().startswith("bearer "):
        return False
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None and site not in ("same-origin", "none"):
        return True
    if origin is not None:
        return urlsplit(origin).netloc.lower() != headers.get("host", "").lower()
    return site is None and "cookie" in headers


@dataclass(frozen=True, slots=True)
class Guard:
    """Refuses what no page should see, and adds headers to what the pages answer."""

    app: ASGIApp
    hosts: frozenset[str]
    is_https: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":  # there are no web sockets; start and stop pass
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        from starlette.datastructures import Headers, MutableHeaders
        from starlette.responses import PlainTextResponse

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if self.is_https:
                    headers.setdefault("strict-transport-security", "max-age=31536000")
            await send(message)

        headers = Headers(scope=scope)
        try:
            refuse_host(headers.get("host", ""), self.hosts)
            refuse_path(scope["path"], scope.get("raw_path") or b"")
            refuse_method(scope["method"], headers)
            if is_cross_site(scope["method"], headers):
                raise RefusedRequestError(403, "this request comes from another site")
        except RefusedRequestError as refusal:
            answer = PlainTextResponse(f"{refusal.reason}\n", refusal.status)
            await answer(scope, receive, send_guarded)
            return
        await self.app(scope, receive, send_guarded)
