"""Pages from templates, for the server and for a copy in files.

Every value in a template is escaped, and a missing one is an error. Characters that hide or reorder
text are shown as escapes, as in carob's reports.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from carob._version import __version__
from carob.report.html.text import visible
from carob.result.result import library
from carob_challenge.challenge import Challenge
from carob_challenge.pages import texts
from carob_challenge.viewer import NOBODY
from carob_challenge.web import plot
from carob_challenge.web.markdown import title_of, to_html
from carob_challenge.web.view import View

FOLDER = Path(__file__).parent
TEMPLATES, ASSETS = FOLDER / "templates", FOLDER / "assets"

Address = Callable[..., str]
"""From the name of a page, the values in its address and a format, to its address."""


@dataclass(frozen=True, slots=True)
class Site:
    """What all pages have in common: the title, who looks, when, and where pages are."""

    title: str
    address: Address
    viewer: Any
    now: datetime
    is_static: bool = False
    url: str = ""
    texts: tuple[tuple[str, str], ...] = ()
    """The pages that organisers wrote: name and title."""
    has_logo: bool = False
    has_colour: bool = False

    @classmethod
    def of(cls, challenge: Challenge, address: Address, **more: Any) -> Site:
        """The site of a challenge, as nobody sees it."""
        own = challenge.written
        titles = tuple(
            (name, title_of(path.read_text("utf-8", "replace"), name)[0])
            for name, path in texts(challenge).items()
        )
        return cls(own.title, address, NOBODY, challenge.now(), texts=titles,
                   has_logo=bool(own.logo), has_colour=bool(own.colour), **more)  # fmt: skip


PAGES = (
    ("home", "Task", "everybody"), ("board", "Leaderboard", "everybody"),
    ("submit", "Submit", "visitors"), ("team", "My team", "teams"), ("join", "Join", "nobody"),
    ("organiser", "Organiser", "organiser"),
)  # fmt: skip
"""What the navigation shows, and to whom."""


def _pages(site: Site) -> list[tuple[str, str]]:
    viewer = site.viewer
    groups = {
        "everybody": True, "visitors": not viewer.is_organiser, "teams": viewer.role == "team",
        "nobody": viewer.role == "nobody", "organiser": viewer.is_organiser,
    }  # fmt: skip
    return [
        (name, title) for name, title, group in PAGES
        if groups[group] and (not site.is_static or group == "everybody")
    ]  # fmt: skip


def render(view: View, site: Site) -> str:
    """A page in HTML."""
    template = environment().get_template(f"{view.template}.html.j2")
    text: str = template.render(
        **view.content, site=site, viewer=site.viewer, address=site.address, now=site.now,
        is_static=site.is_static, pages=_pages(site), here=view.template.partition("-")[0],
        version=__version__, tables=view.tables,
    )  # fmt: skip
    # What is not valid UTF-8 was made visible; this makes sure that nothing else is written.
    return text.encode("utf-8", "backslashreplace").decode()


@cache
def environment() -> Any:
    """The templates."""
    jinja2 = library("jinja2", "challenge")
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True,
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_finalize,
    )  # fmt: skip
    made.filters |= {
        "score": score, "when": when, "iso": iso, "whole": whole, "bytes": size, "signed": signed,
        "markdown": to_html, "duration": duration,
        "p_value": p_value, "percent": percent, "short": short,
    }  # fmt: skip
    made.globals |= {"axis": plot.axis, "history": plot.history}
    return made


def _finalize(value: Any) -> Any:
    """What an expression of a template writes: text is made visible, no value is ''."""
    if value is None:
        return ""
    return visible(value) if type(value) is str else value


class _Shown(str):
    """Text that is made visible already."""

    __slots__ = ()


def whole(text: str) -> str:
    """Text in all its length, line by line."""
    lines = text.replace("\r\n", "\n").split("\n")
    return _Shown("\n".join(visible(line, max(len(line), 1)) for line in lines))


def score(value: float | None, decimals: int = 4) -> str:
    """A score as tables have it; a dash if there is none.

    >>> score(0.51234), score(None), score(-0.5, 1)
    ('0.5123', '–', '−0.5')
    """
    if value is None or value != value:
        return "–"
    return f"{value:.{decimals}f}".replace("-", "−")


def signed(value: float | None) -> str:
    """A difference with its sign."""
    return score(value) if value is None or value <= 0 else f"+{value:.4f}"


def percent(share: float) -> str:
    """A share.

    >>> percent(0.987)
    '98.7 %'
    """
    return f"{100 * share:.1f} %"


def short(text: str) -> str:
    """A name where there is little room.

    >>> short("a very long name of a team")
    'a very long name…'
    """
    return visible(text if len(text) <= 17 else f"{text[:16]}…")


def p_value(value: float | None) -> str:
    """A p value as carob's tables have it."""
    from carob.result.comparison import p_value as written

    return "–" if value is None else written(value)


def when(moment: datetime) -> str:
    """A time for people, with its zone.

    >>> when(datetime(2026, 3, 9, 7, 5, tzinfo=UTC))
    '9 Mar 2026, 07:05 UTC'
    """
    moment = moment.astimezone(UTC)
    return f"{moment.day} {moment:%b %Y, %H:%M} UTC"


def iso(moment: datetime) -> str:
    """A time for scripts."""
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def size(number: int) -> str:
    """A number of bytes.

    >>> size(812), size(50_000_000)
    ('812 bytes', '50 MB')
    """
    for unit, name in ((1_000_000, "MB"), (1_000, "kB")):
        if number >= unit:
            return f"{number / unit:.3g} {name}"
    return f"{number} bytes"


def duration(seconds: float) -> str:
    """How long until something happens.

    >>> duration(90), duration(7200), duration(200_000)
    ('2 minutes', '2 hours', '2 days')
    """
    for unit, name in ((86400.0, "day"), (3600.0, "hour"), (60.0, "minute")):
        if seconds >= 1.5 * unit:
            return f"{round(seconds / unit)} {name}s"
        if seconds >= unit:
            return f"1 {name}"
    return "less than a minute"


def content_of(assets: Path = ASSETS) -> Mapping[str, Path]:
    """The files that pages load, by name: there are no others."""
    return {file.name: file for file in sorted(assets.iterdir())}
