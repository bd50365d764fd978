"""Texts that are nearly the same: sets of word 5-grams with a large Jaccard index.

A gram is a hash of five neighbouring words. The sets of all documents are one column, cut by
offsets. Two documents are compared if they share a gram that is rare; the index itself is that of
the whole sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from carob.arrays.columns import stretches
from carob.arrays.components import components
from carob.arrays.hashing import PAD, hash_stretches, hash_windows
from carob.arrays.ranges import rows_of
from carob.arrays.types import HashArray, IntArray
from carob.arrays.words import FOLLOWS, WORD, kinds

WORDS = 5
"""How many words a gram has."""

MOST = 50
"""A gram in more documents than this does not bring two documents together."""

BATCH = 2048
"""How many texts can be cut into grams at once."""

_SHIFT = np.uint64(53)
"""How many bits a gram has; the other eleven number the texts of a batch."""

_BITS = 1024
"""Of the sketch of a set."""

_PAIRS = 1 << 22
"""How many pairs are looked up together."""

_TABLE = np.array([each.bit_count() for each in range(1 << 16)], np.uint8)


def gram_sets(texts: Sequence[str]) -> tuple[HashArray, IntArray]:
    """The grams of at most BATCH texts, each once and sorted for each text, and offsets.

    A word is a run of letters, digits and underscores, in lower case. A text with fewer than five
    words has one gram, all its words; one without words has none.

    >>> grams, offsets = gram_sets(["A b c d e f", "a B c d e!", "", "x"])
    >>> offsets.tolist(), bool(grams[2] in grams[:2])
    ([0, 2, 3, 3, 4], True)
    """
    lower = [text.lower() for text in texts]
    data = "\n".join(("", *lower, "")).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(data, "<u4")
    kind = kinds(codes.astype(np.int64), "words")
    inside = ((kind == WORD) | (kind == FOLLOWS)).astype(np.int8)
    steps = np.diff(inside)
    start, end = np.flatnonzero(steps == 1) + 1, np.flatnonzero(steps == -1) + 1
    buffer = np.frombuffer(data + bytes(PAD), np.uint8)
    values = hash_stretches(buffer, 4 * start, 4 * end)
    begin = np.cumsum([1] + [len(text) + 1 for text in lower])
    bounds = np.searchsorted(start, begin)
    counts = np.diff(bounds)
    padding = np.where(counts > 0, np.maximum(WORDS - counts, 0), 0)
    values = np.insert(values, np.repeat(bounds[1:], padding), np.uint64(0))
    counts += padding
    windows = hash_windows(values, WORDS)
    text = np.repeat(np.arange(len(counts), dtype=np.uint64), counts)[: len(windows)]
    last = np.cumsum(counts)[text.astype(np.int64)]
    whole = np.arange(len(windows)) + WORDS <= last  # other windows reach into the next text
    # One number for text and gram sorts faster than two.
    packed = _distinct(text[whole] << _SHIFT | windows[whole] >> np.uint64(11))
    offsets = np.searchsorted(packed >> _SHIFT, np.arange(len(counts) + 1, dtype=np.uint64))
    return packed & np.uint64((1 << 53) - 1), offsets


def near_duplicates(grams: HashArray, offsets: IntArray, t: float) -> IntArray:
    """For each set the number of its group, from 0 in the order of their first sets.

    Two sets are in a group if their Jaccard index is at least `t`, and so are all that a chain of
    such pairs connects. Compared are sets that share a gram of at most 50 sets, and equal sets.

    >>> grams, offsets = gram_sets(["a b c d e f g h", "x y z u v", "a b c d e f g i"])
    >>> near_duplicates(grams, offsets, 0.5), near_duplicates(grams, offsets, 0.7)
    (array([0, 1, 0]), array([0, 1, 2]))
    """
    size = np.diff(offsets)
    sketches = _sketches(grams, offsets)
    unseen = size - _ones(sketches)
    links = [_equal_sets(grams, offsets)]
    for one, other in _candidates(grams, size):
        # A bit that only one of two sketches has is a gram that only this set has.
        most = np.minimum(unseen[one], unseen[other])
        for part in stretches(len(one), _BITS // 64):
            most[part] += _ones(sketches[one[part]] & sketches[other[part]])
        near = most / (size[one] + size[other] - most) >= t
        one, other = one[near], other[near]
        common = _common(grams, offsets, one, other)
        near = common / (size[one] + size[other] - common) >= t
        links.append((one[near], other[near]))
    every = np.arange(len(size))  # each set is connected with itself
    left, right = (np.concatenate([*(link[side] for link in links), every]) for side in (0, 1))
    return components(left, right)[len(left) - len(every) :]


def _distinct(values: HashArray) -> HashArray:
    """The different values, sorted. np.unique takes ten times as long in some versions of NumPy."""
    values.sort()
    return values[np.append(True, values[1:] != values[:-1])] if len(values) else values


def _ones(sketches: HashArray) -> IntArray:
    """How many bits of each sketch are 1."""
    count = getattr(np, "bitwise_count", None)  # from NumPy 2.0 on
    ones = _TABLE[sketches.view(np.uint16)] if count is None else count(sketches)
    total: IntArray = ones.sum(axis=1, dtype=np.int64)
    return total


def _equal_sets(grams: HashArray, offsets: IntArray) -> tuple[IntArray, IntArray]:
    """Pairs that connect all sets that are equal: copies are found however many there are."""
    some = np.flatnonzero(np.diff(offsets))
    if not len(some):
        return some, some
    sums = np.add.reduceat(grams * np.uint64(0x9E3779B97F4A7C15), offsets[some])
    order = np.argsort(sums, kind="stable")
    same = np.flatnonzero(sums[order][1:] == sums[order][:-1])
    return some[order][same], some[order][same + 1]


def _sketches(grams: HashArray, offsets: IntArray) -> HashArray:
    """A few bits for each set: a bit is 1 if a gram falls on it."""
    count = len(offsets) - 1
    sketches = np.zeros((count, _BITS // 64), np.uint64)
    for first in range(0, count, BATCH):
        last = min(first + BATCH, count)
        bits = np.zeros((last - first, _BITS), bool)
        part = grams[offsets[first] : offsets[last]]
        row = np.repeat(np.arange(last - first), np.diff(offsets[first : last + 1]))
        bits[row, (part % np.uint64(_BITS)).astype(np.int64)] = True
        sketches[first:last] = np.packbits(bits, axis=1).view(np.uint64)
    return sketches


def _candidates(grams: HashArray, size: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Pairs of sets that share a rare gram, in batches; a pair may come again in another."""
    width = np.uint64(len(size).bit_length())
    mask = np.uint64((1 << int(width)) - 1)
    # The number of the set takes the place of the gram's last bits. Grams that then look equal
    # cost a comparison, and nothing else.
    rows = np.repeat(np.arange(len(size), dtype=np.uint64), size)
    keys = (grams << np.uint64(11)) & ~mask | rows
    keys.sort()
    first = np.flatnonzero(np.diff(keys >> width, prepend=np.uint64(2**64 - 1)))
    length = np.diff(np.append(first, len(keys)))
    keys &= mask
    rare = np.flatnonzero((length > 1) & (length <= MOST))
    first, length = first[rare], length[rare]
    count = length * (length - 1) // 2
    ends = np.cumsum(count)
    done = 0
    while done < len(count):
        before = int(ends[done - 1]) if done else 0
        stop = max(int(np.searchsorted(ends, before + _PAIRS, side="right")), done + 1)
        yield _pairs(keys, first[done:stop], length[done:stop], len(size))
        done = stop


