"""Lines with columns and tags, read half a megabyte at a time instead of line by line.

A chunk is bytes from one line break to another. The positions of all separators (space, tab, line
break) are enough: the k-th field of a line lies between two of them. Tags other than O are looked
up by their bytes.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from carob.arrays.columns import label_codes
from carob.arrays.hashing import PAD, hash_sequences, hash_stretches, words_at
from carob.arrays.join import rest
from carob.arrays.scan import CODE, LINE, START, Scanned, Scanner
from carob.arrays.tags import KINDS, Runs, Tagset, decode, illegal, interpret, stacked
from carob.arrays.types import BoolArray, ByteArray, HashArray, IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import InputError, Problem, Problems, UsageError, many, plain, shown
from carob.corpus.source import Source
from carob.corpus.tables import Documents, Mentions, int32
from carob.formats._text import CONVERT, long_line, zero_byte

SIZE = 1 << 19
"""How many bytes are read together; also the longest line that is accepted."""

_FIRST = 1 << 14
"""How many bytes are read first: they show the columns, which the fast scanner must know."""

_WORKSPACE = 1 << 22
"""How much memory is kept for the arrays of a chunk."""

NEWLINE, RETURN, SPACE, TAB = 10, 13, 32, 9


@dataclass(slots=True, eq=False)
class Chunk:
    """Whole lines, split into fields.

    `buffer` begins with a line break and goes on for PAD bytes after the last line. `fields` counts
    the fields of each line, `first` is its first character. `starts` is where lines began before
    blanks were squeezed, `base` where the chunk begins in the file.
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
        """Where the field `number` of these lines begins and ends; -1 is the last one.

        `widths` says how many fields these lines have.
        """
        place = self.breaks.take(lines)
        if number:
            place += number if number > 0 else widths + number
        start = self.at.take(place)
        place += 1
        start += 1
        return start, self.at.take(place)

    def field(self, number: int, line: int) -> bytes:
        """One field of a line."""
        low, high = self.at[self.breaks[line] + number], self.at[self.breaks[line] + number + 1]
        return self.buffer[low + 1 : high].tobytes()

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


class Piece(NamedTuple):
    """Whole lines as they are in the file: `size` bytes of the buffer, PAD more follow."""

    buffer: ByteArray
    size: int
    base: int

    def chunk(self, *, tabs: bool = False) -> Chunk:
        """The same lines, split into fields; with `tabs`, nothing between two tabs is a field."""
        return _split_into_fields(self.buffer[: self.size], self.buffer, self.base, tabs=tabs)


def pieces(source: Source, lines: Callable[[], int]) -> Iterator[Piece]:
    """The lines of a file, piece by piece, in one buffer that is reused; the content is hashed at
    the same time. `lines` gives the number of lines in the pieces before, for messages.
    """
    # Once a larger array was freed, the memory of a chunk stays with the process; otherwise the
    # system takes it back and gives it again page by page.
    np.empty(_WORKSPACE, np.uint8)
    space = bytearray(1 + SIZE + 1 + PAD)
    space[0] = NEWLINE
    room, view = np.frombuffer(space, np.uint8), memoryview(space)
    digest = hashlib.sha256()
    carry, offset = 0, 0
    with source.open() as handle:
        while True:
            limit = SIZE if offset or carry else min(SIZE, _FIRST)
            count = source.read_into(handle, view[1 + carry : 1 + limit])
            digest.update(view[1 + carry : 1 + carry + count])
            filled = carry + count
            if not filled:
                break
            last = filled < limit
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


def _split_into_fields(
    part: ByteArray, buffer: ByteArray, base: int, *, tabs: bool = False
) -> Chunk:
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
        part = _without_returns(part)
        if tabs:
            part = np.frombuffer(with_empty_fields(part.tobytes()), np.uint8)
        part = _squeezed(part)
        buffer = np.concatenate([part, np.zeros(PAD, np.uint8)])
        at = np.flatnonzero((part == NEWLINE) | (part == SPACE) | (part == TAB))
        breaks = part.take(at) == NEWLINE
    places = np.flatnonzero(breaks)
    fields = np.diff(places)
    first = buffer.take(at.take(places[:-1]) + 1)
    fields[first == NEWLINE] = 0
    return Chunk(buffer, at, places, fields, first, starts, base)


def _without_returns(part: ByteArray) -> ByteArray:
    """Carriage returns before a line break are blank."""
    returns = np.flatnonzero(part == RETURN)
    if not returns.size:
        return part
    part = part.copy()
    last = returns[part[returns + 1] == NEWLINE]
    while last.size:
        part[last] = SPACE
        last = last[part[last - 1] == RETURN] - 1  # some programs write several
    return part


def with_empty_fields(data: bytes) -> bytes:
    """Lines with columns between tabs, in which a column that is empty holds `_`.

    >>> with_empty_fields(b"\\nAnn\\t\\tO\\t\\n\\t\\n")
    b'\\nAnn\\t_\\tO\\t_\\n\\n'
    """
    data = re.sub(rb"(?m)^[ \t]+$", b"", data)
    data = re.sub(rb"(?m)^ *(?=\t)", b"_", data)
    return re.sub(rb"\t *(?=[\t\n]|\Z)", b"\t_", data)


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
_DOCUMENT_ID = re.compile(rb"(?:[^ \t]+:)?document_id")
_NEWDOC_ID = re.compile(rb"#[ \t]+(?:newdoc[ \t]+id|(?:[^ \t]+:)?document_id)[ \t]*=[ \t]*(.+)")
DOCSTART = b"-DOCSTART-"


