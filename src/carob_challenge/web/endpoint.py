"""From a request to a call of a handler, and from what it returns to an answer.

A handler is a plain function: it gets a `Call`, asks the challenge, and returns a `View`, `Moved`
or `Download`. What all of them need is done here, once: who asks, how often, how the body is read,
in which form the answer is, and what an error looks like.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.types import Message, Receive, Scope, Send

from carob_challenge import sessions, teams
from carob_challenge.accept import new_upload
from carob_challenge.challenge import Challenge
from carob_challenge.errors import ChallengeError, NotAllowedError, RateError, UnavailableError
from carob_challenge.log import line
from carob_challenge.version import Version, version
from carob_challenge.viewer import NOBODY, Viewer
from carob_challenge.web.body import AROUND_A_FILE, FORM_BYTES, BodyError, LimitedBody, Limits
from carob_challenge.web.metrics import Metrics
from carob_challenge.web.rates import Rates
from carob_challenge.web.render import Address, Site, render
from carob_challenge.web.settings import Settings
from carob_challenge.web.view import FORMATS, Download, Moved, Text, View, preferred_format

Answer = View | Moved | Download | Text
RETRY = 10
"""After how many seconds to try again, if nobody says otherwise."""

VALIDATIONS = max(2, os.cpu_count() or 2)
"""How many files are validated at once."""

LINGER = 2.0
"""For how many seconds the rest of a refused upload is read and dropped: a client that is still
sending would otherwise not see the answer."""


MOST_KEPT = 200
"""How many pages are kept."""


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page that was made: of which version, when, what it has."""

    version: Version
    at: float
    content: bytes
    type: str


class Kept:
    """Pages that were made: many people look at the same leaderboard. The one that was not asked
    for for longest is forgotten first.

    What decides whether something may be seen must be the same for a page to be used again. If
    only something else has happened, such as a new score, a page is used for `seconds` more, and
    while one of the readers waits for the new one.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._pages: OrderedDict[Hashable, KeptPage] = OrderedDict()
        self._making: dict[Hashable, float] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, version: Version) -> KeptPage | None:
        """A page that can be shown; None if the caller should make it."""
        now = time.monotonic()
        with self._lock:
            found = self._pages.get(key)
            if found is None or found.version.visible != version.visible:
                return None
            is_old = found.version != version and now - found.at >= self._seconds
            if is_old and (not self._seconds or now - self._making.get(key, -60.0) > 5.0):
                self._making[key] = now
                return None
            self._pages.move_to_end(key)
            return found

    def put(self, key: Hashable, version: Version, content: bytes, type: str) -> None:
        """Keep a page in place of the one before."""
        with self._lock:
            self._making.pop(key, None)
            self._pages[key] = KeptPage(version, time.monotonic(), content, type)
            self._pages.move_to_end(key)
            while len(self._pages) > MOST_KEPT:
                self._pages.popitem(last=False)


@dataclass(frozen=True, slots=True)
class Server:
    """What all requests share."""

    challenge: Challenge
    settings: Settings
    address: Address
    requests: Rates
    failures: Rates
    kept: Kept
    uploads: CapacityLimiter
    metrics: Metrics = field(default_factory=Metrics)

    @classmethod
    def of(cls, challenge: Challenge, settings: Settings, address: Address) -> Server:
        """A server of a challenge."""
        return cls(
            challenge, settings, address, Rates(settings.requests), Rates(settings.failures),
            Kept(settings.keep_seconds), CapacityLimiter(VALIDATIONS),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was sent: where it is now, and what it was called."""

    path: Path
    filename: str


@dataclass(frozen=True, slots=True)
class Call:
    """One request, as handlers see it."""

    challenge: Challenge
    viewer: Viewer
    received: datetime
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)
    upload: Upload | None = None
    ticket: Any = None
    """What `before` returned."""
    session: str | None = None
    client: str = ""
    settings: Settings = field(default_factory=Settings)
    metrics: Metrics | None = None


Handler = Callable[[Call], Any]


