"""Text files a megabyte of whole lines at a time, and the pile of what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from carob.arrays.types import IntArray
from carob.corpus.problems import SHOWN, InputError, Problem
from carob.corpus.source import Source

LONGEST = 1 << 20
"""The longest line that is read, in bytes."""


def pieces(source: Source) -> Iterator[tuple[bytes, int, int]]:
    """Whole lines, with the number and the offset of the first one; the last may lack its break.

    >>> list(pieces(Source.of_bytes(b"a\\nb")))
    [(b'a\\n', 1, 0), (b'b', 2, 2)]
    """
    carry, line, offset = b"", 1, 0
    for block in source.blocks():
        if not offset and not carry:
            if block[:2] in (b"\xff\xfe", b"\xfe\xff"):
                hint = "convert it, for example with iconv"
                raise source.failure("K004", "UTF-16 text", "UTF-8", hint)
            if block[:3] == b"\xef\xbb\xbf":
                block, offset = block[3:], 3
        data = carry + block
        if b"\0" in block:
            line += data.count(b"\n", 0, data.index(b"\0"))
            found = "a zero byte, as in a binary file"
            raise InputError([Problem("K003", source.name, line, found, "a text file in UTF-8")])
        cut = data.rfind(b"\n") + 1
        piece, carry = data[:cut], data[cut:]
        if piece:
            yield piece, line, offset
            line += piece.count(b"\n")
            offset += cut
        if len(carry) > LONGEST:
            found = f"a line of more than {LONGEST:,} bytes"
            raise InputError([Problem("K005", source.name, line, found, "shorter lines")])
    if carry:
        yield carry, line, offset


class Problems:
    """Everything that is wrong with a file: the first hundred in full, the others counted."""

    def __init__(self, source: Source) -> None:
        self.file = source.name
        self.kept: list[Problem] = []
        self.fresh: list[Problem] = []
        self.total = 0

    def add(self, code: str, line: int, found: str, expected: str, hint: str = "") -> None:
        """One problem."""
        self.total += 1
        self.fresh.append(Problem(code, self.file, line, found, expected, hint))

    def each(self, rows: IntArray, tell: Callable[[int], tuple[str, int, str, str, str]]) -> None:
        """A problem for each row; `tell` says code, line, found, expected and hint of one."""
        self.total += len(rows)
        for row in rows[:SHOWN].tolist():
            code, line, found, expected, hint = tell(row)
            self.fresh.append(Problem(code, self.file, line, found, expected, hint))

    def settle(self) -> None:
        """A piece of the file is done: keep the first ones, in the order of lines."""
        self.fresh.sort(key=lambda problem: problem.line or 0)
        self.kept += self.fresh[: SHOWN - len(self.kept)]
        self.fresh = []

    def speak(self) -> None:
        """Raise what was found, if anything was."""
        self.settle()
        if self.total:
            raise InputError(self.kept, self.total)
