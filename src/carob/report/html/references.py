"""What descriptions cite: the entries of `references.bib`, found by author and year in a text."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_ENTRY = re.compile(r"^@\w+\{([\w-]+?)(\d{4})[a-z]?,\n.*?^\}", re.M | re.S)
_CITATION = re.compile(
    r"(?P<names>[A-Z][\w’'-]*(?:(?: |, | & )[A-Z][\w’'-]*)*)(?: et al\.)?"
    r"(?: \(|, )(?P<year>\d{4})\)"
)


@cache
def entries() -> dict[tuple[str, str], str]:
    """Every entry, by the name of its first author and its year; several of one year together."""
    text = Path(__file__).with_name("references.bib").read_text("utf-8")
    found: dict[tuple[str, str], str] = {}
    for entry in _ENTRY.finditer(text):
        key = entry[1], entry[2]
        found[key] = f"{found[key]}\n\n{entry[0]}" if key in found else entry[0]
    return found


def cited(text: str) -> list[str]:
    """The entries that a text cites, as Author (Year) or (Author, Year), in its order.

    >>> [entry.split("{")[1][:9] for entry in cited("As in Esuli & Sebastiani (2010), section 4.")]
    ['esuli2010']
    """
    every = entries()
    found = []
    for citation in _CITATION.finditer(text):
        names = re.split(r" & |, | ", citation["names"].lower())
        keys = [(name, citation["year"]) for name in names]
        found += [every[key] for key in keys if key in every][:1]
    return list(dict.fromkeys(found))
