"""Lines and columns of a text file, half a megabyte at a time and never a line at a time.

A chunk is bytes from one line break to another. The places of all separators (space, tab, line
break) say everything: the k-th field of a line lies between two of them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from carob.arrays.hashing import PAD, hash_stretches
from carob.arrays.types import BoolArray, ByteArray, HashArray, IntArray
from carob.corpus.problems import InputError
from carob.corpus.source import Source
from carob.formats._text import CONVERT, long_line, zero_byte

SIZE = 1 << 19
"""How many bytes are looked at together; also the longest line that is accepted."""

_FIRST = 1 << 14
"""How many come first: they show what the columns are, and then there is a faster way."""

_KEPT = 1 << 22
"""How much memory is kept for the arrays of a chunk."""

NEWLINE, RETURN, SPACE, TAB = 10, 13, 32, 9


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Whole lines, with their fields found.

    `buffer` begins with a line break and goes on PAD bytes behind the last line. `fields` counts
    the fields of each line, `first` is its first character. `starts` is where lines began before
    blanks were squeezed, `base` where the chunk does in the file.
    """

    buffer: ByteArray
    at: IntArray
    breaks: IntArray
    fields: IntArray
    first: ByteArray
    starts: IntArray | None
    base: int

    def offset(self, lines: IntArray) -> IntArray:
        """Where these lines begin in the file."""
        starts = self.at[self.breaks[lines]] + 1 if self.starts is None else self.starts[lines]
        return starts + self.base

    def __len__(self) -> int:
        return len(self.fields)

    def column(self, number: int, lines: IntArray, widths: IntArray) -> tuple[IntArray, IntArray]:
        """Where the field `number` of the given lines begins and ends; -1 is the last one.

        `widths` says how many fields these lines have.
        """
        place = self.breaks.take(lines)
        if number:
            place += number if number > 0 else widths + number
        start = self.at.take(place)
        place += 1
        start += 1
        return start, self.at.take(place)

    def beginning(self, sign: int) -> IntArray:
        """The lines that begin with this character."""
        return np.flatnonzero(self.first == sign)

    def text(self, line: int) -> bytes:
        """One line, for a message."""
        place = self.breaks[line]
        low, high = self.at[place] + 1, self.at[place + max(1, self.fields[line])]
        return self.buffer[low:high].tobytes()

    def without(self, lines: IntArray) -> tuple[Chunk, IntArray]:
        """The chunk without these lines, and where in this one each of its lines is."""
        keep = np.ones(len(self), bool)
        keep[lines] = False
        rest = np.flatnonzero(keep)
        breaks = np.append(self.breaks[rest], self.breaks[-1])
        starts = None if self.starts is None else self.starts[rest]
        fields, first = self.fields[rest], self.first[rest]
        return Chunk(self.buffer, self.at, breaks, fields, first, starts, self.base), rest


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Whole lines as they are in the file: `size` bytes of the buffer, PAD more follow."""

    buffer: ByteArray
    size: int
    base: int

    def chunk(self) -> Chunk:
        """The same lines with their fields found."""
        return _found(self.buffer[: self.size], self.buffer, self.base)


def pieces(source: Source, lines: Callable[[], int]) -> Iterator[Piece]:
    """The lines of a file, piece by piece, in one place that is used again; the content is hashed
    on the way. `lines` says how many there were in the pieces before, for messages.
    """
    # What a chunk needs would go back to the system and come again page by page, had not a larger
    # array been freed before.
    np.empty(_KEPT, np.uint8)
    space = bytearray(1 + SIZE + 1 + PAD)
    space[0] = NEWLINE
    room, view = np.frombuffer(space, np.uint8), memoryview(space)
    digest = hashlib.sha256()
    carry, offset = 0, 0
    with source.open() as handle:
        while True:
            room_for = SIZE if offset or carry else min(SIZE, _FIRST)
            got = source.read_into(handle, view[1 + carry : 1 + room_for])
            digest.update(view[1 + carry : 1 + carry + got])
            filled = carry + got
            if not filled:
                break
            last = filled < room_for
            begin = 0
            if offset == 0:
                begin = _mark(source, room[1 : 1 + filled])
            if last and room[filled] != NEWLINE:
                filled += 1
                room[filled] = NEWLINE
            stop = filled if last else space.rfind(b"\n", 1, 1 + filled)
            if stop <= 0:
                if filled >= SIZE:
                    raise InputError([long_line(source, lines() + 1, SIZE)])
                carry = filled
                continue
            if begin:
                room[begin] = NEWLINE
            zero = space.find(0, begin, stop + 1)
            if zero >= 0:
                line = lines() + space.count(b"\n", begin + 1, zero) + 1
                raise InputError([zero_byte(source, line)])
            yield Piece(room[begin : stop + 1 + PAD], stop + 1 - begin, offset + begin - 1)
            if last:
                break
            carry = filled - stop
            room[1 : 1 + carry] = room[1 + stop : 1 + filled]
            offset += stop
    source.noted(digest.hexdigest())


def _mark(source: Source, head: ByteArray) -> int:
    """How many bytes a byte order mark takes at the beginning of a file."""
    first = head[:3].tobytes()
    if first[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise source.failure("K004", "UTF-16 text", "UTF-8", CONVERT)
    return 3 if first == b"\xef\xbb\xbf" else 0


def _found(part: ByteArray, buffer: ByteArray, base: int) -> Chunk:
    starts = None
    # One comparison finds all separators, and the few other control characters with them.
    at = np.flatnonzero(part <= SPACE)
    sign = part.take(at)
    breaks = sign == NEWLINE
    odd = not (breaks | (sign == SPACE) | (sign == TAB)).all()
    if not odd:
        # Separators that touch are fields that are empty, unless both are line breaks.
        touching = np.flatnonzero(np.diff(at) == 1)
        odd = not (breaks.take(touching) & breaks.take(touching + 1)).all()
    if odd:
        starts = at[breaks][:-1] + 1
        part = _squeezed(_without_returns(part))
        buffer = np.concatenate([part, np.zeros(PAD, np.uint8)])
        at = np.flatnonzero((part == NEWLINE) | (part == SPACE) | (part == TAB))
        breaks = part.take(at) == NEWLINE
    places = np.flatnonzero(breaks)
    fields = np.diff(places)
    first = buffer.take(at.take(places[:-1]) + 1)
    fields[first == NEWLINE] = 0
    return Chunk(buffer, at, places, fields, first, starts, base)


def _without_returns(part: ByteArray) -> ByteArray:
    """A carriage return before a line break is blank."""
    returns = np.flatnonzero(part == RETURN)
    if not returns.size:
        return part
    part = part.copy()
    part[returns[part[returns + 1] == NEWLINE]] = SPACE
    return part


def _squeezed(part: ByteArray) -> ByteArray:
    """One separator between fields, none around a line."""
    is_break = part == NEWLINE
    blank = (part == SPACE) | (part == TAB)
    keep = np.ones(len(part), bool)
    keep[1:] = ~(blank[1:] & (blank | is_break)[:-1])
    part = part[keep]
    trailing = np.flatnonzero(part == NEWLINE)[1:] - 1
    trailing = trailing[(part[trailing] == SPACE) | (part[trailing] == TAB)]
    keep = np.ones(len(part), bool)
    keep[trailing] = False
    return part[keep]


_HASH = ord("#")
_OPENING = (b"newdoc", b"newpar")
_NEWDOC_ID = re.compile(rb"#[ \t]+newdoc[ \t]+id[ \t]*=[ \t]*(.+)")
DOCSTART = b"-DOCSTART-"


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
    fields = [fields for line in lines if (fields := split(line)) and fields[0] != DOCSTART]
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
