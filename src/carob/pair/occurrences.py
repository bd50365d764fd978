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
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, chain, islice, starmap

import numpy as np

from carob.arrays.types import IntArray
from carob.corpus.document import Span

LEVELS = 3
"""How a string may occur: verbatim, folded, word by word."""

_TRIES = 16
"""How often a plain search may stop inside a word before a search by pieces takes over."""

_BORDER = "\0"
_WORD = re.compile(r"\w+", re.ASCII)
_SPACES = {code: " " for code in range(128) if chr(code).isspace()}
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


def _letters(text: str) -> str:
    """A text as it is compared, with characters decomposed, so that parts are found in wholes."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", plain))


def _parts(text: str, at: int) -> bool | None:
    """Whether a piece ends or begins here; None if two characters do not decide it."""
    return not 0 < at < len(text) or _apart(text[at - 1], text[at])


@lru_cache(maxsize=1 << 14)
def _apart(before: str, after: str) -> bool | None:
    # What precedes a mark decides whether a word continues after it.
    return None if _follows(before) else len(cut(before + after)) == 2


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
    found: list[str] = []
    for token in text.split():
        runs = [token] if token.isascii() else _runs(token)
        words = [word for run in runs if (word := _stripped(run))]
        found += words or [token]
    return found


def _runs(token: str) -> list[str]:
    """A token, cut before and after each character of a script without spaces."""
    found = [""]
    for piece in cut(token):
        if _ALONE.match(piece):
            found += [piece, ""]
        else:
            found[-1] += piece
    return found


def _stripped(run: str) -> str:
    """Without punctuation at its ends."""
    if run.isascii():
        return run.strip(_PUNCTUATION)
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
        self.joined, self.start, self.end = _sealed(pieces), start, end
        sizes = np.fromiter(map(len, pieces), np.int64, len(pieces))
        self.border = np.cumsum(sizes + 1) - sizes - 1  # the one before each piece

    def find(self, pieces: Sequence[str]) -> Iterator[Span]:
        """Where these pieces occur in sequence, from left to right, without overlaps."""
        if not pieces:
            return
        sealed, size, tries = _sealed(pieces), len(pieces), _TRIES
        # The last border matches everywhere; the search is faster without it.
        wanted = sealed[:-1]
        at = self.joined.find(wanted)
        while at >= 0:
            end = at + len(sealed) - 1
            if self.joined[end] == _BORDER:
                first = int(np.searchsorted(self.border, at))
                yield int(self.start[first]), int(self.end[first + size - 1])
            else:
                tries -= 1
                end = at + 1
                if not tries:
                    wanted = sealed
            at = self.joined.find(wanted, end)


def _found(text: str, string: str, pieces: Callable[[], Iterator[Span]]) -> Iterator[Span]:
    """A plain search, as long as what it finds begins and ends where pieces do."""
    at, tries, seen = 0, _TRIES, 0
    while tries:
        start = text.find(string, at)
        if start < 0:
            return
        at = start + len(string)
        borders = _parts(text, start), _parts(text, at)
        if None in borders:
            break
        if all(borders):
            seen += 1
            yield start, at
        else:
            tries -= 1
            at = start + 1
    yield from islice(pieces(), seen, None)


def _sealed(pieces: Sequence[str]) -> str:
    return _BORDER + _BORDER.join(pieces) + _BORDER


class Occurrences:
    """Finds strings in one text.

    >>> found = Occurrences("Ann Lee met ANN  LEE (Ann-Lee), not Annual")
    >>> [list(level) for level in found.of("Ann Lee")]
    [[(0, 7)], [(0, 7), (12, 20)], [(0, 7), (12, 20), (22, 29)]]
    """

    def __init__(self, text: str) -> None:
        self._text = _clean(text)

    def of(self, text: str) -> Iterator[Iterator[Span]]:
        """The occurrences of a string: verbatim, folded, and word by word."""
        string = _clean(text).strip()
        yield self._placed(self._as_it_is(string))
        if self._lower is not None and string.isascii():
            words = _WORD.findall(string.lower())
            if not all(map(self._lower.__contains__, words)):
                yield from (iter(()), iter(()))
                return
            yield self._placed(self._in_lower(string))
            there = bool(words) and _sealed(words) in self._lower_words
            yield self._placed(self._words.find(words) if there else iter(()))
            return
        pieces = _single(chain.from_iterable(map(_folded, cut(string))))
        words = [piece for piece in pieces if _is_word(piece)]
        if not all(_letters(word) in self._letters for word in words):
            yield from (iter(()), iter(()))
            return
        yield self._placed(self._folds.find(pieces))
        yield self._placed(self._words.find(words))

    def first(self, text: str) -> Span | None:
        """The first occurrence: verbatim, otherwise folded, otherwise word by word.

        >>> Occurrences("Annual ANN").first("Ann"), Occurrences("Annual").first("Ann")
        ((7, 10), None)
        """
        string = text.strip()
        start = self._text.find(string)
        end = start + len(string)
        if start >= 0 and _parts(self._text, start) and _parts(self._text, end):
            return self._at(start, end)
        return next(chain.from_iterable(self.of(text)), None)

    def _placed(self, found: Iterator[Span]) -> Iterator[Span]:
        return found

    def _at(self, start: int, end: int) -> Span:
        return start, end

    def _as_it_is(self, string: str) -> Iterator[Span]:
        return _found(self._text, string, lambda: self._plain.find(cut(string)))

    def _in_lower(self, string: str) -> Iterator[Span]:
        assert self._lower is not None
        folded = " ".join(string.lower().split())
        return _found(self._lower, folded, lambda: self._folds.find(cut(folded)))

    @cached_property
    def _lower(self) -> str | None:
        """An ASCII text, folded, if that keeps every character at its position."""
        if not self._text.isascii():
            return None
        lower = self._text.lower().translate(_SPACES)
        return None if "  " in lower else lower

    @cached_property
    def _lower_words(self) -> str:
        return _sealed(_WORD.findall(self._lower or ""))

    @cached_property
    def _letters(self) -> str:
        return _letters(self._text)

    @cached_property
    def _plain(self) -> _Layer:
        pieces = cut(self._text)
        end = np.cumsum(np.fromiter(map(len, pieces), np.int64, len(pieces)))
        return _Layer(pieces, np.append(0, end)[:-1], end)

    @cached_property
    def _folded(self) -> tuple[list[str], IntArray, IntArray]:
        """Folded pieces with single spaces, and where each begins and ends in the text."""
        pieces = cut(self._text)
        folded = [_folded(piece) for piece in pieces]
        end = np.cumsum(np.fromiter(map(len, pieces), np.int64, len(pieces)))
        origin = np.repeat(np.arange(len(pieces)), np.fromiter(map(len, folded), np.int64))
        flat = list(chain.from_iterable(folded))
        space = np.fromiter((piece == " " for piece in flat), bool, len(flat))
        again = np.append(False, space[1:] & space[:-1])[: len(flat)]
        single = [piece for piece, double in zip(flat, again.tolist(), strict=True) if not double]
        begin = np.append(0, end)[:-1][origin[~again]]
        last = np.append(np.flatnonzero(~again)[1:], len(flat)) - 1 if flat else origin
        return single, begin, end[origin[last]]

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

    >>> [list(level) for level in InTokens(["Ann", "Lee", "'s", "talk"]).of("Lee's talk")]
    [[], [], [(1, 4)]]
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        super().__init__(" ".join(tokens))
        self._first = list(accumulate((len(token) + 1 for token in tokens), initial=0))[:-1]

    def _placed(self, found: Iterator[Span]) -> Iterator[Span]:
        return starmap(self._at, found)

    def _at(self, start: int, end: int) -> Span:
        return bisect_right(self._first, start) - 1, bisect_left(self._first, end)


def _clean(text: str) -> str:
    return text.replace(_BORDER, "\1")


def _single(pieces: Iterator[str]) -> list[str]:
    """Pieces with single spaces, and none at the ends."""
    found: list[str] = []
    for piece in pieces:
        if piece != " " or (found and found[-1] != " "):
            found.append(piece)
    if found and found[-1] == " ":
        found.pop()
    return found
