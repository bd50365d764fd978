"""A file that a recipe names: read once, and sealed by its hash in signatures."""

from __future__ import annotations

import re

from carob.corpus.problems import RecipeError, shown
from carob.corpus.source import Source

_SEALED = re.compile(r"(?P<path>.*)#sha256=(?P<seal>[0-9a-f]{8})", re.S)


def unsealed(parameter: str, text: str, what: str) -> tuple[Source, bytes]:
    """The file and its content; a path that ends in #sha256=… must have just that content."""
    match = _SEALED.fullmatch(text)
    path = match["path"] if match else text
    if path in ("", "-"):
        raise RecipeError(f"{parameter}: found {shown(path)}, expected a file")
    source = Source(path)
    data = b"".join(source.blocks())
    if match and not source.sha256.startswith(match["seal"]):
        raise source.failure(
            "K903", f"sha256={source.sha256[:8]}", f"sha256={match['seal']}, {what}"
        )
    return source, data


def sealed(path: str, sha256: str) -> str:
    """The path with the hash, for signatures.

    >>> sealed("weights.txt", "0123456789abcdef")
    'weights.txt#sha256=01234567'
    """
    return f"{path}#sha256={sha256[:8]}"
