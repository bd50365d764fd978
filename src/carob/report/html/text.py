"""Text from files as a page shows it: everything visible, nothing too long, valid in UTF-8."""

from __future__ import annotations

import re

LONGEST = 240
"""A text that is longer loses its middle."""

_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufeff\ufff0-\uffff\U000e0000-\U000e0fff]"
)
"""Control characters, signs without width that change what a reader sees, and half characters."""


def visible(text: str, longest: int = LONGEST) -> str:
    """Text with hidden characters as escapes, as `corpus.problems.plain` has them, and without
    its middle if it is long. Line breaks and tabs become spaces.

    >>> visible("a\\x00b\\u202ec\\n")
    'a\\\\x00b\\\\u202ec '
    >>> visible("x" * 500, 20)
    'xxxxxxxxxxxxxxx…xxxxx (500 characters)'
    """
    if len(text) > longest:
        first, last = longest * 3 // 4, longest // 4
        return (
            f"{_HIDDEN.sub(_shown, text[:first])}…{_HIDDEN.sub(_shown, text[-last:])} "
            f"({len(text):,} characters)"
        )
    return _HIDDEN.sub(_shown, text)


def _shown(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code in (0x09, 0x0A, 0x0D, 0x2028, 0x2029):
        return " "
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
