"""How a challenge is served: its address, whom it trusts, and how much it takes from whom."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from carob.corpus.problems import UsageError, shown
from carob_challenge.log import Write, to_stderr
from carob_challenge.web.rates import Rate

COOKIE = "carob_session"


@dataclass(frozen=True, slots=True)
class Settings:
    """What `carob serve` was called with.

    >>> Settings("https://task.example.org/2027/").prefix
    '/2027'
    >>> Settings("task.example.org")
    Traceback (most recent call last):
        ...
    carob.corpus.problems.UsageError: found the address 'task.example.org', expected ...
    """

    url: str = "http://127.0.0.1:8080"
    """Where people find the challenge: a proxy may stand before the server."""
    proxy: str = ""
    """The addresses of proxies that are believed when they say whom they ask for."""
    write: Write = to_stderr
    """Where lines of the log go."""
    body_idle_seconds: float = 20.0
    """When an upload is given up that sends nothing."""
    keep_seconds: float = 2.0
    """How old a leaderboard may be that does not show the last score yet."""
    requests: Rate = field(default=Rate(per_minute=1200, burst=600))
    """From one address."""
    failures: Rate = field(default=Rate(per_minute=6, burst=20))
    """Tokens, invitations and logins that do not exist, from one address: then none that comes
    from there is looked at for a while."""

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
            raise UsageError(
                f"found the address {shown(self.url)}, expected one like https://task.example.org"
            )

    @property
    def is_https(self) -> bool:
        """Whether cookies are for encrypted connections only."""
        return self.url.startswith("https:")

    @property
    def prefix(self) -> str:
        """What all addresses begin with, if the challenge has only a part of a site."""
        return urlsplit(self.url).path.rstrip("/")

    @property
    def cookie(self) -> str:
        """The name of the session cookie; its prefix makes browsers check how it was set."""
        return f"__Host-{COOKIE}" if self.is_https else COOKIE

    @property
    def hosts(self) -> frozenset[str]:
        """What this server may be called; addresses in numbers always are."""
        name = urlsplit(self.url).hostname or ""
        return frozenset({name, "localhost", socket.gethostname()})
