"""Where a string occurs in a text: verbatim, then folded, then word by word.

A text is cut into pieces: a run of letters, digits and underscores is a piece, and so is any other
character; marks belong to the character before them. In scripts without spaces between words
(Chinese, Japanese, Thai ...), and in Korean, where particles are attached to words, each character
is a piece. An occurrence begins and ends where pieces do, so 'Ann' is not in 'Annual'. Pieces are
joined by a border character and found by one string search, so that no text and no string can make
the search quadratic.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, chain

import numpy as np

from carob.arrays.types import IntArray
from carob.corpus.document import Span

LEVELS = VERBATIM, FOLDED, BY_WORDS = range(3)
"""How a string may occur."""

_BORDER = "\0"
_FEW = 16
"""After this many searches in a text it pays to know where each piece is."""
_STEP = 500
"""To look at one place takes as long as to search this many characters."""
_WORD = re.compile(r"\w+", re.ASCII)
_UNSPACED = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff"
)
"""Thai and Lao, Tibetan, Burmese, Khmer, kana, Han characters, Korean syllables."""
_ALONE = re.compile(f"[{_UNSPACED}]")


@lru_cache(maxsize=256)
def _pieces(marks: str) -> re.Pattern[str]:
    """Cuts texts whose marks, attached to the character before them, are exactly these."""
    if not marks:
        return re.compile(rf"[^\W{_UNSPACED}]+|[{_UNSPACED}]|\W")
    on = f"[{re.escape(marks)}]*"
    return re.compile(rf"(?:[^\W{_UNSPACED}]{on})+|[{_UNSPACED}]{on}|\W{on}")


def cut(text: str) -> list[str]:
    """The pieces of a text, end to end.

    >>> cut("Ann's 2_a, 東京")
    ['Ann', "'", 's', ' ', '2_a', ',', ' ', '東', '京']
    """
    marks = "" if text.isascii() else "".join(sorted(filter(_follows, set(text))))
    return _pieces(marks).findall(text)


@lru_cache(maxsize=4096)
def _follows(sign: str) -> bool:
    category = unicodedata.category(sign)
    return category[0] == "M" or category == "Cf"


@lru_cache(maxsize=1 << 16)
def _folded(piece: str) -> tuple[str, ...]:
    """A piece without case, in NFKC form; one character may become several pieces, or a space."""
    if piece.isascii():
        return (" ",) if piece.isspace() else (piece.lower(),)
    plain = unicodedata.normalize("NFKC", piece).casefold()
    again = cut(unicodedata.normalize("NFKC", plain))
    return tuple(" " if part.isspace() else part for part in again)


def _is_word(piece: str) -> bool:
    return piece[0].isalnum() or piece[0] == "_"


def shared_words(text: str) -> list[str]:
    """The words by which two folded texts overlap: split at white space, without the punctuation at
    their ends; each character of a script without spaces. A token of only punctuation is a word.

    >>> shared_words("joel s. birnbaum, ph.d"), shared_words("c++ & (東京,大x)")
    (['joel', 's', 'birnbaum', 'ph.d'], ['c++', '&', '東', '京', '大', 'x'])
    """
    if text.isascii():
        return [token.strip(_PUNCTUATION) or token for token in text.split()]
    words: list[str] = []
    for token in text.split():
        words += [word for run in _runs(token) if (word := _stripped(run))] or [token]
    return words


def _runs(token: str) -> list[str]:
    """A token, cut before and after each character of a script without spaces."""
    runs = [""]
    for piece in cut(token):
        if _ALONE.match(piece):
            runs += [piece, ""]
        else:
            runs[-1] += piece
    return runs


def _stripped(run: str) -> str:
    """Without punctuation at its ends."""
    first, last = 0, len(run)
    while first < last and _is_punctuation(run[first]):
        first += 1
    while first < last and _is_punctuation(run[last - 1]):
        last -= 1
    return run[first:last]


@lru_cache(maxsize=4096)
def _is_punctuation(sign: str) -> bool:
    return sign != "_" and unicodedata.category(sign)[0] == "P"


_PUNCTUATION = "".join(filter(_is_punctuation, map(chr, range(128))))


@lru_cache(maxsize=1 << 14)
def weight(string: str) -> tuple[int, int]:
    """The length of a string: the characters in its words or, if it has no words, all characters.
    Strings that may occur at the same place have the same length.

    >>> weight("Ann-Lee"), weight("ANN  LEE"), weight("...")
    ((6, 0), (6, 0), (0, 3))
    """
    if string.isascii() and (words := _WORD.findall(string)):
        return sum(map(len, words)), 0
    pieces = list(chain.from_iterable(map(_folded, cut(string.strip()))))
    letters = sum(len(piece) for piece in pieces if _is_word(piece))
    return letters, 0 if letters else len(pieces)


class _Layer:
    """Pieces with borders between them; `start` and `end` are where each lies in the text."""

    def __init__(self, pieces: Sequence[str], start: IntArray, end: IntArray) -> None:
        self._joined, self._start, self._end = _with_borders(pieces), start, end
        sizes = np.fromiter(map(len, pieces), np.int64, len(pieces))
        self._border = np.cumsum(sizes + 1) - sizes - 1  # the one before each piece
        self._pieces, self._searches = pieces, 0

    @cached_property
    def _rows(self) -> dict[str, list[int]]:
        """Where each piece is."""
        rows: dict[str, list[int]] = {}
        for row, piece in enumerate(self._pieces):
            rows.setdefault(piece, []).append(row)
        return rows

    def find(self, pieces: Sequence[str]) -> list[Span]:
        """Where these pieces occur in sequence, from left to right, without overlaps."""
        spans: list[Span] = []
        wanted = _with_borders(pieces)
        self._searches += 1
        if self._searches > _FEW and pieces:
            rare = min(set(pieces), key=lambda piece: len(self._rows.get(piece, ())))
            rows = self._rows.get(rare, ())
            if len(rows) * max(len(wanted), _STEP) < len(self._joined):
                return self._at(rows, pieces.index(rare), wanted, len(pieces))
        at = self._joined.find(wanted) if pieces else -1
        while at >= 0:
            first = int(np.searchsorted(self._border, at))
            spans.append((int(self._start[first]), int(self._end[first + len(pieces) - 1])))
            at = self._joined.find(wanted, at + len(wanted) - 1)
        return spans

    def _at(self, rows: Sequence[int], place: int, wanted: str, size: int) -> list[Span]:
        """The same, where `rows` are those of the piece at a place of what is wanted."""
        spans: list[Span] = []
        free = 0
        for row in rows:
            first = row - place
            if first >= free and self._joined.startswith(wanted, int(self._border[first])):
                free = first + size
                spans.append((int(self._start[first]), int(self._end[free - 1])))
        return spans


def _with_borders(pieces: Sequence[str]) -> str:
    return _BORDER + _BORDER.join(pieces) + _BORDER


class Occurrences:
    """Finds strings in one text.

    >>> text = Occurrences("Ann Lee met ANN  LEE (Ann-Lee), not Annual")
    >>> [text.of("Ann Lee", level) for level in (VERBATIM, FOLDED, BY_WORDS)]
    [[(0, 7)], [(0, 7), (12, 20)], [(0, 7), (12, 20), (22, 29)]]
    """

    def __init__(self, text: str) -> None:
        self._pieces = cut(_clean(text))
        self._known: dict[tuple[str, int], list[Span]] = {}

    def of(self, string: str, level: int) -> list[Span]:
        """The occurrences of a string at a level, which is searched only once."""
        key = string, level
        if key not in self._known:
            self._known[key] = self._find(string, level)
        return self._known[key]

    def has(self, string: str) -> bool:
        """Whether a string occurs: verbatim, folded, or word by word.

        >>> Occurrences("Annual ANN").has("Ann"), Occurrences("Annual").has("Ann")
        (True, False)
        """
        return any(self.of(string, level) for level in LEVELS)

    def _find(self, string: str, level: int) -> list[Span]:
        pieces = cut(_clean(string).strip())
        if level == VERBATIM:
            return self._plain.find(pieces)
        folded = _single(chain.from_iterable(map(_folded, pieces)))
        if level == FOLDED:
            return self._folds.find(folded)
        return self._words.find([piece for piece in folded if _is_word(piece)])

    @cached_property
    def _ends(self) -> IntArray:
        return np.cumsum(np.fromiter(map(len, self._pieces), np.int64, len(self._pieces)))

    @cached_property
    def _plain(self) -> _Layer:
        return _Layer(self._pieces, np.append(0, self._ends)[:-1], self._ends)

    @cached_property
    def _folded(self) -> tuple[list[str], IntArray, IntArray]:
        """Folded pieces with single spaces, and where each begins and ends in the text."""
        folded = [_folded(piece) for piece in self._pieces]
        sizes = np.fromiter(map(len, folded), np.int64, len(folded))
        origin = np.repeat(np.arange(len(folded)), sizes)
        flat = list(chain.from_iterable(folded))
        space = np.fromiter((piece == " " for piece in flat), bool, len(flat))
        again = np.append(False, space[1:] & space[:-1])[: len(flat)]
        single = [piece for piece, double in zip(flat, again.tolist(), strict=True) if not double]
        begin = np.append(0, self._ends)[:-1][origin[~again]]
        last = np.append(np.flatnonzero(~again)[1:], len(flat)) - 1 if flat else origin
        return single, begin, self._ends[origin[last]]

    @cached_property
    def _folds(self) -> _Layer:
        return _Layer(*self._folded)

    @cached_property
    def _words(self) -> _Layer:
        pieces, start, end = self._folded
        rows = [row for row, piece in enumerate(pieces) if _is_word(piece)]
        return _Layer([pieces[row] for row in rows], start[rows], end[rows])


class InTokens(Occurrences):
    """Finds strings in a list of tokens; an occurrence covers every token that it touches.

    >>> InTokens(["Ann", "Lee", "'s", "talk"]).of("Lee's talk", BY_WORDS)
    [(1, 4)]
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        super().__init__(" ".join(tokens))
        self._first = list(accumulate((len(token) + 1 for token in tokens), initial=0))[:-1]

    def _find(self, string: str, level: int) -> list[Span]:
        return [
            (bisect_right(self._first, start) - 1, bisect_left(self._first, end))
            for start, end in super()._find(string, level)
        ]


def _clean(text: str) -> str:
    return text.replace(_BORDER, "\1")


def _single(pieces: Iterator[str]) -> list[str]:
    """Pieces with single spaces, and none at the ends."""
    single: list[str] = []
    for piece in pieces:
        if piece != " " or (single and single[-1] != " "):
            single.append(piece)
    return single[:-1] if single[-1:] == [" "] else single
