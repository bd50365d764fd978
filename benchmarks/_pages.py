"""Puts measured tables into docs/performance.md, between their marks."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"


def filled(page: str, name: str, text: str) -> str:
    """The page with `text` between `<!-- NAME -->` and `<!-- /NAME -->`."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
        raise ValueError(f"expected one {begin} and one {end} after it")
    before, _, rest = page.partition(begin)
    after = rest.partition(end)[2]
    return f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}"


def write(name: str, text: str, page: Path = PAGE) -> None:
    """Replaces that part of the page."""
    page.write_text(filled(page.read_text(encoding="utf-8"), name, text), encoding="utf-8")
