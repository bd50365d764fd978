"""The distinct tags of a file: each is looked at once, wherever and however often it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from carob.arrays.hashing import hash_stretches
from carob.arrays.tags import stacked
from carob.arrays.types import ByteArray, HashArray, IntArray

Unreadable = Callable[[int, str], None]


class Vocabulary:
    """Tags by their bytes. A tag stacked with `|` is several, one for each level, outer first.

    `tags` are the single ones, O left out, and `lines` where each was first seen.
    """

    def __init__(self, unreadable: Unreadable) -> None:
        self.tags: list[str] = []
        self.lines: list[int] = []
        self.depth = 1
        self._place: dict[str, int] = {}
        self._levels: list[tuple[int, ...]] = []
        self._keys: HashArray = np.empty(0, np.uint64)
        self._codes: IntArray = np.empty(0, np.int64)
        self._unreadable = unreadable

    def codes(self, buffer: ByteArray, start: IntArray, end: IntArray, line: IntArray) -> IntArray:
        """A number for each tag `buffer[start:end]`; new ones are learnt."""
        keys = hash_stretches(buffer, start, end)
        place = np.minimum(np.searchsorted(self._keys, keys), max(0, len(self._keys) - 1))
        new = self._keys[place] != keys if len(self._keys) else np.ones(len(keys), bool)
        if new.any():
            self._learn(buffer, keys, start, end, np.flatnonzero(new), line)
            place = np.searchsorted(self._keys, keys)
        return self._codes[place]

    @property
    def known(self) -> tuple[HashArray, IntArray]:
        """The hashes of all tags, and the number of each."""
        return self._keys, self._codes

    def levels(self, code: IntArray) -> Iterator[tuple[IntArray | None, IntArray]]:
        """For each level, which rows have a tag other than O there (None: all), and the tags."""
        if self.depth == 1:
            yield None, code
            return
        table = np.full((len(self._levels), self.depth), -1, np.int64)
        for row, parts in enumerate(self._levels):
            table[row, : len(parts)] = parts
        for level in range(self.depth):
            tags = table[code, level]
            rows = np.flatnonzero(tags >= 0)
            yield rows, tags[rows]

    def _learn(
        self, buffer: ByteArray, keys: HashArray, start: IntArray, end: IntArray, new: IntArray,
        line: IntArray,
    ) -> None:  # fmt: skip
        found, first = np.unique(keys[new], return_index=True)
        for row in new[np.sort(first)].tolist():
            raw = buffer[int(start[row]) : int(end[row])].tobytes()
            try:
                tag = raw.decode("utf-8")
            except UnicodeDecodeError:
                tag = raw.decode("utf-8", "backslashreplace")
                self._unreadable(int(line[row]), tag)
            parts = stacked(tag)
            self.depth = max(self.depth, len(parts))
            self._levels.append(tuple(self._single(part, int(line[row])) for part in parts))
        order = np.argsort(new[first], kind="stable")
        numbers = np.empty(len(found), np.int64)
        numbers[order] = np.arange(len(self._levels) - len(found), len(self._levels))
        keys = np.concatenate([self._keys, found])
        order = np.argsort(keys)
        self._keys, self._codes = keys[order], np.concatenate([self._codes, numbers])[order]

    def _single(self, tag: str, line: int) -> int:
        """The number of a tag without `|`, as long as none was stacked the same as that of all."""
        if tag == "O":
            return -1
        place = self._place.setdefault(tag, len(self.tags))
        if place == len(self.tags):
            self.tags.append(tag)
            self.lines.append(line)
        return place
