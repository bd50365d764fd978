"""A value as a file has it: what kind of JSON it is, and its text as it is written."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

TEXT, NUMBER, BOOLEAN, OBJECT = range(4)
"""The kinds of values: a text, a JSON number, true or false, an object."""

KINDS = ("text", "number", "boolean", "object")
"""Their names."""


class Raw(NamedTuple):
    """One value; the text of an object is its JSON with sorted keys.

    >>> Raw(NUMBER, "1.50").text
    '1.50'
    """

    kind: int
    text: str


def trimmed(text: str) -> str:
    """A text in Unicode's NFKC form, without white space at its ends.

    >>> trimmed(" ﬁle ")
    'file'
    """
    return text.strip() if text.isascii() else unicodedata.normalize("NFKC", text).strip()


def fold(text: str) -> str:
    """A text as it is compared: without case, with single white space, in Unicode's NFKC form.

    >>> fold(" Joel\\n S. BIRNBAUM "), fold("ﬁne")
    ('joel s. birnbaum', 'fine')
    """
    if text.isascii():
        return " ".join(text.lower().split())
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", plain).split())