class TokenError(NotAllowedError):
    """A bearer token that is not known."""

    status = 401


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A page: its handler, and what is special about it. A page that takes a file has `before`,
    which looks at a request before the file is read, and refuses it by an error. A page that
    `takes_secrets` counts those that were wrong. A page that `is_kept` is made again only when
    something has happened since.
    """

    server: Server
    handler: Handler
    before: Handler | None = None
    takes_secrets: bool = False
    is_kept: bool = False

    @property
    def _threads(self) -> CapacityLimiter | None:
        """What takes files has threads of its own: other pages never wait for it."""
        return self.server.uploads if self.before is not None else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        body = receive = _Noted(receive)
        request = Request(scope, receive)
        form = _format(request)
        site = await run_in_threadpool(_site, self.server)
        try:
            call = await self._call(request, site.now)
            site = replace(site, viewer=call.viewer)
            scope.setdefault("state", {})["who"] = call.viewer.actor
            if self.is_kept:
                response = await run_in_threadpool(self._kept, call, site, form)
                await response(scope, receive, send)
                return
            answer, file = await self._handle(request, call)
            response = _response(answer, site, form, self.server)
            if file is not None:
                file.unlink(missing_ok=True)
        except ClientDisconnect:
            return
        except Exception as error:
            response = _error_response(error, site, form, self.server)
            if request.method == "POST" and not body.ended:
                await _drain(receive)
        await response(scope, receive, send)

    def _kept(self, call: Call, site: Site, form: str) -> Response:
        """A page as it was made before, or made now and kept."""
        if call.query.get("sort"):  # hardly anybody asks twice
            return _response(self.handler(call), site, form, self.server)
        who = call.viewer.role, call.viewer.team, call.viewer.name
        key = self.handler.__name__, tuple(sorted(call.path.items())), form, who
        now = version(call.challenge)  # before the page is made: what comes later makes it old
        if (kept := self.server.kept.get(key, now)) is not None:
            return Response(kept.content, media_type=kept.type)
        response = _response(self.handler(call), site, form, self.server)
        self.server.kept.put(key, now, bytes(response.body), response.media_type or "")
        return response

    async def _call(self, request: Request, now: datetime) -> Call:
        client = request.client.host if request.client else ""
        wait = self.server.requests.take(client)
        if self.takes_secrets:
            wait = max(wait, self.server.failures.wait(client))
        _refuse_for(wait)
        session = request.cookies.get(self.server.settings.cookie)
        call = Call(
            self.server.challenge, NOBODY, now, request.path_params, dict(request.query_params),
            session=session, client=client, settings=self.server.settings,
            metrics=self.server.metrics,
        )  # fmt: skip
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return replace(call, viewer=await self._of_token(token.strip(), client))
        if session:
            viewer = await run_in_threadpool(sessions.viewer_of_session, call.challenge, session)
            return replace(call, viewer=viewer)
        return call

    async def _of_token(self, token: str, client: str) -> Viewer:
        _refuse_for(self.server.failures.wait(client))
        viewer = await run_in_threadpool(teams.viewer_of_token, self.server.challenge, token)
        if viewer is None:
            self.server.failures.take(client)
            raise TokenError("this token is not known, was revoked, or its team is not approved")
        return viewer

    async def _handle(self, request: Request, call: Call) -> tuple[Answer, Path | None]:
        file = None
        try:
            if request.method == "POST":
                call = await self._with_body(request, call)
                file = call.upload.path if call.upload else None
            try:
                return await to_thread.run_sync(self.handler, call, limiter=self._threads), file
            except NotAllowedError:
                if self.takes_secrets:
                    self.server.failures.take(call.client)
                raise
        except BaseException:
            if file is not None:
                file.unlink(missing_ok=True)
            raise

    async def _with_body(self, request: Request, call: Call) -> Call:
        """The fields of a form, and the file if this page takes one."""
        if self.before is not None:
            call = replace(call, ticket=await run_in_threadpool(self.before, call))
        limits = call.challenge.config.limits
        most = FORM_BYTES if self.before is None else limits.upload_bytes
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        is_form = kind == "multipart/form-data"
        if is_form and self.before is not None:
            most += AROUND_A_FILE
        is_empty = request.headers.get("content-length") == "0"
        if is_empty and not is_form and self.before is not None:
            raise _FormError("no file was sent: choose one")
        if self.before is None:  # curl --data-binary calls a file a form without files
            is_form = is_form or kind == "application/x-www-form-urlencoded"
        body = LimitedBody(
            request.receive,
            Limits(most, self.server.settings.body_idle_seconds, limits.upload_seconds),
            request.headers.get("content-length"),
        )
        bounded = Request(request.scope, body)
        if is_form:
            return await _with_form(bounded, call, takes_file=self.before is not None)
        if self.before is not None:
            return replace(call, upload=await _raw_upload(bounded, call))
        return call


def _site(server: Server) -> Site:
    return Site.of(server.challenge, server.address, url=server.settings.url)


def _refuse_for(seconds: float) -> None:
    if seconds:
        raise RateError("too many requests from your address; try again later", int(seconds) + 1)


async def _with_form(request: Request, call: Call, *, takes_file: bool) -> Call:
    try:
        async with request.form(max_files=int(takes_file), max_fields=20) as form:
            # No database takes NUL in a text, and nobody types it.
            fields = {
                key: text.replace("\0", "") for key, text in form.items() if isinstance(text, str)
            }
            call = replace(call, form=fields)
            sent = next((each for each in form.values() if isinstance(each, UploadFile)), None)
            if sent is None or not (sent.filename or sent.size):
                if takes_file:
                    raise _FormError("no file was sent: choose one")
                return call
            path = new_upload(call.challenge)
            await run_in_threadpool(_copy, sent, path)
            return replace(call, upload=Upload(path, sent.filename or ""))
    except HTTPException as error:  # Starlette's, for what it cannot parse
        raise _FormError(str(error.detail)) from None


class _FormError(ChallengeError):
    """A form that cannot be read."""


def _copy(sent: UploadFile, path: Path) -> None:
    try:
        with path.open("wb") as file:
            shutil.copyfileobj(sent.file, file, 1 << 20)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


async def _raw_upload(request: Request, call: Call) -> Upload:
    """A body that is the file itself, as programs send it."""
    path = new_upload(call.challenge)
    try:
        with path.open("wb") as file:
            async for piece in request.stream():
                await run_in_threadpool(file.write, piece)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return Upload(path, call.query.get("filename", ""))


class _Noted:
    """A channel that notes when the body of the request has ended."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self.ended = receive, False

    async def __call__(self) -> Message:
        message = await self._receive()
        self.ended = not message.get("more_body", False)
        return message


