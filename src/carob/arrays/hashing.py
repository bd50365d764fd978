"""Hash many stretches of one byte buffer at once, so that token sequences can be compared.

Eight bytes at a time: a stretch of up to eight bytes is its own hash, and only the longer ones go
on. The mixing is that of splitmix64, each step a bijection of the word that comes in. Zero bytes
do not occur in text, so a stretch that ends early is no other stretch.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from carob.arrays.ranges import rows_of
from carob.arrays.types import ByteArray, HashArray, IntArray

PAD = 16
"""Bytes that must follow the last stretch in the buffer: the compiled helper reads ahead."""

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(32)
_MASKS = np.array([(1 << (8 * n)) - 1 for n in range(8)] + [2**64 - 1], np.uint64)


def words_at(buffer: ByteArray, start: IntArray) -> HashArray:
    """The eight bytes from each start, as one number; the buffer must be that long.

    >>> hex(words_at(np.frombuffer(b"abcdefghij", np.uint8), np.array([1]))[0])
    '0x6968676665646362'
    """
    # Untyped bytes need no alignment; gathering unaligned numbers takes twice as long.
    every = np.ndarray((len(buffer) - 7,), dtype="V8", buffer=buffer.data, strides=(1,))
    return every[start].view("<u8")


def _mixed(values: HashArray) -> HashArray:
    values *= _MULTIPLIER
    values ^= values >> _SHIFT
    values *= _MIX
    values ^= values >> _SHIFT
    return values


def hash_stretches(buffer: ByteArray, start: IntArray, end: IntArray) -> HashArray:
    """A 64-bit hash of each stretch `buffer[start:end]`; PAD more bytes follow in the buffer.

    >>> text = np.frombuffer(b"Rome or Rome........", np.uint8)
    >>> one, other = hash_stretches(text, np.array([0, 8]), np.array([4, 12]))
    >>> bool(one == other)
    True
    """
    length = end - start
    value = words_at(buffer, start)
    value &= _MASKS.take(length, mode="clip")
    rest = np.flatnonzero(length > 8)
    done = 8
    while rest.size:
        word = words_at(buffer, start[rest] + done) & _MASKS[np.minimum(length[rest] - done, 8)]
        value[rest] = _mixed(value[rest]) + word
        done += 8
        rest = rest[length[rest] > done]
    return value


def slots_of(keys: HashArray, slots: int) -> IntArray:
    """A place for each hash in a table of `slots` slots, a power of two.

    >>> slots_of(np.array([0, 1], np.uint64), 1024)
    array([  0, 632])
    """
    shift = np.uint64(65 - slots.bit_length())
    return (keys * _MULTIPLIER >> shift).astype(np.int64)


def hash_sequences(values: HashArray, place: IntArray, bounds: IntArray) -> HashArray:
    """One hash for each run of stretches, which depends on the stretches and their order.

    `place` counts from the beginning of the run; run k is `values[bounds[k]:bounds[k + 1]]`.
    The hash of a run is the sum of the hashes of its parts, so it may be taken in pieces.

    >>> values = np.array([7, 9, 9, 7], np.uint64)
    >>> one, other = hash_sequences(values, np.array([0, 1, 0, 1]), np.array([0, 2, 4]))
    >>> bool(one == other)
    False
    """
    terms = place.view(np.uint64) * _MULTIPLIER
    terms += values
    # Mixed twice: after one step, half of what a swap of two tokens changes would cancel out.
    terms = _mixed(terms)
    size = np.diff(bounds)
    sums = np.zeros(len(size), np.uint64)
    some = np.flatnonzero(size)  # for an empty run, reduceat would take the next term
    if len(some):
        sums[some] = np.add.reduceat(terms[: bounds[-1]], bounds[:-1][some])
    return sums


def hash_windows(values: HashArray, size: int) -> HashArray:
    """One hash for each window of `size` neighbouring stretches, which depends on their order.

    >>> one, _, other = hash_windows(np.array([7, 9, 7, 9], np.uint64), 2)
    >>> bool(one == other)
    True
    """
    count = max(len(values) - size + 1, 0)
    own = _mixed(values.copy())
    total = np.zeros(count, np.uint64)
    for place in range(size):
        total *= _MULTIPLIER
        total += own[place : place + count]
    return _mixed(total)


def hash_tokens(tokens: Sequence[bytes]) -> int:
    """The hash of one sequence of tokens, 0 for none.

    >>> hash_tokens([b"Ann", b"Lee"]) == hash_tokens([b"Lee", b"Ann"])
    False
    """
    if not tokens:
        return 0
    buffer = np.frombuffer(b"".join(tokens) + bytes(PAD), np.uint8)
    end = np.cumsum([len(token) for token in tokens])
    start = np.concatenate([[0], end[:-1]])
    values = hash_stretches(buffer, start, end)
    return int(hash_sequences(values, np.arange(len(tokens)), np.array([0, len(tokens)]))[0])


def hash_lists(lists: Sequence[Sequence[str]]) -> HashArray:
    """The hash of each list of tokens, 0 for none: as `hash_tokens` of their UTF-8.

    >>> hash_lists([["Ann", "Lee"], []]).tolist() == [hash_tokens([b"Ann", b"Lee"]), 0]
    True
    """
    values = hash_words(list(chain.from_iterable(lists)))
    return hash_runs(values, np.array([len(tokens) for tokens in lists], np.int64))


def hash_runs(values: HashArray, sizes: IntArray) -> HashArray:
    """One hash for each run of stretches, which come one run after the other.

    >>> one, other = hash_runs(np.array([7, 9, 9, 7], np.uint64), np.array([2, 2]))
    >>> bool(one == other)
    False
    """
    return hash_sequences(values, rows_of(0, sizes), np.append(0, np.cumsum(sizes)))


def hash_words(words: Sequence[str]) -> HashArray:
    """The hash of each word: of its UTF-8, as `hash_stretches` has it. A zero byte would end a
    stretch, so it is hashed as 0xff, which UTF-8 never contains.

    >>> hash_words(["Ann", ""]).tolist() == [int.from_bytes(b"Ann", "little"), 0]
    True
    """
    buffer, breaks = _with_breaks("\0".join(words).encode("utf-8", "surrogatepass"))
    if len(breaks) != max(len(words) - 1, 0):
        coded = (word.encode("utf-8", "surrogatepass") for word in words)
        joined = b"\0".join(word.replace(b"\0", b"\xff") for word in coded)
        buffer, breaks = _with_breaks(joined)
    start, end = np.append(0, breaks + 1), np.append(breaks, len(buffer) - PAD)
    return hash_stretches(buffer, start[: len(words)], end[: len(words)])


def _with_breaks(data: bytes) -> tuple[ByteArray, IntArray]:
    """The bytes with PAD more, and where zero bytes are."""
    buffer = np.frombuffer(data + bytes(PAD), np.uint8)
    return buffer, np.flatnonzero(buffer[: len(data)] == 0)
