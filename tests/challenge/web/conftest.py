"""Challenges that are served, on each database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

pytest.importorskip("starlette")

from carob_challenge import sessions, worker
from tests.challenge.web.client import Client, Served, serving
from tests.challenge.world import World


class Site(World):
    """A challenge that is served, and people who look at it."""

    served: Served

    def nobody(self) -> Client:
        return self.served.client()

    def as_team(self, name: str) -> Client:
        """A team in a browser."""
        self.team(name)
        client = self.nobody()
        answer = client.post("/login", {"token": self.tokens[name]})
        assert (303, "/team") == (answer.status, answer.to)
        return client

    def as_organiser(self) -> Client:
        """An organiser in a browser."""
        client = self.nobody()
        answer = client.post("/organiser/login", {"key": sessions.new_login(self.challenge)})
        assert (303, "/organiser") == (answer.status, answer.to)
        return client

    def work(self) -> None:
        """Score everything that waits."""
        worker.drain(self.challenge)


@pytest.fixture
def site(world: Callable[..., World]) -> Iterator[Callable[..., Site]]:
    """Serves challenges, with the arguments of `make`; those of `settings` are for the server."""
    with ExitStack() as stack:

        def new(*phases: str, settings: dict[str, Any] | None = None, **more: Any) -> Site:
            made = world(*phases, **more)
            found = Site(made.challenge, made.clock)
            found.served = stack.enter_context(serving(made.challenge, **(settings or {})))
            return found

        yield new
