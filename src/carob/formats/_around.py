"""JSON with words around it, as a language model gives it that was asked for JSON alone.

Such a file looks like columns, because every file of text does. It is told from columns by what
these cannot be: lines of different widths, none of which ends in a tag, an object that fills lines,
or one in the only line.
"""

from __future__ import annotations

import re

from carob.corpus.problems import Problem, shown
from carob.formats._json import DECODER

_ENOUGH = 1 << 13
_OPENS = re.compile(r'\{\s*"(?:[^"\\]|\\.)*+"\s*:', re.S)
_TAGGED = re.compile(r"(?:^|[ \t])(?:O|(?:O\|)*[BIESLUMW]-[^ \t]+)[ \t\r]*$")
_OBJECT = "a JSON object, one document a line"


def around(file: str, head: bytes) -> Problem | None:
    """What is wrong with a file that looks like columns and is JSON with something around it.

    >>> print(around("a.json", b'Sure! {"who": "Ann"}'))
    a.json:1: K211 found 'Sure!' before an object, expected JSON and nothing else; take away what \
stands around the JSON
    >>> around("a.conll", b'{"who": O\\n"Ann"} O\\n')
    """
    text = head.decode("utf-8", "replace").removeprefix("\ufeff")
    if _bare(text):
        return Problem("K211", file, 1 + _blank(text), shown(text.strip()), _OBJECT)
    opens = _OPENS.search(text)
    if opens is None or not (before := text[: opens.start()].strip()):
        return None
    lines = [line for line in text[:_ENOUGH].split("\n") if line.strip()]
    if len(lines) > 1 and len(text) > _ENOUGH:
        lines.pop()
    if any(_TAGGED.search(line) or line.startswith(("-DOCSTART-", "# newdoc")) for line in lines):
        return None
    lines = [line for line in lines if not line.startswith("# ")]
    widths = {len(line.split()) for line in lines}
    alone = len(lines) == 1 or widths == {1}
    if len(widths) == 1 and not _is_object(text, opens.start(), alone=alone):
        return None
    found = f"{shown(before.split(chr(10))[0].strip())} before an object"
    expected, hint = "JSON and nothing else", "take away what stands around the JSON"
    return Problem("K211", file, 1 + _blank(text), found, expected, hint)


def _blank(text: str) -> int:
    """How many blank lines a text begins with."""
    return text[: len(text) - len(text.lstrip())].count("\n")


def _bare(text: str) -> bool:
    """Is the whole of a text one JSON value that is no object and no list?"""
    try:
        value = DECODER.decode(text.strip())
    except (ValueError, RecursionError):
        return False
    return not isinstance(value, (dict, list))


def _is_object(text: str, start: int, *, alone: bool) -> bool:
    """Does an object stand here, alone or at least from the beginning to the end of lines?"""
    try:
        _, end = DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return False
    around = text[:start].rsplit("\n", 1)[-1] + text[end:].split("\n", 1)[0]
    return alone or not around.strip()
