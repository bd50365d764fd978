"""Source: the bytes of a file or pipe, which can be named, read in blocks, hashed and read again.

A pipe is spooled to a temporary file, so that messages can quote it. A gz file is read as what is
in it. A folder is a source of sources: its files, by their names within it.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import os
import stat
import sys
import weakref
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from threading import Lock
from typing import Any, BinaryIO, cast

from carob.corpus.problems import InputError, Problem, UsageError, shown

BLOCK = 1 << 20
LARGEST = 1 << 26
"""The largest document, in bytes, that formats which need a whole one in memory read."""
MOST_SPOOLED = 1 << 31
"""How many bytes are taken from standard input or from a named pipe."""
PATIENCE = 5
"""How many seconds a program may take until it writes to a named pipe."""
GZIP_MAGIC = b"\x1f\x8b"
_WITH_ZEROS = (GZIP_MAGIC, b"\xff\xfe", b"\xfe\xff")
"""How a gz file or a text in UTF-16 begins. Only these may have zero bytes."""
_AHEAD = 1 << 16
"""How much is read at least when a piece of a file is needed."""
_UNFOLDED, _TIMES = 1 << 24, 200
"""A gz file that unfolds to more bytes than this, and to more times its size, is a bomb: text never
shrinks that much."""


class Source:
    """Bytes with a name. Opening fails with a Problem, never with a traceback.

    >>> Source.of_bytes(b"a O\\n", "example").head()
    b'a O\\n'
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.name = "<stdin>" if self.path == "-" else self.path
        self.inside: str | None = None
        """The name within the folder that this file was found in; None for a file of its own."""
        self._data: bytes | None = None
        self._parts: dict[str, Source] | None = None
        self._digest: str | None = None
        self._unzipped: BinaryIO | None = None
        self._place_in_file = 0
        self._window = (0, b"")
        self._spool: BinaryIO | None = None
        self._original: Source | None = None
        if self.path == "-":
            pipe = getattr(sys.stdin, "buffer", None)
            if pipe is None:
                raise self.failure("K001", "a standard input that is closed", "a file to read")
            self._spool = _spooled(self, pipe)

    @classmethod
    def of_bytes(cls, data: bytes, name: str = "<bytes>") -> Source:
        """A source that is already in memory.

        >>> b"".join(Source.of_bytes(b"xy").blocks())
        b'xy'
        """
        source = cls(name)
        source._data = data
        return source

    @classmethod
    def of_files(cls, files: Mapping[str, bytes], name: str = "<files>") -> Source:
        """A folder that is already in memory.

        >>> list(Source.of_files({"b.txt": b"", "a.txt": b""}).files)
        ['a.txt', 'b.txt']
        """
        source = cls(name)
        source._parts = {}
        for inside in sorted(files):
            part = source._parts[inside] = cls.of_bytes(files[inside], f"{name}/{inside}")
            part.inside = inside
        return source

    def in_encoding(self, encoding: str) -> Source:
        """The same file, of which the text is in another encoding than UTF-8. Its hash is that of
        the file as it is.

        >>> Source.of_bytes("é O".encode("cp1252")).in_encoding("cp1252").content().decode()
        'é O'
        """
        if not encoding or self._original is not None:
            return self
        try:
            if not (codec := codecs.lookup(encoding))._is_text_encoding:
                raise LookupError
        except (LookupError, ValueError):
            names = "such as cp1252, latin-1 or shift_jis"
            raise UsageError(f"no encoding is called {shown(encoding)}; give one {names}") from None

        def decoded(file: Source) -> bytes:
            try:
                return file.content().decode(encoding).encode("utf-8")
            except UnicodeError as error:
                raise file.failure("K013", str(error), f"a text in {codec.name}") from None

        if self.is_folder:
            files = {name: decoded(file) for name, file in self.files.items()}
            made = Source.of_files(files, self.name)
        else:
            made = Source.of_bytes(decoded(self), self.name)
        made.path, made.inside, made._original = self.path, self.inside, self
        return made

    def __repr__(self) -> str:
        return f"Source({self.name!r})"

    def failure(self, code: str, found: str, expected: str, hint: str = "") -> InputError:
        """An error that concerns the whole file.

        >>> print(Source("x.conll").failure("K002", "an empty file", "a document"))
        x.conll: K002 found an empty file, expected a document
        """
        return InputError([Problem(code, self.name, None, found, expected, hint)])

    @cached_property
    def is_folder(self) -> bool:
        """Whether this is a folder."""
        if self._parts is not None or self._data is not None or self.path == "-":
            return self._parts is not None
        try:
            return os.path.isdir(self.path)  # noqa: PTH112 (pathlib is slow to load)
        except OSError:
            return False

    @cached_property
    def _listing(self) -> tuple[dict[str, Source], int, int]:
        if self._parts is not None:
            return self._parts, 0, 0
        if not self.is_folder:
            files = {_last(self.name): self}
            if self._data is None and self.path != "-" and (partner := _partner(self.path)):
                files[_last(partner)] = Source(partner)
            return dict(sorted(files.items())), 0, 0
        names, hidden, editors = _names_in(self.path)
        files = {}
        for name in names:
            files[name] = Source(os.path.join(self.path, name))  # noqa: PTH118
            files[name].inside = name
        return files, hidden, editors

    @property
    def files(self) -> Mapping[str, Source]:
        """The files of a folder and of the folders in it, by their names within it, sorted.

        A file is its own only file, except that x.ann and x.txt side by side belong together:
        either of them stands for both. Files and folders whose names begin with a dot, and what
        editors leave (x~, #x#), are not looked at; `hidden` and `of_editors` count them.

        >>> Source.of_files({"a/1.txt": b""}).files["a/1.txt"].inside
        'a/1.txt'
        """
        return self._listing[0]

    @property
    def hidden(self) -> int:
        """How many files and folders were left out because their names begin with a dot."""
        return self._listing[1]

    @property
    def of_editors(self) -> int:
        """How many files and folders were left out because an editor left them there."""
        return self._listing[2]

    def open(self) -> BinaryIO:
        """The content from its beginning, decompressed."""
        try:
            handle: BinaryIO = io.BytesIO(self._data or b"")
            if self._parts is not None:
                raise IsADirectoryError
            if self._data is None:
                if self._spool is None and stat.S_ISFIFO(os.stat(self.path).st_mode):  # noqa: PTH116
                    with _opened_pipe(self.path) as pipe:
                        self._spool = _spooled(self, pipe, _first_byte(self, pipe))
                # The caller closes it.
                handle = (
                    open(self.path, "rb")  # noqa: SIM115, PTH123
                    if self._spool is None
                    else io.BufferedReader(_Handle(self._spool))
                )
            magic = handle.read(2)
            handle.seek(0)
        except FileNotFoundError:
            raise self.failure("K001", "no such file", "a file to read", self._near()) from None
        except IsADirectoryError:
            raise self.failure("K001", "a folder", "a file to read") from None
        except (OSError, ValueError) as error:
            raise self.failure("K001", str(error), "a file that can be read") from None
        if magic == GZIP_MAGIC:
            import gzip

            unzipped = gzip.GzipFile(fileobj=handle)
            unzipped.myfileobj = handle  # type: ignore[assignment]  # closed with it
            return cast(BinaryIO, unzipped)
        return handle

    def _near(self) -> str:
        import difflib
        from pathlib import Path

        folder, wanted = Path(self.path).parent, Path(self.path).name
        try:
            names = [entry.name for entry in folder.iterdir()]
        except OSError:
            return f"the folder {folder} does not exist"
        close = difflib.get_close_matches(wanted, names, n=1)
        return f"did you mean {folder / close[0]}?" if close else ""

    def read_into(self, handle: BinaryIO, view: memoryview) -> int:
        """Fill `view` from an opened source; how many bytes came."""
        filled = 0
        try:
            while filled < len(view):
                count = handle.readinto(view[filled:])  # type: ignore[attr-defined]
                if not count:
                    break
                filled += count
        except (OSError, EOFError, zlib.error) as error:
            raise self.failure(
                "K003", f"data that breaks off or is damaged ({error})", "a file that can be read"
            ) from None
        # Of a gz file, the place in the file itself.
        self._place_in_file = getattr(handle, "myfileobj", handle).tell()
        if handle.tell() > max(_UNFOLDED, _TIMES * self._place_in_file):
            raise self.failure(
                "K010", f"a gz file that unfolds to more than {_TIMES} times its size",
                "text that was compressed", "if it is meant, unzip it first",
            )  # fmt: skip
        return filled

    def share(self) -> float:
        """How large a part of the file has been read since it was last opened; 1 if that is not
        known.

        >>> source = Source.of_bytes(b"abcd")
        >>> with source.open() as handle:
        ...     _ = source.read_into(handle, memoryview(bytearray(3)))
        >>> source.share()
        0.75
        """
        return self._place_in_file / max(self.size, 1) if self._place_in_file else 1.0

    def bytes_read(self) -> int:
        """How far this file, or the files of this folder, have been read since they were opened."""
        return sum(file._place_in_file for file in self.files.values())

    def total_size(self) -> int:
        """How many bytes this file, or the files of this folder, have together.

        >>> Source.of_files({"a": b"12", "b": b"345"}).total_size()
        5
        """
        return sum(file.size for file in self.files.values())

    @property
    def size(self) -> int:
        """How many bytes there are, folded if they are in a gz file; 0 if that is not known.

        >>> Source.of_bytes(b"abcd").size, Source("nowhere").size
        (4, 0)
        """
        if self._data is not None:
            return len(self._data)
        with suppress(OSError, ValueError):
            place = self.path if self._spool is None else self._spool.fileno()
            return os.stat(place).st_size  # noqa: PTH116
        return 0

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """The content in pieces of at most `size` bytes.

        >>> list(Source.of_bytes(b"abcde").blocks(2))
        [b'ab', b'cd', b'e']
        """
        buffer = bytearray(size)
        digest = hashlib.sha256()
        with self.open() as handle:
            while count := self.read_into(handle, memoryview(buffer)):
                digest.update(memoryview(buffer)[:count])
                yield bytes(memoryview(buffer)[:count])
        self._digest = digest.hexdigest()

    def content(self, most: int = LARGEST) -> bytes:
        """Everything, if it is no more than `most` bytes: a device may have no end.

        >>> Source.of_bytes(b"abc").content()
        b'abc'
        """
        blocks, size = [], 0
        for block in self.blocks():
            blocks.append(block)
            size += len(block)
            if size > most:
                raise self.failure("K010", f"more than {most:,} bytes", "a smaller file")
        return b"".join(blocks)

    def head(self, size: int = 1 << 16) -> bytes:
        """The first bytes, by which a format is recognised."""
        buffer = bytearray(size)
        with self.open() as handle:
            count = self.read_into(handle, memoryview(buffer))
        return bytes(buffer[:count])

    def require_line_feeds(self) -> None:
        """Refuse a file whose lines end in carriage returns alone: it would be read as one line.

        >>> Source.of_bytes(b"Ann B-PER\\rslept O\\r", "old.conll").require_line_feeds()
        Traceback (most recent call last):
        carob.corpus.problems.InputError: old.conll: K011 found lines that end in carriage returns alone, expected line feeds at their ends; convert them: tr '\\r' '\\n'
        """  # noqa: E501 (an error message is one line)
        head = self.head().strip()
        if b"\r" in head and b"\n" not in head:
            raise self.failure(
                "K011", "lines that end in carriage returns alone", "line feeds at their ends",
                "convert them: tr '\\r' '\\n'",
            )  # fmt: skip

    def between(self, start: int, stop: int | None = None) -> bytes:
        """The bytes from `start` to `stop`, read again.

        >>> Source.of_bytes(b"abcde").between(1, 3)
        b'bc'
        """
        known, window = self._window
        if stop is not None and known <= start and stop <= known + len(window):
            return window[start - known : stop - known]
        handle = self._unzipped or self.open()
        if self._unzipped is None and hasattr(handle, "myfileobj"):
            # To go to a place in a gz file is to unzip everything before it, so keep it open.
            self._unzipped = handle
            weakref.finalize(self, handle.close)
        try:
            if stop is None:
                handle.seek(start)
                return handle.read()
            # A caller that needs one piece usually needs the next one, too.
            end = known + len(window)
            begun = window[start - known :] if known <= start < end else b""
            handle.seek(start + len(begun))
            window = begun + handle.read(max(stop - start - len(begun), _AHEAD))
            self._window = start, window
            return window[: stop - start]
        finally:
            if self._unzipped is None:
                handle.close()

    def noted(self, digest: str) -> None:
        """A reader has hashed the content while reading it: no need to do so again."""
        self._digest = digest

    @cached_property
    def sha256(self) -> str:
        """The hash of the content, in hexadecimal.

        That of a folder is the hash of a list of its files: hash, two spaces, name, zero byte
        for each, as `sha256sum -z` prints it.

        >>> Source.of_bytes(b"abc").sha256[:8]
        'ba7816bf'
        """
        if self._original is not None:
            return self._original.sha256
        if self.is_folder or len(self.files) > 1:
            listed = hashlib.sha256()
            for name, file in self.files.items():
                own = file._own_sha256
                listed.update(f"{own}  {name}\0".encode("utf-8", "surrogateescape"))
            return listed.hexdigest()
        return self._own_sha256

    @property
    def _own_sha256(self) -> str:
        if self._digest is None:
            for _ in self.blocks():
                pass
        assert self._digest is not None
        return self._digest


