"""Hooks for mkdocs: what `make site` does beyond turning docs/ into HTML.

CONTRIBUTING.md and CHANGELOG.md become pages of the site. The pages are written for readers of the
repository, so links are changed where the site has another layout; a link to a file that the site
does not have becomes plain text. Drawings of mermaid become the list of their arrows, because the
program that draws them comes from a network. A page that would load anything from one is an error.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
ROOT_PAGES = ("CONTRIBUTING.md", "CHANGELOG.md")
LINK = re.compile(r"\[([^\[\]]*)\]\(([^()#:\s]+)(#[^()\s]*)?\)")
DRAWING = re.compile(r"^```mermaid\nflowchart TD\n(?: +\w+\[.*\]\n)*", re.M)
REMOTE = re.compile(
    r"<(?:script|img|iframe)\b[^>]*\bsrc=[\"']?(?:https?:)?//[^>]*>"
    r"|<link\b[^>]*\brel=[\"']?(?:stylesheet|preconnect|icon)\b[^>]*href=[\"']?(?:https?:)?//[^>]*>"
)


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Add the pages that are not in docs/."""
    for name in ROOT_PAGES:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links and drawings, as the site needs them."""
    here = (DOCS / page.file.src_uri).parent
    folder = ROOT if page.file.src_uri in ROOT_PAGES else here

    def link(match: re.Match[str]) -> str:
        text, target, anchor = match.groups(default="")
        path = Path(os.path.normpath(folder / target))
        if path.parent == ROOT and path.name in ROOT_PAGES:
            path = DOCS / path.name
        elif not path.is_relative_to(DOCS):
            return text
        return f"[{text}]({os.path.relpath(path, here)}{anchor})"

    return DRAWING.sub("```\n", LINK.sub(link, markdown))


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Refuse a page that loads something from a network when it is viewed."""
    remote = REMOTE.search(output)
    if remote is not None:
        raise PluginError(f"{page.file.src_uri} loads something from a network: {remote.group()}")
    return output