def comments(
    chunk: Chunk, width: int, *, tabs: bool = False
) -> tuple[IntArray, IntArray, IntArray]:
    """The lines that are comments, those among them that are `# newdoc`, and those that are
    `# document_id = X`. With `tabs`, a sign before a tab is a token even if columns are left out.
    """
    lines = chunk.beginning(_HASH)
    widths = chunk.fields[lines]
    start, end = chunk.column(0, lines, widths)
    alone = lines[(end - start == 1) & (widths == 1) & (width != 1)]
    several = (end - start == 1) & (widths > 1)
    token = (chunk.buffer[end[several]] == TAB) & tabs
    lines, widths = lines[several], widths[several]
    second = _hashes(chunk, 1, lines, widths)
    long = np.flatnonzero(widths > 2)
    third = np.zeros(len(lines), np.uint64)
    third[long] = _hashes(chunk, 2, lines[long], widths[long])
    newdoc, newpar, sign, name = (_hash(word) for word in (*_OPENING, b"=", b"id"))
    opening = ((second == newdoc) | (second == newpar)) & ((widths == 2) | (third == name))
    comment: BoolArray = ((widths != width) & ~token) | (third == sign) | opening
    start, end = chunk.column(1, lines, widths)
    ids = lines[(third == sign) & (words_at(chunk.buffer, end - 8) == _hash(b"ument_id"))]
    ids = ids[[bool(_DOCUMENT_ID.fullmatch(chunk.field(1, row))) for row in ids.tolist()]]
    return np.union1d(lines[comment], alone), lines[comment & (second == newdoc)], ids


def _hashes(chunk: Chunk, number: int, lines: IntArray, widths: IntArray) -> HashArray:
    return hash_stretches(chunk.buffer, *chunk.column(number, lines, widths))


def _hash(word: bytes) -> int:
    assert len(word) <= 8, "a stretch of up to eight bytes is its own hash"
    return int.from_bytes(word, "little")


def is_comment(fields: Sequence[bytes], width: int, *, short: bool = False) -> bool:
    """Whether one line, split into fields, is a comment. A token that is `short` may lack columns.

    >>> is_comment([b"#", b"O"], 2), is_comment([b"#", b"text", b"=", b"Ann"], 2)
    (False, True)
    """
    if fields[:1] != [b"#"]:
        return False
    if len(fields) == 1:
        return width != 1
    opening = fields[1] in _OPENING and (len(fields) == 2 or fields[2] == b"id")
    return (len(fields) != width and not short) or fields[2:3] == [b"="] or opening


def newdoc_id(line: bytes) -> bytes | None:
    """The id of a document, if the line that opens it has one.

    >>> newdoc_id(b"# newdoc id = d1"), newdoc_id(b"# newdoc"), newdoc_id(b"# document_id = d2")
    (b'd1', None, b'd2')
    """
    match = _NEWDOC_ID.fullmatch(line.strip())
    return match[1] if match else None


_TOKEN_NAMES = ("token", "tokens", "word", "words", "form")
_TAG_NAME = re.compile(
    r"(?i)(.*[^a-z])?(ne|ner|netag|tags?|labels?|bio|iob|entity|entities)([^a-z].*)?"
)
_TAG = re.compile(r"O|_|-X-|[BIESLUMW](-.*)?")


class Header(NamedTuple):
    """The first line of some files, which names the columns. With `tabs`, these are between tabs
    and may be empty.
    """

    names: tuple[str, ...]
    line: int
    tabs: bool

    @property
    def tags(self) -> list[str]:
        """The names that columns of tags usually have."""
        return [name for name in self.names[1:] if _TAG_NAME.fullmatch(name)]

    @classmethod
    def of(cls, head: bytes, wanted: Sequence[str] = ()) -> Header | None:
        """The header of a file, None if it has none; `wanted` are names that it must have.

        >>> Header.of(b"TOKEN\\tNE-COARSE-LIT\\n# language = fr\\nParis\\tB-loc\\n").names
        ('TOKEN', 'NE-COARSE-LIT')
        """
        for number, line in enumerate(head.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
            fields = split(line)
            if not fields or fields[0] == DOCSTART or is_comment(fields, 0):
                continue
            names = tuple(field.decode("utf-8", "backslashreplace") for field in fields)
            if not _names_columns(names) and not set(wanted) & set(names):
                return None
            return cls(names, number, len(line.strip(b"\t\r").split(b"\t")) == len(names) > 1)
        return None


def _names_columns(names: Sequence[str]) -> bool:
    """Whether the fields of a line are names of columns, and no token and its tag."""
    return (
        names[0].lower() in _TOKEN_NAMES
        and len(set(names)) == len(names)
        and not any(map(_TAG.fullmatch, names[1:]))
        and any(map(_TAG_NAME.fullmatch, names[1:]))
    )


def counts_tokens(head: bytes) -> bool:
    """Whether the first of several columns is 1, 2, 3 ... in each sentence that a file begins with.

    >>> (
    ...     counts_tokens(b"1 Ann B-PER\\n2 slept O\\n\\n1 Bo B-PER\\n"),
    ...     counts_tokens(b"1 CD O\\n. . O\\n"),
    ... )
    (True, False)
    """
    tokens = place = 0
    for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:-1]:
        fields = split(line)
        if not fields:
            place = 0
        elif fields[0] != DOCSTART and fields[0] != b"#":
            tokens, place = tokens + 1, place + 1
            if len(fields) < 3 or fields[0] != b"%d" % place:
                return False
    return tokens > 1