def _opened_pipe(path: str) -> BinaryIO:
    """A named pipe, opened although no program may write to it yet."""

    def opened(path: str, how: int) -> int:
        return os.open(path, how | os.O_NONBLOCK)

    return open(path, "rb", buffering=0, opener=opened)


def _first_byte(owner: Source, pipe: BinaryIO) -> bytes:
    """What comes first from a pipe, as far as it must be read to know that a program writes to it;
    an error if none does within PATIENCE seconds. Then reading waits for more.
    """
    first: bytes | None = b""
    # A pipe under /dev or /proc was made by the shell, with a program at its other end.
    if not owner.path.startswith(("/dev/", "/proc/")) and _is_silent(pipe):
        first = pipe.read(1)  # None: a program has opened it and still says nothing
        if first == b"":
            found = "a pipe that no program writes to"
            raise owner.failure("K001", found, "a file to read")
    os.set_blocking(pipe.fileno(), True)
    return first or b""


def _is_silent(pipe: BinaryIO) -> bool:
    """Whether nothing comes from a pipe for PATIENCE seconds."""
    from select import poll

    waiting = poll()
    waiting.register(pipe)
    return not waiting.poll(PATIENCE * 1000)


def _spooled(owner: Source, pipe: BinaryIO, first: bytes = b"") -> BinaryIO:
    """Standard input or a named pipe, of which `first` is read already, as a temporary file. It has
    no name, so nothing can stay of it, however this process ends.
    """
    import tempfile

    spool = cast(BinaryIO, tempfile.TemporaryFile(prefix="carob-"))  # noqa: SIM115
    weakref.finalize(owner, spool.close)
    size = 0
    while block := first + pipe.read(BLOCK):
        first = b""
        if size == 0 and b"\0" in block and block[:2] not in _WITH_ZEROS:
            raise owner.failure("K003", "binary data", "a text in UTF-8")
        size += len(block)
        if size > MOST_SPOOLED:
            found = f"more than {MOST_SPOOLED:,} bytes from a pipe"
            raise owner.failure("K010", found, "less", "put them into a file first")
        spool.write(block)
    spool.flush()
    return spool


