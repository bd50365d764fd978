"""Libraries: where the words of documents are, and the lines and files they stand in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

Words = tuple[str | None, tuple[str, ...] | None]
"""The text and the tokens of a document, each None when unknown."""


class Library(Protocol):
    """Where the words of a corpus are: they stay on disk until a message or example needs them."""

    def words(self, row: int) -> Words:
        """Text and tokens of a document."""
        ...

    def line(self, row: int, place: int) -> int:
        """The line of the file on which a position of a document stands."""
        ...


@dataclass(frozen=True, slots=True)
class Memory:
    """The library of documents that were built by hand."""

    all: tuple[Words, ...]

    def words(self, row: int) -> Words:
        """Text and tokens of a document."""
        return self.all[row]

    def line(self, row: int, place: int) -> int:
        """There are no lines: the number of the document."""
        return row + 1


@dataclass(frozen=True, slots=True)
class Shelves:
    """Libraries of blocks that were joined; `names` are their files, if each has its own."""

    parts: tuple[Library | None, ...]
    first: tuple[int, ...]
    names: tuple[str, ...] = ()

    def _find(self, row: int) -> tuple[Library | None, int]:
        which = int(np.searchsorted(self.first, row, side="right")) - 1
        return self.parts[which], row - self.first[which]

    def file(self, row: int) -> str:
        """The file of a document; nothing if it is that of the corpus."""
        which = int(np.searchsorted(self.first, row, side="right")) - 1
        return self.names[which] if self.names else ""

    def words(self, row: int) -> Words:
        """Text and tokens of a document."""
        part, inner = self._find(row)
        return part.words(inner) if part else (None, None)

    def line(self, row: int, place: int) -> int:
        """The line of the file on which a position of a document stands."""
        part, inner = self._find(row)
        return part.line(inner, place) if part else row + 1
