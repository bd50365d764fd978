"""Sequences of whole numbers, of any lengths: their order, and which of them are equal."""

from __future__ import annotations

import numpy as np

from carob.arrays.join import ranked
from carob.arrays.types import IntArray


def sequence_ranks(offsets: IntArray, values: IntArray) -> IntArray:
    """The rank of each sequence in lexicographic order; equal sequences have equal ranks.

    Sequence i is `values[offsets[i]:offsets[i + 1]]`; values are from 0 up and below 2^31. The
    tails are ranked first, from the end of the longest: a tail is a value before a shorter tail.
    The cost is a sort of as many rows as there are values.

    >>> sequence_ranks(np.array([0, 2, 3, 5, 5]), np.array([7, 1, 7, 7, 1]))
    array([2, 1, 2, 0])
    """
    count, size = len(offsets) - 1, np.diff(offsets)
    longest_first = np.argsort(-size, kind="stable")
    longest = int(size.max(initial=0))
    long_enough = np.searchsorted(-size[longest_first], -np.arange(longest), side="left")
    tail = np.zeros(count, np.int64)
    for place in range(longest - 1, -1, -1):
        rows = longest_first[: long_enough[place]]
        keys = values[offsets[rows] + place].astype(np.int64)
        if tail.any():
            keys = keys * (count + 1) + tail[rows]
        tail[rows] = ranked(keys)[1] + 1
    # Without a gap by now: from 1 up, and 0 for empty sequences.
    if tail.all():
        tail -= 1
    return tail