class _Handle(io.RawIOBase):
    """A temporary file that several readers share, each at its own place."""

    _lock = Lock()

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._at = file, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        with self._lock:
            before = 0 if whence == io.SEEK_SET else self._at
            if whence == io.SEEK_END:
                before = self._file.seek(0, io.SEEK_END)
            self._at = before + offset
        return self._at

    def readinto(self, buffer: Any) -> int:
        with self._lock:
            self._file.seek(self._at)
            count = int(self._file.readinto(buffer))  # type: ignore[attr-defined]
            self._at += count
        return count


def _last(path: str) -> str:
    """The last part of a path, the name of a file."""
    return os.path.basename(os.path.normpath(path))  # noqa: PTH119


_PAIRED = {".ann": ".txt", ".txt": ".ann"}


def _names_in(folder: str) -> tuple[list[str], int, int]:
    """The names of all files in a folder and the folders in it, sorted; how many were hidden, and
    how many left there by an editor.

    Links are followed; one that leads back to a folder around it is refused.
    """
    names: list[str] = []
    hidden = editors = 0
    pending = [("", frozenset([_identity(folder)]))]
    while pending:
        prefix, around = pending.pop()
        here = os.path.join(folder, prefix) if prefix else folder  # noqa: PTH118
        try:
            with os.scandir(here) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            raise _unreadable(here, error.strerror or str(error)) from None
        for entry in entries:
            name = prefix + entry.name
            try:
                is_folder, is_file = entry.is_dir(), entry.is_file()
            except OSError as error:
                raise _unreadable(entry.path, error.strerror or str(error)) from None
            if entry.name.startswith(".") or is_of_editor(entry.name):
                hidden += entry.name.startswith(".")
                editors += not entry.name.startswith(".")
            elif is_folder:
                own = _identity(entry.path)
                if own in around:
                    raise _unreadable(entry.path, "a link to a folder around it")
                pending.append((f"{name}/", around | {own}))
            elif is_file:
                names.append(name)
            else:
                raise _unreadable(entry.path, "neither a file nor a folder")
    return sorted(names), hidden, editors