def _pairs(
    rows: HashArray, first: IntArray, length: IntArray, sets: int
) -> tuple[IntArray, IntArray]:
    """The different pairs within some stretches of rows, the smaller row first."""
    every = []
    for distance in range(1, MOST):
        long = length > distance
        if not long.any():
            break
        counts = length[long] - distance
        left = rows_of(first[long], counts)
        every.append(rows[left] * np.uint64(sets) + rows[left + distance])
    pairs = _distinct(np.concatenate(every)).astype(np.int64)
    return pairs // sets, pairs % sets


def _common(grams: HashArray, offsets: IntArray, one: IntArray, other: IntArray) -> IntArray:
    """How many grams the two sets of each pair share."""
    common = np.zeros(len(one), np.int64)
    for begin in range(0, len(one), BATCH):
        part = slice(begin, begin + BATCH)
        keys = []
        for side in (one[part], other[part]):
            counts = offsets[side + 1] - offsets[side]
            pair = np.repeat(np.arange(len(side), dtype=np.uint64), counts)
            keys.append(pair << _SHIFT | grams[rows_of(offsets[side], counts)])
        both = np.sort(np.concatenate(keys))
        twice = both[1:][both[1:] == both[:-1]] >> _SHIFT
        common[part] = np.bincount(twice.astype(np.int64), minlength=len(common[part]))
    return common
