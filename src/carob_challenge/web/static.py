"""The site as files that need no server: for archives, and for organisers who run none.

The pages are made by the same handlers and templates as those of the server, for a viewer who is
nobody: the copy shows what everybody may see.
"""

from __future__ import annotations

import posixpath
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from carob_challenge.challenge import Challenge
from carob_challenge.errors import ChallengeError
from carob_challenge.pages import texts
from carob_challenge.viewer import NOBODY, Viewer
from carob_challenge.web.app import PAGES, filled
from carob_challenge.web.endpoint import Call
from carob_challenge.web.render import Site, content_of, render
from carob_challenge.web.theme import style_sheet
from carob_challenge.web.view import View

COPIED = ("home", "board", "phase_board", "labels", "errors", "history", "page", "news")
"""The pages that a copy has; the others are forms, or need a login."""

_FILES = ("asset", "theme", "logo")

_BY_NAME = {page.name: page for page in PAGES}


@dataclass(frozen=True, slots=True)
class StaticAddresses:
    """Where pages are, from a page of the copy.

    >>> StaticAddresses("board/test.html")("home"), StaticAddresses("index.html")("home")
    ('../index.html', 'index.html')
    >>> StaticAddresses("board/test.html")("phase_board", phase="test", format="csv")
    'test.csv'
    """

    here: str

    def __call__(self, page: str, /, *, format: str = "html", **values: object) -> str:
        """The address of a page."""
        if page not in (*COPIED, *_FILES):
            raise KeyError(f"a copy in files has no page {page}")
        target = file_name(page, format, **values)
        return posixpath.relpath(target, posixpath.dirname(self.here) or ".")


def file_name(page: str, format: str = "html", /, **values: Any) -> str:
    """The file of a page in the copy.

    >>> file_name("home"), file_name("labels", phase="test"), file_name("board", "csv")
    ('index.html', 'board/test/labels.html', 'board.csv')
    """
    path = filled(_BY_NAME[page].path, values).strip("/")
    return path if page in _FILES else f"{path or 'index'}.{format}"


def write_site(challenge: Challenge, folder: Path, viewer: Viewer = NOBODY) -> list[Path]:
    """Write the copy into a folder; its files. Pages that are not revealed are left out."""
    written = []
    for name, values in _pages(challenge):
        call = Call(challenge, viewer, challenge.now(), {k: str(v) for k, v in values.items()})
        try:
            answer = _BY_NAME[name].handler(call)
        except ChallengeError:
            continue
        written += list(_write(challenge, folder, name, values, answer))
    assets = folder / "assets"
    assets.mkdir(parents=True, exist_ok=True)
    (folder / "theme.css").write_text(style_sheet(challenge.config.colour), encoding="utf-8")
    if challenge.config.logo:
        shutil.copyfile(challenge.folder / challenge.config.logo, folder / "logo")
    return written + [shutil.copyfile(file, assets / file.name) for file in content_of().values()]


def _pages(challenge: Challenge) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "home", {}
    yield "board", {}
    yield "news", {}
    yield from (("page", {"page": name}) for name in texts(challenge))
    for phase in challenge.config.phases:
        for name in ("phase_board", "labels", "errors", "history"):
            yield name, {"phase": phase}


def _write(
    challenge: Challenge, folder: Path, name: str, values: dict[str, Any], view: View
) -> Iterator[Path]:
    targets = {format: file_name(name, format, **values) for format in ("html", "json", "csv")}
    site = Site.of(challenge, StaticAddresses(targets["html"]), is_static=True)
    texts = {"html": render(view, site), "json": view.to_json(), "csv": view.to_csv()}
    for format, text in texts.items():
        if text is not None:
            path = folder / targets[format]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            yield path
