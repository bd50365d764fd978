"""Cut texts into tokens, many texts at a time: characters have kinds, and kinds make tokens."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np

from carob.arrays.types import BoolArray, ByteArray, IntArray

SPACE, WORD, OTHER, FOLLOWS, UNSEEN = 0, 1, 2, 3, 255
CUTTERS = ("words", "whitespace")

_HIGHEST = 0x110000
ZERO_WIDTH_SPACE = 0x200B
_tables: dict[str, ByteArray] = {}


def _kind(code: int, how: str) -> int:
    sign = chr(code)
    if sign.isspace() or (how == "words" and code == ZERO_WIDTH_SPACE):
        return SPACE
    if how == "whitespace" or sign.isalnum() or sign == "_":
        return WORD
    category = unicodedata.category(sign)
    return FOLLOWS if category[0] == "M" or category == "Cf" else OTHER


def kinds(codes: IntArray, how: str) -> ByteArray:
    """The kind of each character; each new character is looked up once.

    >>> kinds(np.array([ord("a"), ord(" "), ord(".")]), "words").tolist() == [WORD, SPACE, OTHER]
    True
    """
    table = _tables.setdefault(how, np.full(_HIGHEST, UNSEEN, np.uint8))
    kind = table[codes]
    if np.any(kind == UNSEEN):
        for code in np.unique(codes[kind == UNSEEN]).tolist():
            table[code] = _kind(code, how)
        kind = table[codes]
    return kind


def cut(texts: Sequence[str], how: str = "words") -> tuple[IntArray, IntArray, IntArray]:
    """Offsets, and the start and end of every token, counted from the beginning of its text.

    `whitespace` cuts at white space and nowhere else, as `str.split` does. With `words` a run of
    letters, digits and underscores is a token, and so is every other character; marks
    (accents, vowel signs) and format characters (joiners, soft hyphens) stay with the character
    before them, by rule WB4 of Unicode Standard Annex #29, and the zero-width space is white space.

    >>> offsets, start, end = cut(["Ann's at e-mail.", "x"])
    >>> offsets.tolist(), start.tolist(), end.tolist()
    ([0, 8, 9], [0, 3, 4, 6, 9, 10, 11, 15, 0], [3, 4, 5, 8, 10, 11, 15, 16, 1])
    """
    whole = "\n".join(("", *texts, ""))
    codes = np.frombuffer(whole.encode("utf-32-le", "surrogatepass"), "<u4")
    kind = kinds(codes.astype(np.int64), how)
    start, inside = _starts(kind), kind != SPACE
    stops = np.append(start[1:] | ~inside[1:], True)
    first, last = np.flatnonzero(start), np.flatnonzero(inside & stops)
    begin = np.cumsum([1] + [len(text) + 1 for text in texts])
    offsets = np.searchsorted(first, begin)
    base = np.repeat(begin[:-1], np.diff(offsets))
    return offsets, first - base, last + 1 - base


def _starts(kind: ByteArray) -> BoolArray:
    """Where a token begins; the first character is white space."""
    base = _base_kinds(kind)
    starts: BoolArray = kind == OTHER
    starts[1:] |= (kind[1:] == WORD) & (base[:-1] != WORD)
    starts[1:] |= (kind[1:] == FOLLOWS) & (kind[:-1] == SPACE)
    return starts


def _base_kinds(kind: ByteArray) -> ByteArray:
    """The kind of each character, where those that follow another have the kind of that one."""
    follows = np.flatnonzero(kind == FOLLOWS)
    opens_row = np.diff(follows, prepend=-2) > 1
    base = kind.copy()
    base[follows] = kind[follows[opens_row] - 1][np.cumsum(opens_row) - 1]
    return base
