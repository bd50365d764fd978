"""Markdown of organisers as HTML: only what text needs, and nothing that could run."""

from __future__ import annotations

from functools import cache
from typing import Any

from carob.result.result import library

TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre",
    "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
"""What may stand in a page. Pictures are no text; pages have a heading of the first level."""

SCHEMES = {"http", "https", "mailto"}


def to_html(text: str) -> Any:
    """Text in Markdown as HTML that a template writes as it is.

    >>> print(to_html("# Rules\\n\\n*No* <script>alert(1)</script>"))
    <h2>Rules</h2>
    <p><em>No</em> &lt;script&gt;alert(1)&lt;/script&gt;</p>
    >>> print(to_html("[a](javascript:x) [b](https://example.org)"))
    <p>[a](javascript:x) <a href="https://example.org" rel="nofollow noopener">b</a></p>
    """
    html = library("nh3", "challenge").clean(
        _parser().render(text), tags=TAGS, attributes={"a": {"href"}}, url_schemes=SCHEMES,
        link_rel="nofollow noopener",
    )  # fmt: skip
    return library("markupsafe", "challenge").Markup(html.strip())


@cache
def _parser() -> Any:
    """Markdown without HTML in it. Headings are one level lower than they are written."""
    made = library("markdown_it", "challenge").MarkdownIt("commonmark", {"html": False})
    made.enable(["table", "strikethrough"]).disable("image")
    made.core.ruler.push("lower_headings", _lower_headings)
    return made


def _lower_headings(state: Any) -> None:
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 4)}"


def title_of(text: str, fallback: str) -> tuple[str, str]:
    """The title of a page, which is its first line if that is a heading, and the rest.

    >>> title_of("# Rules\\n\\nNone.", "rules"), title_of("None.", "rules")
    (('Rules', 'None.'), ('Rules', 'None.'))
    """
    first, _, rest = text.strip().partition("\n")
    if first.startswith("# "):
        return first[2:].strip(), rest.strip()
    return fallback.replace("-", " ").capitalize(), text.strip()
