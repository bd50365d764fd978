"""A value as a file has it: what kind of JSON it is, and its text as it is written."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np

from carob.arrays.columns import numbering
from carob.arrays.types import BoolArray, IntArray

TextArray: TypeAlias = "np.ndarray[Any, np.dtype[np.object_]]"
"""A column of texts."""

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


class Written(NamedTuple):
    """Values as columns: texts, the place of each value among these, and its kind."""

    texts: Sequence[str]
    place: IntArray
    kinds: IntArray


class Raws(Sequence[Raw]):
    """Many values, as columns: a value becomes an object only when it is looked at. `place` says
    where among the texts the text of each value is, so that some of many values share the texts.

    >>> raws = Raws.of([Raw(NUMBER, "5"), Raw(TEXT, "x"), Raw(NUMBER, "5")])
    >>> raws[0], len(raws)
    (Raw(kind=1, text='5'), 3)
    """

    def __init__(self, texts: TextArray, place: IntArray, kinds: IntArray) -> None:
        self._texts, self._place, self.kinds = texts, place, kinds

    @classmethod
    def of(cls, raws: Sequence[Raw]) -> Raws:
        """The columns of values.

        >>> Raws.of([Raw(TEXT, "x")]).kinds
        array([0], dtype=int8)
        """
        if isinstance(raws, cls):
            return raws
        kinds: IntArray = np.array([raw.kind for raw in raws], np.int8)
        return cls.joined([Written([raw.text for raw in raws], np.arange(len(raws)), kinds)])

    @classmethod
    def joined(cls, parts: Sequence[Written]) -> Raws:
        """The values of all of these, end to end.

        >>> one, two = (Written([text], np.array([0]), np.array([TEXT])) for text in "xy")
        >>> [raw.text for raw in Raws.joined([one, two])]
        ['x', 'y']
        """
        sizes = [len(part.texts) for part in parts]
        texts = np.fromiter(chain.from_iterable(part.texts for part in parts), object, sum(sizes))
        first = np.cumsum([0, *sizes])
        places = [part.place + np.int32(by) for part, by in zip(parts, first, strict=False)]
        return cls(texts, np.concatenate(places), np.concatenate([part.kinds for part in parts]))

    def __len__(self) -> int:
        return len(self._place)

    @overload
    def __getitem__(self, place: int) -> Raw: ...
    @overload
    def __getitem__(self, place: slice) -> Raws: ...
    def __getitem__(self, place: int | slice) -> Raw | Raws:
        if isinstance(place, slice):
            return Raws(self._texts, self._place[place], self.kinds[place])
        return Raw(int(self.kinds[place]), self._texts[self._place[place]])

    def __iter__(self) -> Iterator[Raw]:
        return map(Raw, self.kinds.tolist(), self.texts(np.arange(len(self))))

    def take(self, rows: IntArray) -> Raws:
        """The values in these rows."""
        return Raws(self._texts, self._place[rows], self.kinds[rows])

    def texts(self, rows: IntArray) -> list[str]:
        """The texts of the values in these rows.

        >>> Raws.of([Raw(TEXT, "x"), Raw(TEXT, "y")]).texts(np.array([1, 0]))
        ['y', 'x']
        """
        some: list[str] = self._texts[self._place[rows]].tolist()
        return some

    def same(self, rows: IntArray, others: IntArray) -> BoolArray:
        """Which of the values in these rows are written as the others are.

        >>> Raws.of([Raw(TEXT, "5"), Raw(NUMBER, "5")]).same(np.array([0, 0]), np.array([0, 1]))
        array([ True, False])
        """
        texts = self._texts[self._place[rows]] == self._texts[self._place[others]]
        same: BoolArray = texts & (self.kinds[rows] == self.kinds[others])
        return same

    def different(self) -> tuple[Raws, IntArray]:
        """Every value once, and for each of these values the row that it has there.

        >>> raws, row = Raws.of([Raw(TEXT, "x"), Raw(TEXT, "x"), Raw(TEXT, "y")]).different()
        >>> len(raws), row
        (2, array([0, 0, 1]))
        """
        number = numbering()
        values = zip(self.kinds.tolist(), self.texts(np.arange(len(self))), strict=True)
        row = np.fromiter(map(number.__getitem__, values), np.int64, len(self))
        first = np.empty(len(number), np.int64)
        first[row[::-1]] = np.arange(len(self))[::-1]
        return self.take(first), row


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


_UNEVEN = ("  ", " \n", "\n ", *"\t\v\f\r\x1c\x1d\x1e\x1f")


def folded(texts: Sequence[str]) -> list[str]:
    """Many texts as they are compared; all at once if they are ASCII with even white space.

    >>> folded(["Ann Lee", "BO"])
    ['ann lee', 'bo']
    """
    whole = "\n".join(["", *texts, ""])
    even = whole.count("\n") == len(texts) + 1 and not any(sign in whole for sign in _UNEVEN)
    return whole.lower().split("\n")[1:-1] if whole.isascii() and even else list(map(fold, texts))
