"""How wide text is on a terminal."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


@lru_cache  # a table says the same few things again and again
def width(text: str) -> int:
    """How many places a text takes on a terminal.

    >>> width("abc"), width("東京")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return len(text) + wide - sum(unicodedata.combining(sign) > 0 for sign in text)
