"""Chance that falls the same way on every version of Python and every platform."""

from __future__ import annotations

import random
from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

_T = TypeVar("_T")


class Dice:
    """A source of choices, made from a seed and names.

    Of the standard library's generator only `random()` is promised to stay as it is, and NumPy
    promises less, so everything here is made from that one function.

    >>> Dice(7, "truth", 1).below(1000) == Dice(7, "truth", 1).below(1000)
    True
    """

    def __init__(self, *key: int | str) -> None:
        digest = sha256("/".join(map(str, key)).encode()).digest()
        self._random = random.Random(int.from_bytes(digest[:8], "big")).random

    def below(self, end: int) -> int:
        """A whole number from 0 to end - 1."""
        return int(self._random() * end)

    def chance(self, share: float) -> bool:
        """True in this share of all cases."""
        return self._random() < share

    def between(self, low: float, high: float) -> float:
        """A number of two decimals."""
        return round(low + (high - low) * self._random(), 2)

    def one(self, things: Sequence[_T]) -> _T:
        """One of several things."""
        return things[self.below(len(things))]

    def few(self, things: Sequence[_T], number: int) -> list[_T]:
        """Different ones of several things, in any order."""
        rest = list(things)
        return [rest.pop(self.below(len(rest))) for _ in range(min(number, len(rest)))]
