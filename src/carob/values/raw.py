"""A value as a file has it: what kind of JSON it is, and its text as it is written."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple, overload

import numpy as np

from carob.arrays.types import IntArray

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


class Raws(Sequence[Raw]):
    """Many values, as two columns: a value becomes an object only when it is looked at.

    >>> raws = Raws(["5", "x"], np.array([NUMBER, TEXT]))
    >>> raws[0], len(raws)
    (Raw(kind=1, text='5'), 2)
    """

    def __init__(self, texts: Sequence[str], kinds: IntArray) -> None:
        self.texts, self.kinds = texts, kinds

    @classmethod
    def of(cls, raws: Sequence[Raw]) -> Raws:
        """The columns of values.

        >>> Raws.of([Raw(TEXT, "x")]).texts
        ['x']
        """
        if isinstance(raws, cls):
            return raws
        return cls([raw.text for raw in raws], np.array([raw.kind for raw in raws], np.int64))

    def __len__(self) -> int:
        return len(self.texts)

    @overload
    def __getitem__(self, place: int) -> Raw: ...
    @overload
    def __getitem__(self, place: slice) -> Raws: ...
    def __getitem__(self, place: int | slice) -> Raw | Raws:
        if isinstance(place, slice):
            return Raws(self.texts[place], self.kinds[place])
        return Raw(int(self.kinds[place]), self.texts[place])

    def __iter__(self) -> Iterator[Raw]:
        return map(Raw, self.kinds.tolist(), self.texts)


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
