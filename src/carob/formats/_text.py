"""Text files: read as whole lines or as one text, encoded again; names in signatures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from carob.corpus.corpus import Words
from carob.corpus.problems import InputError, Problem, Problems, UsageError, shown
from carob.corpus.source import LARGEST, Source
from carob.corpus.tables import Documents

BOM = b"\xef\xbb\xbf"
LONGEST = 1 << 20
"""The longest line of a table, in bytes."""
CONVERT = "convert it, for example with iconv"
DIVIDE = "divide it into several documents"


def pieces(source: Source, longest: int = LONGEST) -> Iterator[tuple[bytes, int, int]]:
    """Whole lines, about a megabyte at a time, with the number and the offset of the first one.

    The last line may have no line break.

    >>> list(pieces(Source.of_bytes(b"a\\nb")))
    [(b'a\\n', 1, 0), (b'b', 2, 2)]
    """
    pending: list[bytes] = []
    line, offset = 1, 0
    for number, block in enumerate(source.blocks()):
        if number == 0:
            if block[:2] in (b"\xff\xfe", b"\xfe\xff"):
                raise source.failure("K004", "UTF-16 text", "UTF-8", CONVERT)
            if block.startswith(BOM):
                block, offset = block[3:], 3
        pending.append(block)
        if b"\0" in block:
            data = b"".join(pending)
            line += data.count(b"\n", 0, data.index(b"\0"))
            raise InputError([zero_byte(source, line)])
        cut = block.rfind(b"\n") + 1
        if cut:
            piece = b"".join([*pending[:-1], block[:cut]])
            yield piece, line, offset
            line += piece.count(b"\n")
            offset += len(piece)
            pending = [block[cut:]]
        if sum(map(len, pending)) > longest:
            raise InputError([long_line(source, line, longest)])
    if rest := b"".join(pending):
        yield rest, line, offset


def lines(source: Source, longest: int = LONGEST) -> Iterator[tuple[int, int, bytes]]:
    """Number, offset and bytes of each line that is not blank.

    >>> list(lines(Source.of_bytes(b"a\\n\\nb")))
    [(1, 0, b'a'), (3, 3, b'b')]
    """
    for piece, number, offset in pieces(source, longest):
        for raw in piece.split(b"\n"):
            if raw.strip():
                yield number, offset, raw
            number += 1
            offset += len(raw) + 1


def zero_byte(source: Source, line: int) -> Problem:
    """The file is binary."""
    found = "a zero byte, as in a binary file"
    return Problem("K003", source.name, line, found, "a text file in UTF-8")


def long_line(source: Source, line: int, longest: int) -> Problem:
    """The line does not fit into memory, or is no line at all."""
    found = f"a line of more than {longest:,} bytes"
    hint = f"{DIVIDE}, or name the format of the file if it has no lines"
    return Problem("K005", source.name, line, found, "shorter lines", hint)


def decoded(source: Source, code: str, problems: Problems) -> str | None:
    """The text of a file, with every character; None if it is too large or not UTF-8."""
    blocks: list[bytes] = []
    size = 0
    for block in source.blocks():
        size += len(block)
        if size > LARGEST:
            found = f"a text of more than {LARGEST:,} bytes"
            problems.add("K010", None, found, "smaller documents", DIVIDE, file=source.name)
            return None
        blocks.append(block)
    data = b"".join(blocks)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        problems.add(code, 1, "UTF-16 text", "UTF-8", CONVERT, file=source.name)
        return None
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            found = shown(line[error.start : error.end])
            problems.add(code, number, found, "UTF-8", CONVERT, file=source.name)
    return None


class FileWords(NamedTuple):
    """The words of documents: they stay in their files until a message or an example needs them.

    Without `documents`, positions are characters of the files themselves.
    """

    read: Callable[[int], Words]
    documents: Documents | None = None

    def words(self, row: int) -> Words:
        """Text and tokens of a document."""
        return self.read(row)

    def line(self, row: int, place: int) -> int:
        """The line on which a document begins, or on which a character of a text stands."""
        if self.documents is not None:
            return int(self.documents.line[row])
        return (self.read(row)[0] or "").count("\n", 0, place) + 1


def bytes_of(source: Source, documents: Documents, row: int) -> bytes:
    """The bytes from the beginning of a document to that of the next one."""
    stops = documents.offset[row + 1 : row + 2].tolist()
    return source.between(int(documents.offset[row]), stops[0] if stops else None)


def encoded(text: str, format: str, document: str) -> bytes:
    """The bytes of a text; halves of surrogate pairs, which JSON can hold, are refused."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        half = shown(text[error.start : error.end])
        raise UsageError(
            f"{format} cannot hold {half} in document {shown(document)}: it is no character"
        ) from None


def signed(name: str) -> str:
    """A name from a user as part of a signature: `-` for none, special characters escaped.

    >>> signed("INCIDENT: TYPE"), signed("a/b"), signed(""), signed("-")
    ('INCIDENT: TYPE', 'a%2Fb', '-', '%2D')
    """
    from urllib.parse import quote  # slow to load, and few formats need it

    escaped = quote(name, safe=" :.,+()", errors="surrogatepass")
    return {"": "-", "-": "%2D", "none": "%6Eone"}.get(escaped, escaped)


def unsigned(escaped: str) -> str:
    """The name again.

    >>> unsigned("a%2Fb"), unsigned("-"), unsigned("%2D")
    ('a/b', '', '-')
    """
    from urllib.parse import unquote

    return "" if escaped == "-" else unquote(escaped, errors="surrogatepass")