def width_of(source: Source) -> int:
    """How many columns the token lines of a file have, by the first line that does not begin
    with `#`; if all do, by the first that cannot be a comment.

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
    return [field for field in re.split(rb"[ \t]+", line.rstrip(b"\r")) if field]


REPAIRS = ("conlleval", "discard", "strict")
BLOCK = 1 << 17
"""About how many tokens a block has, if its documents allow it."""
_HEAD, _TAIL = (int.from_bytes(part, "little") for part in (DOCSTART[:8], DOCSTART[-8:]))
_OPENS = ("-DOCSTART-", "# newdoc")
_SUGGESTED = 6
"""How many names of columns a message suggests."""
_LETTER_O, _HASH, _HYPHEN = ord("O"), ord("#"), ord("-")
OUTSIDE_SHARE = 0.05
"""Without prefixes, at least this share of tokens is O; otherwise the column hardly holds tags."""
_NUMBER = re.compile(r"[-+]?[0-9.]+([eE][-+]?[0-9]+)?|(label|tag|class)_?[0-9]+", re.IGNORECASE)


class Vocabulary:
    """Tags by their bytes. A tag stacked with `|` is several, one for each level, outer first.

    `tags` are the single tags other than O, and `lines` where each was first seen.
    """

    def __init__(self, unreadable: Callable[[int, str], None]) -> None:
        self.tags: list[str] = []
        self.lines: list[int] = []
        self.depth = 1
        self._place: dict[str, int] = {}
        self._levels: list[tuple[int, ...]] = []
        self._keys: HashArray = np.empty(0, np.uint64)
        self._codes: IntArray = np.empty(0, np.int64)
        self._unreadable = unreadable

    def codes(self, buffer: ByteArray, start: IntArray, end: IntArray, line: IntArray) -> IntArray:
        """A number for each tag `buffer[start:end]`; new tags get new numbers."""
        keys = hash_stretches(buffer, start, end)
        place = np.minimum(np.searchsorted(self._keys, keys), max(0, len(self._keys) - 1))
        new = self._keys[place] != keys if len(self._keys) else np.ones(len(keys), bool)
        if new.any():
            self._add_new(buffer, keys, start, end, np.flatnonzero(new), line)
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

    def _add_new(
        self, buffer: ByteArray, keys: HashArray, start: IntArray, end: IntArray, new: IntArray,
        line: IntArray,
    ) -> None:  # fmt: skip
        new_keys, first = np.unique(keys[new], return_index=True)
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
        numbers = np.empty(len(new_keys), np.int64)
        numbers[order] = np.arange(len(self._levels) - len(new_keys), len(self._levels))
        keys = np.concatenate([self._keys, new_keys])
        order = np.argsort(keys)
        self._keys, self._codes = keys[order], np.concatenate([self._codes, numbers])[order]

    def _single(self, tag: str, line: int) -> int:
        """The number of a tag without `|`; the same as in `codes` as long as no tag is stacked."""
        if tag == "O":
            return -1
        place = self._place.setdefault(tag, len(self.tags))
        if place == len(self.tags):
            self.tags.append(tag)
            self.lines.append(line)
        return place


class Pending:
    """Columns that grow chunk by chunk and are cut into blocks of whole documents: `sentence`,
    where sentences begin; `doc`, token, line and offset of documents; `layer0` and so on, token,
    line and code of tags.
    """

    def __init__(self) -> None:
        self.columns: dict[str, list[IntArray]] = {}

    def add(self, **columns: IntArray) -> None:
        for name, column in columns.items():
            self.columns.setdefault(name, []).append(column)

    def __getitem__(self, name: str) -> IntArray:
        parts = self.columns.get(name, [])
        if len(parts) == 1:
            return parts[0]
        joined = np.concatenate(parts, axis=-1)
        self.columns[name] = [joined]
        return joined

    def drop(self, **counts: int) -> None:
        """Forget the first rows, and free their memory."""
        for name, count in counts.items():
            self.columns[name] = [self[name][..., count:].copy()]


Columns = tuple[int | str, ...]


class TagReader:
    """One pass over one file, chunk by chunk; `layers` are the columns that hold tags.

    Columns are numbers; if the file has a header, they may be names.
    """

    def __init__(self, source: Source, layers: Columns, token: int | str, documents: str) -> None:
        self.source = source
        self.wanted = layers, token
        self.layers: tuple[int, ...] = ()
        self.token = 0
        self.header: Header | None = None
        self.opened_by_ids: bool | None = None
        self.last_id: bytes | None = None
        self.mode = {"auto": "", "file": "file"}.get(documents, "block")
        self.step = int(documents) if documents.isdecimal() else 1
        self.sentences = 0
        self.lines = self.tokens = self.documents = self.emitted = 0
        self.width = self.width_line = 0
        self.sentence_open = False
        self.pending = Pending()
        self.hashes: list[HashArray] = []
        self.doc_first = 0
        self.facts: Counter[Any] = Counter()
        self.problems = Problems(source.name)
        self.reported: set[int] = set()
        self.vocabulary = Vocabulary(self._unreadable)
        self.scanner: Scanner | None = None
        self.real: IntArray | None = None
        self.commented = False
        self.outside = self.labelled = 0
        self._known_tagset: Tagset | None = None
        self.ids: dict[int, str] = {}
        self.id_line: dict[str, int] = {}

    def take(self, piece: Piece) -> None:
        """Read the lines of a piece: with the fast scanner if they are plain."""
        if not self.lines:
            self._begin(piece)
        scanner = self._plain_scanner() if self.lines else None
        if scanner is not None:
            place = self.tokens - self.doc_first
            scanned = scanner(piece.buffer, piece.size, place, open=self.sentence_open)
            if scanned is not None:
                self._take_plain(piece, scanned, scanner)
                return
        self._take(piece.chunk(tabs=self.header is not None and self.header.tabs))

    def _begin(self, piece: Piece) -> None:
        """Find out what the columns are called, and which ones are read."""
        layers, token = self.wanted
        names = [each for each in (*layers, token) if isinstance(each, str)]
        self.header = header = Header.of(piece.buffer[1 : piece.size].tobytes(), names)
        if header is None:
            if names:
                raise self._without_column(names[0], None, "a file without names of columns")
            self.layers, self.token = tuple(map(int, layers)), int(token)
            if (layers or (-1,), token) == ((-1,), 0) and counts_tokens(self.source.head()):
                raise InputError([Problem(
                    "K103", self.source.name, None, "a first column that counts the tokens",
                    "words there", "choose columns, as in --columns 2,token=1, or 2+3,token=1 for "
                    "two layers of tags; 0 is the first",
                )])  # fmt: skip
            return
        if layers == (-1,) and len(header.names) > 2 and header.names[-1] not in header.tags:
            raise self._without_column("", header.line, f"{len(header.names)} columns with names")
        places = {name: place for place, name in enumerate(header.names)}
        width = len(header.names)
        for name in names:
            if name not in places:
                found = f"columns called {', '.join(map(plain, header.names))}"
                raise self._without_column(name, header.line, found)
        self.width, self.width_line = width, header.line
        self._require_columns({each for each in (*layers, token) if isinstance(each, int)})
        self.layers = tuple(
            places[each] if isinstance(each, str) else each % width for each in layers
        )
        self.token = places[token] if isinstance(token, str) else token
        if len(set(self.layers)) < len(self.layers):
            raise UsageError("tag is a column or several different ones, not one of them twice")

    def _without_column(self, name: str, line: int | None, found: str) -> InputError:
        expected = f"a column {shown(name)}" if name else "the column of the tags"
        return InputError([Problem("K103", self.source.name, line, found, expected, self._choice)])

    @property
    def _choice(self) -> str:
        """What to do if a column is not the right one."""
        if self.header is None:
            return "choose with --columns; 0 is the first, -1 the last"
        names = (self.header.tags or list(self.header.names[1:]))[:_SUGGESTED]
        return f"choose with --columns: {', '.join(map(plain, names))}"

    def _require_columns(self, numbers: set[int]) -> None:
        """Refuse the number of a column that the file does not have."""
        for number in sorted(numbers):
            if not -self.width <= number < self.width:
                raise InputError([Problem(
                    "K103", self.source.name, self.width_line, _columns_in(self.width),
                    f"a column {number}", self._choice,
                )])  # fmt: skip

    def _unreadable(self, line: int, tag: str) -> None:
        self.problems.add("K102", line, f"the tag {shown(tag)}", "a tag in UTF-8")

    def _line(self, row: int) -> int:
        """The number of a line, comments counted."""
        return self.lines + (row if self.real is None else int(self.real[row])) + 1

    def _lines(self, rows: IntArray) -> IntArray:
        return (rows if self.real is None else self.real[rows]) + (self.lines + 1)

    def _plain_scanner(self) -> Scanner | None:
        """The scanner of plain lines, once the first lines have shown what the columns are."""
        one_layer = len(self.layers) == 1 and self.width > 1 and self.step == 1
        if not one_layer or self.ids or self.problems.total:
            return None
        if self.scanner is None:
            self.scanner = Scanner(self.width, self.token, self.layers[0], self.mode)
            self.scanner.know(*self.vocabulary.known)
        return self.scanner

    def _take_plain(self, piece: Piece, scanned: Scanned, scanner: Scanner) -> None:
        """The same as `_take`, for lines without any problem."""
        self.real = None
        self.sentence_open = scanned.open
        tagged = scanned.tagged[:START].astype(np.int64)
        tagged += [[self.tokens], [self.lines + 1], [0]]
        new = np.flatnonzero(tagged[CODE] < 0)
        if new.size:
            start, end = scanned.tagged[START:, new].astype(np.int64)
            code = self.vocabulary.codes(piece.buffer, start, end, tagged[LINE, new])
            tagged[CODE, new] = code
            scanner.know(*self.vocabulary.known)
        docs = scanned.docs.astype(np.int64)
        docs += [[self.tokens], [self.lines + 1], [piece.base]]
        sentence = scanned.sentences + np.int64(self.tokens)
        self.pending.add(sentence=sentence, doc=docs, layer0=tagged)
        self._add_hashes(scanned.sums.copy(), scanned.docs[0])
        if self.mode == "marked":
            self.documents += docs.shape[1]
        self.lines += scanned.lines
        self.tokens += scanned.rows

    def _take(self, chunk: Chunk) -> None:
        size = len(chunk)
        marks = _docstarts(chunk)
        names: dict[int, bytes | None] = {}
        if marks.size:
            chunk.fields[marks] = 0
        self.real = None
        heading = self.header is not None and not self.lines
        if heading or chunk.beginning(_HASH).size:
            chunk, marks, names = self._uncommented(chunk, marks)
        filled = np.flatnonzero(chunk.fields)
        if not self.mode and (filled.size or marks.size):
            opened = marks.size and (not filled.size or marks[0] < filled[0])
            self.mode = "marked" if opened else "blank"
        if self.mode == "blank":
            self._report_late_marks(marks, names)
        elif self.mode == "marked":
            self._name(marks, names)
        widths = chunk.fields.take(filled)
        odd = self._report_widths(chunk, filled, widths)
        starts = self._boundaries(chunk, filled, marks)
        self._hash(chunk, filled, widths, starts)
        self._tags(chunk, filled, widths, odd)
        self.lines += size
        self.tokens += len(filled)

    def _report_late_marks(self, marks: IntArray, names: Mapping[int, bytes | None]) -> None:
        def describe(row: int) -> tuple[str, int, str, str, str]:
            mark = "# document_id" if self.opened_by_ids else _OPENS[row in names]
            expected = f"{mark} on the first line, or nowhere"
            hint = f"begin the file with a {mark} line"
            return "K106", self._line(row), f"{mark} after the first tokens", expected, hint

        self.problems.each(marks, describe)

    def _uncommented(
        self, chunk: Chunk, marks: IntArray
    ) -> tuple[Chunk, IntArray, dict[int, bytes | None]]:
        """The chunk without comments; those that open a document stay, as blank lines."""
        filled = np.flatnonzero(chunk.fields)
        if not filled.size:
            return chunk, marks, {}
        width = self.width or self._first_width(chunk, int(filled[0]))
        tabs = self.header is not None and self.header.tabs
        lines, newdoc, ids = comments(chunk, width, tabs=tabs)
        if self.header is not None and not self.lines:
            lines = np.union1d(lines, [self.header.line - 1])
        if not lines.size:
            return chunk, marks, {}
        self.commented = True
        opening = np.union1d(newdoc, self._opening_ids(chunk, ids, np.union1d(marks, newdoc)))
        texts = [chunk.text(line) for line in opening.tolist()]
        chunk.fields[opening] = 0
        chunk, self.real = chunk.without(np.setdiff1d(lines, opening))
        marks = np.searchsorted(self.real, np.union1d(marks, opening))
        rows = np.searchsorted(self.real, opening).tolist()
        return chunk, marks, dict(zip(rows, map(newdoc_id, texts), strict=True))

    def _opening_ids(self, chunk: Chunk, ids: IntArray, others: IntArray) -> IntArray:
        """The lines `# document_id = X` that open a document: if nothing else opens documents,
        each with an id other than the one before.
        """
        if self.opened_by_ids is None and (ids.size or others.size):
            self.opened_by_ids = bool(ids.size) and not (others.size and others[0] < ids[0])
            self.opened_by_ids &= self.mode != "marked"
        if not self.opened_by_ids:
            return ids[:0]
        new = []
        for row in ids.tolist():
            name = newdoc_id(chunk.text(row))
            if name != self.last_id:
                new.append(row)
            self.last_id = name
        return np.array(new, np.int64)

    def _first_width(self, chunk: Chunk, row: int) -> int:
        """How many columns token lines have: a file may begin with comments."""
        plain = chunk.first[row] != _HASH
        return int(chunk.fields[row]) if plain else width_of(self.source)

    def _name(self, marks: IntArray, names: Mapping[int, bytes | None]) -> None:
        """The ids of the documents that begin here: all documents have one, or none."""
        if not names and not self.ids:
            self.documents += len(marks)
            return
        for place, row in enumerate(marks.tolist(), self.documents):
            raw, line = names.get(row), self._line(row)
            if (raw is None) != (0 not in self.ids) and place:
                found = "a document without an id" if raw is None else "a document with an id"
                self.problems.add("K109", line, found, "an id for every document, or for none")
            if raw is None:
                continue
            try:
                name = raw.decode("utf-8")
            except UnicodeDecodeError:
                name = raw.decode("utf-8", "backslashreplace")
                self.problems.add("K109", line, f"the id {shown(name)}", "an id in UTF-8")
            before = self.id_line.setdefault(name, line)
            if before != line:
                found = f"the id {shown(name)}, also on line {before}"
                self.problems.add("K109", line, found, "an id of its own for each document")
            self.ids[place] = name
        self.documents += len(marks)

    def _boundaries(self, chunk: Chunk, filled: IntArray, marks: IntArray) -> IntArray:
        """Where sentences and documents begin; returns the token at which each document does."""
        fresh = np.ones(len(filled), bool)
        fresh[1:] = np.diff(filled) > 1
        if len(filled):
            fresh[0] = not (self.sentence_open and filled[0] == 0)
        if len(chunk):
            self.sentence_open = bool(len(filled)) and filled[-1] == len(chunk) - 1
        sentences = np.flatnonzero(fresh)
        if self.mode == "marked":
            at, lines = np.searchsorted(filled, marks), marks
        elif self.mode == "file":
            none = self.documents or not len(chunk)
            at = lines = np.empty(0, np.int64) if none else np.zeros(1, np.int64)
            self.documents += len(at)
        else:
            opening = sentences[-self.sentences % self.step :: self.step]
            self.sentences += len(sentences)
            at, lines = opening, filled[opening]
        doc = np.array([at + self.tokens, self._lines(lines), chunk.offset(lines)])
        self.pending.add(sentence=sentences + self.tokens, doc=doc)
        return at

    def _hash(self, chunk: Chunk, filled: IntArray, widths: IntArray, at: IntArray) -> None:
        """The hash of each document's tokens; a file of tags alone has none."""
        bounds = np.concatenate([[0], at, [len(filled)]])
        firsts = np.concatenate([[self.doc_first - self.tokens], at])
        if (self.width == 1 and self.layers) or self.problems.total:
            sums = np.zeros(len(at) + 1, np.uint64)
        else:
            start, end = chunk.column(self.token, filled, widths)
            values = hash_stretches(chunk.buffer, start, end)
            place = np.arange(len(filled)) - np.repeat(firsts, np.diff(bounds))
            sums = hash_sequences(values, place, bounds)
        self._add_hashes(sums, at)

    def _add_hashes(self, sums: HashArray, at: IntArray) -> None:
        """The first sum goes on with the last document, the others are documents of their own."""
        if self.hashes:
            self.hashes[-1][-1:] += sums[:1]
        if len(at):
            self.hashes.append(sums[1:])
            self.doc_first = int(at[-1]) + self.tokens

    def _report_widths(self, chunk: Chunk, filled: IntArray, widths: IntArray) -> IntArray:
        """The token lines with more or fewer columns than the first one: each is a problem."""
        if not self.width and len(filled):
            self.width, self.width_line = int(widths[0]), self._line(int(filled[0]))
            self._require_columns({*self.layers, *([self.token] if self.width > 1 else [])})
        wrong = widths != self.width
        if self.header is not None and self.header.tabs:
            # Nothing that is read is lost if the last column is left out.
            last = max((*self.layers, self.token)) + 1
            wrong &= (widths != self.width - 1) | (last == self.width)
        odd = np.flatnonzero(wrong)
        self.problems.each(odd, lambda row: (
            "K101", self._line(int(filled[row])),
            f"{_columns_in(int(widths[row]))} in {shown(chunk.text(int(filled[row])))}",
            f"{self.width}, as in line {self.width_line}",
        ))  # fmt: skip
        return odd

    def _tags(self, chunk: Chunk, filled: IntArray, widths: IntArray, odd: IntArray) -> None:
        """Tokens whose tag is not O, layer by layer: their place, line and the code of the tag."""
        good = rest(len(filled), odd) if len(odd) else None
        lines, wide = (filled, widths) if good is None else (filled[good], widths[good])
        for layer, column in enumerate(self.layers):
            start, end = chunk.column(column, lines, wide)
            tagged = np.flatnonzero((end - start != 1) | (chunk.buffer.take(start) != _LETTER_O))
            rows = tagged if good is None else good[tagged]
            line = self._lines(filled[rows])
            code = self.vocabulary.codes(chunk.buffer, start[tagged], end[tagged], line)
            self.pending.add(**{f"layer{layer}": np.array([rows + self.tokens, line, code])})

    def blocks(self, scheme: str, repair: str) -> Iterator[Corpus]:
        """Whole documents, some at a time; every problem is raised at the end."""
        emitted = 0
        for piece in pieces(self.source, lambda: self.lines):
            self.take(piece)
            if self.tokens - emitted >= BLOCK:
                block = self._emit(scheme, repair, final=False)
                if block is not None:
                    emitted = self.tokens
                    yield block
        if self.mode != "marked" and not self.tokens:
            raise self.source.failure("K002", "an empty file", "at least one document")
        yield self._emit(scheme, repair, final=True) or Corpus.of()
        self._report_remaining_tags(scheme)
        self.problems.check()

    def _tagset(self, scheme: str) -> Tagset:
        """What the tags so far mean; interpreted again when there are new ones."""
        known = self._known_tagset
        if known is not None and len(known.prefix) == len(self.vocabulary.tags):
            return known
        tagset = self._known_tagset = interpret(self.vocabulary.tags, scheme)
        # Tags that come later may show that those before were not read as they are meant.
        before, after = ([] if each is None else _meanings(each) for each in (known, tagset))
        for code, (old, new) in enumerate(zip(before, after, strict=False)):
            if old != new and code not in tagset.bad:
                found = f"{shown(self.vocabulary.tags[code])}, whose prefix only later tags show"
                expected, hint = "tags that show it before", "--scheme io if labels are whole"
                self.problems.add("K104", self.vocabulary.lines[code], found, expected, hint)
        return tagset

    def _report_bad_tags(self, tagset: Tagset, line: IntArray, code: IntArray) -> None:
        """Tags that mean nothing, each on its line."""
        self.reported.update(np.unique(code).tolist())
        tags = self.vocabulary.tags
        hint = "" if self.header is None else self._choice
        self.problems.each(np.arange(len(line)), lambda row: (
            "K104", int(line[row]), shown(tags[code[row]]), tagset.bad[int(code[row])], hint,
        ))  # fmt: skip

    def _report_remaining_tags(self, scheme: str) -> None:
        """Bad tags that no block reported, or a column that holds no tags."""
        tagset, tags, lines = self._tagset(scheme), self.vocabulary.tags, self.vocabulary.lines
        bare = scheme == "auto" and not tagset.letters
        # Among bare tokens may be E-mail, which looks like a tag.
        if self.width == 1 and tags and (bare or 2 * len(tagset.bad) > len(tags)):
            found, hint = f"one column with {shown(tags[0])}", ""
            if not self.outside:
                found = f"bare tokens such as {shown(tags[0])}, without tags"
                hint = "these are documents to tag, and no answer"
            expected = "a token and a tag, or a tag like B-PER alone"
            self.problems.add("K107", lines[0], found, expected, hint)
        elif not (bare and tags and self._has_no_tags(tagset)):
            hint = "" if self.header is None else self._choice
            for code, expected in tagset.bad.items():
                if code not in self.reported:
                    self.problems.add("K104", lines[code], shown(tags[code]), expected, hint)

    def _has_no_tags(self, tagset: Tagset) -> bool:
        """Whether a column without any prefix hardly holds tags, a problem: another column has tags
        with prefixes, or hardly a token is outside of all mentions.
        """
        tags, total = self.vocabulary.tags, self.tokens * len(self.layers)
        where = " and ".join(map(self._column_name, self.layers))
        found = f"{shown(tags[0])} in {where}, which is read, and "
        others = self._columns_of_tags() if self.labelled or not self.outside else {}
        if others:
            found += ", ".join(f"{shown(tag)} in {self._column_name(place)}"
                               for place, tag in others.items())  # fmt: skip
            expected = "the tags in the column that is read"
            hint = f"{' or '.join(map(self._option, others))} reads them"
            if self.labelled:
                hint += f"; --scheme io reads {where} as whole labels"
        elif self.labelled > (1 - OUTSIDE_SHARE) * total:
            few = "no" if self.labelled == total else "hardly an"
            found += f"{few} O in {many(self.tokens, 'line')}"
            least = round(1 / OUTSIDE_SHARE)
            expected = f"tags like B-PER or I-PER, or O in at least one line of {least}"
            hint = "plain text has no tags; --scheme io if all tokens have labels"
            if all(map(_NUMBER.fullmatch, tags)):
                hint = "write the names of tags, which the model has (id2label)"
        else:
            return False
        self.problems.add("K110", self.vocabulary.lines[0], found, expected, hint)
        return True

    def _columns_of_tags(self) -> dict[int, str]:
        """The columns that are not read and hold tags with prefixes, as the beginning of the file
        shows; each with its first tag.
        """
        head = self.source.head(_FIRST)
        lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        if len(head) == _FIRST:
            lines.pop()  # it may be cut
        rows = [fields for line in lines if len(fields := split(line)) == self.width]
        rows = [fields for fields in rows if fields[0] != DOCSTART][self.header is not None :]
        columns: dict[int, str] = {}
        for place, column in enumerate(zip(*rows, strict=True)):
            values = [*dict.fromkeys(field.decode("utf-8", "replace") for field in column)]
            tagset = interpret(values, "auto")
            is_read = place in {each % self.width for each in self.layers}
            if tagset.letters and not tagset.bad and not is_read:
                columns[place] = values[int(np.argmax(tagset.label >= 0))]
        return columns

    def _column_name(self, place: int) -> str:
        place %= self.width
        return f"column {plain(self.header.names[place]) if self.header else place}"

    def _option(self, place: int) -> str:
        """The option that reads a column of tags."""
        name = plain(self.header.names[place]) if self.header else str(place)
        # Where tags stand in the place of tokens, these stand elsewhere.
        token = f",token={self.layers[0] % self.width}" if place == self.token % self.width else ""
        return f"--columns {name}{token}"

    def _emit(self, scheme: str, repair: str, *, final: bool) -> Corpus | None:
        """The documents that are complete, as a block; the last one stays unless it is the end."""
        docs, sentence = self.pending["doc"], self.pending["sentence"]
        cut = docs.shape[1] if final else docs.shape[1] - 1
        if cut <= 0:
            return None
        stop = self.tokens if final else int(docs[0, cut])
        first = np.append(docs[0, :cut], stop)
        sentence = sentence[: np.searchsorted(sentence, stop)]
        cuts = {"doc": cut, "sentence": len(sentence)}
        tagset = self._tagset(scheme)
        layers, facts = [], Counter[Any]()
        for layer in range(len(self.layers)):
            tagged = self.pending[name := f"layer{layer}"]
            cuts[name] = int(np.searchsorted(tagged[0], stop))
            self.outside += stop - int(docs[0, 0]) - cuts[name]
            token, line, code = tagged[:, : cuts[name]]
            for rows, level in self.vocabulary.levels(code):
                part = (token, line) if rows is None else (token[rows], line[rows])
                layers.append(self._decoded(*part, level, tagset, scheme, repair, facts))
        layers = layers or [(np.empty(0, np.int64),) * 3]
        start, end, label = (np.concatenate(columns) for columns in zip(*layers, strict=True)) \
            if len(layers) > 1 else layers[0]  # fmt: skip
        for letter in tagset.letters:
            facts["letter", letter] = 1
        if self.mode == "blank":
            facts["blocks"] = cut
        self.facts.update(facts)
        if len(layers) == 1:
            mentions = np.diff(np.searchsorted(start, first))
            doc, begin = np.repeat(np.arange(cut), mentions), np.repeat(first[:-1], mentions)
        else:
            doc = np.searchsorted(first, start, side="right") - 1
            begin = first[doc]
        offsets = np.searchsorted(sentence, first)
        within = sentence - np.repeat(first[:-1], np.diff(offsets))
        hashes = np.concatenate(self.hashes) if self.hashes else np.empty(0, np.uint64)
        block = Corpus(
            "token",
            Documents(
                int32(np.diff(first)),
                hashes[:cut],
                offsets,
                int32(within),
                docs[1, :cut],
                docs[2, :cut],
                self._ids(cut),
            ),
            Mentions(
                int32(doc), int32(start - begin), int32(end - begin),
                label_codes(label, len(tagset.labels)),
            ),
            tagset.labels,
            facts=facts,
        )  # fmt: skip
        self.pending.drop(**cuts)
        self.hashes = [hashes[cut:].copy()] if cut < len(hashes) else []
        return block.ordered() if len(layers) > 1 else block

    def _ids(self, count: int) -> tuple[str, ...] | None:
        """The ids of the documents of the next block."""
        first, self.emitted = self.emitted, self.emitted + count
        if 0 not in self.ids:
            return None
        return tuple(self.ids.get(row, "") for row in range(first, self.emitted))

    def _decoded(
        self, token: IntArray, line: IntArray, code: IntArray, tagset: Tagset, scheme: str,
        repair: str, facts: Counter[Any],
    ) -> tuple[IntArray, IntArray, IntArray]:  # fmt: skip
        """Start, end and label of the mentions of one layer."""
        if (tagset.label < 0).any() and not (good := tagset.label[code] >= 0).all():
            bad = ~good & np.isin(code, list(tagset.bad))
            self.labelled += int(bad.sum())
            # Without any prefix, the end of the file shows whether the column holds tags.
            if scheme != "auto" or (tagset.letters and self.width > 1):
                self._report_bad_tags(tagset, line[bad], code[bad])
            token, line, code = token[good], line[good], code[good]
        self.labelled += len(code)
        if tagset.respelled:
            facts["respelled"] += int(np.isin(code, tagset.respelled).sum())
        place = line
        if self.commented:
            # Comments may be between the lines of a sentence: count tokens and sentence breaks.
            place = token + np.searchsorted(self.pending["sentence"], token, side="right")
        labels = tagset.label.take(code)
        runs = decode(place, tagset.prefix.take(code), labels)
        for kind in np.flatnonzero(counts := np.bincount(runs.kind, minlength=KINDS)).tolist():
            facts["kind", kind] += int(counts[kind])
        start, end = token.take(runs.first), token.take(runs.last) + 1
        label = labels.take(runs.first)
        if repair != "conlleval" and scheme != "none":
            bad = illegal(scheme)[runs.kind]
            if repair == "strict":
                self._report_illegal(scheme, np.flatnonzero(bad), runs, line, code)
            start, end, label = start[~bad], end[~bad], label[~bad]
        return start, end, label

    def _report_illegal(
        self, scheme: str, bad: IntArray, runs: Runs, line: IntArray, code: IntArray
    ) -> None:
        self.problems.each(runs.first[bad], lambda row: (
            "K108", int(line[row]),
            f"a mention that begins with {shown(self.vocabulary.tags[code[row]])}",
            f"one that {scheme} allows", "--repair conlleval reads it nevertheless",
        ))  # fmt: skip


def _docstarts(chunk: Chunk) -> IntArray:
    """The lines that open a document."""
    lines = chunk.beginning(_HYPHEN)
    if not lines.size:
        return lines
    start, end = chunk.column(0, lines, chunk.fields[lines])
    long = np.flatnonzero(end - start == len(DOCSTART))
    head, tail = (words_at(chunk.buffer, start[long] + skip) for skip in (0, len(DOCSTART) - 8))
    whole: IntArray = lines[long[(head == _HEAD) & (tail == _TAIL)]]
    return whole


def _meanings(tagset: Tagset) -> list[tuple[int, str]]:
    """Prefix and label of each tag."""
    names = (*tagset.labels, "")
    return [(prefix, names[label]) for prefix, label in zip(
        tagset.prefix.tolist(), tagset.label.tolist(), strict=True)]  # fmt: skip


def _columns_in(number: int) -> str:
    return "1 column" if number == 1 else f"{number} columns"