async def _drain(receive: Receive) -> None:
    with suppress(Exception):
        async with asyncio.timeout(LINGER):
            while (message := await receive()).get("more_body"):
                pass
            del message


def _format(request: Request) -> str:
    if request.url.path.startswith("/api/"):
        return "json"
    return preferred_format(request.query_params.get("format"), request.headers.get("accept", ""))


def _response(answer: Answer, site: Site, form: str, server: Server) -> Response:
    if isinstance(answer, Download):
        remove = BackgroundTask(answer.path.unlink, missing_ok=True)
        return FileResponse(
            answer.path, media_type=answer.type, headers=dict(answer.headers),
            filename=answer.as_name, background=remove if answer.is_temporary else None,
        )  # fmt: skip
    if isinstance(answer, Text):
        save = {"content-disposition": f'attachment; filename="{answer.as_name}"'}
        return Response(
            answer.text, media_type=answer.type, headers=save if answer.as_name else None
        )
    if isinstance(answer, Moved):
        if form == "json":
            view = View("", data=answer.data)
            response = Response(view.to_json(), 200, media_type=FORMATS["json"])
        else:
            response = RedirectResponse(site.address(answer.name, **answer.parameters), 303)
        if answer.session is not None:
            _set_session(response, answer.session, server.settings)
        return response
    text, kind = None, "csv"
    if form == "csv":
        text = answer.to_csv()
    if form == "json":
        text, kind = answer.to_json(), "json"
    if text is None:
        text, kind = render(answer, site), "html"
    response = Response(text, answer.status, media_type=f"{FORMATS[kind]}; charset=utf-8")
    if answer.status == 503:
        response.headers["retry-after"] = str(RETRY)
    return response


def _set_session(response: Response, session: str, settings: Settings) -> None:
    life = int(sessions.SESSION_LIFE.total_seconds()) if session else 0
    response.set_cookie(
        settings.cookie, session, max_age=life, path="/", secure=settings.is_https, httponly=True,
        samesite="lax",
    )  # fmt: skip


def _error_response(error: Exception, site: Site, form: str, server: Server) -> Response:
    """What a client gets in place of a page. An error that nobody expected says nothing but that:
    its words could be about anything.
    """
    retry, sentence = None, str(error)
    if isinstance(error, ChallengeError):
        status, retry = error.status, error.retry_after
        if isinstance(error, UnavailableError) and error.detail:
            server.settings.write(line("unavailable", why=error.detail))
    elif isinstance(error, BodyError):
        status = error.status
    elif isinstance(error, HTTPException):
        status, sentence = error.status_code, _SENTENCES.get(error.status_code, error.detail)
    elif isinstance(error, OSError):
        status, retry, sentence = 503, RETRY, "the disk does not answer or is full; try again"
        server.settings.write(line("error", kind=type(error).__name__, errno=error.errno))
    else:
        status, sentence = 500, "something went wrong on the server; the organiser can see it"
        server.settings.write(line("error", kind=type(error).__name__, where=_where(error)))
    view = View("error", {"status": status, "sentence": sentence}, data={"error": sentence},
                status=status)  # fmt: skip
    response = _response(view, site, "json" if form == "json" else "html", server)
    if retry is not None:
        response.headers["retry-after"] = str(retry)
    if status == 401:
        response.headers["www-authenticate"] = "Bearer"
    if isinstance(error, BodyError):
        response.headers["connection"] = "close"
    return response


_SENTENCES = {404: "there is no such page", 405: "this page does not take that"}


def _where(error: BaseException) -> str:
    """The place in the source at which an error arose: no value is in it."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        place = f"{Path(code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


def error_page(server: Server) -> Any:
    """The handler of errors outside pages: addresses that no page has."""

    def handle(request: Request, error: Exception) -> Response:
        return _error_response(error, _site(server), _format(request), server)

    return handle
