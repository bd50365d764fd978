"""The application: all pages with their addresses, behind the guard and the log.

`/api` and the address of a page is the same page as JSON, with the same rules: there is one handler
for both. This is the one list of addresses: links, the copy in files and the tests are made from
it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Mount, Route, Router
from starlette.types import ASGIApp

from carob_challenge.challenge import Challenge
from carob_challenge.web import organiser, pages
from carob_challenge.web.endpoint import Endpoint, Handler, Server, error_page
from carob_challenge.web.guard import Guard
from carob_challenge.web.log import Log
from carob_challenge.web.settings import Settings


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its name, its address, the method and the function that makes it."""

    name: str
    path: str
    handler: Handler
    method: str = "GET"
    before: Handler | None = None
    takes_secrets: bool = False
    is_kept: bool = False


PAGES = (
    Page("home", "/", pages.home),
    Page("board", "/board", pages.show_board, is_kept=True),
    Page("phase_board", "/board/{phase}", pages.show_board, is_kept=True),
    Page("labels", "/board/{phase}/labels", pages.labels, is_kept=True),
    Page("errors", "/board/{phase}/errors", pages.errors, is_kept=True),
    Page("history", "/board/{phase}/history", pages.history, is_kept=True),
    Page("submit", "/submit", pages.submit),
    Page("receive", "/submit", pages.receive, "POST", before=pages.begin),
    Page("receive_for", "/submit/{phase}", pages.receive, "POST", before=pages.begin),
    Page("page", "/pages/{page}", pages.written),
    Page("news", "/news", pages.news),
    Page("run", "/runs/{run:int}", pages.run),
    Page("run_file", "/runs/{run:int}/file", pages.run_file),
    Page("describe", "/runs/{run:int}/details", pages.describe, "POST"),
    Page("withdraw", "/runs/{run:int}/withdraw", pages.withdraw, "POST"),
    Page("report", "/runs/{run:int}/report", pages.report),
    Page("mark_primary", "/runs/{run:int}/primary", pages.mark_primary, "POST"),
    Page("team", "/team", pages.team),
    Page("set_affiliation", "/team/affiliation", pages.set_affiliation, "POST"),
    Page("join", "/join", pages.join),
    Page("register", "/join", pages.register, "POST", takes_secrets=True),
    Page("log_in", "/login", pages.log_in),
    Page("start_session", "/login", pages.start_session, "POST", takes_secrets=True),
    Page("log_out", "/logout", pages.log_out, "POST"),
    Page("phase", "/phases/{phase}", pages.phase),
    Page("file", "/files/{name}", pages.file),
    Page("asset", "/assets/{name}", pages.asset),
    Page("theme", "/theme.css", pages.theme),
    Page("logo", "/logo", pages.logo),
    Page("health", "/healthz", pages.health),
    Page("metrics", "/metrics", pages.metrics),
    Page("organiser", "/organiser", organiser.dashboard),
    Page("organiser_login", "/organiser/login", organiser.log_in),
    Page("redeem", "/organiser/login", organiser.redeem, "POST", takes_secrets=True),
    Page("organiser_teams", "/organiser/teams", organiser.all_teams),
    Page("add_team", "/organiser/teams", organiser.add_team, "POST"),
    Page("organiser_team", "/organiser/teams/{team:int}", organiser.team),
    Page("decide", "/organiser/teams/{team:int}/decide", organiser.decide, "POST"),
    Page("new_token", "/organiser/teams/{team:int}/token", organiser.new_token, "POST"),
    Page("revoke", "/organiser/teams/{team:int}/revoke", organiser.revoke, "POST"),
    Page("rename", "/organiser/teams/{team:int}/rename", organiser.rename, "POST"),
    Page("merge", "/organiser/teams/{team:int}/merge", organiser.merge, "POST"),
    Page("delete", "/organiser/teams/{team:int}/delete", organiser.delete, "POST"),
    Page("invite", "/organiser/invitations", organiser.invite, "POST"),
    Page("organiser_runs", "/organiser/runs", organiser.all_runs),
    Page("all_files", "/organiser/runs/files", organiser.all_files),
    Page("disqualify", "/organiser/runs/{run:int}/disqualify", organiser.disqualify, "POST"),
    Page("reinstate", "/organiser/runs/{run:int}/reinstate", organiser.reinstate, "POST"),
    Page("retry", "/organiser/runs/{run:int}/retry", organiser.retry, "POST"),
    Page("organiser_phase", "/organiser/phases/{phase}", organiser.phase),
    Page("move", "/organiser/phases/{phase}/times", organiser.move, "POST"),
    Page("reveal", "/organiser/phases/{phase}/reveal", organiser.reveal, "POST"),
    Page("significance", "/organiser/significance", organiser.significance),
    Page("phase_significance", "/organiser/significance/{phase}", organiser.significance),
    Page("alike", "/organiser/alike", organiser.alike),
    Page("phase_alike", "/organiser/alike/{phase}", organiser.alike),
    Page("organiser_news", "/organiser/news", organiser.all_news),
    Page("add_news", "/organiser/news", organiser.add_news, "POST"),
    Page("remove_news", "/organiser/news/{news:int}/remove", organiser.remove_news, "POST"),
    Page("overview", "/organiser/overview", organiser.overview),
    Page("phase_overview", "/organiser/overview/{phase}", organiser.overview),
    Page("overview_file", "/organiser/overview/{phase}/{kind}", organiser.overview_file),
    Page("audit", "/organiser/audit", organiser.audit),
)
"""Every address of the site."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where pages are on a server.

    >>> Addresses("/2027")("phase_board", phase="test", format="csv")
    '/2027/board/test?format=csv'
    """

    prefix: str = ""

    def __call__(self, page: str, /, *, format: str = "", sort: str = "", **values: object) -> str:
        """The address of a page, with the values in it."""
        path = filled(_PATHS[page], values)
        query = urlencode({key: text for key, text in (("format", format), ("sort", sort)) if text})
        return f"{self.prefix}{path}" + (f"?{query}" if query else "")


_PATHS = {page.name: page.path for page in PAGES}


def filled(path: str, values: dict[str, Any]) -> str:
    """An address with its values.

    >>> filled("/runs/{run:int}", {"run": 3})
    '/runs/3'
    """
    parts = []
    for part in path.split("/"):
        key = part.strip("{}").partition(":")[0]
        parts.append(quote(str(values[key]), safe="") if part.startswith("{") else part)
    return "/".join(parts)


def application(challenge: Challenge, settings: Settings | None = None) -> ASGIApp:
    """The server of a challenge, to be run by any server of ASGI applications."""
    settings = settings or Settings()
    server = Server.of(challenge, settings, Addresses(settings.prefix))
    routes = [
        Route(
            page.path, methods=[page.method], name=page.name,
            endpoint=Endpoint(
                server, page.handler, page.before, page.takes_secrets, page.is_kept
            ),
        )
        for page in PAGES
    ]  # fmt: skip
    site = Starlette(
        routes=[Mount("/api", Router(routes, redirect_slashes=False)), *routes],
        exception_handlers={HTTPException: error_page(server), 500: error_page(server)},
    )
    site.router.redirect_slashes = False
    return Log(Guard(site, settings.hosts, settings.is_https), settings.write, server.metrics)