def is_of_editor(name: str) -> bool:
    """Whether a file is what an editor leaves beside the file that is edited.

    >>> [is_of_editor(name) for name in ("dev.conll~", "#dev.conll#", "dev.conll")]
    [True, True, False]
    """
    return name.endswith("~") or (len(name) > 1 and name[0] == name[-1] == "#")


def _identity(folder: str) -> tuple[int, int]:
    """What tells a folder from all others, by whatever path it is reached."""
    try:
        facts = os.stat(folder)  # noqa: PTH116
    except OSError as error:
        raise _unreadable(folder, error.strerror or str(error)) from None
    return facts.st_dev, facts.st_ino


def _unreadable(path: str, found: str) -> InputError:
    return InputError(
        [Problem("K001", os.path.normpath(path), None, found, "files and folders to read")]
    )


def ending(name: str) -> tuple[str, str]:
    """A file name without its last ending, and the ending in small letters; gz does not count.

    >>> ending("a/x.TXT.gz"), ending("x")
    (('a/x', '.txt'), ('x', ''))
    """
    bare = name.removesuffix(".gz")
    folder, slash, last = bare.rpartition("/")
    stem, dot, tail = last.rpartition(".")
    if not dot or not stem:
        return bare, ""
    return f"{folder}{slash}{stem}", f".{tail.lower()}"


def _partner(path: str) -> str | None:
    """The file that makes a pair with x.ann or x.txt: x.txt or x.ann in the same folder."""
    folder, last = os.path.split(os.path.normpath(path))
    stem, tail = ending(last)
    if tail not in _PAIRED:
        return None
    for name in (stem + _PAIRED[tail], f"{stem}{_PAIRED[tail]}.gz"):
        other = os.path.join(folder, name)  # noqa: PTH118
        if os.path.isfile(other) and os.path.isfile(path):  # noqa: PTH113 (pathlib loads slowly)
            return other
    return None
