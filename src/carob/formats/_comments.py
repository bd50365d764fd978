"""Comment lines in files of columns: which they are, and which of them open a document.

A hash sign is also a word (`# O`), so a line whose first column is `#` is a comment only if
something follows and the line has another number of columns than the token lines, or its third
column is `=` (`# sent_id = 7`), or it is `# newdoc` or `# newpar`, alone or followed by `id`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from carob.arrays.hashing import hash_stretches
from carob.arrays.types import BoolArray, HashArray, IntArray
from carob.corpus.source import Source
from carob.formats._lines import Chunk

_HASH = ord("#")
_OPENING = (b"newdoc", b"newpar")
_NEWDOC_ID = re.compile(rb"#[ \t]+newdoc[ \t]+id[ \t]*=[ \t]*(.+)")
_DOCSTART = b"-DOCSTART-"


def comments(chunk: Chunk, width: int) -> tuple[IntArray, IntArray]:
    """The lines that are comments, and those among them that open a document."""
    lines = chunk.beginning(_HASH)
    lines = lines[chunk.fields[lines] > 1]
    widths = chunk.fields[lines]
    start, end = chunk.column(0, lines, widths)
    lines, widths = lines[end - start == 1], widths[end - start == 1]
    second = _hashes(chunk, 1, lines, widths)
    long = np.flatnonzero(widths > 2)
    third = np.zeros(len(lines), np.uint64)
    third[long] = _hashes(chunk, 2, lines[long], widths[long])
    newdoc, newpar, sign, name = (_hash(word) for word in (*_OPENING, b"=", b"id"))
    opening = ((second == newdoc) | (second == newpar)) & ((widths == 2) | (third == name))
    comment: BoolArray = (widths != width) | (third == sign) | opening
    return lines[comment], lines[comment & (second == newdoc)]


def _hashes(chunk: Chunk, number: int, lines: IntArray, widths: IntArray) -> HashArray:
    return hash_stretches(chunk.buffer, *chunk.column(number, lines, widths))


def _hash(word: bytes) -> int:
    assert len(word) <= 8, "a stretch of up to eight bytes is its own hash"
    return int.from_bytes(word, "little")


def is_comment(fields: Sequence[bytes], width: int) -> bool:
    """The same for one line.

    >>> is_comment([b"#", b"O"], 2), is_comment([b"#", b"text", b"=", b"Ann"], 2)
    (False, True)
    """
    if len(fields) < 2 or fields[0] != b"#":
        return False
    opening = fields[1] in _OPENING and (len(fields) == 2 or fields[2] == b"id")
    return len(fields) != width or fields[2:3] == [b"="] or opening


def newdoc_id(line: bytes) -> bytes | None:
    """The id of a document, if the line that opens it has one.

    >>> newdoc_id(b"# newdoc id = d1"), newdoc_id(b"# newdoc")
    (b'd1', None)
    """
    found = _NEWDOC_ID.fullmatch(line.strip())
    return found[1] if found else None


def width_of(source: Source) -> int:
    """How many columns the token lines of a file have, by the first line that begins otherwise
    than with `#`; or by the first that must not be a comment, if all begin so.

    >>> width_of(Source.of_bytes(b"# a comment\\nAnn B-PER\\n"))
    2
    """
    lines = source.head().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    fields = [fields for line in lines if (fields := split(line)) and fields[0] != _DOCSTART]
    fields = [each for each in fields if not is_comment(each, len(each))]
    for each in fields:
        if each[0] != b"#":
            return len(each)
    return len(fields[0]) if fields else 0


def split(line: bytes) -> list[bytes]:
    """The columns of a line.

    >>> split(b" Ann\\t B-PER\\r")
    [b'Ann', b'B-PER']
    """
    return [field for field in re.split(rb"[ \t]+", line.removesuffix(b"\r")) if field]
