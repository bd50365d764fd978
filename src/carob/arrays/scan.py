"""One pass over plain lines of columns, or over lists of tags, if `_scan` could be compiled.

It only saves time: what it cannot read, and everything if there was no compiler, is read with
NumPy, with the same result. A test reads thousands of files both ways.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from carob.arrays.hashing import slots_of
from carob.arrays.types import ByteArray, HashArray, IntArray

compiled: Callable[..., tuple[int, ...] | None] | None
compiled_tags: Callable[..., bytes | None] | None
try:
    from carob.arrays._scan import number_tags, scan

    compiled, compiled_tags = scan, number_tags
except ImportError:  # installed without a compiler
    compiled = compiled_tags = None

MODES = {"blank": 0, "block": 0, "marked": 1, "file": 2}
"""What opens a document: a sentence, by itself or by choice, a -DOCSTART- line, or the file."""

ROW, LINE, CODE, START, END = range(5)
"""The columns of `tagged`."""

SLOTS = 1 << 10
_LEAST = 4
"""Bytes of the shortest line with a tag; every sentence and document has one, or is longer."""


class Scanned(NamedTuple):
    """What is in some lines; rows and lines count from the first one.

    `tagged` are columns, of all tokens with a tag other than O: row, line, code (-1: not known),
    start and end of the tag. `docs` are row, line and start of all documents that open, `sums`
    the hashes of the tokens before the first of them, and of each.
    """

    lines: int
    rows: int
    tagged: IntArray
    sentences: IntArray
    docs: IntArray
    sums: HashArray
    open: bool


class Scanner:
    """The scanner with its known tags and its room for results, which is used again and again."""

    def __init__(self, width: int, token: int, tag: int, mode: str) -> None:
        self.columns = width, token % width, tag % width, MODES[mode]
        self._keys = np.zeros(SLOTS, np.uint64)
        self._codes = np.full(SLOTS, -1, np.int32)
        self._room = -1

    def know(self, keys: HashArray, codes: IntArray) -> None:
        """Tags by their hashes; of two in one slot only one is known here."""
        slots = slots_of(keys, SLOTS)
        self._keys[slots], self._codes[slots] = keys, codes

    def __call__(self, buffer: ByteArray, size: int, place: int, *, open: bool) -> Scanned | None:
        """What is in the first `size` bytes, from a line break to a line break; None if that
        needs more than this.
        """
        if compiled is None:
            return None
        room = size // _LEAST + 2
        if room > self._room:
            self._room = room
            self._tagged, self._docs = np.empty((5, room), np.int32), np.empty((3, room), np.int32)
            self._sentences, self._sums = np.empty(room, np.int32), np.empty(room, np.uint64)
        result = compiled(
            buffer, size, *self.columns, place, open, self._keys, self._codes,
            self._tagged, self._sentences, self._docs, self._sums,
        )  # fmt: skip
        if result is None:
            return None
        lines, rows, tagged, sentences, docs, still_open = result
        return Scanned(
            lines, rows, self._tagged[:, :tagged], self._sentences[:sentences],
            self._docs[:, :docs], self._sums[: docs + 1], bool(still_open),
        )  # fmt: skip
