"""The edit distance of two texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from carob.arrays.types import IntArray


def distance(one: str, other: str) -> int:
    """How many characters must be replaced, added or taken away.

    >>> distance("kitten", "sitting"), distance("", "ab")
    (3, 2)
    """
    return _fastest()(one, other)


@cache
def _fastest() -> Callable[[str, str], int]:
    """The distance by rapidfuzz where it is installed, else by whole numbers."""
    try:
        from rapidfuzz.distance.Levenshtein import distance
    except ImportError:
        return distance_by_bits
    return distance


def distance_by_bits(one: str, other: str) -> int:
    """The same distance in plain Python.

    Myers (1999), "A fast bit-vector algorithm for approximate string matching": a column of the
    table is two whole numbers, one bit for each character.

    >>> distance_by_bits("kitten", "sitting"), distance_by_bits("", "ab")
    (3, 2)
    """
    if len(one) > len(other):
        one, other = other, one
    if not one:
        return len(other)
    places: dict[str, int] = {}
    for i, sign in enumerate(one):
        places[sign] = places.get(sign, 0) | 1 << i
    full, last = (1 << len(one)) - 1, 1 << (len(one) - 1)
    plus, minus, found = full, 0, len(one)
    for sign in other:
        equal = places.get(sign, 0)
        vertical = equal | minus
        horizontal = (((equal & plus) + plus) ^ plus) | equal
        up = minus | ~(horizontal | plus) & full
        down = plus & horizontal
        if up & last:
            found += 1
        elif down & last:
            found -= 1
        up, down = (up << 1 | 1) & full, down << 1 & full
        plus = down | ~(vertical | up) & full
        minus = up & vertical
    return found


def bags(texts: Sequence[str], width: int = 32) -> tuple[IntArray, IntArray]:
    """The length of each text, and how many of its characters are in each of some classes.

    >>> size, counts = bags(["aab"])
    >>> size.tolist(), int(counts.sum())
    ([3], 3)
    """
    size = np.array([len(text) for text in texts], np.int64)
    counts = np.zeros((len(texts), width), np.int32)
    for i, text in enumerate(texts):
        if text:
            codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
            counts[i] = np.bincount(codes % width, minlength=width)
    return size, counts
